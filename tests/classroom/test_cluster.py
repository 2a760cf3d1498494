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
from grader.model import Settings

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
    """The address of a scheduler, and the processes of its two workers."""
    from distributed import Client

    folder = tmp_path / "dask"
    folder.mkdir()
    scheduler = start("dask_scheduler", folder, "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    alone = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
    workers = [start("dask_worker", folder, *alone, "--local-directory", str(folder / name)) for name in ("a", "b")]
    try:
        with Client(scheduler_file=str(folder / "scheduler.json"), timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        yield json.loads((folder / "scheduler.json").read_text())["address"], workers
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


@pytest.mark.slow
def test_no_cluster_is_one_clear_line(grader: Callable[..., Any], klass: Path) -> None:
    ran = grader("grade", klass, "-a", "attention-numpy", "-o", "r", "--cluster", "tcp://127.0.0.1:9")
    assert ran.code == 2
    assert "tcp://127.0.0.1:9: no cluster answers there" in ran.err
    with pytest.raises(GraderError, match="no cluster answers there"):
        executors.cluster("nonsense://x")
