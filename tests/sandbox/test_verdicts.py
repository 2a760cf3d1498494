"""Every way in which student code can end has its own verdict, and costs its own program only."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from grader.sandbox.parent import Chunk, Module, Program, Source

from questions import QUICK, call, source

GOOD = "\ndef good(x):\n    return x + 1\n"


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
    ("import os; os.abort()", "crashed", "ended by SIG"),
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
    before, bad, after = around(sandbox, f"def f():\n    {body}\n")
    assert bad.status == status
    assert bad.failure is not None
    assert words in bad.failure.message
    assert (before.values, after.values) == ((2,), (3,))


@pytest.mark.parametrize(("body", "status", "words"), BAD)
def test_a_bad_call_among_others_that_go_over_with_it_costs_itself_only(sandbox, body, status, words):
    code = f"def f():\n    {body}\n{GOOD}"
    programs = (call("good", 1), call("good", 2), call("f"), call("good", 3))
    first, second, bad, last = sandbox.ask(source(code), programs, QUICK).replies
    assert [first.values, second.values, last.values] == [(2,), (3,), (4,)]
    assert bad.status == status
    assert words in bad.failure.message


def test_what_cannot_go_over_together_is_asked_one_by_one_and_printed_once(sandbox):
    code = "import numpy as np\ndef f(x):\n    print('got', x)\n    return np.zeros(x << 20)\n"
    replies = sandbox.ask(source(code), tuple(call("f", x) for x in (1, 1, 3, 1)), QUICK).replies
    assert [reply.status for reply in replies] == ["value", "value", "error", "value"]
    assert [reply.output for reply in replies] == ["got 1\n", "got 1\n", "got 3\n", "got 1\n"]
    assert replies[2].failure.message == "returned arrays of more than 16 MiB"


def test_a_processor_time_limit_is_told_from_a_crash(sandbox):
    limits = replace(QUICK, cpu=1, call_wall=5.0)
    reply = sandbox.ask(source("def f():\n    while True: pass\n"), (call("f"),), limits).replies[0]
    assert reply.status == "timeout"
    assert "1 s of processor time" in reply.failure.message


def test_a_loop_at_import_costs_the_load_limit_once(sandbox, monkeypatch):
    made = []
    child = sandbox.child
    monkeypatch.setattr(sandbox, "child", lambda limits: made.append(limits) or child(limits))
    answers = sandbox.ask(source("while True: pass\n"), (call("f"), call("g")), replace(QUICK, load_wall=0.5))
    assert len(made) == 1
    assert answers.loaded.status == "timeout"
    assert "within the time limit" in answers.loaded.failure.message
    assert [reply.status for reply in answers.replies] == ["timeout", "timeout"]


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("import sys; sys.exit(0)", "error", "SystemExit"),
        ("import os; os._exit(0)", "crashed", "Exit"),
        ("def f(:\n", "error", "SyntaxError"),
        ("1/0", "error", "ZeroDivisionError"),
        ("x = bytearray(100 << 30)", "memory", "MemoryError"),
        ("import reference", "error", "ModuleNotFoundError"),
        ("from grader import components", "error", "ModuleNotFoundError"),
    ],
)
def test_a_module_that_does_not_load_says_why(sandbox, code, status, kind):
    answers = sandbox.ask(source(code), (call("f"),), QUICK)
    assert (answers.loaded.status, answers.loaded.failure.type) == (status, kind)
    assert answers.replies[0].status == status


def test_a_failure_names_the_students_own_frames(ask):
    reply = ask("def g(x):\n    return x[9]\n\ndef f(x):\n    return g(x)\n", "f", [1])
    assert reply.failure.frames == (("hw.py", 5, "f"), ("hw.py", 2, "g"))
    assert reply.failure.mro == ("IndexError", "LookupError", "Exception", "BaseException", "object")
    assert reply.failure.step == 0


def test_a_syntax_error_names_its_line(sandbox):
    failure = sandbox.ask(source("x = 1\ny = = 2\n"), (), QUICK).loaded.failure
    assert failure.frames == (("hw.py", 2, "<module>"),)


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
    assert 0 < len(reply.output) <= QUICK.output


def test_a_flood_past_python_neither_blocks_nor_grows(ask):
    code = "import os\ndef f():\n    for _ in range(2_000): os.write(1, b'A' * 60000)\n    return 7\n"
    reply = ask(code)
    assert reply.values == (7,)
    assert len(reply.output) <= QUICK.output


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
    deadline = time.monotonic() + 5
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
    replies = sandbox.ask(source(code), tuple(call("f", at) for at in range(50)), limits).replies
    answered = [reply.values for reply in replies if reply.status == "value"]
    assert answered == [(at,) for at in range(len(answered))]
    assert 1 <= len(answered) <= 1.5 / 0.25  # each takes a quarter of a second at least, however slow the machine
    assert {reply.status for reply in replies[len(answered) :]} == {"timeout"}
    assert "1.5 s for all" in replies[-1].failure.message


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


def test_several_modules_import_each_other_and_run_once(sandbox):
    code = "print('hw')\nfrom layers import double\nimport pack.deep\ndef f(x): return double(x) + pack.deep.ONE\n"
    others = (
        ("layers", "print('layers')\nimport hw\ndef double(x): return 2 * x\n"),
        ("pack.deep", "from layers import double\nONE = 1\n"),
    )
    answers = sandbox.ask(source(code, *others), (call("f", 3), call("double", 4)), QUICK)
    assert [reply.values for reply in answers.replies] == [(7,), (8,)]
    assert answers.loaded.output == "hw\nlayers\n"
    assert ("layers", "double", "function") in answers.loaded.names
    assert ("pack.deep", "ONE", "value") in answers.loaded.names


def test_a_broken_second_module_is_noted_and_blamed_only_for_what_is_missing(sandbox):
    answers = sandbox.ask(
        source("def f(): return 1\n", ("train", "import numpy\n1/0\ndef g(): pass\n")),
        (call("f"), call("g")),
        QUICK,
    )
    assert answers.loaded.status == "value"
    assert any("ZeroDivisionError" in note for note in answers.loaded.notes)
    assert [reply.status for reply in answers.replies] == ["value", "error"]
    assert answers.replies[1].failure.type == "ZeroDivisionError"


def test_a_module_with_the_name_of_a_library_does_not_take_its_place(sandbox):
    answers = sandbox.ask(
        source(
            "import numpy, random\ndef f(): return float(numpy.exp(0)), random.random() < 2\n",
            ("numpy", "exp = 1"),
            ("random", ""),
        ),
        (call("f"),),
        QUICK,
    )
    assert answers.replies[0].values == ((1.0, True),)
    assert any("numpy.py is not run" in note for note in answers.loaded.notes)


@pytest.mark.parametrize("says", ["raise SystemExit(0)", "raise RuntimeError", "return type", "1 / 0", "return None"])
def test_a_value_is_named_by_its_own_type_whatever_it_says_of_its_class(sandbox, says):
    code = f"""
