"""From modules to a project, and what is reached in it from a name."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from grader.intake.syntax import DEFINITIONS, SyntaxFault, parse, top_level
from grader.model import CodeModule
from grader.source import reflection
from grader.source.project import Project, binds, named_statements
from grader.source.resolve import own_names, resolve, resolve_name, split_own
from grader.source.scopes import Part, Scope, Scopes, bind, walk

_PASSES = 5
_NOT_LOOSE = (*DEFINITIONS, ast.Import, ast.ImportFrom)
LOOSE = ("", "")
"""The key of what modules do beside their definitions."""


@lru_cache(maxsize=4)  # pure: the same modules are asked about once for every component
def project_of(modules: tuple[CodeModule, ...]) -> Project:
    """Read the trees of ``modules``. Chunks that are not Python are passed over."""
    names = [module.name for module in modules]
    found = Project({}, (), {}, Scopes(), {}, frozenset())
    parts: list[Part] = []
    values: list[tuple[ast.expr, Scope]] = []
    for module in modules:
        package = _package(module, names)
        scope = found.modules.setdefault(module.name, Scope("module", module.name, package))
        for chunk in module.chunks:
            tree = parse(chunk.code)
            if isinstance(tree, SyntaxFault):
                continue
            if chunk.filename == f"<{module.name}>":
                found.aliases[module.name] = _alias_target(tree)
                continue
            parts.append(Part(tree, scope, chunk))
            values += bind(parts[-1], found.scopes)
            loose = (Part(one, scope, chunk) for one in top_level(tree) if not isinstance(one, _NOT_LOOSE))
            found.units.setdefault(LOOSE, []).extend(loose)
            for name, statement in named_statements(tree):
                if binds(statement, name) or not _is_imported(statement, name, scope):
                    found.units.setdefault((module.name, name), []).append(Part(statement, scope, chunk))
    methods = frozenset(
        name
        for scope in found.scopes.values()
        if scope.kind == "class"
        for name in (*scope.bindings, *scope.attributes)
    )
    project = Project(
        found.modules, tuple(parts), found.units, found.scopes, found.aliases, methods, calls=reflection.CALLS
    )
    values += _run_texts(project)
    _settle(project, values)
    return project


def _is_imported(statement: ast.stmt, name: str, scope: Scope) -> bool:
    """Whether a call or a decorator is a library's, and so says nothing of what the library's name stands for."""
    known = scope.bindings.get(name, [])
    return not isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and any(one.imported for one in known)


def _run_texts(project: Project) -> list[tuple[ast.expr, Scope]]:
    """Bind the names that constant texts given to ``exec`` define at the top of a module; return their values."""
    values: list[tuple[ast.expr, Scope]] = []
    for part in project.parts:
        for node, scope in walk(part, project.scopes) if "exec" in part.chunk.code else ():
            if not (isinstance(node, ast.Call) and node.args and scope.kind == "module"):
                continue
            runs = "builtins.exec" in resolve(project, node.func, scope)
            text = reflection.text_of(project, node.args[0], scope) if runs else None
            tree = parse(text) if text is not None else None
            if isinstance(tree, ast.Module):
                inner = Part(tree, scope, part.chunk, node.lineno)
                values += bind(inner, project.scopes)
                for name, statement in named_statements(tree):
                    units = project.units.setdefault((scope.module, name), [])
                    units.append(Part(statement, scope, part.chunk, node.lineno))
    project.memo.clear()
    project.constants.clear()
    return values


def _settle(project: Project, values: Sequence[tuple[ast.expr, Scope]]) -> None:
    """Resolve what names are bound to, in order and again until nothing new is found: names may go in circles."""
    for _ in range(_PASSES):
        before = dict(project.memo)
        project.memo.clear()
        project.known.update(before)
        for value, scope in values:
            resolve(project, value, scope)
        if project.memo == before:
            return


def starts(project: Project, targets: Iterable[str]) -> list[tuple[str, str]]:
    """Where the reading of ``targets`` begins: their definitions, in any module and by whatever second name.

    Of a target that nothing is seen to define it begins with all that a module does beside its definitions.
    """
    found: list[tuple[str, str]] = []
    for target in targets:
        found += (key for key in project.units if key[1] == target)
        home = home_of(project, target)
        if home is None:
            found.append(LOOSE)
        elif not bound_in(project, home, target):
            names = resolve_name(project, target, project.modules[home])
            found += (key for key in (split_own(project, name) for name in names) if key in project.units)
    return list(dict.fromkeys(found))


def home_of(project: Project, name: str) -> str | None:
    """The module that ``name`` is taken from: the first in which something stands for it; None for no such."""
    return next((module for module, scope in project.modules.items() if _stands(project, name, module, scope)), None)


def _stands(project: Project, name: str, module: str, scope: Scope) -> bool:
    stars = bool(scope.stars) and bool(resolve_name(project, name, scope))
    return name in scope.bindings or bound_in(project, module, name) or stars


def bound_in(project: Project, module: str, name: str) -> bool:
    """Whether a statement of a module gives ``name`` its meaning, other than an import."""
    return any(binds(part.node, name) for part in project.units.get((module, name), ()))


def reached(project: Project, targets: Sequence[str], apart: Collection[str] = ()) -> tuple[Part, ...]:
    """Return the top-level statements that the functions or classes ``targets`` lead to, by whatever reference.

    What is defined under the names in ``apart`` is left out, with what only that leads to.
    """
    waiting = starts(project, targets)
    seen = dict.fromkeys(waiting)
    found: list[Part] = []
    while waiting:
        for part in project.units.get(waiting.pop(), []):
            found.append(part)
            new = [key for key in _led_to(project, part) if key not in seen and key[1] not in apart]
            seen.update(dict.fromkeys(new))
            waiting += new
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=48)  # most functions lead to the same few others; each keeps the trees of its submission
def _led_to(project: Project, part: Part) -> tuple[tuple[str, str], ...]:
    """The submission's own names that a part refers to, in order."""
    kinds = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
    nodes = ((node, scope) for node, scope in walk(part, project.scopes) if isinstance(node, kinds))
    return tuple(dict.fromkeys(key for node, scope in nodes for key in own_names(project, node, scope)))


def _package(module: CodeModule, names: Sequence[str]) -> str:
    if any(name.startswith(module.name + ".") for name in names):
        return module.name
    return module.name.rpartition(".")[0]


def _alias_target(tree: ast.Module) -> str:
    """Return the module that a stand-in written by the intake stands for."""
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return texts[-1] if texts else ""
