"""A block is explained around working parts: what a part gets wrong is paid for once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from grader.assessing.second_look import gives_away
from grader.cli.judging import settings_for
from grader.intake.loading import load
from grader.model.outcome import Outcome, Verdict
from grader.model.report import Report
from grader.pipeline import grade, prepared
from grader.sandbox.parent import Sandbox

IMPORT = "import numpy as np\n\n\n"
SOFTMAXES = {
    "softmax-sign-flipped": "    e = np.exp(x.max(-1, keepdims=True) - x)\n    return e / e.sum(-1, keepdims=True)\n",
    "softmax-not-normalised": "    return np.exp(x - x.max(-1, keepdims=True))\n",
    "softmax-over-everything": "    e = np.exp(x - x.max())\n    return e / e.sum()\n",
    "": "    e = np.exp(x - x.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True) / 2 + np.cos(x) / 10\n",
}
RIGHT = "    w = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))\n    return w @ V, w\n"
OWN = {
    "sdpa-no-scale": "    w = softmax(Q @ K.T)\n    return w @ V, w\n",
    "sdpa-scale-by-dk": "    w = softmax(Q @ K.T / Q.shape[-1])\n    return w @ V, w\n",
    "sdpa-returns-swapped": "    w = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))\n    return w, w @ V\n",
}
ALONE = (
    "    s = Q @ K.T / np.sqrt(Q.shape[-1])\n    e = np.exp(s - s.max(-1, keepdims=True))\n"
    "    w = e / e.sum(-1, keepdims=True)\n    return w @ V, w\n"
)


Find = Callable[..., list[Outcome]]


@pytest.fixture
def outcomes(tmp_path: Path, numpy_sandbox: Sandbox) -> Find:
    """The outcomes of one component of a submission that is a softmax and an attention."""

    @cache
    def judged(code: str, returns: tuple[str, ...]) -> Report:
        work = tmp_path / "work.py"
        work.write_text(code)
        settings = settings_for("attention-numpy", isolation="standard")
        asked = [
            replace(one, returns=returns) if one.component == "softmax" else one
            for one in settings.assignment.interfaces
        ]
        settings = replace(settings, assignment=replace(settings.assignment, interfaces=tuple(asked)))
        return grade(prepared(load(work), settings.assignment), settings, numpy_sandbox)

    def found(
        softmax: str, attention: str, component: str, parameters: str = "x", returns: tuple[str, ...] = ()
    ) -> list[Outcome]:
        code = f"{IMPORT}def softmax({parameters}):\n{softmax}\n\ndef self_attention(Q, K, V):\n{attention}"
        report = judged(code, returns)
        return [one for mark in report.marks for one in mark.outcomes if one.component == component]

    return found


@pytest.mark.sampled(2)
@pytest.mark.parametrize("slip", SOFTMAXES, ids=lambda slip: slip or "unknown")
def test_a_right_attention_around_a_wrong_softmax_loses_nothing(outcomes: Find, slip: str) -> None:
    attention = outcomes(SOFTMAXES[slip], RIGHT, "scaled_dot_product_attention")
    assert {one.verdict for one in attention} <= {Verdict.PASSED, Verdict.SKIPPED}
    assert any(one.verdict is Verdict.PASSED for one in attention)
    softmax = outcomes(SOFTMAXES[slip], RIGHT, "softmax")
    assert {one.diagnosis.id for one in softmax if one.diagnosis} == ({slip} if slip else set())
    assert Verdict.FAILED in {one.verdict for one in softmax}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("slip", SOFTMAXES, ids=lambda slip: slip or "unknown")
@pytest.mark.parametrize("own", OWN)
def test_a_slip_of_the_attentions_own_is_named_whatever_its_softmax_does(outcomes: Find, slip: str, own: str) -> None:
    attention = outcomes(SOFTMAXES[slip], OWN[own], "scaled_dot_product_attention")
    assert {one.diagnosis.id for one in attention if one.verdict is Verdict.FAILED and one.diagnosis} == {own}


@pytest.mark.parametrize(
    ("values", "taken", "lost"),
    [
        ("w", "w, cache = softmax({})", {"softmax": 1, "scaled_dot_product_attention": 0}),
        ("w, x", "w, cache = softmax({})", {"softmax": 0, "scaled_dot_product_attention": 0}),
        ("w, x", "w, cache = softmax({})[0]", {"softmax": 0}),
    ],
    ids=["the part's", "nobody's", "the block's"],
)
def test_a_value_beside_that_is_missed_is_paid_by_the_part_that_does_not_return_it(
    outcomes: Find, values: str, taken: str, lost: dict[str, int]
) -> None:
    softmax = (
        f"    w = np.exp(x - x.max(-1, keepdims=True))\n    w = w / w.sum(-1, keepdims=True)\n    return {values}\n"
    )
    attention = f"    {taken.format('Q @ K.T / np.sqrt(Q.shape[-1])')}\n    return w @ V, w\n"
    for component, count in lost.items():
        found = outcomes(softmax, attention, component, returns=("output", "_"))
        assert sum(one.verdict is not Verdict.PASSED for one in found) == count, component


def test_an_attention_that_needs_no_softmax_is_judged_as_it_is(outcomes: Find) -> None:
    slip = "softmax-not-normalised"
    wrong = ALONE.replace(" / np.sqrt(Q.shape[-1])", "")
    attention = outcomes(SOFTMAXES[slip], wrong, "scaled_dot_product_attention")
    assert {one.diagnosis.id for one in attention if one.diagnosis} == {"sdpa-no-scale"}
    assert not any("in place of yours" in note for one in attention for note in one.notes)


OVER_COLUMNS = "    e = np.exp(x - x.max(0, keepdims=True))\n    return e / e.sum(0, keepdims=True)\n"
MADE_UP_FOR = "softmax((Q @ K.T / np.sqrt(Q.shape[-1])).T).T"
AS_NO_STAND_IN = "softmax(Q @ K.T / np.sqrt(Q.shape[-1]), keep=True)"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("weights", "returned", "own", "lost"),
    [
        (MADE_UP_FOR, "w @ V, w", set(), 0),
        (MADE_UP_FOR.replace(" / np.sqrt(Q.shape[-1])", ""), "w @ V, w", {"sdpa-no-scale"}, 1),
        (MADE_UP_FOR, "w, w @ V", {"sdpa-returns-swapped"}, 1),
    ],
    ids=["right", "no-scale", "swapped"],
)
def test_an_attention_that_makes_up_for_its_softmax_is_judged_with_it(
    outcomes: Find, weights: str, returned: str, own: set[str], lost: int
) -> None:
    attention = outcomes(OVER_COLUMNS, f"    w = {weights}\n    return {returned}\n", "scaled_dot_product_attention")
    failed = [one for one in attention if one.verdict not in {Verdict.PASSED, Verdict.SKIPPED}]
    assert len(failed) == lost
    assert {one.diagnosis.id for one in failed if one.diagnosis} == own


def test_a_right_attention_that_calls_its_softmax_in_a_way_of_its_own_loses_nothing(outcomes: Find) -> None:
    attention = f"    w = {AS_NO_STAND_IN}\n    return w @ V, w\n"
    found = outcomes(OVER_COLUMNS, attention, "scaled_dot_product_attention", "x, keep=True")
    assert {one.verdict for one in found} == {Verdict.PASSED}


@pytest.mark.parametrize("call", ["softmax(s, dim=-1)", "softmax(x=s, dim=-1)", "softmax(s, -1)"])
def test_a_part_that_is_called_by_its_own_names_is_paid_for_once(outcomes: Find, call: str) -> None:
    softmax = "    e = np.exp(x - np.max(x, axis=dim, keepdims=True))\n    return e / e.sum(axis=0, keepdims=True)\n"
    attention = f"    s = Q @ K.T / np.sqrt(Q.shape[-1])\n    w = {call}\n    return w @ V, w\n"
    found = outcomes(softmax, attention, "scaled_dot_product_attention", "x, dim=-1")
    assert {one.verdict for one in found} == {Verdict.PASSED}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("causal", ["np.tri(n, k=1) > 0", "np.tri(n, k=-1) > 0", "np.tri(n).T > 0", "np.tri(n) < 2"])
@pytest.mark.parametrize(("joined", "lost"), [("&", False), ("|", True)])
def test_a_mask_that_is_made_of_a_wrong_one_pays_for_its_own_slips_alone(
    tmp_path: Path, numpy_sandbox: Sandbox, causal: str, joined: str, lost: bool
) -> None:
    work = tmp_path / "work.py"
    work.write_text(
        f"import numpy as np\n\n\ndef causal_mask(n):\n    return {causal}\n\n\n"
        "def make_src_mask(ids, pad_id):\n    return (ids != pad_id)[:, None, None]\n\n\n"
        f"def make_tgt_mask(ids, pad_id):\n    return make_src_mask(ids, pad_id) {joined} causal_mask(ids.shape[1])\n"
    )
    settings = settings_for("transformer-from-scratch", isolation="standard")
    assignment = replace(settings.assignment, needs_torch=False)
    chosen = replace(settings, assignment=assignment, components=("causal_mask", "attention_masks"))
    report = grade(prepared(load(work), settings.assignment), chosen, numpy_sandbox)
    found = [o for m in report.marks for o in m.outcomes if o.component == "attention_masks"]
    assert any(one.verdict is Verdict.FAILED for one in found) is lost


def test_an_exception_from_a_helper_with_a_name_of_a_part_is_the_blocks_own(
    tmp_path: Path, numpy_sandbox: Sandbox
) -> None:
    work = tmp_path / "work.py"
    work.write_text(
        "import numpy as np\n\n\ndef attention(q, k, v, mask):\n"
        "    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])\n"
        "    if mask is not None:\n        s = np.where(mask, s, -np.inf)\n"
        "    e = np.exp(s - s.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True) @ v\n\n\n"
        "def multi_head_attention(query, key, value, weights, num_heads, mask=None):\n"
        "    width = query.shape[-1]\n    if width % num_heads:\n        raise ValueError('heads')\n"
        "    def heads(x):\n        return x.reshape(*x.shape[:-1], num_heads, -1).swapaxes(-2, -3)\n"
        "    parts = [heads(x @ weights[n]) for x, n in zip((query, key, value), ('w_q', 'w_k', 'w_v'))]\n"
        "    mixed = attention(*parts, mask)\n"
        "    return mixed.swapaxes(-2, -3).reshape(query.shape) @ weights['w_o']\n"
    )
    settings = settings_for("attention-mechanics", isolation="standard")
    report = grade(prepared(load(work), settings.assignment), settings, numpy_sandbox)
    found = [o for m in report.marks for o in m.outcomes if o.component == "multi_head_attention"]
    assert {one.diagnosis.id for one in found if one.diagnosis} == {"mha-mask-not-per-sample"}
    assert Verdict.UNDETERMINED not in {one.verdict for one in found}


def test_what_a_block_kept_of_its_wrong_part_is_forgotten_before_the_second_look(outcomes: Find) -> None:
    kept = "    KEPT[key] = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))"
    lines = ["key = Q.tobytes(), K.tobytes()", "if key not in KEPT:", kept, "w = KEPT[key].copy()", "return w @ V, w"]
    body = "".join(f"    {line}\n" for line in lines) + "\n\nKEPT = {}\n"
    found = outcomes(SOFTMAXES["softmax-not-normalised"], body, "scaled_dot_product_attention")
    assert {one.verdict for one in found} <= {Verdict.PASSED, Verdict.SKIPPED}
    assert any(one.verdict is Verdict.PASSED for one in found)


def test_a_child_that_was_sent_a_part_is_not_asked_for_what_is_as_high() -> None:
    assert not gives_away({"softmax", "layer_norm"}, ["scaled_dot_product_attention"])
    assert not gives_away({"multi_head_attention", "add_norm"}, ["encoder_layer", "decoder_layer"])
    assert gives_away({"encoder_layer"}, ["decoder_layer"]), "a layer gives a layer away"
    assert gives_away({"encoder"}, ["encoder_layer"])
    assert gives_away({"scaled_dot_product_attention"}, ["scaled_dot_product_attention"])


def test_whole_numbers_that_are_kept_are_paid_for_by_each_function_that_keeps_them(outcomes: Find) -> None:
    fill = "    e[...] = np.exp(x - x.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)\n"
    kept = f"    e = np.zeros_like(x)\n{fill}"
    like = "    w = np.empty_like(Q, shape=(len(Q), len(K)))\n"
    own = f"{like}    w[:] = softmax(Q @ K.T / np.sqrt(Q.shape[1]))\n    return w @ V, w\n"
    for attention, paid in ((RIGHT, {"softmax"}), (own, {"softmax", "scaled_dot_product_attention"})):
        named = {
            component: {one.diagnosis.id for one in outcomes(kept, attention, component) if one.diagnosis}
            for component in ("softmax", "scaled_dot_product_attention")
        }
        assert {component for component, ids in named.items() if ids} == paid
        assert named["softmax"] == {"answer-in-whole-numbers"}
