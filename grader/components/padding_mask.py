"""The padding mask: which positions of a batch are real. Section 3.2.3 names masking, and batching makes it needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

import reference
from grader.component import Case, Found, Watched, conventions, pictures, watched
from grader.component.conventions import MASK_AXES
from grader.components.mask_shapes import (
    ADDITIVE,
    LOW,
    TYPES,
    as_form,
    boolean,
    fitted_fill,
    inward,
    meaning,
    only,
    without_middle_axes,
)
from grader.components.mask_words import FLOATS, MADE, MEANINGS, NUMBERS
from grader.judging.function import Function
from grader.properties import Array, Comparison, as_array, describe, near, same_mask, unchanged


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
        "batch, 1, 1, positions": lambda: shaped[:, None, None],
        "batch, positions, 1": lambda: shaped[:, :, None],
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
component.settles(conventions.MASK, MEANINGS, words=MADE, drops=FLOATS)
component.settles(conventions.MASK_TYPE, words=NUMBERS)
component.settles(
    MASK_AXES,
    {2: {}, 3: {"axes": "batch, 1, positions"}, 4: {"axes": "batch, 1, 1, positions"}},
    reads=without_middle_axes,
    words={3: {"(batch, max_len)": "(batch, 1, max_len)"}, 4: {"(batch, max_len)": "(batch, 1, 1, max_len)"}},
)


def _plain(case: Case) -> bool:
    return "plain" in case.tags


@component.check(on=_plain, convention="rank")
def is_batch_by_positions(got: Any, lengths: Any, max_len: int) -> Found:
    """The mask has a row for each sequence and a column for each of max_len positions."""
    array = as_array(got)
    if array is None:
        return Comparison(False, f"returned {describe(got)}; expected an array", None, got)
    return None if array.shape == (len(lengths), max_len) else near(array, reference.padding_mask(lengths, max_len))


@component.check(on=_plain)
def is_boolean(got: Any, **_: Any) -> Found:
    """The entries are True and False."""
    return boolean(got)


@component.check(on=lambda case: _plain(case) and len(case.inputs["lengths"]) > 1, convention="mask")
def true_means_real(got: Any, lengths: Any, max_len: int) -> Found:
    """True marks real positions, which may be attended to."""
    return meaning(got, reference.padding_mask(lengths, max_len))


@component.check(on=_plain)
def marks_the_real_positions(got: Any, lengths: Any, max_len: int) -> Found:
    """The first positions of each row are real, as many as its length says; the rest is padding."""
    right = reference.padding_mask(lengths, max_len)
    return only(np.ones_like(right), got, right)


@component.check(on=lambda case: "full" in case.tags)
def takes_full_sequences(got: Any, lengths: Any, max_len: int) -> Found:
    """A sequence of max_len tokens has no padding."""
    right = reference.padding_mask(lengths, max_len)
    return only(right.all(axis=1, keepdims=True) & np.ones_like(right), got, right)


@component.check(on=lambda case: "empty" in case.tags)
def takes_empty_sequences(got: Any, lengths: Any, max_len: int) -> Found:
    """A sequence of length 0 is all padding."""
    right = reference.padding_mask(lengths, max_len)
    return only(~right.any(axis=1, keepdims=True) & np.ones_like(right), got, right)


@component.check(on=lambda case: "list" in case.tags)
def takes_a_list_of_lengths(got: Any, lengths: Any, max_len: int) -> Found:
    """The lengths may come as a list."""
    array = as_array(got)
    return None if array is not None else near(got, reference.padding_mask(lengths, max_len))


@component.check(ask=watched(), on=_plain, most=2)
def leaves_the_lengths_alone(seen: Watched, lengths: Any, **_: Any) -> Found:
    """The caller's lengths are the same after the call."""
    return unchanged(seen.after["lengths"], lengths, "lengths")


_COUNT = """? How many True should the row of a sequence of length 2 hold?
> Look at where you compare positions with lengths: < or <=, and from which number you count.
"""
_SHAPE = """? What is the shape of your mask, and which one does the hand-out name?
> Compare it with (batch, max_len).
"""

