"""The trees of a submission: what a name of a library stands for there, and which definitions lead to which.

For hints, places and tie-breaks. It follows imports, second names and plain attributes; who hides a name on purpose is
not followed, since nothing that is forbidden is looked for here.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from grader.intake.syntax import DEFINITIONS, bound_names, chunk_trees, imported_names, outside_functions, top_level
from grader.model.outcome import Location
from grader.model.submission import CodeChunk, CodeModule

_DEEPEST, _MOST = 8, 50
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_OWN = "."
"""What the dotted name of something of the submission begins with, where its module is not named in full."""


@dataclass(frozen=True, slots=True)
class Use:
    """A name that is used, dotted and in full where it comes from a library, and where."""

    name: str
    file: str
    line: int
    cell: int | None = None

    @property
    def location(self) -> Location:
        """The place alone."""
        return Location(self.file, self.line, self.cell)


@dataclass(slots=True, eq=False)
class Scope:
    """A module, class or function. Names stand for dotted names, or for what an expression does; others for nothing."""

    kind: str
    module: str
    parent: Scope | None = None
    names: dict[str, list[str | ast.expr]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    known: dict[str, frozenset[str]] = field(default_factory=dict)  # what names were found to stand for


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A piece of tree that runs in a scope, and the chunk that it was read from."""

    node: ast.AST
    scope: Scope
    chunk: CodeChunk


@dataclass(frozen=True, slots=True, eq=False)
class Project:
    """The trees of the chunks, and the top-level statements that bind or change each name, by that name."""

    modules: frozenset[str]
    parts: tuple[Part, ...]
    units: dict[str, list[Part]]
    scopes: dict[ast.AST, Scope]

    def is_own(self, dotted: str) -> bool:
        """Whether a dotted name is of the submission's own modules."""
        heads = (dotted[:at] for at, sign in enumerate(dotted + ".") if sign == ".")
        return dotted.startswith(_OWN) or any(head in self.modules for head in heads)


@lru_cache(maxsize=4)  # pure: the same modules are asked about once for every component
def project_of(modules: tuple[CodeModule, ...]) -> Project:
    """Read the trees of ``modules``. Chunks that are not Python, and second names by the intake, are passed over."""
    parts: list[Part] = []
    units: dict[str, list[Part]] = {}
    for module in modules:
        scope = Scope("module", module.name)
        for chunk, tree in chunk_trees(module):
            if chunk.filename == f"<{module.name}>":
                continue
            parts.append(Part(tree, scope, chunk))
            _bind(scope, outside_functions(tree))
            for statement in top_level(tree):
                names = [] if imported_names(statement) else [*bound_names(statement), *_changed(statement)]
                for name in dict.fromkeys(names):
                    units.setdefault(name, []).append(Part(statement, scope, chunk))
    return Project(frozenset(module.name for module in modules), tuple(parts), units, {})


def use_at(name: str, part: Part, node: ast.AST) -> Use:
    """Return ``name`` used at ``node``."""
    return Use(name, part.chunk.file, getattr(node, "lineno", 1), part.chunk.cell)


def walk(project: Project, part: Part) -> Iterator[tuple[ast.AST, Scope]]:
    """Yield every node of a part with its scope; annotations are left out, since nothing is called in them."""
    waiting = [(part.node, part.scope)]
    while waiting:
        node, scope = waiting.pop()
        yield node, scope
        waiting.extend(reversed(list(_children(project, node, scope))))


