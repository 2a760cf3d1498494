"""The level strict: what the kernel is asked to withhold from a child, and the proof that it does."""

from __future__ import annotations

import errno
import os
import resource
import signal
import sys
from dataclasses import dataclass, replace
from typing import Any

from . import kernel, syscalls
from .places import DEVICES, Places

LANDLOCK_NEEDED = 3
NAMESPACES = ("pid", "net", "mount", "ipc", "uts")
FIRST_UID, UIDS, SLOTS = 200_000, 1 << 20, 16
THREADS = 64
ROOTS = ("/tmp", "/mnt", "/var", "/home", "/usr")  # any folder that a new root can be mounted on for a moment


@dataclass(frozen=True, slots=True)
class Confinement:
    """What this zygote's children will be put under. ``pid_namespace`` and ``ruleset`` are descriptors or -1."""

    level: str
    places: Places
    pid_namespace: int = -1
    user_namespace: bool = False
    first_uid: int = 0
    ruleset: int = -1
    landlock: int = 0
    filter: bytes = b""
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
    made = Confinement("strict", places)
    if "namespaces" in without:
        made = replace(made, missing=("own namespaces (pid, net, mount, ipc)",))
    else:
        made = _namespaces(made)
    made = _own_uid(made, without)
    abi = kernel.landlock_abi()
    rules = _ruleset(places, abi, kernel.landlock_rights(abi), read_all=False)
    first = syscalls.program(kernel.machine(), 1)  # what a child wears that is process 1 of its own namespace
    lines = len(first) // 8
    names = (f"Landlock ABI {abi}", f"seccomp allow-list ({lines} instructions)", "no_new_privs", "resource limits")
    return replace(made, ruleset=rules, landlock=abi, filter=first, mechanisms=(*names, *made.mechanisms))


def standard(places: Places, without: frozenset[str]) -> Confinement:
    """Return the level standard: limits, and no writing where Landlock can see to it."""
    made = Confinement("standard", places, mechanisms=("own process and session", "resource limits"))
    if sys.platform != "linux":
        return replace(made, missing=("kernel confinement",))
    abi = 0 if "landlock" in without else kernel.landlock_abi()
    weaker = ("seccomp allow-list", "own namespaces", "own uid")
    if abi < 1:
        return replace(made, missing=("Landlock", *weaker))
    reads = kernel.LANDLOCK_EXECUTE | kernel.LANDLOCK_READ | kernel.LANDLOCK_LIST
    rules = _ruleset(places, abi, kernel.landlock_rights(abi) & ~reads, read_all=True)
    names = (f"Landlock ABI {abi} (no writing, no TCP)", "no_new_privs")
    return replace(made, ruleset=rules, landlock=abi, mechanisms=(*made.mechanisms, *names), missing=weaker)


def _ruleset(places: Places, abi: int, rights: int, *, read_all: bool) -> int:
    rules = kernel.landlock_ruleset(abi, rights)
    kernel.landlock_allow(rules, DEVICES[0], (kernel.LANDLOCK_WRITE | (0 if read_all else kernel.LANDLOCK_READ)))
    if read_all:
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
    for folder in places.listed:
        kernel.landlock_allow(rules, folder, kernel.LANDLOCK_LIST)
    return rules


# ------------------------------------------------------------------------------------------------- namespaces