component.slip(
    "padding-mask-inverted",
    """True marks padding instead of real positions.
? In this task, what does True say about a position?
> Look at the comparison of positions with lengths.
= Some libraries mark what to ignore. Here True means "may attend", so real positions are True.""",
    {"inverted": True},
    reading={"mask": "block"},
)
component.slip(
    "padding-mask-off-by-one",
    f"""Each row holds one True too many or too few.
{_COUNT}= Positions count from 0, so the real ones are those with position < length.""",
    {"off": 1},
    {"off": -1},
)
component.slip(
    "padding-mask-off-by-one",
    f"""Each row holds one True too few, and an empty sequence nearly all.
{_COUNT}= A slice leaves out its end by itself: row[:length] are the first `length` positions. With length - 1 the last
one is lost, and for a length of 0 the end is -1, which counts from behind.""",
    {"edge": "slice one short"},
)
component.slip(
    "padding-mask-positions-mixed-up",
    """The positions are brought into rows by a reshape in the wrong order.
? Which positions stand in the first row of your grid, before they are compared?
> Print the array of positions that you compare with the lengths: every row should be 0, 1, 2, ...
= tile and repeat lay out one long row, and reshape cuts it where its shape says. np.arange(max_len)[None, :] needs
neither: it broadcasts over the sequences.""",
    {"grid": "reshaped"},
    {"grid": "reshaped whole"},
)
component.slip(
    "padding-mask-padding-in-front",
    """The padding is taken to stand in front of the sequence.
? Where does the hand-out put the real positions?
> Look at which end of each row is True.
= Sequences are padded at the end here, so the first positions are the real ones.""",
    {"side": "left"},
)
component.slip(
    "padding-mask-ignores-max-len",
    f"""The mask is as wide as the longest sequence, not as max_len.
{_SHAPE}= max_len says how wide the batch is, which may be more than its longest sequence.""",
    {"width": "longest"},
)
component.slip(
    "padding-mask-wrong-width",
    f"""The mask is one position too wide.
{_SHAPE}= There are max_len positions, 0 to max_len - 1.""",
    {"width": "one more"},
)
component.slip(
    "padding-mask-one-length-for-all",
    """All rows use the length of one sequence.
? Give your function two different lengths. Do the rows differ?
> Each row needs its own length: compare a row of positions with a column of lengths.
= The lengths belong to the sequences one by one.""",
    *({"rows": which} for which in ("first", "longest", "shortest")),
)
component.slip(
    "padding-mask-sorts-lengths",
    """The lengths are sorted in place.
? Are your lengths the same after the call as before?
> Look for lengths.sort().
= Each row belongs to its own sequence, in the order given, and the caller's array should stay as it is.""",
    {"in_place": True},
)
component.slip(
    "padding-mask-full-row-blank",
    """A sequence without padding comes out as all padding.
? What does row[-0:] select?
> Look at a slice that counts from the end.
= With no padding the slice row[-0:] is the whole row, and not an empty one.""",
    {"edge": "full rows blank"},
)
component.slip(
    "padding-mask-empty-row-full",
    """An empty sequence comes out as all real.
? What does row[:-0] or `length or max_len` give for a length of 0?
> Try lengths = [0].
= A length of 0 means that nothing is real.""",
    {"edge": "empty rows full"},
)
component.slip(
    "padding-mask-at-least-one",
    """An empty sequence comes out with one real position.
? What does max(1, length) give for a length of 0?
> Try lengths = [0].
= A length of 0 means that nothing is real. What attention makes of such a row is settled elsewhere.""",
    {"edge": "at least one"},
)
component.slip(
    "padding-mask-marks-last-only",
    """Only the last real position is marked.
? How many True should the row of a sequence of length 2 hold?
> row[length] is one entry, row[:length] are the first ones.
= All positions before the length are real.""",
    {"edge": "last only"},
)
component.slip(
    "padding-mask-needs-an-array",
    """A list of lengths is not accepted, only an array.
? Call your function with lengths = [2, 1]. What happens?
> np.asarray(lengths) takes both.
= The hand-out allows a list, which has neither shape nor [:, None].""",
    {"lists": "attribute"},
    {"lists": "type"},
)
component.slip(
    "padding-mask-transposed",
    f"""Rows and columns are exchanged.
{_SHAPE}= Sequences are rows, positions are columns.""",
    {"axes": "positions, batch"},
)
component.slip(
    "padding-mask-wrong-axes",
    f"""The mask has other axes than are asked for.
{_SHAPE}= Axes for heads and queries are added where the mask is used.""",
    *(
        {"axes": axes}
        for axes in ("batch, 1, positions", "batch, 1, 1, positions", "batch, positions, 1", "square", "flat")
    ),
    reading={"rank": 2},
)
component.slip(
    "padding-mask-additive-float",
    f"""The mask holds numbers to add to the scores instead of True and False.
{ADDITIVE}= 0 and minus infinity are a legitimate design elsewhere. Read as booleans they mean the
opposite, since 0 is False.""",
    {"form": "additive", "fill": -np.inf},
    {"form": "additive", "fill": LOW},
    reading={"mask": "additive"},
    fit=fitted_fill,
)
component.slip(
    "padding-mask-not-boolean",
    f"""The mask holds the numbers 0 and 1 instead of True and False.
{TYPES}= `~mask` and `scores[mask]` do other things with numbers than with booleans. Add .astype(bool).""",
    {"form": "int"},
    {"form": "float"},
)
