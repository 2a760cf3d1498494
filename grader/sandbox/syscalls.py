"""The system calls that student code may make, as a seccomp program: an allow-list, everything else EPERM.

A pure function of machine and process id, so that the tables can be read and tested on any machine.
"""

import errno
import struct
from collections.abc import Mapping, Sequence
from types import MappingProxyType

X86_64, AARCH64 = "x86_64", "aarch64"
_AUDIT_ARCH = {X86_64: 0xC000003E, AARCH64: 0xC00000B7}

# name: (x86-64, aarch64); -1 where the machine has no such call. The most frequent come first.
ALLOWED: dict[str, tuple[int, int]] = {
    "futex": (202, 98), "read": (0, 63), "write": (1, 64), "mmap": (9, 222), "munmap": (11, 215),
    "mprotect": (10, 226), "mremap": (25, 216), "brk": (12, 214), "openat": (257, 56),
    "close": (3, 57), "newfstatat": (262, 79), "fstat": (5, 80), "lseek": (8, 62), "getdents64": (217, 61),
    "stat": (4, -1), "lstat": (6, -1), "statx": (332, 291), "open": (2, -1), "access": (21, -1),
    "faccessat": (269, 48), "faccessat2": (439, 439), "readlink": (89, -1), "readlinkat": (267, 78),
    "getcwd": (79, 17), "chdir": (80, 49), "dup": (32, 23), "dup2": (33, -1), "dup3": (292, 24),
    "pread64": (17, 67), "pwrite64": (18, 68), "readv": (19, 65), "writev": (20, 66),
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132), "nanosleep": (35, 101), "clock_nanosleep": (230, 115),
    "clock_gettime": (228, 113), "clock_getres": (229, 114), "gettimeofday": (96, 169), "time": (201, -1),
    "sched_yield": (24, 124), "getpid": (39, 172), "gettid": (186, 178), "getuid": (102, 174),
    "getgid": (104, 176), "geteuid": (107, 175), "getegid": (108, 177), "getppid": (110, 173),
    "getrusage": (98, 165), "times": (100, 153), "uname": (63, 160), "getrandom": (318, 278),
    "set_robust_list": (273, 99), "rseq": (334, 293), "set_tid_address": (218, 96),
    "sched_getaffinity": (204, 123), "exit": (60, 93), "exit_group": (231, 94), "poll": (7, -1),
    "ppoll": (271, 73), "select": (23, -1), "pselect6": (270, 72), "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21), "epoll_wait": (232, -1), "epoll_pwait": (281, 22), "eventfd2": (290, 19),
    "sysinfo": (99, 179), "getcpu": (309, 168), "restart_syscall": (219, 128),
    "getrlimit": (97, 163), "getitimer": (36, 102), "setitimer": (38, 103), "alarm": (37, -1),
}  # fmt: skip

# What programs need beside: to become one, and the clocks and pipes of their runtimes.
PROGRAMS: dict[str, tuple[int, int]] = {
    "execve": (59, 221), "arch_prctl": (158, -1), "pipe": (22, -1), "pipe2": (293, 59), "timerfd_create": (283, 85),
    "timerfd_settime": (286, 86), "timerfd_gettime": (287, 87), "timer_create": (222, 107),
    "timer_settime": (223, 110), "timer_delete": (226, 111), "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120), "getpgrp": (111, -1), "getpgid": (121, 155), "umask": (95, 166),
    "getgroups": (115, 158), "fadvise64": (221, 223), "rt_sigpending": (127, 136), "rt_sigtimedwait": (128, 137),
}  # fmt: skip

# Calls that depend on an argument.
CLONE, CLONE3 = (56, 220), (435, 435)
KILL, TGKILL = (62, 129), (234, 131)
PRCTL, PRLIMIT64, IOCTL, FCNTL = (157, 167), (302, 261), (16, 29), (72, 25)
SOCKETPAIR, SENDTO, RECVFROM = (53, 199), (44, 206), (45, 207)
MADVISE, MEMBARRIER = (28, 233), (324, 283)
CLONE_THREAD = 0x10000
AF_UNIX = 1
PR_SET_NAME = 15
# isatty, window size, bytes waiting, close-on-exec on and off, non-blocking
IOCTLS = (0x5401, 0x5413, 0x541B, 0x5451, 0x5450, 0x5421)
# Duplicate, flags. Not among them: locks and leases on files that others read too, notices of changes, and the owner
# of a descriptor, to whom the kernel would send any signal.
FCNTLS = (0, 1, 2, 3, 4, 1030)

