"""A class for ``grader grade``: options to entries, a progress bar, the summary. The work is in grader.classroom."""

import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from grader.classroom import executors, gradebook, grading
from grader.classroom.batch import Done
from grader.classroom.gathering import ClassOptions, gathered, recognised
from grader.classroom.names import some
from grader.classroom.remarks import gone, of_class
from grader.classroom.results import Results
from grader.cli.judging import isolation_errors, require_torch
from grader.cli.lines import say, wrapped
from grader.cli.results import policy_of, tallied
from grader.errors import Exit
from grader.model.report import Settings
from grader.model.text import StudentText
from grader.report.view import PUBLIC_SEED
from grader.review.queue import waiting
from grader.sandbox.parent import Sandbox


@dataclass(slots=True)
class _Tally:
    """What the progress line shows."""

    graded: int = 0
    unchanged: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    again: Counter[str] = field(default_factory=Counter)
    unreadable: list[str] = field(default_factory=list)
    pending: bool = False
    started: float = field(default_factory=time.monotonic)

    def add(self, done: Done) -> None:
        """Count one more."""
        if done.reason:
            self.graded += 1
            self.again[done.reason] += done.reason != "new"
        else:
            self.unchanged += 1
        self.verdicts[done.row["verdict"]] += 1
        self.pending |= any(float(waits) > 0 for _, waits, _ in done.row["criteria"].values())
        if done.row["verdict"] == "unreadable":
            self.unreadable.append(StudentText(done.row["name"] or done.key))

    @property
    def text(self) -> str:
        """Running tallies."""
        return tallied(self.verdicts)


def grade_class(
    source: Sequence[Path],
    assignment: str | None,
    rubric: str | None,
    settings_of: Callable[[str], Settings],
    options: ClassOptions,
) -> Exit:
    """Grade the class at ``source`` into the results folder; raises GraderError.

    Where no ``assignment`` is named, the work tells it; ``settings_of`` gives what it is graded under.
    """
    found = gathered(source, options, say)
    entries, found = deque(found.entries), replace(found, entries=())
    which = assignment or recognised(entries, say)
    settings, sources = settings_of(which), grading.sources_of(which, rubric)
    remarks = (*found.remarks, *grading.remarks_on_forms(source, settings))
    _say_public_seed(settings)
    _prove_isolation(settings)
    count, here = len(entries), frozenset(entry.key for entry in entries)
    workforce = executors.cluster(options.cluster) if options.cluster else executors.local(options.jobs, count)
    results, tally = Results(options.output), _Tally()
    before = grading.rubric_before(results, sources.rubric)
    running = grading.grade_class(entries, found, settings, sources, options, workforce)
    try:
        with _progress(count, tally) as show, closing(running):
            for done in running:
                tally.add(done)
                show(done)
    except KeyboardInterrupt:
        click.echo(f"Stopped after {tally.graded} graded; run the same command again to go on.", err=True)
        raise
    if not options.only:
        remarks += gone(results.index()["students"], here)
    remarks += of_class(results, policy_of(results, None))
    if before:
        kept = f"to keep it, give it with --rubric ({results.folder}/rubric.before.yaml)"
        remarks += (f"the rubric was another one before, {before}: {kept}",)
    seconds = time.monotonic() - tally.started
    _summary(options.output, tally, remarks, len(waiting(results)) if tally.pending else 0, seconds)
    return Exit.FAULT if tally.verdicts["fault"] else Exit.OK


def _say_public_seed(settings: Settings) -> None:
    """Say that hidden cases can be foreseen, before the work is done, where there are any."""
    if settings.seed == PUBLIC_SEED and settings.assignment.interfaces:
        say(f"Seed {PUBLIC_SEED}, the default: students can draw the hidden cases, too. Choose a number with --seed.")


def _prove_isolation(settings: Settings) -> None:
    """Fail now, with the missing mechanism, and not once a submission."""
    require_torch(settings.assignment.id, needed=settings.assignment.needs_torch)
    with isolation_errors(), Sandbox(level=settings.isolation) as sandbox:
        _ = sandbox.isolation


@contextmanager
def _progress(total: int, tally: _Tally) -> Iterator[Callable[[Done], None]]:
    """A bar with rate and time left on a terminal, a plain line now and then elsewhere."""
    if not sys.stderr.isatty():
        yield _plain_lines(total, tally)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[tally]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("grading", total=total, rate="", tally="")

        def show(_done: Done) -> None:
            rate = tally.graded / max(time.monotonic() - tally.started, 1e-6)
            bar.update(task, advance=1, rate=f"{rate:.1f}/s", tally=tally.text)

        yield show


def _plain_lines(total: int, tally: _Tally) -> Callable[[Done], None]:
    step = max(1, -(-total // 20))
    told = 0

    def show(_done: Done) -> None:
        nonlocal told
        count = tally.graded + tally.unchanged
        fresh = tally.graded > told  # what is unchanged takes no time and is counted by the summary
        told = tally.graded
        if fresh and (count % step == 0 or count == total):
            rate = tally.graded / max(time.monotonic() - tally.started, 1e-6)
            click.echo(f"{count}/{total}  {rate:.1f}/s  {tally.text}", err=True)

    return show


def _summary(output: Path, tally: _Tally, remarks: Iterable[str], waits: int, seconds: float) -> None:
    kept = f", {tally.unchanged} unchanged" if tally.unchanged else ""
    click.echo(f"{tally.graded} graded in {seconds:.1f} s{kept}: {tally.text}.")
    for reason, count in sorted(tally.again.items()):
        if count:
            click.echo(f"  {count} graded again: {reason}")
    if names := sorted(tally.unreadable):
        remarks = (f"cannot be read: {some(names)}", *remarks)
    for remark in remarks:
        for line in wrapped(f"  {remark}", "    "):
            click.echo(line)
    if waits:
        answers = "1 answer waits" if waits == 1 else f"{waits} answers wait"
        click.echo(f"  {answers} for a person: grader review {output}")
    review = f"grader review {output}, " if waits else ""
    platforms = ", ".join([*gradebook.SHEETS, "…"])
    click.echo(f"Results in {output}. Next: {review}grader report {output}, grader export {output} (--to {platforms}).")
