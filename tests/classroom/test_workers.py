"""Workers of this machine: each keeps to a core of its own where there is one for each, and to none where not."""

from __future__ import annotations

import os

import pytest

from grader.classroom.executors import local

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no such call on this system")


def affinity_of_a_worker(size: int) -> set[int]:
    workers = local(size)
    executor = workers.make()
    try:
        return workers.submit(executor, os.sched_getaffinity, 0).result(timeout=60)
    finally:
        workers.stop(executor)
        workers.close()


def test_a_worker_for_every_core_keeps_to_its_own() -> None:
    cores = os.sched_getaffinity(0)
    found = affinity_of_a_worker(len(cores))
    assert len(found) == 1
    assert found <= cores


def test_more_workers_than_cores_share_them_all() -> None:
    cores = os.sched_getaffinity(0)
    assert affinity_of_a_worker(len(cores) + 1) == cores
