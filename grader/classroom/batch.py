"""A class is :func:`grader.pipeline.grade` mapped over submissions through an executor.

A worker that is lost costs nothing: its submissions are tried again elsewhere, one at a time; one that takes two
workers with it becomes that student's report with the verdict ``fault``. At most a few submissions are in flight, so
that memory stays flat however large the class is.
"""

import asyncio
import os
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, replace
from typing import Any

from grader.classroom.entry import Entry, read
from grader.classroom.executors import Workforce, interrupted_between
from grader.classroom.results import FORMAT, Index, Results, now
from grader.classroom.standing import digest, digest_of, fingerprint, why_again
from grader.classroom.worker import Graded, fault, labels, unreadable, work
from grader.errors import GraderError, UnavailableIsolationError
from grader.model.report import Settings
from grader.pipeline import prepared
from grader.report.json_report import written
from grader.sandbox.plain import IsolationError

TRIES = 2
GLANCE = 0.2
"""Seconds between two looks at whether ctrl-C was pressed."""
PATIENCE = 30.0
"""Seconds that a run waits for workers where there are none: a cluster may be starting new ones."""


@dataclass(frozen=True, slots=True)
class Done:
    """One submission that was graded, or left alone because nothing changed (``reason`` is empty then)."""

    key: str
    row: Mapping[str, Any]
    reason: str


@dataclass(frozen=True, slots=True)
class _Job:
    entry: Entry
    sha256: str
    reason: str
    tries: int = 0


def run(
    entries: Iterable[Entry],
    settings: Settings,
    results: Results,
    workforce: Workforce,
    *,
    force: bool = False,
    attempt: str = "latest",
    about: Mapping[str, Any] | None = None,
) -> Generator[Done, None, None]:
    """Grade what is new or changed and yield each submission as it is done.

    ``about`` is kept in the head of the index. What is done is on disk at once, so that a killed run loses nothing.
    Raises GraderError where the results cannot be written or no worker is left, and UnavailableIsolationError where a
    worker cannot isolate; what is done by then is kept.
    """
    wanted = fingerprint(settings)
    index = results.open_index()
    index.begin({
        "schema": FORMAT, "assignment": settings.assignment.id, "rubric": settings.rubric.id,
        "attempt": attempt, "settings": {digest(wanted): wanted}, **(about or {}),
    })  # fmt: skip
    unchanged: list[str] = []
    held = results.overrides()
    pending = _pending(entries, index, wanted, unchanged, force=force)
    try:
        for job, (text, row) in _map(pending, settings, workforce):
            key = job.entry.key
            results.write_report(key, text)
            row |= {"sha256": job.sha256, "settings": digest(wanted), "reason": job.reason}
            results.record(_moved(key, index.row(key), row, job.reason, held.get(key, {})))
            index.put(key, row)
            yield Done(key, row, job.reason)
        for key in unchanged:
            yield Done(key, index.row(key) or {}, "")
    finally:
        index.close()


