"""Tables as people and platforms save them: CSV of whatever separator and encoding, with the usual headings."""

import csv
import io
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.classroom.names import plain
from grader.errors import GraderError, system_errors
from grader.intake.text import characters

MAX_BYTES = 20 << 20
_MOST_TITLES = 10
"""Lines of which one may be that of the headings: some write above it what the table is."""


def heading_form(cell: str) -> str:
    """A heading whatever its case, its accents and its signs."""
    return plain(cell).rstrip(":").replace("_", " ").strip()


def read_table(path: Path, known: Collection[str] = ()) -> list[dict[str, str]]:
    """Read a CSV of whatever separator as dictionaries; what is above the line with ``known`` headings is passed over.

    Raises GraderError.
    """
    text = _from_headings(read_text(path), known)
    separator = separator_of(text)
    with read_as_table(path):
        return [
            {(key or "").strip(): value or "" for key, value in row.items() if isinstance(value, str) or value is None}
            for row in csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)
        ]


def _from_headings(text: str, known: Collection[str]) -> str:
    """The text from the first line on that has one of the headings; all of it where none of the first has."""
    rest = text
    for _ in range(_MOST_TITLES):
        line, _, below = rest.partition("\n")
        if any(heading_form(cell.strip().strip('"')) in known for cell in line.split(separator_of(line))):
            return rest
        rest = below
    return text


@contextmanager
def read_as_table(path: Path) -> Iterator[None]:
    """Turn what the reader of tables raises into GraderError: a quote that is not closed makes a cell of the rest."""
    try:
        yield
    except csv.Error as error:
        raise GraderError(
            f"is no table ({error})", str(path), "Is a quote not closed? Save it as CSV again."
        ) from error


def read_text(path: Path) -> str:
    """The text of a table in whatever encoding spreadsheets write. Raises GraderError."""
    with system_errors(path, "Check the path.", what="read"):
        raw = path.read_bytes()
    if len(raw) > MAX_BYTES:
        raise GraderError(f"has more than {MAX_BYTES >> 20} MB", str(path), "Is this the right table?")
    if raw.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise GraderError("is a spreadsheet or an archive, not a CSV", str(path), "Save it as CSV (UTF-8).")
    return re.sub(r"\A\"?sep=.\"?\r?\n", "", characters(raw)[0])  # Excel says so what parts its columns


def separator_of(text: str) -> str:
    """What parts the columns of a CSV: the most frequent of comma, semicolon and tab in its heading."""
    head = text.split("\n", 1)[0]
    return max(",;\t", key=head.count)


def read_rows(path: Path) -> tuple[list[list[str]], str]:
    """The rows of a CSV that have anything in them, that of the headings first, and what parts the columns.

    Raises GraderError.
    """
    text = read_text(path)
    separator = separator_of(text)
    with read_as_table(path):
        return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row], separator
