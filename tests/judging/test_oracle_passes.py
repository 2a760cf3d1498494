"""The oracle passes every check, whatever sizes a seed draws and whatever conventions a hand-out declares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from grader import components
from grader.auditing.rehearsal import as_submitted, rehearse
from grader.model.assignment import Interface
from grader.model.outcome import Verdict

NAMES = (
    "softmax", "scaled_dot_product_attention", "causal_mask", "padding_mask", "positional_encoding", "feed_forward",
    "layer_norm", "label_smoothing", "noam_lr", "teacher_forcing", "greedy_decode", "beam_search",
)  # fmt: skip
PARAMETERS = ("Q", "K", "V", "mask")
seeds = st.integers(0, 2**31)


def failing(outcomes: Any) -> list[str]:
    return [f"{one.check}: {one.message}" for one in outcomes if one.verdict is not Verdict.PASSED]


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.sampled_from(NAMES), seeds)
def test_the_oracle_passes_under_every_seed(name: str, seed: int) -> None:
    component = components.component(name, "function")
    interface = Interface(name, component.target)
    assert failing(rehearse(component, as_submitted(component, interface), interface, seed)) == []


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=40)
@given(seeds, st.permutations(PARAMETERS), st.sampled_from(["attend", "block", "additive"]), st.booleans())
def test_the_oracle_passes_under_every_convention_of_attention(
    seed: int, order: list[str], meaning: str, turned: bool
) -> None:
    def attention(*values: Any) -> Any:
        given_ = dict(zip(order, values, strict=False))
        mask = given_.pop("mask", None)
        if mask is not None and meaning != "attend":
            mask = ~np.asarray(mask, bool) if meaning == "block" else np.asarray(mask) == 0
        output, weights = reference.scaled_dot_product_attention(**given_, mask=mask)
        return (weights, output) if turned else (output, weights)

    component = components.component("scaled_dot_product_attention", "function")
    returns = ("weights", "output") if turned else ("output", "weights")
    interface = Interface(
        component.name, "attention", parameters=tuple(order), returns=returns, conventions={"mask": meaning}
    )
    assert failing(rehearse(component, {"attention": attention}, interface, seed)) == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize("beside", [None, {"x": [1.0]}, (np.ones(2), 3)], ids=["None", "a dict", "arrays"])
@pytest.mark.parametrize("name", ["softmax", "scaled_dot_product_attention"])
def test_what_is_returned_beside_is_not_judged_and_not_missed(name: str, beside: object) -> None:
    component = components.component(name, "function")
    kept = component.returns[:1] or ("output",)
    right = getattr(reference, name)

    def first(*given: Any, **named: Any) -> Any:
        out = right(*given, **named)
        return out[0] if component.returns else out

    def tries(function: Any, returns: tuple[str, ...]) -> list[str]:
        outcomes = rehearse(component, {name: function}, Interface(name, name, returns=returns), 3)
        examples = [one.counterexample.expected for one in outcomes if one.counterexample is not None]
        assert not any("None" in str(text) for text in examples)
        return failing(outcomes)

    assert tries(lambda *a, **k: (first(*a, **k), beside), (*kept, "_")) == []
    assert tries(lambda *a, **k: (beside, first(*a, **k), beside), ("_", *kept, "_")) == []
    assert tries(first, (*kept, "_")) == []
    assert tries(lambda *a, **k: (first(*a, **k) + 0.1, beside), (*kept, "_"))
    assert tries(lambda *a, **k: (beside, first(*a, **k)), (*kept, "_"))


def test_a_dict_in_the_place_of_means_is_another_kind_and_no_fault() -> None:
    component = components.component("adam", "function")

    def adam(*given: Any, **named: Any) -> Any:
        moved, m, v = reference.adam_step(*given, **named)
        return moved, {"m": m, "v": v, "t": 1}

    found = rehearse(component, {"adam": adam}, Interface("adam", "adam", returns=("params", "m")), 3)
    assert failing(found)
    assert not [one for one in found if one.verdict is Verdict.FAULT]
