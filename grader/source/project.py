"""All trees of a submission with their scopes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from grader.intake.candidates import file_of
from grader.intake.syntax import SyntaxFault, bound_names, parse, top_level
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
    """Yield simple statements and definitions with the names that they bind or add to (``table["x"] = …``)."""
    for statement in top_level(tree):
        for name in dict.fromkeys([*bound_names(statement), *_added_to(statement)]):
            yield name, statement


def _added_to(statement: ast.stmt) -> Iterator[str]:
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = list(statement.targets)
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        targets = [statement.target]
    for target in targets:
        root = target
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            root = root.value
        if isinstance(root, ast.Name):
            yield root.id
