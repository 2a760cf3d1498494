"""What a program printed is its own: none is lost to another one's, given to it, or left lying for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from questions import QUICK, call, source

CAP = QUICK.output_bytes


def test_prints_are_captured_by_program(sandbox):
    code = "print('loading')\ndef f(x):\n    print('got', x)\n"
    answers = sandbox.ask(source(code), (call("f", 1), call("f", 2)), QUICK)
    assert answers.loaded.output == "loading\n"
    assert [reply.output for reply in answers.replies] == ["got 1\n", "got 2\n"]


def test_much_that_is_printed_is_captured_by_program_too(sandbox):
    code = "def f(x):\n    print(str(x) * (CAP - 1))\n".replace("CAP", str(CAP))
    replies = sandbox.ask(source(code), tuple(call("f", x) for x in range(8)), QUICK).replies
    assert [(reply.output[:1], len(reply.output)) for reply in replies] == [(str(x), CAP) for x in range(8)]


def test_what_a_child_prints_ahead_is_neither_lost_nor_of_another_program(sandbox):
    code = "def f(x):\n    print(str(x % 10) * 100_000)\n\ndef g(x):\n    return x\n"
    programs = (*(call("f", x, group=str(x // 32)) for x in range(128)), call("g", 1, group="g"))
    *loud, quiet = sandbox.ask(source(code), programs, QUICK).replies
    assert [reply.output for reply in loud] == [str(x % 10) * CAP for x in range(128)]
    assert quiet.output == ""


@pytest.mark.parametrize("count", [0, 3, 70_000], ids=["nothing", "little", "past the cap"])
def test_prints_of_answers_that_are_too_much_together_are_of_no_other_program(sandbox, count):
    code = f"""
import numpy as np
def big(x):
    print('b' * {count}, end='')
    return np.zeros(x)
def f(x):
    print('f')
    return x
"""
    programs = (*(call("big", 786_432, group=group) for group in "aabbcc"), call("f", 1, group="d"))
    *large, last = sandbox.ask(source(code), programs, replace(QUICK, memory_bytes=1 << 30)).replies
    assert [reply.status for reply in large] == ["value"] * 5 + ["error"]
    assert [reply.output for reply in large] == ["b" * min(count, CAP)] * 6
    assert (last.status, last.output) == ("value", "f\n")


def test_prints_of_lists_that_are_too_many_together_are_of_no_other_program(sandbox):
    code = "def f(x):\n    print('f', x)\n    return [[]] * 45_000\n\ndef g(x):\n    print('g')\n    return x\n"
    programs = (*(call("f", at, group=str(at)) for at in range(6)), call("g", 1, group="g"))
    *many, last = sandbox.ask(source(code), programs, QUICK).replies
    assert [reply.status for reply in many] == ["value"] * 4 + ["error"] * 2
    assert [reply.output for reply in many] == [f"f {at}\n" for at in range(6)]
    assert last.output == "g\n"


def test_what_the_last_words_of_a_program_that_ended_the_process_were_is_its_own(sandbox):
    code = "import os\ndef f(x):\n    print('f', x)\n    if x == 2: os._exit(0)\n    return x\n"
    replies = sandbox.ask(source(code), tuple(call("f", x) for x in range(5)), QUICK).replies
    assert [reply.output for reply in replies] == [f"f {x}\n" for x in range(5)]
