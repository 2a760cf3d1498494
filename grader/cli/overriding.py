"""``grader override``: a person's points in the place of a criterion's own, or a comment for the student."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path

import click

from grader.cli.results import results_argument
from grader.errors import Exit, GraderError


@click.command("override")
@results_argument()
@click.argument("student")
@click.argument("criterion", default="")
@click.argument("points", default="")
@click.option("--reason", default="", help="Why; kept in the history and told to the student.")
@click.option("--by", default="", help="Who decided.")
@click.option("--withdraw", is_flag=True, help="Take the decision back.")
@click.option("--comment", help="A comment that the student reads; an empty one takes it away.")
def command(
    results: Path, student: str, criterion: str, points: str, reason: str, by: str, withdraw: bool, comment: str | None
) -> int:
    """Set the POINTS of STUDENT for CRITERION in RESULTS; they stay whatever a later regrade does.

    STUDENT is a key, an id or a name as people type it; POINTS need a --reason.
    """
    from grader.classroom import decisions
    from grader.classroom.results import existing, locked
    from grader.report.words import points as written

    folder = existing(results)
    if comment is None and not criterion:
        raise GraderError(
            "what is to be overridden?", "", "grader override RESULTS STUDENT CRITERION POINTS --reason …"
        )
    if criterion and not reason:
        raise GraderError("a decision needs its reason", "--reason", "One sentence is enough: the student reads it.")
    with locked(folder):
        key, row = decisions.find_student(folder, student)
        if comment is not None:
            decisions.comment(folder, key, comment)
            click.echo(f"{row['name']}: comment {'kept' if comment else 'taken away'}.")
        if criterion and withdraw:
            decisions.withdraw(folder, key, criterion, reason, by)
            click.echo(f"{row['name']}: {criterion} counts as graded again.")
        elif criterion:
            decisions.decide(folder, key, criterion, _points(points), reason, by)
            graded = written(Decimal(row["criteria"][criterion][0]))
            click.echo(f"{row['name']}: {criterion} {graded} → {points} ({reason}).")
    return Exit.OK


def _points(text: str) -> Decimal:
    if not text:
        raise GraderError(
            "how many points?", "POINTS", "Give a number such as 3.5, or take the decision back with --withdraw."
        )
    try:
        found = Decimal(text)
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite():
        raise GraderError(f"{text!r} are no points", "POINTS", "Give a number such as 3.5.")
    return found
