"""What an expression stands for: the dotted names of modules, functions and classes it may be, read and never run."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from grader.source.folding import Constant, fold
from grader.source.libraries import canonical
from grader.source.project import Project
from grader.source.scopes import Binding, Scope, lookup, method_of, module_scope, only_value

_MOST = 16  # meanings of one expression
_DEEPEST = 40
_BUILTINS = frozenset(dir(builtins))
TABLE = "__dict__"
GIVEN = "()."  # between a function that was called and what it was given: operator.attrgetter().nn.functional
_SAME_TABLE = frozenset({"items", "copy", "values"})

_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
Names = frozenset[str]
NOTHING: Names = frozenset()


def resolve(project: Project, node: ast.AST, scope: Scope, depth: int = 0) -> Names:
    """Return every dotted name that ``node`` may stand for; empty where it is a value of another kind."""
    if not isinstance(node, ast.expr) or depth > _DEEPEST:
        return NOTHING
    return _remembered(project, node, _meanings(project, node, scope, depth + 1))


def resolve_name(project: Project, name: str, scope: Scope) -> Names:
    """Return every dotted name that ``name`` may stand for where ``scope`` looks for it."""
    return frozenset(found for found in _name(project, name, scope, 0) if not found.startswith("builtins."))


def _remembered(project: Project, key: object, meanings: Iterator[str]) -> Names:
    """Return the first meanings found for ``key``, which are looked for once.

    What refers to itself is meanwhile what an earlier pass found.
    """
    if key not in project.memo:
        project.memo[key] = project.known.get(key, NOTHING)
        project.memo[key] = frozenset(islice(meanings, _MOST))
    return project.memo[key]


def own_names(project: Project, node: ast.AST, scope: Scope) -> Iterator[tuple[str, str]]:
    """Yield (module, name) for what ``node`` refers to in the submission itself."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        _, home = lookup(node.id, scope)
        if home is not None and home.kind == "module":
            yield home.module, node.id
    for dotted in resolve(project, node, scope):
        module, rest = split_own(project, dotted)
        if rest:
            yield module, rest.partition(".")[0]


def split_own(project: Project, dotted: str) -> tuple[str, str]:
    """Return the module of the submission that ``dotted`` begins with, and the rest; two empty texts for others."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        if name in project.modules:
            return project.aliases.get(name, name), ".".join(parts[length:])
    return "", ""


def constant(project: Project, node: ast.expr, scope: Scope) -> Constant:
    """Return the constant text or number that ``node`` makes, or None."""
    return fold(node, scope, project.constants)


def constants(project: Project, name: str, scope: Scope) -> list[str]:
    """Return the identifiers that ``name`` is bound to, by a loop over texts say; all of them, up to a few."""
    bindings, _ = lookup(name, scope)
    values = [(one.value, one.scope) for one in bindings[:_MOST] if one.value is not None]
    words = [constant(project, value, there) for value, there in values if there is not None]
    return [word for word in words if isinstance(word, str) and word.isidentifier()]


def _meanings(project: Project, node: ast.expr, scope: Scope, depth: int) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield from _name(project, node.id, scope, depth)
    elif isinstance(node, ast.Attribute):
        yield from _attribute(project, node, scope, depth)
    elif isinstance(node, ast.Call):
        yield from _call(project, node, scope, depth)
    elif isinstance(node, ast.Subscript):
        yield from _item(project, node, scope, depth)
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                yield from tables(project, value, scope, depth)
    else:
        for option in _options(node):
            yield from resolve(project, option, scope, depth)
        if isinstance(node, _COMPREHENSIONS):
            yield from _picked(project, node, scope, depth)


def _options(node: ast.expr) -> Sequence[ast.expr]:
    """Return the expressions one of which ``node`` is."""
    if isinstance(node, ast.IfExp):
        return (node.body, node.orelse)
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.NamedExpr):
        return (node.value,)
    return (node.elt,) if isinstance(node, _COMPREHENSIONS) else ()


def _name(project: Project, name: str, scope: Scope, depth: int) -> Iterator[str]:
    bindings, home = lookup(name, scope)
    if home is not None:
        yield from _remembered(project, (home, name), _bound(project, bindings, name, home, depth))
    else:
        module = module_scope(scope)
        yield from _remembered(project, (module, name), _from_stars(project, module.stars, name, depth))
        if name == "__builtins__":
            yield "builtins"
        elif name in _BUILTINS:
            yield f"builtins.{name}"


def _from_stars(project: Project, stars: Iterable[str], name: str, depth: int) -> Iterator[str]:
    for star in stars:
        yield from expand(project, f"{star}.{name}", depth)


def _bound(project: Project, bindings: Iterable[Binding], name: str, home: Scope, depth: int) -> Iterator[str]:
    for binding in bindings:
        if binding.imported:
            yield from expand(project, binding.imported, depth)
        elif binding.definition is not None and home.kind == "module":
            yield f"{home.module}.{name}"
        elif binding.value is not None and binding.scope is not None:
            yield from resolve(project, binding.value, binding.scope, depth)


def expand(project: Project, dotted: str, depth: int) -> Iterator[str]:
    """Follow a name through the submission's own modules: what they import is what is meant."""
    module, rest = split_own(project, dotted)
    if not rest:
        yield module or canonical(dotted)
        return
    name, _, further = rest.partition(".")
    scope = project.modules.get(module)
    if scope is None or depth > _DEEPEST:
        return
    for found in _name(project, name, scope, depth + 1):
        if not found.startswith("builtins."):
            yield from member(project, found, further, depth) if further else (found,)


