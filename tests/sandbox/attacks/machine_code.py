# expected: fail|crash
# standard: open
# safe-outcome: machine code of its own makes the same calls and is refused the same way
# stopped-by: seccomp looks at the call, not at who makes it
import ctypes
import mmap
import platform


def probe():
    if platform.machine() != "x86_64":
        return ["INFO: code for another machine"]
    try:
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    except OSError as error:
        return [f"BLOCKED: executable memory {error.errno}"]
    # mov rax, rdi; mov rdi, rsi; mov rsi, rdx; mov rdx, rcx; mov r10, r8; syscall; ret
    page.write(bytes.fromhex("4889f84889f74889d64889ca4d89c20f05c3"))
    kind = ctypes.CFUNCTYPE(ctypes.c_long, *[ctypes.c_long] * 5)
    call = kind(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    path = ctypes.create_string_buffer(HINTS["rubric"].encode())
    lines = []
    for name, numbers in {
        "open": (2, ctypes.addressof(path), 0, 0, 0), "openat": (257, -100, ctypes.addressof(path), 0, 0), "socket": (41, 2, 1, 0, 0), "fork": (57, 0, 0, 0, 0),
        "kill grader": (62, HINTS["grader_pid"], 0, 0, 0), "ptrace": (101, 0x4206, HINTS["zygote_pid"], 0, 0), "memfd": (319, ctypes.addressof(path), 0, 0, 0),
        "unshare": (272, 0x10000000, 0, 0, 0), "userfaultfd": (323, 1, 0, 0, 0), "io_uring": (425, 8, ctypes.addressof(path), 0, 0),
    }.items():
        done = call(*numbers)
        if done == 0 and name == "fork":
            call(60, 0, 0, 0, 0)
        lines.append(f"BLOCKED: {name} {done}" if done < 0 else f"LEAK: {name} {done}")
    return lines
