"""Programs of a group share a frame: what goes wrong with it costs none of them its answer, nor another group."""

from __future__ import annotations

from dataclasses import replace

import pytest
from grader.sandbox.exchange import PIPE, TOGETHER, Child

from questions import QUICK, call, source

CODE = """
import json, os, struct, sys, threading, time
OTHER = {"s": "value", "v": [99], "f": None, "o": 0}

def frame(nonce, replies, said=None):
    body = json.dumps({"n": nonce, "r": replies, "o": 0}).encode()
    return struct.pack("<4sII", b"AGF1", len(body) if said is None else said, 0) + body

def spoil(n, count):
    WAY

def good(x):
    print("good", x)
    return x + 1

def bad(x):
    print("bad", x)
    here = sys._getframe()
    while not hasattr(here.f_locals.get("self"), "programs"):
        here = here.f_back
    run = here.f_locals["self"]
    if len(run.programs) > 1 and x == 2:
        spoil(run.nonce, len(run.programs))
    return 10 * x
"""
WAYS = {
    "hangs": "time.sleep(3600)",
    "spins": "while True: pass",
    "ends": "os._exit(0)",
    "ends-with-status-3": "os._exit(3)",
    "is-killed": "os.kill(os.getpid(), 9)",
    "closes-the-channel": "os.close(3)",
    "half-a-frame-then-hangs": "os.write(3, frame(n, [OTHER] * count)[:40]); time.sleep(3600)",
    "half-a-frame-then-ends": "os.write(3, frame(n, [OTHER] * count)[:40]); os._exit(0)",
    "a-header-only": "os.write(3, frame(n, [], 1 << 20)[:12]); os._exit(0)",
    "a-frame-that-is-longer-than-it-says": "os.write(3, frame(n, [OTHER] * count, 20))",
    "one-answer-too-few": "os.write(3, frame(n, [OTHER] * (count - 1)))",
    "one-answer-too-many": "os.write(3, frame(n, [OTHER] * (count + 1)))",
    "answers-of-another-frame": "os.write(3, frame('0' * 16, [OTHER] * count))",
    "no-answers-each-time": "os.write(3, frame(n, None))",
    "answers-that-are-none": "os.write(3, frame(n, [None] * count))",
    "garbage": "os.write(3, os.urandom(4096))",
    "a-frame-of-brackets": "os.write(3, frame(n, [[[[]] * 9] * 9] * 9999)); os._exit(0)",
    "much-output-then-ends": "[os.write(1, b'x' * 65536) for _ in range(100)]; os._exit(0)",
    "an-exception-that-nothing-expects": "raise GeneratorExit",
}
STATE = {"an-exception-that-nothing-expects"}  # seen by the program itself, together or not


@pytest.mark.sampled(3)
@pytest.mark.parametrize("way", [way for way in WAYS if way not in STATE])
def test_what_goes_wrong_together_costs_no_program_that_is_right_alone(sandbox, way):
    code = CODE.replace("WAY", WAYS[way])
    groups = (("good", "a"), ("bad", "b"), ("good", "c"))
    programs = tuple(call(name, x, group=group) for name, group in groups for x in range(5))
    replies = sandbox.ask(source(code), programs, replace(QUICK, call_s=0.5)).replies
    assert [reply.values for reply in replies[:5]] == [(x + 1,) for x in range(5)]
    assert [reply.values for reply in replies[5:10]] == [(10 * x,) for x in range(5)]
    assert [reply.values for reply in replies[10:]] == [(x + 1,) for x in range(5)]
    assert [reply.output for reply in replies[:5]] == [f"good {x}\n" for x in range(5)]
    assert [reply.output for reply in replies[5:10]] == [f"bad {x}\n" for x in range(5)]
    assert [reply.output for reply in replies[10:]] == [f"good {x}\n" for x in range(5)]


def test_what_a_program_raises_together_with_others_is_its_own(sandbox):
    code = CODE.replace("WAY", WAYS["an-exception-that-nothing-expects"])
    replies = sandbox.ask(source(code), tuple(call("bad", x) for x in range(4)), QUICK).replies
    assert [reply.status for reply in replies] == ["value", "value", "error", "value"]
    assert replies[2].failure.type == "GeneratorExit"


@pytest.mark.parametrize("way", ["ends", "one-answer-too-few", "no-answers-each-time", "garbage"])
def test_a_group_that_goes_wrong_together_is_asked_together_once(sandbox, monkeypatch, way):
    made = []
    child = sandbox.child
    monkeypatch.setattr(sandbox, "child", lambda limits: made.append(limits) or child(limits))
    programs = tuple(call("bad", x % 5, group="b") for x in range(3 * TOGETHER))
    replies = sandbox.ask(source(CODE.replace("WAY", WAYS[way])), programs, QUICK).replies
    assert [reply.values for reply in replies] == [(10 * (x % 5),) for x in range(3 * TOGETHER)]
    assert len(made) <= 2


@pytest.mark.parametrize("count", [1 << 62, -1, 10**300, 1.5e9, "7", True])
def test_a_child_that_lies_about_its_output_gets_the_grader_to_keep_no_more_than_a_frames(sandbox, monkeypatch, count):
    most = []
    drain = Child._drain
    monkeypatch.setattr(Child, "_drain", lambda self: (drain(self), most.append(len(self.text)))[0])
    code = f"""
import os, sys, threading
def flood():
    while True: os.write(1, b"x" * 65536)
def f(x):
    if threading.active_count() == 1:
        for _ in range(3): threading.Thread(target=flood, daemon=True).start()
        sys.stdout.buffer.mark = lambda: {count!r}
    return x
"""
    replies = sandbox.ask(source(code), tuple(call("f", x) for x in range(2 * TOGETHER)), QUICK).replies
    assert [reply.values for reply in replies] == [(x,) for x in range(2 * TOGETHER)]
    assert all(len(reply.output) <= QUICK.output_bytes for reply in replies)
    assert max(most, default=0) <= TOGETHER * QUICK.output_bytes + PIPE


def test_reading_what_was_printed_ends_while_a_child_prints_for_ever(sandbox, monkeypatch):
    reads = []  # from when the answer is known to be none
    drain, protocol = Child._drain, Child.protocol
    monkeypatch.setattr(Child, "_drain", lambda self: reads.append(1) or drain(self))
    monkeypatch.setattr(Child, "protocol", lambda self: reads.clear() or protocol(self))
    code = """
import os, sys, threading
def flood():
    while True: os.write(1, b"x" * 65536)
def f():
    threading.Thread(target=flood, daemon=True).start()
    sys.stdout.buffer.mark = lambda: 1 << 62
    os.write(3, b"this is no frame")
    threading.Event().wait()
"""
    reply = sandbox.ask(source(code), (call("f"),), QUICK).replies[0]
    assert reply.status == "protocol"
    assert len(reply.output) <= QUICK.output_bytes
    assert len(reads) <= 2 * (TOGETHER + 2)
