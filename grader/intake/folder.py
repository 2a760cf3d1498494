"""A folder's files by value: regular files only, no links followed, litter left out."""

import os
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path

from grader.errors import UnreadableError
from grader.intake import caps
from grader.intake.archive import with_inner
from grader.intake.caps import Gathered, shown


def gather(folder: Path) -> Gathered:
    """Read what counts below ``folder``; of pictures beyond the caps only the names.

    Links are noted and not followed; virtual environments, hidden folders and caches are passed over; data files that
    no reader wants are not opened. Raises UnreadableError for code above its cap and for folders that hold too much.
    """
    files: list[tuple[str, bytes]] = []
    notes: list[str] = []
    inner: list[tuple[str, Callable[[], bytes]]] = []
    total = pictured = 0
    entries = _entries(folder)
    pictures, remarks = caps.of_pictures([name for name, _ in entries])
    notes += remarks
    for name, entry in entries:
        kind = caps.kind_of(name)
        if kind == "picture":
            if name in pictures and stat.S_ISREG(entry.st_mode):
                pictured += entry.st_size
                held = entry.st_size <= caps.DOCUMENT_BYTES and pictured <= caps.TOTAL_BYTES
                files.append((name, read_file(folder / name, name) if held else b""))
            continue
        if kind == "other":
            continue
        if stat.S_ISLNK(entry.st_mode):
            notes.append(f"{shown(name)}: a link is not followed.")
            continue
        if kind == "document" and entry.st_size > caps.DOCUMENT_BYTES:
            notes.append(f"{shown(name)}: left out, {caps.megabytes(entry.st_size)} is more than is read.")
            continue
        if kind == "archive":
            inner.append((name, partial(read_file, folder / name, name)))
        if kind == "archive" or not stat.S_ISREG(entry.st_mode):
            continue
        files.append((name, read_file(folder / name, name)))
        total += len(files[-1][1])
        if total > caps.TOTAL_BYTES or len(files) - len(pictures) > caps.FILES:
            what = f"the folder holds more than {caps.megabytes(caps.TOTAL_BYTES)} or {caps.FILES} files of work"
            raise UnreadableError(what, shown(str(folder)), "Point at the folder that holds this one hand-in.")
    return with_inner(Gathered(tuple(files), tuple(notes)), inner)


def read_file(path: Path, name: str) -> bytes:
    """Return the bytes of a regular file within its cap. Raises UnreadableError, without reading a larger one."""
    cap = caps.cap_of(caps.kind_of(name))
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        with open(os.open(path, flags), "rb") as file:  # noqa: PTH123 - Path.open would wait at a pipe
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise UnreadableError("this is not a regular file", shown(name), "Hand in a file, folder or zip.")
            if found.st_size > cap:
                raise caps.too_large(name, found.st_size)
            data = file.read(cap + 1)
    except OSError as error:
        what = f"the file cannot be read ({error.strerror or type(error).__name__})"
        raise UnreadableError(what, shown(name), "Make it readable and try again.") from None
    if len(data) > cap:  # it grew meanwhile
        raise caps.too_large(name, len(data))
    return data


def _entries(folder: Path) -> list[tuple[str, os.stat_result]]:
    """Return the files below ``folder`` that are not litter, sorted by their paths with ``/``."""
    found: list[tuple[str, os.stat_result]] = []
    waiting = [""]
    looked_at = 0
    while waiting:
        prefix = waiting.pop()
        if prefix.count("/") > caps.DEPTH:
            raise UnreadableError("folders are nested too deeply", shown(prefix), "Hand in the folder with the work.")
        names = _listed(folder / prefix, prefix or str(folder))
        looked_at += len(names)
        if looked_at > caps.ENTRIES:
            what = f"the folder holds more than {caps.ENTRIES:,} files"
            raise UnreadableError(what, shown(str(folder)), "Point at the folder that holds this one hand-in.")
        if prefix and "pyvenv.cfg" in names:
            continue
        for name in names:
            try:
                entry = (folder / prefix / name).lstat()
            except OSError:
                continue
            if stat.S_ISDIR(entry.st_mode):
                if not caps.is_litter(f"{name}/x"):
                    waiting.append(f"{prefix}{name}/")
            elif not caps.is_litter(prefix + name):
                found.append((prefix + name, entry))
    return sorted(found, key=lambda item: item[0])


def _listed(folder: Path, label: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names, not paths
    except OSError as error:
        what = f"the folder cannot be read ({error.strerror or type(error).__name__})"
        raise UnreadableError(what, shown(label), "Make it readable and try again.") from None
