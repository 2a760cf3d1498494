"""A worse misunderstanding is never cheaper than a milder one, under any bundled rubric."""

from __future__ import annotations

from functools import lru_cache

import pytest

from grader import components
from grader.auditing import modules as blocks
from grader.auditing.audit import Subject, row
from grader.auditing.manners import bad_manners
from grader.auditing.rehearsal import as_submitted, rehearse
from grader.blocks.examine import Block
from grader.catalog import load_assignment, load_rubric
from grader.model import Outcome

MECHANICS, TRANSFORMER = "attention-mechanics", "transformer-from-scratch"
ORDERS: dict[tuple[str, str], tuple[str, ...]] = {
    # (component, form): the worse slip, then milder ones, a line for each ">="
    ("scaled_dot_product_attention", "function"): (
        "sdpa-mask-polarity-inverted >= sdpa-ignores-mask",
        "sdpa-ignores-mask >= sdpa-mask-polarity-inverted",
        "sdpa-ignores-mask >= sdpa-first-mask-for-all sdpa-first-query-mask-for-all sdpa-mask-not-broadcast",
        "sdpa-ignores-mask >= sdpa-mask-after-softmax sdpa-fill-not-low-enough sdpa-mask-transposed",
        "sdpa-ignores-mask >= sdpa-returns-unmasked-weights sdpa-output-ignores-mask",
        "sdpa-output-ignores-mask >= sdpa-returns-unmasked-weights",
        "sdpa-no-softmax >= sdpa-no-scale sdpa-softmax-no-max-shift",
        "sdpa-keys-not-transposed >= sdpa-no-scale",
        "sdpa-no-scale >= sdpa-scale-constant sdpa-returns-swapped sdpa-scales-query-in-place",
    ),
    ("multi_head_attention", "function"): (
        "mha-mask-polarity-inverted >= mha-ignores-mask",
        "mha-ignores-mask >= mha-mask-not-per-sample mha-mask-repeat-order mha-mask-first-head-for-all",
        "mha-ignores-num-heads >= mha-heads-interleaved mha-writes-into-query mha-indivisible-heads-silent",
    ),
    ("multi_head_attention", "class"): (
        "sdpa-mask-polarity-inverted >= sdpa-ignores-mask",
        "sdpa-ignores-mask >= mha-mask-of-first-head mha-mask-of-first-sample mha-mask-of-three-axes-ignored",
        "sdpa-ignores-mask >= sdpa-fill-not-low-enough mha-mask-repeat-order sdpa-mask-after-softmax",
        "mha-ignores-num-heads >= mha-scale-by-d-model",
        "sdpa-no-softmax >= sdpa-no-scale",
    ),
    ("encoder_layer", "class"): ("sdpa-mask-polarity-inverted >= sdpa-ignores-mask encoder-mask-not-passed",),
    ("decoder_layer", "class"): (
        "sdpa-mask-polarity-inverted >= sdpa-ignores-mask dec-masks-not-passed",
        "dec-masks-not-passed >= dec-tgt-mask-not-passed dec-src-mask-not-passed dec-masks-swapped",
    ),
    ("encoder", "class"): ("encoder-runs-one-layer >= encoder-mask-in-first-layer-only",),
    ("decoder", "class"): ("decoder-runs-one-layer >= decoder-src-mask-in-first-layer-only",),
    ("transformer", "class"): (
        "trf-no-positional-encoding >= trf-one-table-for-both trf-pe-offset trf-embed-scale-missing",
        "trf-not-causal >= trf-one-table-for-both trf-causal-mask-leaks trf-ignores-tgt-mask",
        "trf-ignores-src-mask >= trf-src-mask-not-in-decoder trf-src-mask-not-in-encoder",
        "trf-ignores-tgt-mask >= trf-returns-probabilities trf-embed-scale-after-pe",
    ),
    ("causal_mask", "function"): (
        "causal-mask-inverted >= causal-mask-excludes-diagonal causal-mask-not-boolean",
        "causal-mask-allows-everything >= causal-mask-leaks-one-future causal-mask-excludes-diagonal",
        "causal-mask-transposed >= causal-mask-leaks-one-future",
    ),
    ("padding_mask", "function"): (
        "padding-mask-inverted >= padding-mask-not-boolean padding-mask-full-row-blank",
    ),
    ("attention_masks", "function"): (
        "mask-builder-inverted >= src-mask-ignores-padding mask-builder-not-boolean tgt-mask-leaks-one-future",
        "tgt-mask-not-causal >= tgt-mask-leaks-one-future tgt-mask-excludes-diagonal",
        "mask-builder-padding-inverted >= src-mask-ignores-padding tgt-mask-ignores-padding",
    ),
    ("softmax", "function"): (
        "softmax-not-normalised >= softmax-no-max-shift softmax-wrong-base softmax-ignores-axis",
        "softmax-no-exponential >= softmax-wrong-base softmax-no-max-shift",
        "softmax-hardcoded-axis0 >= softmax-hardcoded-axis1 softmax-ignores-axis",
        "softmax-over-everything >= softmax-ignores-axis softmax-mutates-input",
    ),
    ("positional_encoding", "function"): (
        "pe-no-wave >= pe-one-wave-only pe-wrong-base pe-halves-not-interleaved",
        "pe-one-wave-only >= pe-sign-flipped pe-odd-dmodel-crash",
        "pe-sin-cos-swapped >= pe-halves-not-interleaved pe-row-zero-blank",
    ),
    ("token_embedding", "function"): ("embedding-no-scale >= embedding-scale-constant embedding-integer-output",),
    ("token_embedding", "class"): ("embedding-no-scale >= manners",),
    ("layer_norm", "function"): (
        "ln-missing-affine >= ln-eps-outside-sqrt ln-eps-hardcoded ln-missing-gain ln-missing-shift",
        "ln-over-everything >= ln-eps-missing ln-unbiased-variance",
    ),
    ("layer_norm", "class"): (
        "ln-missing-affine >= ln-eps-outside-sqrt ln-eps-hardcoded ln-eps-squared manners",
        "ln-not-normalised >= ln-missing-affine",
    ),
    ("feed_forward", "function"): ("ffn-missing-activation >= ffn-missing-bias ffn-integer-output",),
    ("feed_forward", "class"): ("ffn-missing-activation >= manners",),
    ("add_norm", "class"): ("enc-missing-residual >= manners",),
    ("dropout", "function"): (
        "dropout-training-inverted >= dropout-active-in-evaluation dropout-no-rescaling",
        "dropout-never-drops >= dropout-shared-mask:least dropout-zero-taken-for-unset dropout-no-rescaling",
        "dropout-ignores-p >= dropout-zero-taken-for-unset dropout-ignores-rng",
    ),
    ("noam_lr", "function"): ("noam-no-warmup >= noam-step-off-by-one", "noam-never-decays >= noam-step-off-by-one"),
    ("adam", "function"): (
        "adam-no-bias-correction >= adam-eps-inside-root adam-wrong-defaults adam-updates-in-place",
        "adam-forgets-the-past >= adam-no-bias-correction adam-eps-missing",
        "adam-wrong-sign >= adam-eps-missing",
    ),
    ("greedy_decode", "function"): (
        "greedy-ignores-eos >= greedy-stops-late greedy-max-len-off-by-one greedy-drops-eos greedy-drops-bos",
        "greedy-ignores-history >= greedy-tie-goes-to-the-highest greedy-drops-eos",
        "greedy-takes-the-worst >= greedy-ignores-eos greedy-never-picks-zero",
    ),
    ("beam_search", "function"): (
        "beam-size-ignored >= beam-normalises-by-length beam-drops-bos",
        "beam-keeps-the-worst >= beam-size-ignored",
    ),
    ("complexity", "function"): ("complexity-attention-matrices >= complexity-final-norms",),
    ("label_smoothing", "function"): ("ls-pad-not-ignored >= ls-pad-counted-in-mean ls-log-of-softmax",),
}  # fmt: skip


