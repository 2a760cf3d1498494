"""What a call of a known function stands for: the ways in which Python reaches a name by a text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from grader.intake.syntax import parse
from grader.source.project import KnownCall, Project
from grader.source.resolve import GIVEN, TABLE, constant, constants, entry, expand, member, resolve, tables
from grader.source.scopes import Scope, absolute, lookup, only_value

Given = str | None  # what the function was given at an earlier call, where this is the second one
_LONGEST_PATH = 12


def text_of(project: Project, node: ast.expr, scope: Scope) -> str | None:
    """Return the constant code that ``node`` stands for, through ``compile`` and ``ast.parse``; None for others."""
    for _ in range(_LONGEST_PATH):
        if isinstance(node, ast.Name):
            value, there = only_value(node, scope)
            if value is None or there is None:
                return None
            node, scope = value, there
        wrapped = isinstance(node, ast.Call) and node.args and resolve(project, node.func, scope) & _WRAPPERS
        if not (wrapped and isinstance(node, ast.Call)):
            text = constant(project, node, scope)
            text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
            return text if isinstance(text, str) else None
        node = node.args[0]
    return None


_WRAPPERS = frozenset({"builtins.compile", "ast.parse", "textwrap.dedent", "inspect.cleandoc"})


def _argument(node: ast.Call, at: int, name: str) -> ast.expr | None:
    if len(node.args) > at:
        return node.args[at]
    return next((keyword.value for keyword in node.keywords if keyword.arg == name), None)


def _word(project: Project, node: ast.expr | None, scope: Scope) -> str | None:
    word = constant(project, node, scope) if node is not None else None
    return word if isinstance(word, str) else None


def _words(project: Project, node: ast.expr, scope: Scope) -> list[str]:
    """Return the texts that ``node`` may be: a constant, or each that a loop gives to a name."""
    word = _word(project, node, scope)
    if word is not None:
        return [word]
    return constants(project, node.id, scope) if isinstance(node, ast.Name) else []


def _getattr(project: Project, node: ast.Call, scope: Scope, depth: int, _: Given) -> Iterator[str]:
    words = _words(project, node.args[1], scope) if len(node.args) > 1 else []
    if len(words) > 1 and (begins := _begins(node, scope)):
        for value, there in begins:
            for base in resolve(project, value, there, depth):
                yield from member(project, base, ".".join(words[:_LONGEST_PATH]), depth)
        return
    for word in words:
        for base in resolve(project, node.args[0], scope, depth):
            yield from member(project, base, word, depth)
    for default in node.args[2:]:
        yield from resolve(project, default, scope, depth)


def _begins(node: ast.Call, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Return where ``obj = getattr(obj, part)`` begins, which goes a path of names in a loop; empty for other calls."""
    first = node.args[0]
    bindings = lookup(first.id, scope)[0] if isinstance(first, ast.Name) else []
    if all(one.value is not node for one in bindings):
        return []
    others = [(one.value, one.scope) for one in bindings if one.value is not node]
    return [(value, there) for value, there in others if value is not None and there is not None]


def _vars(project: Project, node: ast.Call, scope: Scope, depth: int, _: Given) -> Iterator[str]:
    for one in node.args[:1]:
        yield from (f"{base}.{TABLE}" for base in resolve(project, one, scope, depth))


def _same_table(project: Project, node: ast.Call, scope: Scope, depth: int, _: Given) -> Iterator[str]:
    for one in (*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg is None)):
        yield from tables(project, one, scope, depth)


def _import_module(project: Project, node: ast.Call, scope: Scope, depth: int, _: Given) -> Iterator[str]:
    word = _word(project, _argument(node, 0, "name"), scope)
    given = _argument(node, 1, "package")
    package = _word(project, given, scope) if given is not None else scope.package
    if word is not None:
        level = len(word) - len(word.lstrip("."))
        yield from expand(project, absolute(word.lstrip("."), level, str(package)), depth)


def _dunder_import(project: Project, node: ast.Call, scope: Scope, depth: int, _: Given) -> Iterator[str]:
    word, wanted = _word(project, _argument(node, 0, "name"), scope), _argument(node, 3, "fromlist")
    whole = isinstance(wanted, (ast.List, ast.Tuple)) and bool(wanted.elts)
    if word is not None:
        yield from expand(project, word if whole else word.partition(".")[0], depth)


