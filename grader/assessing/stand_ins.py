"""Stand-ins: the paper's parts as source, bound in place of a student's part that does not work.

A block that calls such a part by its declared name is then judged apart from it, in a second form of the work. Only the
definitions that the part itself needs are sent, so that no block finds its own answer among them. What the part is
worth is never asked there.
"""

import ast
import importlib.util
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from grader import components
from grader.model.assignment import BESIDE, ONE, Assignment, Interface
from grader.model.outcome import Raised
from grader.sandbox import plain
from grader.sandbox.plain import Chunk, Failure, Module, Reply, Source

FILE = "(a stand-in)"
"""The file name in tracebacks."""
CLASSES = frozenset({
    "multi_head_attention", "feed_forward", "layer_norm", "add_norm", "learned_positional_encoding", "token_embedding",
    "encoder_layer", "decoder_layer", "encoder", "decoder",
})  # fmt: skip
FUNCTIONS = frozenset({
    "softmax", "scaled_dot_product_attention", "causal_mask", "padding_mask", "positional_encoding", "token_embedding",
    "dropout", "attention_masks",
})  # fmt: skip
_TORCH_TOO = {"scaled_dot_product_attention"}
_CALLING = frozenset({
    "form", "constructor", "config", "config_class", "sizes", "mask", "mask_type", "mask_hides", "mask_shapes",
    "mask_required", "batch", "causal", "backend", "float64", "gradient", "refuses_uneven_heads",
})  # fmt: skip
"""Conventions of how a part is called: a stand-in takes and gives what they say; in all else it is the paper's."""
_COMPUTED: Mapping[str, Mapping[str, object]] = {
    "layer_norm": {"deviation": "biased", "eps_place": "inside", "centred": True, "affine": "both"},
    "feed_forward": {"activation": "relu"},
    **{part: {"norm": "post"} for part in ("add_norm", "encoder_layer", "decoder_layer")},
}
"""Conventions of what a part computes that its stand-in as a torch class takes over, with the paper's values."""
_CAUSAL = {"multi_head_attention", "encoder_layer", "encoder"}
"""Parts whose stand-in takes a mask to which the triangle that a hand-out builds in is added."""
_WITH_TENSORS = frozenset({"softmax", "scaled_dot_product_attention", "dropout", "attention_masks"})
_NUMPY, _TORCH, _PARTS = "stand_in_numpy", "stand_in_torch", "stand_in_parts"
_LIBRARIES = {_NUMPY: "\n\nimport numpy as np\n", _TORCH: "\n\nimport torch\nfrom torch import nn\n"}
"""What the classes that are written here import."""