def _moved(
    key: str, before: Mapping[str, Any] | None, row: Mapping[str, Any], reason: str, decisions: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """A line of the history where a score is another one than before, and where points by hand outlive new work."""
    if before is None:
        return
    moved = {
        name: [graded[0], row["criteria"].get(name, ["-"])[0]]
        for name, graded in before["criteria"].items()
        if graded[0] != row["criteria"].get(name, ["-"])[0]
    }
    kept = {name: one["points"] for name, one in decisions.items() if "points" in one and "answers" not in one}
    if moved or (kept and before["sha256"] != row["sha256"]):
        yield {
            "when": now(), "student": key, "before": before["score"],
            "after": row["score"], "criteria": moved, "reason": reason, **({"kept": kept} if kept else {}),
        }  # fmt: skip


def graded(entries: Iterable[Entry], settings: Settings, workforce: Workforce) -> Iterator[tuple[Entry, str]]:
    """Grade ``entries`` without a results folder; yield each with its report as JSON, in whatever order they end."""
    for job, (text, _) in _map((_Job(entry, "", "") for entry in entries), settings, workforce):
        yield job.entry, text


def _pending(
    entries: Iterable[Entry], index: Index, wanted: Mapping[str, str], unchanged: list[str], *, force: bool
) -> Iterator[_Job]:
    """Yield what has to be graded, lazily; the keys of what stands go to ``unchanged``."""
    for entry in entries:
        row, sha256 = index.row(entry.key), digest_of(entry)
        before = index.head["settings"].get(row.get("settings") if row else "", {})
        if row and row.get("sha256") == digest_of(_as_it_was(entry, row)) != sha256 and not entry.problem:
            row = {**row, "sha256": sha256}  # the work is the same: what it is called is written without a run
        reason = why_again(row, sha256, before, wanted, force=force)
        if not reason and not index.results.has_report(entry.key):
            reason = "its report was missing"
        if reason:
            yield _Job(entry, sha256, reason)
            continue
        unchanged.append(entry.key)
        called = {**row, **labels(entry)} if row else {}
        if called != index.row(entry.key):
            relabel(index.results, entry)
            index.put(entry.key, called)


def _as_it_was(entry: Entry, row: Mapping[str, Any]) -> Entry:
    return replace(entry, name=row["name"], submitted_at=row.get("submitted_at", ""), late=row.get("late", entry.late))


def relabel(results: Results, entry: Entry) -> None:
    """Write into the report of ``entry`` what it is called now, and when it came. Raises GraderError."""
    report = results.report(entry.key)
    if report is not None:
        about = {"submitter": entry.name, "submitted_at": entry.submitted_at, "late": entry.late}
        several = {"path": entry.name} if len(entry.files) > 1 else {}
        results.write_report(entry.key, written({**report, "submission": {**report["submission"], **about, **several}}))


def _map(jobs: Iterator[_Job], settings: Settings, workforce: Workforce) -> Iterator[tuple[_Job, Graded]]:
    with interrupted_between() as stop:
        yield from _mapped(jobs, settings, workforce, stop)


def _mapped(
    jobs: Iterator[_Job], settings: Settings, workforce: Workforce, stop: Callable[[], None]
) -> Iterator[tuple[_Job, Graded]]:
    waiting: dict[Future[Graded], _Job] = {}
    again: list[_Job] = []
    watch = _Watch(workforce)
    executor = workforce.make()
    try:
        while True:
            stop()
            while job := _next(jobs, again, waiting, workforce.in_flight):
                waiting[_submit(workforce, executor, job, settings)] = job
            if not waiting:
                return
            finished, _ = wait(waiting, timeout=GLANCE, return_when=FIRST_COMPLETED)
            watch.look(idle=not finished)
            broken, given_up = False, []
            for future in finished:
                job = waiting.pop(future)
                graded, lost = _result(future)
                broken |= isinstance(lost, BrokenExecutor)
                if graded:
                    yield job, graded
                elif job.tries + 1 < TRIES:
                    again.append(replace(job, tries=job.tries + 1))
                else:
                    given_up.append((job, lost))
            if broken:
                again += waiting.values()
                waiting.clear()
                workforce.stop(executor)
                executor = workforce.make()
            for job, lost in given_up:
                watch.prove(executor)
                said = f"grading this submission ended its worker {TRIES} times ({type(lost).__name__})"
                yield job, fault(job.entry, settings, f"{said}; a person has to look", str(lost))
    finally:
        workforce.stop(executor)


@dataclass(slots=True)
class _Watch:
    """Whether there is anybody left to work; ``since`` is when nobody was seen first."""

    workforce: Workforce
    since: float | None = None

    def look(self, *, idle: bool) -> None:
        """Raise GraderError where nothing was done and there has been no worker for too long."""
        if not idle or self.workforce.present():
            self.since = None
        elif self.since is None:
            self.since = time.monotonic()
        elif time.monotonic() - self.since > PATIENCE:
            raise self._gone(f"no worker is left since {PATIENCE:.0f} s")

    def prove(self, executor: Any) -> None:
        """Raise GraderError where workers cannot do anything at all: then no submission is to blame."""
        try:
            self.workforce.submit(executor, os.getpid).result(timeout=PATIENCE)
        except (Exception, asyncio.CancelledError) as error:
            raise self._gone(f"the workers end as soon as they begin ({type(error).__name__})") from error

    def _gone(self, what: str) -> GraderError:
        cure = "What is graded is kept. See that workers can run, and give the same command again to go on."
        return GraderError(what, self.workforce.name, cure)


def _next(
    jobs: Iterator[_Job], again: list[_Job], waiting: Mapping[Future[Graded], _Job], in_flight: int
) -> _Job | None:
    """The next job where there is room; one that was lost with its worker goes alone, to tell whose fault it was."""
    if any(job.tries for job in waiting.values()):
        return None
    if again:
        alone = again[-1].tries > 0
        return again.pop() if not waiting or (not alone and len(waiting) < in_flight) else None
    return next(jobs, None) if len(waiting) < in_flight else None


def _result(future: Future[Graded]) -> tuple[Graded | None, BaseException | None]:
    """What a worker returned, or what it was lost by. Raises UnavailableIsolationError."""
    try:
        return future.result(), None
    except IsolationError as error:
        cure = "Grade with --isolation standard, or on workers that can isolate."
        raise UnavailableIsolationError(str(error).rstrip("."), "a worker", cure) from error
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - whatever ended a worker, the class goes on
        return None, error


def _submit(workforce: Workforce, executor: Any, job: _Job, settings: Settings) -> Future[Graded]:
    """Read the files here, by value, and send them; what cannot be read or sent is finished at once."""
    ready: Future[Graded] = Future()
    try:
        submission = prepared(read(job.entry), settings.assignment)
    except GraderError as error:
        ready.set_result(unreadable(job.entry, settings, str(error)))
    except Exception:  # noqa: BLE001 - a fault of our reader is this submission's, not the end of the class
        ready.set_result(fault(job.entry, settings, "the grader failed to read this", traceback.format_exc()))
    else:
        try:
            return workforce.submit(executor, work, submission, settings, job.entry)
        except Exception as error:  # noqa: BLE001 - a pool that broke, a scheduler that is gone
            ready.set_exception(error)
    return ready
