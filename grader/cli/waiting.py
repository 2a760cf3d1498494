"""What is waited for, said on a terminal while student code takes its time: nobody should look at a silent screen."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.model.assignment import Assignment
    from grader.sandbox.parent import Sandbox
    from grader.sandbox.plain import Waiting

PATIENCE = 2.0
"""Seconds that one part may take in silence."""
GLANCE = 0.25
"""Seconds between two looks."""


@contextmanager
def told_meanwhile(sandbox: Sandbox | None, assignment: Assignment) -> Iterator[None]:
    """While the body runs, say on a terminal what takes its time: a line for each part, and nothing elsewhere."""
    if sandbox is None or not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    watch = threading.Thread(target=_watch, args=(sandbox, assignment, done), daemon=True)
    watch.start()
    try:
        yield
    finally:
        done.set()
        watch.join()


def _watch(sandbox: Sandbox, assignment: Assignment, done: threading.Event) -> None:
    from grader.cli.lines import say

    said: set[str] = set()
    while not done.wait(GLANCE):
        found = sandbox.waiting
        if found and found.seconds >= PATIENCE and found.group not in said:
            said.add(found.group)
            say(line(found, assignment))


def line(found: Waiting, assignment: Assignment) -> str:
    """Return what is run, and after how long it is stopped at the latest."""
    limits = found.limits
    if not found.group:
        return f"Still running the file from top to bottom: it is stopped after {limits.load_s:g} s."
    names = {item.component: item.callable for item in assignment.interfaces}
    name = names.get(found.group, found.group)
    call, total = limits.call_s, limits.total_s
    return f"Still running {name}: a call is stopped after {call:g} s, all of it after {total:g} s."
