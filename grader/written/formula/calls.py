"""Functions with their arguments, sums and lists over a running index."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from grader.written.formula.errors import UnreadableError
from grader.written.formula.lexer import flat, group_at
from grader.written.formula.tails import Steps
from grader.written.formula.tree import DOTS, NOTHING, Node, call, index_letters, node, num, sym
from grader.written.formula.vocabulary import SIZE_NAMES

_FACTOR_ONLY = frozenset({"softmax", "log", "exp", "layernorm", "relu", "abs", "dropout", "sigmoid", "tanh"})
_LAYERS = _FACTOR_ONLY - {"log", "exp", "abs"}
_ROW_MARKS = re.compile(r"(?:by)?_?(?:row|rows|rowwise|row-wise|axis=?-?1|dim=?-?1|last|keys?)", re.IGNORECASE)
_COLUMN_MARKS = re.compile(r"(?:col|cols|column|columns|columnwise|col-wise|column-wise)", re.IGNORECASE)
_SET = re.compile(r"[A-Z]|[(]?\\?\[?\{?1?,*[….]*,*[a-zA-Z](?:_[a-z])?\}?\]?[)]?")


class Calls(Steps):
    """Reads functions and sums."""

    def function(self) -> Node:
        """Read a function with its argument in brackets, in braces or bare."""
        name = self.take().text
        mark, exponent = "", None
        if name == "sqrt" and self.now.text == "[":
            inside = group_at(self.tokens, self.at) or []
            if self.peek(len(inside) + 2).kind == "group":  # \sqrt[3]{…}
                self.take()
                index = self.expression()
                self.take("]")
                return node("^", self.group(), node("/", num(1), index))
        while self.now.text in {"_", "^"} and self.peek().text != "+":
            if self.now.text == "_" and name == "concat":
                return self.joined()
            if self.now.text == "_":
                text = self.subscript()
                mark = "row" if _ROW_MARKS.fullmatch(text) else "column" if _COLUMN_MARKS.fullmatch(text) else text
                continue
            self.take()
            if self.now.text in {"T", "'"}:
                raise UnreadableError("A transposed function name is not understood.")
            exponent = self.argument() if self.now.text != "-" else self.signed()
        tree = self.applied(name, mark)
        return tree if exponent is None else node("^", tree, exponent)

    def applied(self, name: str, mark: str) -> Node:
        """Read a function's argument."""
        token = self.now
        if token.kind == "open" or (token.kind == "group" and name in {"max", "min"}):
            if token.kind == "open":
                items, options, joins = self.bracketed()
            else:
                self.take()
                items, options, joins = self.items(lambda part: part.kind == "endgroup")
            made = name in _LAYERS and all(item.op == "num" or item.name in SIZE_NAMES for item in items)
            if made and self.now.text == "(":  # nn.LayerNorm(d_model)(x): made first, then applied
                items, more, joins = self.bracketed()
                options += more
            if not items:
                raise UnreadableError("A function without an argument.")
            items = spread_out(items)
            if joins and name not in {"concat", "max", "min"}:
                items = [call("concat", node("list", *items))]
            return Node("call", tuple(items), name, 0.0, tuple(options), mark)
        if token.kind == "group":
            return Node("call", (self.group(),), name, mark=mark)
        if name == "sqrt":
            return call(name, self.atom())
        if token.kind in {"num", "word", "func"} or token.text in {"frac", "-"}:
            if name in {"max", "min", "concat", "transpose"}:
                raise UnreadableError(f"“{name}” needs brackets around its arguments.")
            argument = self.power() if name in _FACTOR_ONLY and token.text != "-" else self.product()
            return Node("call", (argument,), name, mark=mark)
        return sym(name)

    def bounds(self) -> tuple[str, Node, Node]:
        """Read the limits of a sum in either order: `_{i=1}^{d_k}`."""
        var, low, high = "", NOTHING, NOTHING
        while self.now.text in {"_", "^"}:
            if self.take().text == "^":
                high = self.argument() if self.now.kind != "word" else self.name()
                continue
            inside = group_at(self.tokens, self.at)
            inside = [self.now] if inside is None else inside
            self.at += len(inside) + 2 * (self.now.kind in {"group", "open"})
            var, sign = (inside[0].text if inside else ""), (inside[1].text if len(inside) > 1 else "")
            if sign in {"=", ","} and [token.kind for token in inside[2:]] == ["num"]:
                low = num(float(inside[2].text))
            elif sign and (
                sign != "∈" or not _SET.fullmatch(flat(inside[2:])) or flat(inside[2:]).strip("()[]") == var
            ):
                raise UnreadableError("What the sum runs over is not clear.")
        return var, low, high

    def sum(self) -> Node:
        """Read a sum with its limits; the body is the product that follows."""
        var, low, high = self.bounds()
        if not var and self.now.kind == "open":
            return self.applied("sum", "")
        body = self.product()
        letters = index_letters(body)
        if not var and len(letters) == 1:  # Σ q_i k_i can only run over i
            var = letters.pop()
        if not re.fullmatch(r"[a-z]", var):
            raise UnreadableError("A sum needs a running index.")
        return Node("sum", (body, low, high), var)

    def joined(self) -> Node:
        """Read the limits and the body of Concat_{i=1}^{h}(…)."""
        var, low, high = self.bounds()
        if not re.fullmatch(r"[a-z]", var):
            raise UnreadableError("Concat needs a running index.")
        return call("concat", Node("join", (self.power(), low, high), var))


