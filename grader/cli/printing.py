"""Where a report goes: the terminal as it is, or a file, whole or not at all."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.errors import GraderError, system_errors

if TYPE_CHECKING:
    from grader.model.assignment import HintLevel
    from grader.model.report import Report
    from grader.report.view import View

FOREIGN = frozenset({".csv", ".tsv", ".pdf", ".docx", ".xlsx", ".yaml", ".yml", ".py", ".ipynb"})
SUFFIXES = {".json": "json", ".md": "markdown", ".html": "html", ".htm": "html", ".xml": "junit", ".txt": "text"}


def form_for(output: Path | None, form: str | None) -> str:
    """Return the format asked for, else the one that the output file's name tells, else text.

    Raises GraderError for a name that tells of a format which there is not.
    """
    if form or not output:
        return form or "text"
    ending = output.suffix.lower()
    if ending in FOREIGN - SUFFIXES.keys():
        raise GraderError(f"no report is written as {ending}", str(output), f"Use {', '.join(SUFFIXES)}, or --format.")
    return SUFFIXES.get(ending, "text")


def emit(
    report: Report, form: str, view: View, output: Path | None, level: HintLevel | None = None, again: str = ""
) -> None:
    """Print ``report``, or write it to ``output``; raises GraderError where that cannot be written.

    ``again`` is the command to be typed again for more help.
    """
    text = rendered(report, form, view, to_terminal=output is None, level=level, again=again)
    if output is None:
        show(text, utf8=form != "text")
    else:
        write(output, text)
        from grader.report.view import as_seen
        from grader.report.words import points

        shown = as_seen(report, view, level).report
        click.echo(f"{points(shown.score)} of {points(shown.max_score)} points; see {output}", err=True)


def rendered(
    report: Report, form: str, view: View, *, to_terminal: bool, level: HintLevel | None = None, again: str = ""
) -> str:
    """Return ``report`` in ``form``, laid out for this terminal where it goes there."""
    if form != "text":
        from grader.report import render

        return render(report, form, view, level=level)
    from grader.report import terminal

    if not to_terminal:
        return terminal.render(report, view, level=level, again=again)
    return terminal.render(report, view, level=level, width=_width(), colour=_colour(), plain=not draws(), again=again)


def show(text: str, *, utf8: bool) -> None:
    """Print ``text``; data goes out as UTF-8 whatever the terminal speaks."""
    click.echo(text.encode() if utf8 else text, nl=False, color=True)


def write(path: Path, text: str, cure: str = "Name another file with -o.") -> None:
    """Write ``text`` to ``path`` whole or not at all; raises GraderError naming the file."""
    from grader.classroom.results import write_atomically

    if path.exists() and not path.is_file() and not path.is_dir():  # /dev/stdout and the like are not replaced
        with system_errors(path, cure):
            path.write_text(text, encoding="utf-8")
        return
    require_writable(path, cure)
    write_atomically(path, text, cure)


def require_writable(path: Path, cure: str = "Name another file with -o.") -> None:
    """Raise GraderError where ``path`` cannot be written: said before the work is done, not after."""
    if path.is_dir():
        raise GraderError("is a folder", str(path), cure)
    if not path.parent.is_dir():
        instead = f"{cure[:1].lower()}{cure[1:]}"
        raise GraderError("its folder does not exist", str(path), f"Make {path.parent}, or {instead}")
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise GraderError("cannot be written", str(path), cure)


def _width() -> int:
    import shutil

    return shutil.get_terminal_size((80, 24)).columns


def _colour() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def draws() -> bool:
    """Whether the terminal can show the signs that we draw with."""
    try:
        "✓✗█░─·".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
