"""The level strict: what the kernel is asked to withhold from a child, and the proof that it does."""

import contextlib
import errno
import os
import resource
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from . import cgroup, kernel, namespaces, syscalls
from .places import DEVICES, Places

LANDLOCK_NEEDED = 3
NAMESPACES = ("pid", "net", "mount", "ipc", "uts")
FIRST_UID, UIDS, SLOTS = 200_000, 1 << 20, 16
SMALL_UID = 64_000  # where a container maps the first 65,536 only
THREADS = 64


@dataclass(frozen=True, slots=True)
class Confinement:
    """What this zygote's children will be put under. ``pid_namespace`` and ``ruleset`` are descriptors or -1.

    ``covered``: something lies over /proc, where no rule keeps children out of it.
    """

    level: str
    places: Places
    pid_namespace: int = -1
    user_namespace: bool = False
    first_uid: int = 0
    ruleset: int = -1
    covered: bool = False
    filter: bytes = b""
    processes: int = 0
    group: cgroup.Group | None = None
    mechanisms: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def lacking(without: frozenset[str]) -> tuple[str, ...]:
    """Return what strict needs and this machine has not; ``without`` names mechanisms to do without."""
    if sys.platform != "linux":
        return ("Linux",)
    missing = []
    if kernel.machine() not in (syscalls.X86_64, syscalls.AARCH64):
        missing.append(f"a system call table for {kernel.machine()}")
    elif "seccomp" in without or not kernel.seccomp_available():
        missing.append("seccomp")
    abi = 0 if "landlock" in without else kernel.landlock_abi()
    if abi < LANDLOCK_NEEDED:
        missing.append(f"Landlock ABI {LANDLOCK_NEEDED} or later (found {abi or 'none'})")
    return tuple(missing)


def strict(places: Places, without: frozenset[str]) -> Confinement:
    """Enter the namespaces that are to be had and return what children will wear.

    Where there is a namespace of process ids, only the inner process returns; the outer one waits for it.
    """
    group = None if "cgroup" in without else cgroup.enter(4 * THREADS)
    if group is None:
        made = Confinement("strict", places, missing=("own cgroup",))
    else:
        made = Confinement("strict", places, group=group, mechanisms=("own cgroup (memory, processes)",))
    if "namespaces" in without:
        made = replace(made, missing=(*made.missing, "own namespaces (pid, net, mount, ipc)"))
    else:
        made = _namespaces(made)
    made = _own_uid(made, without)
    abi = kernel.landlock_abi()
    rules = _ruleset(places, abi, kernel.landlock_rights(abi), read_all=False)
    first = syscalls.program(kernel.machine(), 1)  # what a child wears that is process 1 of its own namespace
    lines = len(first) // 8
    names = (f"Landlock ABI {abi}", f"seccomp allow-list ({lines} instructions)", "no_new_privs", "resource limits")
    return replace(made, ruleset=rules, filter=first, mechanisms=(*names, *made.mechanisms))


def standard(places: Places, without: frozenset[str]) -> Confinement:
    """Return the level standard: limits, and what the kernel has against writing and looking at other processes."""
    names: tuple[str, ...] = ("own process and session", "resource limits")
    made = Confinement("standard", places, processes=_processes(), mechanisms=names)
    if sys.platform != "linux":
        return replace(made, missing=("kernel confinement",))
    names = (*names, "no_new_privs", *(("no capabilities but to read files",) if os.getuid() == 0 else ()))
    abi = 0 if "landlock" in without else kernel.landlock_abi()
    weaker = ("seccomp allow-list", "own namespaces", "own uid")
    if abi >= 1:
        rules = _ruleset(places, abi, kernel.landlock_rights(abi), read_all=True)
        names = (*names, f"Landlock ABI {abi} (no writing, no TCP, no other processes)")
        return replace(made, ruleset=rules, mechanisms=names, missing=weaker)
    if "namespaces" not in without and not _tried(namespaces.hide_processes):
        made = replace(made, covered=True, mechanisms=(*names, "no view of other processes"))
        return replace(made, missing=("Landlock", *weaker))
    return replace(made, mechanisms=names, missing=("Landlock", "no view of other processes", *weaker))


