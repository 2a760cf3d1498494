"""Masks from token ids: padding for the source, padding and causality for the target (section 3.2.3)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

import reference
from grader.component import pictures
from grader.component.calls import Call, Case, Watched
from grader.component.checks import Evidence, Found
from grader.component.convention import MEANINGS, mistake_id
from grader.components.any_call import leaves_alone
from grader.components.attention_masks_workshop import source_workshop, target_workshop
from grader.components.mask_shapes import FLOATS, boolean, fitted_fill, inward, with_heads
from grader.judging.function import Function
from grader.properties import TRUTH, Array, Comparison, as_array, other_kind, shape_text

SOURCE, TARGET = "make_src_mask", "make_tgt_mask"
BOTH = (SOURCE, TARGET)


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """Every batch is asked of both builders; its size differs from its length, so that swapped axes show.

    Where the domain has one ``padding_id``, that stands for padding in each.
    """
    drawn = rng.integers(1, 9, size=(3, 5))
    drawn[0, 3:], drawn[1, 0], drawn[2, 2] = 0, 0, 0
    other = rng.integers(0, 6, size=(2, 4))
    other[0, 2:], other[1, :2] = 7, 7
    other[:, 2], other[1, 3] = [7, 3], 0
    low = rng.integers(4, 9, size=(2, 3))
    low[0, 2], low[1, 0] = 3, 3
    batches: Sequence[tuple[Array, int, str, set[str], bool]] = (
        (np.array([[5, 6, 7], [8, 9, 4]]), 0, "no padding", {"unpadded"}, True),
        (np.array([[5, 0, 0], [6, 7, 0]]), 0, "padding at the end", {"padded"}, True),
        (np.array([[0, 5, 6], [0, 0, 7]]), 0, "padding in front", {"padded", "front"}, True),
        (drawn, 0, "padding at the end, in front and inside", {"padded", "front"}, False),
        (other, 7, "7 stands for padding, and 0 is a word", {"padded", "pad id"}, False),
        (low, 3, "3 stands for padding", {"padded", "pad id"}, False),
    )
    alone = domain.get("padding_id")
    if alone is not None:
        told = (batch for batch in batches if "pad id" not in batch[3])
        batches = [(_exchanged(ids, alone, 0), alone, why, tags, fixed) for ids, _, why, tags, fixed in told]
    for target in BOTH:
        side = "source" if target == SOURCE else "target"
        for ids, pad_id, why, tags, fixed in batches:
            yield Case({"ids": ids, "pad_id": pad_id}, f"{side}: {why}", frozenset({*tags, side}), fixed, target=target)


def _exchanged(ids: Array, one: int, other: int) -> Array:
    """The ids with two of them in each other's place."""
    return np.where(ids == one, other, np.where(ids == other, one, ids))


def compare(got: Any, expected: Any, ids: Array, pad_id: int) -> Comparison:
    """Broadcast both to (batch, 1, n, n) and compare the rows of real queries."""
    batch, n = ids.shape
    array, want = as_array(got), np.asarray(expected)
    if array is None:
        return other_kind(got, "a mask", want)
    shapes = [_fits(mask, batch, n) for mask in (array, want)]
    if not all(shapes):
        same = array.shape == want.shape and array.dtype.kind == want.dtype.kind and bool(np.array_equal(array, want))
        square = f"(batch, 1, n, n) = ({batch}, 1, {n}, {n})"
        text = f"has shape {shape_text(array.shape)}, which does not broadcast to {square}"
        return Comparison(same, "" if same else text, want, array)
    if (array.dtype.kind == "b") != (want.dtype.kind == "b"):
        return Comparison(False, f"has type {array.dtype}; expected {want.dtype}", want, array)
    rows = ids != pad_id
    mine, right = (np.broadcast_to(mask, (batch, 1, n, n))[:, 0] for mask in (array, want))
    wrong = (mine != right) & ~((mine != mine) & (right != right)) & rows[:, :, None]  # noqa: PLR0124 - NaN equals NaN here
    if not wrong.any():
        return Comparison(True, "", want, array)
    at = [int(i) for i in np.argwhere(wrong)[0]]
    where = f"sample {at[0]}, query {at[1]}, key {at[2]}"
    return Comparison(False, f"{where}: {mine[tuple(at)]}, expected {right[tuple(at)]}", want, array, which=where)


def _fits(mask: Array, batch: int, n: int) -> bool:
    try:
        np.broadcast_to(mask, (batch, 1, n, n))
    except ValueError:
        return False
    return True


component = Function(
    "attention_masks",
    {SOURCE: reference.make_src_mask, TARGET: reference.make_tgt_mask},
    ladder,
    title="Source and target masks",
    reread="section 3.2.3",
    workshop={SOURCE: source_workshop, TARGET: target_workshop},
    compare=compare,
    picture=pictures.mask(),
    inward=inward,
    returns_mask=True,
)
component.settles("mask", MEANINGS, words="masks_made", drops=FLOATS)
component.settles("mask_type", words="mask_numbers")
component.settles("attention_masks.mask_axes", reads=with_heads)
component.settles(
    "padding_id",
    narrows=lambda pad: {} if pad == "told" else {"padding_id": pad},
    unused={1: ("pad_id",), 0: ("pad_id",)},
    drops=dict.fromkeys((0, 1), frozenset({"mask-builder-hardcoded-pad-id", mistake_id("padding_id", "told")})),
)


def _right(case_target: str, ids: Array, pad_id: int) -> Array:
    right: Array = component.oracle(case_target)(ids, pad_id)
    return right


