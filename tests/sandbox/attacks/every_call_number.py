# expected: fail
# standard: open
# safe-outcome: every call number that is not on the list is refused, with arguments that harm nobody
# stopped-by: seccomp refuses what is not listed
import ctypes
import platform


# Those that may be made, by the list; and those that end, fork, wait, or change this process for good where nothing is refused.
LISTED = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 28, 32, 33, 35, 36, 37, 38, 39, 45, 60,
    63, 79, 80, 89, 96, 97, 98, 99, 100, 102, 104, 107, 108, 110, 131, 186, 201, 202, 204, 217, 218, 219, 228, 229, 230, 231, 232, 233, 257, 262, 267, 269, 270, 271,
    273, 281, 290, 291, 292, 309, 318, 324, 332, 334, 439,
}
HARMFUL = {34, 37, 56, 57, 58, 59, 61, 95, 112, 128, 130, 153, 240, 243, 247, 322, 335, 336, 435, 449, 454, 455, 456}


def probe():
    if platform.machine() != "x86_64":
        return ["INFO: numbers of another machine"]
    libc = ctypes.CDLL(None, use_errno=True)
    done, lines = [], []
    for number in sorted(set(range(600)) - LISTED - HARMFUL):
        result = libc.syscall(number, -1, -1, -1, -1, -1, -1)
        if result >= 0 or ctypes.get_errno() not in (1, 38):
            lines.append(f"LEAK: {number} {result} {ctypes.get_errno()}")
        else:
            done.append(number)
    return [*lines, f"BLOCKED: {len(done)} numbers"]
