"""The clean process that imports numpy (and torch) once and forks a child for every ask.

Started by path with one descriptor as its only argument: nothing of the installed grader can be imported here.
Its modules find each other through a private package that exists in this process alone.
"""

import contextlib
import dataclasses
import fcntl
import gc
import importlib
import json
import math
import os
import random
import resource
import select
import signal
import socket
import sys
import time
import types
from typing import Any

LINUX = sys.platform == "linux"
ORDINARY = 0.0005  # processor seconds for what machine_pace does: three times what a core of an AMD EPYC took
SLOWEST = 10
UNSEEDED = 2017  # where draws begin that nobody has seeded


def serve(control: socket.socket) -> None:
    """Warm up as the first message says, confine, report, then fork children until the grader is gone."""
    from . import loading

    parent = _pidfd(os.getppid())
    config = _receive(control)[0] or sys.exit()
    listed = loading.ListedFinder(config["folders"])
    sys.meta_path.insert(0, loading.RefusingFinder())
    sys.meta_path.append(listed)
    gc.disable()  # all that is imported stays; children have it again
    try:
        gates = _warm(config["torch"])
        sys.dont_write_bytecode = True
        size = _virtual_size()
        pace = machine_pace()
        state, made = _confine(config)
        state["pace"] = pace
    except Exception as error:  # whatever it is, the grader has to hear of it
        state = {"ready": False, "missing": [f"a start without {type(error).__name__}: {error}"[:2000]]}
    if state["ready"]:
        zygote = Zygote(control, parent, listed, made, size, gates)
        faults = zygote.prove() if made.level == "strict" else ()
        if faults:
            state = {"ready": False, "missing": faults}
    control.send(json.dumps(state).encode())
    if state["ready"]:
        zygote.run()


