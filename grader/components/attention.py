"""Scaled dot-product attention (section 3.2.1, equation 1): checks and misconceptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

import reference
from grader.component import Call, Case, Component, Evidence, Found, Watched, watched
from grader.properties import NOT_ASKED, Array, Comparison, as_array, near, rows_sum_to_one, unchanged

BLOCKED = 1e-6
"""A blocked key keeps less weight than this (fills of -1e9, -inf and the like all do)."""


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """Smallest first; n queries, m keys, d_k and d_v all different where the hand-out allows it."""
    square = bool(domain.get("same_length"))
    width = bool(domain.get("same_width"))
    masks = domain.get("masks", True)
    batches = max(domain.get("ranks", (2, 3, 4))) > 2  # noqa: PLR2004 - a matrix has two axes

    def draw(n: int, m: int, d_k: int, d_v: int, *lead: int) -> dict[str, Any]:
        m, d_v = (n if square else m), (d_k if width else d_v)
        return {"Q": rng.normal(size=(*lead, n, d_k)), "K": rng.normal(size=(*lead, m, d_k)),
                "V": rng.normal(size=(*lead, m, d_v))}

    yield Case({"Q": np.array([[2.0]]), "K": np.array([[1.0]]), "V": np.array([[3.0]])},
               "one query and one key: all the weight goes to it", fixed=True)
    if not square:
        yield Case({"Q": np.zeros((1, 2)), "K": np.zeros((2, 2)), "V": np.array([[1.0, 0.0], [0.0, 1.0]])},
                   "one query that likes both keys alike", fixed=True)
    if not width and not square:
        yield Case({"Q": np.ones((1, 4)), "K": np.array([[1.0] * 4, [0.0] * 4]), "V": np.array([[1.0], [0.0]])},
                   "a score of 4 against 0, before scaling by sqrt(4)", fixed=True)
    yield Case(draw(2, 3, 4, 5), "two queries, three keys")
    yield Case(draw(5, 3, 2, 7), "five queries, three keys")
    yield Case(draw(3, 3, 3, 3), "all sizes equal: only the values can tell", frozenset({"square"}))
    yield Case({k: 30 * v if k == "Q" else v for k, v in draw(3, 5, 7, 2).items()}, "large scores", frozenset({"large"}))
    if batches:
        yield Case(draw(3, 5, 2, 7, 2), "a batch of two", frozenset({"batch"}))
        yield Case(draw(2, 2, 2, 2, 2), "a batch with all sizes equal", frozenset({"batch", "square"}))
        yield Case(draw(2, 3, 5, 7, 2, 3), "two leading axes: batch and heads", frozenset({"batch"}))
    if masks:
        yield from _masked(draw, rng, batches=batches)


def _masked(draw: Any, rng: np.random.Generator, *, batches: bool) -> Iterable[Case]:
    tag = frozenset({"mask"})
    first = {"Q": np.array([[0.0]]), "K": np.array([[1.0], [2.0]]), "V": np.array([[1.0], [5.0]])}
    yield Case({**first, "mask": np.array([[True, False]])}, "two keys, the second one blocked", tag, fixed=True)
    inputs = draw(3, 5, 2, 7)
    yield Case({**inputs, "mask": _some(rng, 3, 5)}, "a different pattern for each query", tag)
    negative = draw(2, 3, 4, 5)
    yield Case({**negative, "Q": -np.abs(negative["Q"]) - 1, "K": np.abs(negative["K"]) + 1, "mask": _some(rng, 2, 3)},
               "all scores negative, so that a filled 0 would win", tag)
    low = {"Q": np.array([[-1000.0]]), "K": np.array([[20.0], [21.0]]), "V": np.array([[1.0], [0.0]])}
    yield Case({**low, "mask": np.array([[False, True]])}, "allowed scores far below zero", frozenset({"mask", "low"}), fixed=True)
    if batches:
        inputs = draw(3, 5, 2, 7, 2)
        yield Case({**inputs, "mask": _some(rng, 2, 3, 5)}, "a batch with a mask for each sample", tag | {"batch"})
        inputs = draw(3, 5, 2, 7, 2, 3)
        yield Case({**inputs, "mask": _some(rng, 2, 1, 3, 5)}, "a mask shared by all heads", tag | {"batch"})
        inputs = draw(3, 5, 2, 7, 2, 3)
        yield Case({**inputs, "mask": _some(rng, 2, 1, 1, 5)}, "a padding mask for each sample", tag | {"batch"})


def _some(rng: np.random.Generator, *shape: int) -> Array:
    """A random mask that leaves every row at least one key and blocks at least one in the first row."""
    mask = rng.random(shape) < 0.6  # noqa: PLR2004 - share of allowed keys
    mask[..., 0, :2] = [False, True]
    keep = rng.integers(0, shape[-1], size=shape[:-1])
    np.put_along_axis(mask, keep[..., None], values=True, axis=-1)
    mask[..., 0, 0] = False
    mask[..., 0, 1] = True
    return mask


def workshop(Q: Array, K: Array, V: Array, mask: Array | None = None, *, scale: str = "sqrt_dk", axis: Any = -1,  # noqa: N803
             mask_time: str = "before", inverted: bool = False, fill: float = -np.inf, second: str = "weights",
             retrieve: str = "values") -> tuple[Any, Any]:
    """The oracle with knobs; every default is the paper's choice."""
    scores = Q @ np.swapaxes(K, -1, -2) * _factor(scale, Q, K, V)
    allowed = None if mask is None else np.broadcast_to(~mask if inverted else mask, scores.shape)
    raw = scores
    if allowed is not None and mask_time == "before":
        scores = np.where(allowed, scores, fill)
    elif allowed is not None and mask_time == "multiplied":
        scores = scores * allowed
    weights = _softmax(scores, axis)
    if allowed is not None and mask_time == "after":
        weights = weights * allowed
    return weights @ (K if retrieve == "keys" else V), weights if second == "weights" else raw


