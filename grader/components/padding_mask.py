"""The padding mask: which positions of a batch are real. Section 3.2.3 names masking, and batching makes it needed."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

import reference
from grader.component import pictures
from grader.component.calls import Case
from grader.component.checks import Found
from grader.component.convention import MEANINGS
from grader.components.any_call import leaves_alone
from grader.components.mask_shapes import (
    FLOATS,
    as_form,
    boolean,
    fitted_fill,
    inward,
    meaning,
    only,
    without_middle_axes,
)
from grader.judging.function import Function
from grader.properties import Array, as_array, near, other_kind, same_mask


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:  # noqa: ARG001 - a ladder's signature
    """From one sequence to a batch with an empty and a full one; lengths as an array, and once as a list."""
    plain, full = frozenset({"plain"}), frozenset({"full"})
    yield Case({"lengths": np.array([1]), "max_len": 2}, "one real position and one of padding", plain, fixed=True)
    yield Case({"lengths": np.array([2, 1]), "max_len": 3}, "two sequences", plain, fixed=True)
    yield Case(
        {"lengths": np.array([3, 1, 2]), "max_len": 5}, "three sequences, none of full length", plain, fixed=True
    )
    yield Case({"lengths": rng.integers(1, 7, size=4), "max_len": 7}, "a batch of four", plain)
    yield Case({"lengths": np.array([1]), "max_len": 1}, "one position, which is real", full, fixed=True)
    yield Case({"lengths": np.array([4, 2]), "max_len": 4}, "a sequence without padding", full, fixed=True)
    yield Case({"lengths": np.array([0, 2, 1]), "max_len": 3}, "an empty sequence", frozenset({"empty"}), fixed=True)
    lengths = [int(length) for length in rng.integers(1, 5, size=3)]
    yield Case({"lengths": lengths, "max_len": 5}, "lengths in a list", frozenset({"list"}))


def workshop(
    lengths: Any,
    max_len: int,
    *,
    inverted: bool = False,
    off: int = 0,
    side: str = "right",
    width: str = "asked",
    form: str = "bool",
    fill: float = -np.inf,
    axes: str = "batch, positions",
    lists: str = "",
    rows: str = "own",
    edge: str = "",
    in_place: bool = False,
    grid: str = "rows",
) -> Any:
    """The oracle with knobs; every default is the right choice."""
    if isinstance(lengths, list) and lists:
        raise {
            "attribute": AttributeError("'list' object has no attribute 'shape'"),
            "type": TypeError("list indices must be integers or slices, not tuple"),
        }[lists]
    if in_place:
        lengths.sort()
    counts = np.asarray(lengths) + off
    if rows != "own":
        counts = np.full_like(counts, {"first": counts[0], "longest": counts.max(), "shortest": counts.min()}[rows])
    size = {"asked": max_len, "longest": int(np.max(lengths)), "one more": max_len + 1}[width]
    if edge == "rows too long" and counts.max() > size:
        raise ValueError("the rows have an inhomogeneous shape")
    position = np.arange(size)[None, :]
    if grid == "reshaped":
        position = np.tile(np.arange(size), len(counts)).reshape(size, len(counts)).T
    elif grid == "reshaped whole":
        position = np.repeat(np.arange(size), len(counts)).reshape(len(counts), size)
    mask = position < counts[:, None] if side == "right" else position >= size - counts[:, None]
    mask = np.where((counts == size)[:, None], False, mask) if edge == "full rows blank" else mask
    mask = np.where((counts == 0)[:, None], True, mask) if edge == "empty rows full" else mask
    mask = position < np.maximum(counts, 1)[:, None] if edge == "at least one" else mask
    mask = position == counts[:, None] - 1 if edge == "last only" else mask
    mask = position < np.where(counts == 0, size - 1, counts - 1)[:, None] if edge == "slice one short" else mask
    shaped = as_form(~mask if inverted else mask, form, fill)
    laid: dict[str, Callable[[], Array]] = {
        "batch, positions": lambda: shaped,
        "positions, batch": lambda: shaped.T,
        "batch, 1, positions": lambda: shaped[:, None],
        "batch, queries, positions": lambda: np.repeat(shaped[:, None], size, axis=1),
        "batch, 1, 1, positions": lambda: shaped[:, None, None],
        "batch, positions, 1": lambda: shaped[:, :, None],
        "batch, 1, positions, 1": lambda: shaped[:, None, :, None],
        "square": lambda: shaped[:, None, :] & shaped[:, :, None],
        "flat": lambda: shaped.reshape(-1),
    }
    return laid[axes]()


component = Function(
    "padding_mask",
    {"padding_mask": reference.padding_mask},
    ladder,
    title="Padding mask",
    reread="section 3.2.3",
    workshop=workshop,
    inward=inward,
    returns_mask=True,
    compare=lambda got, expected, **_: same_mask(got, expected),
    picture=pictures.mask(("sequences", "positions")),
)
component.settles("mask", MEANINGS, words="masks_made", drops=FLOATS)
component.settles("mask_type", words="mask_numbers")
component.settles(
    "mask_axes",
    {
        2: {},
        3: {"axes": "batch, 1, positions"},
        4: {"axes": "batch, 1, 1, positions"},
        "queries": {"axes": "batch, queries, positions"},
    },
    reads=without_middle_axes,
)


@component.check(on="plain", convention="rank")
def is_batch_by_positions(got: Any, lengths: Any, max_len: int) -> Found:
    """The mask has a row for each sequence and a column for each of max_len positions."""
    array = as_array(got)
    if array is None:
        return other_kind(got, "an array")
    return None if array.shape == (len(lengths), max_len) else near(array, reference.padding_mask(lengths, max_len))


component.check("is_boolean", on="plain")(boolean)


@component.check(on=lambda case: "plain" in case.tags and len(case.inputs["lengths"]) > 1, convention="mask")
def true_means_real(got: Any, lengths: Any, max_len: int) -> Found:
    """True marks real positions, which may be attended to."""
    return meaning(got, reference.padding_mask(lengths, max_len))


@component.check(on="plain")
def marks_the_real_positions(got: Any, lengths: Any, max_len: int) -> Found:
    """The first positions of each row are real, as many as its length says; the rest is padding."""
    right = reference.padding_mask(lengths, max_len)
    return only(np.ones_like(right), got, right)


@component.check(on="full")
def takes_full_sequences(got: Any, lengths: Any, max_len: int) -> Found:
    """A sequence of max_len tokens has no padding."""
    right = reference.padding_mask(lengths, max_len)
    return only(right.all(axis=1, keepdims=True) & np.ones_like(right), got, right)


@component.check(on="empty")
def takes_empty_sequences(got: Any, lengths: Any, max_len: int) -> Found:
    """A sequence of length 0 is all padding."""
    right = reference.padding_mask(lengths, max_len)
    return only(~right.any(axis=1, keepdims=True) & np.ones_like(right), got, right)


@component.check(on="list")
def takes_a_list_of_lengths(got: Any, lengths: Any, max_len: int) -> Found:
    """The lengths may come as a list."""
    array = as_array(got)
    return None if array is not None else near(got, reference.padding_mask(lengths, max_len))


leaves_alone(
    component, "The caller's lengths are the same after the call.", "leaves_the_lengths_alone", on="plain", most=2
)


component.hooks["fitted_fill"] = fitted_fill
