"""What the grader was started with, seed and tokens, is nowhere that student code could read it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from grader.sandbox import concealment
from grader.sandbox.parent import Sandbox

from questions import QUICK, call, source

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc")
REPOSITORY = Path(__file__).resolve().parents[2]
SEED, TOKEN = "7219530864", "hush-5f1c9"

SCAN = f"""
import glob, os
def scan():
    found, read = [], 0
    for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline") + glob.glob("/proc/[0-9]*/mem"):
        if path.split("/")[2] == str(os.getpid()):
            continue
        try:
            with open(path, "rb") as file:
                if path.endswith("mem"):
                    found.append(path)
                    continue
                data = file.read()
        except OSError:
            continue
        read += 1
        found += [path for word in ({SEED!r}, {TOKEN!r}) if word.encode() in data]
    return [found, read]
FOUND = scan()
def softmax(x):
    raise RuntimeError(repr([FOUND, scan()]))
"""


@pytest.fixture
def outer():
    """A process of the same user that holds secrets, as the shell does that a workflow's step runs in."""
    process = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(100)", "--seed", SEED], env={"GITHUB_TOKEN": TOKEN}
    )
    yield process
    process.kill()
    process.wait()


@pytest.mark.parametrize("level", ["standard", "strict"])
@pytest.mark.parametrize("without", [(), ("namespaces",)])
@pytest.mark.usefixtures("outer")
def test_student_code_sees_no_other_process(level, without):
    with Sandbox(level, without=without) as sandbox:
        assert sandbox.ask(source(SCAN), (call("scan"),), QUICK).replies[0].values[0][0] == []


@pytest.mark.usefixtures("outer")
def test_without_landlock_something_lies_over_the_processes_where_the_kernel_lets_us():
    with Sandbox("standard", without=("landlock",)) as sandbox:
        if "no view of other processes" in sandbox.isolation.missing:
            pytest.skip("no mount namespace here")
        assert sandbox.ask(source(SCAN), (call("scan"),), QUICK).replies[0].values[0] == [[], 0]
        assert "no view of other processes" in sandbox.isolation.mechanisms


@pytest.mark.usefixtures("outer")
def test_where_nothing_hides_processes_the_report_says_so_and_root_reads_no_environment():
    with Sandbox("standard", without=("landlock", "namespaces")) as sandbox:
        assert "no view of other processes" in sandbox.isolation.missing
        if os.getuid() == 0:
            found, _ = sandbox.ask(source(SCAN), (call("scan"),), QUICK).replies[0].values[0]
            assert not any(path.endswith(("environ", "mem")) for path in found)


@pytest.mark.parametrize(
    "name", ["GITHUB_TOKEN", "aws_secret_access_key", "AWS_ACCESS_KEY_ID", "DB_PASSWORD", "GRADER_SEED", "CI_JOB_JWT"]
)
def test_the_name_of_a_variable_says_that_it_is_secret(name):
    assert concealment.is_secret(name)


@pytest.mark.parametrize("name", ["PATH", "HOME", "PYTHONHASHSEED", "KEYBOARD", "XDG_SEAT", "COLUMNS", "MONKEY_PATCH"])
def test_other_names_do_not(name):
    assert not concealment.is_secret(name)


