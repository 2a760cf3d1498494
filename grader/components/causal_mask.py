"""The causal mask of the decoder (section 3.2.3, third point): checks and misconceptions."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

import reference
from grader.component import pictures
from grader.component.calls import Case
from grader.component.checks import Evidence, Found
from grader.component.convention import MEANINGS
from grader.components.any_call import answers_twice
from grader.components.mask_shapes import FLOATS, as_form, boolean, fitted_fill, inward, meaning, only, without_axes
from grader.judging.function import Function
from grader.properties import Array, as_array, near, other_kind, same_mask


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """From one position to many. ``domain``: ``longest`` (600) bounds n."""
    short, long = frozenset({"short"}), frozenset({"long"})
    for n, why in (
        (1, "one position sees itself"),
        (2, "two positions"),
        (3, "three positions"),
        (5, "five positions"),
    ):
        yield Case({"n": n}, why, short, fixed=True)
    yield Case({"n": int(rng.integers(6, 10))}, "a few positions", short)
    for n in (17, 33, 65, 130, 600):
        if n <= domain.get("longest", 600):
            yield Case({"n": n}, f"{n} positions: longer than any built-in size", long, fixed=True)


def workshop(
    n: int,
    *,
    diagonal: int = 0,
    side: str = "past",
    inverted: bool = False,
    limit: int = 0,
    limit_how: str = "cut",
    form: str = "bool",
    fill: float = -np.inf,
    lead: int = 0,
    behind: int = 0,
    extra: int = 0,
    window: int = 0,
) -> Any:
    """The oracle with knobs; every default is the right choice."""
    if limit and n > limit and limit_how.startswith("raise"):
        raise IndexError("index is out of bounds") if limit_how == "raise index" else ValueError("could not broadcast")
    size = limit if limit_how == "always" else min(n, limit) if limit else n + extra
    query, key = np.arange(size)[:, None], np.arange(size)[None, :]
    masks: dict[str, Array] = {
        "past": key <= query + diagonal,
        "future": key >= query - diagonal,
        "all": np.ones((size, size), dtype=bool),
        "itself": key == query,
        "mirrored": key + query >= size - 1 - diagonal,
        "mirrored up": key + query <= size - 1 + diagonal,
    }
    mask = masks[side] & (key > query - window) if window else masks[side]
    shaped = as_form(~mask if inverted else mask, form, fill)
    return shaped.reshape((1,) * lead + shaped.shape + (1,) * behind)


component = Function(
    "causal_mask",
    {"causal_mask": reference.causal_mask},
    ladder,
    title="Causal mask",
    reread="section 3.2.3, third point",
    workshop=workshop,
    inward=inward,
    returns_mask=True,
    compare=lambda got, expected, **_: same_mask(got, expected),
    picture=pictures.mask(),
)
component.settles("mask", MEANINGS, words="masks_made", drops=FLOATS)
component.settles("mask_type", words="mask_numbers")
component.settles("mask_axes", {2: {}, 3: {"lead": 1}, 4: {"lead": 2}, "batch_last": {"behind": 1}}, reads=without_axes)


@component.check(on="short", convention="rank")
def is_n_by_n(got: Any, n: int) -> Found:
    """The mask has n rows (queries) and n columns (keys)."""
    array = as_array(got)
    if array is None:
        return other_kind(got, "an array", reference.causal_mask(n))
    return None if array.shape == (n, n) else near(array, reference.causal_mask(n))


component.check("is_boolean", on="short")(boolean)


@component.check(on=lambda case: "short" in case.tags and case.inputs["n"] > 2, convention="mask")
def true_means_may_attend(got: Any, n: int) -> Found:
    """True marks the keys that a query may look at."""
    return meaning(got, reference.causal_mask(n))


@component.check(on="short")
def sees_itself(got: Any, n: int) -> Found:
    """Each position may attend to itself: the diagonal is True.

    The input of the decoder is shifted already, so position i holds the token before the one to predict.
    """
    return only(np.eye(n, dtype=bool), got, reference.causal_mask(n))


@component.check(on="short")
def sees_the_past(got: Any, n: int) -> Found:
    """Each position may attend to all earlier ones: below the diagonal all is True."""
    return only(np.tri(n, k=-1, dtype=bool), got, reference.causal_mask(n))


@component.check(on="short")
def hides_the_future(got: Any, n: int) -> Found:
    """No position may attend to a later one: above the diagonal all is False."""
    return only(~np.tri(n, dtype=bool), got, reference.causal_mask(n))


@component.check(on="long")
def works_for_any_length(got: Any, n: int) -> Found:
    """A long sequence gets its mask as well: as large as n, and causal at the far end."""
    array = as_array(got)
    if array is None or array.shape[-1:] != (n,) or n != array.shape[max(array.ndim - 2, 0)]:
        return near(got, reference.causal_mask(n))
    last = array.reshape(-1, n)[-n:]
    # Shape, type and meaning are looked at on short masks; here the far end must only go on as the near one does.
    return (
        None
        if bool((last[-1, : n - 1] == last[1, 0]).all() and (last[0, 2:] == last[0, 2]).all())
        else near(got, reference.causal_mask(n))
    )


answers_twice(component, "The same n gives the same mask in a second call.", on="long", most=1)


@component.hook
def _fitted_limit(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """The built-in size: that of the largest mask that came back, or the largest n that did not raise."""
    asked = [
        (answer.call.inputs["n"], as_array(answer.value)) for answer in evidence.answers if answer.call.repeat == 1
    ]
    sizes = [(n, array.shape[-1]) for n, array in asked if array is not None and array.ndim]
    for limit in sorted({size for n, size in sizes if size != n})[-1:]:
        yield {"limit": limit}
        yield {"limit": limit, "limit_how": "always"}
    for kind in ("raise", "raise index"):
        yield {"limit": max(n for n, _ in sizes), "limit_how": kind}


@component.hook
def _fitted_window(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """How many positions the last query of the longest mask sees."""
    found = [as_array(answer.value) for answer in evidence.answers if answer.call.repeat == 1]
    arrays = [array for array in found if array is not None and array.ndim == 2 and array.dtype.kind in "biu"]
    longest = max(arrays, key=len)
    yield {"window": int(longest[-1].sum())}


component.hooks["fitted_fill"] = fitted_fill
