"""Whether what a function returns comes from a library call: its value is followed, read and never run.

A call that is made beside the work (a comparison, an assertion, a method that nothing calls) is not the work. Two
readings are kept: what may come from the call, on some way through the code, and what does on every way.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from grader.intake.syntax import DEFINITIONS
from grader.model import CodeModule
from grader.source.project import Project, Use, binds
from grader.source.reading import bound_in, project_of, reached, starts
from grader.source.resolve import own_names
from grader.source.scopes import Part, Scope, method_of, walk
from grader.source.stores import STORES, given_name, keeps, owner_of, text_in
from grader.source.unread import guesses
from grader.source.uses import forbidden_calls, marked, taken_over

_COMPARED = frozenset({"allclose", "isclose", "array_equal", "array_equiv", "equal", "print", "isinstance"})
_FORM = frozenset({"shape", "ndim", "dtype", "size", "device"})
_SMALL = frozenset({"generate_square_subsequent_mask", "in_proj_weight", "in_proj_bias"})
"""What a finished module is asked for without letting it do the work: a triangle of True, weights to begin with."""
_ENTRIES = frozenset({"forward", "__call__", "__new__"})
_SOMEWHERE = ""
"""Stands among tainted names for a place that has none."""
_PASSES = 8
_ROUNDS = 40
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Origin:
    """The calls that results come from, in order; ``sure`` where they do on every way through the code.

    ``guesses`` are look-ups that may be of such a call, and cannot be read.
    """

    uses: tuple[Use, ...] = ()
    sure: bool = False
    guesses: tuple[Use, ...] = ()


def origin(
    modules: Sequence[CodeModule], targets: Sequence[str], names: Sequence[str], apart: Collection[str] = ()
) -> Origin:
    """Return which uses of the dotted ``names`` the results of ``targets`` come from; no uses where they do not.

    ``apart`` are functions and classes that are judged for themselves: what they do is not the work of ``targets``.
    """
    try:
        return _origin(project_of(tuple(modules)), targets, names, apart)
    except RecursionError:  # nested beyond reading: a person has to look
        return Origin(forbidden_calls(modules, targets, names))


def _origin(project: Project, targets: Sequence[str], names: Sequence[str], apart: Collection[str]) -> Origin:
    parts = reached(project, targets, frozenset(apart) - set(targets))
    found = {part: marked(project, part, names) for part in parts}
    taken, guessed = taken_over(project, targets, names), guesses(project, parts, names)
    if not any(found.values()) and not taken:
        return Origin(guesses=guessed)
    kept = set(parts)
    keys = {key: mine for key, units in project.units.items() if (mine := [p for p in units if p in kept])}
    maybe, surely = (_Reading(project, keys, found, strict=strict) for strict in (False, True))
    begun = starts(project, targets)
    hidden = [
        use for part in parts for node, use in found[part].items() if node not in dict(walk(part, project.scopes))
    ]
    if not (taken or hidden or any(maybe.tainted(key) for key in begun)):
        return Origin(guesses=guessed)
    uses = dict.fromkeys([*taken, *maybe.hits, *hidden])
    in_order = sorted(uses, key=lambda use: (use.file, use.cell or 0, use.line, use.name))
    return Origin(tuple(in_order), bool(taken) or any(surely.tainted(key) for key in begun if bound_in(project, *key)))


@dataclass(slots=True)
class _Names:
    """What is tainted at one place of a function: local names; ``returned`` says of each return whether it is."""

    local: set[str] = field(default_factory=set)
    returned: list[bool] = field(default_factory=list)
    over: bool = False  # nothing is reached beyond this place


class _Reading:
    """The names whose values come from a marked node: on every way where ``strict``, else on some way."""

    def __init__(
        self,
        project: Project,
        units: Mapping[Key, Sequence[Part]],
        found: Mapping[Part, Mapping[ast.AST, Use]],
        *,
        strict: bool,
    ) -> None:
        self.project, self.strict = project, strict
        self.marks = {node: use for nodes in found.values() for node, use in nodes.items()}
        self.scopes: dict[ast.AST, Scope] = {}
        self.dirty: set[Key] = set()
        self.attributes: set[str] = set()
        self.clean: set[str] = set()  # attributes that have another value, too
        self.hits: dict[Use, None] = {}
        self.within = 0
        for parts in units.values():
            for part in parts:
                self.scopes.update(walk(part, project.scopes))
        stored = (node for node in self.scopes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
        self.own = {*project.methods, *(name for _, name in units), *(node.attr for node in stored)}
        order = list(units.items())
        for _ in range(_ROUNDS):  # forth and back: functions may call those below them, and those above
            before = len(self.dirty)
            for key, parts in order:
                # The last definition of a name counts; a value may be given to it anywhere.
                if key not in self.dirty and self._unit(_last(parts, key[1]) if strict else parts):
                    self.dirty.add(key)
            if len(self.dirty) == before:
                return
            order.reverse()

    def tainted(self, key: Key) -> bool:
        return key in self.dirty

    def _unit(self, parts: Sequence[Part]) -> bool:
        return any(list(map(self._statement_alone, (part.node for part in parts))))

    def _statement_alone(self, node: ast.AST) -> bool:
        if isinstance(node, _FUNCTIONS):
            return self._function(node, set())
        if isinstance(node, ast.ClassDef):
            return self._class(node)
        names = _Names()
        if isinstance(node, ast.stmt):
            self._statement(node, names)
        return bool(names.local)

    # -------------------------------------------------------------------------------------- functions and classes

    def _function(self, node: _Function, outer: set[str]) -> bool:
        arguments = node.args
        listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        names = _Names(outer - {argument.arg for argument in listed})
        self._block(node.body, names)
        for global_names in (one.names for one in ast.walk(node) if isinstance(one, ast.Global)):
            self.dirty |= {(self.scopes[node].module, name) for name in global_names if name in names.local}
        for outer_names in (one.names for one in ast.walk(node) if isinstance(one, ast.Nonlocal)):
            outer |= names.local.intersection(outer_names)
        if any(self._expression(one) for one in node.decorator_list):
            return True
        if not names.returned:  # it may fill an argument
            filled = any(argument.arg in names.local for argument in listed)
            return filled or (_SOMEWHERE in names.local and not self.strict)
        return all(names.returned) if self.strict else any(names.returned)

    def _class(self, node: ast.ClassDef) -> bool:
        methods = {one.name: one for one in node.body if isinstance(one, _FUNCTIONS)}
        inherits = any(map(self._expression, [*node.bases, *node.keywords]))
        kept = self.attributes, self.clean
        self.attributes, self.clean = {"super"} if inherits else set(), set()
        given = set(methods) | {
            one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
        }
        if inherits and not self.strict:
            read = {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
            self.attributes |= read - given
        names = _Names()
        self.within += 1
        for _ in range(max(_PASSES >> self.within - 1, 1)):  # fewer for a class in a method of a class
            before = len(self.attributes)
            self._block([one for one in node.body if not isinstance(one, _FUNCTIONS)], names)
            self.attributes |= names.local
            self.attributes |= {name for name, method in methods.items() if self._function(method, set())}
            if len(self.attributes) == before:
                break
        self.within -= 1
        entries = [name for name in methods if name in _ENTRIES]
        entries = entries or [name for name in methods if not name.startswith("__")]
        own = any(name in self.attributes for name in entries)
        if not entries and not self.strict:  # what is called is written elsewhere
            own = bool(self.attributes)
        self.attributes, self.clean = kept
        return own or (inherits and not any(name in _ENTRIES for name in methods))

    # ------------------------------------------------------------------------------------------------- statements

    def _block(self, statements: Iterable[ast.stmt], names: _Names) -> None:
        for statement in statements:
            if names.over and self.strict:
                return
            self._statement(statement, names)

    def _statement(self, node: ast.stmt, names: _Names) -> None:
        self._walrus(node, names)
        if isinstance(node, (ast.Return, ast.Raise)):
            if isinstance(node, ast.Return) and node.value is not None:
                names.returned.append(self._expression(node.value, names))
            names.over = True
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            self._assign(node, names)
        elif isinstance(node, ast.Expr):
            self._call(node.value, names)
        elif isinstance(node, ast.ClassDef):
            self._bind(node.name, names, tainted=self._class(node))
        elif isinstance(node, _FUNCTIONS):
            self._bind(node.name, names, tainted=self._function(node, names.local))
        elif isinstance(node, (ast.If, ast.Try, ast.Match)):
            self._captured(node, names)
            self._branches(_ways(node), names)
            self._block(getattr(node, "finalbody", ()), names)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith)):
            self._inside(node, names)

    def _captured(self, node: ast.If | ast.Try | ast.Match, names: _Names) -> None:
        """Taint what a pattern takes from a value, and an exception that carries one."""
        if isinstance(node, ast.Match) and self._expression(node.subject, names):
            for one in (inner for case in node.cases for inner in ast.walk(case.pattern)):
                names.local |= {getattr(one, "name", None) or "", getattr(one, "rest", None) or ""} - {""}
        if isinstance(node, ast.Try):
            raised = (one for inner in node.body for one in ast.walk(inner) if isinstance(one, ast.Raise))
            carried = [one.exc for one in raised if one.exc is not None]
            carried += [] if self.strict else [one.value for one in node.body if isinstance(one, ast.Expr)]  # send(…)
            if any(self._expression(one, names) for one in carried):
                names.local |= {handler.name for handler in node.handlers if handler.name}

    def _walrus(self, node: ast.stmt, names: _Names) -> None:
        own = (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
        for one in (inner for child in own for inner in ast.walk(child)):
            if isinstance(one, ast.NamedExpr) and self._expression(one.value, names):
                names.local.add(one.target.id)
            elif isinstance(one, ast.Yield) and not isinstance(node, ast.Expr) and one.value is not None:
                names.returned.append(self._expression(one.value, names))
            elif (
                isinstance(one, ast.Call) and keeps(one) and one is not getattr(node, "value", None) and not self.strict
            ):
                self._call(one, names)  # in a lambda, or an argument

    def _inside(self, node: ast.For | ast.AsyncFor | ast.While | ast.With | ast.AsyncWith, names: _Names) -> None:
        if isinstance(node, (ast.For, ast.AsyncFor)) and self._expression(node.iter, names):
            names.local |= set(_roots(node.target))
        if isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if item.optional_vars is not None and self._expression(item.context_expr, names):
                    self._taint(item.optional_vars, names)
        loop = not isinstance(node, (ast.With, ast.AsyncWith))
        for _ in range(_ROUNDS):  # a value may go from name to name, one further each time round
            before = len(names.local)
            self._block(node.body, names)
            if not loop or self.strict or len(names.local) == before:
                break
        if loop:
            names.over = False
            self._block(getattr(node, "orelse", ()), names)

    def _branches(self, ways: Sequence[Sequence[ast.stmt]], names: _Names) -> None:
        ends = [_Names(set(names.local)) for _ in ways]
        for way, end in zip(ways, ends, strict=True):
            self._block(way, end)
            names.returned += end.returned
        open_ends = [end.local for end in ends if not end.over]
        names.over = not open_ends
        if open_ends:
            names.local = reduce(set.intersection if self.strict else set.union, open_ends)

    def _assign(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, names: _Names) -> None:
        if node.value is None:
            return
        tainted = self._expression(node.value, names)
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Name) and not isinstance(node, ast.AugAssign):
                self._bind(target.id, names, tainted=tainted)
            elif isinstance(target, (ast.Tuple, ast.List)):
                values = node.value.elts if isinstance(node.value, (ast.Tuple, ast.List)) else []
                paired = len(values) == len(target.elts)
                for at, one in enumerate(target.elts):
                    if self._expression(values[at], names) if paired else tainted:
                        self._taint(one, names)
            elif tainted:
                self._taint(target, names)
            elif isinstance(node, ast.Assign) and isinstance(target, ast.Attribute) and self._is_self(target.value):
                self.clean |= set() if _is_empty(node.value) else {target.attr}

    def _bind(self, name: str, names: _Names, *, tainted: bool) -> None:
        if tainted:
            names.local.add(name)
        elif self.strict:
            names.local.discard(name)

    def _taint(self, target: ast.AST, names: _Names) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self._taint(one, names)
            return
        inside = isinstance(target, ast.Subscript) or (isinstance(target, ast.Attribute) and target.attr in STORES)
        key = ""
        while isinstance(target, (ast.Subscript, ast.Attribute, ast.Starred)):
            if isinstance(target, ast.Attribute) and self._is_self(target.value):
                self.attributes |= {target.attr, key}
                return
            key = text_in(target.slice) if isinstance(target, ast.Subscript) else ""
            target = target.value
        if not isinstance(target, ast.Name):  # globals()["softmax"] = …
            names.local.add(_SOMEWHERE)
        else:
            names.local.add(target.id)
            scope = self.scopes.get(target)
            if inside and scope is not None and not self.strict:  # a list of the module's, which others read
                self.dirty |= set(own_names(self.project, target, scope))

    def _call(self, node: ast.AST, names: _Names) -> None:
        """A call on its own line may write into what it is called on, and into its arguments."""
        if isinstance(node, (ast.Yield, ast.YieldFrom)) and node.value is not None:
            names.returned.append(self._expression(node.value, names))
        if not isinstance(node, ast.Call) or not self._expression(node, names):
            return
        if self._is_self(owner_of(node)):
            self.attributes.add(given_name(node) or ("" if self.strict else "forward"))
        for one in (node.func, *node.args, *(keyword.value for keyword in node.keywords)):
            if not isinstance(one, ast.Call):
                self._taint(one, names)

    # ------------------------------------------------------------------------------------------------ expressions

    def _expression(self, node: ast.AST, names: _Names | None = None) -> bool:
        """Whether a value comes from a marked node or from a tainted name."""
        local = names.local if names is not None else set()
        waiting, found = [node], False
        while waiting:
            one = waiting.pop()
            if self._is_beside(one):
                continue
            if one in self.marks:
                self.hits[self.marks[one]] = None
                found = True
            elif self.strict and isinstance(one, ast.IfExp):
                found |= self._expression(one.body, names) and self._expression(one.orelse, names)
                continue
            elif self._refers(one, local):
                found = True
            waiting += ast.iter_child_nodes(one)
        return found

    def _refers(self, node: ast.AST, local: Collection[str]) -> bool:
        if isinstance(node, ast.Name):
            if node.id in local or (node.id == "super" and "super" in self.attributes):
                return True
        elif not isinstance(node, ast.Attribute):
            return False
        elif self._is_self(node.value) and node.attr in self.attributes:
            return not (self.strict and node.attr in self.clean)
        scope = self.scopes.get(node)
        return scope is not None and any(key in self.dirty for key in own_names(self.project, node, scope))

    def _is_beside(self, node: ast.AST) -> bool:
        """Whether nothing of a value comes out of it: a comparison, a print, a shape; not what they have so named."""
        if isinstance(node, ast.Call):
            name = str(getattr(node.func, "attr", getattr(node.func, "id", "")))
            told = (name in _COMPARED or name.startswith("assert")) and name not in self.own
            return told and not any(map(keeps, ast.walk(node)))
        if isinstance(node, ast.Attribute) and self._is_self(node.value) and node.attr in self.attributes:
            return False
        return isinstance(node, ast.Compare) or (
            isinstance(node, ast.Attribute) and node.attr in _FORM | _SMALL and node.attr not in self.own
        )

    def _is_self(self, node: ast.AST) -> bool:
        scope = self.scopes.get(node)
        method = method_of(scope) if scope is not None else None
        return method is not None and isinstance(node, ast.Name) and node.id == method.myself


def _last(parts: Sequence[Part], name: str) -> Sequence[Part]:
    """The last definition of a name; of a value with what is added to it below."""
    at = max((at for at, part in enumerate(parts) if binds(part.node, name)), default=0)
    return parts[at : at + 1] if isinstance(parts[at].node, DEFINITIONS) else parts[at:]


def _is_empty(node: ast.AST) -> bool:
    """Whether it is None, or a list that is yet to be filled."""
    inside = [*getattr(node, "args", ()), *getattr(node, "keywords", ()), *getattr(node, "elts", ())]
    return isinstance(node, (ast.Constant, ast.Call, ast.List)) and not inside


def _roots(target: ast.AST) -> Iterator[str]:
    return (one.id for one in ast.walk(target) if isinstance(one, ast.Name))


def _ways(node: ast.If | ast.Try | ast.Match) -> Sequence[Sequence[ast.stmt]]:
    """Return the ways through a statement."""
    if isinstance(node, ast.If):
        return (node.body, node.orelse)
    if isinstance(node, ast.Match):
        return (*(case.body for case in node.cases), ())
    return ([*node.body, *node.orelse], *(handler.body for handler in node.handlers))
