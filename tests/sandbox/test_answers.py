"""Values go over and come back as they are, lies and floods are refused, and more is asked of the same child."""

from __future__ import annotations

import numpy as np
import pytest
from grader.sandbox.plain import Program

from questions import QUICK, call, source


def test_values_before_a_failing_step_are_kept(sandbox):
    steps = (
        {"do": "let", "as": "x", "value": np.ones(2)},
        {"do": "call", "target": "f", "args": [{"$": "ref", "name": "x"}], "as": "y"},
        {"do": "get", "name": "x"},
        {"do": "get", "name": "nothing"},
    )
    reply = sandbox.ask(source("def f(x):\n    x *= 2\n    return x + 1\n"), (Program(steps),), QUICK).replies[0]
    assert (reply.status, reply.failure.step, len(reply.values)) == ("error", 3, 3)
    assert reply.values[1].tolist() == [3.0, 3.0]
    assert reply.values[2].tolist() == [2.0, 2.0]  # the call changed its argument in place


def test_nodes_are_rebuilt_in_the_child(sandbox):
    code = """
def draw(rng): return rng.random(2)
def step(f): return [f([1, 4]), f([9, 4]), f([7])]
def state():
    import random; random.random()
class Box:
    def __init__(self, a, b=0): self.a, self.b = a, b
    def add(self, x): return self.a + self.b + x
"""
    rows = {"$": "step_fn", "rows": {"1,4": [1.0]}, "last": {"4": [2.0]}, "default": [3.0]}
    programs = (
        call("draw", {"$": "rng", "seed": 5}),
        call("step", rows),
        Program(
            (
                {"do": "construct", "target": "Box", "args": [1], "kwargs": {"b": 2}, "as": "box", "seed": 3},
                {"do": "call", "on": "box", "method": "add", "args": [4]},
                {"do": "call", "on": "box", "method": "add", "args": [4], "quiet": True},
            )
        ),
        Program(({"do": "seed", "value": 1}, {"do": "random_state"}, {"do": "random_state"})),
        Program(({"do": "seed", "value": 1}, {"do": "call", "target": "state"}, {"do": "random_state"})),
    )
    draw, step, box, still, moved = sandbox.ask(source(code), programs, QUICK).replies
    assert draw.values[0].tolist() == np.random.default_rng(5).random(2).tolist()
    assert [row.tolist() for row in step.values[0]] == [[1.0], [2.0], [3.0]]
    assert box.values == (None, 7, None)
    assert still.values[1] == still.values[2] != moved.values[2]


def test_what_cannot_go_over_together_is_asked_one_by_one_and_printed_once(sandbox):
    code = "import numpy as np\ndef f(x):\n    print('got', x)\n    return np.zeros(x << 20)\n"
    replies = sandbox.ask(source(code), tuple(call("f", x) for x in (1, 1, 3, 1)), QUICK).replies
    assert [reply.status for reply in replies] == ["value", "value", "error", "value"]
    assert [reply.output for reply in replies] == ["got 1\n", "got 1\n", "got 3\n", "got 1\n"]
    assert replies[2].failure.message == "returned arrays of more than 16 MiB"


def test_answers_that_are_large_together_are_refused_and_not_kept(sandbox):
    code = "import numpy as np\ndef f(x): return np.ones(1 << 20)\n"
    replies = sandbox.ask(source(code), tuple(call("f", at) for at in range(6)), QUICK).replies
    assert [reply.status for reply in replies] == ["value"] * 4 + ["error"] * 2
    assert replies[-1].failure.message == "returned more than 32 MiB in all"


@pytest.mark.parametrize(
    "lie",
    [
        {"s": "value", "v": [], "f": None},
        {"s": "value", "v": [1, 2], "f": None},
        {"s": "error", "v": [], "f": None},
        {"s": "value", "v": [1], "f": {"type": "E", "message": "", "frames": [], "step": 0, "mro": []}},
        {"s": "error", "v": [], "f": {"type": "E", "message": "", "frames": [], "step": 7, "mro": []}},
        {"s": "passed", "v": [1], "f": None},
        {"s": "value", "v": {"t": []}, "f": None},
        {"s": "value", "v": [{"a": ["<f8", [4], 0]}], "f": None},
        {},
    ],
    ids=str,
)
def test_a_frame_that_lies_about_the_program_is_no_answer(sandbox, lie):
    code = f"""
import json, os, struct, sys
LIE = json.loads({__import__("json").dumps(__import__("json").dumps(lie))})
def f():
    frame = sys._getframe()
    while not isinstance(frame.f_locals.get("tree"), dict):
        frame = frame.f_back
    text = json.dumps({{"n": frame.f_locals["tree"]["n"], "r": [{{"o": 0, **LIE}}]}}).encode()
    os.write(3, struct.pack("<4sII", b"AGF1", len(text), 0) + text)
"""
    reply = sandbox.ask(source(code), (call("f"),), QUICK).replies[0]
    assert (reply.status, reply.values) == ("protocol", ())


def test_ten_thousand_numbers_and_many_programs_go_over_in_one_ask(sandbox):
    programs = tuple(call("f", np.full(10_000, float(at))) for at in range(60))
    replies = sandbox.ask(source("def f(x): return x * 2\n"), programs, QUICK).replies
    assert [float(reply.values[0][0]) for reply in replies] == [2.0 * at for at in range(60)]


def test_answers_of_many_parts_together_are_refused_and_not_kept(sandbox):
    replies = sandbox.ask(
        source("def f(x): return [[]] * 45_000"), tuple(call("f", at) for at in range(6)), QUICK
    ).replies
    assert [reply.status for reply in replies] == ["value"] * 4 + ["error"] * 2
    assert replies[-1].failure.message == "returned too many lists and texts in all"


COUNTING = "calls = 0\ndef f(x):\n    global calls\n    calls += 1\n    return [x, calls]\n"


def test_what_follows_from_the_replies_is_asked_of_the_same_child(sandbox):
    seen = []

    def further(replies):
        seen.append([reply.values[0] for reply in replies])
        return (call("f", 10 * len(seen)),) if len(seen) < 3 else ()

    answers = sandbox.ask(source(COUNTING), (call("f", 1), call("f", 2)), QUICK, further)
    assert seen == [[[1, 1], [2, 2]], [[10, 3]], [[20, 4]]]
    assert answers.loaded.status == "value"
    assert [reply.values for reply in answers.replies] == [([20, 4],)]


def test_what_follows_is_asked_of_a_new_child_where_the_first_one_ended(sandbox):
    rounds = [(call("f", 5),), ()]
    code = COUNTING + "import os\ndef leave(): os._exit(0)\n"
    answers = sandbox.ask(source(code), (call("f", 1), call("leave")), QUICK, lambda replies: rounds.pop(0))
    assert [reply.values for reply in answers.replies] == [([5, 1],)]


def test_nothing_follows_where_the_source_does_not_load(sandbox):
    answers = sandbox.ask(source("1 / 0\n"), (call("f"),), QUICK, lambda replies: pytest.fail("asked"))
    assert answers.loaded.failure.type == "ZeroDivisionError"
