"""Cut a text into statements: definitions, the formula itself, and words that only explain."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.written.formula.tokens import Token

_GLUE = frozenset(
    {
        "where", "with", "and", "for", "if", "when", "so", "then", "thus", "hence", "therefore", "given", "let",
        "also", "while", "we", "have", "as", "return", "print", "def", "such", "that", "here", "using", "both",
        "each", "by", "i.e.", "or", "else", "otherwise", "mit", "und", "sowie", "sei", "first", "next", "finally",
        "compute", "calculate", "zuerst", "dann", "danach", "wobei", "avec", "et", "donc", "soit", "puis", "ensuite",
        "enfin", "con", "donde", "siendo", "luego", "wenn", "oder", "sodass", "schliesslich", "schlieslich", "waar",
    }
)  # fmt: skip
_PROSE = frozenset(
    {
        "is", "are", "the", "of", "a", "an", "even", "odd", "denotes", "denote", "dimension", "dimensions",
        "number", "row", "rows", "wise", "rowwise", "all", "every", "to", "per", "in", "be", "key", "keys",
        "query", "queries", "value", "values", "vector", "matrix", "over", "on", "applied", "position", "index",
        "heads", "learned", "la", "le", "les", "des", "du", "est", "der", "die", "das", "den", "ist", "sind", "fur",
        "jede", "jeder", "alle", "pour", "chaque", "del", "el", "los", "es", "cada", "sur", "auf", "pro", "zeilenweise",
        "biases", "bias", "weights", "gilt",
    }
)  # fmt: skip
_RELATIONS = frozenset({"<", "∈", "~", "≠", "∀", "→", "∝"})
_CONTINUES = frozenset({"+", "-", "·", "*", "/", "@", "=", "^", "_", ".", "frac"})


@dataclass(frozen=True, slots=True)
class Statement:
    """The sides of one chain a = b = c, as raw tokens; a bare expression has a single side."""

    sides: tuple[tuple[Token, ...], ...]


def _depths(tokens: list[Token]) -> list[int]:
    depth, out = 0, []
    for token in tokens:
        if token.kind in {"endgroup", "close"}:
            depth = max(0, depth - 1)
        out.append(depth)
        if token.kind in {"group", "open"}:
            depth += 1
    return out


def _has_equals(tokens: list[Token], depths: list[int], start: int) -> bool:
    """Say whether an `=` comes before the next break at the outer level."""
    for position in range(start, len(tokens)):
        token = tokens[position]
        if depths[position]:
            continue
        if token.text == "=" and token.kind == "op":
            return position > start
        if token.kind in {"sep", "line", "quad", "newline"} or token.text == ";":
            return False
        if token.text == "," and token.kind == "op":
            return False
    return False


def _breaks_line(tokens: list[Token], depths: list[int], at: int, *, tex: bool) -> bool:
    """Say whether the newline at `at` ends a statement."""
    after = at + 1
    while after < len(tokens) and tokens[after].kind == "newline":
        after += 1
    before = at - 1
    while before >= 0 and tokens[before].kind == "newline":
        before -= 1
    if after >= len(tokens) or before < 0:
        return True
    if tokens[after].text in _CONTINUES or tokens[after].kind in {"close", "endgroup"}:
        return False
    if (tokens[before].text in _CONTINUES and tokens[before].kind == "op") or tokens[before].kind == "open":
        return False
    if tokens[after].kind == "word" and tokens[after].text.lower() in _GLUE:
        return True
    if _has_equals(tokens, depths, after):
        return True
    earlier = any(token.text == "=" and depths[n] == 0 for n, token in enumerate(tokens[:at]))
    return earlier and not tex


def _is_break(tokens: list[Token], depths: list[int], at: int, *, tex: bool) -> bool:  # noqa: PLR0911 - one kind of token a line
    token = tokens[at]
    if depths[at]:
        return False
    if token.kind == "sep":
        return True
    if token.kind == "line":
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        return following is None or following.text not in _CONTINUES or following.kind != "op"
    if token.kind == "newline":
        return _breaks_line(tokens, depths, at, tex=tex)
    if token.kind == "quad":
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        return following is not None and (_has_equals(tokens, depths, at + 1) or following.text.lower() in _GLUE)
    if token.kind == "word":
        return len(token.text) > 1 and token.text.lower() in _GLUE
    if token.text == ".":
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        return after is None or after.kind == "newline" or (not after.glued and token.glued and after.text != ".")
    return token.kind == "op" and token.text in {",", ";", ":"}


def _is_prose(segment: list[Token], outer: list[Token]) -> bool:
    """Say whether a segment without `=` only explains: words, ranges, memberships, dots.

    `outer` holds the tokens outside all brackets.
    """
    texts = [token.text for token in segment]
    if any(token.kind == "op" and token.text in _RELATIONS for token in segment):
        return True
    words = [token.text.lower() for token in segment if token.kind == "word"]
    free = [token for at, token in enumerate(outer) if not (at and outer[at - 1].text == "_")]  # not softmax_row
    if any(token.text.lower() in _PROSE and len(token.text) > 1 for token in free if token.kind == "word"):
        return True
    if all(text in {"…", ".", "!"} for text in texts):
        return True
    if len(segment) == 1 and re.fullmatch(r"[a-z]", texts[0]):
        return True
    plain = all(token.kind == "word" for token in segment)
    return plain and len(segment) > 1 and all(len(word) > 3 for word in words)  # noqa: PLR2004 - no letters among them


def statements(tokens: list[Token], *, tex: bool) -> tuple[list[Statement], frozenset[str]]:  # noqa: C901 - one pass over the tokens
    """Return the statements in order and the lower-case words of what was put aside as prose."""
    depths = _depths(tokens)
    segments: list[list[tuple[Token, int]]] = [[]]
    for at, token in enumerate(tokens):
        if _is_break(tokens, depths, at, tex=tex):
            segments.append([])
        elif token.kind not in {"newline", "line", "quad", "sep"}:
            segments[-1].append((token, depths[at]))
        elif depths[at]:
            segments[-1].append((Token("newline", "\n"), depths[at]))
    found: list[Statement] = []
    prose: set[str] = set()
    for segment in _without_ranges([_formula_part(segment) for segment in segments]):
        sides: list[list[Token]] = [[]]
        for token, depth in segment:
            if token.text == "=" and token.kind == "op" and depth == 0:
                sides.append([])
            else:
                sides[-1].append(token)
        plain = [token for token, _ in segment if token.kind != "newline"]
        if len(sides) == 1 and (not plain or _is_prose(plain, [token for token, depth in segment if depth == 0])):
            prose.update(token.text.lower() for token in plain)
            continue
        if any(token.text in _RELATIONS and token.kind == "op" for token, depth in segment if depth == 0):
            prose.update(token.text.lower() for token in plain)
            continue
        if any(sides):
            found.append(Statement(tuple(tuple(side) for side in sides if side)))
    return found, frozenset(prose)


Segment = list[tuple[Token, int]]


def _formula_part(segment: Segment) -> Segment:
    """Cut a membership or a distribution off behind an equation: … in R^{n x d}, … ~ N(0, 1)."""
    equals = False
    for at, (token, depth) in enumerate(segment):
        equals = equals or (token.text == "=" and depth == 0)
        if equals and depth == 0 and token.kind == "op" and token.text in {"∈", "~"}:
            return segment[:at]
    return segment


def _without_ranges(segments: list[Segment]) -> list[Segment]:
    """Drop what an index runs over: `pos = 0, 1, 2, …`, and the end of the range behind the dots."""
    out: list[Segment] = []
    dots = counting = False
    for at, segment in enumerate(segments):
        texts = [token.text for token, _ in segment]
        following = [token for token, _ in segments[at + 1]] if at + 1 < len(segments) else []
        runs = bool(following) and all(token.text in {"…", "."} for token in following)
        runs = runs or (len(following) == 1 and following[0].kind == "num")
        sides = _sides(segment)
        begins = runs and len(sides) == 2 and [len(side) for side in sides] == [1, 1] and sides[1][0].kind == "num"  # noqa: PLR2004
        dots_here = bool(texts) and all(text in {"…", "."} for text in texts)
        number = len(segment) == 1 and segment[0][0].kind == "num" and counting
        if not (begins or number or (dots and "=" not in texts)):
            out.append(segment)
        counting = begins or number
        dots = dots_here
    return out


def _sides(segment: Segment) -> list[list[Token]]:
    sides: list[list[Token]] = [[]]
    for token, depth in segment:
        if token.text == "=" and depth == 0:
            sides.append([])
        else:
            sides[-1].append(token)
    return sides


def left_words(found: list[Statement]) -> frozenset[str]:
    """Return the longer words that statements define, so that they are not cut into letters."""
    words: set[str] = set()
    for statement in found:
        first = statement.sides[0]
        if len(statement.sides) > 1 and first and first[0].kind == "word":
            words.add(first[0].text)
            if len(first) > 1 and first[1].text == "'":
                words.add(first[0].text + "'")
            joined = "".join(token.text for token in first)
            if re.fullmatch(r"[A-Za-z]{2,}(?:_[A-Za-z]{2,})+", joined):
                words.add(joined)
    return frozenset(word for word in words if len(word) > 1)
