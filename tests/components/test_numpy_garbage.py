"""Whatever comes back, judging ends in verdicts and never in an exception of ours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import inprocess
import numpy as np
import numpy_setups as setups
import pytest

from grader.auditing.rehearsal import as_submitted, rehearse
from grader.model.outcome import Verdict

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def oddities() -> dict[str, Any]:
    return {
        "None": None,
        "text": "0.5",
        "a number": 0.5,
        "an empty list": [],
        "an empty array": np.zeros((0, 0)),
        "a dict": {"output": np.ones((2, 2))},
        "one array": np.ones((2, 3)),
        "a pair of arrays": (np.ones((2, 3)), np.ones((2, 3))),
        "a pair of Nones": (None, None),
        "a pair of texts": ("a", "b"),
        "three arrays": (np.ones(1), np.ones(1), np.ones(1)),
        "a ragged list": [[1.0], [1.0, 2.0]],
        "NaN": np.full((2, 2), np.nan),
        "a pair of NaNs": (np.full((1, 1), np.nan), np.full((1, 1), np.nan)),
        "infinity": np.full((3, 3), np.inf),
        "complex numbers": np.ones((2, 2), dtype=complex),
        "texts in an array": np.array(["a", "b"]),
        "booleans": np.ones((2, 2), dtype=bool),
        "a 0-d array": np.array(1.0),
        "a huge number": 10**400,
    }


def odd() -> Iterable[Any]:
    """Every oddity of every component; quick are some of each, which make a diagonal."""
    for at, name in enumerate(setups.NAMES):
        for number, what in enumerate(oddities()):
            yield pytest.param(name, what, id=f"{name}-{what}", marks=[pytest.mark.slow] if (at + number) % 4 else [])


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "what"), [*odd()])
def test_an_odd_answer_ends_in_a_verdict(name: str, what: str) -> None:
    component, interface = setups.component(name), setups.interface(name)
    value = oddities()[what]
    functions = as_submitted(component, interface, {target: lambda *_, **__: value for target in component.oracles})
    outcomes = rehearse(component, functions, interface)
    assert {o.verdict for o in outcomes} <= {Verdict.PASSED, Verdict.FAILED, Verdict.ERROR}
    assert len(inprocess.failed(outcomes)) >= 2


@pytest.mark.parametrize("name", setups.NAMES)
def test_answers_of_the_right_shape_with_wrong_numbers_end_in_a_verdict(name: str) -> None:
    component, interface = setups.component(name), setups.interface(name)
    rng = np.random.default_rng(11)

    def spoiled(target: str) -> Any:
        def answer(*args: Any, **kwargs: Any) -> Any:
            right = component.oracle(target)(*args, **kwargs)
            parts = right if isinstance(right, tuple) else (right,)
            wrong = tuple(np.where(rng.random(part.shape) < 0.5, np.nan, -part * 1.0) for part in parts)
            return wrong if isinstance(right, tuple) else wrong[0]

        return answer

    functions = as_submitted(component, interface, {target: spoiled(target) for target in component.oracles})
    outcomes = rehearse(component, functions, interface)
    assert inprocess.failed(outcomes) != []
    raises = name in {"causal_mask", "padding_mask", "attention_masks"}  # there is no minus for booleans
    assert inprocess.names(outcomes) == (() if raises else ("answer-never-the-same",))
