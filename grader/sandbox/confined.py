"""Run a program on a stranger's bytes: bytes in, bytes out, no network, no files but those that it is made of.

For readers of documents (``pandoc``, a Python script around a PDF library). The program is started through
``launcher.py``, which puts itself under everything this machine offers and then becomes the program.
"""

import contextlib
import json
import os
import selectors
import subprocess
import sys
import sysconfig
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

LAUNCHER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launcher.py")
LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/usr/share/zoneinfo")
NOT_STARTED = 96
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Bounds:
    """Seconds of wall clock and of processor time; bytes of memory and of output; threads."""

    seconds: int = 20
    memory: int = 1 << 30
    output: int = 32 << 20
    threads: int = 16


@dataclass(frozen=True, slots=True)
class Ended:
    """How it ended, and what it wrote until then; ``code`` is its exit status, negative for a signal."""

    status: Literal["done", "timeout", "output", "failed", "not started"]
    output: bytes = b""
    code: int = 0
    error: str = ""


def python(script: str, *words: str) -> tuple[str, ...]:
    """Return the command that runs a script of ours with nothing on its path but the standard library."""
    return (sys.executable, "-I", "-S", "-B", script, *words)


def confined(command: Sequence[str], data: bytes, reads: Sequence[str] = (), bounds: Bounds = Bounds()) -> Ended:
    """Run ``command`` (its first word is a path) with ``data`` as its input and return what it wrote.

    It reads the files that the command names by their whole paths, Python's standard library, the system's shared
    libraries and what ``reads`` names (folders with all below them), as far as Landlock is there; it writes no file,
    opens no socket, starts no process, has an empty environment, and is killed at its bounds or when the grader ends.
    May be called from any thread.
    """
    own = [path for word in command if os.path.isabs(word) for path in (word, os.path.realpath(word))]
    places = [*reads, *own, *LIBRARIES, *_standard()]
    config = {
        "memory": bounds.memory,
        "seconds": bounds.seconds,
        "threads": bounds.threads,
        "reads": [place for place in dict.fromkeys(places) if os.path.exists(place)],
    }
    launch = [*python(LAUNCHER, json.dumps(config)), *command]
    process = subprocess.Popen(
        launch, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={}, start_new_session=True
    )
    with process:
        try:
            return _exchange(process, memoryview(data), bounds)
        finally:
            process.kill()


def _standard() -> list[str]:
    """Where Python stands: its modules, the program, and the shared libraries of an installation of its own."""
    names = ("stdlib", "platstdlib")
    libraries = os.path.join(sys.base_prefix, "lib")
    return [*(sysconfig.get_path(name) for name in names), libraries, os.path.realpath(sys.executable)]


def _exchange(process: subprocess.Popen[bytes], left: memoryview, bounds: Bounds) -> Ended:
    """Write and read side by side until the program has closed its output, or was too much."""
    end = time.monotonic() + bounds.seconds + 1
    kept: dict[Any, bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}
    with selectors.DefaultSelector() as waiting:
        waiting.register(_unblocked(process.stdin), selectors.EVENT_WRITE)
        for stream in kept:
            waiting.register(_unblocked(stream), selectors.EVENT_READ)
        while any(stream in waiting.get_map() for stream in kept):
            if time.monotonic() > end:
                return Ended("timeout", bytes(kept[process.stdout]))
            for key, _ in waiting.select(max(0.0, end - time.monotonic())):
                if key.fileobj is process.stdin:
                    left = _written(waiting, key.fileobj, left)
                elif not (part := os.read(key.fd, _PIECE)):
                    waiting.unregister(key.fileobj)
                else:
                    kept[key.fileobj] += part[: max(0, bounds.output - len(kept[key.fileobj]))]
                    if key.fileobj is process.stdout and len(kept[process.stdout]) >= bounds.output:
                        return Ended("output", bytes(kept[process.stdout]))
    return _ended(process, bytes(kept[process.stdout]), kept[process.stderr].decode("utf-8", "replace")[-2000:], end)


def _unblocked(stream: Any) -> Any:
    os.set_blocking(stream.fileno(), False)
    return stream


def _written(waiting: selectors.BaseSelector, stream: Any, left: memoryview) -> memoryview:
    """Write a piece; the stream is closed behind the last one, or where nobody reads any more."""
    try:
        left = left[os.write(stream.fileno(), left[:_PIECE]) :]
    except BlockingIOError:
        return left
    except OSError:
        left = left[:0]
    if not left:
        waiting.unregister(stream)
        with contextlib.suppress(OSError):
            stream.close()
    return left


def _ended(process: subprocess.Popen[bytes], output: bytes, error: str, end: float) -> Ended:
    try:
        code = process.wait(max(0.1, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        return Ended("timeout", output)
    if code == NOT_STARTED:
        return Ended("not started", b"", code, error)
    return Ended("failed" if code else "done", output, code, error)
