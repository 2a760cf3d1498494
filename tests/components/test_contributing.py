"""The recipes that CONTRIBUTING.md prints do what it says."""

from __future__ import annotations

import copy
import re
import tomllib
from pathlib import Path

import reference
from grader import mistakes
from grader.auditing.rehearsal import rehearse
from grader.component.component import Component
from grader.components import attention as file
from grader.components.attention import component as attention
from grader.model.assignment import Interface
from grader.model.outcome import Verdict
from grader.properties import Array

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"
AS_SET = Interface("scaled_dot_product_attention", "f", parameters=("Q", "K", "V", "mask"))


def printed(beginning: str) -> Component:
    """Attention without checks, and what the recipe that holds ``beginning`` adds."""
    bare = copy.copy(attention)
    bare.checks = ()
    recipes = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (recipe,) = (text for text in recipes if beginning in text)
    exec(recipe, {**vars(file), "component": bare})  # noqa: S102 - our own page
    return bare


def test_the_printed_check_is_passed_by_the_oracle_and_failed_by_what_it_is_about() -> None:
    def first_value(Q: Array, K: Array, V: Array, mask: Array | None = None) -> tuple[Array, None]:  # noqa: ARG001
        return V[..., :1, :] + 0 * Q[..., :1], None

    component = printed("@component.check(")
    (right,) = rehearse(component, {"f": reference.scaled_dot_product_attention}, AS_SET)
    assert (right.check, right.verdict) == ("scaled_dot_product_attention.keys_are_a_set", Verdict.PASSED)
    assert right.title == "Reordering the keys together with their values changes no output."
    (wrong,) = rehearse(component, {"f": first_value}, AS_SET)
    assert wrong.verdict is Verdict.FAILED


def test_the_printed_misconception_is_the_one_in_the_catalogue() -> None:
    (recipe,) = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    ((id_, table),) = tomllib.loads(recipe).items()
    told, known = mistakes.record(id_, attention.name, table), mistakes.find(id_)
    assert (told.id, told.component, told.title, told.ways) == (known.id, known.component, known.title, known.ways)
