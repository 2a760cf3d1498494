"""A scratch folder that exists in memory alone: what student code writes is there for itself, and then gone.

Nothing can be written beside student code. Folders for checkpoints, a log or a saved array are common at the top of
a file and say nothing of the work, so what the kernel refuses while modules are loaded is kept here instead.
"""

import builtins
import errno
import io
import os
import stat
from collections.abc import Callable
from typing import Any

MOST_BYTES = 64 << 20
"""What the files hold together; beyond it the disk is full."""
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.EFBIG, errno.EISDIR)


class Scratch:
    """Files by their absolute paths, and folders, of one child."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.folders: set[str] = set()
        self.real: dict[str, Callable[..., Any]] = {}

    def install(self) -> None:
        """Put what makes, opens and looks for files before the system's own functions."""
        self.real = {"open": io.open, **{name: getattr(os, name) for name in _SYSTEM}}
        builtins.open = io.open = self.open
        for name in _SYSTEM:
            setattr(os, name, getattr(self, name))

    def uninstall(self) -> None:
        """Put the system's own functions back."""
        builtins.open = io.open = self.real["open"]
        for name in _SYSTEM:
            setattr(os, name, self.real[name])

    def open(
        self,
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        """Open a file as ``open`` does; one that may not be written is a file in memory, read back as it was left."""
        at = _path(file)
        if at is None or not isinstance(mode, str):
            return self.real["open"](file, mode, buffering, encoding, errors, newline, closefd, opener)
        writes = bool(set(mode) & set("wax+"))
        if at not in self.files:
            try:
                return self.real["open"](file, mode, buffering, encoding, errors, newline, closefd, opener)
            except OSError as error:
                if not writes or error.errno not in _REFUSED or ("r" in mode and "+" in mode):
                    raise
        elif "x" in mode:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), at)
        before = b"" if set(mode) & set("wx") else self.files.get(at, b"")
        raw = _Kept(self, at, before, at_end="a" in mode, writes=writes)
        if writes:
            self.keep(at, before)
        return raw if "b" in mode else io.TextIOWrapper(raw, encoding or "utf-8", errors, newline, write_through=True)

    def keep(self, at: str, data: bytes) -> None:
        """Hold ``data`` as the file ``at``; OSError where that is too much."""
        if sum(map(len, self.files.values())) - len(self.files.get(at, b"")) + len(data) > MOST_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), at)
        self.files[at] = data

    def mkdir(self, path: Any, mode: int = 0o777, **kwargs: Any) -> None:
        """Make a folder; one that may not be made is there from now on."""
        at = _path(path)
        try:
            self.real["mkdir"](path, mode, **kwargs)
        except FileExistsError:
            raise
        except OSError as error:
            if at is None or error.errno not in _REFUSED:
                raise
            if at in self.folders:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), at) from None
            self.folders.add(at)

    def remove(self, path: Any, **kwargs: Any) -> None:
        """Take a file away."""
        if self.files.pop(_path(path) or "", None) is None:
            self.real["remove"](path, **kwargs)

    unlink = remove

    def rmdir(self, path: Any, **kwargs: Any) -> None:
        """Take a folder away."""
        if (at := _path(path)) in self.folders:
            self.folders.discard(at)
        else:
            self.real["rmdir"](path, **kwargs)

    def listdir(self, path: Any = ".") -> list[str]:
        """The names in a folder."""
        at = _path(path)
        if at not in self.folders:
            return list(self.real["listdir"](path))
        return sorted(os.path.basename(one) for one in (*self.files, *self.folders) if os.path.dirname(one) == at)

    def stat(self, path: Any, **kwargs: Any) -> os.stat_result:
        """What is known of a file or folder; ``exists`` and its like look here."""
        at = _path(path)
        if at in self.folders:
            return os.stat_result((stat.S_IFDIR | 0o755, 0, 0, 1, 0, 0, 0, 0, 0, 0))
        if at in self.files:
            return os.stat_result((stat.S_IFREG | 0o644, 0, 0, 1, 0, 0, len(self.files[at]), 0, 0, 0))
        found: os.stat_result = self.real["stat"](path, **kwargs)
        return found


_SYSTEM = ("mkdir", "remove", "unlink", "rmdir", "listdir", "stat")


class _Kept(io.BytesIO):
    """A file in memory that is kept when it is flushed or closed."""

    def __init__(self, scratch: Scratch, at: str, data: bytes, *, at_end: bool, writes: bool) -> None:
        super().__init__(data)
        self.scratch, self.name, self.writes = scratch, at, writes
        if at_end:
            self.seek(0, io.SEEK_END)

    def flush(self) -> None:
        """Keep what stands here so far."""
        if self.writes and not self.closed:
            self.scratch.keep(self.name, self.getvalue())

    def close(self) -> None:
        """Keep what stands here, and end."""
        self.flush()
        super().close()


def _path(path: Any) -> str | None:
    """The absolute path that is meant; None for a descriptor or what is no path."""
    try:
        found = os.fspath(path)
    except TypeError:
        return None
    if isinstance(found, bytes):
        found = os.fsdecode(found)
    return os.path.normpath(os.path.join("/", found))
