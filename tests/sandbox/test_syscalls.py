"""The seccomp tables: read against the kernel's own headers, and run through a small interpreter of the filter."""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest
from grader.sandbox import syscalls
from grader.sandbox.syscalls import AARCH64, X86_64

HEADERS = {
    X86_64: Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    AARCH64: Path("/usr/include/asm-generic/unistd.h"),  # aarch64 uses the generic table
}
ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
ARCH = {X86_64: 0xC000003E, AARCH64: 0xC00000B7}


def run(program: bytes, arch: int, number: int, *args: int) -> int:
    """What the kernel makes of the filter for one call."""
    data = struct.pack("<iIQ6Q", number, arch, 0, *(list(args) + [0] * 6)[:6])
    lines = [struct.unpack_from("HBBI", program, at) for at in range(0, len(program), 8)]
    value, at = 0, 0
    while True:
        code, yes, no, k = lines[at]
        at += 1
        match code:
            case 0x20:
                value = struct.unpack_from("<I", data, k)[0]
            case 0x15:
                at += yes if value == k else no
            case 0x45:
                at += yes if value & k else no
            case 0x06:
                return k
            case _:
                raise AssertionError(code)


@pytest.fixture(params=[X86_64, AARCH64])
def machine(request):
    return request.param


def column(machine: str) -> int:
    return 0 if machine == X86_64 else 1


def header(machine: str) -> dict[str, int]:
    path = HEADERS[machine]
    if not path.exists():
        pytest.skip(f"no {path}")
    text = path.read_text()
    found = {
        name: int(number) for name, number in re.findall(r"#define __NR3?2?6?4?_(\w+)\s+(\d+)\s*$", text, re.MULTILINE)
    }
    found |= {
        name: int(number) for name, number in re.findall(r"#define __NR3264_(\w+)\s+(\d+)\s*$", text, re.MULTILINE)
    }
    return found


def test_the_numbers_are_the_kernels(machine):
    known = header(machine)
    alias = {"newfstatat": "fstatat"}
    for name, numbers in syscalls.ALLOWED.items():
        number = numbers[column(machine)]
        found = known.get(name, known.get(alias.get(name, name)))
        assert number == (-1 if found is None else found), name


def test_the_numbers_of_calls_with_arguments_are_the_kernels(machine):
    known = header(machine)
    names = "clone clone3 kill tgkill prctl prlimit64 ioctl fcntl socketpair sendto recvfrom madvise membarrier"
    for name in names.split():
        assert getattr(syscalls, name.upper())[column(machine)] == known[name]


def test_everything_listed_is_allowed_and_everything_else_refused(machine):
    program = syscalls.program(machine, 7)
    listed = {numbers[column(machine)] for numbers in syscalls.ALLOWED.values()} - {-1}
    special = {
        pair[column(machine)]
        for pair in (
            *(syscalls.CLONE, syscalls.CLONE3, syscalls.KILL, syscalls.TGKILL, syscalls.PRCTL, syscalls.PRLIMIT64),
            *(syscalls.IOCTL, syscalls.FCNTL, syscalls.SOCKETPAIR, syscalls.SENDTO, syscalls.RECVFROM),
            *(syscalls.MADVISE, syscalls.MEMBARRIER),
        )
    }
    for number in set(range(600)) - special:
        assert run(program, ARCH[machine], number) == (ALLOW if number in listed else EPERM)
    assert run(program, ARCH[machine], 0x40000002) == EPERM  # the x32 table


def test_a_foreign_architecture_is_killed(machine):
    assert run(syscalls.program(machine, 7), 0x40000003, 1) == KILL


@pytest.mark.parametrize(
    ("call", "args", "verdict"),
    [
        (syscalls.CLONE, (0x10000 | 0x100,), ALLOW),
        (syscalls.CLONE, (17,), EPERM),
        (syscalls.CLONE3, (), ENOSYS),
        (syscalls.KILL, (7, 9), ALLOW),
        (syscalls.KILL, (8, 9), EPERM),
        (syscalls.KILL, (0xFFFFFFFF, 9), EPERM),
        (syscalls.TGKILL, (7, 7, 9), ALLOW),
        (syscalls.TGKILL, (8, 8, 9), EPERM),
        (syscalls.PRCTL, (15,), ALLOW),
        (syscalls.PRCTL, (4,), EPERM),
        (syscalls.IOCTL, (1, 0x5401), ALLOW),
        (syscalls.IOCTL, (1, 0x5412), EPERM),
        (syscalls.PRLIMIT64, (0, 7, 0), ALLOW),
        (syscalls.PRLIMIT64, (7, 7, 0), ALLOW),
        (syscalls.PRLIMIT64, (8, 7, 0), EPERM),
        (syscalls.PRLIMIT64, (7, 7, 0x1000), EPERM),
        (syscalls.PRLIMIT64, (0, 7, 0x1000), EPERM),
        (syscalls.PRLIMIT64, (0, 7, 1 << 40), EPERM),
        (syscalls.FCNTL, (3, 4, 2048), ALLOW),  # non-blocking
        (syscalls.FCNTL, (3, 1030, 0), ALLOW),
        (syscalls.FCNTL, (3, 6, 0), EPERM),  # a lock
        (syscalls.FCNTL, (3, 8, 1), EPERM),  # whom signals go to
        (syscalls.FCNTL, (3, 15, 1), EPERM),
        (syscalls.FCNTL, (3, 1026, 1), EPERM),  # notices of changes
        (syscalls.SOCKETPAIR, (1, 1, 0), ALLOW),
        (syscalls.SOCKETPAIR, (1, 0x80801, 0), ALLOW),
        *((syscalls.SOCKETPAIR, (family, 1, 0), EPERM) for family in (0, 2, 10, 16, 17, 30, 40)),
        (syscalls.SENDTO, (3, 0x1000, 1, 0, 0, 0), ALLOW),
        (syscalls.SENDTO, (3, 0x1000, 1, 0, 0x1000, 16), EPERM),
        (syscalls.SENDTO, (3, 0x1000, 1, 0, 1 << 40, 16), EPERM),
        *((syscalls.SENDTO, (3, 0x1000, 1, flags, 0, 0), ALLOW) for flags in (0x40, 0x4000, 0x4040)),
        *((syscalls.SENDTO, (3, 0x1000, 1, flags, 0, 0), EPERM) for flags in (1, 4, 0x800, 0x8000, 0x4000000)),
        (syscalls.SENDTO, (3, 0x1000, 1, 0x4000, 0x1000, 16), EPERM),
        *((syscalls.RECVFROM, (3, 0x1000, 1, flags, 0, 0), ALLOW) for flags in (0, 0x40)),
        *((syscalls.RECVFROM, (3, 0x1000, 1, flags, 0, 0), EPERM) for flags in (1, 0x41, 2, 0x2000, 0x20)),
        *((syscalls.MADVISE, (0x1000, 4096, advice), ALLOW) for advice in (4, 8, 14)),  # free, huge pages
        *((syscalls.MADVISE, (0x1000, 4096, advice), EPERM) for advice in (9, 12, 13, 21, 100, 101)),
        *((syscalls.MEMBARRIER, (command, 0), ALLOW) for command in (0, 8, 16)),
        *((syscalls.MEMBARRIER, (command, 0), EPERM) for command in (1, 2, 4, 32, 128)),
    ],
)
def test_arguments_decide(machine, call, args, verdict):
    assert run(syscalls.program(machine, 7), ARCH[machine], call[column(machine)], *args) == verdict


def test_a_machine_without_a_table_is_refused():
    with pytest.raises(KeyError):
        syscalls.program("riscv64", 1)
