"""The left side of an equation: which name it defines, under which indices or parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping

from grader.written.formula import atoms
from grader.written.formula.parser import Parser
from grader.written.formula.spelling import Lexicon
from grader.written.formula.tokens import Token, flat
from grader.written.formula.tree import FormulaError, Num, Sym, Transpose

MAX_INSIDE = 20


def defined_by(
    tokens: list[Token], lexicon: Lexicon, aliases: Mapping[str, str]
) -> tuple[str, tuple[str, ...], bool] | None:
    """Return the name a left side defines, its index letters or parameters, and whether it is called.

    None where the side is an expression and defines nothing.
    """
    found = _leading(tokens, lexicon, aliases)
    if found is None:
        return None
    named, rest = found
    while rest and rest[0].text == "'":
        rest = rest[1:]
    if rest and rest[0].text == "^":  # x^{(l+1)}: a label on the left has no other meaning
        if len(rest) > 1 and re.fullmatch(r"[a-z][+-]\d", flat(rest[1:])):
            return f"{named.name}@", (), False  # x^{l+1}: a name nothing else can call
        rest = _after_group(rest[1:])
    if not rest:
        return _indexed(named)
    if rest[0].kind != "open" or rest[-1].kind != "close":
        return None
    return _called(named, rest[1:-1])


def without_row(tokens: list[Token]) -> list[Token]:
    """Return a left side such as Attention(Q, K, V)_i or (AV)_{ij} without the row or entry it speaks of."""
    at = next((n for n in range(len(tokens) - 1, 0, -1) if tokens[n].text == "_"), 0)
    if not at or tokens[at - 1].kind != "close" or not re.fullmatch(r"[a-z](?:,?[a-z:])?,?", flat(tokens[at + 1 :])):
        return tokens
    rest = tokens[:at]
    depth = 0
    for n, token in enumerate(rest):
        depth += (token.kind == "open") - (token.kind == "close")
        if depth == 0:
            return rest[1:-1] if rest[0].kind == "open" and n == len(rest) - 1 else rest
    return rest


def _leading(tokens: list[Token], lexicon: Lexicon, aliases: Mapping[str, str]) -> tuple[Sym, list[Token]] | None:
    """Return the symbol a side begins with and the tokens behind it."""
    if not tokens or tokens[0].kind not in {"word", "func"}:
        return None
    parser = Parser(tokens, lexicon, aliases)
    if tokens[0].kind == "func":
        parser.at = 1
        if len(tokens) > 1 and tokens[1].text == "_":
            atoms.subscript(parser)
        return Sym(tokens[0].text), tokens[parser.at :]
    try:
        node = atoms.atom(parser)
    except FormulaError:
        return None
    if isinstance(node, Transpose):
        node = node.body
    return (node, tokens[parser.at :]) if isinstance(node, Sym) else None


def _called(named: Sym, inside: list[Token]) -> tuple[str, tuple[str, ...], bool] | None:
    """Read f(z), Attention(Q, K, V) or PE(pos, 2i); an expression in the brackets is no definition."""
    text = flat(inside)
    odd = any(token.text in {"+", "*", "frac", "@"} for token in inside) and "2i" not in text
    if odd and (not re.fullmatch(r"[A-Za-z0-9_,+\-]*", text) or len(text) > MAX_INSIDE):
        return None
    parts = [token for token in inside if token.text != ","]
    plain = all(token.kind == "word" for token in parts)
    return named.name, tuple(token.text for token in parts) if plain else (), True


def _indexed(named: Sym) -> tuple[str, tuple[str, ...], bool]:
    if named.index and all(isinstance(part, Num) for part in named.index):
        return numbered(named), (), False
    letters = tuple(part.name for part in named.index if isinstance(part, Sym) and not part.index)
    if len(letters) != len(named.index):
        return f"{named.name}@", (), False  # x_{l+1}: a name nothing else can call
    return named.name, letters, False


def numbered(named: Sym) -> str:
    """Return z_1 as one name."""
    return named.name + "".join(f"_{part.value:g}" for part in named.index if isinstance(part, Num))


def _after_group(tokens: list[Token]) -> list[Token]:
    if not tokens or tokens[0].kind != "group":
        return tokens[1:]
    depth = 0
    for at, token in enumerate(tokens):
        depth += token.kind == "group"
        depth -= token.kind == "endgroup"
        if depth == 0:
            return tokens[at + 1 :]
    return []
