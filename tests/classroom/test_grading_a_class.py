from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import batch, grading, results, worker
from grader.classroom.entry import Entry, single
from grader.classroom.executors import Workforce, local
from grader.classroom.results import locked, open_results
from grader.errors import GraderError
from grader.model.report import Settings

from .conftest import NO_SCALE, RIGHT, bytes_of, write

Grader = Callable[..., Any]
ASKED = ("-a", "attention-numpy", "--isolation", "standard", "--jobs", "1", "-o", "results")


def rows(folder: str = "results") -> dict[str, Any]:
    return dict(json.loads(Path(folder, "index.json").read_text())["students"])


def test_every_hand_in_gets_a_report_and_a_line_of_the_index(grader: Grader, klass: Path) -> None:
    ran = grader("grade", klass, *ASKED)
    assert ran.code == 0
    assert "4 graded in" in ran.out
    found = rows()
    assert {key: (row["score"], row["max_score"], row["verdict"]) for key, row in found.items()} == {
        "ann": ("20.00", "20", "passed"),
        "bob": (found["bob"]["score"], "20", "failed"),
        "cyd": (found["cyd"]["score"], "20", "failed"),
        "dan": ("0", "20", "failed"),
    }
    assert found["bob"]["mistakes"] == ["sdpa-no-scale"]
    assert sorted(path.name for path in Path("results/reports").iterdir()) == [f"{key}.json" for key in sorted(found)]
    assert not Path("results/.lock").exists()
    assert not Path("results/journal.jsonl").exists()


@pytest.mark.slow
def test_a_rerun_grades_what_changed_and_says_why(grader: Grader, klass: Path) -> None:
    grader("grade", klass, *ASKED)
    before = bytes_of(Path("results"))
    again = grader("grade", klass, *ASKED)
    assert "0 graded" in again.out
    assert "4 unchanged" in again.out
    assert bytes_of(Path("results")) == before
    (klass / "bob.py").write_text(RIGHT)
    (klass / "eve.py").write_text(NO_SCALE)
    changed = grader("grade", klass, *ASKED)
    assert "2 graded" in changed.out
    assert "1 graded again: the submission changed" in changed.out
    assert rows()["bob"]["score"] == "20.00"
    seeded = grader("grade", klass, *ASKED, "--seed", "7")
    assert "5 graded again: changed: seed" in seeded.out


def test_force_grades_all_and_only_grades_one(grader: Grader, klass: Path) -> None:
    one = grader("grade", klass, *ASKED, "--only", "bob")
    assert "1 graded" in one.out
    assert list(rows()) == ["bob"]
    forced = grader("grade", klass, *ASKED, "--force")
    assert "4 graded" in forced.out
    assert "1 graded again: forced" in forced.out
    assert "nobody is called zed" in grader("grade", klass, *ASKED, "--only", "zed").err


def test_a_missing_report_is_made_again(grader: Grader, klass: Path) -> None:
    grader("grade", klass, *ASKED)
    Path("results/reports/ann.json").unlink()
    assert "1 graded again: its report was missing" in grader("grade", klass, *ASKED).out


def test_one_submission_into_a_folder_is_a_class_of_one(grader: Grader, klass: Path) -> None:
    ran = grader("grade", klass / "ann.py", *ASKED)
    assert ran.code == 0
    assert rows()["ann"]["score"] == "20.00"
    several = grader("grade", klass / "ann.py", klass / "bob.py", *ASKED)
    assert "1 graded" in several.out
    assert sorted(rows()) == ["ann", "bob"]


def test_a_class_needs_a_folder_for_its_results(grader: Grader, klass: Path) -> None:
    said = grader("grade", klass, "-a", "attention-numpy").err
    assert said == (
        f"grader: {klass}: is a class (plain layout), and its results need a folder. "
        "Add -o results. Is it one student's work? Say so with --layout single.\n"
    )
    assert grader("grade", klass, "-a", "attention-numpy", "-o", "report.json").code == 2
    assert grader("grade", klass, *ASKED, "--format", "junit").code == 2


