"""What an expression stands for: the dotted names of modules, functions and classes it may be, read and never run."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from grader.intake.syntax import parse
from grader.source.folding import Constant, fold
from grader.source.libraries import canonical
from grader.source.project import Project
from grader.source.scopes import Binding, Scope, absolute, lookup, method_of, module_scope, only_value

_MOST = 16  # meanings of one expression
_DEEPEST = 40
_BUILTINS = frozenset(dir(builtins))
_DICT = "__dict__"

Names = frozenset[str]
NOTHING: Names = frozenset()


def resolve(project: Project, node: ast.AST, scope: Scope, depth: int = 0) -> Names:
    """Return every dotted name that ``node`` may stand for; empty where it is a value of another kind."""
    if not isinstance(node, ast.expr) or depth > _DEEPEST:
        return NOTHING
    return _remembered(project, node, _meanings(project, node, scope, depth + 1))


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


def _meanings(project: Project, node: ast.expr, scope: Scope, depth: int) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield from _name(project, node.id, scope, depth)
    elif isinstance(node, ast.Attribute):
        yield from _attribute(project, node, scope, depth)
    elif isinstance(node, ast.Call):
        yield from _call(project, node, scope, depth)
    elif isinstance(node, ast.Subscript):
        yield from _item(project, node, scope, depth)
    else:
        options: Iterable[ast.expr] = ()
        if isinstance(node, ast.IfExp):
            options = (node.body, node.orelse)
        elif isinstance(node, ast.BoolOp):
            options = node.values
        elif isinstance(node, ast.NamedExpr):
            options = (node.value,)
        for option in options:
            yield from resolve(project, option, scope, depth)


def _name(project: Project, name: str, scope: Scope, depth: int) -> Iterator[str]:
    bindings, home = lookup(name, scope)
    if home is not None:
        yield from _remembered(project, (home, name), _bound(project, bindings, name, home, depth))
    else:
        module = module_scope(scope)
        yield from _remembered(project, (module, name), _from_stars(project, module.stars, name, depth))
        if name in _BUILTINS:
            yield f"builtins.{name}"


def _from_stars(project: Project, stars: Iterable[str], name: str, depth: int) -> Iterator[str]:
    for star in stars:
        yield from _expand(project, f"{star}.{name}", depth)


def _bound(project: Project, bindings: Iterable[Binding], name: str, home: Scope, depth: int) -> Iterator[str]:
    for binding in bindings:
        if binding.imported:
            yield from _expand(project, binding.imported, depth)
        elif binding.definition is not None and home.kind == "module":
            yield f"{home.module}.{name}"
        elif binding.value is not None and binding.scope is not None:
            yield from resolve(project, binding.value, binding.scope, depth)


def _expand(project: Project, dotted: str, depth: int) -> Iterator[str]:
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
            yield from _member(project, found, further, depth) if further else (found,)


def _member(project: Project, base: str, attribute: str, depth: int) -> Iterator[str]:
    """Return what ``base.attribute`` is; a class of the submission is asked for its own attributes."""
    module, rest = split_own(project, base)
    if not module:
        yield canonical(f"{base}.{attribute}")
        return
    if not rest:
        yield from _expand(project, f"{module}.{attribute}", depth)
        return
    for part in project.units.get((module, rest), []):
        scope = project.scopes.get(part.node)
        if scope is not None and scope.kind == "class":
            bindings = scope.bindings.get(attribute, [])
            yield from _remembered(project, (scope, attribute), _bound(project, bindings, attribute, scope, depth))
    yield f"{base}.{attribute}"


def _attribute(project: Project, node: ast.Attribute, scope: Scope, depth: int) -> Iterator[str]:
    for base in resolve(project, node.value, scope, depth):
        if node.attr == _DICT:
            yield f"{base}.{_DICT}"
        else:
            yield from _member(project, base, node.attr, depth)
    method = method_of(scope)
    if method is not None and isinstance(node.value, ast.Name) and node.value.id == method.myself:
        owner = method.parent
        if owner is not None:
            known = chain(owner.attributes.get(node.attr, []), owner.bindings.get(node.attr, []))
            key = (owner, "self", node.attr)
            yield from _remembered(project, key, _bound(project, known, node.attr, owner, depth))


def _item(project: Project, node: ast.Subscript, scope: Scope, depth: int) -> Iterator[str]:
    yield from _entry(project, node.value, node.slice, scope, depth)
    container = node.value
    if isinstance(container, ast.Name):
        container = only_value(container, scope)[0] or container
    elements = [*container.values] if isinstance(container, ast.Dict) else getattr(container, "elts", [])
    for element in elements:
        yield from resolve(project, element, scope, depth)


def _entry(project: Project, table: ast.expr, key: ast.expr, scope: Scope, depth: int) -> Iterator[str]:
    """Return what ``module.__dict__[key]`` or ``sys.modules[key]`` is."""
    bases = resolve(project, table, scope, depth)
    word = constant(project, key, scope) if bases else None
    if not isinstance(word, str):
        return
    for base in bases:
        if base == "sys.modules":
            yield from _expand(project, word, depth)
        elif base.endswith("." + _DICT):
            yield from _member(project, base.removesuffix("." + _DICT), word, depth)


def _call(project: Project, node: ast.Call, scope: Scope, depth: int) -> Iterator[str]:
    first = node.args[0] if node.args else None
    words = [constant(project, argument, scope) for argument in node.args[:2]]
    if isinstance(node.func, ast.Attribute) and first is not None:
        if node.func.attr in {"get", "pop", "__getitem__", "setdefault"}:
            yield from _entry(project, node.func.value, first, scope, depth)
        if node.func.attr in {"__getattribute__", "__getattr__"} and isinstance(words[-1], str):
            owner = first if len(node.args) > 1 else node.func.value
            for base in resolve(project, owner, scope, depth):
                yield from _member(project, base, words[-1], depth)
    for function in resolve(project, node.func, scope, depth):
        yield from _called(project, function, node, scope, depth)
    if isinstance(node.func, ast.Call) and "operator.attrgetter" in resolve(project, node.func.func, scope, depth):
        word = constant(project, node.func.args[0], scope) if node.func.args else None
        if first is not None and isinstance(word, str):
            for base in resolve(project, first, scope, depth):
                yield from _member(project, base, word, depth)


def _called(project: Project, function: str, node: ast.Call, scope: Scope, depth: int) -> Iterator[str]:
    if function == "builtins.globals":
        yield f"{scope.module}.{_DICT}"
    elif not node.args or function not in _KNOWN_CALLS:
        yield from _returned(project, function, depth)
    else:
        yield from _KNOWN_CALLS[function](project, node, scope, depth)


def _getattr(project: Project, node: ast.Call, scope: Scope, depth: int) -> Iterator[str]:
    word = constant(project, node.args[1], scope) if len(node.args) > 1 else None
    if isinstance(word, str):
        for base in resolve(project, node.args[0], scope, depth):
            yield from _member(project, base, word, depth)
    for default in node.args[2:]:
        yield from resolve(project, default, scope, depth)


def _vars(project: Project, node: ast.Call, scope: Scope, depth: int) -> Iterator[str]:
    yield from (f"{base}.{_DICT}" for base in resolve(project, node.args[0], scope, depth))


def _import_module(project: Project, node: ast.Call, scope: Scope, depth: int) -> Iterator[str]:
    word = constant(project, node.args[0], scope)
    package = constant(project, node.args[1], scope) if len(node.args) > 1 else scope.package
    if isinstance(word, str):
        level = len(word) - len(word.lstrip("."))
        yield from _expand(project, absolute(word.lstrip("."), level, str(package)), depth)


def _dunder_import(project: Project, node: ast.Call, scope: Scope, depth: int) -> Iterator[str]:
    word = constant(project, node.args[0], scope)
    by_name = next((keyword.value for keyword in node.keywords if keyword.arg == "fromlist"), None)
    wanted = node.args[3] if len(node.args) > 3 else by_name  # noqa: PLR2004
    whole = isinstance(wanted, (ast.List, ast.Tuple)) and bool(wanted.elts)
    if isinstance(word, str):
        yield from _expand(project, word if whole else word.partition(".")[0], depth)


def _eval(project: Project, node: ast.Call, scope: Scope, depth: int) -> Iterator[str]:
    word = constant(project, node.args[0], scope)
    tree = parse(word.strip()) if isinstance(word, str) else None
    if isinstance(tree, ast.Module) and tree.body and isinstance(tree.body[0], ast.Expr):
        yield from resolve(project, tree.body[0].value, scope, depth)


def _first(project: Project, node: ast.Call, scope: Scope, depth: int) -> Iterator[str]:
    yield from resolve(project, node.args[0], scope, depth)


# What a call of these stands for, when it has arguments.
_KNOWN_CALLS = {
    "builtins.getattr": _getattr,
    "builtins.vars": _vars,
    "builtins.__import__": _dunder_import,
    "importlib.__import__": _dunder_import,
    "importlib.import_module": _import_module,
    "builtins.eval": _eval,
    "functools.partial": _first,
    "importlib.reload": _first,
    "copy.copy": _first,
    "copy.deepcopy": _first,
    "builtins.staticmethod": _first,
}


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


def _keyword(node: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in node.keywords if keyword.arg == name), None)
