# expected: fail
# standard: open
# safe-outcome: no flag of a message, no advice on memory and no barrier reaches code of the kernel that nothing here needs
# stopped-by: seccomp on the flags of sendto and recvfrom, on madvise and membarrier
import ctypes
import platform
import socket


libc = ctypes.CDLL(None, use_errno=True)
BARRIER = {"x86_64": 324, "aarch64": 283}
FLAGS = {"out of band": 1, "not routed": 4, "confirmed": 0x800, "more follows": 0x8000, "lent": 0x4000000, "spliced": 0x8000000}
TAKEN = {"out of band": 1, "a look": 2, "an error": 0x2000, "its length": 0x20}
ADVICE = {"shared with its like": 12, "a hole": 9, "away": 21, "broken": 100}


def told(name, done):
    return f"LEAK: {name}" if done >= 0 or ctypes.get_errno() != 1 else f"BLOCKED: {name}"


def probe():
    near, far = socket.socketpair()
    near.send(b"plain")
    lines = ["INFO: " + far.recv(9).decode()]
    lines += [told(f"sent {name}", libc.send(near.fileno(), b"x", 1, flag)) for name, flag in FLAGS.items()]
    room = ctypes.create_string_buffer(8)
    lines += [told(f"taken {name}", libc.recv(far.fileno(), room, 8, flag | 0x40)) for name, flag in TAKEN.items()]
    libc.mmap.restype = ctypes.c_void_p
    at = libc.mmap(None, ctypes.c_size_t(1 << 16), 3, 0x22, -1, ctypes.c_size_t(0))
    for name, advice in ADVICE.items():
        lines.append(told(f"memory {name}", libc.madvise(ctypes.c_void_p(at), ctypes.c_size_t(1 << 16), advice)))
    number = BARRIER[platform.machine()]
    lines += [told(f"barrier {command}", libc.syscall(number, command, 0, 0)) for command in (1, 2, 4, 32, 64, 128)]
    return lines
