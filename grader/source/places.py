"""Where a class computes, and where it makes an attribute: lines of the source, told only where there is one."""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from grader.intake.syntax import chunk_trees
from grader.model.outcome import Location
from grader.model.submission import CodeChunk, CodeModule

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_INDEX = re.compile(r"\[[^\]]*\]")
_DEEPEST = 8
_ENTERED = frozenset({"__init__", "forward", "__call__"})
"""The methods of a class that run whoever makes and calls it."""


def method_of_class(modules: Sequence[CodeModule], name: str, methods: Sequence[str]) -> tuple[str, Location] | None:
    """Return the first of ``methods`` that the class ``name`` has, or a class that it is made from, with its line.

    None where the class is not to be seen, or is defined twice, or has none of them.
    """
    for _ in range(_DEEPEST):
        found = list(_classes(modules, name))
        if len(found) != 1:
            return None
        node, chunk = found[0]
        own = {one.name: one for one in node.body if isinstance(one, _Function)}
        for method in methods:
            if method in own:
                return method, _at(chunk, own[method])
        bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
        if len(bases) != 1:
            return None
        name = bases[0]
    return None


def unwritten(modules: Sequence[CodeModule], name: str) -> Location | None:
    """Return the line at which the one definition of ``name`` says that it is to be written; None where none does.

    A class says so where making or calling it raises NotImplementedError whatever it is given.
    """
    found = [
        (node, chunk)
        for module in modules
        for chunk, tree in chunk_trees(module)
        for node in tree.body
        if isinstance(node, _Function | ast.ClassDef) and node.name == name
    ]
    if len(found) != 1:
        return None
    node, chunk = found[0]
    bodies = [node] if isinstance(node, _Function) else [one for one in node.body if isinstance(one, _Function)]
    entered = [one for one in bodies if one is node or one.name in _ENTERED]
    raised = (line for one in entered for line in one.body if isinstance(line, ast.Raise))
    return next((_at(chunk, line) for line in raised if "NotImplementedError" in ast.unparse(line)), None)


def attribute_of_class(modules: Sequence[CodeModule], name: str, path: str) -> Location | None:
    """Return the line that gives ``self`` the attribute that a path such as ``layers[0].w_q.weight`` leads to.

    The innermost attribute of the path that the submission makes counts: the class's own where the path is one name,
    else the only one of that name. None where there are several lines, or none.
    """
    steps = [step for step in _INDEX.sub("", path).split(".") if step]
    for step in reversed(steps):
        places = [place for _, _, place in _given(modules, step)]
        own = [place for owner, _, place in _given(modules, step) if owner == name]
        if len(steps) == 1 and own:
            return own[0] if len(own) == 1 else None
        if places:
            return places[0] if len(places) == 1 else None
    return None


def _classes(modules: Sequence[CodeModule], name: str) -> Iterator[tuple[ast.ClassDef, CodeChunk]]:
    return ((node, chunk) for node, chunk in _all_classes(modules) if node.name == name)


def _all_classes(modules: Sequence[CodeModule]) -> Iterator[tuple[ast.ClassDef, CodeChunk]]:
    for module in modules:
        yield from _classes_in(module)


@lru_cache(maxsize=16)
def _classes_in(module: CodeModule) -> tuple[tuple[ast.ClassDef, CodeChunk], ...]:
    """The classes of a module with their chunks; asked for at every example that is shown."""
    trees = chunk_trees(module)
    return tuple((node, chunk) for chunk, tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _given(modules: Sequence[CodeModule], attribute: str) -> Iterator[tuple[str, str, Location]]:
    """Yield the class, the method and the line of each assignment to ``self.attribute``, ``register_buffer`` too."""
    for node, chunk in _all_classes(modules):
        for method in (one for one in node.body if isinstance(one, _Function)):
            listed = [*method.args.posonlyargs, *method.args.args]
            myself = listed[0].arg if listed else ""
            for one in ast.walk(method):
                if _makes(one, myself, attribute):
                    yield node.name, method.name, _at(chunk, one)


def _makes(node: ast.AST, myself: str, attribute: str) -> bool:
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        flat = [
            one for target in targets for one in ([target] if isinstance(target, ast.Attribute) else _parts(target))
        ]
        return any(
            isinstance(one, ast.Attribute)
            and one.attr == attribute
            and isinstance(one.value, ast.Name)
            and one.value.id == myself
            for one in flat
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "register_buffer":
        first = node.args[0] if node.args else None
        return isinstance(first, ast.Constant) and first.value == attribute
    return False


def _parts(target: ast.expr) -> list[ast.expr]:
    return target.elts if isinstance(target, ast.Tuple | ast.List) else []


def _at(chunk: CodeChunk, node: ast.stmt | ast.AST) -> Location:
    return Location(chunk.file, getattr(node, "lineno", 1), chunk.cell)


def takes_apart(line: str, name: str, count: int) -> bool:
    """Whether a line takes what a call of ``name`` gives apart into ``count`` values: ``p, cache = softmax(x)``."""
    try:
        (statement,) = ast.parse(line).body
    except (SyntaxError, ValueError):
        return False
    match statement:
        case ast.Assign(
            targets=[ast.Tuple(elts=parts) | ast.List(elts=parts)],
            value=ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)),
        ):
            return called == name and len(parts) == count and not any(isinstance(one, ast.Starred) for one in parts)
    return False