def _confine(config: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Enter the best level allowed and return the message for the grader, and what children will wear."""
    from . import confinement, places

    level, without = config["level"], frozenset(config["without"])
    libraries = places.mapped_libraries() if LINUX else []
    plan = places.places(config["folders"], sys.path, libraries)
    lacking = confinement.lacking(without) if level in ("strict", "auto") else ()
    if level == "strict" and lacking:
        return {"ready": False, "missing": lacking}, None
    if level in ("strict", "auto") and not lacking:
        if LINUX and len(os.listdir("/proc/self/task")) != 1:
            return {"ready": False, "missing": ["a single-threaded start of numpy and torch"]}, None
        made = confinement.strict(plan, without)
    elif level == "none":
        made = confinement.Confinement("none", plan, missing=("every mechanism",))
    else:
        made = confinement.standard(plan, without)
    missing = (*made.missing, *lacking)
    state = {"ready": True, "applied": made.level, "mechanisms": made.mechanisms, "missing": missing}
    state["groups"] = made.group.folders if made.group is not None else ()
    return state, made


def _warm(torch: bool) -> Any:
    """Import what children would otherwise import each for itself, touch what is set up lazily; return the gates."""
    import numpy as np

    from . import gates

    # What submissions like to import, and what must be in memory before the file system goes out of reach.
    for name in ("copy", "dataclasses", "heapq", "inspect", "random", f"{__package__}.child"):
        importlib.import_module(name)
    np.linalg.inv(np.eye(2)) @ np.eye(2)
    np.random.default_rng(0).normal()
    made = gates.Gates()
    if torch:
        _warm_torch()
        made.install()
    _settle_chance()
    return made


def _settle_chance() -> None:
    """Let what is drawn without a seed be the same in every run: the same work is to get the same report."""
    import numpy as np

    np.random.seed(UNSEEDED)  # noqa: NPY002 - the generator of those who draw from no one of their own
    # Where numpy takes what it seeds a generator with, if it is told nothing.
    np.random.bit_generator.randbits = random.Random(UNSEEDED).getrandbits  # type: ignore[attr-defined]  # noqa: S311 - no secret


def machine_pace() -> int:
    """Return how many times as long as an ordinary machine this one takes for a small attention, up to SLOWEST."""
    import numpy as np

    x = np.linspace(-1, 1, 256).reshape(16, 16)
    best = math.inf
    for _ in range(5):
        start = time.process_time()
        for _ in range(20):
            scores = x @ x.T / 4
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            weights / weights.sum(-1, keepdims=True) @ x
        best = min(best, time.process_time() - start)
    return min(max(1, math.ceil(best / ORDINARY)), SLOWEST)


def _warm_torch() -> None:
    import torch

    # A pool of threads does not survive a fork: the first parallel operation of a child would hang.
    torch.set_num_threads(1)
    import torch._decomp.decompositions_for_jvp  # scripts what torch.func.jvp needs, while that can be scripted
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
    # Nothing can be compiled where nothing can be written; uncompiled, code computes the same.
    torch.compile = _uncompiled
    # What is scripted hides its operations and its parts; as it was written, it computes the same.
    torch.jit.script = torch.jit.trace = _unscripted  # type: ignore[assignment]


def _unscripted(obj: Any = None, *_: Any, **__: Any) -> Any:
    return obj


def _uncompiled(model: Any = None, **_: Any) -> Any:
    return model if model is not None else lambda function: function


class Zygote:
    """Forks, and reaps what it forked."""

    def __init__(self, control: socket.socket, parent: int, listed: Any, made: Any, size: int, gates: Any) -> None:
        self.gates = gates
        self.control, self.parent, self.listed, self.made, self.size = control, parent, listed, made, size
        self.slot = 0
        self.children: set[int] = set()
        if LINUX:
            from . import kernel

            kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
            kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
        gc.collect()
        gc.freeze()
        gc.enable()

    def prove(self) -> tuple[str, ...]:
        """Return what an armed child could do and should not."""
        from . import confinement

        return confinement.prove(self.made, _limits({"cpu": 5, "memory": 1 << 28}, self.size))

    def run(self) -> None:
        """Serve spawn and reap until the control socket or the grader itself ends."""
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        if self.parent >= 0:
            poll.register(self.parent, select.POLLIN)
        while True:
            ready = dict(poll.poll())
            request, fds = _receive(self.control) if self.parent not in ready else ({}, [])
            if not request:
                self._end()
            if request["op"] == "spawn":
                self._spawn(request, fds)
            else:
                self._reap(request["pid"])

    def _end(self) -> None:
        from . import confinement

        for pid in self.children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        _sweep(frozenset())
        if self.made.pid_namespace < 0:  # else the process outside sees to it
            confinement.leave(self.made)
        os._exit(0)

    def _spawn(self, request: dict[str, Any], fds: list[int]) -> None:
        from . import confinement

        self.slot += 1
        if self.made.group is not None:
            self.made.group.allow(request["memory"])
        pid = confinement.fork(self.made)
        if pid == 0:
            self._become_child(request, fds)
        self.children.add(pid)
        pidfd = _pidfd(pid)
        message = json.dumps({"pid": pid}).encode()
        socket.send_fds(self.control, [message], [pidfd] if pidfd >= 0 else [])
        for fd in [*fds, pidfd]:
            if fd >= 0:
                os.close(fd)

    def _become_child(self, request: dict[str, Any], fds: list[int]) -> None:
        from . import child, confinement

        try:
            rules = self.made.ruleset
            sources = [os.open("/dev/null", os.O_RDWR), fds[1], fds[1], fds[0], *([rules] if rules >= 0 else [])]
            # Out of the way first: a source may sit where another one goes.
            moved = [fcntl.fcntl(fd, fcntl.F_DUPFD, 32) for fd in sources]
            for at, fd in enumerate(moved):
                os.dup2(fd, at)
            os.closerange(len(moved), 4096)
            os.setsid()
            made = dataclasses.replace(self.made, ruleset=4 if rules >= 0 else -1)
            random.seed(UNSEEDED)  # Python has seeded its own anew when it forked
            confinement.arm(made, self.slot, _limits(request, self.size))
            child.serve(3, self.listed, request["output"], self.gates)
        finally:
            os._exit(97)  # LEFT in exchange.py

    def _reap(self, pid: int) -> None:
        # Looked at before the kill, or a crash could not be told from our own SIGKILL.
        gone, status, usage = os.wait4(pid, os.WNOHANG)
        if not gone:
            os.kill(pid, signal.SIGKILL)
            _, status, usage = os.wait4(pid, 0)
        self.children.discard(pid)
        if self.made.level != "strict":
            _sweep(frozenset(self.children))
        ended = {"code": os.waitstatus_to_exitcode(status), "own": bool(gone), "cpu": usage.ru_utime + usage.ru_stime}
        self.control.send(json.dumps(ended).encode())


def _sweep(spared: frozenset[int]) -> None:
    """Kill what student code left behind, adopted by us: without a filter it may have started processes."""
    for _ in range(1000):
        try:
            with open(f"/proc/self/task/{os.getpid()}/children") as file:
                pids = [int(word) for word in file.read().split() if int(word) not in spared]
        except OSError:
            return  # no such list on this system, or no /proc in a private root, where the namespace ends all
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass  # it ended by itself
        if not pids:
            return


def _limits(request: dict[str, Any], size: int) -> dict[int, tuple[int, int]]:
    limits = {
        # The hard limit at once: SIGXCPU would find the first process of a pid namespace deaf.
        resource.RLIMIT_CPU: (request["cpu"], request["cpu"]),
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_NOFILE: (64, 64),
        resource.RLIMIT_CORE: (0, 0),
    }
    if LINUX:
        limits[resource.RLIMIT_AS] = (size + request["memory"],) * 2
    return limits


def _virtual_size() -> int:
    if not LINUX:
        return 0
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _pidfd(pid: int) -> int:
    return os.pidfd_open(pid) if LINUX else -1


def _receive(control: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Return the next request and its descriptors; an empty one when the grader has gone."""
    data, fds, _, _ = socket.recv_fds(control, 1 << 16, 4)
    return (json.loads(data) if data else {}), fds


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
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the grader has gone
        main()
