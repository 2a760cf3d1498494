"""A loop without an end is found by what its body leaves alone, never by a guess."""

from __future__ import annotations

import pytest

from grader.judging.wording import told
from grader.model.outcome import Location
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.sandbox.plain import Failure, Limits
from grader.source import loops_around, loops_of

CHANGED = [
    "while i < 10:\n        x = x + 0",
    "while n < len(Q):\n        row = Q[n]\n        rows.append(row)",
    "while abs(error) > 1e-6 and steps < 100:\n        x = step(x)",
    "while not done:\n        total += 1",
    "while i < len(Q):\n        for j in range(3):\n            Q[j] + i",
    "while i < len(Q):\n        rows.append(softmax(Q[i] @ Q.T / np.sqrt(Q.shape[-1])))",
    "while i < x.shape[0] and n != x.shape[-1]:\n        take(x[i] + i, key=-n)",
    "while i < x.size(0):\n        for row in x:\n            take(row)",
]
LEFT = ["while True:\n        pass", "while 1:\n        x = softmax(x)"]
DEPENDS = [
    "while i < 10:\n        i += 1", "while i < 10:\n        i = i - 1", "while queue:\n        queue.pop()",
    "while queue:\n        take(queue)", "while len(queue) > 0:\n        del queue[0]",
    "while queue[0] < 3:\n        queue[0] += 1", "while x.any():\n        y = 1", "while go():\n        y = 1",
    "while x > 0:\n        y = x\n        y -= 1", "while x > 0:\n        for x in range(3):\n            pass",
    "while x > 0:\n        if y:\n            break", "while True:\n        return x", "while True:\n        yield x",
    "while x > 0:\n        def f():\n            nonlocal x\n            x = 0\n        f()",
    "while (n := n - 1) > 0:\n        pass", "while x > 0:\n        np.subtract(x, 1, out=x)",
    "while False:\n        pass", "while i < len(Q):\n        take([Q, x])", "while i < len(Q):\n        Q[:] = []",
    "while i < len(Q):\n        y = x if n else Q\n        y.pop()", "while i < len(Q):\n        Q.pop()",
    "while i < x.shape[n]:\n        n -= 1", "while sum(Q) > 0:\n        take(Q[0])",
    "while max(Q) > x:\n        for row in Q:\n            row -= 1",
    "while sum(x) > 0:\n        y = x.T\n        y -= 1",
]  # fmt: skip


def modules(code: str) -> tuple[CodeModule, ...]:
    return (CodeModule("work", (CodeChunk(code, "work.py"),)),)


@pytest.mark.parametrize(
    ("loop", "endless"),
    [*((text, "changed") for text in CHANGED), *((text, "left") for text in LEFT), *((text, "") for text in DEPENDS)],
)
def test_a_loop_is_called_endless_only_where_nothing_in_it_can_end_it(loop: str, endless: str) -> None:
    (found,) = loops_of(modules(f"def f(x, Q, queue):\n    i = n = 0\n    {loop}\n"))
    assert (found.endless, found.place) == (endless, Location("work.py", 3))


@pytest.mark.parametrize("word", ["nonlocal", "global"])
def test_a_name_that_some_function_binds_from_inside_is_not_called_unchanged(word: str) -> None:
    code = f"def f(n):\n    i = 0\n    def go():\n        {word} i\n        i += 1\n    while i < n:\n        go()\n"
    assert [loop.endless for loop in loops_of(modules(code))] == [""]


def test_only_loops_that_hold_a_line_are_asked_about() -> None:
    code = "def used(x):\n    while x:\n        x -= 1\n    return x\n\nwhile used(1):\n    while True:\n        pass\n"
    for lines, found in (([], []), ([3], [2]), ([1, 4], []), ([7], [6, 7]), ([6, 3], [2, 6]), ([8], [6, 7])):
        told = loops_around(modules(code), [("work.py", line) for line in lines])
        assert sorted(loop.place.line for loop in told) == found
    assert loops_around(modules(code), [("other.py", 3)]) == ()
    assert loops_around(modules("while x:"), [("work.py", 1)]) == ()


