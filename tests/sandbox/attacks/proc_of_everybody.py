# expected: fail
# standard: open
# safe-outcome: no file below /proc of grader, zygote, sibling, parent or thread is read or written
# stopped-by: private root; Landlock; not dumpable
import os


FILES = (
    "mem", "maps", "smaps", "smaps_rollup", "pagemap", "auxv", "environ", "cmdline", "stack", "syscall", "wchan", "root", "cwd", "exe", "fd/3",
    "map_files", "mountinfo", "ns/net", "timens_offsets", "clear_refs", "oom_score_adj", "attr/current", "coredump_filter", "comm", "status", "stat",
    "sched", "schedstat", "io", "limits", "net/unix", "net/tcp", "task", "cgroup", "setgroups", "uid_map", "latency", "patch_state", "personality",
)


def probe():
    lines = []
    whose = [HINTS["grader_pid"], HINTS["zygote_pid"], HINTS["sibling_pid"], os.getppid(), 1, 2, "self", "thread-self", os.getpid()]
    for who in whose:
        for name in FILES:
            for flags in (os.O_RDONLY, os.O_WRONLY):
                try:
                    fd = os.open(f"/proc/{who}/{name}", flags)
                    lines.append(f"LEAK: {who} {name} {flags} {os.read(fd, 20) if flags == 0 and name != 'task' else ''!r}"[:150])
                    os.close(fd)
                except OSError:
                    pass
    for name in ("kcore", "kmsg", "kallsyms", "keys", "key-users", "locks", "timer_list", "sysrq-trigger", "sys/kernel/core_pattern", "sys/vm/drop_caches", "loadavg",
                 "schedstat", "slabinfo", "vmallocinfo", "interrupts", "swaps", "mounts", "modules", "config.gz", "sysvipc/shm", "stat", "meminfo", "version"):
        try:
            os.close(os.open(f"/proc/{name}", os.O_RDONLY))
            lines.append(f"LEAK: {name}")
        except OSError:
            pass
    return lines or ["BLOCKED: all"]