def member(project: Project, base: str, attribute: str, depth: int) -> Iterator[str]:
    """Return what ``base.attribute`` is; a class of the submission is asked for its own attributes."""
    module, rest = split_own(project, base)
    if not module:
        yield canonical(f"{base}.{attribute}")
        return
    if not rest:
        yield from expand(project, f"{module}.{attribute}", depth)
        return
    for part in project.units.get((module, rest), []):
        scope = project.scopes.get(part.node)
        if scope is not None and scope.kind == "class":
            bindings = scope.bindings.get(attribute, [])
            yield from _remembered(project, (scope, attribute), _bound(project, bindings, attribute, scope, depth))
    yield f"{base}.{attribute}"


def _attribute(project: Project, node: ast.Attribute, scope: Scope, depth: int) -> Iterator[str]:
    for base in resolve(project, node.value, scope, depth):
        if node.attr == TABLE:
            yield f"{base}.{TABLE}"
        else:
            yield from member(project, base, node.attr, depth)
    method = method_of(scope)
    if method is not None and isinstance(node.value, ast.Name) and node.value.id == method.myself:
        owner = method.parent
        if owner is not None:
            known = chain(owner.attributes.get(node.attr, []), owner.bindings.get(node.attr, []))
            key = (owner, "self", node.attr)
            yield from _remembered(project, key, _bound(project, known, node.attr, owner, depth))


def _item(project: Project, node: ast.Subscript, scope: Scope, depth: int) -> Iterator[str]:
    yield from entry(project, node.value, node.slice, scope, depth)
    container = node.value
    if isinstance(container, ast.Name):
        container = only_value(container, scope)[0] or container
    if isinstance(container, ast.ListComp):
        yield from resolve(project, container, scope, depth)
    elements = [*container.values] if isinstance(container, ast.Dict) else getattr(container, "elts", [])
    for element in elements:
        yield from resolve(project, element, scope, depth)


def entry(project: Project, table: ast.expr, key: ast.expr, scope: Scope, depth: int) -> Iterator[str]:
    """Return what ``module.__dict__[key]`` or ``sys.modules[key]`` is."""
    bases = resolve(project, table, scope, depth)
    word = constant(project, key, scope) if bases else None
    if not isinstance(word, str):
        return
    for base in bases:
        if base == "sys.modules":
            yield from expand(project, word, depth)
        elif base == "builtins":  # __builtins__ is a table or a module
            yield from member(project, base, word, depth)
        elif base.endswith("." + TABLE):
            yield from member(project, base.removesuffix("." + TABLE), word, depth)


def tables(project: Project, node: ast.expr, scope: Scope, depth: int) -> Iterator[str]:
    """Yield the tables of names among what ``node`` may stand for: ``torch.__dict__``."""
    yield from (base for base in resolve(project, node, scope, depth) if base.endswith("." + TABLE))


def _picked(project: Project, node: _Comprehension, scope: Scope, depth: int) -> Iterator[str]:
    """Return what ``f for name, f in vars(torch).items() if name == "softmax"`` picks."""
    for loop in node.generators:
        found = [*tables(project, loop.iter, scope, depth)] if loop.ifs else []
        sides = [side for test in loop.ifs for inner in ast.walk(test) for side in _sides(inner)] if found else []
        for word in (constant(project, side, scope) for side in sides):
            if isinstance(word, str) and word.isidentifier():
                for base in found:
                    yield from member(project, base.removesuffix("." + TABLE), word, depth)


def _sides(node: ast.AST) -> list[ast.expr]:
    return [node.left, *node.comparators] if isinstance(node, ast.Compare) else []


def _call(project: Project, node: ast.Call, scope: Scope, depth: int) -> Iterator[str]:
    first = node.args[0] if node.args else None
    words = [constant(project, argument, scope) for argument in node.args[:2]]
    if isinstance(node.func, ast.Attribute) and first is None and node.func.attr in _SAME_TABLE:
        yield from tables(project, node.func.value, scope, depth)
    if isinstance(node.func, ast.Attribute) and first is not None:
        if node.func.attr in {"get", "pop", "__getitem__", "setdefault"}:
            yield from entry(project, node.func.value, first, scope, depth)
        if node.func.attr in {"__getattribute__", "__getattr__"} and isinstance(words[-1], str):
            owner = first if len(node.args) > 1 else node.func.value
            for base in resolve(project, owner, scope, depth):
                yield from member(project, base, words[-1], depth)
    for function in resolve(project, node.func, scope, depth):
        yield from _called(project, function, node, scope, depth)


def _called(project: Project, function: str, node: ast.Call, scope: Scope, depth: int) -> Iterator[str]:
    begun, opened, rest = function.partition(GIVEN)
    known = project.calls.get(begun)
    if function == "builtins.globals":
        yield f"{scope.module}.{TABLE}"
    elif known is not None and (node.args or node.keywords):
        yield from known(project, node, scope, depth, rest if opened else None)
    else:
        yield from _returned(project, function, depth)


def _returned(project: Project, function: str, depth: int) -> Iterator[str]:
    """Return what a function of the submission gives back."""
    key = split_own(project, function)
    yield from _remembered(project, ("returned", key), _returns(project, key, depth))


def _returns(project: Project, key: tuple[str, str], depth: int) -> Iterator[str]:
    for part in project.units.get(key, []):
        if isinstance(part.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for inner in ast.walk(part.node):
                if isinstance(inner, ast.Return) and inner.value is not None:
                    yield from resolve(project, inner.value, project.scopes[part.node], depth)
