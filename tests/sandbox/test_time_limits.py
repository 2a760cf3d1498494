"""Every limit of time costs what ran into it, and nothing beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from grader.sandbox import asking

from questions import QUICK, call, source


@pytest.mark.slow
def test_a_processor_time_limit_is_told_from_a_crash(sandbox):
    limits = replace(QUICK, cpu_s=1, call_s=5.0)
    reply = sandbox.ask(source("def f():\n    while True: pass\n"), (call("f"),), limits).replies[0]
    assert reply.status == "timeout"
    assert f"{limits.stretched(sandbox.pace).cpu_s} s of processor time" in reply.failure.message


def test_a_loop_at_import_costs_the_load_limit_once(sandbox, monkeypatch):
    made = []
    child = sandbox.child
    monkeypatch.setattr(sandbox, "child", lambda limits: made.append(limits) or child(limits))
    answers = sandbox.ask(source("while True: pass\n"), (call("f"), call("g")), replace(QUICK, load_s=0.5))
    assert len(made) == 1
    assert answers.loaded.status == "timeout"
    assert "had not ended after" in answers.loaded.failure.message
    assert answers.loaded.failure.frames == (("hw.py", 1, "<module>"),)
    assert [reply.status for reply in answers.replies] == ["timeout", "timeout"]


@pytest.mark.slow
def test_a_group_is_given_up_after_two_of_its_programs_ran_out_of_time(sandbox):
    code = "def f(x):\n    while True: pass\ndef good(x): return x\n"
    programs = (*(call("f", at, group="f") for at in range(6)), call("good", 5, group="g"))
    replies = sandbox.ask(source(code), programs, replace(QUICK, call_s=0.3)).replies
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
    replies = sandbox.ask(source(code), tuple(call("f", at) for at in range(5)), replace(QUICK, call_s=0.4)).replies
    assert [reply.values for reply in replies] == [(at,) for at in range(5)]


def test_the_wall_of_all_bounds_everything(sandbox):
    code = "import time\ndef f(x):\n    time.sleep(0.25)\n    return x\n"
    limits = replace(QUICK, total_s=1.5)
    replies = sandbox.ask(source(code), tuple(call("f", at) for at in range(50 * sandbox.pace)), limits).replies
    wall = limits.stretched(sandbox.pace).total_s
    answered = [reply.values for reply in replies if reply.status == "value"]
    assert answered == [(at,) for at in range(len(answered))]
    assert 1 <= len(answered) <= wall / 0.25  # each takes a quarter of a second at least, however slow the machine
    assert {reply.status for reply in replies[len(answered) :]} == {"timeout"}
    assert f"{wall:g} s for all" in replies[-1].failure.message


@pytest.mark.slow
def test_a_program_that_takes_most_of_its_limit_is_in_time_and_so_are_those_after_it(sandbox):
    code = "import time\ndef f(x):\n    time.sleep(0.92)\n    return x\n"
    replies = sandbox.ask(source(code), tuple(call("f", at) for at in range(3)), replace(QUICK, call_s=2.0)).replies
    assert [reply.values for reply in replies] == [(at,) for at in range(3)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("bad", [{0}, {1}, {2, 4}, {1, 2}])
def test_programs_of_a_group_that_end_are_judged_beside_two_at_most_that_do_not(sandbox, bad):
    code = f"BAD = {bad}\ndef f(x):\n    while x in BAD: pass\n    return x\n"
    replies = sandbox.ask(source(code), tuple(call("f", at) for at in range(6)), replace(QUICK, call_s=0.3)).replies
    after = max(bad) if len(bad) > 1 else 6
    assert [reply.status for reply in replies] == ["timeout" if at in bad or at > after else "value" for at in range(6)]


@pytest.fixture
def waited(monkeypatch):
    """The seconds for which each question was to be waited, where its answer did not come at once."""
    found, receive = [], asking.Child.receive

    def received(child, deadline, *, told=False):
        begun = asking.now()
        answer = receive(child, deadline, told=told)
        if told and answer[0]["r"][-1]["s"] == "timeout":
            found.append(deadline - begun)
        return answer

    monkeypatch.setattr(asking.Child, "receive", received)
    monkeypatch.setattr(asking, "SOON", 0.1)
    return found


@pytest.mark.slow
def test_a_loop_that_is_known_to_have_no_end_is_waited_for_a_part_of_the_limit_only(sandbox, waited):
    code = "def f(x):\n    while x > 1: pass\n    return x\n"
    programs = tuple(call("f", at, group="f") for at in range(4))
    limit = QUICK.call_s * sandbox.pace
    for endless, shares in ((frozenset({("hw.py", 2, 2)}), [0.4, 0.1]), (frozenset(), [0.4, 1.0, 0.1])):
        waited.clear()
        replies = sandbox.ask(replace(source(code), endless=endless), programs, QUICK).replies
        assert [reply.status for reply in replies] == ["value", "value", "timeout", "timeout"]
        assert waited == pytest.approx([share * limit for share in shares], rel=0.05)


STUCK = """
def stuck(x):
    while x: x = step(x)
