"""A session asks about one submission in several forms; a child that is still good loads the next one."""

from dataclasses import replace

import pytest
from grader.sandbox.parent import Sandbox
from grader.sandbox.plain import Chunk, Limits, Module, Program, Reply, Source

PID = "import os\ndef pid():\n    return os.getpid()\n"
LIMITS = Limits(load_s=5.0, call_s=1.0, total_s=20.0)


def source(code: str, *others: Module) -> Source:
    return Source((Module("work", (Chunk(code, "work.py"),)), *others))


def call(target: str, *args: object) -> Program:
    return Program(({"do": "call", "target": target, "args": list(args)},))


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(level="auto") as box:
        yield box


def value(session, code: str, target: str, *args: object) -> object:
    answers = session.ask(source(code), (call(target, *args),), LIMITS)
    return answers.replies[0].values[-1] if answers.replies[0].values else answers.replies[0].status


COUNTED = "import itertools\nnumbers = itertools.count()\ndef number():\n    return next(numbers)\n"


def test_what_a_form_has_kept_is_gone_when_the_next_one_is_loaded(sandbox: Sandbox) -> None:
    cached = "from functools import cache\ndef part():\n    return {0}\n@cache\ndef whole():\n    return part()\n"
    with sandbox.session() as session:
        assert value(session, COUNTED, "number") == 0
        assert value(session, COUNTED, "number") == 0
        assert value(session, cached.format(1), "whole") == 1
        assert value(session, cached.format(2), "whole") == 2


def test_a_module_of_the_form_before_is_not_found_any_more(sandbox: Sandbox) -> None:
    other = Module("other", (Chunk("kept = 5\n", "other.py"),))
    asks = "def asks():\n    import other\n    return other.kept\n"
    with sandbox.session() as session:
        first = session.ask(source(asks, other), (call("asks"),), LIMITS)
        assert first.replies[0].values == (5,)
        second = session.ask(
            source("import sys\ndef asks():\n    return 'other' in sys.modules\n"), (call("asks"),), LIMITS
        )
        assert second.replies[0].values == (False,)


def test_a_stand_in_for_an_absent_package_is_made_anew(sandbox: Sandbox) -> None:
    absent = "import nowhere_to_be_found as n\ndef same():\n    return 1\n"
    with sandbox.session() as session:
        notes = [session.ask(source(absent), (call("same"),), LIMITS).loaded.notes for _ in range(2)]
    assert notes == [("nowhere_to_be_found is not among the packages of this homework; a stand-in was used",)] * 2


