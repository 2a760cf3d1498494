"""A class is :func:`grader.pipeline.grade` mapped over submissions through an executor.

Each worker keeps one sandbox. A worker that is lost costs nothing: its submissions are tried again elsewhere; one that
takes two workers with it becomes that student's report with the verdict ``fault``. At most a few submissions are in
flight, so that memory stays flat however large the class is.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from grader import __version__
from grader.classroom.entry import Entry, read
from grader.classroom.results import FORMAT, Results
from grader.errors import UnreadableError
from grader.model import Isolation, Report, Settings, Submission
from grader.pipeline import grade, prepared

TRIES = 2


@dataclass(frozen=True, slots=True)
class Done:
    """One submission that was graded, or left alone because nothing changed (``reason`` is empty then)."""

    key: str
    row: Mapping[str, Any]
    reason: str


def fingerprint(settings: Settings, versions: Mapping[str, str]) -> dict[str, str]:
    """Everything besides the submission that a report depends on, as text that can be compared field by field."""
    return {
        "assignment": settings.assignment.sha256, "rubric": settings.rubric.sha256, "grader": __version__,
        "isolation": settings.isolation, "components": ",".join(settings.components),
        "seed": hashlib.sha256(f"grader seed {settings.seed}".encode()).hexdigest()[:16], **versions,
    }  # fmt: skip


def versions(*, torch: bool) -> dict[str, str]:
    """The versions and the platform that outcomes depend on."""
    from importlib.metadata import version

    found = {"python": platform.python_version(), "platform": f"{platform.system()}-{platform.machine()}"}
    return found | {name: version(name) for name in ("numpy", *(("torch",) if torch else ()))}


def why_again(row: Mapping[str, Any] | None, sha256: str, wanted: Mapping[str, str], *, force: bool) -> str:
    """Say why a submission is graded (again): empty where its report still stands."""
    if row is None:
        return "new"
    if force:
        return "forced"
    if row.get("sha256") != sha256:
        return "the submission changed"
    before = row.get("fingerprint", {})
    changed = sorted(name for name in wanted.keys() | before.keys() if wanted.get(name) != before.get(name))
    return f"changed: {', '.join(changed)}" if changed else ""


def run(
    entries: Iterable[Entry],
    settings: Settings,
    results: Results,
    executor: Callable[[], Executor],
    *,
    in_flight: int,
    force: bool = False,
    attempt: str = "latest",
) -> Iterator[Done]:
    """Grade what is new or changed and yield each submission as it is done. ``executor`` makes a fresh one when asked.

    The index is written at the end and whenever fifty more are done, so that a killed run loses no more than that.
    """
    wanted = fingerprint(settings, versions(torch=settings.assignment.needs_torch))
    index = results.index()
    rows: dict[str, Any] = index["students"]
    index |= {"schema": FORMAT, "assignment": settings.assignment.id, "rubric": settings.rubric.id, "settings": wanted,
              "attempt": attempt}  # fmt: skip
    pending, unchanged = _plan(entries, rows, results, wanted, force=force)
    since = 0
    try:
        for done in _map(pending, settings, executor, in_flight):
            job, text, row = done
            key, reason = job.entry.key, job.reason
            results.write_report(key, text)
            rows[key] = {**row, "sha256": job.sha256, "fingerprint": wanted, "reason": reason}
            since += 1
            if since % 50 == 0:
                results.write_index(index)
            yield Done(key, rows[key], reason)
        for key in unchanged:
            yield Done(key, rows[key], "")
    finally:
        results.write_index(index)


@dataclass(frozen=True, slots=True)
class _Job:
    entry: Entry
    sha256: str
    reason: str
    tries: int = 0


def _plan(
    entries: Iterable[Entry],
    rows: Mapping[str, Any],
    results: Results,
    wanted: Mapping[str, str],
    *,
    force: bool,
) -> tuple[Iterator[_Job], list[str]]:
    """Split the class into what has to be graded, lazily, and the keys of what stands."""
    unchanged: list[str] = []

    def pending() -> Iterator[_Job]:
        for entry in entries:
            digest = digest_of(entry)
            reason = why_again(rows.get(entry.key), digest, wanted, force=force)
            if not reason and not results.path_of(entry.key).is_file():
                reason = "its report was missing"
            if reason:
                yield _Job(entry, digest, reason)
            else:
                unchanged.append(entry.key)

    return pending(), unchanged


def digest_of(entry: Entry) -> str:
    """A digest over the names and bytes of an entry's files and the dates that a report shows."""
    digest = hashlib.sha256(json.dumps([entry.name, entry.submitted_at, entry.late]).encode())
    for file in sorted(entry.files, key=lambda file: file.name):
        digest.update(f"\0{file.name}\0".encode())
        try:
            digest.update(_content_digest(file))
        except (OSError, ValueError, KeyError):
            digest.update(b"unreadable")
    return digest.hexdigest()


