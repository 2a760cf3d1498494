"""Every way in which student code can end has its own verdict, and costs its own program only."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from grader.sandbox.plain import Limits

from questions import QUICK, call, source

GOOD = "\ndef good(x):\n    return x + 1\n"


def limits_for(status: str) -> Limits:
    """A call that is meant to run into its limit waits for it no longer than needed."""
    return replace(QUICK, call_s=0.4) if status == "timeout" else QUICK


def around(sandbox, code: str, target: str = "f", limits=QUICK):
    """Ask a bad call between two good ones and return the three replies."""
    programs = (call("good", 1, group="g"), call(target, group="b"), call("good", 2, group="g"))
    return sandbox.ask(source(code + GOOD), programs, limits).replies


BAD = [
    ("while True: pass", "timeout", "time limit"),
    ("import time; time.sleep(3600)", "timeout", "time limit"),
    ("import os; os._exit(0)", "crashed", "exit status 0"),
    ("import sys; sys.exit(3)", "error", "3"),
    ("import ctypes; ctypes.string_at(0)", "crashed", "SIGSEGV"),
    ("import os; os.abort()", "crashed", "SIG"),
    ("import numpy as np; return np.ones(100 << 30, dtype=np.uint8)", "memory", "allocate"),
    ("keep = []\n    while True: keep.append(bytearray(64 << 20))", "memory", ""),
    ("return f()", "error", "recursion"),
    ("raise ValueError('no')", "error", "no"),
    ("import os; os.write(3, b'x' * 100); return 1", "protocol", "channel"),
    ("import os; os.close(3); return 1", "crashed", "channel"),
    ("return {}.keys()", "error", "dict_keys"),
    ("return input('?')", "error", "nobody sits at the keyboard"),
    ("return 1 << 3000000", "error", "too large"),
]


@pytest.mark.parametrize(("body", "status", "words"), BAD)
def test_a_bad_call_has_its_verdict_and_its_neighbours_are_judged(sandbox, body, status, words):
    before, bad, after = around(sandbox, f"def f():\n    {body}\n", limits=limits_for(status))
    assert bad.status == status
    assert bad.failure is not None
    assert words in bad.failure.message
    assert (before.values, after.values) == ((2,), (3,))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("body", "status", "words"), BAD)
def test_a_bad_call_among_others_that_go_over_with_it_costs_itself_only(sandbox, body, status, words):
    code = f"def f():\n    {body}\n{GOOD}"
    programs = (call("good", 1), call("good", 2), call("f"), call("good", 3))
    first, second, bad, last = sandbox.ask(source(code), programs, limits_for(status)).replies
    assert [first.values, second.values, last.values] == [(2,), (3,), (4,)]
    assert bad.status == status
    assert words in bad.failure.message


def test_a_failure_names_the_students_own_frames(ask):
    reply = ask("def g(x):\n    return x[9]\n\ndef f(x):\n    return g(x)\n", "f", [1])
    assert reply.failure.frames == (("hw.py", 5, "f"), ("hw.py", 2, "g"))
    assert reply.failure.mro == ("IndexError", "LookupError", "Exception", "BaseException", "object")
    assert reply.failure.step == 0


def test_a_missing_name_is_missing(ask):
    reply = ask("def g(): pass", "softmax")
    assert (reply.status, reply.failure.message) == ("missing", "softmax is not defined")


def test_an_exception_that_misbehaves_gives_a_short_note(ask):
    code = """
class Evil(Exception):
    def __str__(self): raise SystemExit(0)
    __repr__ = __str__
Evil.__name__ = "B" * 10000
class Long(Exception):
    def __str__(self): return "A" * 50_000_000
def f(): raise Evil()
def g(): raise Long()
"""
    assert ask(code).failure.message == "(this exception has no readable message)"
    assert len(ask(code).failure.type) == 80
    assert len(ask(code, "g").failure.message) == 2000


def test_a_flood_of_output_is_kept_to_the_cap_and_ends(ask):
    code = "import os\ndef f():\n    for _ in range(100_000): print('A' * 1023)\n    return 7\n"
    reply = ask(code)
    assert reply.values == (7,)
    assert 0 < len(reply.output) <= QUICK.output_bytes


def test_a_flood_past_python_neither_blocks_nor_grows(ask):
    code = "import os\ndef f():\n    for _ in range(2_000): os.write(1, b'A' * 60000)\n    return 7\n"
    reply = ask(code, limits=replace(QUICK, call_s=60.0))
    assert reply.values == (7,)
    assert len(reply.output) <= QUICK.output_bytes


def test_a_thread_that_goes_on_after_the_reply_changes_nothing(sandbox):
    code = """
import threading, time
def f(x):
    def late():
        while True: x[...] = 99
    threading.Thread(target=late, daemon=True).start()
    return x.copy() * 0
"""
    replies = sandbox.ask(source(code), (call("f", np.ones(3)), call("f", np.ones(3))), QUICK).replies
    assert [reply.values[0].tolist() for reply in replies] == [[0.0, 0.0, 0.0]] * 2


def test_a_fork_bomb_leaves_no_process(sandbox):
    code = """
import os, time
def f():
    made = 0
    for _ in range(20):
        try:
            pid = os.fork()
        except OSError:
            break
        if pid == 0:
            os.setsid()
            time.sleep(60)
            os._exit(0)
        made += 1
    return made
"""
    reply = sandbox.ask(source(code), (call("f"),), QUICK).replies[0]
    assert reply.status == "value"
    if sandbox.isolation.applied == "strict":
        assert reply.values == (0,)
    deadline = time.monotonic() + 30  # what is left alive sleeps a minute
    while living_below(sandbox) and time.monotonic() < deadline:  # reaped while the grader goes on
        time.sleep(0.01)
    assert living_below(sandbox) == set()


def living_below(sandbox) -> set[int]:
    """Return what runs under the zygote, a stand-in for it in an outer namespace aside."""
    from pathlib import Path

    found: set[int] = set()
    todo = [sandbox._control.pid]
    while todo:
        pid = todo.pop()
        try:
            below = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        except OSError:
            continue  # it ended while we looked
        found |= set(below)
        todo += below
    inner = 1 if "private read-only root" in sandbox.isolation.mechanisms else 0
    return set(sorted(found)[inner:])


def test_nothing_of_one_ask_is_seen_by_the_next(sandbox):
    code = """
import builtins, sys, numpy as np
def f():
    old = getattr(sys, "mark", 0), np.exp(0.0), len(builtins.__dict__)
    sys.mark = 1
    np.exp = lambda x: 99.0
    builtins.mark = 1
    return old
"""
    first = sandbox.ask(source(code), (call("f"),), QUICK).replies[0].values
    second = sandbox.ask(source(code), (call("f"),), QUICK).replies[0].values
    assert first == second