_NUMPY_CLASSES = {
    "multi_head_attention": """
class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        self.num_heads = num_heads
        for letter in "qkvo":
            setattr(self, f"w_{letter}", np.random.normal(0.0, d_model**-0.5, (d_model, d_model)))
            setattr(self, f"b_{letter}", np.random.normal(0.0, 0.1, d_model))

    def forward(self, query, key, value, mask=None):
        held = vars(self)
        heads = [
            split_heads(x @ held[f"w_{letter}"] + held[f"b_{letter}"], self.num_heads)
            for x, letter in ((query, "q"), (key, "k"), (value, "v"))
        ]
        out, _ = scaled_dot_product_attention(*heads, mask_per_head(mask))
        return merge_heads(out) @ self.w_o + self.b_o
""",
    "feed_forward": """
class PositionwiseFeedForward:
    def __init__(self, d_model, d_ff):
        self.w_1, self.b_1 = np.random.normal(0.0, d_model**-0.5, (d_model, d_ff)), np.zeros(d_ff)
        self.w_2, self.b_2 = np.random.normal(0.0, d_ff**-0.5, (d_ff, d_model)), np.zeros(d_model)

    def forward(self, x):
        return np.maximum(x @ self.w_1 + self.b_1, 0) @ self.w_2 + self.b_2
""",
    "layer_norm": """
class LayerNorm:
    def __init__(self, d_model, eps=1e-5):
        self.gain, self.shift, self.eps = np.ones(d_model), np.zeros(d_model), eps

    def forward(self, x):
        plain = layer_norm(x, np.ones(x.shape[-1]), np.zeros(x.shape[-1]), self.eps)
        return plain * self.gain + self.shift
""",
}
"""The paper's parts as classes whose weights are arrays that enter their own products, where they can be watched."""
_TORCH_CLASSES = {
    "layer_norm": """
class SettledLayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        affine, self.eps = SETTLED["affine"], eps
        width = 1 if affine == "scalar" else d_model
        self.gain = 1.0 if affine == "none" else nn.Parameter(torch.ones(width))
        self.shift = 0.0 if affine in ("none", "gain") else nn.Parameter(torch.zeros(width))

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True) if SETTLED["centred"] else x
        variance = (centred**2).sum(-1, keepdim=True) / (x.shape[-1] - (SETTLED["deviation"] == "unbiased"))
        inside = SETTLED["eps_place"] == "inside"
        divisor = (variance + self.eps).sqrt() if inside else variance.sqrt() + self.eps
        return self.gain * (centred / divisor) + self.shift
""",
    "feed_forward": """
class SettledPositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.w_1, self.w_2, self.dropout = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model), nn.Dropout(dropout)

    def forward(self, x):
        inner, name = self.w_1(x), SETTLED["activation"]
        how = {"approximate": "tanh"} if name == "gelu_tanh" else {}
        return self.w_2(self.dropout(getattr(nn.functional, name.removesuffix("_tanh"))(inner, **how)))
""",
}
"""The paper's parts with what a course settles of them, as torch classes."""
_SOFTMAX = "lambda x, axis=-1: x.softmax(axis)"
_OF_IDS = {"make_src_mask": "from_ids(causal=False)", "make_tgt_mask": "from_ids(causal=True)"}
_DROPOUT = "lambda x, p, training=True, rng=None: __import__('torch').nn.functional.dropout(x, p, training)"


@dataclass(frozen=True, slots=True)
class _Made:
    """What is bound to a name: its code, the module from which it comes, what that needs, what no reference has."""

    code: str
    home: str
    needs: Mapping[str, str]
    written: str = ""


def _takes(part: str, interface: Interface) -> bool:
    """Whether our function can be given what the hand-out gives."""
    return not interface.arguments and components.function(part).taken().keys() >= {*interface.parameters}


def _function_of(part: str, _: str, interface: Interface) -> _Made:
    told = _told_of_function(part, interface)
    needs = {_NUMPY: part} | ({_TORCH: part} if part in _TORCH_TOO else {})
    return _Made(f"function({told['takes']!r}, read_as({_function(part)}, {told!r}))", _NUMPY, needs)


def _masks_of(part: str, target: str, interface: Interface) -> _Made:
    """One of the callables of a part that makes masks of ids."""
    told = _told_of_function(part, interface)
    return _Made(f"function({told['takes']!r}, read_as({_OF_IDS[target]}, {told!r}), ['pad_id'])", "", {})


def _made(part: str, name: str, interface: Interface) -> dict[str, _Made]:
    """What is bound for a part, by the student's names: one thing, or each of its callables."""
    form = _form(part, name)
    if form is None:
        return {}
    if part != "attention_masks":
        return {name: form.made(part, name, interface)}
    names = {"make_src_mask": name, **interface.names}
    return {names.get(target, target): _masks_of(part, target, interface) for target in _OF_IDS}


def _class_of(part: str, name: str, interface: Interface) -> _Made:
    target, told = components.block(part).target, _told_of_class(part, interface)
    if _backend(_CLASS, interface) == "numpy":
        home, needs, written = _NUMPY, part, _NUMPY_CLASSES[part]
    elif part in _TORCH_CLASSES and (
        settled := {key: said for key, said in interface.conventions.items() if key in _COMPUTED[part]}
    ):
        written = _TORCH_CLASSES[part].replace("SETTLED", repr({**_COMPUTED[part], **settled}))
        home, needs, target = _TORCH, target, f"Settled{target}"
    else:
        home, needs, written = _TORCH, target, ""
    return _Made(f"lambda _: standing({home}.{target}, {name!r}, {told!r})", home, {home: needs}, written)


@dataclass(frozen=True, slots=True)
class _Form:
    """How parts are asked for; ours are in ``backend``, those of ``elsewhere`` in the other one too."""

    name: str
    backend: str
    elsewhere: Collection[str]
    takes: Callable[[str, Interface], bool]
    made: Callable[[str, str, Interface], _Made]


