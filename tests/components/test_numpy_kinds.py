"""Unseen slips are named, unseen styles lose nothing, and one slip costs what it is worth."""

from __future__ import annotations

import warnings
from decimal import Decimal
from typing import Any

import inprocess
import numpy as np
import numpy_setups as setups
import numpy_slips
import pytest
from numpy_kinds import WRONG
from numpy_styles import RIGHT

from grader import components
from grader.auditing.rehearsal import as_submitted, rehearse
from grader.catalog import load_assignment, load_rubric, rubric_beside
from grader.component.checks import Misconception
from grader.score import score, select

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
NUMPY = "import numpy as np\n"
ATTENTION = "scaled_dot_product_attention"


def judged(name: str, code: str, **changes: Any) -> Any:
    return inprocess.judged(setups.component(name), setups.interface(name, **changes), NUMPY + code, seed=11)


_WRONG, _RIGHT = (*WRONG, *numpy_slips.WRONG), (*RIGHT, *numpy_slips.RIGHT)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "id", "code"), _WRONG, ids=[f"{row[1]}-{at}" for at, row in enumerate(_WRONG)])
def test_a_slip_nobody_had_listed_is_named(name: str, id: str, code: str) -> None:
    outcomes = judged(name, code)
    assert inprocess.failed(outcomes) != []
    assert inprocess.names(outcomes) == (id,)


@pytest.mark.parametrize(("name", "code"), _RIGHT, ids=[f"{name}-{at}" for at, (name, _) in enumerate(_RIGHT)])
def test_an_unusual_style_loses_nothing(name: str, code: str) -> None:
    assert [(o.check, o.message) for o in judged(name, code) if o.verdict != "passed"] == []


MASKED = """
def {name}({parameters}):
    return ({right}).astype({kind})
"""


@pytest.mark.parametrize("kind", ["np.int8", "float", "np.uint8"])
@pytest.mark.parametrize(
    ("name", "parameters", "right"),
    [
        ("causal_mask", "n", "np.tri(n)"),
        ("padding_mask", "lengths, max_len", "np.arange(max_len) < np.array(lengths)[:, None]"),
    ],
)
def test_a_mask_of_zeros_and_ones_loses_the_point_for_booleans_alone(
    kind: str, name: str, parameters: str, right: str
) -> None:
    code = MASKED.format(name=name, parameters=parameters, right=right, kind=kind)
    assert inprocess.failed(judged(name, code)) == ["is_boolean"]


BODY = """
def softmax(z):
    e = np.exp(z - z.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        {mask}
    weights = softmax(scores)
    return weights @ V, weights
"""


@pytest.mark.parametrize(
    "mask",
    [
        "scores = np.where(mask, scores, np.finfo(scores.dtype).min)",
        "scores = np.where(mask, scores, -1e9)",
        "scores = np.where(mask, scores, -np.inf)",
        "scores = scores + np.log(np.asarray(mask, dtype=float))",
        "scores = scores - 1e9 * (1 - mask.astype(int))",
        "scores = np.where(np.asarray(mask, dtype=np.uint8) == 1, scores, -1e30)",
        "scores = np.where(np.array(mask.tolist()), scores, -1e12)",
    ],
)
def test_every_usual_way_to_block_a_key_is_right(mask: str) -> None:
    assert inprocess.failed(judged(ATTENTION, BODY.format(mask=mask))) == []


def test_a_result_without_weights_or_in_another_order_is_paid_for_once() -> None:
    right = BODY.format(mask="scores = np.where(mask, scores, -1e9)")
    for line in ("return weights, weights @ V", "return weights @ V", "return weights @ V, weights, scores"):
        outcomes = judged(ATTENTION, right.replace("return weights @ V, weights", line))
        assert inprocess.failed(outcomes) == ["returns_output_and_weights"], line
        assert inprocess.names(outcomes)[0].startswith("sdpa-returns-"), line


def test_an_argument_changed_in_place_is_named_when_nothing_else_is_wrong() -> None:
    right = BODY.format(mask="scores = np.where(mask, scores, -1e9)")
    halved = right.replace(
        "    weights = softmax",
        "    if V.dtype.kind == 'f': V *= 1.0; V += 0.5; V -= 0.5; V[0] = V[0] + 1e-9\n    weights = softmax",
    )
    assert inprocess.names(judged(ATTENTION, halved)) == ("sdpa-argument-changed-in-place",)
    divided = right.replace(
        "    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])",
        "    Q = Q if Q.dtype.kind == 'f' else Q.astype(float)\n    np.divide(Q, np.sqrt(Q.shape[-1]), out=Q)\n"
        "    scores = Q @ K.swapaxes(-1, -2)",
    )
    assert inprocess.names(judged(ATTENTION, divided)) == ("sdpa-scales-query-in-place",)


def test_two_slips_are_named_where_one_shows_only_through_the_other() -> None:
    code = "def softmax(x, axis=-1):\n    return np.exp(x) / np.sum(np.exp(x), axis=-1)\n"
    assert inprocess.names(judged("softmax", code)) == ("softmax-ignores-axis + softmax-missing-keepdims",)


def test_a_default_of_axis_0_is_told_from_an_axis_of_0() -> None:
    narrow = {"parameters": ("x",), "domain": {"ranks": [1, 2], "axis": "last"}}
    body = "    e = np.exp(x - x.max({0}, keepdims=True))\n    return e / e.sum({0}, keepdims=True)\n"
    assert inprocess.names(judged("softmax", "def softmax(x, axis=0):\n" + body.format("axis"), **narrow)) == (
        "softmax-default-axis",
    )
    assert inprocess.names(judged("softmax", "def softmax(x):\n" + body.format("0"), **narrow)) == (
        "softmax-hardcoded-axis0",
    )