def step(x):
    return x + 1
def caller(x):
    return stuck(x)
def slow(x):
    end = __import__("time").process_time() + 0.3
    while __import__("time").process_time() < end: step(x)
    return x
"""


@pytest.mark.slow
def test_what_comes_to_a_place_where_another_was_stuck_is_not_waited_for_again(sandbox, waited):
    programs = [call(name, 1, group=name) for name in ("stuck", "caller", "slow") for _ in range(3)]
    with sandbox.session() as session:
        replies = session.ask(source(STUCK), tuple(programs), QUICK).replies
        assert [reply.status for reply in replies] == ["timeout"] * 6 + ["value"] * 3
        assert sum(share == pytest.approx(QUICK.call_s * sandbox.pace, rel=0.05) for share in waited) == 1
        waited.clear()
        again = session.ask(source(STUCK + "\n"), (call("caller", 2), call("slow", 1)), QUICK).replies
        assert [reply.status for reply in again] == ["timeout", "value"]
        assert max(waited) < QUICK.call_s * sandbox.pace / 2


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("    while True:\n        try:\n            x += 1\n        except BaseException:\n            pass\n", 2),
        ("    __import__('time').sleep(60)\n", 1),
        ("    for _ in iter(int, 1): pass\n", 1),
    ],
    ids=["what it catches", "asleep", "in an iterator"],
)
def test_a_call_that_ran_out_of_time_tells_where_it_was(sandbox, body, line):
    reply = sandbox.ask(source(f"def f(x):\n{body}"), (call("f", 1),), replace(QUICK, call_s=0.3)).replies[0]
    assert reply.status == "timeout"
    ((file, at, name),) = reply.failure.frames
    assert (file, name) == ("hw.py", "f")
    assert at >= line


@pytest.mark.slow
def test_a_call_that_cannot_tell_where_it_was_is_out_of_time_all_the_same(sandbox):
    deaf = "import signal\ndef f(x):\n    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)\n    while True: pass\n"
    for code in (deaf, deaf.replace("DFL", "IGN")):
        reply = sandbox.ask(source(code), (call("f", 1),), replace(QUICK, call_s=0.3)).replies[0]
        assert (reply.status, reply.failure.frames) == ("timeout", ())


def test_answers_before_the_one_that_is_stuck_are_kept(sandbox):
    code = "SEEN = []\ndef f(x):\n    SEEN.append(x)\n    while x == 3: pass\n    return len(SEEN)\n"
    replies = sandbox.ask(source(code), tuple(call("f", at) for at in range(5)), replace(QUICK, call_s=0.3)).replies
    assert [reply.values for reply in replies] == [(1,), (2,), (3,), (), (1,)]


@pytest.mark.slow
def test_a_program_that_trains_has_several_limits(sandbox, monkeypatch):
    monkeypatch.setattr(asking, "LONG", frozenset({"call"}))
    code = "import time\ndef f(x):\n    time.sleep(1.2)\n    return x\n"
    reply = sandbox.ask(source(code), (call("f", 7),), replace(QUICK, call_s=0.6)).replies[0]
    assert reply.values == (7,)
