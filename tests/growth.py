"""How the time of a piece of work grows with its length, so that no test depends on the speed of a machine."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable

SQUARE = 9.0
"""Four times the length takes four times as long where time grows with the length, sixteen times with its square."""
ROUNDS = 6


def growth(work: Callable[[int], object], length: int) -> float:
    """Return how many times as long ``work`` takes for four times the length, in processor time of this process.

    Noise only ever lengthens a run, so the shortest of up to six of each length counts, and no more are made than are
    needed to come below ``SQUARE``. Each round has a length of its own: what remembers its answers is asked anew.
    """
    work(length // 2)  # what is loaded or compiled the first time
    short = long = float("inf")
    for turn in range(ROUNDS):
        short = min(short, _seconds(work, length - turn))
        long = min(long, _seconds(work, 4 * (length - turn)))
        if long < SQUARE * short:
            break
    return long / short


def _seconds(work: Callable[[int], object], length: int) -> float:
    gc.disable()  # it looks at whatever the tests before left behind
    try:
        start = time.process_time()
        work(length)
        return time.process_time() - start
    finally:
        gc.enable()


def calls(work: Callable[[], object]) -> int:
    """Return how many functions ``work`` calls, those of libraries too: the same number on every machine."""
    made = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal made
        made += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return made
