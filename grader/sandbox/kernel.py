"""Linux by ctypes: the few system calls that Python's os module lacks. Every failure is an OSError."""

import ctypes
import os
import struct
from typing import Any

libc = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUTS = 0x20000, 0x8000000, 0x4000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = (1, 4, 24, 36, 38)
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE, MNT_DETACH = 1, 2, 4, 8, 16384, 1 << 18, 2

_CAPSET = {"x86_64": 126, "aarch64": 91}
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446

READ_FILES = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: what root is used to
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4
_AT_FDCWD, _AT_EMPTY_PATH, _AT_RECURSIVE = -100, 0x1000, 0x8000
_OPEN_TREE_CLONE, _MOVE_MOUNT_F_EMPTY_PATH = 1, 4

LANDLOCK_EXECUTE, LANDLOCK_WRITE, LANDLOCK_READ, LANDLOCK_LIST = 1, 2, 4, 8
_LANDLOCK_TRUNCATE, _LANDLOCK_IOCTL = 1 << 14, 1 << 15


def machine() -> str:
    """Return the name of this machine's system call table."""
    return os.uname().machine


def call(number: int, *args: Any) -> int:
    """Make a system call. Raises OSError."""
    values = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    result: int = libc.syscall(ctypes.c_long(number), *values)
    return _checked(result)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def prctl(option: int, value: int = 0) -> None:
    """Set a property of this process. Raises OSError."""
    _checked(libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0))


def unshare(flags: int) -> None:
    """Enter new namespaces. Raises OSError."""
    _checked(libc.unshare(flags))


def setns(fd: int, kind: int) -> None:
    """Enter the namespace that a descriptor stands for. Raises OSError."""
    _checked(libc.setns(fd, kind))


def name_host(name: bytes) -> None:
    """Set the name that this UTS namespace gives the machine. Raises OSError."""
    _checked(libc.sethostname(name, ctypes.c_size_t(len(name))))


def mount(source: bytes | None, target: str, kind: bytes | None, flags: int, data: bytes | None = None) -> None:
    """Mount. Raises OSError."""
    _checked(libc.mount(source, target.encode(), kind, ctypes.c_ulong(flags), data))


def detach(target: str) -> None:
    """Unmount lazily. Raises OSError."""
    _checked(libc.umount2(target.encode(), MNT_DETACH))


def pivot_root(new: str, old: str) -> None:
    """Make ``new`` the root of this mount namespace. Raises OSError."""
    call(_PIVOT_ROOT[machine()], new.encode(), old.encode())


def copy_tree(path: str) -> int:
    """Return a descriptor of a detached copy of the mount at ``path``, to be attached anywhere later."""
    flags = _OPEN_TREE_CLONE | _AT_RECURSIVE | os.O_CLOEXEC
    return call(_OPEN_TREE, _AT_FDCWD, path.encode(), flags)


def attach(fd: int, path: str) -> None:
    """Attach a detached mount. Raises OSError."""
    call(_MOVE_MOUNT, fd, b"", _AT_FDCWD, path.encode(), _MOVE_MOUNT_F_EMPTY_PATH)


def restrict_mount(fd: int, path: str, attributes: int) -> None:
    """Set attributes on a mount and all below it. Raises OSError."""
    packed = struct.pack("QQQQ", attributes, 0, 0, 0)
    flags = _AT_RECURSIVE | (0 if path else _AT_EMPTY_PATH)
    call(_MOUNT_SETATTR, fd if fd >= 0 else _AT_FDCWD, path.encode(), flags, packed, len(packed))


def drop_capabilities(kept: int = 0) -> None:
    """Give up every capability, for good, but those whose bits are set in ``kept``."""
    for capability in range(64):
        if not kept >> capability & 1:
            try:
                prctl(PR_CAPBSET_DROP, capability)
            except OSError:
                break  # past the last one, or not ours to drop
    header, rest = struct.pack("Ii", 0x20080522, 0), struct.pack("6I", kept, kept, 0, 0, 0, 0)
    call(_CAPSET[machine()], header, rest)


def landlock_abi() -> int:
    """Return the version of Landlock that the kernel speaks, 0 where it has none."""
    try:
        return call(_LANDLOCK_CREATE, None, 0, 1)
    except OSError:
        return 0


def landlock_rights(abi: int) -> int:
    """Return every file system right that this version knows."""
    rights = (1 << 13) - 1
    for version, right in ((2, 1 << 13), (3, _LANDLOCK_TRUNCATE), (5, _LANDLOCK_IOCTL), (9, 1 << 16)):
        if abi >= version:
            rights |= right
    return rights


def landlock_ruleset(abi: int, rights: int) -> int:
    """Return a ruleset that denies ``rights``, TCP, and signals and abstract sockets outside, as far as known."""
    network, scope = (3 if abi >= 4 else 0), (3 if abi >= 6 else 0)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    return call(_LANDLOCK_CREATE, struct.pack("QQQ", rights, network, scope), size, 0)


def landlock_allow(ruleset: int, path: str, rights: int) -> None:
    """Allow rights below a path. Raises OSError where the path is not there."""
    fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not os.path.isdir(path):
            rights &= ~LANDLOCK_LIST
        call(_LANDLOCK_ADD, ruleset, 1, struct.pack("=Qi", rights, fd), 0)
    finally:
        os.close(fd)


def landlock_restrict(ruleset: int) -> None:
    """Put this process under a ruleset. Raises OSError."""
    call(_LANDLOCK_RESTRICT, ruleset, 0)


def seccomp(program: bytes) -> None:
    """Put this process under a filter. Raises OSError."""
    buffer = ctypes.create_string_buffer(program)
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    call(_SECCOMP[machine()], 1, 0, header)


def seccomp_available() -> bool:
    """Tell whether the kernel takes filters: a null filter is refused for its address alone."""
    try:
        call(_SECCOMP.get(machine(), -1), 1, 0, None)
    except OSError as error:
        return error.errno == 14  # EFAULT: it was about to read the filter
    return False
