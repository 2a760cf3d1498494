"""A program that reads a stranger's bytes gets them, gives its own, and reaches nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from grader.sandbox.confined import Bounds, confined, python

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="confinement needs Linux")

TRIES = {
    "read a file": "open('/etc/passwd').read()",
    "list a folder": "import os; os.listdir('/')",
    "write a file": "open('/tmp/written-by-a-document', 'w')",
    "look at processes": "open('/proc/self/environ').read()",
    "open a socket": "import socket; socket.socket()",
    "open a local socket": "import socket; socket.socket(socket.AF_UNIX)",
    "fork": "import os; os.fork()",
    "become another program": "import os; os.execv('/bin/sh', ['sh', '-c', 'echo out'])",
    "signal others": "import os; os.kill(os.getppid(), 0)",
    "raise a limit": "import resource; resource.setrlimit(resource.RLIMIT_CPU, (99, 99))",
}


def test_a_program_gets_the_bytes_and_gives_its_own() -> None:
    data = bytes(range(256)) * 20_000
    code = (
        "import sys, hashlib; d = sys.stdin.buffer.read(); print(len(d), hashlib.md5(d).hexdigest()); print(sys.argv)"
    )
    ended = confined(python("-c", code, "word"), data)
    assert (ended.status, ended.code) == ("done", 0)
    assert ended.output.decode().splitlines() == [f"{len(data)} dcf6a99f83b3a50b2ff3ecc6490d966f", "['-c', 'word']"]


def test_the_libraries_that_python_itself_is_linked_with_can_be_read() -> None:
    """A Python in a folder of its own, as version managers and hosted runners have it, brings its libpython along."""
    linked = [line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "/libpython" in line]
    for library in dict.fromkeys(linked):
        code = f"import sys; sys.stdout.write(str(len(open({library!r}, 'rb').read(4))))"
        assert confined(python("-c", code), b"").output == b"4", library


@pytest.mark.parametrize("code", TRIES.values(), ids=TRIES)
def test_it_reaches_nothing_else(code: str) -> None:
    ended = confined(python("-c", code), b"")
    assert ended.status == "failed"
    assert "Error" in ended.error.splitlines()[-1]
    assert not Path("/tmp/written-by-a-document").exists()


def test_it_reads_what_it_is_given_and_no_neighbour(tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "inside.txt").write_text("inside")
    (tmp_path / "beside.txt").write_text("beside")
    script = tmp_path / "reader.py"
    script.write_text("import sys\nfor name in sys.argv[1:]: print(open(name).read())")
    names = [str(tmp_path / "given" / "inside.txt"), str(tmp_path / "given" / ".." / "beside.txt")]
    assert confined(python(str(script), *names[:1]), b"").output == b"inside\n"
    assert confined(("/bin/cat", "-"), b"through a program of the system").output == b"through a program of the system"
    ended = confined((*python("-c", script.read_text()), "../" + names[1]), b"", [str(tmp_path / "given")])
    assert ended.status == "failed"


@pytest.mark.parametrize(
    ("code", "bounds", "status"),
    [
        ("while True: pass", Bounds(seconds=1), "failed"),
        ("import time; time.sleep(60)", Bounds(seconds=1), "timeout"),
        ("import os, time; os.close(1); os.close(2); time.sleep(60)", Bounds(seconds=1), "timeout"),
        ("while True: print('x' * 999)", Bounds(output=1 << 20), "output"),
        ("bytearray(1 << 31)", Bounds(), "failed"),
        ("import os; os.abort()", Bounds(), "failed"),
    ],
)
def test_every_bound_ends_it(code: str, bounds: Bounds, status: str) -> None:
    ended = confined(python("-c", code), b"x" * 1_000_000, bounds=bounds)
    assert ended.status in {status, "timeout"}
    assert len(ended.output) <= bounds.output


def test_a_program_that_is_not_there_is_told() -> None:
    ended = confined(("/nowhere/reader",), b"")
    assert ended.status == "not started"
    assert "FileNotFoundError" in ended.error


def test_a_program_that_reads_nothing_ends_as_well() -> None:
    assert confined(python("-c", "print(5)"), b"x" * 10_000_000).output == b"5\n"
