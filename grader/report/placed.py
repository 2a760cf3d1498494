"""Where a finding stands in the repository: what CI platforms are told."""

from pathlib import PurePosixPath

from grader.model.outcome import Location
from grader.model.report import Report


def placed(location: Location, root: str) -> tuple[str, int]:
    """Return file and line of ``location`` in the repository whose folder ``root`` holds the work.

    The line is 0 in a notebook: it is one long JSON file, whose lines are not those of the cell.
    """
    file = str(PurePosixPath(root) / location.file.partition("[")[0])
    return file, 0 if location.cell else location.line


def entry(report: Report, root: str) -> str:
    """Return the file that what is not there would stand in; empty where no code is handed in."""
    chunks = report.submission.chunks
    return placed(Location(chunks[0].filename, 1), root)[0] if chunks else ""
