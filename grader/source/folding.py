"""Strings that an expression of constants makes: ``"soft" + "max"``, ``"".join([...])``, ``"xam"[::-1]``."""

from __future__ import annotations

import ast
import binascii
import codecs
from collections.abc import Callable
from typing import cast

from grader.source.scopes import Scope, lookup, only_value

_LONGEST = 2000
_DEEPEST = 40
_METHODS = frozenset(
    {
        "lower",
        "upper",
        "title",
        "strip",
        "lstrip",
        "rstrip",
        "replace",
        "removeprefix",
        "removesuffix",
        "format",
        "decode",
    }
)

Constant = str | bytes | int | list["Constant"] | None
Memo = dict[ast.expr, Constant]


def fold(node: ast.expr, scope: Scope, memo: Memo, depth: int = 0) -> Constant:
    """Return the constant that ``node`` makes in ``scope``, or None; ``memo`` keeps what was found for each node."""
    if node in memo or depth > _DEEPEST:
        return memo.get(node)
    memo[node] = None  # what refers to itself is no constant
    try:
        memo[node] = _bounded(_fold(node, scope, lambda inner, there: fold(inner, there, memo, depth + 1)))
    except (TypeError, ValueError, IndexError, KeyError, AttributeError, OverflowError, MemoryError):
        memo[node] = None
    return memo[node]


def _bounded(value: Constant) -> Constant:
    too_long = isinstance(value, (str, bytes, list)) and len(value) > _LONGEST
    return None if too_long or (isinstance(value, int) and abs(value) > 1 << 64) else value


