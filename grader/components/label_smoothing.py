"""Label smoothing (section 5.4; Szegedy et al. 2015), a function in torch: its checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

import reference
from grader.component import Call, Case, Differentiated, Evidence, Found, Watched, watched
from grader.components.any_call import arguments_unchanged
from grader.components.label_smoothing_faults import SLIPS, workshop
from grader.judging.function import Function
from grader.properties import Array, Comparison, as_array, describe, near


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:  # noqa: ARG001 - every ladder's form
    """Uniform guesses first, then drawn logits; tokens, classes and sentences are distinct primes."""
    yield _case(np.zeros((1, 3)), [2], 0.3, 0, "a uniform guess over three words: ln 3", "plain", fixed=True)
    yield _case(np.zeros((1, 2)), [1], 0.5, 0, "a uniform guess over two words: ln 2", "plain", fixed=True)
    yield _case(np.array([[2.0, 0.0, 1.0]]), [0], 0.3, 1, "one token, three classes", "plain", fixed=True)
    yield _case(rng.normal(size=(3, 5)), _ids(rng, (3,), 5, 4), 0.1, 4, "three tokens", "plain")
    yield _case(rng.normal(size=(3, 5)), _ids(rng, (3,), 5, 0), 0.0, 0, "eps = 0 is the plain cross-entropy", "plain")
    single = rng.normal(size=(5, 7)).astype(np.float32)
    yield _case(single, _ids(rng, (5,), 7, 1), 0.2, 1, "single precision", "plain")
    yield _case(rng.normal(size=(2, 3, 5)), _ids(rng, (2, 3), 5, 0), 0.1, 0, "a batch of sentences", "batch")
    yield _case(rng.normal(size=(3, 2, 7)), _ids(rng, (3, 2), 7, 6), 0.3, 6, "a batch of sentences", "batch")
    strided = np.swapaxes(rng.normal(size=(2, 7, 3)), 1, 2)
    yield _case(strided, _ids(rng, (2, 3), 7, 0), 0.1, 0, "logits that were transposed", "strided")
    yield _case(np.zeros((2, 3)), [1, 0], 0.3, 0, "one word and one pad", "padded", fixed=True)
    yield _case(rng.normal(size=(5, 7)), [3, 2, 0, 3, 0], 0.1, 3, "padding whose id is not 0", "padded")
    yield _case(
        rng.normal(size=(2, 5, 7)), [[4, 3, 6, 0, 0], [2, 1, 0, 0, 0]], 0.2, 0, "sentences of two lengths", "padded"
    )
    confident = np.array([[1000.0, 0.0, -1000.0], [0.0, 800.0, 0.0]])
    yield _case(confident, [0, 2], 0.1, 1, "confident logits, once right and once wrong", "large", fixed=True)


def _case(logits: Array, target: Any, eps: float, pad_id: int, why: str, tag: str, *, fixed: bool = False) -> Case:
    inputs = {"logits": logits, "target": np.asarray(target), "eps": eps, "pad_id": pad_id}
    return Case(inputs, why, frozenset({tag}), fixed=fixed)


def _ids(rng: np.random.Generator, shape: tuple[int, ...], vocab: int, pad_id: int) -> Array:
    """Random targets without padding."""
    return rng.choice([token for token in range(vocab) if token != pad_id], size=shape)


def compare(got: Any, expected: Any, **_: Any) -> Comparison:
    """Compare one number, as in single precision: a tiny constant inside a logarithm is a style, not a mistake."""
    return near(got, expected, dtype=np.dtype(np.float32))


component = Function(
    "label_smoothing",
    {"label_smoothing_loss": reference.label_smoothing_loss},
    ladder,
    title="Label smoothing",
    reread="section 5.4, label smoothing",
    workshop=workshop,
    compare=compare,
)


def _flat(logits: Array, target: Array, eps: float, pad_id: int) -> tuple[Call, ...]:
    """Ask the case, and its real tokens alone in one row."""
    alone = {"logits": np.ascontiguousarray(logits[target != pad_id]), "target": target[target != pad_id]}
    given = {"logits": logits, "target": target, "eps": eps, "pad_id": pad_id}
    return Call(given), Call({**given, **alone})


def _alike(got: Any, alone: Any) -> Found:
    want = as_array(alone)
    if want is None:
        return Comparison(False, f"returned {describe(got)}; expected one number", None, got)
    found = compare(got, want)
    return found or Comparison(False, f"{found.message} from that of the same tokens in one row", want, got)


@component.check(on=lambda case: "plain" in case.tags)
def matches_the_paper(got: Any, **inputs: Any) -> Found:
    """The loss is the cross-entropy with the target (1 - eps) one-hot + eps/V."""
    return compare(got, reference.label_smoothing_loss(**inputs))


@component.check(ask=_flat, on=lambda case: "batch" in case.tags)
def takes_batches(got: Any, alone: Any, **_: Any) -> Found:
    """A batch of sentences has the loss of its tokens in one row."""
    return _alike(got, alone)


@component.check(ask=_flat, on=lambda case: "strided" in case.tags)
def takes_transposed_logits(got: Any, alone: Any, **_: Any) -> Found:
    """Logits whose memory lies in another order give the same loss."""
    return _alike(got, alone)


def _pads_changed(logits: Array, target: Array, eps: float, pad_id: int) -> tuple[Call, ...]:
    other = np.where((target == pad_id)[..., None], 3 * logits[..., ::-1] + 1.0, logits)
    return tuple(Call({"logits": each, "target": target, "eps": eps, "pad_id": pad_id}) for each in (logits, other))


@component.check(ask=_pads_changed, on=lambda case: "padded" in case.tags and bool(case.inputs["logits"].any()))
def logits_at_padding_do_not_count(got: Any, changed: Any, **_: Any) -> Found:
    """Other logits at padded positions give the same loss."""
    first = as_array(got)
    if first is None:
        return Comparison(False, f"returned {describe(got)}; expected one number", None, got)
    return near(changed, first)


@component.check(ask=_flat, on=lambda case: "padded" in case.tags)
def mean_is_over_real_tokens(got: Any, alone: Any, **_: Any) -> Found:
    """Padding does not change the mean: it is taken over the targets that are not pad_id."""
    return _alike(got, alone)


@component.check(on=lambda case: "large" in case.tags)
def survives_confident_logits(got: Any, **inputs: Any) -> Found:
    """Confident logits give a finite loss."""
    array = as_array(got)
    if array is not None and array.dtype.kind in "iuf" and np.isfinite(array).all():
        return None
    return compare(got, reference.label_smoothing_loss(**inputs))


@component.check(ask=watched(), on=lambda case: "padded" in case.tags, most=3)
def leaves_arguments_alone(seen: Watched, **inputs: Any) -> Found:
    """Logits and targets are the same after the call."""
    return arguments_unchanged(seen, inputs)


def _differentiated(case: Case) -> bool:
    ordinary = bool(case.tags & {"plain", "padded"}) and case.inputs["logits"].dtype == np.float64
    return ordinary and bool(case.inputs["logits"].any())


@component.check(ask=lambda **inputs: (Call(inputs, gradient="logits"),), on=_differentiated, most=6)
def can_be_trained_with(seen: Any, logits: Array, target: Array, eps: float, pad_id: int) -> Found:
    """The gradient of the loss reaches the logits and pushes the prediction to the smoothed target.

    It is judged up to a positive factor: whether the mean is right is another check's business.
    """
    if not isinstance(seen, Differentiated) or seen.gradient is None:
        return Comparison(False, "gives no gradient for the logits: was the result detached, or turned into a float?")
    want, got = _gradient(logits, target, eps, pad_id), np.asarray(seen.gradient, dtype=np.float64)
    if got.shape != want.shape or not np.isfinite(got).all():
        return Comparison(False, "gives a gradient that is not finite", want, got)
    largest = float(np.abs(want).max())
    scaled = got * (largest / max(float(np.abs(got).max()), 1e-30))
    agrees = float(np.sum(got * want)) >= 0 and near(scaled, want, dtype=np.dtype(np.float32))
    return None if agrees else Comparison(False, "gives a gradient that pushes elsewhere", want, got)


def _gradient(logits: Array, target: Array, eps: float, pad_id: int) -> Array:
    """(softmax - smoothed target) / tokens, and nothing at padding."""
    real = target != pad_id
    wanted = np.where(real, target, 0)
    off = reference.softmax(logits.astype(np.float64)) - reference.smoothed_targets(wanted, logits.shape[-1], eps)
    gradient: Array = np.where(real[..., None], off, 0.0) / real.sum()
    return gradient


def _views(evidence: Evidence) -> bool:
    """Whether only transposed logits fail, in a view."""
    return evidence.failed == {"takes_transposed_logits"} and any(
        answer.status == "error" and "view" in answer.failure.message for answer in evidence.answers
    )


for _id, _text, *_settings in SLIPS:
    component.slip(_id, _text, *_settings, sign=_views if _id == "ls-view-on-noncontiguous" else None)


@component.sign(
    "ls-not-differentiable",
    nudge="Call backward() on your loss. Does it work?",
    hint="Look for .item(), float(), .detach(), .numpy() or torch.no_grad().",
)
def cut_from_the_graph(evidence: Evidence) -> bool:
    """The loss is cut off from the logits, so that nothing can be trained."""
    seen = [answer.value for answer in evidence.answers if isinstance(answer.value, Differentiated)]
    return evidence.failed == {"can_be_trained_with"} and any(each.gradient is None for each in seen)
