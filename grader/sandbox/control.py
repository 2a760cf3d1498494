"""The grader's end of the zygote: start it by path with a clean environment, spawn children, reap them."""

import importlib.machinery
import json
import os
import select
import signal
import socket
import sys
import time
from typing import Any

from .plain import Limits

NUMPY = ("numpy",)
TORCH = (
    *("torch", "torchgen", "functorch", "typing_extensions", "sympy", "mpmath", "networkx", "jinja2", "markupsafe"),
    *("fsspec", "filelock", "packaging", "einops", "fancy_einsum"),
)
"""What torch needs, and what courses write attention with; each where it is installed."""
KEPT = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "LD_LIBRARY_PATH")  # numerics and the loader need these
START_SECONDS = 60.0
CLOSE_SECONDS = 3.0


class ZygoteDied(Exception):
    """The zygote went away in the middle of a request."""


def listed_folders(torch: bool) -> dict[str, str]:
    """Return the folder of site-packages that holds each listed top-level package, where installed."""
    found = {}
    for name in NUMPY + (TORCH if torch else ()):
        spec = importlib.machinery.PathFinder.find_spec(name)
        if spec is not None and spec.origin is not None:
            folder = os.path.dirname(spec.origin)
            found[name] = os.path.dirname(folder) if spec.submodule_search_locations else folder
    return found


def environment(torch: bool) -> dict[str, str]:
    """Return the whole environment of the zygote: built from nothing, the same in a self-check and in grading."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "NUMEXPR", "VECLIB")}
    fixed = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}
    tunables = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"} if torch else {}
    return kept | threads | fixed | tunables | {"MALLOC_ARENA_MAX": "1"}


class Control:
    """One running zygote. Requests and answers alternate on a socket; the zygote dies with it."""

    def __init__(self, level: str, torch: bool, without: tuple[str, ...] = ()) -> None:
        kind = socket.SOCK_SEQPACKET if sys.platform == "linux" else socket.SOCK_STREAM
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, kind)
        with theirs:
            self.pid = _spawn(theirs.fileno(), environment(torch))
        self.deadline = time.monotonic() + START_SECONDS
        self.state: dict[str, Any] | None = None
        self.owed = 0  # answers to reap that nobody waited for
        config = {"level": level, "torch": torch, "without": without, "folders": listed_folders(torch)}
        self._send(config, [])

    def ready(self) -> dict[str, Any]:
        """Wait until the zygote is warm and return what it reports. Raises ZygoteDied."""
        if self.state is None:
            self.state = self._receive(self.deadline)[0]
        return self.state

    def spawn(self, child: int, output: int, limits: Limits) -> tuple[int, int]:
        """Fork a child that owns the two descriptors; return its pid and its pidfd (-1 where there is none)."""
        self.ready()
        request = {"op": "spawn", "cpu": limits.cpu_s, "memory": limits.memory_bytes, "output": limits.output_bytes}
        self._send(request, [child, output])
        answer, fds = self._receive(time.monotonic() + START_SECONDS)
        return int(answer["pid"]), fds[0] if fds else -1

    def reap(self, pid: int) -> dict[str, Any]:
        """Kill a child where it still lives, and return how it ended: code, own (it ended by itself), cpu."""
        self._send({"op": "reap", "pid": pid}, [])
        return self._receive(time.monotonic() + START_SECONDS)[0]

    def reap_later(self, pid: int) -> None:
        """Have a child killed and reaped without waiting for it; the grader has other things to do."""
        self._send({"op": "reap", "pid": pid}, [])
        self.owed += 1

    def dismiss(self) -> None:
        """Let the zygote end by itself, and its namespace with it; ``close`` waits for that."""
        self.socket.close()

    def close(self) -> None:
        """End the zygote and all its children."""
        self.dismiss()
        pid, self.pid = self.pid, 0
        if not pid:
            return
        try:
            # One that is still importing does not look at its socket yet.
            if self.state is None or not _ends_within(pid, CLOSE_SECONDS):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass  # somebody else waited for it
        groups = (self.state or {}).get("groups")
        if groups:  # where a kill came before the zygote's own care
            from . import cgroup

            cgroup.remove(tuple(groups))

    def _send(self, message: dict[str, Any], fds: list[int]) -> None:
        try:
            socket.send_fds(self.socket, [json.dumps(message).encode()], fds)
        except OSError:
            raise ZygoteDied("the zygote has gone") from None

    def _receive(self, deadline: float) -> tuple[dict[str, Any], list[int]]:
        while self.owed:
            self.owed -= 1
            self._next(deadline)
        return self._next(deadline)

    def _next(self, deadline: float) -> tuple[dict[str, Any], list[int]]:
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise ZygoteDied("the zygote does not answer")
        try:
            data, fds, _, _ = socket.recv_fds(self.socket, 1 << 16, 4)
        except OSError:
            data, fds = b"", []
        if not data:
            raise ZygoteDied("the zygote has gone")
        return json.loads(data), fds


def _ends_within(pid: int, seconds: float) -> bool:
    """Wait for a process of ours, and tell whether it ended in time."""
    if hasattr(os, "pidfd_open"):
        pidfd = os.pidfd_open(pid)
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        poll.poll(seconds * 1000)
        os.close(pidfd)
        return os.waitpid(pid, os.WNOHANG)[0] != 0
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if os.waitpid(pid, os.WNOHANG)[0]:
            return True
        time.sleep(0.005)
    return False


def _spawn(fd: int, env: dict[str, str]) -> int:
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "zygote.py")
    # -I would also ignore PYTHONHASHSEED; with an environment built from nothing -s and -P do the same.
    argv = [sys.executable, "-s", "-S", "-P", path, "3"]
    null = os.devnull
    actions = [
        (os.POSIX_SPAWN_DUP2, fd, 3),
        (os.POSIX_SPAWN_OPEN, 0, null, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, null, os.O_WRONLY, 0),
    ]
    defaults = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD]
    return os.posix_spawn(
        sys.executable, argv, env, file_actions=actions, setsid=True, setsigmask=[], setsigdef=defaults
    )
