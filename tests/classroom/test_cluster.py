"""A real Dask cluster on loopback: a scheduler and two workers, one of which is killed in the middle."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import batch, executors
from grader.classroom.entry import single
from grader.classroom.results import open_results
from grader.errors import GraderError
from grader.model.report import Settings

from .conftest import NO_SCALE, RIGHT, bytes_of, write

pytest.importorskip("distributed")
QUIET = os.environ | {"PYTHONWARNINGS": "ignore", "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error"}


def start(module: str, folder: Path, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.{module}", "--scheduler-file", str(folder / "scheduler.json")]
    return subprocess.Popen(
        [*command, *words], env=QUIET, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler, and the processes of its two workers and its own."""
    from distributed import Client

    folder = tmp_path / "dask"
    folder.mkdir()
    scheduler = start("dask_scheduler", folder, "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    alone = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
    workers = [start("dask_worker", folder, *alone, "--local-directory", str(folder / name)) for name in ("a", "b")]
    try:
        with Client(scheduler_file=str(folder / "scheduler.json"), timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        yield json.loads((folder / "scheduler.json").read_text())["address"], [*workers, scheduler]
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_loses_a_worker_gives_what_this_machine_gives(
    tmp_path: Path, settings: Settings, cluster: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    address, workers = cluster
    klass = write(tmp_path / "class", {f"s{n:02}.py": (RIGHT, NO_SCALE)[n % 2] + f"mark = {n}\n" for n in range(40)})
    entries = [single(path) for path in sorted(klass.iterdir())]
    here, there = open_results(tmp_path / "here"), open_results(tmp_path / "there")
    list(batch.run(entries, settings, here, executors.local(2)))
    workforce = executors.cluster(address)
    assert workforce.size == 2
    for number, _ in enumerate(batch.run(entries, settings, there, workforce)):
        if number == 10:
            workers[0].kill()
    workforce.close()
    assert workers[1].poll() is None
    assert bytes_of(there.folder) == bytes_of(here.folder)


def _rest_is_graded_here(tmp_path: Path, settings: Settings, klass: Path, count: int) -> None:
    """What was done stands, and a resumed run comes to what an undisturbed one does."""
    entries = [single(path) for path in sorted(klass.iterdir())]
    there, here = open_results(tmp_path / "there"), open_results(tmp_path / "here")
    kept = len(there.index()["students"])
    assert count <= kept < len(entries)
    assert all(row["verdict"] != "fault" for row in there.index()["students"].values())
    again = list(batch.run(entries, settings, there, executors.local(1)))
    assert sum(not done.reason for done in again) == kept, "what was graded is not graded again"
    list(batch.run(entries, settings, here, executors.local(1)))
    assert bytes_of(there.folder) == bytes_of(here.folder)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("lost", ["workers", "scheduler and workers"])
def test_a_cluster_that_is_lost_whole_ends_the_run_with_one_line_and_what_is_done_is_kept(
    tmp_path: Path,
    settings: Settings,
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
    monkeypatch: pytest.MonkeyPatch,
    lost: str,
) -> None:
    address, processes = cluster
    monkeypatch.setattr(batch, "PATIENCE", 3.0)
    klass = write(tmp_path / "class", {f"s{n:02}.py": (RIGHT, NO_SCALE)[n % 2] + f"mark = {n}\n" for n in range(60)})
    entries = [single(path) for path in sorted(klass.iterdir())]
    workforce = executors.cluster(address)
    running = batch.run(entries, settings, open_results(tmp_path / "there"), workforce)

    def on() -> None:
        for number, _ in enumerate(running):
            if number == 5:
                for process in processes[: 2 if lost == "workers" else 3]:
                    process.kill()

    with pytest.raises(GraderError, match="What is graded is kept") as caught:
        on()
    workforce.close()
    assert str(caught.value).startswith(address)
    _rest_is_graded_here(tmp_path, settings, klass, 6)


@pytest.mark.slow
def test_no_cluster_is_one_clear_line(grader: Callable[..., Any], klass: Path) -> None:
    ran = grader("grade", klass, "-a", "attention-numpy", "-o", "r", "--cluster", "tcp://127.0.0.1:9")
    assert ran.code == 2
    assert "tcp://127.0.0.1:9: no cluster answers there" in ran.err
    with pytest.raises(GraderError, match="no cluster answers there"):
        executors.cluster("nonsense://x")