def _outcomes(component: str, form: str, assignment: str, name: str) -> list[tuple[Outcome, ...]]:
    judged, interface = components.get(component, form), load_assignment(assignment).interface(component)
    if isinstance(judged, Block):
        faults = [fault for fault in blocks.mistakes(judged) if fault.id == name]
        if name == "manners":
            faults = [fault for _, fault in bad_manners(judged) if fault.knobs["manner"] != "is random"]
        return [blocks.rehearse(judged, fault, interface) for fault in faults]
    wrong = [one.by_target(judged.target) for one in judged.misconceptions if one.id == name]
    return [rehearse(judged, as_submitted(judged, interface, one), interface) for one in wrong if one]


@lru_cache(maxsize=2048)
def costs(component: str, form: str, assignment: str, name: str) -> tuple[float, ...]:
    """The share of the points that each variant of a slip costs."""
    rubric = load_rubric(assignment, load_assignment(assignment))
    subject = Subject(name, component, faulty=True, id=name)
    found = [1 - row(subject, outcomes, rubric).earned for outcomes in _outcomes(component, form, assignment, name)]
    return tuple(one for one in found if one > 0)  # a variant that this hand-out cannot show


def set_by(assignment: str, component: str, form: str) -> bool:
    interfaces = {one.component: one for one in load_assignment(assignment).interfaces}
    declared = interfaces[component].conventions.get("form", form) if component in interfaces else ""
    return declared == form


LINES = [
    pytest.param(assignment, component, form, line, id="-".join((assignment, component, form, line[:60])))
    for (component, form), lines in ORDERS.items()
    for line in lines
    for assignment in (MECHANICS, TRANSFORMER)
    if set_by(assignment, component, form)
]


@pytest.mark.slow
@pytest.mark.parametrize(("assignment", "component", "form", "line"), LINES)
def test_a_worse_misunderstanding_is_not_cheaper(assignment: str, component: str, form: str, line: str) -> None:
    worse, _, milder = line.partition(" >= ")
    high = costs(component, form, assignment, worse)
    assert high, worse
    for name in milder.split():
        low = costs(component, form, assignment, name.removesuffix(":least"))
        assert low, name
        assert max(high) + 1e-9 >= (min(low) if name.endswith(":least") else max(low)), (name, high, low)
        assert min(high) + 1e-9 >= min(low), (name, high, low)


def test_every_component_that_can_be_compared_has_an_order() -> None:
    compared = {component for component, _ in ORDERS}
    alone = {
        "integrity",
        "copy_task",
        "weight_tying",
        "teacher_forcing",
        "learned_positional_encoding",
        "language_model",
    }
    assert compared | alone == set(components.names())
