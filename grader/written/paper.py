"""A report as it was handed in: what can be read in it, whatever it was written with."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from grader.written.pdf.reading import Line

if TYPE_CHECKING:
    from grader.written.formula import FormulaVerdict

MOST_WORK = 400_000
"""Work on all formulas of a report. A derivation of 14 lines with a mistake takes 100,000, a usual report 2,000."""
A_FORMULA = 50
"""What looking at one takes beside the work on what it holds."""


class TooMuchToReadError(Exception):
    """The formulas of a report take more work than a report is worth."""


@dataclass(eq=False)
class FormulasRead:
    """What was found about the formulas of a report so far, and the work it took.

    All questions about a report share it; they come in the order of the key, so that the same report always gives the
    same verdicts. Nothing depends on what other reports held: a verdict carries the work that it took.
    """

    found: dict[tuple[str, str], FormulaVerdict] = field(default_factory=dict)
    work: int = 0

    def judge(self, kind: str, source: str) -> FormulaVerdict:
        """Judge one formula, as judge_formula does. Raises TooMuchToReadError where too much was done before."""
        if (kind, source) not in self.found:
            if self.work > MOST_WORK:
                raise TooMuchToReadError
            verdict = self.found[kind, source] = _judged(kind, source)
            self.work += verdict.work + A_FORMULA
        return self.found[kind, source]


@lru_cache(maxsize=4096)
def _judged(kind: str, source: str) -> FormulaVerdict:
    from grader.written.formula import judge_formula

    return judge_formula(kind, source)


FEWEST, LARGE = 200, 0.4
"""Letters of a page that has more than a header; share of a page that is taken by more than a figure."""
BlockKind = Literal["heading", "text", "formula", "diagram", "picture"]


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a report.

    ``form`` tells what a diagram is written in (only mermaid is judged), and the level of a heading, 1 for a section,
    where it is known.
    """

    kind: BlockKind
    text: str
    form: str = ""


@dataclass(frozen=True, slots=True)
class Pages:
    """What the PDF shows: visible text by page, hidden text, share of pictures; ``problem`` says why there is none.

    ``lines`` say what stands where; ``data`` is the file, of which regions can be shown.
    """

    path: str
    texts: tuple[str, ...] = ()
    hidden: tuple[tuple[int, str], ...] = ()
    pictures: tuple[float, ...] = ()
    problem: str = ""
    scan: bool = False
    headings: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()
    data: bytes = field(default=b"", repr=False)

    def only_pictures(self) -> tuple[int, ...]:
        """Return the numbers of the pages that show a picture and no text."""
        pairs = enumerate(zip(self.texts, self.pictures, strict=False), 1)
        return tuple(n for n, (text, share) in pairs if len(text.strip()) < FEWEST and share > LARGE)


@dataclass(frozen=True, slots=True)
class Paper:
    """A report. ``sources`` maps the files beside the PDF to their blocks; ``drawings`` are files with a diagram.

    ``pictures`` are files that nothing reads, each named with a mark of its content; ``unread`` maps sources that
    cannot be read, named alike, to what is said of them in ``notes``. ``read`` keeps count of the work
    on the formulas.
    """

    pages: Pages | None
    sources: Mapping[str, tuple[Block, ...]] = field(default_factory=dict)
    drawings: tuple[Block, ...] = ()
    pictures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)
    read: FormulasRead = field(default_factory=FormulasRead, compare=False, repr=False)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks of the sources; those of the PDF's text where there is no source."""
        found = tuple(block for blocks in self.sources.values() for block in blocks)
        if found or self.pages is None:
            return found
        return from_pages(self.pages.texts, self.pages.headings)

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


_NUMBERED = re.compile(r"^(?:\d+(?:\.\d+)*[.)]?|[IVX]+\.|[A-H][.)])\s+\S")


def from_pages(texts: Iterable[str], headings: Iterable[str] = ()) -> tuple[Block, ...]:
    """Return headings and paragraphs from a PDF's text: lines set as ``headings``, and numbered ones."""
    blocks: list[Block] = []
    lines: list[str] = []

    def close() -> None:
        if lines:
            blocks.append(Block("text", " ".join(lines)))
            lines.clear()

    pages = [[line for raw in folded(text).split("\n") if (line := " ".join(raw.split()))] for text in texts]
    running = _running(pages)
    shown = frozenset(" ".join(folded(line).split()) for line in headings)
    for page in pages:
        for line in page:
            if line in running or re.fullmatch(r"(?:page\s*)?\d+(?:\s*(?:/|of)\s*\d+)?", line, re.IGNORECASE):
                continue
            if line in shown and not lines and blocks and blocks[-1].kind == "heading" and _goes_on(line):
                blocks[-1] = Block("heading", f"{blocks[-1].text} {line}")
            elif line in shown or _is_heading(line):
                close()
                blocks.append(Block("heading", line))
            else:
                lines.append(line)
    close()
    return tuple(blocks)


def _goes_on(line: str) -> bool:
    """Whether a line that is set as a heading is the rest of the one before."""
    return line[0] == "(" or line[0].islower()


def _running(pages: Sequence[Sequence[str]]) -> frozenset[str]:
    """Return the lines at the head or the foot of several pages; numbers in them may differ."""
    edges = [frozenset((*page[:EDGE], *page[-EDGE:])) for page in pages]
    seen = Counter(shape for page in edges for shape in {_shape(line) for line in page})
    several = {shape for shape, count in seen.items() if count > 1 and 2 * count >= len(pages)}
    return frozenset(line for page in edges for line in page if _shape(line) in several)


def _shape(line: str) -> str:
    return re.sub(r"\d+", "#", line)


EDGE = 2
"""Lines of a page's head and of its foot."""
_BACK = re.compile(
    r"(?:references?|bibliography|literatur\w*|quellen|sources|appendix|anhang|acknowledge?ments?)\b", re.IGNORECASE
)
_LONGEST_HEADING = 9
"""Words of a heading with a number."""


def _is_heading(line: str) -> bool:
    """Whether a line is a heading by its number, or begins what stands behind a report."""
    count = len(line.split())
    if count > _LONGEST_HEADING or line[-1] in ".,;:!=(" or "=" in line:
        return False
    return _NUMBERED.match(line) is not None or (_BACK.match(line) is not None and count <= 3)  # noqa: PLR2004 - “Appendix A: more”


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
