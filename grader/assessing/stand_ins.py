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
from grader.model import Interface
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
_USUAL = {"mask": "attend", "batch": "first", "norm": "post", "layout": "interleaved", "form": "class"}
_NUMPY, _TORCH, _PARTS = "stand_in_numpy", "stand_in_torch", "stand_in_parts"

_FITTED = '''
import types


def fitted(names, args, kwargs, loose):
    """Arguments by the hand-out's names; of a constructor, a dropout or bias that it does not have is let go."""
    given, rest = dict(zip(names, args)), list(args[len(names):])
    unknown = {}
    for name, value in kwargs.items():
        (given if name in names and name not in given else unknown)[name] = value
    if loose:
        rest = [value for value in rest if not (value is None or isinstance(value, (bool, float)))]
        unknown = {name: value for name, value in unknown.items() if "drop" not in name and "bias" not in name}
    free = [name for name in names if name not in given]
    for (name, value), place in zip(list(unknown.items()), free):
        given[place] = unknown.pop(name)
    return rest, {**given, **unknown}


def standing(kind, name, made, called):
    def __init__(self, *args, **kwargs):
        rest, given = fitted(made, args, kwargs, True)
        kind.__init__(self, *rest, **given)

    def forward(self, *args, **kwargs):
        rest, given = fitted(called, args, kwargs, False)
        out = kind.forward(self, *rest, **given)
        return (out, None) if PAIRS else out

    return type(name, (kind,), {"__init__": __init__, "forward": forward, "__module__": kind.__module__})


def function(names, ours):
    """A maker of functions that are called as the student's own, whose names for the arguments may be others."""

    def called_as(own):
        told = own.__code__.co_varnames[: own.__code__.co_argcount] if hasattr(own, "__code__") else names
        place = {**dict(zip(told, names)), **{name: name for name in names}}
        more = ["drop" in name for name in told[len(names):]]

        def call(*args, **kwargs):
            args = args[: len(names)] if all(more[: max(len(args) - len(names), 0)]) else args
            return ours(*args, **{place.get(name, name): value for name, value in kwargs.items() if "drop" not in name})

        return call

    return called_as


def own(thing):
    """What is called in the end: a method of a class is its function."""
    return thing.__func__ if isinstance(thing, (staticmethod, classmethod, types.MethodType)) else thing


def bind(space, defined):
    """Put each part in its place, under its name and wherever else the student's own is bound, in a class too."""
    for name, made in PARTS.items():
        if name not in space and defined[name]:
            continue
        theirs = own(space.get(name))
        space[name] = ours = made(space.get(name))
        if theirs is None:
            continue
        for other, value in list(space.items()):
            if own(value) is theirs:
                space[other] = ours
            elif isinstance(value, type) and value.__module__ == space["__name__"]:
                for held in [key for key, one in vars(value).items() if own(one) is theirs]:
                    setattr(value, held, staticmethod(ours))


def either(numpy_one, torch_one):
    def call(*args, **kwargs):
        first = args[0] if args else next(iter(kwargs.values()))
        return (torch_one if type(first).__module__.startswith("torch") else numpy_one)(*args, **kwargs)

    return call
'''
_SOFTMAX = "lambda x, axis=-1: x.softmax(axis)"
_DROPOUT = "lambda x, p, training=True, rng=None: __import__('torch').nn.functional.dropout(x, p, training)"


def form_of(part: str, name: str) -> str:
    """Whether a part of that name is a class or a function; empty where there is no stand-in for it."""
    if name[:1].isupper() and part in CLASSES:
        return "class"
    return "function" if part in FUNCTIONS else "class" if part in CLASSES else ""


def fits(part: str, name: str, interface: Interface) -> bool:
    """Whether the hand-out asks for the part as our own is: its arguments in that order, its conventions the usual."""
    form = form_of(part, name)
    wanted = () if not form else _parameters(part) if form == "function" else components.block(part).parameters
    constructor = interface.conventions.get("constructor", ())
    if interface.arguments or interface.adapter or not isinstance(constructor, list | tuple):
        return False
    constructor = tuple(constructor)
    if not form or (constructor and form == "class" and constructor != components.block(part).constructor):
        return False
    told = interface.parameters
    if told and tuple(told) != wanted[: len(told)] and form_of(part, interface.callable) == form:
        return False
    usual = (str(setting) in {_USUAL.get(key), "either"} for key, setting in interface.conventions.items())
    return all(same or key not in _USUAL for same, key in zip(usual, interface.conventions, strict=True))


def _parameters(part: str) -> tuple[str, ...]:
    """What our function takes, in order; what can replace a step of it is nobody's argument."""
    taken = inspect.signature(components.function(part).oracle()).parameters.values()
    return tuple(one.name for one in taken if one.kind is not inspect.Parameter.KEYWORD_ONLY)


def in_place(
    source: Source, parts: Mapping[str, str], defined: Iterable[tuple[str, str]], *, pairs: bool = False
) -> Source:
    """Return the source with ``parts`` (component: declared name) bound to stand-ins after each module has run.

    ``defined`` are (module, name) of the student's own: a name that none of them defines is bound in all modules.
    With ``pairs`` a module returns (output, None), for blocks that take weights out of attention as well.
    """
    known = {name for _, name in defined}
    names = {name: name in known for name in parts.values()}
    bind = f"__import__({_PARTS!r}).bind(globals(), {names!r})"
    theirs = tuple(replace(module, chunks=(*module.chunks, Chunk(bind, FILE))) for module in source.modules)
    return replace(source, modules=(*theirs, *_modules(tuple(sorted(parts.items())), pairs=pairs)))


@lru_cache(maxsize=64)
def _modules(parts: tuple[tuple[str, str], ...], *, pairs: bool = False) -> tuple[Module, ...]:
    """The modules that hold the stand-ins of those parts, and of no other."""
    forms = {part: form_of(part, name) for part, name in parts}
    classes = {components.block(part).target for part, form in forms.items() if form == "class"}
    functions = {part for part, form in forms.items() if form == "function"}
    lines = [_FITTED, f"PAIRS = {pairs}", "PARTS = {}"]
    if functions:
        lines.append(f"import {_NUMPY}")
    if classes:
        lines.append(f"import {_TORCH}")
    for part, name in parts:
        if forms[part] == "class":
            ours = components.block(part)
            made, called = ours.constructor, ours.parameters
            value = f"lambda _: standing({_TORCH}.{ours.target}, {name!r}, {made!r}, {called!r})"
        else:
            value = f"function({_parameters(part)!r}, {_function(part)})"
        lines.append(f"PARTS[{name!r}] = {value}")
    torch_too = functions & _TORCH_TOO
    found = [_module(_PARTS, "\n".join(lines))]
    if functions:
        found.append(_module(_NUMPY, gathered(_home(), frozenset(functions))))
    if classes or torch_too:
        found.append(_module(_TORCH, gathered(_home() / "modules", frozenset(classes | torch_too))))
    return tuple(found)


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
        lines.append(ast.unparse(definitions[name]))

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
                found[statement.name] = _without_docstrings(statement)
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
