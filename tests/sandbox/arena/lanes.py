"""Work side by side: each piece in a fork of its own, which may give up root, and which tells what it has done."""

from __future__ import annotations

import json
import os
import selectors
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

Thing = TypeVar("Thing")
Told = Callable[[dict[str, Any]], None]
READ_AT_ONCE = 1 << 16
MORE_THAN_CORES = 2  # most attacks sleep or wait for a limit most of the time


@dataclass
class _Lane:
    """A fork at work and what came from it and is no whole line yet."""

    piece: int
    pid: int
    began: float
    waiting: bytearray = field(default_factory=bytearray)


def default_count() -> int:
    """Return how many pieces run at a time on this machine."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(2, MORE_THAN_CORES * cores)


def deal(things: Sequence[Thing], most: int, least: int, slow: Callable[[Thing], bool]) -> list[list[Thing]]:
    """Deal things into up to ``most`` shares of ``least`` or more, slow ones evenly; each share in the old order."""
    count = max(1, min(most, len(things) // least))
    order = sorted(range(len(things)), key=lambda at: not slow(things[at]))
    return [[things[at] for at in sorted(order[share::count])] for share in range(count)]


def run(work: Sequence[Callable[[Told], None]], count: int) -> Iterator[tuple[int, dict[str, Any] | None, float]]:
    """Run the pieces, ``count`` at a time, in order; yield (piece, what it told, seconds), None when it ended.

    A piece that is not through when the caller stops listening is waited for: it puts away what it laid out.
    """
    waiting = list(enumerate(work))
    with selectors.DefaultSelector() as selector:
        try:
            while waiting or selector.get_map():
                while waiting and len(selector.get_map()) < count:
                    read, lane = _begin(*waiting.pop(0), [key.fd for key in selector.get_map().values()])
                    selector.register(read, selectors.EVENT_READ, lane)
                for key, _ in selector.select():
                    lane = key.data
                    seconds = time.monotonic() - lane.began
                    data = os.read(key.fd, READ_AT_ONCE)
                    lane.waiting += data
                    *lines, rest = lane.waiting.split(b"\n")
                    lane.waiting = bytearray(rest)
                    yield from ((lane.piece, json.loads(line), seconds) for line in lines)
                    if not data:
                        selector.unregister(key.fd)
                        os.close(key.fd)
                        os.waitpid(lane.pid, 0)
                        yield lane.piece, None, seconds
        finally:
            for key in list(selector.get_map().values()):
                os.close(key.fd)
                os.waitpid(key.data.pid, 0)


def _begin(piece: int, work: Callable[[Told], None], others: Sequence[int]) -> tuple[int, _Lane]:
    sys.stdout.flush()
    sys.stderr.flush()
    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write)
        return read, _Lane(piece, pid, time.monotonic())
    code = 1
    try:
        for end in (read, *others):
            os.close(end)
        with os.fdopen(write, "w") as file:
            work(lambda told: print(json.dumps(told), file=file, flush=True))
        code = 0
    except Exception:  # noqa: BLE001 - whatever it was, it is shown
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
