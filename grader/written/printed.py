"""What a blank sheet prints, so that it is told from what a student wrote.

Students fill the blank in a question's own line, write between a question and its mark, or repeat the question in the
answer. Which question a printed line belongs to says whose answer stands there. The sheet itself
is made here, as `grader new` writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from grader.model.assignment import Question, Section

_MARK = re.compile(r"^\*\*\[(\w+)\]\*\*\s*$")
_ROOM = re.compile(r"^\s*(?:\||(?:\d+[.)]|[-*+])\s*$)")
_BLANK = re.compile(r"_{3,}")
_LETTER = re.compile(r"(?:^|\W)[^\W\d_]$")
Around = tuple[str, str]
_NUMBERING = re.compile(r"^(?:(?:\d+(?:\.\d+)+\.?|\d+[.)]|[ivx]+[.)])\s+)+(?=\S)")
_SAME = str.maketrans({**dict.fromkeys("“”„«»", '"'), **dict.fromkeys("’‘`´", "'"), "–": "-", "—": "-", "\u00a0": " "})
SHORT = 8
"""Letters: a question of no more is a label, which an answer may begin with."""
PLAIN = 5
"""Words: a line of so many is known by them alone, whatever an editor made of its signs."""
WRAPPED, BEGINNING = 4, 3
"""Lines that an editor makes of a printed one, and the words that tell where such a line begins."""


@dataclass(frozen=True)
class Printed:
    """The lines of a blank sheet, the question that each asks, and by question its line with a blank.

    ``ends`` are the last sentences of these lines, which an answer may repeat alone. A line with a blank is kept as
    what stands before it and behind it.
    """

    lines: frozenset[str] = frozenset()
    asks: Mapping[str, str] = field(default_factory=dict)
    blanks: Mapping[str, Around] = field(default_factory=dict)
    ends: Mapping[str, Around] = field(default_factory=dict)
    beginnings: frozenset[str] = frozenset()

    @classmethod
    def of(cls, sheet: str) -> Printed:
        """Return what the blank ``sheet`` prints."""
        lines: set[str] = set()
        asks: dict[str, set[str]] = {}
        blanks: dict[str, str] = {}
        waiting: list[str] = []
        for line in filter(str.strip, sheet.splitlines()):
            lines.update(_spellings(line))
            if mark := _MARK.match(line):
                for asked in waiting:
                    for spelling in _spellings(asked):
                        asks.setdefault(spelling, set()).add(mark[1])
                    if len(_BLANK.findall(asked)) == 1:
                        blanks[mark[1]] = asked
                waiting = []
            elif line.startswith("#"):
                waiting = []
            elif not _ROOM.match(line):
                waiting.append(line)
        own = {line: next(iter(of)) for line, of in asks.items() if len(of) == 1}
        whole, ends = ({n: _around(t) for n, t in each.items()} for each in (blanks, _last_sentences(blanks)))
        return cls(frozenset(lines), own, whole, ends, frozenset(map(_beginning, lines)))

    def holds(self, line: str) -> bool:
        """Say whether the sheet prints this line."""
        return not self.lines.isdisjoint(_spellings(line))

    def unwrapped(self, text: str) -> str:
        """Return a text whose printed lines are whole again where an editor broke them; other lines stay in place."""
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for at, line in enumerate(lines):
            if self.holds(line) or self.beginnings.isdisjoint(map(_beginning, _spellings(line))):
                continue
            for count in range(2, WRAPPED + 1):
                whole = " ".join(lines[at : at + count])
                if self.holds(whole):
                    lines[at : at + count] = [whole] + [""] * (count - 1)
                    break
        return "\n".join(lines)

    def asked(self, line: str) -> tuple[str, str]:
        """Return the question whose own line this is, and what is answered in it: in its blank, or right behind it."""
        if not self.asks:
            return "", ""
        for spelling in _spellings(line):
            if spelling in self.asks:
                return self.asks[spelling], ""
        flat = _unnumbered(_flat(line))
        for name, around in self.blanks.items():
            if text := _into(around, flat):
                return name, text
        whole = [asked for asked in self.asks if asked[-1] in "?:" and flat.startswith(f"{asked} ")]
        longest = max(whole, key=len, default="")
        return (self.asks[longest], flat.removeprefix(longest).strip()) if len(longest) > SHORT else ("", "")

    def bare(self, name: str, text: str) -> str:
        """Return an answer without the words of its question that it repeats around a blank."""
        if name not in self.blanks or "\n" in text.strip():
            return text
        flat = _unnumbered(_flat(text))
        return _into(self.blanks[name], flat) or _into(self.ends[name], flat) or text


def _into(around: Around, flat: str) -> str:
    """Return what a line has in a blank, or nothing; a letter before the blank may begin the word."""
    before, behind = around
    if not (flat.lower().startswith(before.lower()) and flat.lower().endswith(behind.lower())):
        return ""
    inside = flat[len(before) : len(flat) - len(behind)]
    if not re.search(r"\w", filled := _BLANK.sub("", inside).strip()):
        return ""
    return before[-1] + filled if _LETTER.search(before) and inside[0].islower() else filled


def _last_sentences(blanks: Mapping[str, str]) -> dict[str, str]:
    return {name: re.sub(r"^.*[.?!]\s+(?=[^_]*\w[^_]*_{3,})", "", text) for name, text in blanks.items()}


def _around(asked: str) -> Around:
    before, behind = _BLANK.split(asked, maxsplit=1)
    return _unnumbered(_flat(before)), _flat(behind)


def _flat(line: str) -> str:
    """Return a line without what an editor adds to it, underscores left."""
    line = re.sub(r"^\s*(?:>\s*)+", "", line.replace("\u00a0", " "))
    return " ".join(re.sub(r"[\\*`]", "", line).translate(_SAME).split())


def _beginning(line: str) -> str:
    return " ".join(line.split()[:BEGINNING])


def _unnumbered(line: str) -> str:
    return _NUMBERING.sub("", line)


@lru_cache(maxsize=64)
def _spellings(line: str) -> frozenset[str]:
    """Return what a line is known by: as it is, without its number, and, where it is long, its words alone."""
    flat = " ".join(re.sub(r"[_>]", "", _flat(line)).split())
    known = {flat, _unnumbered(flat)} if flat else set()
    words = re.findall(r"\w+", _unnumbered(flat).lower())
    return frozenset(known | ({" ".join(words)} if len(words) >= PLAIN else set()))


def questions_of(sheet: str) -> dict[str, str]:
    """Return what a blank ``sheet`` asks above each of its marks, below the mark or the heading before."""
    found: dict[str, str] = {}
    waiting: list[str] = []
    for line in sheet.splitlines():
        if mark := _MARK.match(line):
            found[mark[1]] = "\n".join(waiting).strip()
        if mark or line.startswith("#"):
            waiting = []
        elif not _ROOM.match(line):
            waiting.append(line)
    return found


HOW = (
    "Write each answer behind its mark, such as **[name]**, or in the lines below it. Leave the marks where they are.",
    "Numbers may have a decimal point or a decimal comma; formulas may be LaTeX or plain text.",
)


def blank_sheet(title: str, sections: Sequence[Section]) -> str:
    """Return the sheet with all questions of ``sections`` and room for the answers."""
    return "\n".join(_lines(title, sections)) + "\n"


def _lines(title: str, sections: Iterable[Section]) -> Iterator[str]:
    if title:
        yield from (f"# {title}", "", *HOW, "")
    for section in sections:
        yield from (f"## {section.title}", "")
        if section.text:
            yield from (section.text.strip(), "")
        for question in section.questions:
            yield from (*question.key.ask.strip().splitlines(), "") if question.key.ask else (question.title, "")
            yield f"**[{question.id}]** "
            yield from _room(question)
            yield ""


def _room(question: Question) -> Iterator[str]:
    """Yield what an answer of this kind is written into."""
    key = question.key
    if question.kind == "list":
        yield from ("", *(f"{number}. " for number in range(1, len(key.items) + 1)))
    elif question.kind == "set":
        yield from ("", *("- " for _ in range(key.at_least or len(key.items))))
    elif question.kind == "rows":
        yield from ("", "| | step | answer |", "| --- | --- | --- |")
        yield from (f"| {label} | {number} | |" for number, label in enumerate(key.rows, key.first))
    elif question.kind == "table":
        yield from ("", f"| from ↓ to → | {' | '.join(key.columns)} |", "| --- " * (len(key.columns) + 1) + "|")
        for row in key.rows:
            given = key.given.get(row, {})
            yield f"| {row} | {' | '.join(f'{given[c]:g}' if c in given else ' ' for c in key.columns)} |"
