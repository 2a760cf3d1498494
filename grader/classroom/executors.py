"""Where a class is graded: processes of this machine, or an existing Dask cluster; the same interface for both."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from grader.errors import GraderError


@dataclass(frozen=True, slots=True)
class Workforce:
    """``make`` gives a fresh executor whenever one broke; ``size`` is the number of workers."""

    make: Callable[[], Executor]
    size: int

    @property
    def in_flight(self) -> int:
        """How many submissions wait with the workers at a time: enough to keep all busy, few enough to stay small."""
        return 2 * self.size


def local(jobs: int = 0, most: int = 64) -> Workforce:
    """Worker processes on this machine: ``jobs`` of them, or one for each core; never more than ``most``."""
    size = max(1, min(jobs or _cores(), most))
    context = multiprocessing.get_context("spawn")
    return Workforce(lambda: ProcessPoolExecutor(size, context, initializer=_quiet), size)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _quiet() -> None:
    """Leave ctrl-C to the parent, which stops the class in good order."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def cluster(address: str) -> Workforce:
    """Use the workers of the Dask cluster at ``address`` (``tcp://host:port``). Raises GraderError."""
    try:
        from distributed import Client
    except ImportError as error:
        raise GraderError("a cluster needs Dask", "--cluster", "pip install 'attention-grader[cluster]'") from error
    try:
        client: Any = Client(address, timeout=10)
    except OSError as error:
        raise GraderError(
            "no cluster answers there", address, "Start `dask scheduler` and its workers first."
        ) from error
    size = sum(client.nthreads().values())
    if not size:
        raise GraderError("the cluster has no workers", address, "Start `dask worker` against the scheduler.")
    return Workforce(lambda: client.get_executor(pure=False, retries=2), size)
