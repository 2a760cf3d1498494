"""Whether a table of positions is trained is judged where the course says it, and left to students where not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from grader import components as catalogue
from grader.model import Interface, Verdict

TRAINED, FIXED = (SimpleNamespace(name="table", trained=True),), ()


@pytest.mark.parametrize("part", ["language_model", "encoder", "decoder"])
@pytest.mark.parametrize(
    ("declared", "table", "verdict"),
    [
        (True, TRAINED, Verdict.PASSED),
        (True, FIXED, Verdict.FAILED),
        (False, FIXED, Verdict.PASSED),
        (False, TRAINED, Verdict.FAILED),
    ],
)
def test_what_is_declared_of_the_table_is_judged(part: str, declared: bool, table: Any, verdict: Verdict) -> None:
    conventions = {"form": "class", "learned_positions": declared}
    parameters = ("ids", *catalogue.block(part).parameters[1:])
    interface = Interface(part, "Model", parameters=parameters, conventions=conventions)
    block = catalogue.of(interface)
    check = next(one for one in block.checks if one.name == "table_is_trained_or_not")
    assert check.name in block.asked(interface)
    assert check.title.endswith("is trained" if declared else "is not trained")
    making = SimpleNamespace(said=conventions)
    subject: Any = SimpleNamespace(fault=None, material=SimpleNamespace(positions=table), making=making)
    assert check.judge(subject).verdict is verdict


def test_what_is_not_declared_of_the_table_is_not_asked() -> None:
    for part in ("language_model", "encoder", "decoder"):
        interface = Interface(part, "Model", parameters=("ids",), conventions={"form": "class"})
        assert "table_is_trained_or_not" not in catalogue.of(interface).asked(interface)
