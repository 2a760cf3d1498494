"""One mistake upstream is paid for there; everything built on it keeps its points, in numpy and in torch."""

from __future__ import annotations

import pytest
from standing_in import graded, lost, notes
from whole_submission import changed

from grader.model.outcome import Verdict
from grader.sandbox.parent import Sandbox

pytestmark = pytest.mark.torch
LAYERS = ("encoder_layer", "decoder_layer")
STACKS = (*LAYERS, "encoder", "decoder", "transformer")
ATTENTION = ("multi_head_attention", *STACKS)
NORM = "self.gain * centred / torch.sqrt(centred.pow(2).mean(-1, keepdim=True) + self.eps) + self.shift"
TWICE = (("e.sum(axis, keepdim=True)", "e.sum(0, keepdim=True)"), ("e.sum(axis=axis,", "e.sum(axis=0,"))
MISTAKES = {
    "softmax_over_the_first_axis": ("softmax", TWICE, ("scaled_dot_product_attention", *ATTENTION)),
    "softmax_without_the_shift": (
        "softmax",
        (
            ("(x - x.amax(axis, keepdim=True)).exp()", "x.exp()"),
            ("np.exp(x - x.max(axis=axis, keepdims=True))", "np.exp(x)"),
        ),
        ("scaled_dot_product_attention", *ATTENTION),
    ),
    "no_scale": ("scaled_dot_product_attention", ((" / math.sqrt(Q.shape[-1])", ""),), ATTENTION),
    "scale_by_d_k": ("scaled_dot_product_attention", (("math.sqrt(Q.shape[-1])", "Q.shape[-1]"),), ATTENTION),
    "mask_inverted": (
        "scaled_dot_product_attention",
        (("masked_fill(~mask", "masked_fill(mask"), ("np.where(mask, scores", "np.where(~mask, scores")),
        ATTENTION[:-1],  # causal and inverted, the last row of the whole model sees nothing
    ),
    "fill_that_scores_reach": (
        "scaled_dot_product_attention",
        (("-math.inf)", "-20.0)"), ("scores, -np.inf)", "scores, -20.0)")),
        ATTENTION,
    ),
    "heads_without_transpose": (
        "multi_head_attention",
        (("x.unflatten(-1, (self.heads, -1)).transpose(1, 2)", "x.reshape(x.shape[0], self.heads, x.shape[1], -1)"),),
        STACKS,
    ),
    "mask_kept_by_the_layer": (
        "encoder_layer",
        (("self.attention(y, y, y, mask)", "self.attention(y, y, y)"),),
        ("encoder", "transformer"),
    ),
    "no_relu": ("feed_forward", (("torch.relu(self.inner(x))", "self.inner(x)"),), STACKS),
    "eps_outside_the_root": (
        "layer_norm",
        ((NORM, NORM.replace(" + self.eps) +", ") + self.eps) +").replace("/ torch", "/ (torch")),),
        ("add_norm", *STACKS),
    ),
    "one_added_to_the_gain": (
        "layer_norm",
        (("self.gain * centred", "(1 + self.gain) * centred"),),
        ("add_norm", *STACKS),
    ),
    "no_gain": ("layer_norm", ((NORM, NORM.removeprefix("self.gain * ")),), ("add_norm", *STACKS)),
    "sines_and_cosines_swapped": (
        "positional_encoding",
        (("0::2] = np.sin(angle)", "0::2] = np.cos(angle)"), ("= np.cos(angle[", "= np.sin(angle[")),
        ("transformer",),
    ),
    "embedding_without_scale": (
        "token_embedding",
        (("self.table(ids) * self.scale", "self.table(ids)"),),
        ("transformer",),
    ),
    "no_residual": (
        "add_norm",
        (("self.norm(x + self.drop(sublayer(x)))", "self.norm(self.drop(sublayer(x)))"),),
        STACKS,
    ),
}


QUICK = {"no_gain"}
"""The cheapest: each takes the whole model, again and again."""


@pytest.mark.parametrize(
    "mistake", [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in MISTAKES]
)
def test_what_is_built_on_a_mistake_keeps_its_points(sandbox: Sandbox, mistake: str) -> None:
    part, pairs, blocks = MISTAKES[mistake]
    found = graded(sandbox, changed(*pairs), (part, *blocks))
    assert lost(found[part])
    assert any(outcome.verdict is Verdict.FAILED for outcome in found[part])
    words = part.replace("_", " ")
    for block in blocks:
        assert {one.check: (one.verdict.value, one.message) for one in lost(found[block])} == {}
        own = {note for note in notes(found[block]) if "given your" in note or "Judged with our" in note}
        assert all(words in note for note in own)
    shown = any(words in note for block in blocks for note in notes(found[block]))
    assert shown or mistake == "eps_outside_the_root"  # values of ordinary size do not show that one


PRE_NORM = ("self.norm(x + self.drop(sublayer(x)))", "x + self.drop(sublayer(self.norm(x)))")


@pytest.mark.slow
def test_what_two_stacks_have_in_common_does_not_make_the_second_right(sandbox: Sandbox) -> None:
    found = graded(sandbox, changed(("range(num_layers)", "range(1)"), PRE_NORM), ("encoder", "decoder"))
    verdicts = [one.verdict for name in found for one in found[name] if one.check.endswith("computes_the_stack")]
    assert verdicts == [Verdict.FAILED, Verdict.UNDETERMINED]


UNPLACED = ("self.drop(vectors + self.table[: vectors.shape[1]])", "self.drop(vectors)")
NO_RELU = ("torch.relu(self.inner(x))", "self.inner(x)")


UNCHAINED = (
    ("x = layer(x, mask)", "y = layer(x, mask)"),
    ("    return x\n\n\nclass Dec", "    return y\n\n\nclass Dec"),
)
NO_SCALE = (" / math.sqrt(Q.shape[-1])", "")
NO_RESIDUAL = ("self.second(x, self.network)", "self.second.norm(self.network(x))")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("upstream", "own", "block", "mistake"),
    [
        (NO_RELU, (NO_RESIDUAL,), "encoder_layer", "enc-missing-residual"),
        (NO_RELU, UNCHAINED, "encoder", "encoder-runs-one-layer"),
        (NO_SCALE, (UNPLACED,), "transformer", "trf-no-positional-encoding"),
        (NO_RELU, (UNPLACED,), "transformer", "trf-no-positional-encoding"),
    ],
)
def test_a_slip_of_a_blocks_own_is_named_alone_beside_one_upstream(
    sandbox: Sandbox, upstream: tuple[str, str], own: tuple[tuple[str, str], ...], block: str, mistake: str
) -> None:
    found = graded(sandbox, changed(upstream, *own), ("scaled_dot_product_attention", "feed_forward", block))
    assert {one.diagnosis.id for one in lost(found[block]) if one.diagnosis} == {mistake}
