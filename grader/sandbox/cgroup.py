"""A control group for a zygote and its children, where the machine lets us make one: memory and processes.

The zygote moves in once and children are born there: moving each child would cost more than forking it. The folder
is removed by whoever outlives the group, and what a killed run left is removed by the next.
"""

import contextlib
import os
import time
from dataclasses import dataclass

PREFIX = "attention-grader-"
CONTROLLERS = ("memory", "pids")
MOUNT = "/sys/fs/cgroup"
BURIAL_S = 5.0
MARGIN = 256 << 20  # page tables, buffers of the kernel, and what the zygote itself takes


@dataclass(frozen=True, slots=True)
class Group:
    """``folders`` are ours. The rest are descriptors, which work behind a private root too.

    ``parents`` are the folders that hold ours, ``homes`` the lists of processes that we came from, ``limit`` is
    where the memory limit is written.
    """

    name: str
    folders: tuple[str, ...]
    parents: tuple[int, ...]
    homes: tuple[int, ...]
    limit: int

    @property
    def descriptors(self) -> tuple[int, ...]:
        """What a process needs to keep open to call ``leave``."""
        return (*self.parents, *self.homes)

    def allow(self, memory: int) -> None:
        """Set the memory limit; where the kernel will not, the limit before stands."""
        with contextlib.suppress(OSError):
            os.pwrite(self.limit, str(memory + MARGIN).encode(), 0)

    def leave(self) -> None:
        """Go back to where we came from and remove the group, once all that ran in it is gone."""
        for home in self.homes:
            with contextlib.suppress(OSError):
                os.write(home, b"0")
        for parent in self.parents:
            _remove(self.name, parent)


def enter(processes: int) -> Group | None:
    """Make a group of our own and move into it; None where that is not to be had."""
    parents = _parents()
    if not parents:
        return None
    _remove_abandoned(parents)
    name = f"{PREFIX}{os.getpid()}"
    places = tuple(dict.fromkeys(parents.values()))
    folders = tuple(os.path.join(place, name) for place in places)
    try:
        for folder in folders:
            os.mkdir(folder)
        _write(os.path.join(parents["pids"], name, "pids.max"), str(processes))
        limit = os.open(_memory_file(os.path.join(parents["memory"], name)), os.O_WRONLY | os.O_CLOEXEC)
        homes = tuple(os.open(f"{home}/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC) for home in _homes(parents))
        opened = tuple(os.open(place, os.O_PATH | os.O_CLOEXEC) for place in places)
        group = Group(name, folders, opened, homes, limit)
    except OSError:
        remove(folders)
        return None
    try:
        for folder in folders:
            _write(os.path.join(folder, "cgroup.procs"), "0")
    except OSError:
        group.leave()
        return None
    return group


def remove(folders: tuple[str, ...]) -> None:
    """Remove groups by path, once all that ran in them is gone."""
    for folder in folders:
        _remove(folder)


def _remove(folder: str, parent: int | None = None) -> None:
    """Remove a group; try again while the kernel still buries its last process."""
    deadline = time.monotonic() + BURIAL_S
    while True:
        try:
            os.rmdir(folder, dir_fd=parent)
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > deadline:
                return
            time.sleep(0.005)
        else:
            return


def _parents() -> dict[str, str]:
    """Return for each controller the folder to make ours in; empty where one of them is missing.

    Version 1 takes children of the own group. Version 2 has no controllers below a group with processes, so ours
    goes beside it, where the parent hands the controllers on.
    """
    groups = _groups()
    first = {name: f"{MOUNT}/{name}{groups[name]}" for name in CONTROLLERS if name in groups}
    if len(first) == len(CONTROLLERS) and all(os.access(path, os.W_OK) for path in first.values()):
        return first
    parent = os.path.dirname(f"{MOUNT}{groups.get('', '')}")
    try:
        with open(os.path.join(parent, "cgroup.subtree_control")) as file:
            handed_on = set(file.read().split())
    except OSError:
        return {}
    usable = parent.startswith(MOUNT) and set(CONTROLLERS) <= handed_on and os.access(parent, os.W_OK)
    return dict.fromkeys(CONTROLLERS, parent) if usable else {}


def _groups() -> dict[str, str]:
    """Return controller: path of this process's groups; version 2 has the empty name."""
    try:
        with open("/proc/self/cgroup") as file:
            rows = [line.rstrip("\n").split(":", 2) for line in file]
    except OSError:
        return {}
    return {name: path.rstrip("/") for _, names, path in rows for name in names.split(",")}


def _homes(parents: dict[str, str]) -> tuple[str, ...]:
    """Return the folders of the groups this process is in, in the hierarchies that ours are made in."""
    groups = _groups()
    if len(set(parents.values())) > 1:
        return tuple(parents.values())  # version 1: ours lie below the own groups
    return (f"{MOUNT}{groups['']}",)


def _memory_file(folder: str) -> str:
    names = (os.path.join(folder, name) for name in ("memory.max", "memory.limit_in_bytes"))
    return next((name for name in names if os.path.exists(name)), os.path.join(folder, "memory.max"))


def _remove_abandoned(parents: dict[str, str]) -> None:
    """Remove the groups of zygotes that were killed together with all who could have cleaned up."""
    for parent in parents.values():
        for name in os.listdir(parent):
            pid = name.removeprefix(PREFIX)
            if pid != name and pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
                with contextlib.suppress(OSError):
                    os.rmdir(os.path.join(parent, name))


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