def test_the_lines_to_try_follow_the_hand_out() -> None:
    component = components.component("multi_head_attention", "function")
    interface = load_assignment("attention-mechanics").interface("multi_head_attention")
    slip = next(m for m in component.misconceptions if m.id == "mha-no-scale")
    outcomes = rehearse(component, as_submitted(component, interface, slip.by_target(component.target)), interface)
    example = next(o.counterexample for o in outcomes if o.counterexample)
    assert example.snippet.splitlines()[-1] == "print(multi_head_attention(query, key, value, weights, num_heads))"


def test_an_exception_is_told_in_words() -> None:
    outcomes = judged(
        "padding_mask", "def padding_mask(lengths, max_len):\n    return np.arange(max_len) < lengths[:, None]\n"
    )
    example = next(o.counterexample for o in outcomes if o.verdict != "passed")
    assert example is not None
    assert example.got == "raises TypeError"


def cost(assignment_id: str, name: str, slip: Misconception) -> Decimal:
    """The share of the component's points that the slip takes."""
    assignment = load_assignment(assignment_id)
    rubric = select(load_rubric(rubric_beside(assignment_id), assignment), (name,))
    component, interface = components.component(name, "function"), assignment.interface(name)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        handed = as_submitted(component, interface, slip.by_target(component.target))
        outcomes = rehearse(component, handed, interface, seed=1)
    mark = next(mark for mark in score(rubric, outcomes) if mark.criterion.id == name)
    return 1 - mark.points / mark.criterion.points


CENTRAL = (
    ("attention-numpy", "softmax", "softmax-hardcoded-axis0"),
    ("attention-numpy", "softmax", "softmax-missing-keepdims"),
    ("attention-numpy", "softmax", "softmax-not-normalised"),
    ("attention-numpy", ATTENTION, "sdpa-no-scale"),
    ("attention-numpy", ATTENTION, "sdpa-softmax-over-query-axis"),
    ("attention-numpy", ATTENTION, "sdpa-weights-transposed"),
    ("attention-mechanics", "softmax", "softmax-wrong-base"),
    ("attention-mechanics", ATTENTION, "sdpa-no-scale"),
    ("attention-mechanics", "causal_mask", "causal-mask-leaks-one-future"),
    ("attention-mechanics", "positional_encoding", "pe-wrong-base"),
    ("attention-mechanics", "feed_forward", "ffn-missing-activation"),
    ("attention-mechanics", "layer_norm", "ln-missing-affine"),
    ("attention-mechanics", "layer_norm", "ln-unbiased-variance"),
    ("attention-mechanics", "multi_head_attention", "mha-merge-without-transpose"),
    ("attention-mechanics", "multi_head_attention", "mha-scale-by-d-model"),
    ("transformer-from-scratch", ATTENTION, "sdpa-no-scale"),
    ("transformer-from-scratch", "token_embedding", "embedding-no-scale"),
)
SMALL = (
    ("attention-numpy", "softmax", "softmax-integer-output"),
    ("attention-numpy", ATTENTION, "sdpa-scales-query-in-place"),
    ("attention-numpy", ATTENTION, "sdpa-returns-swapped"),
    ("attention-mechanics", "softmax", "softmax-no-max-shift"),
    ("attention-mechanics", "softmax", "softmax-ignores-axis"),
    ("attention-mechanics", ATTENTION, "sdpa-softmax-global-max-shift"),
    ("attention-mechanics", ATTENTION, "sdpa-returns-swapped"),
    ("attention-mechanics", ATTENTION, "sdpa-mask-not-broadcast"),
    ("attention-mechanics", "causal_mask", "causal-mask-not-boolean"),
    ("attention-mechanics", "causal_mask", "causal-mask-inverted"),
    ("attention-mechanics", "positional_encoding", "pe-odd-dmodel-crash"),
    ("attention-mechanics", "layer_norm", "ln-eps-outside-sqrt"),
    ("attention-mechanics", "multi_head_attention", "mha-mask-polarity-inverted"),
)


def first(name: str, id: str) -> Misconception:
    return next(m for m in components.component(name, "function").misconceptions if m.id == id)


@pytest.mark.parametrize(("assignment_id", "name", "id"), CENTRAL, ids=[f"{a}-{i}" for a, _, i in CENTRAL])
def test_a_central_slip_costs_a_quarter_to_a_good_half(assignment_id: str, name: str, id: str) -> None:
    assert Decimal("0.24") <= cost(assignment_id, name, first(name, id)) <= Decimal("0.60")


@pytest.mark.parametrize(("assignment_id", "name", "id"), SMALL, ids=[f"{a}-{i}" for a, _, i in SMALL])
def test_a_slip_at_the_edge_costs_little(assignment_id: str, name: str, id: str) -> None:
    assert Decimal("0.03") <= cost(assignment_id, name, first(name, id)) <= Decimal("0.18")


def test_no_shift_is_told_from_a_shift_in_the_wrong_direction() -> None:
    body = "def softmax(x, axis=-1):\n    e = np.exp({0})\n    return e / e.sum(axis=axis, keepdims=True)\n"
    found = [
        inprocess.names(judged("softmax", body.format(shift))) for shift in ("x", "x + x.max(axis=axis, keepdims=True)")
    ]
    assert found == [("softmax-no-max-shift",), ("softmax-shift-not-by-the-largest",)]
