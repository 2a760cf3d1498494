# expected: fail|exc|crash|timeout|protocol
# safe-outcome: descriptors of every kind end at the limit, and watching the channel tells nothing
# stopped-by: RLIMIT_NOFILE
import os
import select
import socket


def probe():
    kept, lines = [], []
    for name, make in {"watchers": select.epoll, "counters": lambda: os.eventfd(0), "pairs": socket.socketpair, "copies": lambda: os.dup(0), "pipes": os.pipe}.items():
        count, before = 0, len(kept)
        try:
            while count < 5000:
                kept.append(make())
                count += 1
            lines.append(f"LEAK: {count} {name}")
        except OSError as error:
            lines.append(f"BLOCKED: {count} {name}, {error.errno}")
        for each in kept[before:]:
            for fd in each if type(each) is tuple else (each,):
                os.close(fd) if type(fd) is int else fd.close()
        del kept[before:]
    watch = select.epoll()
    watch.register(3, select.EPOLLIN | select.EPOLLPRI | select.EPOLLRDHUP)
    lines.append(f"INFO: {watch.poll(0)}")
    inner = select.epoll()
    try:
        for _ in range(50):
            inner.register(watch.fileno())
            watch, inner = inner, select.epoll()
    except OSError as error:
        lines.append(f"BLOCKED: watchers of watchers {error.errno}")
    return lines