def _tried(action: Callable[[], object], fork: Callable[[], int] = os.fork) -> str:
    """Try in a process that can be thrown away: return what went wrong there, one thing a line; empty where nothing.

    That is an OSError, what ``action`` returns, or "?" where it could not say.
    """
    read, write = os.pipe()
    pid = fork()
    if pid == 0:
        said = "?"
        try:
            said = str(action() or "ok")
        except OSError as error:
            said = f"{error.strerror} {error.filename or ''}".strip()
        finally:
            os.write(write, said.encode())
            os._exit(0)
    os.close(write)
    said = os.read(read, 1 << 12).decode("utf-8", "replace")
    os.close(read)
    os.waitpid(pid, 0)
    return "" if said == "ok" else said or "?"


def _processes() -> int:
    """Return how many processes and threads this user may have: what runs now and a few more; 0 where unknown.

    The kernel counts all that a user runs, so the limit stops a fork bomb and leaves room for the rest.
    """
    count, uid = 0, os.getuid()
    for name in os.listdir("/proc") if os.path.isdir("/proc/self/task") else ():
        try:
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == uid:
                count += len(os.listdir(f"/proc/{name}/task"))
        except OSError:
            continue  # it ended meanwhile
    return count and count + 4 * THREADS


def _ruleset(places: Places, abi: int, rights: int, *, read_all: bool) -> int:
    rules = kernel.landlock_ruleset(abi, rights)
    kernel.landlock_allow(rules, DEVICES[0], kernel.LANDLOCK_WRITE | kernel.LANDLOCK_READ)
    if read_all:  # /proc shows what other processes were started with: the seed, tokens
        anything = kernel.LANDLOCK_EXECUTE | kernel.LANDLOCK_READ | kernel.LANDLOCK_LIST
        for name in os.listdir("/"):
            if name != "proc":
                with contextlib.suppress(OSError):  # a link that leads nowhere
                    kernel.landlock_allow(rules, f"/{name}", anything)
        return rules
    both = kernel.LANDLOCK_READ | kernel.LANDLOCK_LIST
    for path in places.read:
        inside = [name for name in places.hidden if name.startswith(path + "/")]
        if not inside:
            kernel.landlock_allow(rules, path, both)
            continue
        kernel.landlock_allow(rules, path, kernel.LANDLOCK_LIST)
        for name in os.listdir(path):
            each = os.path.join(path, name)
            if each not in inside:
                kernel.landlock_allow(rules, each, both)
    return rules


# --------------------------------------------------------------------------------------------------- children


def _namespaces(made: Confinement) -> Confinement:
    """Try the namespaces elsewhere first: one half entered cannot be left."""
    if reason := _tried(lambda: namespaces.enter(made.places) and None):
        return replace(made, missing=(*made.missing, f"own namespaces (pid, net, mount, ipc): {reason}"))
    keep = made.group.descriptors if made.group is not None else ()
    namespace = namespaces.enter(made.places, lambda: leave(made), keep)
    user = os.getuid() != 0
    names = ("user namespace",) if user else ()
    listing = f"own namespaces ({', '.join(NAMESPACES)})"
    return replace(
        made,
        pid_namespace=namespace,
        user_namespace=user,
        mechanisms=(*made.mechanisms, listing, "private read-only root", *names),
    )


def _own_uid(made: Confinement, without: frozenset[str]) -> Confinement:
    """Give children a uid of their own, where the zygote may and where that uid can read Python."""
    if os.getuid() != 0 or "uid" in without:
        return replace(made, missing=(*made.missing, "own uid"))
    reason = ""
    for first in (_first_uid(), SMALL_UID):
        reason = _try_uid(first, made.places)
        if not reason:
            return replace(made, first_uid=first, mechanisms=(*made.mechanisms, "own uid"))
    return replace(made, missing=(*made.missing, f"own uid ({reason})"))


def _first_uid() -> int:
    return FIRST_UID + int.from_bytes(os.urandom(4), "big") % UIDS * SLOTS


