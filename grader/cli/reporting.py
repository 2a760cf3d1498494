"""``grader report``: what a class got right and wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.results import results_argument
from grader.errors import Exit

if TYPE_CHECKING:
    from grader.classroom.statistics import ClassStatistics


@click.command("report")
@results_argument()
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", help="How to report.")
def command(results: Path, form: str) -> int:
    """Count over RESULTS: mean and spread, the named mistakes, and how each check parts the class."""
    from grader.classroom.results import existing
    from grader.classroom.statistics import of
    from grader.cli.printing import show

    found = of(existing(results))
    if form == "json":
        show(json.dumps({"schema": "grader/class/v1", **asdict(found)}, ensure_ascii=False, indent=2) + "\n", utf8=True)
    else:
        show("\n".join(_lines(found)) + "\n", utf8=False)
    return Exit.OK


def _lines(found: ClassStatistics) -> Iterator[str]:
    unreadable = f", {found.unreadable} unreadable" if found.unreadable else ""
    pending = f", {found.pending} with points that wait for a person" if found.pending else ""
    yield f"{found.students} submissions{unreadable}{pending}"
    yield (
        f"Score: mean {found.mean:.2f} of {found.max_score:g}, median {found.median:.2f}, standard deviation "
        f"{found.spread:.2f}, from {found.lowest:g} to {found.highest:g}"
    )
    if found.mistakes:
        yield ""
        yield "Named mistakes"
        width = len(str(found.graded))
        for mistake in found.mistakes:
            yield from _hanging(f"  {mistake.students:{width}} of {found.graded}  ", mistake.title, mistake.id)
    yield ""
    yield "Checks, the hardest first: passed, share of cases wrong, discrimination"
    for check in sorted(found.checks, key=lambda check: (check.pass_rate, check.id)):
        parts = "    –" if check.discrimination is None else f"{check.discrimination:+.2f}"
        counts = f"  {check.passed:4} of {check.judged:<4} {check.difficulty:5.0%}  {parts:>5}  "
        yield from _hanging(counts, check.title.rstrip("."), check.id)


def _hanging(counts: str, title: str, name: str) -> Iterator[str]:
    """A title behind its counts and its name in brackets, each wrapped under itself: no word is cut in two."""
    import shutil
    import textwrap

    width = max(shutil.get_terminal_size((80, 24)).columns, 60)
    one = f"{counts}{title}  [{name}]"
    if len(one) <= width:
        yield one
        return
    margin = " " * len(counts)
    yield from textwrap.wrap(title, width, initial_indent=counts, subsequent_indent=margin)
    yield f"{margin[: max(0, width - len(name) - 2)]}[{name}]"