def _children(project: Project, node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        inner = project.scopes.get(node) or project.scopes.setdefault(node, _inner(node, scope))
        body = node.body if isinstance(node.body, list) else [node.body]
        yield from ((child, scope) for child in getattr(node, "decorator_list", ()))
        if isinstance(node, ast.ClassDef):
            yield from ((child, scope) for child in (*node.bases, *node.keywords))
        else:
            yield from ((child, scope) for child in (*node.args.defaults, *filter(None, node.args.kw_defaults)))
        yield from ((child, inner) for child in body)
    elif isinstance(node, ast.AnnAssign):
        yield from ((child, scope) for child in (node.target, node.value) if child is not None)
    else:
        yield from ((child, scope) for child in ast.iter_child_nodes(node))


def _inner(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef, parent: Scope) -> Scope:
    scope = Scope("class" if isinstance(node, ast.ClassDef) else "function", parent.module, parent)
    if not isinstance(node, ast.ClassDef):
        listed = node.args
        arguments = (*listed.posonlyargs, *listed.args, *listed.kwonlyargs, listed.vararg, listed.kwarg)
        scope.names = {argument.arg: [] for argument in arguments if argument is not None}
    for statement in node.body if isinstance(node.body, list) else [node.body]:
        _bind(scope, outside_functions(statement))
    return scope


def _bind(scope: Scope, nodes: Iterator[ast.AST]) -> None:
    """Note what the nodes of a scope's own statements bind; a name declared global is the module's."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                scope.names.setdefault(alias.asname or top, []).append(alias.name if alias.asname else top)
        elif isinstance(node, ast.ImportFrom):
            origin = _OWN if node.level else f"{node.module}."
            scope.stars += [origin for alias in node.names if alias.name == "*"]
            for alias in node.names:
                scope.names.setdefault(alias.asname or alias.name, []).append(origin + alias.name)
        elif isinstance(node, (*DEFINITIONS, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            scope.names.setdefault(node.name, [])
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            scope.names.setdefault(node.id, [])
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                _bind_second_names(scope, target, node.value)


def _bind_second_names(scope: Scope, target: ast.expr, value: ast.expr) -> None:
    if isinstance(target, ast.Name) and isinstance(value, ast.Name | ast.Attribute):
        known = scope.names.setdefault(target.id, [])
        if len(known) < _MOST:
            known.append(value)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for one, other in zip(target.elts, value.elts, strict=True):
            _bind_second_names(scope, one, other)


def dotted(node: ast.expr, scope: Scope, depth: int = 0) -> frozenset[str]:
    """Return the dotted names of libraries, builtins and own modules that an expression may stand for."""
    if depth > _DEEPEST:
        return frozenset()
    if isinstance(node, ast.Attribute):
        return frozenset(f"{base}.{node.attr}" for base in dotted(node.value, scope, depth + 1))
    if not isinstance(node, ast.Name):
        return frozenset()
    found, here = lookup(node.id, scope)
    if here is None:
        own = [f"builtins.{node.id}"] if hasattr(builtins, node.id) else []
        return frozenset(own or [star + node.id for star in _module(scope).stars])
    if node.id not in here.known:
        here.known[node.id] = frozenset()  # what refers to itself adds nothing
        each = [frozenset({one}) if isinstance(one, str) else dotted(one, here, depth + 1) for one in found]
        here.known[node.id] = frozenset().union(*each)
    return here.known[node.id]


def lookup(name: str, scope: Scope) -> tuple[list[str | ast.expr], Scope | None]:
    """Return what a name stands for where ``scope`` looks for it, and the scope that it was found in."""
    here: Scope | None = scope
    while here is not None:
        if name in here.names and (here.kind != "class" or here is scope):
            return here.names[name], here
        here = here.parent
    return [], None


def _module(scope: Scope) -> Scope:
    while scope.parent is not None:
        scope = scope.parent
    return scope


def uses_of(modules: Sequence[CodeModule], names: Sequence[str], targets: Sequence[str] = ()) -> tuple[Use, ...]:
    """Return every use of the dotted ``names`` in what ``targets`` lead to, or anywhere without targets."""
    project, wanted = project_of(tuple(modules)), frozenset(names)
    found = [
        use_at(name, part, node)
        for part in (reached(project, targets) if targets else project.parts)
        for node, scope in walk(project, part)
        if isinstance(node, ast.Name | ast.Attribute)
        for name in sorted(dotted(node, scope) & wanted)
    ]
    return tuple(sorted(dict.fromkeys(found), key=lambda use: (use.file, use.cell or 0, use.line, use.name)))


def definition_of(project: Project, module: str, function: str) -> tuple[Part, ...]:
    """Return the last definition of ``function`` in a module; empty without one."""
    known = [part for part in project.units.get(function, ()) if part.scope.module == module]
    return tuple([part for part in known if isinstance(part.node, DEFINITIONS)][-1:])


def reached(project: Project, targets: Sequence[str]) -> tuple[Part, ...]:
    """Return the top-level statements that the functions or classes ``targets`` lead to; all, where one is not seen."""
    if not all(target in project.units for target in targets):
        return project.parts
    waiting, seen = list(targets), set(targets)
    found: dict[Part, None] = {}
    while waiting:
        for part in project.units.get(waiting.pop(), ()):
            found[part] = None
            new = _led_to(project, part) - seen
            seen |= new
            waiting += sorted(new)
    return tuple(found)


@lru_cache(maxsize=48)  # most functions lead to the same few others; each keeps the trees of its submission
def _led_to(project: Project, part: Part) -> frozenset[str]:
    """The names of the submission's own definitions that a part refers to."""
    found = set()
    for node, scope in walk(project, part):
        if isinstance(node, ast.Name | ast.Attribute):
            own = [name for name in dotted(node, scope) if project.is_own(name)]
            found |= {name.rpartition(".")[2] for name in own}
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            here = lookup(node.id, scope)[1]
            found |= {node.id} if here is None or here.kind == "module" else set()
    return frozenset(found & project.units.keys())


def leads_to(modules: Sequence[CodeModule], target: str, name: str) -> bool:
    """Whether the function or class ``target`` refers to what is defined as ``name``, itself or through others."""
    project = project_of(tuple(modules))
    found = reached(project, (target,))
    return any(part in found for part in project.units.get(name, ()))


def share(modules: Sequence[CodeModule], one: str, other: str) -> bool:
    """Whether two functions or classes come to one statement of the submission's own: the other, or a third."""
    project = project_of(tuple(modules))
    return not set(reached(project, (one,))).isdisjoint(reached(project, (other,)))


def _changed(statement: ast.stmt) -> Iterator[str]:
    """The name whose value a statement writes into: ``A.f = g``, ``t["x"] = f``, ``t.append(f)``, ``setattr(A, …)``."""
    targets: Sequence[ast.expr] = ()
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        targets = [statement.target]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        targets = call.args[:1] if isinstance(call.func, ast.Name) else [call.func]
    for target in targets:
        node: ast.expr = target
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        if isinstance(node, ast.Name):
            yield node.id