def spread_out(items: list[Node]) -> list[Node]:
    """Replace a_1, …, a_h by one running item; eight or sixteen heads are all the heads of the paper's models."""
    if len(items) == 1 and items[0].op == "*" and items[0][0].op == "*" and items[0][0][1] == DOTS:
        return [spread([items[0][0][0], items[0][1]])]  # head_1 … head_h without commas
    if DOTS in items:
        if len(items) < 3 or items[-2] != DOTS:
            raise UnreadableError("A list with dots needs a first and a last item.")
        return [spread([item for item in items if item != DOTS])]
    if len(items) in {8, 16}:
        try:
            return [spread(items)]
        except UnreadableError:
            return items
    return items


_HERE = sym("#")


def series(items: Sequence[Node]) -> Node:
    """Turn a_1 + a_2 + … + a_h into a sum over its index."""
    terms = [item for item in items if item != DOTS]
    if len(terms) != len(items) - 1 or items[-2] != DOTS or len(terms) < 2:
        raise UnreadableError("A sum with dots needs a first and a last term.")
    return spread(terms, op="sum")


def spread(terms: Sequence[Node], op: str = "join") -> Node:
    """Return the sum (or joining) that a_1, a_2, …, a_h stands for; raise UnreadableError where none does."""
    ends: list[Node] = []
    body = _general(terms[0], terms[-1], ends)
    if not ends or any(end != ends[0] for end in ends):
        raise UnreadableError("The dots do not show which index runs.")
    for number, term in enumerate(terms[1:-1], start=2):
        middle: list[Node] = []
        if _general(terms[0], term, middle) != body or any(end != num(number) for end in middle):
            raise UnreadableError("The terms before the dots do not follow one pattern.")
    return Node(op, (body, num(1), ends[0]), "#")


def _general(first: Node, last: Node, ends: list[Node]) -> Node:
    """Put the running index `#` where `first` has 1 and `last` something else."""
    if replace(first, parts=()) != replace(last, parts=()) or len(first.parts) != len(last.parts):
        raise UnreadableError("The first and the last term do not look alike.")
    if first.op != "sym":
        return replace(first, parts=tuple(map(_general, first.parts, last.parts, [ends] * len(first.parts))))
    index = []
    for a, b in zip(first.parts, last.parts, strict=True):
        if a != b and a != num(1):
            raise UnreadableError("The dots should start at 1.")
        ends += [b] * (a != b)
        index.append(a if a == b else _HERE)
    return replace(first, parts=tuple(index))
