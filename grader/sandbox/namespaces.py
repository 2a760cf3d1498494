"""Own namespaces for the zygote, and a private root that holds what Python needs and nothing else."""

import itertools
import os
import signal
from collections.abc import Callable

from . import kernel
from .places import DEVICES, Places

HOST = b"sandbox"  # the machine's own name is nobody's business
ROOTS = ("/tmp", "/mnt", "/var", "/home", "/usr")  # noqa: S108 - any folder that a new root can lie on for a moment


def enter(places: Places, afterwards: Callable[[], object] = tuple, keep: tuple[int, ...] = ()) -> int:
    """Enter new namespaces; returns, as the first process of its pid namespace, that namespace's descriptor.

    Raises OSError with the reason. The process that called waits outside with nothing open but ``keep``, calls
    ``afterwards`` and ends as the inner one did.
    """
    _own_users()
    kernel.unshare(
        kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
    )
    pid = os.fork()
    if pid:
        _stand_outside(pid, afterwards, keep)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    kernel.name_host(HOST)
    kernel.mount(b"none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount(b"proc", "/proc", b"proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    namespace = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    private_root(places)
    return namespace


def hide_processes() -> None:
    """Lay an empty folder over /proc, for this process alone, on a kernel of any age. Raises OSError."""
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # or its own maps of users would not be its to write
    _own_users()
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount(b"none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount(b"none", "/proc", b"tmpfs", kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV, b"size=4k")


def leave_network() -> None:
    """Enter an empty network, and namespaces of IPC and names, for this process and what it becomes. Raises OSError."""
    _own_users()
    kernel.unshare(kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS)
    kernel.name_host(HOST)


def _own_users() -> None:
    """Without root's rights, get them inside a user namespace."""
    uid, gid = os.getuid(), os.getgid()
    if uid:
        kernel.unshare(kernel.CLONE_NEWUSER)
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{uid} {uid} 1")
        _write("/proc/self/gid_map", f"{gid} {gid} 1")


def _stand_outside(pid: int, afterwards: Callable[[], object], keep: tuple[int, ...]) -> None:
    for low, high in itertools.pairwise([-1, *sorted(keep), 4096]):
        os.closerange(low + 1, high)
    _, status = os.waitpid(pid, 0)
    afterwards()
    os._exit(os.waitstatus_to_exitcode(status) & 255)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def private_root(places: Places) -> None:
    """Make a root that holds read-only copies of the places and nothing else. Raises OSError for a missing one."""
    # Both before anything is mounted over them: a virtual environment may lie under /tmp.
    folders = {path for path in places.read if os.path.isdir(path)}
    trees = {path: kernel.copy_tree(path) for path in places.read}
    limits = kernel.ATTR_RDONLY | kernel.ATTR_NOSUID
    base = next(folder for folder in ROOTS if os.path.isdir(folder))
    kernel.mount(b"none", base, b"tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, b"size=4m,mode=755")
    for path in sorted([*places.read, *places.hidden], key=lambda name: (name.count("/"), name)):
        target = base + path
        if path in places.hidden:
            kernel.mount(b"none", target, b"tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, b"size=1m,mode=755")
        elif path in trees:
            if path in folders:
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
