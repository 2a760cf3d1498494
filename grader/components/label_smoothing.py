"""Label smoothing (section 5.4; Szegedy et al. 2015), a function in torch: its checks."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import reference
from grader.component.calls import Call, Case, Differentiated
from grader.component.checks import Evidence, Found, Oracle
from grader.components.any_call import leaves_alone
from grader.components.label_smoothing_workshop import workshop
from grader.judging.function import Function
from grader.model.outcome import Tells
from grader.paper.softmax import softmax
from grader.properties import COARSE, Array, Comparison, as_array, near, other_kind, slope


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """Uniform guesses first, then drawn logits; tokens, classes and sentences are distinct primes.

    What a course settles narrows it: with eps shared by V - 2 words there are more than two, and log-probabilities are
    what comes of the logits. ``no_smoothing`` (false: eps is more than 0).
    """
    no_smoothing, padded = domain.get("no_smoothing", True), domain.get("padded", True)
    for case in _rungs(rng):
        logits = case.inputs["logits"]
        if (case.inputs["eps"] == 0 and not no_smoothing) or ("padded" in case.tags and not padded):
            continue
        if domain.get("smoothing") == "others_without_pad" and logits.shape[-1] < len(("word", "pad", "another")):
            continue
        if domain.get("scores") == "log_probabilities":
            case = replace(case, inputs={**case.inputs, "logits": softmax(logits, logs="exact")})  # noqa: PLW2901 - the same case
        yield case


def _rungs(rng: np.random.Generator) -> Iterable[Case]:
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
    return near(got, expected, dtype=COARSE)


component = Function(
    "label_smoothing",
    {"label_smoothing_loss": reference.label_smoothing_loss},
    ladder,
    title="Label smoothing",
    reread="section 5.4, label smoothing",
    workshop=workshop,
    compare=compare,
    ranked=("logits", "target"),
)
component.settles("smoothing", narrows=lambda shared: {"smoothing": shared})
component.settles("scores", narrows=lambda scores: {"scores": scores})
component.settles("loss")
component.settles(
    "padded",
    narrows=lambda padded: {"padded": padded},
    unused={False: ("pad_id",)},
    drops={False: frozenset({"ls-mean-over-padding"})},  # where nothing is padding it is a sum
)
component.settles(
    "reduction",
)


def _flat(logits: Array, target: Array, eps: float, pad_id: int) -> tuple[Call, ...]:
    """Ask the case, and its real tokens alone in one row."""
    alone = {"logits": np.ascontiguousarray(logits[target != pad_id]), "target": target[target != pad_id]}
    given = {"logits": logits, "target": target, "eps": eps, "pad_id": pad_id}
    return Call(given), Call({**given, **alone})


def _alike(got: Any, alone: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """Whether the loss is to that of its real tokens in one row as it should be: the same, where it is a mean."""
    want = as_array(alone)
    if want is None or want.dtype.kind not in "iuf":
        return other_kind(got, "one number")
    right, flat = (oracle(**call.inputs) for call in _flat(**inputs))
    if not np.isfinite(want).all():
        return Comparison(False, "is not a finite number for the same tokens in one row", np.asarray(flat), want)
    want = want if right == flat else np.asarray(want * (right / flat))
    found = compare(got, want)
    message = f"{found.message} from that of the same tokens in one row"
    return found or Comparison(False, message, want, got, tells=found.tells)


@component.check(on="plain")
def matches_the_paper(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """The loss is the cross-entropy with the target (1 - eps) one-hot + eps/V."""
    return compare(got, oracle(**inputs))


component.check("takes_batches", "A batch of sentences has the loss of its tokens in one row.", ask=_flat, on="batch")(
    _alike
)
component.check(
    "takes_transposed_logits", "Logits whose memory lies in another order give the same loss.", ask=_flat, on="strided"
)(_alike)


def _pads_changed(logits: Array, target: Array, eps: float, pad_id: int) -> tuple[Call, ...]:
    other = np.where((target == pad_id)[..., None], 3 * logits[..., ::-1] + 1.0, logits)
    return tuple(Call({"logits": each, "target": target, "eps": eps, "pad_id": pad_id}) for each in (logits, other))


@component.check(ask=_pads_changed, on=lambda case: "padded" in case.tags and bool(case.inputs["logits"].any()))
def logits_at_padding_do_not_count(got: Any, changed: Any, **_: Any) -> Found:
    """Other logits at padded positions give the same loss."""
    first = as_array(got)
    if first is None:
        return other_kind(got, "one number")
    return near(changed, first)


component.check(
    "mean_is_over_real_tokens",
    "Padding does not change the mean: it is taken over the targets that are not pad_id.",
    ask=_flat,
    on="padded",
)(_alike)


@component.check(on="large")
def survives_confident_logits(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """Confident logits give a finite loss."""
    array = as_array(got)
    if array is not None and array.dtype.kind in "iuf" and np.isfinite(array).all():
        return None
    return compare(got, oracle(**inputs))


leaves_alone(component, "Logits and targets are the same after the call.", on="padded", most=3)


def _differentiated(case: Case) -> bool:
    ordinary = bool(case.tags & {"plain", "padded"}) and case.inputs["logits"].dtype == np.float64
    return ordinary and bool(case.inputs["logits"].any())


@component.check(ask=lambda **inputs: (Call(inputs, gradient="logits"),), on=_differentiated, most=6)
def can_be_trained_with(seen: Any, logits: Array, target: Array, eps: float, pad_id: int, *, oracle: Oracle) -> Found:
    """The gradient of the loss reaches the logits and pushes the prediction to the smoothed target.

    It is judged up to a positive factor: whether the mean is right is another check's business.
    """
    if not isinstance(seen, Differentiated) or seen.gradient is None:
        return _gives("no gradient for the logits: was the result detached, or turned into a float?")
    at = logits.astype(np.float64)
    want = slope(lambda: oracle(logits=at.copy(), target=target, eps=eps, pad_id=pad_id), at, 1e-5)
    got = np.asarray(seen.gradient, dtype=np.float64)
    if got.shape != want.shape or not np.isfinite(got).all():
        return _gives("a gradient that is not finite", want, got)
    if np.abs(want.sum(axis=-1)).max() > np.abs(want).max() / 2:  # of log-probabilities, which may be normalised again
        shares = np.exp(logits)
        want, got = (each - shares * each.sum(axis=-1, keepdims=True) for each in (want, got))
    largest = float(np.abs(want).max())
    scaled = got * (largest / max(float(np.abs(got).max()), 1e-30))
    agrees = float(np.sum(got * want)) >= 0 and near(scaled, want, dtype=COARSE)
    return None if agrees else _gives("a gradient that pushes elsewhere", want, got)


def _gives(what: str, expected: Any = None, got: Any = None) -> Comparison:
    return Comparison(False, f"gives {what}", expected, got, tells=Tells.DID)


@component.hook
def _views(evidence: Evidence) -> bool:
    """Whether only transposed logits fail, in a view."""
    return evidence.failed == {"takes_transposed_logits"} and any(
        answer.status == "error" and "view" in answer.failure.message for answer in evidence.answers
    )


@component.hook
def cut_from_the_graph(evidence: Evidence) -> bool:
    """The loss is cut off from the logits, so that nothing can be trained."""
    seen = [answer.value for answer in evidence.answers if isinstance(answer.value, Differentiated)]
    return evidence.failed == {"can_be_trained_with"} and any(each.gradient is None for each in seen)
