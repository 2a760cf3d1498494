"""What an answer may say: every word of it has to belong to a statement that the key knows to be right.

Wrong relations cannot be listed: there are always more. So it is asked the other way round. The
``statements`` of a file of answers name the words that matter (synonyms share a name) and the statements that
are right, as sequences of these names. An answer is *accounted for* when it is cut, without a rest, into such
statements and plain joints ("because", "and", commas), and no cause comes after its effect. What is left over may be
right or wrong: a person reads it, with the words marked.

The file, a line an entry (``#`` begins a remark):

    score = dot product*, score*           a name and the forms that mean it; `*` any ending, `~` a verb's endings
    = really, of course                    forms that say nothing
    let big = (large|high)                 a piece to use in statements as {big}
    1 grows: score [would] {big}           a statement of the concept `grows`; [may be left out],
                                           (one|the other), + once or more, []+ any number
    2 flat~ softmax sat|flat / big score   a statement in any order: it holds each of the first words (one|the other)
                                           and nothing but these and those behind the stroke; {big} stands for its names

Joints are called ``and``, ``but``, ``while``, ``with``, ``because``, ``so``, ``otherwise``, and ``lacking`` ("without
scaling": what comes then is the trouble, no remedy).

The number before a statement is its place in the chain of causes: "A because B" needs A not to be before B, "A so B" B
not to be before A. 9 is the remedy, 7 what it brings, which stands after it or alone, 8 the scene ("with large d_k"),
after which no joint is needed, and 0 stands anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from grader.written.wording import (
    Bag,
    Forms,
    Run,
    beginnings,
    build_forms,
    ends,
    forms_in,
    names_in,
    read_bag,
    read_run,
)

REMEDY = 9
CONTEXT = 8
RELIEF = 7
MOST_WORDS = 90
"""Longer answers are a person's: they say more than a short answer needs."""

_QUOTED = re.compile(r"\"(?=\w)[^\"]{1,60}?\w[.!?]?\"|(?<!\w)'(?=\w)[^'\"]{1,60}?\w[.!?]?'(?!\w)")
_WORD = re.compile(r"[^\W_]+(?:['_^-][^\W_]+)*")
_STOP = re.compile(r"(?<![\w.])\(?\d[.)](?=\s)|[.,;:!?()\[\]{}/+×\n-]")
_NUMBERED = re.compile(r"(?<![\w.])\(?\d[.)](?=\s)")
_ARROW = re.compile(r"[-=]+>|→|⇒|➔")
_PIECE = re.compile(r"let (\w+) = (.+)")
_STATEMENT = re.compile(r"(\d)((?: \w+)*)([:~]) (.+)")
_FORMS = re.compile(r"(\w*) ?= (.+)")
_SPACE = re.compile(r"\s+|[\"'*`$]")


class Token(NamedTuple):
    """A word of an answer by its name; unknown ones are called `?`, stops `,`."""

    name: str
    start: int
    end: int


class Statement(NamedTuple):
    """A right statement: its place in the chain of causes, the concepts it holds, and how it runs."""

    rank: int
    concepts: frozenset[str]
    run: Run | Bag


class Statements(NamedTuple):
    """The words of one question, and its statements by the names that stand in them."""

    forms: Forms
    by_name: Mapping[str, tuple[Statement, ...]]


class Left(NamedTuple):
    """A stretch of an answer that no statement accounts for, and whether its words are unknown."""

    start: int
    end: int
    unknown: bool


class Account(NamedTuple):
    """What of an answer is left over, and the concepts that its statements hold where nothing is."""

    left: tuple[Left, ...]
    concepts: frozenset[str]


@lru_cache(maxsize=64)
def statements(own: str) -> Statements | None:
    """Return the statements of a question's own lines, with the shared words; None where it has none."""
    if not own.strip():
        return None
    shared = (files("grader.written") / "words" / "shared_statements.txt").read_text("utf-8")
    return build_statements(shared, own)