_FUNCTION = _Form("function", "numpy", _WITH_TENSORS, _takes, _function_of)
_CLASS = _Form("class", "torch", _NUMPY_CLASSES, lambda *_: True, _class_of)


def _form(part: str, name: str) -> _Form | None:
    """How a part of that name is asked for; None where there is no stand-in for it."""
    if part in FUNCTIONS and not name[:1].isupper():
        return _FUNCTION
    return _CLASS if part in CLASSES else None


def _backend(form: _Form, interface: Interface) -> str:
    return str(interface.conventions.get("backend", form.backend))


def fits(part: str, name: str, interface: Interface) -> bool:
    """Whether our own part, called as the hand-out calls it, is what the hand-out asks for.

    What it settles of the calls is taken over, and of what a torch class computes some; in all else it is the paper's.
    """
    form, said = _form(part, name), interface.conventions
    if form is None or interface.adapter or said.get("form", form.name) != form.name or not form.takes(part, interface):
        return False
    if _backend(form, interface) != form.backend and part not in form.elsewhere:
        return False
    defaults = {one.key: one.convention.default for one in components.component(part, form.name).conventions}
    known = _CALLING | (_COMPUTED.get(part, {}).keys() if _backend(form, interface) == "torch" else frozenset())
    usual = all(key in known or value in (defaults.get(key), "either", "free") for key, value in said.items())
    return usual and (not said.get("causal") or part in _CAUSAL)


def in_place(
    source: Source,
    parts: Mapping[str, str],
    assignment: Assignment,
    defined: Iterable[tuple[str, str]],
    *,
    pairs: bool = False,
) -> Source:
    """Return the source with ``parts`` (component: declared name) bound to stand-ins after each module has run.

    ``defined`` are (module, name) of the student's own: a name that none of them defines is bound in all modules.
    With ``pairs`` a module returns (output, None), for blocks that take weights out of attention as well.
    """
    known = {name for _, name in defined}
    made = {
        name: one
        for part in sorted(parts)
        for name, one in _made(part, parts[part], assignment.interface(part)).items()
    }
    names = {name: name in known for name in made}
    bind = f"__import__({_PARTS!r}).bind(globals(), {names!r})"
    theirs = tuple(replace(module, chunks=(*module.chunks, Chunk(bind, FILE))) for module in source.modules)
    return replace(source, modules=(*theirs, *_modules(made, pairs=pairs)))


def _modules(made: Mapping[str, _Made], *, pairs: bool) -> Iterator[Module]:
    """The modules that hold the stand-ins of those parts, and of no other."""
    homes = sorted({one.home for one in made.values() if one.home})
    lines = [_in_child(), f"PAIRS = {pairs}", *(f"import {home}" for home in homes)]
    lines += [f"PARTS[{name!r}] = {one.code}" for name, one in made.items()]
    yield _module(_PARTS, "\n".join(lines))
    for home, folder in ((_NUMPY, _home()), (_TORCH, _home() / "modules")):
        wanted = frozenset(one.needs[home] for one in made.values() if home in one.needs)
        if wanted:
            written = "".join(one.written for one in made.values() if one.home == home)
            yield _module(home, gathered(folder, wanted) + (_LIBRARIES[home] + written if written else ""))


@lru_cache(maxsize=1)
def _in_child() -> str:
    """The code beside the stand-ins, which makes them fit the hand-out."""
    return Path(plain.__file__).with_name("fitted.py").read_text(encoding="utf-8")


def _told_of_class(part: str, interface: Interface) -> dict[str, object]:
    """What ``standing`` has to know of how the hand-out makes and calls a class."""
    ours = components.block(part)
    making = ours.making(interface, interface.callable)
    made, config, called = (
        [(one.name or str(one.value), "" if one.constant else one.value) for one in arguments]
        for arguments in (making.constructor, making.config, making.arguments)
    )
    return {
        "made": made,
        "config": [(field, size) for field, size in config if size],
        "called": called,
        "takes": ours.constructor,
        "sizes": {size: getattr(making.sizes, size) for size in ours.constructor if hasattr(making.sizes, size)},
        "batch": making.batch,
        "mask": _meaning(interface),
        "causal": bool(making.said.get("causal")),
        "settled": {"norm_position": "pre"} if making.said.get("norm") == "pre" else {},
    }


