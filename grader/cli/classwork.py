"""A class for ``grader grade``: options to entries, a progress bar, the summary. The work is in grader.classroom."""

from __future__ import annotations

import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.errors import Exit, GraderError
from grader.model import StudentText

if TYPE_CHECKING:
    from grader.classroom.batch import Done
    from grader.classroom.entry import Entry
    from grader.classroom.results import Results
    from grader.cli.gathering import ClassOptions
    from grader.model import Settings


MOST_NAMES = 10
"""Names that one line of the summary holds; `grader report` has them all."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the settings came from: the assignment's id or path, and the rubric's file."""

    assignment: str
    rubric: Path


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
        from grader.cli.reporting import tallied

        return tallied(self.verdicts)


def is_results(source: Sequence[Path], output: Path | None, layout: str | None = None, pattern: str = "") -> bool:
    """Whether a results folder is to be made: for a class, and where ``output`` is a folder rather than a file.

    Raises GraderError where the results of a class have no folder to go to.
    """
    from grader.classroom.layouts import detect
    from grader.cli.gathering import doubted

    if output is not None and (output.is_dir() or (not output.suffix and not output.exists())):
        return True
    folder = output.stem if output else "results"
    if len(source) > 1:
        names = " and ".join(str(path) for path in source) if len(source) == 2 else f"{source[0]} and the others"  # noqa: PLR2004
        cure = (
            f"Add -o {folder}. Are they one student's files? Put them into one folder, and give that folder "
            "with --layout single."
        )
        raise GraderError(f"{len(source)} sources are graded as a class, and its results need a folder", names, cure)
    found = detect(source[0], layout or "", pattern)
    if not found.is_class:
        if found.doubt:
            click.echo(doubted(source[0], found), err=True)
        return False
    why = f": {found.doubt}" if found.doubt else ""
    cure = f"Add -o {folder}. Is it one student's work? Say so with --layout single."
    raise GraderError(f"is a class ({found.layout} layout{why}), and its results need a folder", str(source[0]), cure)


def grade_class(
    source: Sequence[Path], settings_of: Callable[[Iterable[Entry]], tuple[Settings, Sources]], options: ClassOptions
) -> Exit:
    """Grade the class at ``source`` into the results folder; raises GraderError.

    ``settings_of`` is asked with the class at hand, so that the assignment can be found from the work itself.
    """
    from grader.classroom import batch, executors
    from grader.classroom.remarks import gone, of_class
    from grader.classroom.results import locked, open_results, write_atomically
    from grader.classroom.roster import read_text
    from grader.cli.gathering import gathered
    from grader.cli.results import policy_of
    from grader.review.queue import waiting

    found = gathered(source, options)
    entries, remarks = deque(found.entries), found.remarks
    absent = {
        "absent": list(found.names),
        "absentees": [{"key": one.key, "name": one.name, "ids": list(one.ids)} for one in found.missing],
    }
    ignored = list(found.ignored)
    del found
    settings, sources = settings_of(entries)
    remarks += tuple(_of_forms(source, settings))
    _say_public_seed(settings)
    _prove_isolation(settings)
    workforce = executors.cluster(options.cluster) if options.cluster else executors.local(options.jobs, len(entries))
    results = open_results(options.output)
    _require_same(results, settings)
    tally, count = _Tally(), len(entries)  # counted before they are let go
    here = frozenset(entry.key for entry in entries)
    with locked(results):
        keep_policy(options.policy, results)
        if options.roster:
            write_atomically(results.roster, read_text(options.roster))
        before = _called(results.rubric)
        results.keep_rubric(sources.rubric.read_bytes().decode("utf-8"))
        about: dict[str, Any] = {"assignment_source": sources.assignment}
        about |= {name: said for name in ("layout", "pattern") if (said := getattr(options, name))}
        if not options.only:
            about |= {"ignored": ignored} | (absent if results.roster.is_file() else {})
        running = batch.run(
            _let_go(entries), settings, results, workforce, force=options.force, attempt=options.attempt, about=about
        )
        try:
            with _progress(count, tally) as show, closing(workforce), closing(running):
                for done in running:
                    tally.add(done)
                    show(done)
        except KeyboardInterrupt:
            click.echo(f"Stopped after {tally.graded} graded; run the same command again to go on.", err=True)
            raise
    if not options.only:
        remarks += gone(results.index()["students"], here)
    remarks += of_class(results, policy_of(results, None))
    if before and any("rubric" in reason for reason in tally.again):
        kept = f"to keep it, give it with --rubric ({results.folder}/rubric.before.yaml)"
        remarks += (f"the rubric was another one before, {before}: {kept}",)
    seconds = time.monotonic() - tally.started
    _summary(options.output, tally, remarks, len(waiting(results)) if tally.pending else 0, seconds)
    return Exit.FAULT if tally.verdicts["fault"] else Exit.OK


