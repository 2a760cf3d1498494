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

THROW_AWAY = 190_000  # a uid that owns nothing
REPOSITORY = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Setup:
    """``as_root``: or else as a throw-away user; ``reports``: look at whole reports too."""

    name: str
    level: str
    without: tuple[str, ...]
    as_root: bool
    reports: bool = False


SETUPS = (
    Setup("root, namespaces", "strict", (), True, reports=True),
    Setup("root, no namespaces", "strict", ("namespaces",), True),
    Setup("user, namespaces", "strict", (), False, reports=os.getuid() != 0),
    Setup("user, no namespaces", "strict", ("namespaces",), False),
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
    """Turn this process (root) into a throw-away user that can still read Python and this repository."""
    _open_paths([sys.base_prefix, sys.prefix, str(REPOSITORY)])
    os.setgroups([])
    os.setresgid(THROW_AWAY, THROW_AWAY, THROW_AWAY)
    os.setresuid(THROW_AWAY, THROW_AWAY, THROW_AWAY)


def clear_away() -> None:
    """Remove what the throw-away user left where anybody may write: a control run leaves things on purpose."""
    clear_abandoned()
    if os.getuid() != 0:
        return
    for folder in ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue"):
        for path in [each for pattern in ("*", ".*") for each in Path(folder).glob(pattern)]:
            with contextlib.suppress(FileNotFoundError):  # a stranger's file may go at any time
                if path.lstat().st_uid == THROW_AWAY:
                    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    table = Path("/proc/sysvipc/shm")
    for row in table.read_text().splitlines()[1:] if table.exists() else ():
        if int(row.split()[7]) == THROW_AWAY:
            kernel.libc.shmctl(int(row.split()[1]), 0, None)


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