def _try_uid(uid: int, places: Places) -> str:
    """Return why a child cannot become ``uid`` and then still read Python; empty where it can."""
    if _tried(lambda: _become(uid)):
        return "not permitted"

    def read() -> None:
        _become(uid)
        for path in places.read:
            os.close(os.open(path, os.O_RDONLY))

    return _tried(read) and "Python lies in a folder that another user cannot read"


def _become(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def give_up_root(plan: Places) -> None:
    """Become a user of its own where the process may and that user can read the places; else give up capabilities."""
    if os.getuid() == 0 and not _try_uid(first := _first_uid(), plan):
        _become(first)
    else:
        kernel.drop_capabilities()


def leave(made: Confinement) -> None:
    """Give back what outlives the processes, when the last of them but this one is gone."""
    if made.group is not None:
        made.group.leave()


def fork(made: Confinement) -> int:
    """Fork a child, the first process of a pid namespace of its own where there is one."""
    if made.pid_namespace < 0:
        return os.fork()
    kernel.unshare(kernel.CLONE_NEWPID)
    pid = os.fork()
    if pid:
        kernel.setns(made.pid_namespace, kernel.CLONE_NEWPID)
    return pid


def arm(made: Confinement, slot: int, limits: dict[int, tuple[int, int]]) -> None:
    """Put this process, a fresh child, under everything. Raises OSError; then no student code may run.

    The order matters: a change of uid clears the death signal, and the filter comes last because it refuses what
    the others need.
    """
    _give_up_rights(made, slot)
    if sys.platform == "linux" and made.level != "none":
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    if sys.platform == "linux":
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    pairs = dict(limits)
    if made.first_uid or made.user_namespace:
        pairs[resource.RLIMIT_NPROC] = (THREADS, THREADS)
    elif made.processes:
        pairs[resource.RLIMIT_NPROC] = (made.processes, made.processes)
    for kind, pair in pairs.items():
        most = resource.getrlimit(kind)[1]  # a user cannot raise what somebody set lower
        soft, hard = (each if most == resource.RLIM_INFINITY else min(each, most) for each in pair)
        resource.setrlimit(kind, (soft, hard))
    if made.ruleset >= 0:
        kernel.landlock_restrict(made.ruleset)
        os.close(made.ruleset)
    if made.level == "strict":
        own = made.pid_namespace >= 0
        kernel.seccomp(made.filter if own else syscalls.program(kernel.machine(), os.getpid()))


def _give_up_rights(made: Confinement, slot: int) -> None:
    if made.first_uid:
        _become(made.first_uid + slot % SLOTS)
    elif made.level == "strict" and (made.user_namespace or os.getuid() == 0):
        kernel.drop_capabilities()
    elif sys.platform == "linux" and made.level == "standard":
        if made.covered:
            namespaces.hide_processes()
        if made.covered or os.getuid() == 0:  # CAP_PERFMON alone would show every environment
            kernel.drop_capabilities(kernel.READ_FILES)


def prove(made: Confinement, limits: dict[int, tuple[int, int]]) -> tuple[str, ...]:
    """Arm a child that holds no student code and let it try; return what it could do and should not."""

    def attempts() -> str:
        try:
            arm(made, 0, limits)
        except OSError as error:
            return f"arming failed: {error}"
        return "\n".join(_attempts())

    done = _tried(attempts, partial(fork, made))
    return ("arming failed",) if done == "?" else tuple(done.splitlines())


def _attempts() -> list[str]:
    import socket

    def fork_process() -> None:
        if os.fork() == 0:
            os._exit(0)

    tries: dict[str, Callable[[], object]] = {
        "open a file for reading": lambda: os.open("/etc/passwd", os.O_RDONLY),
        "open a folder": lambda: os.open("/", os.O_RDONLY),
        "create a file": lambda: os.open("/written", os.O_CREAT | os.O_WRONLY),
        "fork": fork_process,
        "open a socket": socket.socket,
        "send a signal": lambda: os.kill(os.getppid() or 2, 0),
    }
    done = []
    for name, attempt in tries.items():
        try:
            attempt()
            done.append(f"a child could {name}")
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EACCES, errno.ENOENT, errno.ESRCH, errno.EROFS):
                done.append(f"{name}: unexpected {error}")
    return done
