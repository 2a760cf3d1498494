"""A solution is loaded anew for each round of questions: what can be asked together is asked in one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Sequence
from types import SimpleNamespace
from typing import Any, cast

from grader.learning.calls import running
from grader.learning.running import quickly
from grader.learning.trial import Trial
from grader.model.assignment import Interface
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.sandbox.plain import Failure, Loaded, Program, Reply

Judge = Generator[Sequence[Program], Sequence[Reply], str]


def _program(name: str) -> Program:
    return Program(({"do": "call", "target": name},))


def _judge(*rounds: str) -> Judge:
    told = ""
    for names in rounds:
        replies = yield [_program(name) for name in names]
        told += "".join(str(reply.values[0]) for reply in replies)
    return told


def test_what_does_not_end_is_left_out_of_all_further_rounds() -> None:
    code = "def f():\n    return 1\n\nwhile (\n    True\n):\n    f()\nlast = 2\n"
    asked: list[str] = []

    def ask(source: Any, *_: object) -> Any:
        asked.append(source.modules[0].chunks[0].code)
        stopped = Failure("Stopped", "it had not ended after 8.0 s", (("s.py", 7, "<module>"),), -1)
        return SimpleNamespace(loaded=Loaded("value", stopped if "while" in asked[-1] else None))

    solution = Submission("s", "s.py", (CodeModule("s", (CodeChunk(code, "s.py"),)),))
    left, told = quickly(solution, cast("Any", SimpleNamespace(ask=ask)))
    assert asked == [code, "def f():\n    return 1\n\npass\n\n\n\nlast = 2\n"]
    assert left.modules[0].chunks[0].code == asked[-1]
    assert told == ("s.py:7 does not run here (Stopped: it had not ended after 8.0 s)",)


def test_rounds_of_several_judges_go_together() -> None:
    asked: list[str] = []

    def ask(_: object, programs: Sequence[Program], __: object) -> Any:
        names = [str(program.steps[0]["target"]) for program in programs]
        asked.append("".join(names))
        return SimpleNamespace(replies=[Reply("value", values=(name.upper(),)) for name in names])

    trial = Trial(Submission("s", "s.py"), cast("Any", SimpleNamespace(ask=ask)))
    assert trial.run_together([_judge("ab", "c"), _judge("ad"), _judge("e", "f", "ag")]) == ["ABC", "AD", "EFAG"]
    assert asked == ["abde", "cf", "g"]


def _way(batch: str, shape: str) -> dict[str, Any]:
    return {"batch": batch, "mask_shapes": [shape]}


def _asked(replies: Callable[[dict[str, Any]], Reply]) -> list[dict[str, Any]]:
    """The ways that are tried of many, where the one who takes them says that their answers have a right shape."""
    asked: list[dict[str, Any]] = []

    def scouted(interfaces: Sequence[Interface], _: str) -> list[Reply]:
        asked.extend(dict(one.conventions) for one in interfaces)
        return [replies(dict(one.conventions)) for one in interfaces]

    trial = SimpleNamespace(
        budget=lambda _: lambda: True,
        scouted=scouted,
        subject=lambda one, _: SimpleNamespace(scout=replies(dict(one.conventions))),
    )
    every = [_way(batch, f"({at}, m)") for at in range(60) for batch in ("first", "second")]
    one: Any = SimpleNamespace(module="s")
    taken = running(cast("Any", trial), one, Interface("encoder", "E"), every)
    with contextlib.suppress(StopIteration):
        next(taken)
        while True:
            taken.send(True)
    return asked


def test_an_order_of_axes_with_which_a_class_fails_alike_is_given_up() -> None:
    def failing(said: dict[str, Any]) -> Reply:
        return Reply("error", failure=Failure("RuntimeError", f"no {said['batch']}", (("s.py", 3, "E.forward"),), 0))

    assert len(_asked(failing)) < 24


def test_of_masks_that_hide_nothing_one_shape_has_to_do() -> None:
    def running_second(said: dict[str, Any]) -> Reply:
        text = f"{said['mask_shapes']}"
        return Reply("value") if said["batch"] == "second" else Reply("error", failure=Failure("E", text, (), 0))

    assert sum(said["batch"] == "second" for said in _asked(running_second)) <= 4
    assert sum(said["batch"] == "first" for said in _asked(running_second)) == 60
