"""The clean process that imports numpy (and torch) once and forks a child for every ask.

Started by path with one descriptor as its only argument: nothing of the installed grader can be imported here.
Its modules find each other through a private package that exists in this process alone.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import sys
import types
from typing import Any

LINUX = sys.platform == "linux"


def serve(control: socket.socket) -> None:
    """Warm up as the first message says, report readiness, then fork children until the grader is gone."""
    from . import loading

    parent = _pidfd(os.getppid())
    config = _receive(control)[0]
    listed = loading.ListedFinder(config["folders"])
    sys.meta_path.append(listed)  # type: ignore[arg-type]
    _warm(config["torch"])
    sys.dont_write_bytecode = True
    zygote = Zygote(control, parent, listed, config)
    control.send(json.dumps({"ready": True, "applied": config["level"], "mechanisms": [], "missing": []}).encode())
    zygote.run()


def _warm(torch: bool) -> None:
    """Import what children would otherwise import each for itself, and touch what is set up lazily."""
    import numpy as np

    from . import child  # noqa: F401 - must be in memory before the file system goes out of reach

    np.linalg.inv(np.eye(2)) @ np.eye(2)
    np.random.default_rng(0).normal()
    if torch:
        _warm_torch()


def _warm_torch() -> None:
    import torch

    # A pool of threads does not survive a fork: the first parallel operation of a child would hang.
    torch.set_num_threads(1)
    import torch._dynamo
    import torch.func
    import torch.overrides
    import torch.utils.data

    x = torch.randn(64, 64, requires_grad=True)
    optimizer = torch.optim.Adam([x])
    torch.softmax(x @ x, 1).sum().backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    layer(torch.ones(1, 3, 8)).sum().backward()
    torch.manual_seed(0)


class Zygote:
    """Forks, and reaps what it forked."""

    def __init__(self, control: socket.socket, parent: int, listed: Any, config: dict[str, Any]) -> None:
        self.control, self.parent, self.listed, self.config = control, parent, listed, config
        self.size = _virtual_size()
        gc.collect()
        gc.freeze()

    def run(self) -> None:
        """Serve spawn and reap until the control socket or the grader itself ends."""
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        if self.parent >= 0:
            poll.register(self.parent, select.POLLIN)
        while True:
            ready = dict(poll.poll())
            if self.parent in ready:
                os._exit(0)
            request, fds = _receive(self.control)
            if request["op"] == "spawn":
                self._spawn(request, fds)
            else:
                self._reap(request["pid"])

    def _spawn(self, request: dict[str, Any], fds: list[int]) -> None:
        pid = os.fork()
        if pid == 0:
            self._become_child(request, fds)
        pidfd = _pidfd(pid)
        message = json.dumps({"pid": pid}).encode()
        socket.send_fds(self.control, [message], [pidfd] if pidfd >= 0 else [])
        for fd in [*fds, pidfd]:
            if fd >= 0:
                os.close(fd)

    def _become_child(self, request: dict[str, Any], fds: list[int]) -> None:
        from . import child

        try:
            null = os.open("/dev/null", os.O_RDWR)
            top = [os.dup2(fd, 100 + at) for at, fd in enumerate((null, fds[1], fds[1], fds[0]))]
            for at, fd in enumerate(top):
                os.dup2(fd, at)
            os.closerange(4, 4096)
            os.setsid()
            _limit(request, self.size)
            child.serve(3, self.listed, request["output"])
        finally:
            os._exit(97)

    def _reap(self, pid: int) -> None:
        # Looked at before the kill, or a crash could not be told from our own SIGKILL.
        gone = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        if not gone:
            os.kill(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
        ended = {"code": os.waitstatus_to_exitcode(status), "own": gone, "cpu": usage.ru_utime + usage.ru_stime}
        self.control.send(json.dumps(ended).encode())


def _limit(request: dict[str, Any], size: int) -> None:
    import resource

    limits = {
        resource.RLIMIT_CPU: (request["cpu"], request["cpu"] + 1),
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_NOFILE: (64, 64),
        resource.RLIMIT_CORE: (0, 0),
    }
    if LINUX:
        limits[resource.RLIMIT_AS] = (size + request["memory"],) * 2
    for kind, (soft, hard) in limits.items():
        resource.setrlimit(kind, (soft, hard))


def _virtual_size() -> int:
    if not LINUX:
        return 0
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _pidfd(pid: int) -> int:
    return os.pidfd_open(pid) if LINUX else -1


def _receive(control: socket.socket) -> tuple[dict[str, Any], list[int]]:
    data, fds, _, _ = socket.recv_fds(control, 1 << 16, 4)
    if not data:
        os._exit(0)
    return json.loads(data), fds


def main() -> None:
    """Take the place of a script: blank argv, only our own descriptors, a private package for the room."""
    room = types.ModuleType("room")
    room.__path__ = [os.path.dirname(os.path.abspath(__file__))]
    sys.modules["room"] = room
    fd = int(sys.argv[1])
    sys.argv[:] = [""]
    sys.orig_argv[:] = [""]
    os.closerange(fd + 1, 4096)
    os.chdir("/")
    serve(socket.socket(fileno=fd))


if __name__ == "__main__":
    __package__ = "room"
    main()
