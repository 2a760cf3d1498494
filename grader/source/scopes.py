"""Which name stands for what: the scopes of a submission, read from its syntax trees.

The reading does not follow the order of statements: a name may stand for everything that is ever bound to it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from grader.intake.syntax import outside_functions
from grader.model import CodeChunk

_LONGEST_PATH = 200
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """What a name is bound to: a dotted import, a definition, or a value; none of them where it cannot be said."""

    imported: str = ""
    definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | None = None
    value: ast.expr | None = None
    scope: Scope | None = None  # where the value is to be read


@dataclass(slots=True, eq=False)
class Scope:
    """A module, class or function: its names, filled while the tree is read and left alone afterwards."""

    kind: str
    module: str
    package: str
    parent: Scope | None = None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    attributes: dict[str, list[Binding]] = field(default_factory=dict)  # of self, in a class
    stars: list[str] = field(default_factory=list)
    outer: frozenset[str] = frozenset()  # declared global
    myself: str = ""  # the first parameter of a method


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A piece of tree that runs in a scope, and the chunk that it was read from."""

    node: ast.AST
    scope: Scope
    chunk: CodeChunk
    line: int | None = None  # of the whole part, where it was read from a string


class Scopes(dict[ast.AST, Scope]):
    """The scopes by the nodes that open them; equal to itself alone, so that what follows from it can be kept."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__  # type: ignore[assignment]


@lru_cache(maxsize=64)  # every question about the source walks through the same parts
def walk(part: Part, scopes: Scopes) -> tuple[tuple[ast.AST, Scope], ...]:
    """Return every node of a part with its scope; annotations are left out, since nothing is called in them."""
    found: list[tuple[ast.AST, Scope]] = []
    waiting = [(part.node, part.scope)]
    while waiting:
        node, scope = waiting.pop()
        found.append((node, scope))
        waiting.extend(reversed(list(_children(node, scope, scopes))))
    return tuple(found)


def _children(node: ast.AST, scope: Scope, scopes: Scopes) -> Iterator[tuple[ast.AST, Scope]]:
    if isinstance(node, _FUNCTIONS):
        inner = scopes.get(node) or scopes.setdefault(node, _function_scope(node, scope))
        outside = [] if isinstance(node, ast.Lambda) else node.decorator_list
        defaults = [*node.args.defaults, *(default for default in node.args.kw_defaults if default is not None)]
        yield from ((child, scope) for child in (*outside, *defaults))
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        yield from ((child, inner) for child in body)
    elif isinstance(node, ast.ClassDef):
        inner = scopes.get(node) or scopes.setdefault(node, Scope("class", scope.module, scope.package, scope))
        yield from ((child, scope) for child in (*node.decorator_list, *node.bases, *node.keywords))
        yield from ((child, inner) for child in node.body)
    elif isinstance(node, ast.AnnAssign):
        yield node.target, scope
        if node.value is not None:
            yield node.value, scope
    else:
        yield from ((child, scope) for child in ast.iter_child_nodes(node))


def _function_scope(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, parent: Scope) -> Scope:
    scope = Scope("function", parent.module, parent.package, parent)
    arguments = node.args
    listed = [*arguments.posonlyargs, *arguments.args]
    for argument in (*listed, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if argument is not None:
            scope.bindings[argument.arg] = [Binding()]
    with_default = listed[len(listed) - len(arguments.defaults) :]
    for argument, default in (
        *zip(with_default, arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ):
        if default is not None:
            scope.bindings[argument.arg].append(Binding(value=default, scope=parent))
    if parent.kind == "class" and listed:
        scope.myself = listed[0].arg
    if not isinstance(node, ast.Lambda):
        inside = (found for statement in node.body for found in outside_functions(statement))
        scope.outer = frozenset(name for found in inside if isinstance(found, ast.Global) for name in found.names)
    return scope


def bind(part: Part, scopes: Scopes) -> list[tuple[ast.expr, Scope]]:
    """Fill the scopes of a part; return the values that names are bound to, in their order."""
    values: list[tuple[ast.expr, Scope]] = []
    for node, scope in walk(part, scopes):
        for name, binding in _bindings(node, scope):
            _home(scope, name).bindings.setdefault(name, []).append(binding)
            if binding.value is not None:
                values.append((binding.value, scope))
        for name, value in _self_attributes(node, scope):
            owner = _class_of(scope)
            if owner is not None:
                owner.attributes.setdefault(name, []).append(Binding(value=value, scope=scope))
    return values


def _home(scope: Scope, name: str) -> Scope:
    return module_scope(scope) if name in scope.outer else scope


def module_scope(scope: Scope) -> Scope:
    """Return the scope of the module that ``scope`` lies in."""
    while scope.parent is not None:
        scope = scope.parent
    return scope


def _bindings(node: ast.AST, scope: Scope) -> Iterator[tuple[str, Binding]]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from _imported(node, scope)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name, Binding(definition=node, scope=scope)
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name, Binding()
    else:
        for target, value in _pairs(node):
            yield from _assigned(target, value, scope)


def _imported(node: ast.Import | ast.ImportFrom, scope: Scope) -> Iterator[tuple[str, Binding]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            top = alias.name.partition(".")[0]
            yield alias.asname or top, Binding(imported=alias.name if alias.asname else top)
        return
    origin = absolute(node.module or "", node.level, scope.package)
    for alias in node.names:
        if alias.name == "*":
            scope.stars.append(origin)
        else:
            yield alias.asname or alias.name, Binding(imported=f"{origin}.{alias.name}".lstrip("."))


def _pairs(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """Yield the targets that a node binds, each with its value where that can be said."""
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        elements = node.iter.elts if isinstance(node.iter, (ast.Tuple, ast.List, ast.Set)) else _pieces(node.iter)
        yield from ((node.target, option) for option in elements)
        if not elements:
            yield node.target, None
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, None


def _pieces(node: ast.expr) -> list[ast.expr]:
    """Return the words of ``"nn.functional".split(".")`` as constants."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split"):
        return []
    parts = [part.value if isinstance(part, ast.Constant) else None for part in (node.func.value, *node.args)]
    if not all(isinstance(part, str) and 0 < len(part) <= _LONGEST_PATH for part in parts) or len(parts) > 2:  # noqa: PLR2004
        return []
    text, *mark = map(str, parts)
    return [ast.copy_location(ast.Constant(word), node) for word in text.split(mark[0] if mark else None)]