def children(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    made: list[object] = []
    fresh = sandbox.child
    monkeypatch.setattr(sandbox, "child", lambda limits: made.append(1) or fresh(limits))
    return made


@pytest.mark.parametrize(
    ("code", "target", "expected", "count"),
    [("def f():\n    return 1\n", "f", 1, 1),
     ("def f():\n    raise ValueError('no')\n", "f", "error", 1),
     ("import os\ndef f():\n    os._exit(3)\n", "f", "crashed", 2),
     ("def f():\n    while True: pass\n", "f", "timeout", 3)],
)  # fmt: skip
def test_only_a_child_with_which_nothing_is_wrong_is_used_again(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, code: str, target: str, expected: object, count: int
) -> None:
    made = children(sandbox, monkeypatch)
    with sandbox.session() as session:
        assert value(session, code, target) == expected
        assert type(value(session, code + PID, "pid")) is int
    assert len(made) == count


def test_a_source_that_loads_once_only_has_a_fresh_child_for_the_second_time(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = children(sandbox, monkeypatch)
    guard = "import math\nif hasattr(math, 'seen'):\n    raise RuntimeError('twice')\nmath.seen = 1\n"
    once = guard + "def f():\n    return 7\n"
    with sandbox.session() as session:
        assert [value(session, once, "f") for _ in range(3)] == [7, 7, 7]
    assert len(made) == 3


TWICE = "import math\nif hasattr(math, 'seen'):\n    raise RuntimeError('twice')\nmath.seen = 1\n"
LATE = "def f():\n    return 7\n"
PARTLY = {
    "breaks off half way": (Module("work", (Chunk("def g():\n    return 1\n" + TWICE + LATE, "work.py"),)),),
    "in another module": (
        Module("work", (Chunk("def g():\n    return 1\n", "work.py"),)),
        Module("other", (Chunk(TWICE + LATE, "other.py"),)),
    ),
    "in a cell": (Module("work", tuple(Chunk(code, "cell", tolerate=True) for code in (TWICE + LATE, "x = 1"))),),
    "defines less": (
        Module(
            "work", (Chunk("import math\nif not hasattr(math, 'seen'):\n    def f(): return 7\nmath.seen = 1", "w.py"),)
        ),
    ),
}


@pytest.mark.parametrize("modules", PARTLY.values(), ids=PARTLY)
def test_a_source_that_loads_in_part_the_second_time_has_a_fresh_child_too(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, modules: tuple[Module, ...]
) -> None:
    made = children(sandbox, monkeypatch)
    with sandbox.session() as session:
        found = [session.ask(Source(modules), (call("f"),), LIMITS) for _ in range(3)]
    assert [one.replies[0].values for one in found] == [(7,)] * 3
    assert [(one.loaded.failure, one.loaded.notes) for one in found] == [(None, ())] * 3
    assert len(made) == 3


def test_a_source_that_breaks_off_at_the_same_line_each_time_is_loaded_in_the_same_child(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = children(sandbox, monkeypatch)
    with sandbox.session() as session:
        assert [value(session, LATE + "open('data.csv')\n", "f") for _ in range(3)] == [7, 7, 7]
    assert len(made) == 1


def test_a_source_that_does_not_load_is_told_by_a_fresh_child(sandbox: Sandbox) -> None:
    with sandbox.session() as session:
        assert value(session, PID, "pid") != "error"
        loaded = session.ask(source("def f(:\n"), (call("f"),), LIMITS).loaded
    assert (loaded.status, loaded.failure.type) == ("error", "SyntaxError")


def test_after_renew_the_next_ask_has_a_fresh_child(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    made = children(sandbox, monkeypatch)
    with sandbox.session() as session:
        for _ in range(2):
            value(session, PID, "pid")
        session.renew()
        value(session, PID, "pid")
    assert len(made) == 2


def test_what_the_second_form_prints_is_its_own(sandbox: Sandbox) -> None:
    prints = "print('loaded {0}')\ndef f():\n    print('called {0}')\n    return 1\n"
    with sandbox.session() as session:
        told = [session.ask(source(prints.format(n)), (call("f"),), LIMITS) for n in (1, 2)]
    assert [(one.loaded.output, one.replies[0].output) for one in told] == [
        ("loaded 1\n", "called 1\n"), ("loaded 2\n", "called 2\n")
    ]  # fmt: skip


@pytest.mark.slow
def test_all_forms_after_the_first_share_one_wall(sandbox: Sandbox) -> None:
    slow = source("import time\ndef f(x):\n    time.sleep(0.25)\n    return x\n")
    limits = replace(LIMITS, total_s=1.0)
    asked = tuple(call("f", at) for at in range(12 * sandbox.pace))
    rounds = []

    def further(replies: tuple[Reply, ...]) -> tuple[Program, ...]:
        rounds.append(sum(reply.status == "value" for reply in replies))
        return asked if len(rounds) % 3 else ()

    with sandbox.session() as session:
        found = [session.ask(slow, asked, limits, further) for _ in range(3)]
    assert [len(one.replies) for one in found] == [len(asked)] * 3
    wall = limits.stretched(sandbox.pace).total_s  # the first form has it for each round
    assert sum(rounds[3:]) <= wall / 0.25
    assert rounds[-1] == 0
    assert {reply.status for reply in found[-1].replies} == {"timeout"}


def test_two_submissions_never_share_a_child(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    made = children(sandbox, monkeypatch)
    for _ in range(2):
        with sandbox.session() as session:
            value(session, PID, "pid")
    sandbox.ask(source(PID), (call("pid"),), LIMITS)
    assert len(made) == 3
