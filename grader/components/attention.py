"""Scaled dot-product attention (section 3.2.1, equation 1): checks and misconceptions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import reference
from grader.component import pictures
from grader.component.calls import Call, Case
from grader.component.checks import Found, Oracle
from grader.component.convention import MEANINGS
from grader.components.any_call import answers_twice, leaves_alone
from grader.components.attention_cases import ladder, probes
from grader.components.attention_hooks import HOOKS
from grader.components.attention_workshop import workshop
from grader.judging.function import Function
from grader.model.outcome import Tells
from grader.properties import (
    COARSE,
    NOT_ASKED,
    Array,
    Comparison,
    as_array,
    describe,
    near,
    other_kind,
    rows_sum_to_one,
)

BLOCKED = 1e-6
"""A blocked key keeps less weight than this (fills of -1e9, -inf and the like all do)."""
MOST_SHARE = 0.98
"""Allowed keys share more of a row than this; what is lost to a fill that is not low enough has a check of its own."""


def inward(value: Any, conventions: Mapping[str, Any]) -> Any:
    """Read a result in another order, without the weights, or with more behind them as the pair that is asked for."""
    pair = isinstance(value, tuple | list) and len(value) > 1
    match conventions.get("results"):
        case "swapped" if pair:
            return (value[1], value[0])
        case "first two" if pair:
            return (value[0], value[1])
        case "output alone" if not pair:
            return (value, NOT_ASKED)
        case _:
            return value


component = Function(
    "scaled_dot_product_attention",
    {"scaled_dot_product_attention": reference.scaled_dot_product_attention},
    ladder,
    title="Scaled dot-product attention",
    reread="section 3.2.1, equation 1",
    returns=("output", "weights"),
    workshop=workshop,
    probes=probes,
    inward=inward,
    picture=pictures.weights(),
    ranked=("Q", "K", "V"),
    mask_shape=lambda inputs: (*inputs["Q"].shape[:-1], inputs["K"].shape[-2]),
)
component.settles("returns")
component.settles(
    "mask",
    MEANINGS,
    words="masks_taken",
    drops={  # the one makes such a mask; the other says of booleans what is right of numbers
        "block": frozenset({"sdpa-mask-changed-in-place"}),
        "additive": frozenset({"sdpa-mask-changed-in-place", "sdpa-mask-added"}),
    },
)
component.settles("mask_type", words="mask_numbers")
component.settles("mask_hides", {"large": {}, "infinite": {}})
component.settles("mask_required", {False: {}, True: {}})
component.settles("mask_heads", {True: {}, False: {}})
component.settles("scale")
component.settles(
    "causal",
    drops={True: frozenset({"sdpa-always-causal"})},
    narrows=lambda _: {"same_length": True, "causal": True},
)


def _square(case: Case) -> bool:
    """As many queries as keys, where fewer slips raise: none is paid for by each of its effects."""
    return "plain" in case.tags and case.inputs["Q"].shape[-2] == case.inputs["K"].shape[-2]


def _unordered(case: Case) -> bool:
    """Where no position comes before another: nothing hides the future."""
    return _square(case) and "causal" not in case.tags


def _parts(got: Any, inputs: Mapping[str, Any], oracle: Oracle) -> tuple[Array | None, Array | None]:
    """Output and weights as arrays where they have the right shapes; None where not, or not asked for."""
    if not isinstance(got, tuple | list) or len(got) != 2:
        return None, None
    shapes = [array.shape for array in oracle(**inputs)]
    found = [None if part is NOT_ASKED else as_array(part) for part in got]
    fits = [a is not None and a.shape == s and a.dtype.kind in "fiu" for a, s in zip(found, shapes, strict=True)]
    return (found[0] if fits[0] else None), (found[1] if fits[1] else None)


def _no_weights(got: Any) -> bool:
    return isinstance(got, tuple | list) and len(got) == 2 and got[1] is NOT_ASKED


@component.check(on=("plain", "batch"), convention="results")
def returns_output_and_weights(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """The result is the pair (output, weights), of shapes (..., n, d_v) and (..., n, m)."""
    if not isinstance(got, tuple | list) or len(got) != 2:
        return other_kind(got, "the pair (output, weights)", oracle(**inputs))
    for part, want, name in zip(got, oracle(**inputs), ("output", "weights"), strict=True):
        array = want if part is NOT_ASKED else as_array(part)
        if array is None or array.shape != want.shape:
            text = f"{name}: {describe(part)}; expected shape {want.shape}"
            return Comparison(False, text, want, part, tells=Tells.NAMED)
    return None


@component.check(on=("plain", "batch"))
def weights_are_distributions(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """The weights of each query are non-negative and sum to 1 over the keys."""
    if _no_weights(got):
        return None
    _, weights = _parts(got, inputs, oracle)
    return near(got, oracle(**inputs), dtype=COARSE) if weights is None else rows_sum_to_one(weights.astype(COARSE))


@component.check(on=_square)
def weights_match_the_paper(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """The weights are softmax(QKᵀ / √d_k), as in equation 1."""
    _, weights = _parts(got, inputs, oracle)
    if weights is None:
        return near(got, oracle(**inputs), dtype=COARSE)
    return near(weights, oracle(**inputs)[1], dtype=COARSE)


@component.check(on=_square)
def output_is_the_average_of_the_values(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """Each output row is the sum of the values, weighted with that query's weights."""
    output, weights = _parts(got, inputs, oracle)
    if output is None or weights is None:
        right = oracle(**inputs)
        return near(got if output is None else output, right if output is None else right[0], dtype=COARSE)
    return _averages(output, weights, inputs, oracle)