def out_of_time(*lines: int, file: str = "work.py") -> Failure:
    return Failure("TimeLimit", "no answer within the time limit", tuple((file, line, "f") for line in lines))


ENDLESS = "    i = 0\n    while i < 3:\n        x = x\n"
COUNTS = "    i = 0\n    while i < 3:\n        i += step\n"


@pytest.mark.parametrize(
    ("body", "lines", "said", "line"),
    [
        (ENDLESS, [4], ("did not come back: nothing in the loop at work.py, line 3 (`while i < 3:`) changes"
         " its condition"), 3),
        ("    while True:\n        pass\n", [2], ("did not come back: nothing leaves the loop at work.py, line 2"
         " (`while True:`)"), 2),
        (COUNTS, [4], "did not come back within 5 s: does the loop at work.py, line 3 (`while i < 3:`) ever end?", 3),
        (COUNTS + COUNTS, [4], ("did not come back within 5 s: does the loop at work.py, line 3 (`while i < 3:`) ever"
         " end?"), 3),
        (COUNTS + "        while x < 3:\n            x += step\n", [6], ("did not come back within 5 s: does each loop"
         " end? There is one at work.py, line 3 (`while i < 3:`); at work.py, line 5 (`while x < 3:`)"), None),
        (COUNTS + "        while x < 3:\n            pass\n", [6], ("did not come back: nothing in the loop at work.py,"
         " line 5 (`while x < 3:`) changes its condition"), 5),
        (COUNTS + "    return sorted(x)\n", [5], "did not come back within 5 s", None),
        (COUNTS, [], "did not come back within 5 s", None),
    ],
)  # fmt: skip
def test_a_call_that_does_not_come_back_names_the_loop_that_it_is_in(
    body: str, lines: list[int], said: str, line: int | None
) -> None:
    work = Submission("w", "work.py", modules=modules(f"def f(x, step):\n{body}"))
    text, place, _ = told("timeout", out_of_time(*lines), work, Limits())
    assert (text, place and place.line) == (said, line)


def test_a_file_that_does_not_end_names_its_own_loop_and_keeps_the_guess_where_there_is_none() -> None:
    work = Submission("w", "work.py", modules=modules("n = 0\nwhile n < 3:\n    m = 1\n"))
    text, place, _ = told("timeout", out_of_time(3), work, Limits(), loading=True)
    assert text == (
        "running the file from top to bottom did not end within 10 s: nothing in the loop at work.py, line 2"
        " (`while n < 3:`) changes its condition"
    )
    assert place == Location("work.py", 2)
    none = Submission("w", "work.py", modules=modules("for n in range(10 ** 12):\n    pass\n"))
    text, place, _ = told("timeout", out_of_time(1), none, Limits(), loading=True)
    assert text.endswith('a loop without an end, or a training run that belongs under `if __name__ == "__main__":`?')
    assert place is None


@pytest.mark.parametrize(
    ("kind", "note"),
    [
        ("TotalTime", "the 120 s for all were used up"),
        ("NotAsked", "not asked: two others of its group ran out of time"),
    ],
)
def test_what_was_not_run_is_told_without_a_loop(kind: str, note: str) -> None:
    work = Submission("w", "work.py", modules=modules(f"def f(x):\n{ENDLESS}"))
    text, place, _ = told("timeout", Failure(kind, note), work, Limits())
    assert text.startswith("was not run: ")
    assert "loop" not in text
    assert place is None


def test_a_loop_in_a_cell_is_named_by_its_cell_and_a_long_condition_is_cut() -> None:
    long = " or ".join(f"x < {n}" for n in range(40))
    cell = CodeModule("work", (CodeChunk(f"def f(x):\n    while {long}:\n        pass\n", "work.ipynb[cell 3]", 3),))
    text, _, _ = told(
        "timeout", out_of_time(3, file="work.ipynb[cell 3]"), Submission("w", "work.ipynb", modules=(cell,)), Limits()
    )
    assert "the loop at work.ipynb, cell 3, line 2 (`while x < 0 or x < 1" in text
    assert len(text) < 200
