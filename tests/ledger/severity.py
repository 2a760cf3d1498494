"""A worse misunderstanding is never cheaper than a milder one: which is the worse, part by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise

from grader import components
from grader.auditing.audit import Rehearsal, Subject, row
from grader.auditing.modules import mistakes, rehearse
from grader.blocks.examine import Block
from grader.model.assignment import Assignment, Rubric

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
        # its dearest way ignores the eps that is passed as well: two wrongs
        "ln-missing-affine >= ln-eps-outside-sqrt:least ln-eps-hardcoded ln-eps-squared manners",
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


def by_form(assignment: Assignment, component: str, played: Sequence[Rehearsal]) -> dict[str, Sequence[Rehearsal]]:
    """Return what was played of each form: modules come first, and the right one first of each."""
    starts = [at for at, (subject, _) in enumerate(played) if not subject.faulty]
    forms = ("class", "function") if len(starts) > 1 else (components.form_of(assignment.interface(component)),)
    parts = [played[start:end] for start, end in pairwise((*starts, len(played)))]
    return dict(zip(forms, parts, strict=False))  # what is only trained is not rehearsed


def too_cheap(assignment: Assignment, rubric: Rubric, component: str, played: Sequence[Rehearsal]) -> list[str]:
    """Return the lines of the orders that do not hold under a rubric, of the forms that were played."""
    found = []
    for form, part in by_form(assignment, component, played).items():
        costs = cache(partial(_costs, assignment, rubric, component, part))
        for line in ORDERS.get((component, form), ()):
            worse, _, milder = line.partition(" >= ")
            for name in milder.split():
                high, low = costs(worse), costs(name.removesuffix(":least"))
                least = min(low) if name.endswith(":least") else max(low)
                if max(high) + 1e-9 < least or min(high) + 1e-9 < min(low):
                    found.append(f"{worse} {high} >= {name} {low}")
    return found


def _costs(
    assignment: Assignment, rubric: Rubric, component: str, played: Sequence[Rehearsal], name: str
) -> tuple[float, ...]:
    """The share of the points that each variant of a slip costs; those that this hand-out cannot show are left out."""
    subjects = [(subject, outcomes) for subject, outcomes in played if _is(subject, name)]
    block = components.of(assignment.interface(component))
    if not subjects and isinstance(block, Block):  # a mistake of a part, as the block around it shows it
        faults = [fault for fault in mistakes(block) if fault.id == name]
        subject = Subject(name, component, faulty=True, id=name)
        subjects = [(subject, rehearse(block, fault, assignment.interface(component))) for fault in faults]
    found = [1 - row(replace(subject, id=name), outcomes, rubric).earned for subject, outcomes in subjects]
    return tuple(one for one in found if one > 0)


def _is(subject: Subject, name: str) -> bool:
    if subject.name.startswith("a module that"):
        return name == "manners" and subject.name != "a module that is random"
    return subject.id == name
