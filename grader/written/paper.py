"""A report as it was handed in: what can be read in it, whatever it was written with."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

FEWEST, LARGE = 200, 0.4
"""Letters of a page that has more than a header; share of a page that is taken by more than a figure."""
BlockKind = Literal["heading", "text", "formula", "diagram", "picture"]


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a report. ``form`` tells what a diagram is written in: mermaid, dot, drawio or tikz."""

    kind: BlockKind
    text: str
    form: str = ""


@dataclass(frozen=True, slots=True)
class Pages:
    """What the PDF shows: visible text by page, hidden text, share of pictures; ``problem`` says why there is none."""

    path: str
    texts: tuple[str, ...] = ()
    hidden: tuple[tuple[int, str], ...] = ()
    pictures: tuple[float, ...] = ()
    problem: str = ""
    scan: bool = False

    def only_pictures(self) -> tuple[int, ...]:
        """Return the numbers of the pages that show a picture and no text."""
        pairs = enumerate(zip(self.texts, self.pictures, strict=False), 1)
        return tuple(n for n, (text, share) in pairs if len(text.strip()) < FEWEST and share > LARGE)


@dataclass(frozen=True, slots=True)
class Paper:
    """A report. ``sources`` maps the files beside the PDF to their blocks; ``drawings`` are files with a diagram.

    ``pictures`` are files that nothing reads, each named with a mark of its content.
    """

    pages: Pages | None
    sources: Mapping[str, tuple[Block, ...]] = field(default_factory=dict)
    drawings: tuple[Block, ...] = ()
    pictures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks of the sources; those of the PDF's text where there is no source."""
        found = tuple(block for blocks in self.sources.values() for block in blocks)
        if found or self.pages is None:
            return found
        return from_pages(self.pages.texts)

    @property
    def text(self) -> str:
        """All prose, one paragraph a line."""
        return "\n".join(block.text for block in self.blocks if block.kind in {"heading", "text"})

    @property
    def formulas(self) -> tuple[str, ...]:
        """Formulas of the sources; a PDF's text holds none that could be trusted."""
        return tuple(b.text for blocks in self.sources.values() for b in blocks if b.kind == "formula")

    def diagrams(self) -> tuple[Block, ...]:
        """Diagrams that are handed in as text."""
        return (*(block for block in self.blocks if block.kind == "diagram"), *self.drawings)


def section_text(blocks: Iterable[Block], heading: re.Pattern[str]) -> str:
    """Return the prose below the first heading that matches, up to the next heading; empty where there is none."""
    inside, found = False, []
    for block in blocks:
        if block.kind == "heading":
            if inside:
                break
            inside = heading.search(block.text.lower()) is not None
        elif inside and block.kind == "text":
            found.append(block.text)
    return "\n".join(found)


_NUMBERED = re.compile(r"^(?:\d+(?:\.\d+)*[.)]?|[IVX]+\.|[A-H][.)])\s+\S")


def from_pages(texts: Iterable[str]) -> tuple[Block, ...]:
    """Return headings and paragraphs from a PDF's text, as far as short numbered or known lines tell them."""
    blocks: list[Block] = []
    lines: list[str] = []

    def close() -> None:
        if lines:
            blocks.append(Block("text", " ".join(lines)))
            lines.clear()

    for text in texts:
        for raw in folded(text).split("\n"):
            line = " ".join(raw.split())
            if not line or re.fullmatch(r"(?:page\s*)?\d+(?:\s*(?:/|of)\s*\d+)?", line, re.IGNORECASE):
                continue
            if _is_heading(line):
                close()
                blocks.append(Block("heading", line))
            else:
                lines.append(line)
    close()
    return tuple(blocks)


_KNOWN = re.compile(
    r"\b(?:reflection|introduction|conclusion|attention|encoding|masks?|diagram|summary|safety|limits)\b", re.IGNORECASE
)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|we|i|it|that|which)\b", re.IGNORECASE)
_LONGEST_NUMBERED, _LONGEST_PLAIN = 9, 6
"""Words of a heading with and without a number."""


def _is_heading(line: str) -> bool:
    count = len(line.split())
    if count > _LONGEST_NUMBERED or line[-1] in ".,;:!=":
        return False
    if _NUMBERED.match(line):
        return True
    return count <= _LONGEST_PLAIN and line[0].isupper() and bool(_KNOWN.search(line)) and not _VERB.search(line)


_CODES = {"\x10": "“", "\x11": "”", "\x12": "„", "\x15": "–", "\x1b": "ff", "\x1c": "fi", "\x1d": "fl", "\x1e": "ffi",
          "\x1f": "ffl"}  # fmt: skip
_BY_CODE = re.compile(
    "(?<=[^\\W\\d_])[\x1b-\x1f]|[\x1b-\x1f](?=[^\\W\\d_])"
    "|[\x10\x12](?=\\w)|(?<=[\\w.,!?])\x11|(?<=[\\w ])\x15(?=[\\w ])"
)
"""Letters of TeX's T1 fonts where they are set as bitmaps: the PDF then holds their codes and no letters."""


def folded(text: str) -> str:
    """Return a PDF's text in plain letters: ligatures and mathematical letters folded, soft hyphens taken out."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = re.sub("[\ufffe\u00ad\u0002]\n?", "", text)
    text = _BY_CODE.sub(lambda found: _CODES[found[0]], text)
    text = re.sub(r"(?<=[a-z])-\n(?=[a-z])", "", text)
    return unicodedata.normalize("NFKC", text)
