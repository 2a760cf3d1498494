"""Look-ups by a name that cannot be read here, beside a text that is the name of something forbidden.

``getattr(lib, name)`` may be anything, and nothing is guessed from it alone; where the code that is judged also writes
``"softmax"`` as a text, a person has to see what it is for.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from grader.source.project import Project, Use, use_at
from grader.source.resolve import TABLE, constant, constants, resolve
from grader.source.scopes import Part, Scope, lookup, method_of, walk

_GETTERS = frozenset({"builtins.getattr", "inspect.getattr_static"})
_WAITING = frozenset({"operator.attrgetter", "operator.itemgetter", "operator.methodcaller"})
_OPEN = frozenset({"__subclasses__", "__globals__"})
_GETTER_METHODS = frozenset({"__getattribute__", "__getattr__"})
_MADE = (ast.Call, ast.BinOp, ast.JoinedStr, ast.Subscript)
_LOADERS = frozenset(
    {"pickle.loads", "pickle.load", "pickle.Unpickler", "marshal.loads", "marshal.load", "torch.load", "ctypes.CDLL"}
)


def guesses(project: Project, parts: Sequence[Part], forbidden: Iterable[str]) -> tuple[Use, ...]:
    """Return the look-ups in ``parts`` that may be of a ``forbidden`` name, under the first whose text stands there."""
    words = {word for part in parts for word in _texts(part, project)}
    named = [name for name in forbidden if any(fnmatchcase(word, name.rpartition(".")[2]) for word in words)]
    found: dict[Use, None] = {}
    for part in parts if named else ():
        for node, bases in _lookups(project, part):
            below = (name for name in named if not bases or any(name.startswith(f"{base}.") for base in bases))
            if (name := next(below, None)) is not None:
                found[use_at(name, part, node)] = None
    return tuple(found)


def loaders(project: Project, parts: Iterable[Part]) -> Iterator[Use]:
    """Yield where code that nobody can read comes in: a pickle, a library's name that is put together, a module."""
    for part in project.parts:
        for node, scope in walk(part, project.scopes):
            if _is_module_put(project, node, scope):
                yield use_at("sys.modules", part, node)
    for part in parts:
        for node, scope in walk(part, project.scopes):
            names = resolve(project, node.func, scope) if isinstance(node, ast.Call) else frozenset[str]()
            made = isinstance(node, ast.Call) and names & _GETTERS and _is_made(project, node, scope)
            if made or names & _LOADERS:
                yield use_at(min(names).removeprefix("builtins."), part, node)


def _is_module_put(project: Project, node: ast.AST, scope: Scope) -> bool:
    """Whether something is put under the name of a module: ``sys.modules["other"] = …``."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return "sys.modules" in resolve(project, node.value, scope)
    called = node.func if isinstance(node, ast.Call) else None
    put = isinstance(called, ast.Attribute) and called.attr in {"__setitem__", "setdefault", "update"}
    return put and "sys.modules" in resolve(project, called.value, scope)  # type: ignore[union-attr]


@lru_cache(maxsize=256)  # asked about once for every list of forbidden names
def _texts(part: Part, project: Project) -> frozenset[str]:
    """The last words of the dotted texts in a part, and the words of pickles; of docstrings where they are read."""
    walked = walk(part, project.scopes)
    told = {node.value for node, _ in walked if isinstance(node, ast.Expr) and "__doc__" not in part.chunk.code}
    nodes = (node.value for node, _ in walked if isinstance(node, ast.Constant) and node not in told)
    texts = [text.decode("latin-1").split() if isinstance(text, bytes) else [text] for text in nodes]
    words = (one.rpartition(".")[2].rpartition(":")[2] for text in texts for one in text if isinstance(one, str))
    return frozenset(word for word in words if word.isidentifier())


def _lookups(project: Project, part: Part) -> Iterator[tuple[ast.AST, Collection[str]]]:
    """Yield the look-ups by unread names, each with the libraries that it looks into; none where that is unread too."""
    called = set[ast.AST]()
    for node, scope in walk(part, project.scopes):
        if isinstance(node, ast.Call):
            names = resolve(project, node.func, scope)
            called.add(node.func)
            if "functools.reduce" in names and resolve(project, node, scope):
                called.update(node.args[:1])
            if _asks_openly(project, node, names, scope):
                looked = node.args[0] if node.args and not _GETTERS.isdisjoint(names) else None
                yield node, resolve(project, looked, scope) if looked is not None else ()
        elif isinstance(node, ast.Subscript):
            tables = [name for name in resolve(project, node.value, scope) if _is_table(name, scope)]
            if tables and not _is_text(project, node.slice, scope):
                known = [name.removesuffix(f".{TABLE}") for name in tables]
                yield node, () if "sys.modules" in known else known
        elif (isinstance(node, ast.Attribute) and node.attr in _OPEN) or (
            isinstance(node, ast.Name) and node not in called and "builtins.getattr" in resolve(project, node, scope)
        ):
            yield node, ()


def _asks_openly(project: Project, node: ast.Call, names: Collection[str], scope: Scope) -> bool:
    """Whether a call looks something up by a name that cannot be read."""
    if not _LOADERS.isdisjoint(names):
        return True
    if not _GETTERS.isdisjoint(names):
        return _is_unread(project, node, scope)
    if isinstance(node.func, ast.Attribute) and node.func.attr in _GETTER_METHODS:
        return not all(_is_text(project, one, scope) for one in node.args[-1:])
    return not _WAITING.isdisjoint(names) and not all(_is_text(project, one, scope) for one in node.args[:1])


def _is_table(name: str, scope: Scope) -> bool:
    """Whether it is the table of a library's names, or of all modules."""
    return name == "sys.modules" or (name.endswith("." + TABLE) and name != f"{scope.module}.{TABLE}")


def _is_text(project: Project, node: ast.expr, scope: Scope) -> bool:
    """Whether all is known that the name of a look-up may be; a parameter may be more than its default."""
    if isinstance(node, ast.Name):
        bindings, _ = lookup(node.id, scope)
        if any(one.value is None for one in bindings):
            return False
        return bool(constants(project, node.id, scope))
    return constant(project, node, scope) is not None


def _is_unread(project: Project, node: ast.Call, scope: Scope) -> bool:
    """Whether ``getattr`` is given a name that cannot be read, of something that is not self."""
    if len(node.args) < 2 or any(isinstance(one, ast.Starred) for one in node.args):  # noqa: PLR2004
        return True
    method = method_of(scope)
    own = method is not None and isinstance(node.args[0], ast.Name) and node.args[0].id == method.myself
    return not own and not _is_text(project, node.args[1], scope)


def _is_made(project: Project, node: ast.Call, scope: Scope) -> bool:
    """Whether a library is asked for a name that is put together in a way that cannot be read."""
    if len(node.args) < 2 or not resolve(project, node.args[0], scope):  # noqa: PLR2004
        return False
    name = node.args[1]
    bindings = lookup(name.id, scope)[0] if isinstance(name, ast.Name) else []
    made = any(isinstance(one, _MADE) for one in (name, *(binding.value for binding in bindings)))
    return made and not _is_text(project, name, scope)