class Odd:
    @property
    def __class__(self):
        {says}
odd = Odd()
class Called(Odd):
    def __call__(self): return 2
called = Called()
def f(): return 1
"""
    answers = sandbox.ask(source(code), (call("f"), call("called")), QUICK)
    assert answers.loaded.names == (
        ("hw", "Odd", "class"),
        ("hw", "odd", "value"),
        ("hw", "Called", "class"),
        ("hw", "called", "function"),
        ("hw", "f", "function"),
    )
    assert [reply.values for reply in answers.replies] == [(1,), (2,)]


def test_a_main_block_does_not_run(ask):
    assert ask("if __name__ == '__main__':\n    1/0\ndef f(): return 1\n").values == (1,)


def notebook(*cells: str) -> Source:
    chunks = tuple(Chunk(code, f"work.ipynb[cell {at}]", tolerate=True) for at, code in enumerate(cells, 1))
    return Source((Module("work", chunks),))


def test_cells_that_fail_are_noted_and_the_next_ones_run(sandbox):
    cells = notebook("import os", "open('data.csv')", "raise SystemExit", "x = = 1", "def f(): return os.sep")
    answers = sandbox.ask(cells, (call("f"),), QUICK)
    assert answers.loaded.status == "value"
    assert [note.split(":")[0] for note in answers.loaded.notes] == [f"work.ipynb[cell {n}]" for n in (2, 3, 4)]
    assert answers.replies[0].values == ("/",)


def test_a_cell_that_trains_for_ever_is_stopped_and_the_next_ones_run(sandbox):
    cells = notebook("while True:\n    try:\n        pass\n    except Exception: pass", "def f(): return 1")
    answers = sandbox.ask(cells, (call("f"),), replace(QUICK, load_wall=1.0))
    assert answers.replies[0].values == (1,)
    assert "stopped after" in answers.loaded.notes[0]


def test_a_failure_in_a_cell_names_the_cell(sandbox):
    reply = sandbox.ask(notebook("a = 1", "def f():\n    return 1 / 0"), (call("f"),), QUICK).replies[0]
    assert reply.failure.frames == (("work.ipynb[cell 2]", 2, "f"),)


def test_source_of_a_student_function_is_found_by_inspect(ask):
    assert ask("import inspect\ndef f():\n    return inspect.getsource(f)\n").values == (
        "def f():\n    return inspect.getsource(f)\n",
    )


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
def kind(d): return d(3).dtype.name
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
        call("kind", {"$": "dtype", "name": "float32"}),
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
    draw, step, kind, box, still, moved = sandbox.ask(source(code), programs, QUICK).replies
    assert draw.values[0].tolist() == np.random.default_rng(5).random(2).tolist()
    assert [row.tolist() for row in step.values[0]] == [[1.0], [2.0], [3.0]]
    assert kind.values == ("float32",)
    assert box.values == (None, 7, None)
    assert still.values[1] == still.values[2] != moved.values[2]


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
        source("def f(x): return [[]] * 45_000"), tuple(call("f", at) for at in range(12)), QUICK
    ).replies
    assert [reply.status for reply in replies] == ["value"] * 4 + ["error"] * 8
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


@pytest.mark.parametrize("odd", ["\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_lines_are_counted_as_python_counts_them(ask, odd):
    code = f"# a page{odd}break\nimport inspect\ndef f():\n    return inspect.getsource(f)\n"
    assert ask(code).values[0] == "def f():\n    return inspect.getsource(f)\n"


def test_a_program_that_takes_most_of_its_limit_is_in_time_and_so_are_those_after_it(sandbox):
    code = "import time\ndef f(x):\n    time.sleep(2.3)\n    return x\n"
    replies = sandbox.ask(source(code), tuple(call("f", at) for at in range(3)), replace(QUICK, call_wall=5.0)).replies
    assert [reply.values for reply in replies] == [(at,) for at in range(3)]


@pytest.mark.parametrize("bad", [{0}, {1}, {2, 4}, {1, 2}])
def test_programs_of_a_group_that_end_are_judged_beside_two_at_most_that_do_not(sandbox, bad):
    code = f"BAD = {bad}\ndef f(x):\n    while x in BAD: pass\n    return x\n"
    replies = sandbox.ask(source(code), tuple(call("f", at) for at in range(6)), replace(QUICK, call_wall=0.3)).replies
    after = max(bad) if len(bad) > 1 else 6
    assert [reply.status for reply in replies] == ["timeout" if at in bad or at > after else "value" for at in range(6)]