def _averages(output: Array, weights: Array, inputs: Mapping[str, Any], oracle: Oracle) -> Found:
    """The output follows from the student's own weights, or is right in spite of them."""
    if not np.isfinite(weights).all() or near(output, np.asarray(weights @ inputs["V"]), dtype=COARSE):
        return None
    return near(output, oracle(**inputs)[0], dtype=COARSE)


def _with_calm(**inputs: Any) -> Sequence[Call]:
    """The call, and where queries of ordinary size stand beside huge ones, one in which these are of that size too."""
    queries = inputs["Q"]
    large = _large(queries)
    if large.all() or not large.any():
        return (Call(inputs),)
    calm = np.where(large[..., None], queries / np.abs(queries).max(), queries)
    return (Call(inputs), Call({**inputs, "Q": calm}))


@component.check(ask=_with_calm, on="large")
def survives_large_scores(got: Any, calm: Any = None, *, oracle: Oracle, **inputs: Any) -> Found:
    """Scores of 10000 give finite weights, with all of the weight on the key that a query likes best."""
    _, weights = _parts(got, inputs, oracle)
    output = as_array(_first(got))
    if output is not None and weights is not None and np.isfinite(output).all():
        best = near(weights, oracle(**inputs)[1], dtype=COARSE)
        # A query of ordinary size may be wrong for another reason; what is large must be one-hot and finite.
        if not np.isfinite(weights).all() or _large(inputs["Q"]).all():
            return best
        _, alone = _parts(calm, inputs, oracle)
        ordinary = ~_large(inputs["Q"])
        as_ever = alone is not None and near(alone[ordinary], oracle(**inputs)[1][ordinary], dtype=COARSE)
        return best if as_ever else None
    return near(got, oracle(**inputs), dtype=COARSE)


def _large(queries: Array) -> Array:
    return np.asarray(np.abs(queries).max(axis=-1) > 100)  # far beyond what exp() bears


def _samples(**inputs: Any) -> Sequence[Call]:
    lead = inputs["Q"].shape[:-2]
    ends = ((0,) * len(lead), tuple(size - 1 for size in lead))
    return (Call(inputs), *(Call({name: array[end] for name, array in inputs.items()}) for end in ends))