def _fold(node: ast.expr, scope: Scope, further: Callable[[ast.expr, Scope], Constant]) -> Constant:  # noqa: PLR0911
    def down(inner: ast.expr) -> Constant:
        return further(inner, scope)

    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, (str, bytes, int)) else None
    if isinstance(node, ast.Name):
        value, there = only_value(node, scope)
        return further(value, there) if value is not None and there is not None else None
    if isinstance(node, ast.BinOp):
        return _operation(node.op, down(node.left), down(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = down(node.operand)
        return -inner if isinstance(inner, int) else None
    if isinstance(node, ast.JoinedStr):
        parts = [down(part.value if isinstance(part, ast.FormattedValue) else part) for part in node.values]
        return "".join(map(str, parts)) if all(isinstance(part, (str, int)) for part in parts) else None
    if isinstance(node, (ast.List, ast.Tuple)):
        items = [down(item) for item in node.elts]
        return None if any(isinstance(item, list) for item in items) else items  # lists of lists could grow for ever
    if isinstance(node, ast.Subscript):
        return _item(down(node.value), node.slice, down)
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        return _each(node, down)
    return _call(node, down) if isinstance(node, ast.Call) else _own_name(node, scope)


def _operation(operator: ast.operator, left: Constant, right: Constant) -> Constant:
    if isinstance(operator, ast.Add) and isinstance(left, (str, bytes)):
        return left + right  # type: ignore[operator]
    if isinstance(operator, ast.Add) and isinstance(left, int) and isinstance(right, int):
        return left + right
    if isinstance(operator, ast.Mult) and isinstance(left, str) and isinstance(right, int):
        return left * right if right < _LONGEST else None
    if isinstance(operator, ast.Mod) and isinstance(left, str) and "*" not in left and not any(map(str.isdigit, left)):
        return left % (tuple(right) if isinstance(right, list) else right)
    return None


def _item(value: Constant, index: ast.expr, down: Callable[[ast.expr], Constant]) -> Constant:
    if not isinstance(value, (str, bytes, list)):
        return None
    if not isinstance(index, ast.Slice):
        at = down(index)
        return value[at] if isinstance(at, int) else None
    bounds = [None if bound is None else down(bound) for bound in (index.lower, index.upper, index.step)]
    return value[slice(*cast("list[int | None]", bounds))]


def _own_name(node: ast.expr, scope: Scope) -> Constant:
    """``f.__name__`` of a function of the submission."""
    named = isinstance(node, ast.Attribute) and node.attr == "__name__" and isinstance(node.value, ast.Name)
    bindings = lookup(node.value.id, scope)[0] if named else []  # type: ignore[attr-defined]
    names = [one.definition.name for one in bindings if one.definition is not None]
    return names[0] if names and len(bindings) == 1 else None


def _each(node: ast.GeneratorExp | ast.ListComp, down: Callable[[ast.expr], Constant]) -> Constant:
    """``c for c in "softmax"`` and ``chr(n) for n in [115, 111]``."""
    loop, element = node.generators[0], node.elt
    items = down(loop.iter)
    if len(node.generators) > 1 or loop.ifs or not isinstance(items, (str, list)) or len(items) > _LONGEST:
        return None
    function = element.func if isinstance(element, ast.Call) and len(element.args) == 1 else None
    inner = element.args[0] if isinstance(element, ast.Call) and function is not None else element
    if not (isinstance(inner, ast.Name) and isinstance(loop.target, ast.Name) and inner.id == loop.target.id):
        return None
    if function is None:
        return list(items)
    return [chr(cast("int", item)) for item in items] if _is_called(function, "chr") else None


def _is_called(node: ast.expr, name: str) -> bool:
    return name in (getattr(node, "id", ""), getattr(node, "attr", ""))


def _decoded(node: ast.Call, arguments: list[Constant]) -> Constant:
    """What common codings make of a text: base64, rot13, hexadecimal digits."""
    first = arguments[0] if arguments else None
    if isinstance(first, (str, bytes)) and _is_called(node.func, "b64decode"):
        return binascii.a2b_base64(first)
    if isinstance(first, str) and _is_called(node.func, "fromhex"):
        return bytes.fromhex(first)
    if isinstance(first, str) and _is_called(node.func, "decode") and arguments[1:] in (["rot13"], ["rot_13"]):
        return codecs.decode(first, "rot13")
    if len(node.args) == 2 and _is_called(node.func, "map") and _is_called(node.args[0], "chr"):  # noqa: PLR2004
        return [chr(cast("int", item)) for item in cast("list[Constant]", arguments[1])]
    return None


def _call(node: ast.Call, down: Callable[[ast.expr], Constant]) -> Constant:
    arguments = [down(argument) for argument in node.args]
    if not node.keywords and (decoded := _decoded(node, arguments)) is not None:
        return decoded
    if node.keywords or None in arguments:
        return None
    if isinstance(node.func, ast.Name):
        return _function(node.func.id, arguments[0]) if len(arguments) == 1 else None
    return _method(down(node.func.value), node.func.attr, arguments) if isinstance(node.func, ast.Attribute) else None


def _function(name: str, argument: Constant) -> Constant:
    if name == "chr" and isinstance(argument, int):
        return chr(argument)
    if name == "bytes" and isinstance(argument, list):
        return bytes(cast("list[int]", argument))
    if isinstance(argument, (str, list)):
        if name == "reversed":
            return list(reversed(argument))
        return list(argument) if name in {"list", "tuple"} else argument if name == "str" else None
    return None


def _method(value: Constant, name: str, arguments: list[Constant]) -> Constant:
    """Call a method of a text that cannot make a long one out of it."""
    if not isinstance(value, (str, bytes)):
        return None
    if name == "split" and isinstance(value, str):
        return cast("list[Constant]", value.split(cast("str", arguments[0]) if arguments else None))
    if name == "join" and isinstance(value, str):
        return value.join(cast("list[str]", arguments[0]))
    widens = name == "format" and any(sign in str(value) for sign in ":.[!")
    grows = name == "replace" and len(value) * len(str(arguments[-1])) > _LONGEST
    unusual = name == "decode" and arguments not in ([], ["utf-8"], ["ascii"])
    if name not in _METHODS or widens or grows or unusual:
        return None
    return cast("Constant", getattr(value, name)(*arguments))
