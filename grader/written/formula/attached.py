"""What stands behind an atom: powers, transposes, positive parts, attributes and slices."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from grader.written.formula.names import is_weight
from grader.written.formula.spelling import Lexicon, is_attribute
from grader.written.formula.tokens import Token, flat
from grader.written.formula.tree import Call, Div, Mul, Neg, Node, Num, Pow, Sym, Transpose, UnreadableError

_TURNS = frozenset({"T", "'", "t", "tr", "Tr", "transpose"})
_LABELLED = re.compile(r"[A-Z]|b|x|h|z|head|[QKVXZHWq]_.*")
_LABEL = re.compile(r"\(?(?:[QKVOqkvo]|[a-z]|\d|out|query|key|value|output|[a-z][+-]\d)\)?(?:,[a-z])?")
_RENAMED = {"t": "transpose", "mm": "matmul", "dot": "matmul", "bmm": "matmul", "clip": "clamp", "mT": "T"}


class Tail(Protocol):
    """What this module needs of the parser."""

    lexicon: Lexicon
    tokens: list[Token]
    at: int
    doubts: list[str]

    @property
    def now(self) -> Token: ...  # noqa: D102
    def peek(self, ahead: int = 1) -> Token: ...  # noqa: D102
    def take(self, text: str | None = None) -> Token: ...  # noqa: D102
    def expression(self) -> Node: ...  # noqa: D102
    def signed(self) -> Node: ...  # noqa: D102
    def power(self) -> Node: ...  # noqa: D102
    def items(self, close: Callable[[Token], bool]) -> tuple[list[Node], list[tuple[str, Node]], bool]: ...  # noqa: D102


def _group_at(tail: Tail, start: int) -> list[Token] | None:
    """Return the tokens inside the group or bracket that begins at `start`, or None."""
    if start >= len(tail.tokens) or tail.tokens[start].kind not in {"group", "open"}:
        return None
    depth = 0
    for end in range(start, len(tail.tokens)):
        depth += tail.tokens[end].kind in {"group", "open"}
        depth -= tail.tokens[end].kind in {"endgroup", "close"}
        if depth == 0:
            return tail.tokens[start + 1 : end]
    return None


def raised(tail: Tail, base: str) -> tuple[str, bool] | None:
    """Read `^…` behind a name when it is a label (W^Q, x^{(l)}); return it and whether a transpose follows.

    None leaves the `^` for the power rule.
    """
    following = tail.peek()
    inside = _group_at(tail, tail.at + 1) if following.kind == "group" or (following.text == "(") else None
    content = inside if inside is not None else [following]
    if not content or not _LABELLED.fullmatch(base) or content[0].kind not in {"word", "num", "open", "func"}:
        return None
    turned = len(content) > 1 and content[-1].text in {"T", "'"} and content[-1].kind == "op"
    if turned:
        content = [token for token in content[:-1] if token.text != "^"]
    text = flat(content)
    bracketed = following.text == "(" or content[0].kind == "open"
    weight = is_weight(base) or base == "b"
    if text in _TURNS and not turned and not bracketed and not (weight and text != "T"):
        return None
    if text == "T" or not _LABEL.fullmatch(text):
        return None
    layer = tail.lexicon.opaque and text in {"l", "n", "t", "i", "k"}  # x^l, the input of layer l
    if (
        not weight
        and not bracketed
        and not layer
        and not (base == "head" or (re.fullmatch(r"[a-z]", text) and base.isupper()))
    ):
        return None
    if not weight and text[-1:].isdigit() and not bracketed:
        return None
    tail.at += 2 if inside is None else len(inside) + 3
    return text.strip("()"), turned


def attached(tail: Tail, node: Node) -> Node:
    """Read everything that stands behind `node`."""
    while True:
        token = tail.now
        if token.text == "^" and token.kind == "op":
            node = _raised(tail, node)
        elif (token.text == "'" and tail.lexicon.matrices) or (token.text == "T" and token.kind == "op"):
            tail.take()
            node = Transpose(node)
        elif token.text == "_" and tail.peek().text == "+":
            tail.at += 2
            node = Call("relu", (node,))
        elif (
            token.text == "_"
            and _group_at(tail, tail.at + 1) is not None
            and flat(_group_at(tail, tail.at + 1) or []) == "+"
        ):
            tail.at += 4
            node = Call("relu", (node,))
        elif token.text == "_" and tail.tokens[tail.at - 1].kind == "close" and (indices := _indices(tail)):
            node = Call("entry", (node, *indices))
        elif token.text == "." and is_attribute(tail.tokens, tail.at + 1):
            node = _attribute(tail, node)
        elif token.kind == "word" and token.text in {"transpose", "transposed"}:
            tail.take()
            node = Transpose(node)
        else:
            return node


def _indices(tail: Tail) -> tuple[Node, ...]:
    """Read the letters below a closing bracket, (W_1)_{ij}, as indices; return () where they are something else."""
    inside = _group_at(tail, tail.at + 1)
    text = flat(inside if inside is not None else [tail.peek()])
    if not re.fullmatch(r"[a-z],?[a-z]?", text):
        return ()
    tail.at += 2 if inside is None else len(inside) + 3
    return tuple(Sym(letter) for letter in text.replace(",", ""))


def _turn(tail: Tail, node: Node) -> Node:
    """Transpose what a superscript T visually stands on: in `{QK}^T` that is K alone."""
    before = tail.tokens[tail.at - 1]
    if before.kind == "endgroup" and isinstance(node, Mul):
        return replace(node, right=Transpose(node.right))
    return Transpose(node)


def _raised(tail: Tail, node: Node) -> Node:
    following = tail.peek()
    inside = _group_at(tail, tail.at + 1) if following.kind == "group" else None
    content = inside if inside is not None else [following]
    text = flat(content) if content else ""
    marks = {token.text for token in content}
    matrix = tail.lexicon.matrices and not isinstance(node, Num)
    turns = marks <= {"T", "'"} or (matrix and text in _TURNS)
    if turns or text == "+":
        result = Call("relu", (node,)) if text == "+" else _turn(tail, node)
        tail.at += 2 if inside is None else len(inside) + 3
        return result
    tail.take("^")
    return Pow(node, _exponent(tail, plain=isinstance(node, Num)))


def _exponent(tail: Tail, *, plain: bool) -> Node:
    token = tail.now
    if token.kind in {"group", "open"}:
        return tail.power()
    negative = token.kind == "op" and token.text in {"-", "+"}
    if negative:
        tail.take()
    number = tail.now
    exponent = _plain_exponent(tail, number, plain=plain)
    return Neg(exponent) if negative and token.text == "-" else exponent


def _plain_exponent(tail: Tail, number: Token, *, plain: bool) -> Node:
    """Read an exponent without braces; x^-1/2 is meant as a power of minus one half."""
    slash, under = tail.peek(), tail.peek(2)
    if number.kind == "num" and number.text in {"1", "3"} and slash.text == "/" and slash.glued and under.text == "2":
        tail.at += 3
        tail.doubts.append("An exponent such as ^-1/2 should stand in brackets.")
        return Div(Num(float(number.text)), Num(2.0))
    if plain and number.kind == "num" and slash.kind == "word" and slash.glued:
        raise UnreadableError("It is not clear how much stands in the exponent; please use brackets.")
    if number.kind == "word":
        tail.take()
        return _word_exponent(tail, number)
    if number.kind == "num":
        tail.take()
        return Num(float(number.text))
    return tail.power()


def _word_exponent(tail: Tail, number: Token) -> Node:
    if tail.now.glued and tail.now.kind in {"word", "num"}:
        raise UnreadableError("It is not clear how much stands in the exponent; please use brackets.")
    return Sym(number.text)


def _attribute(tail: Tail, node: Node) -> Node:
    """Read .T, .transpose(-2, -1), .dot(V), .shape[-1], .softmax(-1) and their like."""
    tail.take(".")
    name = tail.take().text
    if name in {"T", "mT"}:
        return Transpose(node)
    arguments: tuple[Node, ...] = ()
    options: list[tuple[str, Node]] = []
    if tail.now.kind == "open":
        closing = ")" if tail.take().text == "(" else "]"
        found, options, _ = tail.items(lambda token: token.text == closing)
        arguments = tuple(found)
    name = _RENAMED.get(name, name)
    if name in {"transpose", "permute", "swapaxes"}:
        if arguments and not _swaps(arguments):
            raise UnreadableError("Which axes are swapped is not clear.")
        return Transpose(node)
    if name in {"shape", "size"}:
        return Call("dim", (node, *arguments))
    if name in {"div", "mul"} and len(arguments) == 1 and not options:
        return Div(node, arguments[0]) if name == "div" else Mul(node, arguments[0], entrywise=True)
    if name in {"float", "item"}:
        return node
    if name in {"view", "sum"} and name == "view":
        raise UnreadableError("A reshaped array is read by a person.")
    return Call(name, (node, *arguments), tuple(options))


def _swaps(arguments: tuple[Node, ...]) -> bool:
    """Say whether the axes given are the last two, swapped."""
    numbers = [_whole(part) for part in arguments]
    return numbers in ([-2.0, -1.0], [-1.0, -2.0], [0.0, 1.0], [1.0, 0.0], [1.0, 2.0], [2.0, 1.0])


def _whole(part: Node) -> float | None:
    match part:
        case Num(value=value):
            return value
        case Neg(body=Num(value=value)):
            return -value
        case _:
            return None