def _namespaces(made: Confinement) -> Confinement:
    """Try the namespaces in a process that can be thrown away: one half entered cannot be left."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        reason = b"?"
        try:
            _enter(made.places)
            reason = b""
        except OSError as error:
            reason = f"{error.strerror} {error.filename or ''}".strip().encode()
        finally:
            os.write(write, reason or b"ok")
            os._exit(0)
    os.close(write)
    reason = os.read(read, 1000)
    os.close(read)
    os.waitpid(pid, 0)
    if reason != b"ok":
        text = reason.decode("utf-8", "replace")
        return replace(made, missing=(f"own namespaces (pid, net, mount, ipc): {text}",))
    namespace = _enter(made.places)
    user = os.getuid() != 0
    names = ("user namespace",) if user else ()
    listing = f"own namespaces ({', '.join(NAMESPACES)})"
    return replace(
        made, pid_namespace=namespace, user_namespace=user, mechanisms=(listing, "private read-only root", *names)
    )


def _enter(places: Places) -> int:
    """Enter new namespaces; returns, as the first process of its pid namespace, that namespace's descriptor.

    Raises OSError with the reason. The process that called waits outside and ends as the inner one does.
    """
    uid, gid = os.getuid(), os.getgid()
    if uid:
        kernel.unshare(kernel.CLONE_NEWUSER)
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{uid} {uid} 1")
        _write("/proc/self/gid_map", f"{gid} {gid} 1")
    kernel.unshare(
        kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
    )
    pid = os.fork()
    if pid:
        _stand_outside(pid)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    kernel.mount(b"none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount(b"proc", "/proc", b"proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    namespace = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    private_root(places)
    return namespace


def _stand_outside(pid: int) -> None:
    os.closerange(0, 4096)
    _, status = os.waitpid(pid, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 255)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def private_root(places: Places) -> None:
    """Make a root that holds read-only copies of the places and nothing else. Raises OSError for a missing one."""
    trees = {path: kernel.copy_tree(path) for path in places.read}  # taken before anything is mounted over them
    limits = kernel.ATTR_RDONLY | kernel.ATTR_NOSUID
    base = next(folder for folder in ROOTS if os.path.isdir(folder))
    kernel.mount(b"none", base, b"tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, b"size=4m,mode=755")
    for path in sorted([*places.read, *places.hidden, *places.listed], key=lambda name: (name.count("/"), name)):
        target = base + path
        if path in places.hidden:
            kernel.mount(b"none", target, b"tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, b"size=1m,mode=755")
        elif path in trees:
            if os.path.isdir(path):
                os.makedirs(target, 0o755, exist_ok=True)
            elif not os.path.exists(target):
                os.makedirs(os.path.dirname(target), 0o755, exist_ok=True)
                os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
            tree = trees.pop(path)
            kernel.restrict_mount(tree, "", limits if path in DEVICES else limits | kernel.ATTR_NODEV)
            kernel.attach(tree, target)
            os.close(tree)
    for link, aim in places.links:
        if not os.path.lexists(base + link):
            os.makedirs(os.path.dirname(base + link), 0o755, exist_ok=True)
            os.symlink(aim, base + link)
    os.chdir(base)
    kernel.pivot_root(".", ".")
    kernel.detach(".")
    os.chdir("/")
    kernel.restrict_mount(-1, "/", limits)


# --------------------------------------------------------------------------------------------------- children


def _own_uid(made: Confinement, without: frozenset[str]) -> Confinement:
    """Give children a uid of their own, where the zygote may and where that uid can read Python."""
    if os.getuid() != 0 or "uid" in without:
        return replace(made, missing=(*made.missing, "own uid"))
    first = FIRST_UID + int.from_bytes(os.urandom(4), "big") % UIDS * SLOTS
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            _become(first)
            code = 2
            for path in made.places.read:
                os.close(os.open(path, os.O_RDONLY))
            code = 0
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        reason = "Python lies in a folder that another user cannot read" if code == 2 else "not permitted"
        return replace(made, missing=(*made.missing, f"own uid ({reason})"))
    return replace(made, first_uid=first, mechanisms=(*made.mechanisms, "own uid"))


def _become(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def fork(made: Confinement) -> int:
    """Fork a child, the first process of a pid namespace of its own where there is one."""
    if made.pid_namespace < 0:
        return os.fork()
    kernel.unshare(kernel.CLONE_NEWPID)
    pid = os.fork()
    if pid:
        kernel.setns(made.pid_namespace, kernel.CLONE_NEWPID)
    return pid


def arm(made: Confinement, slot: int, limits: dict[str, Any]) -> None:
    """Put this process, a fresh child, under everything. Raises OSError; then no student code may run.

    The order matters: a change of uid clears the death signal, and the filter comes last because it refuses what
    the others need.
    """
    if made.first_uid:
        _become(made.first_uid + slot % SLOTS)
    elif made.level == "strict" and (made.user_namespace or os.getuid() == 0):
        kernel.drop_capabilities()
    if sys.platform == "linux" and made.level != "none":
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    if sys.platform == "linux":
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    pairs = dict(limits)
    if made.first_uid or made.user_namespace:
        pairs[resource.RLIMIT_NPROC] = (THREADS, THREADS)
    for kind, pair in pairs.items():
        resource.setrlimit(kind, pair)
    if made.ruleset >= 0:
        kernel.landlock_restrict(made.ruleset)
        os.close(made.ruleset)
    if made.level == "strict":
        own = made.pid_namespace >= 0
        kernel.seccomp(made.filter if own else syscalls.program(kernel.machine(), os.getpid()))


def prove(made: Confinement, limits: dict[str, Any]) -> tuple[str, ...]:
    """Arm a child that holds no student code and let it try; return what it could do and should not."""
    read, write = os.pipe()
    pid = fork(made)
    if pid == 0:
        done = ["arming failed"]
        try:
            arm(made, 0, limits)
            done = _attempts()
        except OSError as error:
            done = [f"arming failed: {error}"]
        finally:
            os.write(write, "\n".join(done).encode() or b"ok")
            os._exit(0)
    os.close(write)
    text = os.read(read, 1 << 12).decode()
    os.close(read)
    os.waitpid(pid, 0)
    return () if text == "ok" else tuple(text.split("\n")) if text else ("arming failed",)


def _attempts() -> list[str]:
    import socket

    def fork_process() -> None:
        if os.fork() == 0:
            os._exit(0)

    tries = {
        "open a file for reading": lambda: os.open("/etc/passwd", os.O_RDONLY),
        "open a folder": lambda: os.open("/", os.O_RDONLY),
        "create a file": lambda: os.open("/tmp/written", os.O_CREAT | os.O_WRONLY),  # noqa: S108
        "fork": fork_process,
        "open a socket": lambda: socket.socket(),
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