def _told_of_function(part: str, interface: Interface) -> dict[str, object]:
    """What ``read_as`` has to know of what the hand-out's function takes and gives."""
    component = components.function(part)
    taken = component.taken()
    said = [name for name in interface.parameters if name in taken]
    values = component.returns or (ONE,)
    return {
        "takes": (*said, *(name for name in taken if name not in said)),
        "mask": _meaning(interface),
        "hides": -1e9 if interface.conventions.get("mask_hides") != "infinite" else "-inf",
        "makes_mask": component.returns_mask,
        "gives": [None if name == BESIDE else values.index(name) for name in interface.returns],
        "several": bool(component.returns),
    }


def _meaning(interface: Interface) -> str:
    """What a mask means in the hand-out; empty where it is ours, booleans that say who may attend."""
    said = interface.conventions
    meaning = str(said.get("mask", "attend"))
    ours = meaning in {"attend", "either"} and str(said.get("mask_type", "bool")) == "bool"
    return "" if ours else meaning


def _function(part: str) -> str:
    """A part that the hand-out asks of numpy, and that students write for tensors too."""
    plain = f"{_NUMPY}.{part}"
    if part in _TORCH_TOO:
        return f"either({plain}, lambda *args, **kwargs: __import__({_TORCH!r}).{part}(*args, **kwargs))"
    if part in {"softmax", "dropout"}:
        return f"either({plain}, {_SOFTMAX if part == 'softmax' else _DROPOUT})"
    return plain


def _module(name: str, code: str) -> Module:
    return Module(name, (Chunk(code, FILE),))


def _home() -> Path:
    found = importlib.util.find_spec("reference")
    assert found is not None  # noqa: S101 - it is installed with the grader
    assert found.origin is not None  # noqa: S101
    return Path(found.origin).parent


@lru_cache(maxsize=64)
def gathered(folder: Path, wanted: frozenset[str]) -> str:
    """Return, as one module, the definitions of ``wanted`` in a folder's files and all that they use, and no other."""
    definitions, imports = _definitions(folder)
    lines: list[str] = []
    done: set[str] = set()

    def add(name: str) -> None:
        if name in done or name not in definitions:
            return
        done.add(name)
        for used in sorted(_names(definitions[name])):
            add(used)
        lines.append(ast.unparse(_without_docstrings(definitions[name])))

    for name in sorted(wanted):
        add(name)
    used = {name for kept in done for name in _names(definitions[kept])}
    needed = [line for line, bound in imports.items() if bound & used]
    return "\n\n".join(["from __future__ import annotations", "\n".join(needed), *lines])


@lru_cache(maxsize=4)
def _definitions(folder: Path) -> tuple[dict[str, ast.stmt], dict[str, set[str]]]:
    """Top-level definitions of a folder's files by name; imports from outside, with the names that they bind."""
    found: dict[str, ast.stmt] = {}
    imports: dict[str, set[str]] = {}
    for path in sorted(folder.glob("*.py")):
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                home = str(getattr(statement, "module", "")).partition(".")[0]
                if home not in {"reference", "__future__"}:
                    bound = {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
                    imports[ast.unparse(statement)] = bound
            elif isinstance(statement, ast.FunctionDef | ast.ClassDef):
                found[statement.name] = statement
            elif isinstance(statement, ast.Assign | ast.AnnAssign):
                for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
                    if isinstance(target, ast.Name):
                        found[target.id] = statement
    return found, imports


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _without_docstrings(tree: ast.stmt) -> ast.stmt:
    """The same statement without its docstrings: a child needs none."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree


def raised(replies: Iterable[Reply], names: Iterable[str]) -> tuple[Failure, ...]:
    """The exceptions that came from a stand-in, or from a call that does not fit the hand-out's signature."""
    failures = [reply.failure for reply in replies if reply.failure is not None]
    border = frozenset(names)
    return tuple(
        failure
        for failure in failures
        if (failure.frames and failure.frames[-1][0] == FILE)
        or Raised(failure.type, failure.message).refusing.partition(".")[0] in border
    )


def shown(text: str) -> str:
    """A stand-in's exception, cut for a note."""
    return textwrap.shorten(text, 300)
