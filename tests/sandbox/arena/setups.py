"""The set-ups: who runs the grader, and what of the kernel it may use; and how to become a throw-away user."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from grader.sandbox import kernel

from .bait import clear_abandoned
from .samples import Sample

THROW_AWAY = 1 << 30  # uids from here on own nothing; each run takes the one of its own process number
IPC_RMID = 0
PIDS = 1 << 22  # as many as Linux gives out
REPOSITORY = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Setup:
    """``as_root``: or else as a throw-away user; ``reports``: look at whole reports too."""

    name: str
    level: str
    without: tuple[str, ...]
    as_root: bool
    reports: bool = False

    def promises(self, sample: Sample) -> bool:
        """Whether an attack is to be safe here, or to be tried at all; a control promises nothing and tries all."""
        return sample.standard or self.level != "standard"


SETUPS = (
    Setup("root, namespaces", "strict", (), True, reports=True),
    Setup("root, no namespaces", "strict", ("namespaces",), True),
    Setup("user, namespaces", "strict", (), False, reports=os.getuid() != 0),
    Setup("user, no namespaces", "strict", ("namespaces",), False),
    Setup("root, standard", "standard", (), True),
    Setup("user, standard", "standard", (), False),
    Setup("control: no confinement", "none", (), False),
)


def available(setup: Setup) -> str:
    """Return "" where this process can run a set-up, else why not."""
    root = os.getuid() == 0
    if setup.as_root and not root:
        return "needs root"
    if setup.level == "none" and not root:
        return "needs root, to run as a throw-away user"
    return ""


def become_throw_away() -> None:
    """Turn this process (root) into a user of its own that can still read Python and this repository."""
    _open_paths([sys.base_prefix, sys.prefix, str(REPOSITORY)])
    uid = THROW_AWAY + os.getpid()
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def _is_left(uid: int) -> bool:
    """Whether a user was thrown away: one of ours whose run is over."""
    return 0 < uid - THROW_AWAY < PIDS and not Path(f"/proc/{uid - THROW_AWAY}").exists()


def clear_away() -> None:
    """Remove what throw-away users left where anybody may write: a control run leaves things on purpose."""
    clear_abandoned()
    if os.getuid() != 0:
        return
    for folder in ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue"):
        for path in [each for pattern in ("*", ".*") for each in Path(folder).glob(pattern)]:
            with contextlib.suppress(FileNotFoundError):  # a stranger's file may go at any time
                if _is_left(path.lstat().st_uid):
                    shutil.rmtree(
                        path, ignore_errors=True
                    ) if path.is_dir() and not path.is_symlink() else path.unlink()
    removers = {
        "shm": kernel.libc.shmctl,
        "msg": kernel.libc.msgctl,
        "sem": lambda key, *rest: kernel.libc.semctl(key, 0, *rest),
    }
    for kind, remove in removers.items():
        table = Path("/proc/sysvipc") / kind
        head, *rows = table.read_text().splitlines() if table.exists() else [""]
        for row in rows:
            held = dict(zip(head.split(), row.split(), strict=True))
            if _is_left(int(held["uid"])):
                remove(int(held["msqid" if kind == "msg" else f"{kind}id"]), IPC_RMID, None)


def _open_paths(paths: list[str]) -> None:
    """In a mount namespace of our own, put readable folders in the place of those closed to other users."""
    closed = {path: _closed(path) for path in dict.fromkeys(paths)}
    if not any(closed.values()):
        return
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount(b"none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    trees = {path: kernel.copy_tree(path) for path, at in closed.items() if at}
    for at in sorted({at for at in closed.values() if at}):
        kernel.mount(b"none", at, b"tmpfs", 0, b"size=1m,mode=755")
    for path, tree in trees.items():
        os.makedirs(path, 0o755, exist_ok=True)
        kernel.attach(tree, path)
        os.close(tree)


def _closed(path: str) -> str:
    """Return the outermost folder above ``path`` that other users may not enter, "" where there is none."""
    for parent in [*reversed(Path(path).parents), Path(path)]:
        if not parent.stat().st_mode & 0o001:
            return str(parent)
    return ""
