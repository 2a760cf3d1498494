"""A class for ``grader grade``: options to entries, a progress bar, the summary. The work is in grader.classroom."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.errors import Exit, GraderError

if TYPE_CHECKING:
    from grader.classroom.batch import Done
    from grader.classroom.entry import Entry
    from grader.model import Settings


@dataclass(frozen=True, slots=True)
class ClassOptions:
    """What the command line says about a class."""

    layout: str = ""
    pattern: str = ""
    roster: Path | None = None
    attempt: str = "latest"
    only: tuple[str, ...] = ()
    jobs: int = 0
    cluster: str = ""
    force: bool = False


@dataclass(slots=True)
class _Tally:
    """What the progress line shows."""

    graded: int = 0
    unchanged: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    started: float = field(default_factory=time.monotonic)

    def add(self, done: Done) -> None:
        """Count one more."""
        if done.reason:
            self.graded += 1
        else:
            self.unchanged += 1
        self.verdicts[done.row["verdict"]] += 1

    @property
    def text(self) -> str:
        """Running tallies."""
        return ", ".join(f"{count} {verdict}" for verdict, count in sorted(self.verdicts.items()))


def grade_class(source: Sequence[Path], settings: Settings, output: Path, options: ClassOptions) -> Exit:
    """Grade the class at ``source`` into the results folder ``output``; raises GraderError."""
    from grader.classroom import batch, executors
    from grader.classroom.results import locked, open_results

    entries, remarks = _entries(source, options)
    _prove_isolation(settings)
    workforce = executors.cluster(options.cluster) if options.cluster else executors.local(options.jobs, len(entries))
    results = open_results(output)
    tally = _Tally()
    with locked(results), _progress(len(entries), tally) as show:
        try:
            for done in batch.run(
                entries,
                settings,
                results,
                workforce.make,
                in_flight=workforce.in_flight,
                force=options.force,
                attempt=options.attempt,
            ):
                tally.add(done)
                show(done)
        except KeyboardInterrupt:
            click.echo(f"Stopped after {tally.graded} graded; run the same command again to go on.", err=True)
            raise
    _summary(output, tally, remarks, time.monotonic() - tally.started)
    return Exit.FAULT if tally.verdicts["fault"] else Exit.OK


def _entries(source: Sequence[Path], options: ClassOptions) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    from grader.classroom.attempts import choose
    from grader.classroom.layouts import collect
    from grader.classroom.roster import match, read_roster

    found: list[Entry] = []
    for path in source:
        layout, entries = collect(path, options.layout, options.pattern)
        click.echo(f"{path}: {len(entries)} hand-ins ({layout} layout).", err=True)
        found += entries
    remarks: tuple[str, ...] = ()
    if options.roster:
        matched = match(found, read_roster(options.roster))
        found, remarks = list(matched.entries), matched.remarks
    chosen = choose(found, options.attempt)
    if options.only:
        wanted = {name.casefold() for name in options.only}
        chosen = tuple(
            e for e in chosen if wanted & {e.key.casefold(), e.name.casefold(), *(i.casefold() for i in e.ids)}
        )
        if not chosen:
            raise GraderError(
                f"nobody is called {', '.join(options.only)}", "--only", "Give a name, key or id of the class."
            )
    return chosen, remarks


def _prove_isolation(settings: Settings) -> None:
    """Fail now, with the missing mechanism, and not once a submission."""
    from grader.cli.judging import isolation_errors
    from grader.sandbox.parent import Sandbox

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
    step = max(1, total // 20)

    def show(_done: Done) -> None:
        count = tally.graded + tally.unchanged
        if count % step == 0 or count == total:
            rate = tally.graded / max(time.monotonic() - tally.started, 1e-6)
            click.echo(f"{count}/{total}  {rate:.1f}/s  {tally.text}", err=True)

    return show


def _summary(output: Path, tally: _Tally, remarks: Iterable[str], seconds: float) -> None:
    kept = f", {tally.unchanged} unchanged" if tally.unchanged else ""
    click.echo(f"{tally.graded} graded in {seconds:.1f} s{kept}: {tally.text}.")
    for remark in remarks:
        click.echo(f"  {remark}")
    click.echo(f"Results in {output}. Next: grader report {output}, grader export {output} --to canvas.")
