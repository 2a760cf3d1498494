"""kill -9 of grader, zygote and child at random moments: nothing is left, and the next run works."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from grader.sandbox.parent import Sandbox

from questions import QUICK, call, source

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
ROOT = Path(__file__).resolve().parents[2]
BUSY = source("import time\ndef f(x):\n    time.sleep(0.01)\n    return x\n")
GRADER = """
import sys
from grader.sandbox.parent import *
from grader.sandbox.plain import *
code = "import time\\ndef f(x):\\n    time.sleep(0.01)\\n    return x\\n"
with Sandbox(sys.argv[1]) as sandbox:
    print("started", flush=True)
    while True:
        programs = tuple(Program(({"do": "call", "target": "f", "args": [at]},)) for at in range(5))
        answers = sandbox.ask(Source((Module("hw", (Chunk(code, "hw.py"),)),)), programs)
        print([reply.status for reply in answers.replies], flush=True)
"""


def below(pid: int) -> list[int]:
    try:
        pids = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return pids + [each for one in pids for each in below(one)]


def alive(pids: list[int]) -> list[int]:
    """Those of the processes that are there and not zombies waiting for init."""
    found = []
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state not in "ZX":
            found.append(pid)
    return found


def gone_within(pids: list[int], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not alive(pids):
            return True
        time.sleep(0.01)
    return not alive(pids)


def groups(pids: list[int]) -> list[str]:
    """Control groups that these processes made."""
    found = Path("/sys/fs/cgroup").glob("**/attention-grader-*")
    return [str(path) for path in found if int(path.name.rpartition("-")[2]) in pids]


def kill_grader(level: str, rng: random.Random) -> None:
    folder = tempfile.mkdtemp()
    command = [sys.executable, "-c", GRADER, level]
    grader = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, env=os.environ | {"TMPDIR": folder})
    assert grader.stdout is not None
    grader.stdout.readline()
    time.sleep(rng.uniform(0, 0.3))
    pids = below(grader.pid)
    grader.kill()
    grader.wait()
    grader.stdout.close()
    assert pids
    assert gone_within(pids, 30)
    assert groups(pids) == []
    os.rmdir(folder)  # nothing was left in it


@pytest.mark.parametrize("level", ["standard", "strict"])
def test_a_killed_grader_leaves_no_process_and_no_file(level):
    rng = random.Random(level)
    for _ in range(3):
        kill_grader(level, rng)


def kill_below(sandbox: Sandbox, rng: random.Random, which: str) -> None:
    """Kill a zygote or a child while programs are asked; the answers are all there."""
    assert sandbox.isolation.applied
    zygote = sandbox._control.pid
    pid = os.fork()
    if pid == 0:
        try:
            time.sleep(rng.uniform(0, 0.1))
            found = below(zygote)
            target = zygote if which == "zygote" or not found else found[-1] if which == "child" else found[0]
            os.kill(target, signal.SIGKILL)
        finally:
            os._exit(0)
    rng.random()
    programs = tuple(call("f", at) for at in range(8))
    replies = sandbox.ask(BUSY, programs, QUICK).replies
    os.waitpid(pid, 0)
    statuses = {reply.status for reply in replies}
    assert statuses <= ({"value"} if which != "child" else {"value", "memory", "crashed"})
    assert [reply.status for reply in replies].count("value") >= len(replies) - 1
    again = sandbox.ask(BUSY, programs, QUICK).replies
    assert [reply.values for reply in again] == [(at,) for at in range(8)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("level", ["standard", "strict"])
@pytest.mark.parametrize("which", ["zygote", "child", "inner"])
def test_a_killed_zygote_is_started_again_and_a_killed_child_costs_one_program(level, which):
    rng = random.Random(which + level)
    with Sandbox(level) as sandbox:
        for _ in range(3):
            kill_below(sandbox, rng, "child" if which == "inner" and level == "standard" else which)
        pids = [sandbox._control.pid, *below(sandbox._control.pid)]
    assert gone_within(pids, 30)


def test_a_zygote_killed_while_idle_is_started_again():
    with Sandbox("standard") as sandbox:
        assert sandbox.isolation.applied == "standard"
        os.kill(sandbox._control.pid, signal.SIGKILL)
        assert sandbox.ask(BUSY, (call("f", 1),), QUICK).replies[0].values == (1,)


def test_a_closed_sandbox_leaves_no_process_and_no_descriptor():
    with Sandbox("standard") as sandbox:
        sandbox.ask(BUSY, (call("f", 1),), QUICK)
    descriptors = len(os.listdir("/proc/self/fd"))
    for level in ("standard", "strict"):
        with Sandbox(level) as sandbox:
            sandbox.ask(BUSY, (call("f", 1),), QUICK)
            sandbox.ask(source("import os\nos._exit(1)"), (call("f", 1),), QUICK)
            pids = [sandbox._control.pid, *below(sandbox._control.pid)]
        assert alive(pids) == []
        assert groups(pids) == []
    assert len(os.listdir("/proc/self/fd")) == descriptors


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_hundred_kills_at_random_moments_leave_nothing():
    rng = random.Random(100)
    for turn in range(34):
        kill_grader(("standard", "strict")[turn % 2], rng)
    for level in ("standard", "strict"):
        with Sandbox(level) as sandbox:
            for _ in range(33):
                kill_below(sandbox, rng, rng.choice(["zygote", "child"]))
