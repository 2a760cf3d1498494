"""``grader regrade``: a new rubric or policy on stored outcomes; who moves and why, before it is kept."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from grader.catalog.places import rubric_file
from grader.classroom import executors, regrade
from grader.classroom.decisions import standing
from grader.classroom.gathering import as_graded, entries_of
from grader.classroom.grading import keep_policy
from grader.classroom.policy import Policy, final
from grader.classroom.regrade import Change
from grader.classroom.remarks import of_class
from grader.classroom.results import Results, existing, locked, now
from grader.classroom.worker import scored
from grader.cli.lines import say, wrapped
from grader.cli.options import PATH
from grader.cli.results import policy_of, results_argument, settings_of
from grader.errors import Exit, GraderError
from grader.intake.text import characters
from grader.model.report import Settings
from grader.report.stored import Outcomes
from grader.report.words import points as written


@click.command("regrade")
@results_argument()
@click.option("--rubric", metavar="FILE", help="The new rubric.")
@click.option("--policy", metavar="FILE", type=PATH, help="The new policy.")
@click.option("--source", metavar="CLASS", type=PATH, multiple=True, help="The submissions, where code has to run.")
@click.option("--rerun", is_flag=True, help="Run every check again, as after one was mended; needs --source.")
@click.option("--jobs", type=click.IntRange(0), default=0, help="Workers on this machine; 0 is one a core.")
@click.option("--roster", metavar="FILE", type=PATH, help="The roster that was given when the class was graded.")
@click.option("--dry-run", is_flag=True, help="Print who would move, and change nothing.")
@click.option("--reason", default="", help="Why; kept in the history.")
def command(
    results: Path,
    rubric: str | None,
    policy: Path | None,
    source: tuple[Path, ...],
    rerun: bool,
    jobs: int,
    roster: Path | None,
    dry_run: bool,
    reason: str,
) -> int:
    """Score RESULTS by a new rubric or policy and print each student whose score moves.

    No code runs where only points, requirements or policies changed. A component that was never judged is run, and
    nothing else, when --source gives the submissions.
    """
    if not (rubric or policy or rerun):
        raise GraderError("what has changed?", "", "Give --rubric FILE, --policy FILE or --rerun with --source CLASS.")
    if rerun and not source:
        raise GraderError("needs the submissions", "--rerun", "Give them with --source CLASS.")
    folder = existing(results)
    with locked(folder):
        settings = settings_of(folder, rubric)
        more = dict(_more(folder, settings, source, roster, jobs, everything=rerun)) if source else {}
        before, after = policy_of(folder, None), policy_of(folder, policy)
        students, decided = folder.index()["students"], standing(folder)[0]
        for remark in of_class(folder, after):
            say(remark)
        moved = stay = 0
        by_policy: list[dict[str, Any]] = []
        for change in regrade.changes(folder, settings.assignment, settings.rubric, more):
            lines = list(_said(students[change.key], decided.get(change.key, {}), change, before, after))
            moved += bool(lines)
            by_policy += _by_policy(students[change.key], decided.get(change.key, {}), change, before, after)
            stay += change.moved and not lines
            if lines:
                click.echo("\n".join(part for line in lines for part in wrapped(line, "        ")))
        others = f", {stay} keep{'s' if stay == 1 else ''} the score by other points of the criteria" if stay else ""
        if dry_run:
            click.echo(f"{moved} would move{others}; nothing was changed.")
            return Exit.OK
        found = regrade.changes(folder, settings.assignment, settings.rubric, more)
        regrade.keep(folder, found, settings, reason or "regraded")
        if rubric:
            folder.keep_rubric(characters(rubric_file(rubric).read_bytes())[0])
        keep_policy(policy, folder)
        folder.record({**line, "reason": reason or "regraded"} for line in by_policy)
    click.echo(f"{moved} moved{others}.")
    return Exit.OK


def _more(
    folder: Results, settings: Settings, source: Sequence[Path], roster: Path | None, jobs: int, *, everything: bool
) -> Iterator[tuple[str, Outcomes]]:
    entries = entries_of(source, as_graded(folder, roster), say)
    workforce = executors.local(jobs, len(entries))
    yield from regrade.rerun(folder, entries, settings, workforce, everything=everything)


def _by_policy(
    row: Mapping[str, Any], decided: Mapping[str, Any], change: Change, before: Policy, after: Policy
) -> Iterator[dict[str, Any]]:
    """A line for the history where the policy alone moves a final score; an excuse is no score."""
    row = {**row, **scored(change.report)}
    old, new = (final(row, change.key, policy, decided).points for policy in (before, after))
    if old != new:
        said = {"before": None if old is None else f"{old:f}", "after": None if new is None else f"{new:f}"}
        yield {"when": now(), "student": change.key, **said, "criteria": {}, "kind": "policy"}


def _said(
    row: Mapping[str, Any], decided: Mapping[str, Any], change: Change, before: Policy, after: Policy
) -> Iterator[str]:
    """Who moves, from what to what, and by which criteria; nothing where the final score stays."""
    old = final(row, change.key, before, decided)
    new = final({**row, **scored(change.report)}, change.key, after, decided)
    if old.points == new.points and old.maximum == new.maximum:
        return
    was, now = ("excused" if score.points is None else written(score.points) for score in (old, new))
    was += f" of {written(old.maximum)}" if old.maximum != new.maximum else ""

    def plain(value: str) -> str:
        return value if value == "-" else written(Decimal(value))  # "-": no such criterion in one of the rubrics

    yield f"{change.name}: {was} → {now} of {written(new.maximum)}"
    now_worth = {mark.criterion.id: mark.criterion.points for mark in change.report.marks}
    for criterion, (one, other) in change.criteria.items():
        kept = "  (overridden: stays as decided)" if criterion in decided else ""
        if kept and (most := now_worth.get(criterion)) is not None and Decimal(decided[criterion]["points"]) > most:
            kept = f"  (overridden: {decided[criterion]['points']} stay as decided, more than the {written(most)} now)"
        yield f"    {criterion}: {plain(one)} → {plain(other)}{kept}"
    for step in new.steps:
        if step not in old.steps:
            yield f"    {step}"
