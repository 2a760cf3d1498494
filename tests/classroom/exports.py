"""An export read in one go, for tests."""

from pathlib import Path

from grader.classroom.entry import Entry
from grader.classroom.layouts import detect, entries_in


def collect(source: Path, layout: str = "", pattern: str = "") -> tuple[str, tuple[Entry, ...]]:
    """The layout of ``source`` and its entries, every attempt of everybody."""
    found = detect(source, layout, pattern)
    return found.layout, entries_in(source, found, pattern)
