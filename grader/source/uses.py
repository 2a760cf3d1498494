"""Which library functions the code uses, by whatever name it calls them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import translate
from functools import cache, lru_cache

from grader.intake.syntax import imported_names, parse
from grader.model import CodeModule
from grader.source.libraries import canonical
from grader.source.project import Project, Use, find_function, use_at
from grader.source.reading import bound_in, home_of, project_of, reached
from grader.source.reflection import text_of
from grader.source.resolve import GIVEN, constant, resolve, resolve_name
from grader.source.scopes import Part, Scope, bind, method_of, only_value, walk
from grader.source.unread import loaders

_DEEPEST_EXEC = 3
_NO_DEFAULT = 2  # arguments of getattr
_TENSOR = "torch.Tensor"
_CODE_RUNNERS = frozenset({"builtins.exec", "builtins.eval"})


def forbidden_calls(
    modules: Sequence[CodeModule], targets: Sequence[str], forbidden: Sequence[str], inside: str | None = None
) -> tuple[Use, ...]:
    """Return every use of a ``forbidden`` name, in order, each place once.

    Forbidden names are dotted, with ``*`` and ``?`` (``torch.softmax``, ``torch.nn.Transformer*``); what lies below one
    is forbidden too. They are found through import aliases, second names, ``getattr`` and ``__dict__`` with constant
    texts, ``import_module``, ``eval``, and, where ``torch.Tensor.softmax`` is listed, as the method ``x.softmax(…)``.
    ``targets`` are the student's functions and classes that are judged: only what they lead to counts, so that a
    comparison with the library outside of them is free. Without targets everything counts. ``inside`` narrows the
    search to what one function leads to.
    """
    project = project_of(tuple(modules))
    start = (inside,) if inside is not None else tuple(targets)
    found = _matching(project, reached(project, start) if start else project.parts, _matcher(forbidden))
    return (*taken_over(project, start, forbidden), *found)


def taken_over(project: Project, targets: Iterable[str], forbidden: Sequence[str]) -> tuple[Use, ...]:
    """Return what stands under the names of ``targets`` without a definition: ``from torch import softmax``."""
    match, found = _matcher(forbidden), dict[Use, None]()
    for target in targets:
        home = home_of(project, target)
        if home is None or bound_in(project, home, target):
            continue
        for name in filter(None, map(match, sorted(resolve_name(project, target, project.modules[home])))):
            parts = [part for part in project.parts if part.scope.module == home]
            found[use_at(name, *_import_of(parts, target))] = None
    return tuple(found)


def _import_of(parts: Sequence[Part], name: str) -> tuple[Part, ast.AST]:
    """The statement that imports a name, with its part; what stands in a text has none."""
    lines = ((part, one) for part in parts for one in getattr(part.node, "body", ()))
    imports = ((part, one) for part, one in lines if {name, "*"} & set(imported_names(one)))
    return next(imports, (parts[0], parts[0].node))


def calls_in(module: CodeModule, function: str) -> tuple[Use, ...]:
    """Return what ``function`` (``name`` or ``Class.method``) calls, in order.

    Library functions have their full dotted names, the submission's own begin with the module's name, and a method of a
    value is ``.name``.
    """
    project = project_of((module,))
    found: list[Use] = []
    for part in find_function(project, module.name, function):
        for node, scope in walk(part, project.scopes):
            if isinstance(node, ast.Call):
                names: Iterable[str] = sorted(resolve(project, node.func, scope))
                if not names and isinstance(node.func, ast.Attribute):
                    names = ("." + node.func.attr,)
                elif not names and isinstance(node.func, ast.Name):
                    names = (node.func.id,)
                found += [use_at(name, part, node) for name in names]
    return tuple(sorted(found, key=lambda use: (use.cell or 0, use.line)))


def uses_of(modules: Sequence[CodeModule], names: Sequence[str], targets: Sequence[str] = ()) -> tuple[Use, ...]:
    """Return every use of the dotted ``names`` in what ``targets`` lead to, or anywhere without targets."""
    return forbidden_calls(modules, targets, names)


def leads_to(modules: Sequence[CodeModule], target: str, name: str) -> bool:
    """Whether the function or class ``target`` refers to what is defined as ``name``, itself or through others."""
    project = project_of(tuple(modules))
    found = reached(project, (target,))
    return any(part in found for (_, defined), parts in project.units.items() if defined == name for part in parts)


def texts_run(modules: Sequence[CodeModule], targets: Sequence[str] = ()) -> tuple[Use, ...]:
    """Return where code runs that cannot be read here, in what ``targets`` lead to.

    ``exec`` or ``eval`` is given a text, ``getattr`` a name that is put together, or a pickle is loaded.
    """
    project = project_of(tuple(modules))
    parts = reached(project, targets) if targets else project.parts
    found: dict[Use, None] = dict.fromkeys(loaders(project, parts))
    for part in parts:
        for node, scope in walk(part, project.scopes):
            if isinstance(node, ast.Call) and node.args:
                runners = resolve(project, node.func, scope) & _CODE_RUNNERS
                for name in sorted(runners) if runners and text_of(project, node.args[0], scope) is None else ():
                    found[use_at(name.removeprefix("builtins."), part, node)] = None
    return tuple(sorted(found, key=lambda use: (use.file, use.cell or 0, use.line, use.name)))


def _matcher(patterns: Sequence[str]) -> Callable[[str], str]:
    """Return a function from a dotted name to its shortest beginning that is forbidden; empty where none is."""
    expressions = [re.compile(translate(canonical(pattern))) for pattern in patterns]

    @cache
    def match(dotted: str) -> str:
        parts = dotted.split(".")
        beginnings = (".".join(parts[:length]) for length in range(1, len(parts) + 1))
        return next((one for one in beginnings if any(found.match(one) for found in expressions)), "")

    return match


def marked(project: Project, part: Part, names: Sequence[str]) -> dict[ast.AST, Use]:
    """Return the nodes of a part that stand for one of the dotted ``names``, each as a use."""
    match = _matcher(names)
    found: dict[ast.AST, Use] = {}
    for node, line, dotted_names in _named(project, part):
        for name in filter(None, map(match, dotted_names)):
            found[node] = use_at(name, Part(part.node, part.scope, part.chunk, line), node)
    return found


def _matching(project: Project, parts: Iterable[Part], match: Callable[[str], str]) -> tuple[Use, ...]:
    found: dict[Use, None] = {}
    for part in parts:
        for node, line, dotted_names in _named(project, part):
            for dotted in dotted_names:
                name = match(dotted)
                if name:
                    found[use_at(name, Part(part.node, part.scope, part.chunk, line), node)] = None
    return tuple(sorted(found, key=lambda use: (use.file, use.cell or 0, use.line, use.name)))


@lru_cache(maxsize=256)  # the same parts are asked about once for every list of forbidden names
def _named(project: Project, part: Part) -> tuple[tuple[ast.AST, int | None, tuple[str, ...]], ...]:
    """The nodes of a part that stand for something dotted, with their lines and names."""
    nodes = ((node, line, sorted(_names(project, node, scope))) for node, scope, line in _nodes(project, part, 0))
    return tuple((node, line, tuple(names)) for node, line, names in nodes if names)


def _nodes(project: Project, part: Part, depth: int) -> Iterator[tuple[ast.AST, Scope, int | None]]:
    """Yield the nodes that may be uses, those in constant texts given to exec and eval too."""
    spared: set[ast.AST] = set()
    for node, scope in walk(part, project.scopes):
        if isinstance(node, ast.Call):
            if _is_type_test(node):
                spared.update(inner for argument in node.args[1:] for inner in ast.walk(argument))
            for inner in _run_text(project, part, node, scope) if depth < _DEEPEST_EXEC else ():
                yield from _nodes(project, inner, depth + 1)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) and node not in spared:
            context = getattr(node, "ctx", None)
            if context is None or isinstance(context, ast.Load):
                yield node, scope, part.line


def _is_type_test(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id in {"isinstance", "issubclass"}


def _run_text(project: Project, part: Part, node: ast.Call, scope: Scope) -> Iterator[Part]:
    if not node.args or not resolve(project, node.func, scope) & _CODE_RUNNERS:
        return
    text = text_of(project, node.args[0], scope)
    tree = parse(text) if text is not None else None
    if isinstance(tree, ast.Module):
        inner = Part(tree, Scope("function", scope.module, scope.package, scope), part.chunk, part.line or node.lineno)
        bind(inner, project.scopes)
        yield inner


def _names(project: Project, node: ast.AST, scope: Scope) -> Iterator[str]:
    names = resolve(project, node, scope)
    yield from names
    # A call stands for what it returns; what it calls is a node of its own.
    if isinstance(node, ast.Call):
        yield from (f"{_TENSOR}.{word}" for word in _methods_by_text(project, node, scope, names))
    elif (
        isinstance(node, ast.Attribute)
        and not resolve(project, node.value, scope)
        and _may_be_tensor(project, node, scope)
    ):
        yield f"{_TENSOR}.{node.attr}"


def _methods_by_text(project: Project, node: ast.Call, scope: Scope, names: Iterable[str]) -> Iterator[str]:
    """Yield the methods of values that a call reaches by a text: ``methodcaller("softmax")``, ``getattr(x, …)``."""
    for name in names:
        begun, _, word = name.partition(GIVEN)
        if begun == "operator.methodcaller" and word not in project.methods:
            yield word
    # With a default it asks for a setting that may be missing.
    if not names and len(node.args) == _NO_DEFAULT and "builtins.getattr" in resolve(project, node.func, scope):
        yield from _own_to_none(project, node.args[1], scope)
    if not names and isinstance(node.func, ast.Attribute) and node.func.attr == "__getattribute__" and node.args:
        yield from _own_to_none(project, node.args[-1], scope)


def _own_to_none(project: Project, node: ast.expr, scope: Scope) -> Iterator[str]:
    """Yield a text that no class of the submission has as the name of a method."""
    word = constant(project, node, scope)
    if isinstance(word, str) and word not in project.methods:
        yield word


def _may_be_tensor(project: Project, node: ast.Attribute, scope: Scope) -> bool:
    """Whether ``x.name`` may be a tensor's method: x is not self, and no class of the submission has such a method."""
    method = method_of(scope)
    if method is not None and isinstance(node.value, ast.Name) and node.value.id == method.myself:
        return False
    if node.attr not in project.methods:
        return True
    value: ast.expr | None = node.value
    if isinstance(value, ast.Name):
        value, _ = only_value(value, scope)
    return isinstance(value, (ast.BinOp, ast.UnaryOp, ast.Subscript))