def _located(project: Project, node: ast.Call, scope: Scope, depth: int, _: Given) -> Iterator[str]:
    word = _word(project, node.args[0], scope) if node.args else None
    if word is not None:
        yield from expand(project, word.replace(":", "."), depth)


def _eval(project: Project, node: ast.Call, scope: Scope, depth: int, _: Given) -> Iterator[str]:
    word = text_of(project, node.args[0], scope) if node.args else None
    tree = parse(word.strip()) if word is not None else None
    if isinstance(tree, ast.Module) and tree.body and isinstance(tree.body[0], ast.Expr):
        yield from resolve(project, tree.body[0].value, scope, depth)


def _first(project: Project, node: ast.Call, scope: Scope, depth: int, _: Given) -> Iterator[str]:
    for one in node.args[:1]:
        yield from resolve(project, one, scope, depth)


def _attrgetter(project: Project, node: ast.Call, scope: Scope, depth: int, given: Given) -> Iterator[str]:
    if given is None:
        yield from _waiting(project, "operator.attrgetter", node.args, scope)
    elif node.args:
        for base in resolve(project, node.args[0], scope, depth):
            yield from member(project, base, given, depth)


def _itemgetter(project: Project, node: ast.Call, scope: Scope, depth: int, given: Given) -> Iterator[str]:
    if given is None:
        yield from _waiting(project, "operator.itemgetter", node.args, scope)
    elif node.args:
        for base in tables(project, node.args[0], scope, depth):
            yield from member(project, base.removesuffix("." + TABLE), given, depth)


def _table_entry(project: Project, node: ast.Call, scope: Scope, depth: int, _: Given) -> Iterator[str]:
    if len(node.args) > 1:
        yield from entry(project, node.args[0], node.args[1], scope, depth)


def _methodcaller(project: Project, node: ast.Call, scope: Scope, depth: int, given: Given) -> Iterator[str]:
    """What it calls is a method of a value, unless it is given a module."""
    if given is None:
        yield from _waiting(project, "operator.methodcaller", node.args[:1], scope)
    else:
        yield from _attrgetter(project, node, scope, depth, given)


def _waiting(project: Project, function: str, words: Sequence[ast.expr], scope: Scope) -> Iterator[str]:
    """A function that was given texts and waits for what has them."""
    for word in (_word(project, one, scope) for one in words):
        if word is not None:
            yield f"{function}{GIVEN}{word}"


def _reduce(project: Project, node: ast.Call, scope: Scope, depth: int, _: Given) -> Iterator[str]:
    """``functools.reduce(getattr, ["nn", "functional"], torch)``: a path of names."""
    if len(node.args) != 3:  # noqa: PLR2004 - the function, the path, where it begins
        return
    function, path, begin = node.args
    walks = isinstance(function, ast.Lambda) or "builtins.getattr" in resolve(project, function, scope, depth)
    words = constant(project, path, scope) if walks else None
    if not isinstance(words, list) or not 0 < len(words) <= _LONGEST_PATH:
        return
    if all(isinstance(word, str) for word in words):
        for base in resolve(project, begin, scope, depth):
            yield from member(project, base, ".".join(map(str, words)), depth)


# What a call of these stands for.
CALLS: Mapping[str, KnownCall] = MappingProxyType(
    {
        "builtins.getattr": _getattr,
        "inspect.getattr_static": _getattr,
        "builtins.vars": _vars,
        "builtins.dir": _vars,
        "inspect.getmembers": _vars,
        "inspect.getmembers_static": _vars,
        "builtins.dict": _same_table,
        "builtins.list": _same_table,
        "builtins.sorted": _same_table,
        "builtins.filter": _same_table,
        "builtins.__import__": _dunder_import,
        "importlib.__import__": _dunder_import,
        "importlib.import_module": _import_module,
        "pydoc.locate": _located,
        "pkgutil.resolve_name": _located,
        "builtins.eval": _eval,
        "functools.partial": _first,
        "functools.reduce": _reduce,
        "operator.attrgetter": _attrgetter,
        "operator.itemgetter": _itemgetter,
        "operator.getitem": _table_entry,
        "builtins.dict.get": _table_entry,
        "builtins.dict.__getitem__": _table_entry,
        "operator.methodcaller": _methodcaller,
        "importlib.reload": _first,
        "copy.copy": _first,
        "copy.deepcopy": _first,
        "builtins.next": _first,
        "builtins.iter": _first,
        "builtins.staticmethod": _first,
    }
)