def absolute(module: str, level: int, package: str) -> str:
    """Return the absolute name of ``from ..module import`` in ``package``."""
    if not level:
        return module
    above = package.split(".") if package else []
    return ".".join(filter(None, [*above[: len(above) - level + 1], module]))


def _assigned(target: ast.expr, value: ast.expr | None, scope: Scope) -> Iterator[tuple[str, Binding]]:
    pairs = [(target, value)]
    while pairs:
        one, given = pairs.pop()
        if isinstance(one, ast.Name):
            yield one.id, Binding(value=given, scope=scope)
        elif isinstance(one, ast.Starred):
            pairs.append((one.value, None))
        elif isinstance(one, (ast.Tuple, ast.List)):
            parts: list[ast.expr] | list[None] = [None] * len(one.elts)
            if isinstance(given, (ast.Tuple, ast.List)) and len(given.elts) == len(one.elts):
                parts = given.elts
            pairs.extend(zip(one.elts, parts, strict=True))


def _self_attributes(node: ast.AST, scope: Scope) -> Iterator[tuple[str, ast.expr]]:
    """Yield the attributes that a method gives to self, with their values."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    value = getattr(node, "value", None)
    for target in targets:
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and value is not None:
            method = method_of(scope)
            if method is not None and target.value.id == method.myself:
                yield target.attr, value


def method_of(scope: Scope) -> Scope | None:
    """Return the method that ``scope`` lies in; None outside of methods."""
    found: Scope | None = scope
    while found is not None and not found.myself:
        found = found.parent
    return found


def _class_of(scope: Scope) -> Scope | None:
    method = method_of(scope)
    return method.parent if method is not None else None


def lookup(name: str, scope: Scope) -> tuple[list[Binding], Scope | None]:
    """Return what ``name`` is bound to where ``scope`` looks for it, and the scope that it was found in."""
    if name in scope.outer:
        scope = module_scope(scope)
    start, here = scope, scope
    while True:
        if name in here.bindings and (here.kind != "class" or here is start):
            return here.bindings[name], here
        if here.parent is None:
            return [], None
        here = here.parent


def only_value(name: ast.Name, scope: Scope) -> tuple[ast.expr | None, Scope | None]:
    """Return the value of a name that is bound once, and the scope where that value is to be read."""
    bindings, _ = lookup(name.id, scope)
    return (bindings[0].value, bindings[0].scope) if len(bindings) == 1 else (None, None)