def build_statements(shared: str, own: str) -> Statements:
    """Build the statements of a question from the shared words and its own file; its own forms go first.

    Raises ValueError for a line that is none of the kinds above, and for a statement that may say nothing.
    """
    names_of, texts, lines = _entries(own)
    shared_names, shared_texts, shared_lines = _entries(shared)
    forms = build_forms(names_of, _forms_of(shared))
    texts = {**shared_texts, **texts}
    lines = (*lines, *shared_lines)
    known = frozenset({*names_of.values(), *shared_names.values(), "quote"})
    pieces: dict[str, Run] = {}
    names: dict[str, frozenset[str]] = {}
    for name, text in texts.items():
        pieces[name], names[name] = read_run(text, known, pieces), names_in(text, names)
    by_name: dict[str, list[Statement]] = {}
    for rank, concepts, kind, text in lines:
        run = read_bag(text, known, names) if kind == "~" else read_run(text, known, pieces)
        statement = Statement(int(rank), frozenset(concepts.split()), run)
        if ends(run, (), 0):
            raise ValueError(f"a statement that may say nothing: {text!r}")
        for name in beginnings(run):
            by_name.setdefault(name, []).append(statement)
    return Statements(forms, {name: tuple(kinds) for name, kinds in by_name.items()})


@lru_cache(maxsize=2)
def _forms_of(shared: str) -> Forms:
    return build_forms(_entries(shared)[0])


@lru_cache(maxsize=4)  # the shared words go with every question
def _entries(text: str) -> tuple[dict[str, str], dict[str, str], tuple[tuple[str, ...], ...]]:
    """Return forms with their names, pieces, and statements as their parts."""
    forms: dict[str, str] = {}
    texts: dict[str, str] = {}
    lines: list[tuple[str, ...]] = []
    for line in _lines(text):
        if match := _PIECE.fullmatch(line):
            texts.setdefault(match[1], match[2])
        elif match := _STATEMENT.fullmatch(line):
            lines.append(match.groups())
        elif match := _FORMS.fullmatch(line):
            for form in forms_in(match[2]):
                forms.setdefault(form, match[1])
        else:
            raise ValueError(f"not a name, a piece or a statement: {line!r}")
    return forms, texts, tuple(lines)


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if cut := line.split("#")[0].strip():
            yield cut


_TEX = (
    (re.compile(r"\\(?:cdot|times)(?![a-z])"), "·"),
    (re.compile(r"\\sqrt\s*\{([^{}]*)\}"), r"sqrt(\1)"),
    (re.compile(r"(?<=\w)([_^])\{([^{}\s]*)\}"), r"\1\2"),
    (re.compile(r"\\[a-z]+|[\\{}]"), lambda found: found[0].strip("\\{}")),
)
"""Formulas between dollars in plain signs, each shorter than what it stands for."""


def folded(text: str) -> str:
    """Return the text in lower case with plain quotes, character for character, so that offsets stay."""
    plain = text.translate(
        {0x2019: "'", 0x2018: "'", 0x201C: '"', 0x201D: '"', 0x201E: '"', 0x2013: "-", 0x2014: "-", 0xB2: "²"}
    )
    plain = re.sub(r"\$[^$]+\$", lambda found: _untexed(found[0]), plain)
    return "".join(low if len(low := char.lower()) == 1 else char for char in plain)


def _untexed(formula: str) -> str:
    """Return a formula between dollars in plain signs, as long as it was."""
    plain = formula
    for form, sign in _TEX:
        plain = form.sub(sign, plain)
    return plain.ljust(len(formula))


def tokens(known: Statements, text: str) -> tuple[Token, ...]:
    """Return the words of a text in lower case by their names, those that say nothing left out."""
    found: list[Token] = []
    place = 0
    while place < len(text):
        if match := _SPACE.match(text, place) if not _QUOTED.match(text, place) else None:
            place = match.end()
            continue
        start = place
        form = known.forms.at(text, place) if not _NUMBERED.match(text, place) else None
        quoted = _QUOTED.match(text, place)
        if form is None and quoted and (inside := known.forms.at(text, place + 1)) and inside[1] >= quoted.end() - 2:
            form, start = inside, place + 1
        if form is not None and form[1] > place:
            name, place = form
        elif quoted:
            name, start, place = "quote", place, quoted.end()
        elif arrow := _ARROW.match(text, place):
            name, start, place = "so", place, arrow.end()
        elif stop := _STOP.match(text, place):
            name, start, place = ",", place, stop.end()
        else:
            word = _WORD.match(text, place)
            name, start, place = "?", place, word.end() if word else place + 1
        if name and not (name == "," and found and found[-1].name == ","):
            found.append(Token(name, start, place))
    return tuple(found)


