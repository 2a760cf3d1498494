"""The lines of the work that a finding is about, as they stand in the file."""

from dataclasses import dataclass

from grader.model.outcome import Location
from grader.model.report import Report
from grader.model.text import StudentText

AROUND = 1
"""Lines shown above and below the one at fault."""
LONGEST = 160
"""Characters of a line that are shown."""


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One line with its number; ``fault`` marks the one to look at."""

    number: int
    text: str
    fault: bool


def lines_at(report: Report, place: Location | None) -> tuple[CodeLine, ...]:
    """Return the line at ``place`` with those around it; none where the work is not at hand."""
    found = [c for c in report.submission.chunks if place and (c.filename, c.cell) == (place.file, place.cell)]
    lines = found[0].lines if found else []
    if place is None or not 0 < place.line <= len(lines):
        return ()
    numbers = range(max(1, place.line - AROUND), min(len(lines), place.line + AROUND) + 1)
    return tuple(CodeLine(n, StudentText(lines[n - 1].expandtabs(4), LONGEST), n == place.line) for n in numbers)
