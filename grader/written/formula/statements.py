"""Cut a text into statements: definitions, the formula itself, and words that only explain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from grader.written.formula.lexer import Token, flat
from grader.written.formula.vocabulary import words

_GLUE, _PROSE = words("statements", "glue"), words("statements", "prose")
_RELATIONS = frozenset({"<", ">", "∈", "~", "≠", "∀", "→", "∝"})
_CONTINUES = frozenset({"+", "-", "·", "*", "/", "@", "=", "^", "_", ".", "frac"})
_NONE = Token("newline", "")
_BREAKS = frozenset({"newline", "line", "quad", "sep"})
Side = tuple[Token, ...]
Statement = tuple[Side, ...]
"""The sides of one chain a = b = c, as raw tokens; a bare expression has a single side."""


def _with_depths(tokens: Iterable[Token]) -> Iterator[Token]:
    """Yield each token with how many brackets stand around it."""
    depth = 0
    for token in tokens:
        depth = max(0, depth - (token.kind in {"endgroup", "close"}))
        yield replace(token, depth=depth) if depth else token
        depth += token.kind in {"group", "open"}


def _is(token: Token, *signs: str) -> bool:
    return token.kind == "op" and token.text in signs


def _glues(token: Token) -> bool:
    return token.kind == "word" and len(token.text) > 1 and token.text.lower() in _GLUE


def _has_equals(tokens: list[Token]) -> bool:
    """Say whether an `=` comes before the next break at the outer level."""
    for at, token in enumerate(tokens):
        if not token.depth and _is(token, "="):
            return at > 0
        if not token.depth and (token.kind in _BREAKS or _is(token, ",", ";")):
            return False
    return False


def _breaks_line(before: list[Token], after: list[Token], *, tex: bool) -> bool:
    """Say whether a newline ends a statement."""
    while after and after[0].kind == "newline":
        after = after[1:]
    last = next((token for token in reversed(before) if token.kind != "newline"), None)
    if not after or last is None:
        return True
    if after[0].text in _CONTINUES or after[0].kind in {"close", "endgroup"} or last.kind == "open":
        return False
    if _is(last, *_CONTINUES):
        return False
    earlier = not tex and any(token.text == "=" and not token.depth for token in before)
    return earlier or _glues(after[0]) or _has_equals(after)


def _is_break(tokens: list[Token], at: int, *, tex: bool) -> bool:
    token, after = tokens[at], tokens[at + 1 :]
    following = after[0] if after else _NONE
    match token.kind:
        case "sep":
            return True
        case "line":
            return not _is(following, *_CONTINUES)
        case "newline":
            return _breaks_line(tokens[:at], after, tex=tex)
        case "quad":
            return _glues(following) or _has_equals(after)
        case "word":
            return _glues(token)
    if token.text == ".":
        return following.kind == "newline" or (not following.glued and token.glued and following.text != ".")
    return _is(token, ",", ";", ":")


def _is_prose(tokens: list[Token]) -> bool:
    """Say whether a segment without `=` only explains: words, ranges, memberships, dots."""
    outer = [token for token in tokens if not token.depth]
    for before, token in zip([_NONE, *outer], outer, strict=False):  # not softmax_row
        if token.kind == "word" and len(token.text) > 1 and token.text.lower() in _PROSE and before.text != "_":
            return True
    if any(_is(token, *_RELATIONS) for token in outer) or all(token.text in {"…", ".", "!"} for token in tokens):
        return True
    if len(tokens) == 1:
        return re.fullmatch(r"[a-z]", tokens[0].text) is not None
    return all(token.kind == "word" and len(token.text) > 3 for token in tokens)


def _segments(tokens: list[Token], *, tex: bool) -> Iterator[list[Token]]:
    out: list[Token] = []
    for at, token in enumerate(tokens):
        if not token.depth and _is_break(tokens, at, tex=tex):
            yield out
            out = []
        elif token.kind not in _BREAKS:
            out.append(token)
    yield out


def statements(tokens: list[Token], *, tex: bool) -> tuple[list[Statement], frozenset[str]]:
    """Return the statements in order and the lower-case words of what was put aside as prose."""
    found: list[Statement] = []
    prose: set[str] = set()
    for segment in _segments(list(_with_depths(tokens)), tex=tex):
        sides: list[list[Token]] = [[]]
        for token in segment:
            if not token.depth and len(sides) > 1 and _is(token, "∈", "~"):  # … in R^{n x d}, … ~ N(0, 1)
                break
            if not token.depth and _is(token, "="):
                sides.append([])
            else:
                sides[-1].append(token)
        related = any(_is(token, *_RELATIONS) and not token.depth for side in sides for token in side)
        if related or (len(sides) == 1 and _is_prose(segment)):
            prose.update(token.text.lower() for token in segment)
        elif any(sides):
            found.append(tuple(tuple(side) for side in sides if side))
    return found, frozenset(prose)


def left_words(found: list[Statement]) -> frozenset[str]:
    """Return the words that statements define, so that they are not cut into letters."""
    out: set[str] = set()
    for statement in found:
        first = statement[0]
        if len(statement) > 1 and first[0].kind == "word":
            out |= {first[0].text, first[0].text + "'" * ([token.text for token in first[1:2]] == ["'"])}
            joined = "".join(token.text for token in first)
            out |= {joined} if re.fullmatch(r"[A-Za-z]{2,}(?:_[A-Za-z]{2,})+|[A-Za-z]{3,}\d", joined) else set()
    return frozenset(out)


def own_functions(found: list[Statement]) -> frozenset[str]:
    """Return the letters and words the student defines as functions, as in f(z) = max(0, z), and calls."""
    names = set()
    for first, *rest in found:
        shape = [token.kind for token in first[:3]] == ["word", "open", "word"]
        shape = shape and all(token.text in {",", "_"} for token in first[3:] if token.kind == "op")
        plain = re.fullmatch(r"\w+\([A-Za-z]+(?:_[a-z]|(?:,[A-Za-z])+)?\)(?:_[a-z])?", flat(list(first)))
        if shape and plain and any(first[2].text in token.text for side in rest[:1] for token in side):
            names.add(first[0].text)
    used = [side for statement in found for side in (statement[1:] or statement)]
    called = {a.text for side in used for a, b in pairwise(side) if b.text == "("}
    return frozenset(names & called)
