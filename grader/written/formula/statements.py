"""Cut a text into statements: definitions, the formula itself, and words that only explain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from grader.written.formula.lexer import Token, flat
from grader.written.formula.vocabulary import words

_GLUE, _PROSE = words("statements", "glue"), words("statements", "prose")
_RELATIONS = frozenset({"<", "∈", "~", "≠", "∀", "→", "∝"})
_CONTINUES = frozenset({"+", "-", "·", "*", "/", "@", "=", "^", "_", ".", "frac"})
_NONE = Token("newline", "")
Side = tuple[Token, ...]
Statement = tuple[Side, ...]
"""The sides of one chain a = b = c, as raw tokens; a bare expression has a single side."""


def depths_of(tokens: Iterable[Token]) -> list[int]:
    """Return how many brackets stand around each token."""
    depth, out = 0, []
    for token in tokens:
        depth = max(0, depth - (token.kind in {"endgroup", "close"}))
        out.append(depth)
        depth += token.kind in {"group", "open"}
    return out


def _is(token: Token, *signs: str) -> bool:
    return token.kind == "op" and token.text in signs


def _glues(token: Token) -> bool:
    return token.kind == "word" and len(token.text) > 1 and token.text.lower() in _GLUE


def _has_equals(tokens: list[Token], depths: list[int], start: int) -> bool:
    """Say whether an `=` comes before the next break at the outer level."""
    for at in range(start, len(tokens)):
        if not depths[at] and _is(tokens[at], "="):
            return at > start
        if not depths[at] and (tokens[at].kind in {"sep", "line", "quad", "newline"} or _is(tokens[at], ",", ";")):
            return False
    return False


def _breaks_line(tokens: list[Token], depths: list[int], at: int, *, tex: bool) -> bool:
    """Say whether the newline at `at` ends a statement."""
    after = next((n for n in range(at + 1, len(tokens)) if tokens[n].kind != "newline"), None)
    before = next((n for n in range(at - 1, -1, -1) if tokens[n].kind != "newline"), None)
    if after is None or before is None:
        return True
    following, last = tokens[after], tokens[before]
    if following.text in _CONTINUES or following.kind in {"close", "endgroup"} or last.kind == "open":
        return False
    if _is(last, *_CONTINUES):
        return False
    if _glues(following) or _has_equals(tokens, depths, after):
        return True
    return not tex and any(token.text == "=" and not depths[n] for n, token in enumerate(tokens[:at]))


def _is_break(tokens: list[Token], depths: list[int], at: int, *, tex: bool) -> bool:
    token = tokens[at]
    following = tokens[at + 1] if at + 1 < len(tokens) else _NONE
    match token.kind:
        case _ if depths[at]:
            return False
        case "sep":
            return True
        case "line":
            return not _is(following, *_CONTINUES)
        case "newline":
            return _breaks_line(tokens, depths, at, tex=tex)
        case "quad":
            return _glues(following) or _has_equals(tokens, depths, at + 1)
        case "word":
            return _glues(token)
    if token.text == ".":
        return following.kind == "newline" or (not following.glued and token.glued and following.text != ".")
    return _is(token, ",", ";", ":")


def _is_prose(tokens: Side) -> bool:
    """Say whether a segment without `=` only explains: words, ranges, memberships, dots."""
    outer = [token for token, depth in zip(tokens, depths_of(tokens), strict=True) if not depth]
    if any(_is(token, *_RELATIONS) for token in tokens):
        return True
    for before, token in zip([_NONE, *outer], outer, strict=False):  # not softmax_row
        if token.kind == "word" and len(token.text) > 1 and token.text.lower() in _PROSE and before.text != "_":
            return True
    if all(token.text in {"…", ".", "!"} for token in tokens):
        return True
    if len(tokens) == 1:
        return re.fullmatch(r"[a-z]", tokens[0].text) is not None
    return all(token.kind == "word" and len(token.text) > 3 for token in tokens)


def _sides(tokens: Iterable[Token]) -> list[list[Token]]:
    tokens = list(tokens)
    out: list[list[Token]] = [[]]
    for token, depth in zip(tokens, depths_of(tokens), strict=True):
        if depth == 0 and _is(token, "="):
            out.append([])
        else:
            out[-1].append(token)
    return out


def _segments(tokens: list[Token], *, tex: bool) -> Iterator[list[Token]]:
    depths = depths_of(tokens)
    out: list[Token] = []
    equals = done = False
    for at, token in enumerate(tokens):
        if _is_break(tokens, depths, at, tex=tex):
            yield out
            out, equals, done = [], False, False
            continue
        equals = equals or (not depths[at] and _is(token, "="))
        done = done or (equals and not depths[at] and _is(token, "∈", "~"))  # … in R^{n x d}, … ~ N(0, 1)
        if token.kind not in {"newline", "line", "quad", "sep"} and not done:
            out.append(token)
    yield out


def _without_ranges(segments: list[list[Token]]) -> Iterator[list[Token]]:
    """Drop what an index runs over: `pos = 0, 1, 2, …`, and the end of the range behind the dots."""
    dots = counting = False
    for at, segment in enumerate(segments):
        texts = [token.text for token in segment]
        following = segments[at + 1] if at + 1 < len(segments) else []
        runs = bool(following) and all(token.text in {"…", "."} for token in following)
        runs = runs or [token.kind for token in following] == ["num"]
        begins = runs and len(segment) == 3 and texts[1] == "=" and segment[2].kind == "num"
        number = counting and [token.kind for token in segment] == ["num"]
        if not (begins or number or (dots and "=" not in texts)):
            yield segment
        counting = begins or number
        dots = bool(texts) and all(text in {"…", "."} for text in texts)


def statements(tokens: list[Token], *, tex: bool) -> tuple[list[Statement], frozenset[str]]:
    """Return the statements in order and the lower-case words of what was put aside as prose."""
    found: list[Statement] = []
    prose: set[str] = set()
    for segment in _without_ranges(list(_segments(tokens, tex=tex))):
        sides = [tuple(side) for side in _sides(segment)]
        outer = [token for token, depth in zip(segment, depths_of(segment), strict=True) if not depth]
        bare = len(sides) == 1 and (not segment or _is_prose(sides[0]))
        if bare or any(_is(token, *_RELATIONS) for token in outer):
            prose.update(token.text.lower() for token in segment)
        elif any(sides):
            found.append(tuple(side for side in sides if side))
    return found, frozenset(prose)


def left_words(found: list[Statement]) -> frozenset[str]:
    """Return the longer words that statements define, so that they are not cut into letters."""
    out: set[str] = set()
    for statement in found:
        first = statement[0]
        if len(statement) > 1 and first[0].kind == "word":
            out |= {first[0].text, first[0].text + "'" * ([token.text for token in first[1:2]] == ["'"])}
            joined = "".join(token.text for token in first)
            out |= {joined} if re.fullmatch(r"[A-Za-z]{2,}(?:_[A-Za-z]{2,})+", joined) else set()
    return frozenset(word for word in out if len(word) > 1)


def own_functions(found: list[Statement]) -> frozenset[str]:
    """Return the letters and words the student defines as functions, as in f(z) = max(0, z), and calls."""
    names = set()
    for first, *rest in found:
        shape = [token.kind for token in first[:3]] == ["word", "open", "word"]
        plain = re.fullmatch(r"\w+\([A-Za-z]+(?:_[a-z])?\)(?:_[a-z])?", flat(list(first))) is not None
        if (
            shape
            and plain
            and first[3].text in {"_", ")"}
            and rest
            and any(first[2].text in token.text for token in rest[0])
        ):
            names.add(first[0].text)
    used = [side for statement in found for side in (statement[1:] or statement)]
    called = {a.text for side in used for a, b in pairwise(side) if b.text == "("}
    return frozenset(names & called)