def _softmax(scores: Array, axis: Any) -> Array:
    over = {"all": None, "matrix": (-2, -1)}.get(axis, axis) if isinstance(axis, str) else axis
    shifted = np.exp(scores - np.max(scores, axis=over, keepdims=True))
    return shifted / shifted.sum(axis=over, keepdims=True)


def _factor(scale: str, Q: Array, K: Array, V: Array) -> float:  # noqa: N803
    d_k = Q.shape[-1]
    return {"sqrt_dk": d_k**-0.5, "none": 1.0, "times": d_k**0.5, "dk": 1 / d_k, "axis_1": Q.shape[1] ** -0.5,
            "dv": V.shape[-1] ** -0.5, "keys": K.shape[-2] ** -0.5, "queries": Q.shape[-2] ** -0.5}[scale]


component = Component("scaled_dot_product_attention", {"scaled_dot_product_attention": reference.scaled_dot_product_attention},
                      ladder, title="Scaled dot-product attention", reread="section 3.2.1, equation 1",
                      returns=("output", "weights"), workshop=workshop)


@component.check(on=lambda case: not case.tags & {"mask", "batch", "large"})
def matches_the_paper(got: Any, Q: Array, K: Array, V: Array, mask: Array | None = None) -> Found:  # noqa: N803
    """softmax(QK^T / sqrt(d_k)) V and its weights are as in equation 1."""
    return near(got, reference.scaled_dot_product_attention(Q, K, V, mask))


@component.check()
def weights_are_distributions(got: Any, **_: Any) -> Found:
    """The weights of each query are non-negative and sum to 1."""
    if isinstance(got, tuple | list) and len(got) == 2:  # noqa: PLR2004 - output and weights
        return got[1] is NOT_ASKED or rows_sum_to_one(got[1])
    return Comparison(False, "returned one value; expected the pair (output, weights)", None, got)


@component.check(on=lambda case: "large" in case.tags)
def survives_large_scores(got: Any, Q: Array, K: Array, V: Array, mask: Array | None = None) -> Found:  # noqa: N803
    """Large scores give finite, right values."""
    return near(got, reference.scaled_dot_product_attention(Q, K, V, mask))


@component.check(on=lambda case: "batch" in case.tags and "mask" not in case.tags)
def keeps_batches_apart(got: Any, Q: Array, K: Array, V: Array, mask: Array | None = None) -> Found:  # noqa: N803
    """Leading axes (batch, heads) are computed independently."""
    return near(got, reference.scaled_dot_product_attention(Q, K, V, mask))


@component.check(on=lambda case: "mask" in case.tags, convention="mask")
def mask_blocks_keys(got: Any, Q: Array, K: Array, V: Array, mask: Array) -> Found:  # noqa: N803
    """Blocked keys (False in the mask) get no weight; the others share all of it."""
    return near(got, reference.scaled_dot_product_attention(Q, K, V, mask))


@component.check(ask=lambda Q, K, V: (Call({"Q": Q, "K": K, "V": V}), Call({"Q": Q, "K": K[..., ::-1, :], "V": V[..., ::-1, :]})),
                 on=lambda case: "mask" not in case.tags and case.inputs["K"].shape[-2] > 1, most=3)
def keys_are_a_set(got: Any, reordered: Any, **_: Any) -> Found:
    """Reordering the keys together with their values changes no output."""
    first, second = (as_array(value[0]) if isinstance(value, tuple | list) else as_array(value) for value in (got, reordered))
    return near(second, first) if first is not None else Comparison(False, "returned no array", None, got)


@component.check(ask=watched(), most=3, on=lambda case: "square" not in case.tags)
def leaves_arguments_alone(seen: Watched, **inputs: Any) -> Found:
    """The caller's arrays are the same after the call."""
    return next((found for name, after in seen.after.items() if not (found := unchanged(after, inputs[name], name))), None)


component.fault("sdpa-no-scale", "The scores are not divided by sqrt(d_k).", scale="none",
                nudge="How large do dot products become when vectors get longer?",
                hint="Compare your scores with equation 1: what stands under the fraction bar?",
                explanation="A dot product of two d_k-dimensional vectors with unit variance has variance d_k, so without the "
                            "division the softmax becomes nearly one-hot and its gradient vanishes.")


@component.sign("sdpa-scales-query-in-place", nudge="Compare Q before and after the call.",
                hint="An in-place operator such as `Q /= …` changes the caller's array.")
def scales_in_place(evidence: Evidence) -> bool:
    """The argument Q is changed in place."""
    return evidence.failed == {"leaves_arguments_alone"} and any(
        isinstance(a.value, Watched) and "Q" in a.value.after and not unchanged(a.value.after["Q"], a.call.inputs["Q"], "Q")
        for a in evidence.answers)
