"""A solution is loaded anew for each round of questions: what can be asked together is asked in one."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from types import SimpleNamespace
from typing import Any, cast

from grader.learning.trial import Trial
from grader.model import Submission
from grader.sandbox.parent import Program, Reply

Judge = Generator[Sequence[Program], Sequence[Reply], str]


def _program(name: str) -> Program:
    return Program(({"do": "call", "target": name},))


def _judge(*rounds: str) -> Judge:
    told = ""
    for names in rounds:
        replies = yield [_program(name) for name in names]
        told += "".join(str(reply.values[0]) for reply in replies)
    return told


def test_rounds_of_several_judges_go_together() -> None:
    asked: list[str] = []

    def ask(_: object, programs: Sequence[Program], __: object) -> Any:
        names = [str(program.steps[0]["target"]) for program in programs]
        asked.append("".join(names))
        return SimpleNamespace(replies=[Reply("value", values=(name.upper(),)) for name in names])

    trial = Trial(Submission("s.py", ()), cast("Any", SimpleNamespace(ask=ask)))
    assert trial.run_together([_judge("ab", "c"), _judge("ad"), _judge("e", "f", "ag")]) == ["ABC", "AD", "EFAG"]
    assert asked == ["abde", "cf", "g"]