def _content_digest(file: Any) -> bytes:
    if file.member or file.path.is_file():
        return hashlib.sha256(file.read(64 << 20)).digest()
    inner = hashlib.sha256()
    for path in sorted(path for path in file.path.rglob("*") if path.is_file()):
        inner.update(str(path.relative_to(file.path)).encode("utf-8", "surrogateescape"))
        with path.open("rb") as content:
            inner.update(hashlib.sha256(content.read(64 << 20)).digest())
    return inner.digest()


def _map(
    jobs: Iterator[_Job], settings: Settings, make: Callable[[], Executor], in_flight: int
) -> Iterator[tuple[_Job, str, dict[str, Any]]]:
    executor = make()
    waiting: dict[Future[tuple[str, dict[str, Any]]], _Job] = {}
    again: list[_Job] = []
    try:
        while True:
            while len(waiting) < (1 if again else in_flight) and (job := again.pop() if again else next(jobs, None)):
                waiting[_submit(executor, job, settings)] = job
            if not waiting:
                return
            finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
            broken = False
            for future in finished:
                job = waiting.pop(future)
                try:
                    text, row = future.result()
                except (BrokenExecutor, ConnectionError, EOFError) as error:
                    broken = True
                    if job.tries + 1 < TRIES:
                        again.append(replace(job, tries=job.tries + 1))
                        continue
                    text, row = _lost(job.entry, settings, error)
                yield job, text, row
            if broken:
                again += [replace(job, tries=job.tries) for job in waiting.values()]
                waiting.clear()
                executor.shutdown(wait=False, cancel_futures=True)
                executor = make()
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _submit(executor: Executor, job: _Job, settings: Settings) -> Future[tuple[str, dict[str, Any]]]:
    try:
        submission = prepared(read(job.entry), settings.assignment)
    except UnreadableError as error:
        refused = Submission(
            job.entry.key,
            job.entry.name,
            submitter=job.entry.name,
            submitted_at=job.entry.submitted_at,
            late=job.entry.late,
        )
        ready: Future[tuple[str, dict[str, Any]]] = Future()
        ready.set_result(_finished(_unreadable(refused, settings, str(error)), job.entry))
        return ready
    return executor.submit(work, submission, settings, job.entry)


def work(submission: Submission, settings: Settings, entry: Entry) -> tuple[str, dict[str, Any]]:
    """Grade one submission in a worker; return its report as text and its line of the index."""
    sandbox = _sandbox(settings.isolation, settings.assignment.needs_torch)
    return _finished(grade(submission, settings, sandbox), entry)


@cache
def _sandbox(level: Any, torch: bool) -> Any:
    """The worker's own sandbox, kept for all its submissions; its zygote dies with the worker."""
    from grader.sandbox.parent import Sandbox

    sandbox = Sandbox(level=level, torch=torch)
    sandbox.start()
    return sandbox


def _finished(report: Report, entry: Entry) -> tuple[str, dict[str, Any]]:
    from grader.report import json_report

    text = json_report.render(report, "staff")
    row = {
        "name": entry.name, "ids": list(entry.ids), "members": list(entry.members), "score": str(report.score),
        "max_score": str(report.max_score), "pending": str(report.pending), "verdict": str(report.verdict),
        "submitted_at": entry.submitted_at, "late": entry.late, "attempt": entry.attempt,
        "criteria": {mark.criterion.id: {"points": str(mark.points), "pending": str(mark.pending),
                                         "max": str(mark.criterion.points)} for mark in report.marks},
        "mistakes": _mistakes(report), "isolation": report.isolation.applied, "notes": list(entry.notes),
    }  # fmt: skip
    return text, row


def _mistakes(report: Report) -> list[str]:
    """The ids of the misconceptions that were named, each once: what the class view of mistakes counts."""
    return sorted({o.diagnosis.id for mark in report.marks for o in mark.outcomes if o.diagnosis})


def _unreadable(submission: Submission, settings: Settings, text: str) -> Report:
    return Report(
        settings.assignment,
        settings.rubric,
        submission,
        (),
        Isolation(settings.isolation, ""),
        settings.seed,
        __version__,
        versions(torch=settings.assignment.needs_torch),
        unreadable=text,
    )


def _lost(entry: Entry, settings: Settings, error: Exception) -> tuple[str, dict[str, Any]]:
    submission = Submission(
        entry.key, entry.name, submitter=entry.name, submitted_at=entry.submitted_at, late=entry.late
    )
    text = f"grading this submission ended its worker {TRIES} times ({type(error).__name__}); a person has to look"
    return _finished(_unreadable(submission, settings, text), entry)
