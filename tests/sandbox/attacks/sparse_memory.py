# expected: fail|exc|crash
# safe-outcome: address space beyond the limit is refused, whatever it is called
# stopped-by: RLIMIT_AS
import mmap


def probe():
    lines = []
    for power in (50, 45, 40, 36, 33):
        for flags in (mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, 0x4022):
            try:
                mmap.mmap(-1, 1 << power, flags=flags)
                lines.append(f"LEAK: mapped 2^{power}")
            except (OSError, ValueError, OverflowError) as error:
                lines.append(f"BLOCKED: 2^{power} {error}")
    return lines
