"""``grader override``: a person's points in the place of a criterion's own, an excuse, a comment for the student."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import click

from grader.classroom import decisions
from grader.classroom.results import existing, locked
from grader.cli.lines import laid_out
from grader.cli.results import results_argument
from grader.errors import Exit, GraderError
from grader.report.words import points as written


@click.command("override")
@results_argument()
@click.argument("student")
@click.argument("criterion", default="")
@click.argument("points", default="")
@click.option("--reason", default="", help="Why; kept in the history and told to the student.")
@click.option("--by", default="", help="Who decided.")
@click.option("--excuse", is_flag=True, help="Excuse the student from the whole of it.")
@click.option("--withdraw", is_flag=True, help="Take the decision back.")
@click.option("--comment", help="A comment that the student reads; an empty one takes it away.")
def command(
    results: Path,
    student: str,
    criterion: str,
    points: str,
    reason: str,
    by: str,
    excuse: bool,
    withdraw: bool,
    comment: str | None,
) -> int:
    """Set the POINTS of STUDENT for CRITERION in RESULTS; they stay whatever a later regrade does.

    STUDENT is a key, an id or a name as people type it, also of somebody on the roster who handed in nothing; POINTS
    and --excuse need a --reason.
    """
    folder = existing(results)
    if comment is None and not criterion and not excuse:
        raise GraderError(
            "what is to be overridden?", "", "grader override RESULTS STUDENT CRITERION POINTS --reason …"
        )
    if criterion and excuse:
        raise GraderError("excuses from the whole, not from a criterion", "--excuse", "Leave CRITERION out.")
    if (criterion or excuse) and not reason:
        raise GraderError("a decision needs its reason", "--reason", "One sentence is enough: the student reads it.")
    with locked(folder):
        key, row = decisions.find_student(folder, student)
        if comment is not None:
            decisions.comment(folder, key, comment)
            click.echo(f"{row['name']}: comment {'kept' if comment else 'taken away'}.")
        if excuse:
            (decisions.excuse_no_more if withdraw else decisions.excuse)(folder, key, reason, by)
            said = f"{'excused no more' if withdraw else 'excused'} ({reason})"
        elif criterion and withdraw:
            before = decisions.withdraw(folder, key, criterion, reason, by)
            said = _moved(row, criterion, before, None, reason)
        elif criterion:
            given = _points(points)
            said = _moved(row, criterion, decisions.decide(folder, key, criterion, given, reason, by), given, reason)
        else:
            return Exit.OK
    click.echo(laid_out(f"{row['name']}: {said}.", "  "))
    return Exit.OK


def _moved(row: Mapping[str, Any], criterion: str, before: Decimal, given: Decimal | None, reason: str) -> str:
    """What counted before and what counts now; without points that are ``given``, those that were graded."""
    graded, _, most = row["criteria"].get(criterion, ("0", "0", "0"))  # a rubric may have dropped it since
    now = written(Decimal(graded) if given is None else given)
    again = ", as graded" if given is None else ""
    return f"{criterion} {written(before)} → {now} of {written(Decimal(most))} points{again} ({reason})"


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
