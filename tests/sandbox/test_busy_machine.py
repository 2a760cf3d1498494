"""A limit counts the time that the code had, not the time that other processes took."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest
from grader.sandbox import exchange
from grader.sandbox.plain import Limits

from questions import QUICK, call, source

SLEEPY = "import time\ndef f(x):\n    time.sleep(0.5)\n    return x\n"


@pytest.mark.parametrize(("waited", "status"), [(0.0, "timeout"), (0.04, "timeout"), (30.0, "value")])
def test_a_deadline_moves_by_what_others_took_and_by_no_more(sandbox, monkeypatch, waited, status):
    monkeypatch.setattr(exchange.Turns, "waited", lambda _: waited)
    reply = sandbox.ask(source(SLEEPY), (call("f", 7),), replace(QUICK, call_s=0.1, load_s=60.0)).replies[0]
    assert reply.status == status


@pytest.mark.skipif(sys.platform != "linux", reason="Linux counts the time in the queue")
def test_what_the_kernel_counts_is_read_and_sleep_is_no_wait():
    one = f"import os; os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})"
    loop = "\nwhile True: pass"
    with (
        subprocess.Popen([sys.executable, "-c", one + loop]) as first,
        subprocess.Popen([sys.executable, "-c", one + loop]) as second,
        subprocess.Popen(
            [sys.executable, "-c", "import time; print(flush=True); time.sleep(1000)"], stdout=subprocess.PIPE
        ) as idle,
    ):
        try:
            assert idle.stdout is not None
            idle.stdout.readline()  # it waits for its turn as long as it starts
            looks = [exchange.Turns(os.pidfd_open(process.pid)) for process in (first, second, idle)]
            waits = [0.0, 0.0, 0.0]
            while min(waits[:2]) < 0.2:  # two loops on one processor: each waits for the other
                waits = [total + look.waited() for total, look in zip(waits, looks, strict=True)]
            assert waits[2] < 0.2
        finally:
            for process in (first, second, idle):
                process.kill()
            for look in looks:
                os.close(look.pidfd)


@pytest.mark.parametrize(
    ("ready", "passed", "used", "waited"),
    [
        (0.75, 1.0, 0.25, 0.75),
        (0.0, 1.0, 0.0, 0.0),
        (0.99, 1.0, 0.67, 0.33),
        (0.99, 1.0, 1.0, 0.0),
        (0.9, 1.0, 2.0, 0.0),
    ],
    ids=["one thread", "asleep", "many threads, part of a processor", "many threads, one processor", "two processors"],
)
def test_threads_of_its_own_do_not_prolong_a_deadline(ready, passed, used, waited):
    assert exchange.kept_waiting(ready, passed, used) == pytest.approx(waited)


def test_a_slow_machine_gets_its_pace_times_the_seconds_and_the_same_bytes():
    limits = Limits(load_s=10.0, call_s=5.0, cpu_s=60, memory_bytes=1 << 30, output_bytes=1 << 16, total_s=120.0)
    slow = Limits(load_s=30.0, call_s=15.0, cpu_s=180, memory_bytes=1 << 30, output_bytes=1 << 16, total_s=360.0)
    assert limits.stretched(3) == slow
    assert limits.stretched(1) == limits


@pytest.mark.parametrize(("pace", "status"), [(1, "timeout"), (100, "value")])
def test_the_pace_of_the_machine_stretches_the_limit(sandbox, monkeypatch, pace, status):
    assert 1 <= sandbox.pace <= 10
    monkeypatch.setattr(type(sandbox), "pace", property(lambda _: pace))
    reply = sandbox.ask(source(SLEEPY), (call("f", 7),), replace(QUICK, call_s=0.1, load_s=60.0)).replies[0]
    assert reply.status == status
