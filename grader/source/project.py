"""All trees of a submission with their scopes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from grader.intake.candidates import file_of
from grader.intake.syntax import SyntaxFault, bound_names, outside_functions, parse, top_level
from grader.model import CodeChunk, CodeModule, Location
from grader.source.folding import Memo
from grader.source.scopes import Part, Scope, Scopes


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


KnownCall = Callable[["Project", ast.Call, Scope, int, "str | None"], Iterator[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Project:
    """The trees of all modules.

    ``parts`` are the trees of the chunks, ``units`` the top-level statements that give a name its meaning, by module
    and name; ``memo`` keeps what expressions were found to stand for, ``known`` what an earlier pass found,
    ``constants`` which text or number they make. ``calls`` says what calls of known functions stand for.
    """

    modules: dict[str, Scope]
    parts: tuple[Part, ...]
    units: dict[tuple[str, str], list[Part]]
    scopes: Scopes
    aliases: dict[str, str]
    methods: frozenset[str]
    memo: dict[object, frozenset[str]] = field(default_factory=dict)
    known: dict[object, frozenset[str]] = field(default_factory=dict)
    constants: Memo = field(default_factory=dict)
    calls: Mapping[str, KnownCall] = field(default_factory=dict)


def use_at(name: str, part: Part, node: ast.AST) -> Use:
    """Return ``name`` used at ``node``."""
    line: int = part.line if part.line is not None else getattr(node, "lineno", 1)
    return Use(name, file_of(part.chunk), line, part.chunk.cell)


def find_function(project: Project, module: str, function: str) -> tuple[Part, ...]:
    """Return the last definition of ``function`` (``name`` or ``Class.method``) in a module; empty without one."""
    name, _, method = function.partition(".")
    units = project.units.get((module, name), [])
    definitions = [
        part for part in units if isinstance(part.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    ]
    for part in reversed(definitions):
        if not method:
            return (part,)
        scope = project.scopes.get(part.node)
        for binding in reversed(scope.bindings.get(method, []) if scope is not None else []):
            if binding.definition is not None and scope is not None:
                return (Part(binding.definition, scope, part.chunk),)
    return ()


def chunk_trees(module: CodeModule) -> Iterator[tuple[CodeChunk, ast.Module]]:
    """Yield the chunks that are Python with their trees."""
    for chunk in module.chunks:
        tree = parse(chunk.code)
        if not isinstance(tree, SyntaxFault):
            yield chunk, tree


def named_statements(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Yield statements of the module with the names that they bind, or add to (``t["x"] = …``, ``t.append(f)``)."""
    for statement in top_level(tree):
        for name in dict.fromkeys([*bound_names(statement), *_bound_beside(statement), *_added_to(statement)]):
            yield name, statement


def binds(statement: ast.AST, name: str) -> bool:
    """Whether a statement gives ``name`` its meaning, and does not only add to what it stands for."""
    return isinstance(statement, ast.stmt) and name in (*bound_names(statement), *_bound_beside(statement))


def _bound_beside(statement: ast.stmt) -> Iterator[str]:
    """The names that a loop, a with, a pattern or a walrus binds in the statement's own line."""
    own: list[ast.AST] = [
        node for node in ast.iter_child_nodes(statement) if isinstance(node, (ast.expr, ast.withitem))
    ]
    own += [case.pattern for case in getattr(statement, "cases", ())]
    bound = isinstance(statement, (ast.For, ast.AsyncFor, ast.With, ast.AsyncWith))
    for node in (inner for one in own for inner in outside_functions(one)):
        if isinstance(node, ast.NamedExpr):
            yield node.target.id
        elif isinstance(node, ast.Name) and bound and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            yield node.name


def _added_to(statement: ast.stmt) -> Iterator[str]:
    """The names whose values a statement writes into, and those that it writes into the table of the module."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = list(statement.targets)
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        targets = [statement.target]
        yield from _texts([statement.value] if isinstance(statement.value, ast.Dict) else ())
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        by_name = _is_name(call.func, "setattr")
        targets = call.args[:1] if by_name else [call.func]
        if by_name or (isinstance(call.func, ast.Attribute) and _is_table(call.func.value)):
            yield from _texts(call.args)
            yield from (keyword.arg for keyword in call.keywords if keyword.arg)
    elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        targets = [one.func if isinstance(one, ast.Call) else one for one in statement.decorator_list]
        targets = [one for one in targets if isinstance(one, ast.Attribute)]
    for target in targets:
        if isinstance(target, ast.Subscript) and _is_table(target.value):
            yield from _texts([target.slice])
        if isinstance(target, ast.Attribute) and isinstance(statement, ast.Assign):
            yield target.attr  # of another file, perhaps
        yield from _root(target)


def _root(node: ast.expr) -> Iterator[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _is_table(node: ast.expr) -> bool:
    """Whether it is a call of ``globals`` or its like, or some ``__dict__``."""
    called = isinstance(node, ast.Call) and any(_is_name(node.func, name) for name in ("globals", "locals", "vars"))
    return called or (isinstance(node, ast.Attribute) and node.attr == "__dict__")


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _texts(nodes: Iterable[ast.expr | None]) -> Iterator[str]:
    """The texts among expressions, and among the keys of a table."""
    for node in nodes:
        if isinstance(node, ast.Dict):
            yield from _texts(node.keys)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