@component.check(ask=_samples, on="batch")
def keeps_batches_apart(got: Any, first: Any, last: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """Each sample of a batch comes out as it does alone."""
    if not isinstance(got, tuple | list) or not isinstance(first, tuple | list) or not isinstance(last, tuple | list):
        return near(got, oracle(**inputs), dtype=COARSE)
    lead = inputs["Q"].ndim - 2
    for end, alone in ((0, first), (-1, last)):
        for part, single in zip(got, alone, strict=False):
            whole, want = as_array(part), as_array(single)
            if part is NOT_ASKED or want is None:
                continue
            if whole is None or whole.ndim != want.ndim + lead:
                return near(got, oracle(**inputs), dtype=COARSE)
            found = near(whole[(end,) * lead], want, dtype=COARSE)
            if not found:
                return found
    return None


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, tuple | list) and len(value) else value


def _reordered(Q: Array, K: Array, V: Array, **_: Any) -> Sequence[Call]:
    return Call({"Q": Q, "K": K, "V": V}), Call({"Q": Q, "K": K[..., ::-1, :].copy(), "V": V[..., ::-1, :].copy()})


@component.check(ask=_reordered, on=lambda case: _unordered(case) and case.inputs["K"].shape[-2] > 1)
def keys_are_a_set(got: Any, reordered: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """Reordering the keys together with their values changes no output."""
    first = as_array(_first(got))
    return near(_first(reordered), first, dtype=COARSE) if first is not None else near(got, oracle(**inputs))


def _several_queries(case: Case) -> bool:
    return _unordered(case) and case.inputs["Q"].shape[0] > 1 and "scale" not in case.tags


def _flipped(Q: Array, K: Array, V: Array, **_: Any) -> Sequence[Call]:
    return Call({"Q": Q, "K": K, "V": V}), Call({"Q": Q[::-1].copy(), "K": K, "V": V})


@component.check(ask=_flipped, on=_several_queries)
def queries_keep_their_order(got: Any, flipped: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """Reordering the queries reorders the output rows in the same way."""
    first = as_array(_first(got))
    if first is None or not first.ndim:
        return near(got, oracle(**inputs))
    return near(_first(flipped), first[::-1], dtype=COARSE)


def _with_mask(**inputs: Any) -> Sequence[Call]:
    return Call(inputs), Call({name: inputs[name] for name in ("Q", "K", "V")})


@component.check(on=lambda case: "mask" in case.tags and "broadcast" not in case.tags, convention="mask")
def blocked_keys_get_no_weight(got: Any, mask: Array, *, oracle: Oracle, **inputs: Any) -> Found:
    """A blocked key (False in the mask) has a weight below 0.000001, whatever the scores are."""
    output, weights = _parts(got, {**inputs, "mask": mask}, oracle)
    right = oracle(**inputs, mask=mask)
    if weights is None:
        return near(got if output is None else output, right if output is None else right[0], dtype=COARSE)
    leaks = np.where(np.broadcast_to(mask, weights.shape), 0.0, np.abs(weights))
    if not np.isfinite(weights).all():
        # Where the scores are huge, what is not finite comes from exp(), which has a check of its own.
        return near(weights, right[1], dtype=COARSE) if not _huge(**inputs) else None
    if (leaks < BLOCKED).all():
        return _unmasked(output, right[0], {**inputs, "mask": mask}, oracle)
    at = tuple(int(i) for i in np.unravel_index(int(np.argmax(leaks)), leaks.shape))
    return Comparison(False, f"a blocked key has the weight {leaks[at]:.3g}", right[1], weights, float(leaks[at]), at)


def _unmasked(output: Any, right: Array, inputs: Mapping[str, Any], oracle: Oracle) -> Found:
    """Whether the output is that without the mask, although the weights know it."""
    free = oracle(**{name: inputs[name] for name in ("Q", "K", "V")})[0]
    if output is None or not near(output, free, dtype=COARSE) or near(output, right, dtype=COARSE):
        return None
    found = near(output, right, dtype=COARSE)
    return replace(found, message="the output is that without the mask", tells=Tells.FOUND)


def _huge(Q: Array, K: Array, **_: Any) -> bool:
    return bool(np.abs(Q @ K.swapaxes(-1, -2)).max() > 1e4)


@component.check(
    ask=_with_mask, on=lambda case: "mask" in case.tags and not case.tags & {"broadcast", "low"}, convention="mask"
)
def allowed_keys_share_all_the_weight(got: Any, free: Any, mask: Array, *, oracle: Oracle, **inputs: Any) -> Found:
    """With a mask, the weights still sum to 1, allowed keys keep their proportions, and the output follows."""
    output, weights = _parts(got, {**inputs, "mask": mask}, oracle)
    usual, before = _parts(free, inputs, oracle)
    if weights is None or before is None:
        return near(got, (NOT_ASKED, oracle(**inputs, mask=mask)[1]), dtype=COARSE) if not _no_weights(got) else None
    found = rows_sum_to_one(weights.astype(COARSE))
    if not found and bool(rows_sum_to_one(before.astype(COARSE))):
        return found
    if output is not None and usual is not None and _averages(usual, before, inputs, oracle) is None:
        averaged = _averages(output, weights, {**inputs, "mask": mask}, oracle)
        if averaged is not None and not averaged:
            return averaged
    allowed = np.broadcast_to(mask, weights.shape)
    mine, theirs = weights * allowed, before * allowed
    share = _least_share(mine, weights, allowed)
    if share < MOST_SHARE:
        right = oracle(**inputs, mask=mask)[1]
        message = f"the allowed keys share {share:.3g} of the weight"
        return replace(near(weights, right, dtype=COARSE), message=message, tells=Tells.FOUND)
    totals = mine.sum(axis=-1, keepdims=True), theirs.sum(axis=-1, keepdims=True)
    judged = (np.abs(totals[0]) > BLOCKED) & (np.abs(totals[1]) > BLOCKED)
    with np.errstate(all="ignore"):
        return near(np.where(judged, mine / totals[0], 0.0), np.where(judged, theirs / totals[1], 0.0), dtype=COARSE)


def _least_share(mine: Array, weights: Array, allowed: Array) -> float:
    """The share that allowed keys have of a row's weight, in the row where it is least; 1 where that says nothing."""
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        return 1.0
    totals = weights.sum(axis=-1)
    judged = (totals > BLOCKED) & allowed.any(axis=-1)
    return float(np.where(judged, mine.sum(axis=-1) / np.maximum(totals, BLOCKED), 1.0).min())


def _full_mask(mask: Array, **inputs: Any) -> Sequence[Call]:
    shape = (*inputs["Q"].shape[:-1], inputs["K"].shape[-2])
    return Call({**inputs, "mask": mask}), Call({**inputs, "mask": np.broadcast_to(mask, shape).copy()})


@component.check(ask=_full_mask, on="broadcast")
def masks_broadcast(got: Any, full: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """A mask for all samples, all heads or all queries does the same as one written out in full."""
    for part, want in (
        zip(got, full, strict=False) if isinstance(got, tuple | list) and isinstance(full, tuple | list) else ()
    ):
        array = as_array(want)
        if part is not NOT_ASKED and array is not None and np.isfinite(array).all():
            found = near(part, array, dtype=COARSE)
            if not found:
                return found
    return None if isinstance(got, tuple | list) else near(got, oracle(**inputs))


@component.check(on="integer", manner=True)
def whole_numbers_give_fractions(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """Q, K and V of whole numbers give floating weights, not zeros and ones."""
    for part in got if isinstance(got, tuple | list) else (got,):
        array = as_array(part) if part is not NOT_ASKED else None
        if array is not None and array.dtype.kind != "f":
            return near(got, oracle(**inputs), dtype=COARSE)
    return None


def _watchable(case: Case) -> bool:
    return _square(case) or bool(case.tags & {"integer", "fill"})


leaves_alone(component, "The caller's arrays are the same after the call.", on=_watchable)
answers_twice(component, "The same arguments give the same answer in a second call.", on=_square)


component.hooks |= HOOKS
