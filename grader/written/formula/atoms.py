"""Atoms of a formula: numbers, names with their indices, brackets, fractions, roots, calls and sums."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

from grader.written.formula.attached import raised
from grader.written.formula.names import symbol
from grader.written.formula.series import spread
from grader.written.formula.spelling import Lexicon
from grader.written.formula.tokens import Token, flat
from grader.written.formula.tree import Call, Div, Dots, Mul, Node, Num, Pow, Seq, Sum, Sym, Transpose, UnreadableError
from grader.written.formula.values import free_letters

HEAD_COUNTS = (8, 16)  # the base and the big model of the paper
_CLOSERS = {"(": {")"}, "[": {"]"}, "{": {"rbrace", "}", "rbrack"}, "<": {"rangle"}}
_FACTOR_ONLY = frozenset({"softmax", "log", "exp", "layernorm", "relu", "abs", "dropout", "sigmoid", "tanh"})
_ROW_MARKS = re.compile(r"(?:by)?_?(?:row|rows|rowwise|row-wise|axis=?-?1|dim=?-?1|last|keys?)", re.IGNORECASE)
_COLUMN_MARKS = re.compile(r"(?:col|cols|column|columns|columnwise|col-wise|column-wise)", re.IGNORECASE)


class Reader(Protocol):
    """What the atoms need of the parser."""

    lexicon: Lexicon
    aliases: Mapping[str, str]
    tokens: list[Token]
    at: int
    doubts: list[str]

    @property
    def now(self) -> Token: ...  # noqa: D102
    def peek(self, ahead: int = 1) -> Token: ...  # noqa: D102
    def take(self, text: str | None = None) -> Token: ...  # noqa: D102
    def expression(self) -> Node: ...  # noqa: D102
    def product(self) -> Node: ...  # noqa: D102
    def signed(self) -> Node: ...  # noqa: D102
    def power(self) -> Node: ...  # noqa: D102
    def items(self, close: Callable[[Token], bool]) -> tuple[list[Node], list[tuple[str, Node]], bool]: ...  # noqa: D102


def atom(reader: Reader) -> Node:  # noqa: PLR0911 - one way in for each kind of token
    """Read one atom without what is raised behind it."""
    token = reader.now
    if token.kind == "num":
        reader.take()
        return Num(float(token.text))
    if token.kind == "word":
        return _sum(reader) if token.text == "sum" else _name(reader)
    if token.kind == "func":
        return _call(reader)
    if token.kind == "open":
        return _bracket(reader)
    if token.kind == "group":
        return _group(reader)
    if token.text == "frac":
        reader.take()
        top = _argument(reader)
        return Div(top, _argument(reader))
    if token.text == "…":
        reader.take()
        return Dots()
    if token.text == "." and reader.peek().text == "." and reader.peek(2).text == ".":
        reader.at += 3
        return Dots()
    if token.text in {"||", "⊕"}:
        reader.take()
        return _sum(reader, joins=True)
    raise UnreadableError(f"“{token.text or 'the end'}” was not expected here.")


def _group(reader: Reader) -> Node:
    r"""Read what stands in invisible braces; `{a \over b}` is a fraction."""
    reader.take("{")
    if reader.now.kind == "endgroup":
        reader.take()
        return reader.power()
    node = reader.expression()
    if reader.now.text == "//over":
        reader.take()
        node = Div(node, reader.expression())
    if reader.now.kind != "endgroup":
        if not reader.now.text:
            raise UnreadableError("A brace is not closed.")
        raise UnreadableError(f"“{reader.now.text}” was not expected inside the braces.")
    reader.take()
    return node


def _argument(reader: Reader) -> Node:
    r"""Read the argument of \frac: a group or a single token (`\frac12` is one half)."""
    token = reader.now
    if token.kind == "num" and len(token.text) > 1 and token.text.isdigit():
        reader.tokens[reader.at] = replace(token, text=token.text[1:], glued=True)
        return Num(float(token.text[0]))
    if token.kind == "group":
        return _group(reader)
    return atom(reader)


def _bracket(reader: Reader) -> Node:
    """Read brackets: one item is that item, several are a list or, in square brackets, side by side."""
    opening = reader.take().text
    closers = _CLOSERS[opening]
    items, options, joins = reader.items(lambda token: token.kind == "close" and token.text in closers)
    if options or not items:
        raise UnreadableError("Empty brackets, or a setting where a factor was expected.")
    if opening == "<" and len(items) == 2:  # noqa: PLR2004 - an inner product has two sides
        return Mul(items[0], Transpose(items[1]))
    if opening == "<":
        raise UnreadableError("Angle brackets may be a product or a mean; a person should look.")
    items = _spread(items)
    if len(items) == 1 and reader.now.text == "_" and "=" in {reader.peek(ahead).text for ahead in (2, 3)}:
        var, low, high = _bounds(reader)  # {head_i}_{i=1}^h
        return Call("concat", (Sum(var, low, high, items[0], joins=True),))
    if (
        joins
        or (len(items) > 1 and opening == "[")
        or (opening == "[" and isinstance(items[0], Sum) and items[0].joins)
    ):
        return Call("concat", (Seq(tuple(items)),))
    return items[0] if len(items) == 1 else Seq(tuple(items))


def _spread(items: list[Node]) -> list[Node]:
    """Replace a_1, …, a_h by one running item."""
    if len(items) in HEAD_COUNTS and not any(isinstance(item, Dots) for item in items):
        try:
            return [spread(items, joins=True)]
        except UnreadableError:
            return items
    match items:
        case [Mul(left=Mul(left=first, right=Dots()), right=last)]:  # head_1 … head_h without commas
            return [spread([first, last], joins=True)]
    if not any(isinstance(item, Dots) for item in items):
        return items
    if len(items) < 3 or not isinstance(items[-2], Dots):  # noqa: PLR2004 - first, dots, last
        raise UnreadableError("A list with dots needs a first and a last item.")
    return [spread([item for item in items if not isinstance(item, Dots)], joins=True)]


def subscript(reader: Reader) -> str:
    """Read what stands after `_` and return it as flat text."""
    reader.take("_")
    token = reader.now
    if token.kind not in {"group", "open"}:
        return flat([reader.take()])
    depth, start = 0, reader.at
    while True:
        token = reader.take()
        depth += token.kind in {"group", "open"}
        depth -= token.kind in {"endgroup", "close"}
        if depth == 0:
            inside = reader.tokens[start + 1 : reader.at - 1]
            return flat([part for part in inside if part.text != "frac"])


def _name(reader: Reader) -> Node:
    r"""Read a symbol with its indices and labels, in any order: W_i^Q, W^Q_i, W^{Q\top}."""
    token = reader.take()
    base, sub, label = token.text, "", ""
    flipped = False
    if (
        reader.now.kind == "num"
        and reader.now.glued
        and re.fullmatch(r"[A-Za-z]|head", base)
        and "." not in reader.now.text
    ):
        sub = reader.take().text
    while True:
        if reader.now.text == "_" and not sub and reader.peek().text != "+":
            sub = subscript(reader)
        elif reader.now.text == "_" and label and sub:
            break
        elif reader.now.text == "^" and not label:
            found = raised(reader, base)
            if found is None:
                break
            label, turned = found
            flipped = flipped or turned
            if turned:
                break
        else:
            break
    named = _primed(reader, symbol(base, sub, label, reader.aliases))
    return Transpose(named) if flipped else named


def _primed(reader: Reader, named: Sym) -> Sym:
    """A prime is part of a name where the student defined it so, or where nothing is transposed."""
    while reader.now.text == "'" and (not reader.lexicon.matrices or f"{named.name}'" in reader.lexicon.words):
        reader.take()
        named = replace(named, name=named.name + "'")
    return named


def _mark(reader: Reader) -> str:
    if reader.now.text != "_":
        return ""
    if reader.peek().text == "+":
        return ""
    text = subscript(reader)
    if _ROW_MARKS.fullmatch(text):
        return "row"
    return "column" if _COLUMN_MARKS.fullmatch(text) else text


def _call(reader: Reader) -> Node:
    """Read a function with its argument in brackets, in braces or bare."""
    name = reader.take().text
    mark, exponent = "", None
    if name == "sqrt" and reader.now.text == "[" and _root_index(reader):
        return _root(reader)
    while reader.now.text in {"_", "^"} and reader.peek().text != "+":
        if reader.now.text == "_":
            if name == "concat":
                return _joined(reader)
            mark = _mark(reader)
        else:
            reader.take()
            if reader.now.text in {"T", "'"}:
                raise UnreadableError("A transposed function name is not understood.")
            exponent = _argument(reader) if reader.now.text != "-" else reader.signed()
    node = _applied(reader, name, mark)
    return node if exponent is None else Pow(node, exponent)


def _applied(reader: Reader, name: str, mark: str) -> Node:  # noqa: PLR0911 - one way to give an argument each
    token = reader.now
    if token.kind == "open":
        closers = _CLOSERS[reader.take().text]
        items, options, joins = reader.items(lambda part: part.kind == "close" and part.text in closers)
        if not items:
            if name == "relu" and reader.now.kind == "open":  # nn.ReLU()(x)
                return _applied(reader, name, mark)
            raise UnreadableError("A function without an argument.")
        items = _spread(items)
        if joins and name != "concat" and name not in {"max", "min"}:
            items = [Call("concat", (Seq(tuple(items)),))]
        return Call(name, tuple(items), tuple(options), mark)
    if token.kind == "group" and name in {"max", "min"}:
        reader.take()
        items, options, _ = reader.items(lambda part: part.kind == "endgroup")
        return Call(name, tuple(items), tuple(options), mark)
    if token.kind == "group":
        return Call(name, (_group(reader),), (), mark)
    if name == "sqrt":
        return Call(name, (atom(reader),))
    if token.kind in {"num", "word", "func"} or token.text in {"frac", "-"}:
        if name in {"max", "min", "concat", "transpose"}:
            raise UnreadableError(f"“{name}” needs brackets around its arguments.")
        argument = reader.power() if name in _FACTOR_ONLY and token.text != "-" else reader.product()
        return Call(name, (argument,), (), mark)
    return Sym(name)


def _root_index(reader: Reader) -> bool:
    """Say whether [ ] after a root holds its index: a group follows it."""
    close = next((n for n in range(reader.at, len(reader.tokens)) if reader.tokens[n].text == "]"), None)
    return close is not None and close + 1 < len(reader.tokens) and reader.tokens[close + 1].kind == "group"


def _root(reader: Reader) -> Node:
    reader.take("[")
    index = reader.expression()
    reader.take("]")
    return Pow(_group(reader), Div(Num(1.0), index))


def _bounds(reader: Reader) -> tuple[str, Node | None, Node | None]:
    """Read the limits of a sum in either order: `_{i=1}^{d_k}`."""
    var, low, high = "", None, None
    while reader.now.text in {"_", "^"}:
        if reader.take().text == "_":
            grouped = reader.now.kind in {"group", "open"}
            if grouped:
                reader.take()
            var = reader.take().text
            if grouped and reader.now.text in {"=", ","}:
                reader.take()
                low = reader.expression()
            elif grouped and reader.now.text == "∈":
                _whole_set(reader, var)
            if grouped:
                if reader.now.kind not in {"endgroup", "close"}:
                    raise UnreadableError("The limits of the sum cannot be read.")
                reader.take()
        else:
            high = _argument(reader) if reader.now.kind != "word" else _name(reader)
    return var, low, high


def _whole_set(reader: Reader, var: str) -> None:
    """Read past the set that an index runs over: a capital letter, [n] or {1, …, n}."""
    start = reader.at + 1
    while reader.now.kind != "endgroup" and reader.now.text:
        reader.take()
    inside = flat(reader.tokens[start : reader.at])
    if (
        not re.fullmatch(r"[A-Z]|[(]?\\?\[?\{?1?,*[….]*,*[a-zA-Z](?:_[a-z])?\}?\]?[)]?", inside)
        or inside.strip("()[]") == var
    ):
        raise UnreadableError("What the sum runs over is not clear.")


def _sum(reader: Reader, *, joins: bool = False) -> Node:
    """Read a sum with its limits; the body is the product that follows."""
    if not joins:
        reader.take()
    var, low, high = _bounds(reader)
    if not var and not joins and reader.now.kind == "open":
        return _applied(reader, "sum", "")
    if not var and not joins:
        body = reader.product()
        letters = free_letters(body)
        if len(letters) == 1:  # Σ q_i k_i can only run over i
            return Sum(letters.pop(), low, high, body)
        raise UnreadableError("A sum needs a running index.")
    if not re.fullmatch(r"[a-z]", var):
        raise UnreadableError("A sum needs a running index.")
    if joins:
        return Call("concat", (Sum(var, low, high, reader.power(), joins=True),))
    return Sum(var, low, high, reader.product())


def _joined(reader: Reader) -> Node:
    """Read Concat_{i=1}^{h}(…)."""
    var, low, high = _bounds(reader)
    if not re.fullmatch(r"[a-z]", var):
        raise UnreadableError("Concat needs a running index.")
    return Call("concat", (Sum(var, low, high, reader.power(), joins=True),))