def test_the_assignment_of_a_class_is_found_from_its_work(grader: Grader, klass: Path) -> None:
    ran = grader("grade", klass, "--isolation", "standard", "--jobs", "1", "-o", "results")
    assert "Assignment attention-numpy" in ran.err
    assert len(rows()) == 4


def test_what_cannot_be_read_is_a_report_with_every_criterion_at_nothing(grader: Grader, klass: Path) -> None:
    (klass / "eve.zip").write_bytes(b"no zip at all")
    assert grader("grade", klass, *ASKED).code == 0
    report = json.loads(Path("results/reports/eve.json").read_text())
    assert (report["verdict"], report["score"], report["max_score"]) == ("unreadable", 0, 20)
    assert [(c["points"], c["max_points"], c["verdict"]) for c in report["criteria"]] == [
        (0, 7, "unreadable"),
        (0, 11, "unreadable"),
        (0, 2, "unreadable"),
    ]
    assert rows()["eve"]["max_score"] == "20"


def test_a_second_grader_on_the_folder_is_told(grader: Grader, klass: Path) -> None:
    with locked(open_results(Path("results"))):
        ran = grader("grade", klass, *ASKED)
    assert ran.code == 2
    assert f"another run (process {os.getpid()} on " in ran.err
    assert grader("grade", klass, *ASKED).code == 0


def test_a_lock_that_a_dead_run_left_is_taken_over(grader: Grader, klass: Path) -> None:
    write(Path("results"), {".lock": '{"pid": 1, "host": "elsewhere"}'})
    assert grader("grade", klass, *ASKED).code == 0
    assert not Path("results/.lock").exists()


def test_a_folder_that_cannot_be_written_is_one_clear_line(grader: Grader, klass: Path) -> None:
    ran = grader("grade", klass, "-a", "attention-numpy", "--isolation", "standard", "-o", "/proc/results")
    assert ran.code == 2
    assert ran.err.splitlines()[-1].startswith("grader: /proc/results: the results folder cannot be written (")