def _boolean(got: Any, right: Array, ids: Array, pad_id: int) -> Array | Comparison:
    """The mask as booleans, (batch, n, n), with rows of padded queries as they should be; or what is wrong with it."""
    batch, n = ids.shape
    array = as_array(got)
    if array is None or array.dtype.kind not in "biuf" or not _fits(array, batch, n):
        return compare(got, right, ids, pad_id)
    full, want = (np.broadcast_to(mask, (batch, 1, n, n))[:, 0] for mask in (array != 0, right))
    return np.where((ids != pad_id)[:, :, None], full, want)


def _judge(target: str, part: Array | None, got: Any, ids: Array, pad_id: int) -> Found:
    right = _right(target, ids, pad_id)
    mask = _boolean(got, right, ids, pad_id)
    if isinstance(mask, Comparison):
        return mask
    want = np.broadcast_to(right, (ids.shape[0], 1, ids.shape[1], ids.shape[1]))[:, 0]
    chosen = np.ones_like(want) if part is None else np.broadcast_to(part, want.shape)
    found = compare(np.where(chosen, mask, want)[:, None], right, ids, pad_id)
    return found if found or np.asarray(got).dtype != TRUTH else boolean(got)


@component.check(on="padded")
def broadcasts_to_batch_heads_queries_keys(got: Any, ids: Array, pad_id: int) -> Found:
    """Both masks broadcast to (batch, 1, n, n): samples, heads, queries, keys."""
    array = as_array(got)
    if array is None or not _fits(array, *ids.shape):
        return compare(got, reference.make_tgt_mask(ids, pad_id), ids, pad_id)
    return None


component.check("is_boolean", on=lambda case: "padded" in case.tags and "pad id" not in case.tags)(boolean)


@component.check(on="unpadded", convention="mask")
def true_means_may_attend(got: Any, ids: Array, pad_id: int) -> Found:
    """True marks the keys that may be read: without padding, the first position sees at least itself."""
    array = as_array(got)
    if array is None or not _fits(array, *ids.shape):
        return None  # the shape is another check's business
    full = np.broadcast_to(array, (len(ids), 1, ids.shape[1], ids.shape[1]))
    if array.dtype.kind == "f" and (array < 0).any():
        return Comparison(False, "holds numbers to add to scores; expected True = may attend", None, array)
    exchanged = not (full[:, 0, -1, 0] != 0).any() and not (full[:, 0, 0, 0] != 0).any()
    right = reference.make_tgt_mask(ids, pad_id)
    return (
        Comparison(False, "the last position may not read the first: is True what is hidden?", right, array)
        if exchanged
        else None
    )


@component.check(on=lambda case: "source" in case.tags and "pad id" not in case.tags)
def source_hides_padded_keys(got: Any, ids: Array, pad_id: int) -> Found:
    """In the source mask, no query may read a padded key, and every query may read every real one."""
    return _judge(SOURCE, None, got, ids, pad_id)


@component.check(on=lambda case: "target" in case.tags and "pad id" not in case.tags)
def target_looks_back_only(got: Any, ids: Array, pad_id: int) -> Found:
    """In the target mask, no position may read a later one, and each may read itself and all real ones before."""
    real = (ids != pad_id)[:, None, :]
    return _judge(TARGET, real, got, ids, pad_id)


@component.check(on=lambda case: "target" in case.tags and "front" in case.tags)
def target_hides_padded_keys(got: Any, ids: Array, pad_id: int) -> Found:
    """In the target mask, padding is hidden too, also where it stands in front of real tokens."""
    n = ids.shape[1]
    padded = (ids == pad_id)[:, None, :] & np.tri(n, dtype=bool)
    return _judge(TARGET, padded, got, ids, pad_id)


def _renamed(ids: Array, pad_id: int) -> Sequence[Call]:
    """The same batch with the words 0 and pad_id exchanged, so that 0 stands for padding."""
    return Call({"ids": ids, "pad_id": pad_id}), Call({"ids": _exchanged(ids, pad_id, 0), "pad_id": 0})


@component.check(ask=_renamed, on="pad id")
def uses_the_pad_id(got: Any, renamed: Any, ids: Array, pad_id: int) -> Found:
    """Which id means padding is told by pad_id: the mask stays the same when 0 and that id change places."""
    want = as_array(renamed)
    if want is None:
        return other_kind(renamed, "a mask")
    return compare(got, want, ids, pad_id)


leaves_alone(
    component,
    "The caller's ids are the same after the call.",
    "leaves_the_ids_alone",
    on=lambda case: "padded" in case.tags and "pad id" not in case.tags,
    most=4,
)


@component.hook
def _to_the_letter(evidence: Evidence, target: str, knobs: Mapping[str, Any]) -> bool:
    """Whether rows of padded queries are reproduced as well: they are not judged, but they tell slips apart."""
    for answer in evidence.answers:
        got = answer.value.value if isinstance(answer.value, Watched) else answer.value
        array = as_array(got) if answer.status == "value" else None
        if array is None or (answer.call.target or SOURCE) != target:
            continue
        want = np.asarray(component.turned(target, knobs)(**answer.call.inputs))
        batch, n = answer.call.inputs["ids"].shape
        if not _fits(array, batch, n) or not _fits(want, batch, n):
            return False
        shape = (batch, 1, n, n)
        if not np.array_equal(np.broadcast_to(array, shape), np.broadcast_to(want, shape)):
            return False
    return True


component.hooks["fitted_fill"] = fitted_fill