def _of_forms(source: Sequence[Path], settings: Settings) -> Iterator[str]:
    """What is to be said of the columns of forms: what is wrong with one is wrong for the whole class."""
    from grader.classroom import form

    for path in source:
        if path.suffix.lower() == ".csv" and path.is_file():
            yield from form.remarks_on(path, settings.assignment.sections)


def _say_public_seed(settings: Settings) -> None:
    """Say that hidden cases can be foreseen, before the work is done, where there are any."""
    from grader.cli.lines import wrapped
    from grader.report.view import PUBLIC_SEED

    if settings.seed == PUBLIC_SEED and settings.assignment.interfaces:
        said = f"Seed {PUBLIC_SEED}, the default: students can draw the hidden cases, too. Choose a number with --seed."
        for line in wrapped(said, "  "):
            click.echo(line, err=True)


def _require_same(results: Results, settings: Settings) -> None:
    """Raise GraderError where the folder holds the results of another assignment: they would be graded over."""
    index = results.index()
    held = index.get("assignment", settings.assignment.id)
    if index["students"] and held != settings.assignment.id:
        what = f"holds results of {held}, and this is {settings.assignment.id}"
        raise GraderError(what, str(results.folder), "Name another folder with -o.")


def _called(rubric: Path) -> str:
    """The id and the version of the rubric that results were graded by; empty where there is none that can be read."""
    from grader.catalog.yaml_file import read_yaml

    try:
        said = read_yaml(rubric).data if rubric.exists() else {}
    except GraderError:
        return ""
    return StudentText(f"{said['id']} {said['version']}") if {"id", "version"} <= set(said) else ""


def _let_go(entries: deque[Entry]) -> Iterator[Entry]:
    """Hand out the entries and keep none: what is graded needs no memory any more."""
    while entries:
        yield entries.popleft()


def keep_policy(policy: Path | None, results: Results) -> None:
    """Keep a valid policy file with the results, where every export finds it."""
    if policy is None:
        return
    from grader.classroom.policy import load_policy
    from grader.classroom.results import write_atomically

    load_policy(policy)
    write_atomically(results.policy, policy.read_text(encoding="utf-8-sig"))


def sources_of(assignment: str, rubric: str | None) -> Sources:
    """Return where an assignment and its rubric lie, so that the results can be read elsewhere."""
    from grader.catalog import list_assignments, rubric_beside
    from grader.catalog.places import assignment_file, rubric_file

    bundled = assignment in list_assignments()
    where = assignment if bundled else str(assignment_file(assignment).resolve())
    return Sources(where, rubric_file(rubric or rubric_beside(assignment)))


def _prove_isolation(settings: Settings) -> None:
    """Fail now, with the missing mechanism, and not once a submission."""
    from grader.cli.judging import isolation_errors, require_torch
    from grader.sandbox.parent import Sandbox

    require_torch(settings.assignment)
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
    from grader.classroom.names import listed
    from grader.cli.lines import wrapped

    kept = f", {tally.unchanged} unchanged" if tally.unchanged else ""
    click.echo(f"{tally.graded} graded in {seconds:.1f} s{kept}: {tally.text}.")
    for reason, count in sorted(tally.again.items()):
        if count:
            click.echo(f"  {count} graded again: {reason}")
    if names := sorted(tally.unreadable):
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        remarks = (f"cannot be read: {listed(names[:MOST_NAMES])}{more}", *remarks)
    for remark in remarks:
        for line in wrapped(f"  {remark}", "    "):
            click.echo(line)
    if waits:
        answers = "1 answer waits" if waits == 1 else f"{waits} answers wait"
        click.echo(f"  {answers} for a person: grader review {output}")
    review = f"grader review {output}, " if waits else ""
    click.echo(f"Results in {output}. Next: {review}grader report {output}, grader export {output} --to canvas.")
