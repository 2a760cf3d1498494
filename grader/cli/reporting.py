"""``grader report``: what a class got right and wrong."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.lines import hanging, wrapped
from grader.cli.results import results_argument
from grader.errors import Exit

if TYPE_CHECKING:
    from grader.classroom.statistics import CheckStatistics, ClassStatistics, Noted

VERDICTS = {
    "passed": "full marks", "failed": "lost points", "missing": "lost points", "unreadable": "unreadable",
    "undetermined": "waiting for a person", "fault": "at which the grader failed",
}  # fmt: skip
"""What the verdict on a whole submission means to who reads a summary: not everybody who lost a point failed."""

_NOTED = {
    "absent": "nothing handed in", "unreadable": "cannot be read", "broken": "nothing of it runs",
    "fault": "the grader itself failed", "undetermined": "a person decides", "timeout": "ran out of time",
    "memory": "ran out of memory", "crashed": "ended the process", "missing": "a part is missing",
}  # fmt: skip


MOST_NAMED, MOST_PARTS = 10, 4
"""Students that are named as waiting for a person, and parts that are named for one student."""


@click.command("report")
@results_argument()
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", help="How to report.")
def command(results: Path, form: str) -> int:
    """Count over RESULTS: mean and spread, the named mistakes, and how each check parts the class."""
    from grader.classroom.results import existing
    from grader.classroom.statistics import of
    from grader.cli.printing import show
    from grader.report.annotations import disarmed

    found = of(existing(results))
    if form == "json":
        show(json.dumps({"schema": "grader/class/v1", **asdict(found)}, ensure_ascii=False, indent=2) + "\n", utf8=True)
    else:
        show("".join(f"{disarmed(line)}\n" for line in _lines(found)), utf8=False)
    return Exit.OK


def tallied(verdicts: Mapping[str, int]) -> str:
    """Say in words how many submissions have which verdict: "9 full marks, 3 lost points"."""
    counts: dict[str, int] = {}
    for verdict in sorted(verdicts, key=lambda verdict: [*VERDICTS, verdict].index(verdict)):
        words = VERDICTS.get(verdict, verdict)
        counts[words] = counts.get(words, 0) + verdicts[verdict]
    return ", ".join(f"{count} {words}" for words, count in counts.items() if count)


def _lines(found: ClassStatistics) -> Iterator[str]:
    from grader.report.words import counted, unmarked

    pending = f" ({found.pending} with points that wait for a person)" if found.pending else ""
    handed_in = counted(found.students, "submission")
    yield from wrapped(f"{handed_in}: {tallied(found.verdicts)}{pending}", "  ")
    yield from wrapped(
        f"Score of {found.graded}: mean {found.mean:.2f} of {found.max_score:g}, median {found.median:.2f}, "
        f"standard deviation {found.spread:.2f}, from {found.lowest:g} to {found.highest:g}",
        "  ",
    )
    if found.noted:
        yield ""
        yield "To look at"
        for kind, who in found.noted.items():
            told = _by_part(who) if kind == "undetermined" and len(who) > MOST_NAMED else "; ".join(map(_named, who))
            yield from wrapped(f"  {_NOTED[kind]} ({len(who)}): {told}", "    ")
    if found.mistakes:
        yield ""
        yield "Named mistakes"
        width = len(str(found.graded))
        yield from hanging((f"  {m.students:{width}} of {found.graded}  ", m.title, m.id) for m in found.mistakes)
    yield ""
    yield from wrapped("Checks, the hardest first: passed, share of cases wrong, discrimination", "  ")
    hardest = sorted(found.checks, key=lambda check: (check.pass_rate, check.id))
    yield from hanging((_counts(check), unmarked(check.title, check.id), check.id) for check in hardest)


def _counts(check: CheckStatistics) -> str:
    parts = "    –" if check.discrimination is None else f"{check.discrimination:+.2f}"
    return f"  {check.passed:4} of {check.judged:<4} {check.difficulty:5.0%}  {parts:>5}  "


def _named(who: Noted) -> str:
    from grader.model import StudentText

    parts = f"{len(who.parts)} parts" if len(who.parts) > MOST_PARTS else ", ".join(who.parts)
    return StudentText(f"{who.name} ({parts})" if parts else who.name)


def _by_part(noted: Sequence[Noted]) -> str:
    """Say for how many students each part waits: most of a class would be a list that nobody reads."""
    counts = Counter(part for who in noted for part in who.parts)
    return f"{', '.join(f'{part} {count}' for part, count in counts.most_common())} (grader review)"
