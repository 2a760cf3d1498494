"""Every limit of time costs what ran into it, and nothing beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from grader.sandbox import asking

from questions import QUICK, call, source


def test_a_processor_time_limit_is_told_from_a_crash(sandbox):
    limits = replace(QUICK, cpu=1, call_wall=5.0)
    reply = sandbox.ask(source("def f():\n    while True: pass\n"), (call("f"),), limits).replies[0]
    assert reply.status == "timeout"
    assert f"{limits.stretched(sandbox.pace).cpu} s of processor time" in reply.failure.message


def test_a_loop_at_import_costs_the_load_limit_once(sandbox, monkeypatch):
    made = []
    child = sandbox.child
    monkeypatch.setattr(sandbox, "child", lambda limits: made.append(limits) or child(limits))
    answers = sandbox.ask(source("while True: pass\n"), (call("f"), call("g")), replace(QUICK, load_wall=0.5))
    assert len(made) == 1
    assert answers.loaded.status == "timeout"
    assert "had not ended after" in answers.loaded.failure.message
    assert answers.loaded.failure.frames == (("hw.py", 1, "<module>"),)
    assert [reply.status for reply in answers.replies] == ["timeout", "timeout"]


def test_a_group_is_given_up_after_two_of_its_programs_ran_out_of_time(sandbox):
    code = "def f(x):\n    while True: pass\ndef good(x): return x\n"
    programs = (*(call("f", at, group="f") for at in range(6)), call("good", 5, group="g"))
    replies = sandbox.ask(source(code), programs, replace(QUICK, call_wall=0.3)).replies
    assert [reply.status for reply in replies] == ["timeout"] * 6 + ["value"]
    unasked = [reply for reply in replies if reply.failure and reply.failure.message.startswith("not asked")]
    assert len(unasked) == 4


def test_a_program_that_was_slow_once_is_asked_again_alone(sandbox):
    code = """
SEEN = []
def f(x):
    SEEN.append(x)
    while len(SEEN) > 2: pass
    return x
"""
    replies = sandbox.ask(source(code), tuple(call("f", at) for at in range(5)), replace(QUICK, call_wall=0.4)).replies
    assert [reply.values for reply in replies] == [(at,) for at in range(5)]


def test_the_wall_of_all_bounds_everything(sandbox):
    code = "import time\ndef f(x):\n    time.sleep(0.25)\n    return x\n"
    limits = replace(QUICK, total_wall=1.5)
    replies = sandbox.ask(source(code), tuple(call("f", at) for at in range(50 * sandbox.pace)), limits).replies
    wall = limits.stretched(sandbox.pace).total_wall
    answered = [reply.values for reply in replies if reply.status == "value"]
    assert answered == [(at,) for at in range(len(answered))]
    assert 1 <= len(answered) <= wall / 0.25  # each takes a quarter of a second at least, however slow the machine
    assert {reply.status for reply in replies[len(answered) :]} == {"timeout"}
    assert f"{wall:g} s for all" in replies[-1].failure.message


def test_a_program_that_takes_most_of_its_limit_is_in_time_and_so_are_those_after_it(sandbox):
    code = "import time\ndef f(x):\n    time.sleep(0.92)\n    return x\n"
    replies = sandbox.ask(source(code), tuple(call("f", at) for at in range(3)), replace(QUICK, call_wall=2.0)).replies
    assert [reply.values for reply in replies] == [(at,) for at in range(3)]


@pytest.mark.parametrize("bad", [{0}, {1}, {2, 4}, {1, 2}])
def test_programs_of_a_group_that_end_are_judged_beside_two_at_most_that_do_not(sandbox, bad):
    code = f"BAD = {bad}\ndef f(x):\n    while x in BAD: pass\n    return x\n"
    replies = sandbox.ask(source(code), tuple(call("f", at) for at in range(6)), replace(QUICK, call_wall=0.3)).replies
    after = max(bad) if len(bad) > 1 else 6
    assert [reply.status for reply in replies] == ["timeout" if at in bad or at > after else "value" for at in range(6)]


def test_a_loop_that_is_known_to_have_no_end_is_waited_for_a_part_of_the_limit_only(sandbox, monkeypatch):
    waited, answered = [], asking.Asking._answered
    monkeypatch.setattr(asking, "SOON", 0.1)
    monkeypatch.setattr(asking.Asking, "_answered", lambda *a: waited.append(a[-1]) or answered(*a))
    code = "def f(x):\n    while x > 1: pass\n    return x\n"
    programs = tuple(call("f", at, group="f") for at in range(4))
    for endless, most in ((frozenset({"f"}), 0.2), (frozenset(), 1.0)):
        waited.clear()
        replies = sandbox.ask(replace(source(code), endless=endless), programs, QUICK).replies
        assert [reply.status for reply in replies] == ["value", "value", "timeout", "timeout"]
        assert max(waited) == pytest.approx(most * QUICK.call_wall * sandbox.pace)
