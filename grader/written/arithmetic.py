"""A small calculation, figures and signs already told apart, evaluated by precedence."""

from __future__ import annotations

import math

_DEEPEST = 80


class Sum:
    """Evaluates a list of tokens by precedence; raises ValueError where it is no expression."""

    def __init__(self, tokens: list[float | str]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    def value(self) -> float:
        """Return the value of all tokens."""
        result = self.sum()
        if self.at < len(self.tokens):
            raise ValueError("tokens are left over")
        return result

    def next(self) -> float | str | None:
        """Return the token that comes next."""
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def sum(self) -> float:
        """Read terms."""
        result = self.product()
        while self.next() in {"+", "-"}:
            sign = self.tokens[self.at]
            self.at += 1
            other = self.product()
            result = result + other if sign == "+" else result - other
        return result

    def product(self) -> float:
        """Read factors."""
        result = self.power()
        while self.next() in {"*", "/", ":"}:
            sign = self.tokens[self.at]
            self.at += 1
            other = self.power()
            result = result * other if sign == "*" else result / other
        return result

    def power(self) -> float:
        """Read a factor with its power."""
        base = self.atom()
        if self.next() == "^":
            self.at += 1
            exponent = self.power()
            if abs(exponent) > 64:  # noqa: PLR2004 - no homework needs more
                raise ValueError("an absurd power")
            result = base**exponent
            if isinstance(result, complex):
                raise ValueError("a root of a negative number")
            return float(result)
        return base

    def atom(self) -> float:
        """Read a figure, brackets, a root or a sign."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ValueError("nested too deeply")
        piece = self.next()
        self.at += 1
        if isinstance(piece, float):
            return piece
        if piece in {"-", "+"}:
            inner = self.power()
            return -inner if piece == "-" else inner
        if piece == "sqrt":
            return math.sqrt(self.atom())
        if piece == "(":
            inner = self.sum()
            if self.next() != ")":
                raise ValueError("a bracket is open")
            self.at += 1
            return inner
        raise ValueError("not a number")
