"""Slips of kinds that had not been listed are named; their right neighbours lose nothing."""

from __future__ import annotations

from typing import Any

import inprocess
import numpy as np
import numpy_setups as setups
import pytest
from numpy_unseen import RIGHT, WRONG

from grader import mistakes
from grader.auditing import explain
from grader.judging import relation

RELATIONS = frozenset(one.id for one in mistakes.of(relation.ANY_FUNCTION))
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def judged(name: str, code: str) -> Any:
    return inprocess.judged(setups.component(name), setups.interface(name), "import numpy as np\n" + code, seed=11)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("name", "id", "code"), WRONG, ids=[f"{row[1]}-{at}" for at, row in enumerate(WRONG)])
def test_an_unseen_slip_is_caught_and_named(name: str, id: str, code: str) -> None:
    outcomes = judged(name, code)
    assert inprocess.failed(outcomes) != []
    assert inprocess.names(outcomes) == (id,)


@pytest.mark.parametrize(("name", "code"), RIGHT, ids=[f"{name}-{at}" for at, (name, _) in enumerate(RIGHT)])
def test_a_right_neighbour_loses_nothing(name: str, code: str) -> None:
    assert inprocess.failed(judged(name, code)) == []


@pytest.mark.parametrize(("factor", "told"), [(3.0, "3"), (-2.0, "-2"), (0.125, "0.125")])
def test_a_factor_is_told_with_its_number(factor: float, told: str) -> None:
    code = (
        f"def feed_forward(x, W_1, b_1, W_2, b_2):\n    return {factor} * (np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2)\n"
    )
    found = [outcome.diagnosis for outcome in judged("feed_forward", code) if outcome.diagnosis]
    assert found
    assert found[0].title == f"The answer is the right one times a number: {told}."


@pytest.mark.parametrize(
    "last",
    [
        "return 2 * y if x.shape[0] > 2 else y",  # not everywhere
        "return np.where(y > 1, 2 * y, y)",
        "return y + 0.3 * np.sin(7 * y)",
    ],
)
def test_a_relation_that_does_not_hold_everywhere_is_not_told(last: str) -> None:
    code = f"""
def feed_forward(x, W_1, b_1, W_2, b_2):
    y = np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2
    {last}
"""
    outcomes = judged("feed_forward", code)
    assert inprocess.failed(outcomes) != []
    assert not set(inprocess.names(outcomes)) & set(RELATIONS)


def test_exchanged_arguments_are_told_by_their_names() -> None:
    code = """
def layer_norm(x, shift, gain, eps=1e-5):
    c = x - x.mean(-1, keepdims=True)
    return c / np.sqrt(c.var(-1, keepdims=True) + eps) * gain + shift
"""
    component = setups.component("layer_norm")
    listed = component.misconceptions
    try:
        component.misconceptions = ()
        found = [outcome.diagnosis for outcome in judged("layer_norm", code) if outcome.diagnosis]
    finally:
        component.misconceptions = listed
    assert {one.title for one in found if one} == {
        "The answer is the right one for arguments that have changed places: gain and shift."
    }


def test_the_catalogue_tells_of_every_relation() -> None:
    for which in RELATIONS:
        entry = explain.look_up(which)
        assert isinstance(entry, explain.Entry)
        assert entry.title.endswith(".")
        assert entry.nudge.endswith("?")
        assert entry.hint
        assert entry.explanation
        assert np.all([len(text) > 20 for text in (entry.title, entry.nudge, entry.hint, entry.explanation)])


@pytest.mark.parametrize("id_", ["sdpa-no-scale", "softmax-no-max-shift", "beam-finished-are-lost", "mha-heads-summed"])
def test_a_mistake_is_explained_by_what_it_answers_beside_what_is_right(id_: str) -> None:
    found = explain.look_up(id_)
    assert isinstance(found, explain.Entry)
    assert found.example is not None
    assert found.example.right != found.example.wrong
    assert found.example.inputs


def test_what_random_code_and_a_module_answer_is_not_shown() -> None:
    for id_ in ("dropout-no-rescaling", "trf-layers-share-weights", "answer-scaled"):
        assert getattr(explain.look_up(id_), "example", None) is None