_NEUTRAL = {",", "and", "but", "while", "with"}
_JOINTS = {*_NEUTRAL, "because", "so", "otherwise", "lacking"}


def account(known: Statements, text: str) -> Account:
    """Cut a text (in lower case) into right statements; a word that nobody knows is left over."""
    words = tokens(known, text)
    unknown = tuple(Left(word.start, word.end, True) for word in words if word.name == "?")
    if unknown or not words:
        return Account(unknown, frozenset())
    if len(words) > MOST_WORDS:
        return Account((Left(words[0].start, words[-1].end, False),), frozenset())
    reach, concepts = _cut(known, [word.name for word in words])
    if reach is None:
        return Account((), concepts)
    end = next((word.start for word in words[reach + 1 :] if word.name in _JOINTS), words[-1].end)
    return Account((Left(words[reach].start, max(end, words[reach].end), False),), frozenset())


class _State(NamedTuple):
    """What is read so far: up to which word, the last statement's rank, the joint since, and what has to follow."""

    place: int = 0
    before: int = -1
    joint: str = ""
    least: int = 0
    concepts: frozenset[str] = frozenset()


def _cut(known: Statements, names: list[str]) -> tuple[int | None, frozenset[str]]:
    """Return the word from which on the words are no right statements, and the concepts of those before.

    Where all words belong to statements, the first is None.
    """
    count, far = len(names), 0
    seen: set[_State] = set()
    best: frozenset[str] | None = None
    found: dict[int, list[tuple[int, Statement]]] = {}
    todo = [_State()]
    while todo:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        far = max(far, state.place)
        if state.place == count:
            if state.before >= 0 and (best is None or len(state.concepts) > len(best)):
                best = state.concepts
            continue
        name = names[state.place]
        if name in _JOINTS:
            todo.append(state._replace(place=state.place + 1, joint=_joined(state.joint, name)))
        if state.joint or state.before in {-1, CONTEXT}:
            if state.place not in found:
                found[state.place] = list(_next(known, names, state.place))
            for end, kind in found[state.place]:
                least = _allowed(state, kind.rank)
                if least is not None:
                    todo.append(_State(end, kind.rank, "", least, state.concepts | kind.concepts))
    return (None, best) if best is not None else (min(far, count - 1), frozenset())


def _next(known: Statements, names: list[str], place: int) -> Iterator[tuple[int, Statement]]:
    """Yield the statements that begin at a word, with the word after their end."""
    for statement in known.by_name.get(names[place], ()):
        for end in ends(statement.run, names, place):
            yield end, statement


def _joined(joint: str, name: str) -> str:
    """Return the joint that two make: "and so" is "so"."""
    return joint or name if name in _NEUTRAL else name


def _allowed(state: _State, rank: int) -> int | None:
    """Return the rank that the next statement has to reach; None where one of ``rank`` may not stand here."""
    before, joint = state.before, state.joint
    if joint == "lacking" and rank in {RELIEF, REMEDY}:
        return None
    if joint == "otherwise" and (rank == REMEDY or before not in {-1, 0, REMEDY}):
        return None
    if rank == RELIEF and before not in {-1, RELIEF, CONTEXT, REMEDY}:
        return None
    if rank and rank != CONTEXT and rank < state.least:
        return None
    if (
        rank != RELIEF
        and CONTEXT not in {before, rank}
        and before > 0
        and rank > 0
        and ((joint == "because" and rank > before) or (joint == "so" and rank < before))
    ):
        return None
    return rank if before < 0 and joint == "because" and rank not in {CONTEXT, REMEDY} else 0