def test_withdrawn_is_hidden_outside_and_still_there_inside():
    code = f"""
import os, subprocess, sys
from grader.sandbox import concealment
concealment.withdraw([{SEED!r}, "", "8"])
shown = [open(f"/proc/self/{{name}}", "rb").read() for name in ("environ", "cmdline")]
assert not shown[0].strip(b"\\0"), shown
assert b"{SEED}" not in shown[1].rpartition(b"ARGS")[2] and b"plain\\0" in shown[1], shown
import ctypes
assert ctypes.CDLL(None).prctl(3) == 0  # not dumpable
assert sys.argv[-1] == "{SEED}" and os.environ["PLAIN"] == "kept" and os.environ["GRADER_SEED"] == "{SEED}"
assert "GITHUB_TOKEN" not in os.environ
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
assert getenv(b"PLAIN") == b"kept" and getenv(b"GITHUB_TOKEN") is None
assert concealment.take("GRADER_SEED") == "{SEED}" and concealment.take("GRADER_SEED") is None
heir = subprocess.run(["/usr/bin/env"], capture_output=True, check=True).stdout
assert b"PLAIN=kept" in heir and b"{TOKEN}" not in heir and b"{SEED}" not in heir, heir
"""
    surroundings = {"GITHUB_TOKEN": TOKEN, "GRADER_SEED": SEED, "PLAIN": "kept"}
    command = [sys.executable, "-c", code, "ARGS", "plain", f"--seed={SEED}", "--seed", SEED]
    done = subprocess.run(command, env=surroundings, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


WORK = """
import numpy as np
import time
def softmax(x, axis=-1):
    time.sleep(0.4)
    return x
"""


def shown(pid: int) -> dict[int, bytes]:
    """What the kernel shows of a process and all below it."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            above = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if int(folder.name) == pid or above in (pid, *found):
                found[int(folder.name)] = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
    return found


@pytest.mark.sampled(2)
@pytest.mark.parametrize("user", [0, 54321])
@pytest.mark.parametrize("files", [1, 2])
def test_no_process_of_a_run_shows_seed_or_tokens(tmp_path, user, files):
    """The command itself, its workers where it grades a class, the zygote: looked at from outside, while they run."""
    if user and os.getuid() != 0:
        pytest.skip("needs root to become another user")
    tmp_path.chmod(0o755)
    for number in range(files):
        (tmp_path / f"work{number}").mkdir()
        (tmp_path / f"work{number}" / "attention.py").write_text(WORK)
    target = tmp_path if files > 1 else tmp_path / "work0" / "attention.py"
    results = ["-o", str(tmp_path / "results")] if files > 1 else []
    words = [*("grade", str(target), "-a", "attention-numpy", "--isolation", "standard", "--jobs", "2"), *results]
    command = [sys.executable, "-c", "from grader.cli import script; script()", *words, "--seed", SEED]
    surroundings = os.environ | {"GITHUB_TOKEN": TOKEN, "GRADER_SEED": SEED, "HOME": str(tmp_path)}

    def become() -> None:
        sys.path.insert(0, str(REPOSITORY / "tests" / "sandbox"))
        from arena import setups

        setups._open_paths([sys.base_prefix, sys.prefix, str(REPOSITORY), str(tmp_path)])
        os.chown(tmp_path, user, user)
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)

    process = subprocess.Popen(
        command,
        env=surroundings,
        cwd=REPOSITORY,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=become if user else None,  # noqa: PLW1509 - no thread runs here
    )
    try:
        seen: dict[int, bytes] = {}
        deadline = time.monotonic() + 60
        while len(seen) < (5 if files > 1 else 3) and time.monotonic() < deadline and process.poll() is None:
            seen = shown(process.pid)  # the command, a worker for each file, zygotes and children
            time.sleep(0.05)
        assert len(seen) >= (5 if files > 1 else 3)
        assert [pid for pid, data in seen.items() if SEED.encode() in data or TOKEN.encode() in data] == []
    finally:
        process.kill()
        process.wait()


def test_a_process_that_is_not_dumpable_still_has_a_strict_sandbox():
    """Also as a user of its own, for whom /proc/self then belongs to somebody else."""
    code = (
        "import sys; sys.path.insert(0, 'tests/sandbox')\n"
        "from arena import setups\n"
        "import os\n"
        "if os.getuid() == 0: setups.become_throw_away()\n"
        "from grader.sandbox import concealment; concealment.withdraw()\n"
        "from grader.sandbox.parent import *\nfrom grader.sandbox.plain import *\n"
        "with Sandbox('strict') as s:\n"
        "    a = s.ask(Source((Module('hw', (Chunk('def f(): return 5', 'hw.py'),)),)),"
        " (Program(({'do': 'call', 'target': 'f'},)),))\n"
        "    print(a.replies[0].values, s.isolation.mechanisms)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert "(5,)" in done.stdout, done.stderr
