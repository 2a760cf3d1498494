"""The cases that scaled dot-product attention is asked (section 3.2.1): smallest first, then masks."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from grader.component.calls import Case
from grader.properties import Array


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """Smallest first; n queries, m keys, d_k and d_v all different where the hand-out allows it.

    ``domain``: ``ranks`` (2 to 4), ``same_length`` (n = m), ``same_width`` (d_k = d_v), ``masks`` (false:
    none; full: of the scores' own shape).
    """
    square = bool(domain.get("same_length"))
    for case in _rungs(rng, domain):
        if not square or case.inputs["Q"].shape[-2] == case.inputs["K"].shape[-2]:
            yield _causal(case) if domain.get("causal") else case


def _causal(case: Case) -> Case:
    """The case for attention that hides the future itself: a mask leaves each query its own key."""
    case, mask = replace(case, tags=case.tags | {"causal"}), case.inputs.get("mask")
    if mask is None:
        return case
    return replace(case, inputs={**case.inputs, "mask": mask | np.eye(mask.shape[-1], dtype=bool)[-mask.shape[-2] :]})


def _rungs(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    square, width = bool(domain.get("same_length")), bool(domain.get("same_width"))
    batches = max(domain.get("ranks", (2, 3, 4))) > 2

    def draw(n: int, m: int, d_k: int, d_v: int, *lead: int) -> dict[str, Any]:
        m, d_v = (n if square else m), (d_k if width else d_v)
        return {
            "Q": rng.normal(size=(*lead, n, d_k)),
            "K": rng.normal(size=(*lead, m, d_k)),
            "V": rng.normal(size=(*lead, m, d_v)),
        }

    yield from _by_hand(square=square, width=width)
    plain = frozenset({"plain"})
    yield Case(draw(2, 3, 4, 5), "two queries, three keys, d_k = 4, d_v = 5" if not square else "two positions", plain)
    yield Case(draw(5, 3, 2, 7), "more queries than keys" if not square else "five positions", plain)
    yield Case(draw(4, 4, 3, 5), "four queries and four keys" if not square else "four positions", plain)
    yield Case(draw(3, 3, 3, 3), "all sizes equal: only the values can tell", plain | {"square"})
    yield Case(
        {k: v * 1e4 if k == "Q" else v for k, v in draw(4, 4, 7, 2).items()}, "huge scores", frozenset({"large"})
    )
    apart = draw(2, 2, 4, 5)
    yield Case({**apart, "Q": apart["Q"] * [[1.0], [1e5]]}, "one query with huge scores", frozenset({"large"}))
    numbers = {name: rng.integers(-2, 4, size=array.shape) for name, array in draw(3, 3, 3, 4).items()}
    yield Case(numbers, "whole numbers", frozenset({"integer"}))
    if batches:
        batch = frozenset({"batch"})
        yield Case(draw(3, 5, 2, 7, 2), "a batch of two", batch)
        yield Case(draw(2, 2, 2, 2, 2), "a batch with all sizes equal", batch)
        yield Case(draw(2, 3, 5, 7, 2, 3), "two leading axes: batch and heads", batch)
        yield Case(draw(3, 3, 3, 3, 3, 3), "batch and heads with all sizes equal", batch)
    if masks := domain.get("masks", True):
        whole = masks == "full"
        yield from (case for case in _masked(draw, rng, batches=batches) if not (whole and "broadcast" in case.tags))


def _by_hand(*, square: bool, width: bool) -> Iterable[Case]:
    """Small enough to be worked out on paper."""
    plain, scale = frozenset({"plain"}), frozenset({"plain", "scale"})
    one = {"Q": np.array([[2.0]]), "K": np.array([[1.0]]), "V": np.array([[3.0]])}
    yield Case(one, "one query and one key: all the weight goes to it", plain, fixed=True)
    first = np.array([[1.0] * 4, [0.0] * 4])
    why = "a score of 4 against 0, before the division by √4"
    values = np.eye(4)[:2] if square or width else np.array([[1.0], [0.0]])
    yield Case({"Q": first, "K": first, "V": values}, why, scale, fixed=True)
    if not (square or width):
        values = np.array([[1.0, 0.0], [0.0, 1.0]])
        yield Case(
            {"Q": np.zeros((1, 3)), "K": np.zeros((2, 3)), "V": values},
            "a query that likes both keys alike",
            plain,
            fixed=True,
        )


def _masked(draw: Any, rng: np.random.Generator, *, batches: bool) -> Iterable[Case]:
    tag, low = frozenset({"mask"}), frozenset({"mask", "low"})
    tied = {"Q": np.array([[0.0]]), "K": np.array([[1.0], [1.0]]), "V": np.array([[1000.0], [-1000.0]])}
    yield Case(
        {**tied, "mask": np.array([[True, False]])},
        "two equal keys, the second one blocked",
        tag | {"fill"},
        fixed=True,
    )
    inputs = draw(3, 5, 2, 7)
    yield Case({**inputs, "mask": _some(rng, inputs)}, "a different pattern for each query", tag)
    inputs = draw(4, 4, 4, 4)
    yield Case(
        {**inputs, "mask": np.tril(np.ones((4, 4), dtype=bool), -1) | (np.arange(4) == 1)},
        "a mask with as many queries as keys",
        tag,
    )
    inputs = draw(2, 3, 4, 5)
    inputs = {**inputs, "Q": -np.abs(inputs["Q"]) - 1, "K": np.abs(inputs["K"]) + 1}
    yield Case({**inputs, "mask": _some(rng, inputs)}, "all scores negative, so that a filled 0 would win", tag)
    for query in (-30.0, -1000.0):
        inputs = {
            "Q": np.array([[query]]),
            "K": np.array([[10.0], [20.0], [20.01]]),
            "V": np.array([[1.0], [0.0], [2.0]]),
        }
        yield Case(
            {**inputs, "mask": np.array([[False, True, True]])}, f"allowed scores near {query * 20:g}", low, fixed=True
        )
    if batches:
        batch = tag | {"broadcast"}
        inputs = draw(3, 5, 2, 7, 2)
        yield Case({**inputs, "mask": _some(rng, inputs)}, "a batch with a mask for each sample", tag)
        inputs = draw(3, 5, 2, 7, 2)
        yield Case({**inputs, "mask": _some(rng, inputs)[0]}, "one mask for the whole batch", batch)
        inputs = draw(3, 5, 2, 7, 2, 3)
        yield Case({**inputs, "mask": _some(rng, inputs)[:, :1]}, "a mask shared by all heads", batch)
        inputs = draw(3, 5, 2, 7, 2, 3)
        yield Case({**inputs, "mask": _some(rng, inputs)[:, :1, :1]}, "a padding mask for each sample", batch)


def _some(rng: np.random.Generator, inputs: Mapping[str, Array]) -> Array:
    """A random mask in which every query has an allowed key and a blocked one."""
    shape = (*inputs["Q"].shape[:-1], inputs["K"].shape[-2])
    order = rng.random(shape).argsort(axis=-1)
    mask = rng.random(shape) < 0.6  # share of allowed keys
    np.put_along_axis(mask, order[..., :1], values=True, axis=-1)
    np.put_along_axis(mask, order[..., 1:2], values=False, axis=-1)
    return mask


def probes(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """The ladder, and a score that overflows: infinity times 0 is not 0, which tells two ways to block apart."""
    yield from ladder(rng, domain)
    if domain.get("masks", True):
        huge = {"Q": np.array([[1e200]]), "K": np.array([[1e200], [-1.0]]), "V": np.array([[1.0], [2.0]])}
        yield Case({**huge, "mask": np.array([[False, True]])}, "a blocked score that overflows")
