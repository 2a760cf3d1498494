"""``grader report``: what a class got right and wrong."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from grader.classroom import class_page
from grader.classroom.decisions import find_student, standing
from grader.classroom.feedback import decided_report
from grader.classroom.overview import overview
from grader.classroom.remarks import of_class
from grader.classroom.rescoring import rescored
from grader.classroom.results import Results, existing
from grader.classroom.statistics import CheckStatistics, ClassStatistics, Noted, of
from grader.cli.lines import hanging, wrapped
from grader.cli.options import output_option
from grader.cli.printing import emit, form_for, show, write
from grader.cli.results import policy_of, results_argument, settings_of, tallied
from grader.errors import Exit, GraderError
from grader.model.report import Report, Settings
from grader.model.text import StudentText
from grader.report import page
from grader.report.annotations import disarmed
from grader.report.words import counted

FORMS = ("text", "json", "markdown", "html", "junit")
"""Formats: of a class text, json and html."""

_NOTED = {
    "absent": "nothing handed in", "unreadable": "cannot be read", "broken": "nothing of it runs",
    "fault": "the grader itself failed", "undetermined": "a person decides", "timeout": "ran out of time",
    "memory": "ran out of memory", "crashed": "ended the process", "missing": "a part is missing",
}  # fmt: skip


MOST_NAMED, MOST_PARTS, MOST_CHECKS = 10, 4, 20
"""Students that are named as waiting for a person, parts that are named for one student, and checks in the terminal."""


@click.command("report")
@results_argument()
@click.argument("student", required=False)
@click.option("--format", "form", type=click.Choice(FORMS), help="How to report; else the name of the file tells.")
@output_option("Write the report here; a folder gets a page of the class with each student's report.")
@click.option("--no-names", is_flag=True, help="Leave names out of the page.")
def command(results: Path, student: str | None, form: str | None, output: Path | None, no_names: bool) -> int:
    """Count over RESULTS: mean and spread, the named mistakes, and how each check parts the class.

    With STUDENT (a name, key or id) it shows the report of that one. As HTML it is a page to sort and filter: one file,
    or with -o FOLDER one that leads to the report of each student.
    """
    folder = existing(results)
    chosen = form or _told_by(output)
    if student is not None:
        return _one(folder, student, chosen, output)
    if chosen == "html":
        return _page(folder, output, named=not no_names)
    if chosen not in {"text", "json"}:
        raise GraderError("is for one student; a class is text, json or html", f"--format {chosen}")
    found = of(folder)
    if output:
        raise GraderError("is for the page of a class", "-o", "Add --format html, or send the text on with >.")
    form = chosen
    if form == "json":
        show(json.dumps({"schema": "grader/class/v1", **asdict(found)}, ensure_ascii=False, indent=2) + "\n", utf8=True)
    else:
        remarks = of_class(folder, policy_of(folder, None))
        show("".join(f"{disarmed(line)}\n" for line in _lines(found, remarks)), utf8=False)
    return Exit.OK


def _told_by(output: Path | None) -> str:
    """The format that the name of the output tells: a folder is a page with the reports beside it."""
    return "html" if output and not output.suffix else form_for(output, None)


def _one(folder: Results, student: str, form: str, output: Path | None) -> int:
    """Print the stored report of one student, as staff see it, with the points that people gave."""
    key, _ = find_student(folder, student)
    stored = folder.report(key)
    if stored is None:
        raise GraderError("handed in nothing, so there is no report", student)
    decisions = standing(folder)[0].get(key, {})
    emit(_decided(settings_of(folder), stored, decisions), form, "staff", output)
    return Exit.OK


def _decided(settings: Settings, stored: Mapping[str, Any], decisions: Mapping[str, Any]) -> Report:
    """A stored report as it stands now."""
    return decided_report(rescored(stored, settings.assignment, settings.rubric), decisions)


def _page(folder: Results, output: Path | None, *, named: bool) -> int:
    """Write the page of the class, as one file or as a folder with the reports."""
    settings = settings_of(folder)
    titles = {criterion.id: criterion.title for criterion in settings.rubric.criteria}
    found = overview(folder, policy_of(folder, None), settings.assignment.title, titles)
    if output is None:
        show(class_page.render(found, named=named), utf8=True)
    elif output.suffix:
        write(output, class_page.render(found, named=named))
    else:
        count = class_page.folder(found, _reports(folder, settings), output, named=named)
        click.echo(f"{count} reports; open {output / 'index.html'}", err=True)
    return Exit.OK


def _reports(folder: Results, settings: Settings) -> Iterator[tuple[str, str]]:
    """Each student's report as a page, by key."""
    decisions = standing(folder)[0]
    for key, stored in folder.all_reports():
        yield key, page.render(_decided(settings, stored, decisions.get(key, {})), "staff")


def _lines(found: ClassStatistics, remarks: Sequence[str] = ()) -> Iterator[str]:
    pending = f" ({found.pending} with points that wait for a person)" if found.pending else ""
    handed_in = counted(found.students, "submission")
    yield from wrapped(f"{handed_in}: {tallied(found.verdicts)}{pending}", "  ")
    yield from wrapped(
        f"Score of {found.graded}: mean {found.mean:.2f} of {found.max_score:g}, median {found.median:.2f}, "
        f"standard deviation {found.spread:.2f}, from {found.lowest:g} to {found.highest:g}",
        "  ",
    )
    if found.noted or remarks:
        yield ""
        yield "To look at"
        for remark in remarks:
            yield from wrapped(f"  {remark}", "    ")
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
    shown = hardest[:MOST_CHECKS]
    yield from hanging((_counts(check), check.title.rstrip("."), check.id) for check in shown)
    if easier := hardest[len(shown) :]:
        least = min(check.passed for check in easier)
        rest = f"{len(easier)} more, each passed by {least} or more, stand on the page (-o FOLDER)"
        yield from wrapped(f"  {rest}", "  ")


def _counts(check: CheckStatistics) -> str:
    parts = "    –" if check.discrimination is None else f"{check.discrimination:+.2f}"
    return f"  {check.passed:4} of {check.judged:<4} {check.difficulty:5.0%}  {parts:>5}  "


def _named(who: Noted) -> str:
    parts = f"{len(who.parts)} parts" if len(who.parts) > MOST_PARTS else ", ".join(who.parts)
    return StudentText(f"{who.name} ({parts})" if parts else who.name)


def _by_part(noted: Sequence[Noted]) -> str:
    """Say for how many students each part waits: most of a class would be a list that nobody reads."""
    counts = Counter(part for who in noted for part in who.parts)
    return f"{', '.join(f'{part} {count}' for part, count in counts.most_common())} (grader review)"