# Not waiting, no signal. Not among them: bytes out of band, error queues, pages that are lent instead of copied.
MESSAGES = (0, 0x40, 0x4000, 0x4040)
# How memory will be used, that it is free, huge pages, dumps. Not among them: pages shared with whoever has the same
# (their time tells what others hold), and pages that are declared broken.
ADVICE = (4, 8, 14, 0, 1, 2, 3, 15, 16, 17)
# Those that reach this process alone, and what there is. Not among them: those that every processor has to wait for.
BARRIERS = (0, 8, 16)

_LOAD, _EQUAL, _SET, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _KILL_PROCESS, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data


def _statement(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, value)


def _refuse(number: int = errno.EPERM) -> bytes:
    return _statement(_RETURN, _ERRNO | number)


def _only(call: int, argument: int, values: tuple[int, ...], test: int = _EQUAL) -> list[bytes]:
    """Allow ``call`` where the low half of an argument passes ``test`` with one of the values."""
    body = [_statement(_LOAD, _ARGUMENTS + 8 * argument)]
    for value in values:
        body += [_statement(test, value, 0, 1), _statement(_RETURN, _ALLOW)]
    body.append(_refuse())
    return [_statement(_EQUAL, call, 0, len(body)), *body]


def _null(argument: int) -> list[bytes]:
    """Allow where an argument, a pointer, is null; else refuse."""
    low = _ARGUMENTS + 8 * argument
    return [
        *(_statement(_LOAD, low), _statement(_EQUAL, 0, 0, 3)),
        *(_statement(_LOAD, low + 4), _statement(_EQUAL, 0, 0, 1), _statement(_RETURN, _ALLOW)),
        _refuse(),
    ]


def _flags(argument: int, values: tuple[int, ...]) -> list[bytes]:
    """Go on where the low half of an argument is one of the values; else refuse."""
    tests = [_statement(_EQUAL, value, len(values) - at, 0) for at, value in enumerate(values)]
    return [_statement(_LOAD, _ARGUMENTS + 8 * argument), *tests, _refuse()]


def _only_null(call: int, argument: int, before: Sequence[bytes] = ()) -> list[bytes]:
    """Allow ``call`` where an argument, a pointer, is null, and what is looked at ``before`` lets it go on."""
    body = [*before, *_null(argument)]
    return [_statement(_EQUAL, call, 0, len(body)), *body]


def _own_limits(call: int, pid: int) -> list[bytes]:
    """Allow prlimit64 to read limits, with no new ones in argument 2, of this process alone."""
    body = [
        *(_statement(_LOAD, _ARGUMENTS), _statement(_EQUAL, 0, 2, 0), _statement(_EQUAL, pid, 1, 0), _refuse()),
        *_null(2),
    ]
    return [_statement(_EQUAL, call, 0, len(body)), *body]


def program(machine: str, pid: int, more: Mapping[str, tuple[int, int]] = MappingProxyType({})) -> bytes:
    """Return the filter for a machine ("x86_64", "aarch64") and the process that will wear it; ``more`` is allowed too.

    Raises KeyError for a machine without a table.
    """
    column = {X86_64: 0, AARCH64: 1}[machine]
    lines = [
        _statement(_LOAD, _ARCH),
        _statement(_EQUAL, _AUDIT_ARCH[machine], 1, 0),
        _statement(_RETURN, _KILL_PROCESS),
        _statement(_LOAD, _NUMBER),
    ]
    for numbers in (*ALLOWED.values(), *more.values()):
        if numbers[column] >= 0:
            lines += [_statement(_EQUAL, numbers[column], 0, 1), _statement(_RETURN, _ALLOW)]
    # ENOSYS sends glibc back to clone, whose flags can be looked at; EPERM would make threads fail.
    lines += [_statement(_EQUAL, CLONE3[column], 0, 1), _refuse(errno.ENOSYS)]
    lines += _only(CLONE[column], 0, (CLONE_THREAD,), _SET)
    lines += _only(KILL[column], 0, (pid,)) + _only(TGKILL[column], 0, (pid,))
    lines += _only(PRCTL[column], 0, (PR_SET_NAME,)) + _only(IOCTL[column], 1, IOCTLS)
    lines += _only(MADVISE[column], 2, ADVICE)
    lines += _only(FCNTL[column], 1, FCNTLS) + _only(MEMBARRIER[column], 0, BARRIERS)
    lines += _own_limits(PRLIMIT64[column], pid)
    # asyncio wakes itself by a pair of local sockets. It leads nowhere: no address, no call that passes descriptors.
    lines += _only(SOCKETPAIR[column], 0, (AF_UNIX,)) + _only(RECVFROM[column], 3, MESSAGES)
    lines += _only_null(SENDTO[column], 4, _flags(3, MESSAGES))
    lines.append(_refuse())
    return b"".join(lines)
