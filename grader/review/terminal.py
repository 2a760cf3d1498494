"""The queue in a terminal: one answer at a time, its evidence marked, a line typed for each decision."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from io import StringIO
from typing import TYPE_CHECKING

from grader.classroom.decisions import REVIEWED, SUGGESTED
from grader.classroom.results import Results
from grader.errors import GraderError
from grader.report.words import in_points
from grader.report.words import points as written
from grader.review.alike import groups
from grader.review.queue import Item, decide, take_back, typed_points

if TYPE_CHECKING:
    from rich.text import Text

KEYS = (
    "a accept · f full · z zero · c POINTS change · m TEXT comment · * for all alike (a*, z*, c* POINTS) · u undo"
    " · s skip · q quit"
)
_STYLES = {"found": "black on green", "against": "white on red", "doubt": "black on yellow"}
_MARKS = {"found": "[+ ", "against": "[- ", "doubt": "[? "}

Opinion = Callable[[Item], Sequence[str]]
"""Lines of a second opinion on an item."""


@dataclass(slots=True)
class Session:
    """One sitting: where decisions go, who decides, how lines are printed and read; ``width`` is the terminal's."""

    results: Results
    by: str
    show: Callable[[str], None]
    ask: Callable[[str], str]
    colour: bool = False
    width: int = 80
    opinion: Opinion | None = None
    decided: int = 0
    last: list[Item] = field(default_factory=list)
    settled: list[str] = field(default_factory=list)


def run(session: Session, items: Sequence[Item]) -> int:
    """Go through the queue, group by group; returns how many answers were decided. Raises GraderError."""
    seen = 0
    ahead = [list(group) for group in groups(items)]
    home = {(item.key, item.check): at for at, group in enumerate(ahead) for item in group}
    while ahead:
        left = ahead[0]
        item = left[0]
        session.show(page(session, item, len(left) - 1, f"{seen + 1} of {len(items)}"))
        if session.opinion:
            for line in session.opinion(item):
                session.show(_fitted(line, session.width))
        done = _one(session, left)
        if done is None:
            return session.decided
        seen += done
        if done < 0:  # what was decided last stands with the answers that are alike, and with no others
            back, session.last = list(session.last), []
            same = home[back[0].key, back[0].check] == home[item.key, item.check]
            ahead[: 1 if same else 0] = [[*back, *left] if same else back]
        else:
            ahead[:1] = [left[done:]] if left[done:] else []
    return session.decided


def _one(session: Session, left: Sequence[Item]) -> int | None:
    """Take lines until the first item is decided or skipped; how many are done with, None to end the sitting.

    A number below zero takes back as many as were decided last.
    """
    item, comment = left[0], ""
    while True:
        word, _, rest = session.ask("> ").strip().partition(" ")
        everyone = word.endswith("*")
        verb = word.rstrip("*").lower()
        members = list(left) if everyone else [item]
        if verb == "q":
            return None
        if verb == "s":
            return len(members)
        if verb == "m":
            comment = rest.strip()
            session.show("  comment kept; now a or c POINTS")
            continue
        if verb == "u" and session.last:
            take_back(session.results, session.last, session.by)
            session.decided -= len(session.last)
            return -len(session.last)
        points = _given(verb, rest, item)
        if points is None:
            session.show(_fitted(_not_understood(verb, word), session.width))
            continue
        why = comment or (SUGGESTED if verb == "a" else REVIEWED)
        try:
            session.settled += decide(session.results, members, points, why, session.by)
        except GraderError as error:
            session.show(_fitted(str(error), session.width))
            continue
        session.decided += len(members)
        session.last = members
        return len(members)


def _given(verb: str, rest: str, item: Item) -> Decimal | None:
    """Return the points that a line gives; None where it gives none."""
    sure = {"a": item.suggested, "f": item.most, "z": Decimal(0)}
    return typed_points(rest) if verb == "c" else sure.get(verb)


def _not_understood(verb: str, word: str) -> str:
    if verb == "a":
        return "there is no suggestion; type f, z or c POINTS"
    if verb == "u":
        return "there is nothing to take back"
    if verb == "c":
        return "c takes points, on the same line: c 0.5"
    return f"{word[:20]!r} is none of the keys. {KEYS}" if word and word not in {"?", "h", "help"} else KEYS


def page(session: Session, item: Item, alike: int, place: str = "") -> str:
    """Return an item as text: question, answer with its evidence marked, what to look for, the suggestion."""
    most = in_points(item.most)
    offer = f"up to {most}" if item.suggested is None else f"suggested: {written(item.suggested)} of {most}"
    who = f"{item.student}{f', and {alike} alike' if alike else ''}{f' · {place}' if place else ''}"
    title = item.title if item.parts else f"{item.title.rstrip('.')}  ({item.check})"
    lines = ["", _fitted(title, session.width, ""), _fitted(who, session.width, ""), ""]
    answer = item.answer
    if answer.question and answer.question != item.title and not item.parts:
        lines += [_fitted(answer.question, session.width), ""]
    if answer.model:
        lines += [*(_fitted(line, session.width) for line in f"A right answer: {answer.model}".splitlines()), ""]
    shown = marked(item, colour=session.colour, width=session.width - 2).splitlines()
    lines += [f"  {line}" for line in shown] or ["  (no text)"]
    lines.append("")
    told = [item.before] if item.before else []
    told += [f"on page {place.page} of {place.file}" for place in answer.places]
    told += [f"{kind}: {label}{f' ({words})' * (kind == 'doubt')}" for kind, label, words in item.evidence]
    told += item.remarks
    lines += [_fitted(text, session.width) for text in (*told, offer, KEYS)]
    return "\n".join(lines)


def _fitted(text: str, width: int, indent: str = "  ") -> str:
    """Return text in lines that fit the terminal; keys and their words stay together."""
    whole = re.sub(r"(?<=\b[acfmqsuz*]) (?=[A-Za-z(])", "\xa0", text) if text.endswith(KEYS) else text
    lines = textwrap.wrap(whole, max(20, width), initial_indent=indent, subsequent_indent=indent)
    return "\n".join(lines).replace("\xa0", " ")


def marked(item: Item, *, colour: bool, width: int = 78) -> str:
    """Return the answer with its evidence in colours, or in brackets where there are none, in lines of ``width``."""
    if colour:
        return _rendered(item, width)
    text, out, at = item.answer.text, [], 0
    for span in sorted(item.answer.spans, key=lambda span: span.start):
        if span.start < at:
            continue
        out += [text[at : span.start], _MARKS[span.kind], text[span.start : span.end], "]"]
        at = span.end
    plain = "".join((*out, text[at:]))
    wrapped = [textwrap.wrap(line, max(20, width), drop_whitespace=False) or [""] for line in plain.splitlines()]
    return "\n".join(line.rstrip() for lines in wrapped for line in lines)


def _rendered(item: Item, width: int) -> str:
    from rich.console import Console

    console = Console(
        file=StringIO(), force_terminal=True, color_system="standard", width=max(20, width), highlight=False
    )
    console.print(_text(item), end="")
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def _text(item: Item) -> Text:
    from rich.text import Text

    text = Text(item.answer.text)
    for span in item.answer.spans:
        text.stylize(_STYLES[span.kind], span.start, span.end)
    return text
