# expected: fail|exc|crash
# standard: open
# safe-outcome: memory of every kind is counted: locked, huge, shared, of threads' stacks
# stopped-by: RLIMIT_AS; no mlock
import ctypes
import mmap
import threading


LOCKED, POPULATE, NORESERVE, GROWSDOWN, HUGETLB, SHARED, PRIVATE = 0x2000, 0x8000, 0x4000, 0x100, 0x40000, 1, 2
MOST = 3 << 30


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    lines = []
    for name, flags in {"shared": SHARED, "lazy": PRIVATE | NORESERVE, "growing": PRIVATE | GROWSDOWN,
                        "locked": PRIVATE | LOCKED, "huge": PRIVATE | HUGETLB, "populated": SHARED | POPULATE}.items():
        kept, taken, part = [], 0, MOST if flags & (LOCKED | POPULATE) else 256 << 20
        try:
            while taken < MOST:
                kept.append(mmap.mmap(-1, part, flags=flags | 0x20))
                taken += part
        except OSError:
            pass
        lines.append(f"BLOCKED: {name} at {taken >> 20} MiB" if taken < MOST else f"LEAK: {name} {taken >> 20} MiB")
        for each in kept:
            each.close()
    for name, number in {"mlock": 149, "mlock2": 325, "mlockall": 151, "mbind": 237, "set_mempolicy": 238, "swapon": 167}.items():
        done = libc.syscall(number, 0, 4096, 0, 0, 0, 0)
        lines.append(f"BLOCKED: {name}" if done < 0 and ctypes.get_errno() == 1 else f"LEAK: {name}")
    area = mmap.mmap(-1, 1 << 16)
    at = ctypes.addressof(ctypes.c_char.from_buffer(area))
    for name, advice in {"poisoned": 100, "offline": 101}.items():
        done = libc.madvise(ctypes.c_void_p(at), 4096, advice)
        lines.append(f"BLOCKED: {name}" if done < 0 else f"LEAK: {name}")
    threading.stack_size(256 << 20)
    started, stop = [], threading.Event()
    try:
        while len(started) < 12:
            started.append(threading.Thread(target=stop.wait, daemon=True))
            started[-1].start()
    except RuntimeError:
        pass
    stop.set()
    lines.append(f"BLOCKED: stacks of threads after {len(started)}" if len(started) < 12 else "LEAK: stacks of threads")
    return lines