@pytest.mark.slow
def test_a_full_disk_is_one_clear_line_and_nothing_is_half_written(
    grader: Grader, klass: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []

    def until_full(path: Path, text: str) -> None:
        if len(written) == 3:  # the rubric and two reports
            with results._said(path):
                raise OSError(28, "No space left on device")
        written.append(path)
        intact(path, text)

    intact = grading.write_atomically  # its modules are loaded before the disk is full: they keep what they import
    with monkeypatch.context() as full:
        full.setattr(results, "write_atomically", until_full)
        ran = grader("grade", klass, *ASKED)
    assert ran.code == 2
    assert ran.err.splitlines()[-1].endswith(
        "cannot be written (No space left on device). Is the disk full or the folder read-only?"
    )
    kept = list(Path("results/reports").iterdir())
    assert len(kept) == 2
    assert all(json.loads(path.read_text())["schema"] == "grader/report/v1" for path in kept)
    resumed = grader("grade", klass, *ASKED)
    assert "2 graded" in resumed.out
    assert "2 unchanged" in resumed.out


class Breaking(Executor):
    """Works in this process; ``deadly`` takes the whole pool with it, as a worker that is killed does."""

    def __init__(self, deadly: str) -> None:
        self.deadly, self.broken = deadly, False

    def submit(self, call: Any, *arguments: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.broken |= len(arguments) > 1 and arguments[2].key == self.deadly
        if self.broken:
            future.set_exception(BrokenProcessPool("a worker was killed"))
        else:
            future.set_result(call(*arguments))
        return future


def test_a_submission_that_ends_its_worker_twice_is_a_fault_and_costs_nobody_else(
    tmp_path: Path, klass: Path, settings: Settings
) -> None:
    made: list[Breaking] = []

    def make() -> Executor:
        made.append(Breaking("bob"))
        return made[-1]

    force = Workforce(make, 2, lambda pool, call, *rest: pool.submit(call, *rest), lambda _: None)
    entries = [single(path) for path in sorted(klass.iterdir())]
    found = {done.key: done.row for done in batch.run(entries, settings, open_results(tmp_path / "r"), force)}
    assert {key: row["verdict"] for key, row in found.items()} == {
        "ann": "passed",
        "bob": "fault",
        "cyd": "failed",
        "dan": "failed",
    }
    assert (found["bob"]["score"], found["bob"]["pending"], found["bob"]["max_score"]) == ("0", "20.00", "20")
    assert len(made) == 3, "a pool that broke is replaced, and no more often"


class Dead(Executor):
    """Every worker ends before it has done anything, as where memory is short or Python cannot start."""

    def submit(self, call: Any, *arguments: Any, **_: Any) -> Future[Any]:  # noqa: ARG002 - as Executor has it
        future: Future[Any] = Future()
        future.set_exception(BrokenProcessPool("a worker was killed"))
        return future


def test_workers_that_cannot_work_end_the_run_and_are_no_fault_of_a_submission(
    tmp_path: Path, klass: Path, settings: Settings, inline: Workforce
) -> None:
    entries = [single(path) for path in sorted(klass.iterdir())]
    folder = open_results(tmp_path / "r")
    list(batch.run(entries[:2], settings, folder, inline))
    dead = Workforce(Dead, 2, lambda pool, call, *rest: pool.submit(call, *rest), lambda _: None)
    with pytest.raises(GraderError, match="the workers end as soon as they begin") as caught:
        list(batch.run(entries, settings, folder, dead))
    assert "What is graded is kept" in str(caught.value)
    assert {key: row["verdict"] for key, row in folder.index()["students"].items()} == {
        "ann": "passed",
        "bob": "failed",
    }
    reasons = {done.key: done.reason for done in batch.run(entries, settings, folder, inline)}
    assert reasons == {"ann": "", "bob": "", "cyd": "new", "dan": "new"}


def test_what_the_grader_failed_at_is_tried_again_by_the_next_run(
    tmp_path: Path, klass: Path, settings: Settings, inline: Workforce
) -> None:
    force = Workforce(lambda: Breaking("bob"), 2, lambda pool, call, *rest: pool.submit(call, *rest), lambda _: None)
    entries = [single(path) for path in sorted(klass.iterdir())]
    folder = open_results(tmp_path / "r")
    list(batch.run(entries, settings, folder, force))
    again = {done.key: (done.reason, done.row["verdict"]) for done in batch.run(entries, settings, folder, inline)}
    assert again["bob"] == ("the grader failed at it before", "failed")
    assert again["ann"] == ("", "passed")


def test_a_reader_that_fails_is_our_fault_and_not_the_end(
    tmp_path: Path, klass: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(entry: Entry) -> Any:
        if entry.key == "bob":
            raise ZeroDivisionError
        return intact(entry)

    intact = batch.read
    monkeypatch.setattr(batch, "read", failing)
    force = Workforce(lambda: Breaking(""), 1, lambda pool, call, *rest: pool.submit(call, *rest), lambda _: None)
    entries = [single(path) for path in sorted(klass.iterdir())]
    found = {done.key: done.row for done in batch.run(entries, settings, open_results(tmp_path / "r"), force)}
    assert [row["verdict"] for _, row in sorted(found.items())] == ["passed", "fault", "failed", "failed"]


def test_a_torn_journal_is_read_up_to_its_last_whole_line(tmp_path: Path) -> None:
    folder = open_results(tmp_path / "r")
    index = folder.open_index()
    index.begin({"schema": "grader/results/v1", "settings": {"s": {"seed": "1"}}})
    index.put("josé", {"score": "1", "settings": "s"})
    with (tmp_path / "r/journal.jsonl").open("a") as journal:
        journal.write('{"key": "bob", "row": {"sc')
    assert index._journal is not None
    again = folder.open_index()
    assert again.row("josé") == {"score": "1", "settings": "s"}
    assert again.row("bob") is None
    again.begin({"schema": "grader/results/v1"})
    index._journal.close()
    again.put("cyd", {"score": "2", "settings": "s"})
    assert sorted(folder.index()["students"]) == ["cyd", "josé"]
    again.close()
    assert json.loads((tmp_path / "r/index.json").read_text())["settings"] == {"s": {"seed": "1"}}


def start(klass: Path, folder: Path, *more: str) -> subprocess.Popen[str]:
    words = [
        sys.executable,
        "-c",
        "from grader.cli import script; script()",
        "grade",
        str(klass),
        *ASKED[:-1],
        str(folder),
    ]
    return subprocess.Popen([*words, *more], stderr=subprocess.PIPE, text=True, start_new_session=True)


def alive() -> dict[int, int]:
    """Every process that is not a zombie, with its parent."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] not in "ZX":
            found[int(stat.parent.name)] = int(fields[1])
    return found


def family(pid: int) -> set[int]:
    """A process and all that come from it."""
    parents = alive()
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def all_end(pids: set[int], within: float = 30.0) -> bool:
    end = time.monotonic() + within
    while pids & alive().keys() and time.monotonic() < end:
        os.sched_yield()
    return not pids & alive().keys()


linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")


def many(folder: Path, count: int) -> Path:
    return write(folder, {f"s{n:03}.py": f"{(RIGHT, NO_SCALE)[n % 2]}\nmark = {n}\n" for n in range(count)})


@pytest.mark.slow
@linux
def test_ctrl_c_ends_with_130_leaves_nobody_behind_and_is_resumed(tmp_path: Path) -> None:
    klass = many(tmp_path / "class", 40)
    run = start(klass, tmp_path / "results", "--jobs", "2")
    assert run.stderr is not None
    while not run.stderr.readline().startswith("4/40"):
        pass
    everybody = family(run.pid)
    os.killpg(run.pid, signal.SIGINT)
    said = run.communicate(timeout=90)[1]
    assert run.returncode == 130, said
    assert "run the same command again to go on" in said
    assert "Traceback" not in said
    assert all_end(everybody)
    done = len(rows(str(tmp_path / "results")))
    assert 4 <= done < 40
    again = start(klass, tmp_path / "results", "--jobs", "1")
    again.communicate(timeout=120)
    assert again.returncode == 0
    assert len(rows(str(tmp_path / "results"))) == 40


@pytest.mark.slow
@linux
def test_workers_and_their_zygotes_end_with_a_grader_that_is_killed(tmp_path: Path) -> None:
    run = start(many(tmp_path / "class", 40), tmp_path / "results", "--jobs", "2")
    assert run.stderr is not None
    while not run.stderr.readline().startswith("10/40"):
        pass
    everybody = family(run.pid)
    assert len(everybody) >= 5, "the grader, two workers, two zygotes"
    run.kill()
    run.wait()
    run.stderr.close()
    assert all_end(everybody)


@pytest.mark.slow
@linux
def test_a_worker_that_is_killed_costs_nothing(tmp_path: Path, settings: Settings) -> None:
    entries = [single(path) for path in sorted(many(tmp_path / "class", 12).iterdir())]
    folder = open_results(tmp_path / "results")
    quiet = open_results(tmp_path / "quiet")
    list(batch.run(entries, settings, quiet, local(1)))
    import multiprocessing

    for number, _ in enumerate(batch.run(entries, settings, folder, local(2))):
        if number == 3:
            multiprocessing.active_children()[0].kill()
    assert bytes_of(folder.folder) == bytes_of(quiet.folder)


def test_threads_of_one_process_have_a_sandbox_each() -> None:
    assert worker._sandbox.cache_parameters()["maxsize"] is None
    with pytest.raises(GraderError, match="no results folder"):
        results.existing(Path("nowhere"))
