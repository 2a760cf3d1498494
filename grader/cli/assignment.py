"""``grader assignment``: assignments are checked before students meet them."""

from collections.abc import Iterator
from pathlib import Path

import click

from grader.catalog import InvalidFileError, assignment_file, load_assignment
from grader.catalog.interfaces import require_known_interfaces
from grader.cli.judging import exit_code, judge, read, settings_for
from grader.cli.options import PATH
from grader.cli.printing import emit
from grader.errors import Exit
from grader.learning.given import handout_of
from grader.model.outcome import Verdict
from grader.model.report import Mark, Report
from grader.report.words import counted, points
from grader.sandbox.parent import Sandbox
from grader.written.model_answer import problems


@click.group("assignment")
def command() -> None:
    """Validate assignments, and write their hand-outs."""


@command.command("validate")
@click.argument("assignments", metavar="ID...", nargs=-1, required=True)
@click.option(
    "--against",
    "solution",
    metavar="SOLUTION",
    type=PATH,
    help="Say whether this solution keeps all points, and where not.",
)
def validate(assignments: tuple[str, ...], solution: Path | None) -> int:
    """Validate assignments (ids, folders or files): every complaint with file, line, field and what was expected.

    With --against the solution is graded by the assignment's rubric: exit code 1 where it loses points. Components
    that the rubric gives no points for are named.
    """
    code = Exit.OK
    for which in assignments:
        path = assignment_file(which)
        try:
            loaded = load_assignment(path)
            require_known_interfaces(path)
        except InvalidFileError as error:
            click.echo("\n".join(error.problems), err=True)
            code = Exit.USAGE
            continue
        if loaded.sections:
            complaints = [f"{path.parent}: {complaint}" for complaint in problems(loaded.sections)]
            if complaints:
                click.echo("\n".join(complaints), err=True)
                code = Exit.USAGE
                continue
        click.echo(f"{path}: valid, {counted(len(loaded.components), 'component')}")
        if solution is not None:
            code = max(code, _against(solution, which))
    return code


@command.command("handout")
@click.argument("assignment", metavar="ID")
def handout(assignment: str) -> None:
    """Print the hand-out of ID as its assignment.yaml says it now: what is settled, when code is right, what to write.

    Into the file: grader assignment handout my-hw > my-hw/handout.md
    """
    click.echo(handout_of(assignment), nl=False)


def _short(report: Report) -> Iterator[str]:
    """Say of each criterion that is not full what is lost and what waits for a person, and why."""
    for mark in report.marks:
        lost = mark.criterion.points - mark.points - mark.pending
        amounts = [f"{points(lost)} lost"] * bool(lost) + [f"{points(mark.pending)} waiting for a person"] * bool(
            mark.pending
        )
        if amounts:
            bonus = " (bonus)" if mark.criterion.bonus else ""
            yield f"! {mark.criterion.title}{bonus}: {', '.join(amounts)}: {_reasons(mark)}"


def _reasons(mark: Mark) -> str:
    """What was said of the checks that did not pass, each once, the first few of them."""
    open_ = [one for one in mark.outcomes if one.verdict is not Verdict.PASSED]
    said: dict[str, list[str]] = {}
    for one in open_:
        said.setdefault(next(iter((one.message or one.title).splitlines()), "").rstrip("."), []).append(one.check)
    told = [
        f"{', '.join(checks[:MOST_TOLD])}{' …' if len(checks) > MOST_TOLD else ''} ({why})"
        for why, checks in said.items()
    ]
    return f"{'; '.join(told[:MOST_TOLD])}{f'; {len(told) - MOST_TOLD} more' if len(told) > MOST_TOLD else ''}"


MOST_TOLD = 3


def _against(solution: Path, which: str) -> Exit:
    """Grade the solution as a hand-in and print what it loses; nothing more where it keeps all points."""
    settings = settings_for(which, isolation="auto")
    with Sandbox(level="auto") as sandbox:
        report = judge(read(solution), settings, sandbox)
    code = exit_code(report)
    if code is not Exit.OK:
        emit(report, "text", "staff", None)
    waiting = f"; {points(report.pending)} more wait for a person" if report.pending else ""
    right = "right, " if code is Exit.OK else "not right under this assignment, "
    click.echo(f"{solution}: {right}{points(report.score)} of {points(report.max_score)} points{waiting}")
    for line in _short(report):
        click.echo(line)
    earning = {check.id.partition(".")[0] for one in settings.rubric.criteria for check in one.checks}
    if idle := [name for name in settings.assignment.components if name not in earning]:
        click.echo(f"! The rubric gives no points for {', '.join(idle)}: add a criterion with checks: [{idle[0]}.*].")
    return code
