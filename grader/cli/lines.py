"""Lines for this terminal: wrapped between words, under themselves, and left whole where a program reads them."""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence

import click

LEAST_BESIDE = 32
"""Columns that a text needs beside its name; with less it stands below."""


def columns() -> int:
    """The width of this terminal, as far as lines are laid out for it."""
    return max(shutil.get_terminal_size((80, 24)).columns, 60)


def wrapped(text: str, margin: str) -> Iterator[str]:
    """The lines of ``text`` at the width of this terminal; ``margin`` stands in front of all but the first.

    Names in them may be anybody's: no line is a command to a terminal, or to a runner that reads the log.
    """
    from grader.report.annotations import disarmed

    yield from map(disarmed, textwrap.wrap(_clean(text), columns(), subsequent_indent=margin, break_on_hyphens=False))


def _clean(text: str) -> str:
    from grader.model.text import StudentText

    return StudentText(text, limit=len(text))


def laid_out(text: str, margin: str = "", *, err: bool = False) -> str:
    """Return ``text`` wrapped where a person reads it: at a terminal, or at the width that COLUMNS asks for.

    In a pipe a line stays one, to be searched. ``err`` says that it goes to the error stream.
    """
    from grader.report.annotations import disarmed

    lines = wrapped(text, margin) if _is_read(err=err) else map(disarmed, _clean(text).split("\n"))
    return "\n".join(lines)


def say(text: str) -> None:
    """Tell a person one thing, beside what is printed."""
    click.echo(laid_out(text, "  ", err=True), err=True)


def _is_read(*, err: bool) -> bool:
    return bool(os.environ.get("COLUMNS")) or (sys.stderr if err else sys.stdout).isatty()


def table(rows: Sequence[tuple[str, str]], margin: str = "") -> Iterator[str]:
    """The lines of names with what is said of each beside them, or below where the terminal is narrow."""
    width = max((len(name) for name, _ in rows), default=0)
    yield from (line for name, text in rows for line in _row(f"{margin}{name:<{width}}  ", text))


def _row(head: str, text: str) -> Iterator[str]:
    if len(head) + len(text) <= columns() or not _is_read(err=False):
        yield head + text
    elif columns() - len(head) >= LEAST_BESIDE:
        yield from textwrap.wrap(
            text, columns(), initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False
        )
    else:
        yield head.rstrip()
        under = " " * (len(head) - len(head.lstrip()) + 4)
        yield from textwrap.wrap(text, columns(), initial_indent=under, subsequent_indent=under, break_on_hyphens=False)


def hanging(rows: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """Titles behind their counts with names in brackets: no word is cut in two, and names that fold stand in line."""
    found, width = list(rows), columns()
    folded = [(counts, name) for counts, title, name in found if len(f"{counts}{title}  [{name}]") > width]
    at = min((min(len(counts), max(0, width - len(name) - 2)) for counts, name in folded), default=0)
    for counts, title, name in found:
        one = f"{counts}{title}  [{name}]"
        if len(one) <= width:
            yield one
            continue
        yield from textwrap.wrap(title, width, initial_indent=counts, subsequent_indent=" " * len(counts))
        yield f"{' ' * at}[{name}]"
