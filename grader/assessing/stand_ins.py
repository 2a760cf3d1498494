"""Stand-ins: the paper's parts as source, bound in place of a student's part that does not work.

A block that calls such a part by its declared name is then judged apart from it, in a second form of the work. Only the
definitions that the part itself needs are sent, so that no block finds its own answer among them. What the part is
worth is never asked there.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from grader import components
from grader.model import Assignment, Interface
from grader.sandbox import parent
from grader.sandbox.parent import Chunk, Failure, Module, Reply, Source

FILE = "(a stand-in)"
"""The file name in tracebacks."""
CLASSES = frozenset({
    "multi_head_attention", "feed_forward", "layer_norm", "add_norm", "learned_positional_encoding", "token_embedding",
    "encoder_layer", "decoder_layer", "encoder", "decoder",
})  # fmt: skip
FUNCTIONS = frozenset({
    "softmax", "scaled_dot_product_attention", "causal_mask", "padding_mask", "positional_encoding", "token_embedding",
    "dropout",
})  # fmt: skip
_TORCH_TOO = {"scaled_dot_product_attention"}
_CALLING = frozenset({
    "form", "constructor", "config", "config_class", "sizes", "mask", "mask_type", "mask_hides", "mask_shapes",
    "mask_required", "batch", "causal", "backend", "float64", "gradient", "refuses_uneven_heads",
})  # fmt: skip
"""Conventions of how a part is called: a stand-in takes and gives what they say; in all else it is the paper's."""
_CAUSAL = {"multi_head_attention", "encoder_layer", "encoder"}
"""Parts whose stand-in takes a mask to which the triangle that a hand-out builds in is added."""
_WITH_TENSORS = frozenset({"softmax", "scaled_dot_product_attention", "dropout"})
_NUMPY, _TORCH, _PARTS = "stand_in_numpy", "stand_in_torch", "stand_in_parts"

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
_SOFTMAX = "lambda x, axis=-1: x.softmax(axis)"
_DROPOUT = "lambda x, p, training=True, rng=None: __import__('torch').nn.functional.dropout(x, p, training)"


def form_of(part: str, name: str) -> str:
    """Whether a part of that name is a class or a function; empty where there is no stand-in for it."""
    if name[:1].isupper():
        return "class" if part in CLASSES else ""
    return "function" if part in FUNCTIONS else "class" if part in CLASSES else ""


def fits(part: str, name: str, interface: Interface) -> bool:
    """Whether our own part, called as the hand-out calls it, is what the hand-out asks for.

    What it settles of the calls is taken over; in what is computed it has the paper's conventions.
    """
    form, said = form_of(part, name), interface.conventions
    if not form or interface.adapter or said.get("form", form) != form:
        return False
    if form == "function" and (interface.arguments or not {*interface.parameters} <= {*_parameters(part)}):
        return False
    at_home = _arrays(form, interface) == (form == "function")  # our functions are in numpy, our classes in torch
    if not at_home and part not in (_WITH_TENSORS if form == "function" else _NUMPY_CLASSES):
        return False
    defaults = {one.key: one.convention.default for one in components.get(part, form).conventions}
    usual = all(key in _CALLING or value in (defaults.get(key), "either") for key, value in said.items())
    return usual and (not said.get("causal") or part in _CAUSAL)


def _arrays(form: str, interface: Interface) -> bool:
    """Whether a part is given numpy arrays: a function where nothing is said, a class where that is said."""
    return str(interface.conventions.get("backend", "numpy" if form == "function" else "torch")) == "numpy"


def _parameters(part: str) -> tuple[str, ...]:
    """What our function takes, in order; what can replace a step of it is nobody's argument."""
    taken = inspect.signature(components.function(part).oracle()).parameters.values()
    return tuple(one.name for one in taken if one.kind is not inspect.Parameter.KEYWORD_ONLY)


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
    names = {name: name in known for name in parts.values()}
    bind = f"__import__({_PARTS!r}).bind(globals(), {names!r})"
    theirs = tuple(replace(module, chunks=(*module.chunks, Chunk(bind, FILE))) for module in source.modules)
    return replace(source, modules=(*theirs, *_modules(parts, assignment, pairs=pairs)))


def _modules(parts: Mapping[str, str], assignment: Assignment, *, pairs: bool) -> tuple[Module, ...]:
    """The modules that hold the stand-ins of those parts, and of no other."""
    forms = {part: form_of(part, name) for part, name in parts.items()}
    functions = {part for part, form in forms.items() if form == "function"}
    plain = {part for part, form in forms.items() if form == "class" and _arrays("class", assignment.interface(part))}
    classes = {components.block(part).target for part, form in forms.items() if form == "class" and part not in plain}
    lines = [_in_child(), f"PAIRS = {pairs}"]
    if functions or plain:
        lines.append(f"import {_NUMPY}")
    if classes:
        lines.append(f"import {_TORCH}")
    for part, name in sorted(parts.items()):
        interface = assignment.interface(part)
        if forms[part] == "class":
            home, told = _NUMPY if part in plain else _TORCH, _told_of_class(part, interface)
            value = f"lambda _: standing({home}.{components.block(part).target}, {name!r}, {told!r})"
        else:
            told = _told_of_function(part, interface)
            value = f"function({told['takes']!r}, read_as({_function(part)}, {told!r}))"
        lines.append(f"PARTS[{name!r}] = {value}")
    torch_too = functions & _TORCH_TOO
    found = [_module(_PARTS, "\n".join(lines))]
    if functions or plain:
        made = "".join(_NUMPY_CLASSES[part] for part in sorted(plain))
        found.append(
            _module(_NUMPY, gathered(_home(), frozenset(functions | plain)) + "\n\nimport numpy as np\n" + made)
        )
    if classes or torch_too:
        found.append(_module(_TORCH, gathered(_home() / "modules", frozenset(classes | torch_too))))
    return tuple(found)


@lru_cache(maxsize=1)
def _in_child() -> str:
    """The code beside the stand-ins, which makes them fit the hand-out."""
    return Path(parent.__file__).with_name("fitted.py").read_text(encoding="utf-8")


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
    }


def _told_of_function(part: str, interface: Interface) -> dict[str, object]:
    """What ``read_as`` has to know of what the hand-out's function takes and gives."""
    component, taken = components.function(part), _parameters(part)
    said = [name for name in interface.parameters if name in taken]
    return {
        "takes": (*said, *(name for name in taken if name not in said)),
        "mask": _meaning(interface),
        "hides": -1e9 if interface.conventions.get("mask_hides") != "infinite" else "-inf",
        "makes_mask": component.returns_mask,
        "gives": [component.returns.index(name) for name in interface.returns],
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
    border = tuple(f"{name}{end}" for name in names for end in ".(")
    return tuple(
        failure
        for failure in failures
        if (failure.frames and failure.frames[-1][0] == FILE)
        or (failure.type == "TypeError" and failure.message.startswith(border))
    )


def shown(text: str) -> str:
    """A stand-in's exception, cut for a note."""
    return textwrap.shorten(text, 300)
