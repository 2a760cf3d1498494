"""Smaller versions of a case that fails: axes cut to one or two entries, numbers rounded to short ones.

An axis is known by its length: what has one length is cut alike in every array, so that shapes go on fitting together.
Whether a version still fails is for the code that it is asked of to say.
"""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from grader.properties import Array

MOST = 24
"""Versions of one case that are asked."""
READABLE = 12
"""Entries that need no cutting."""


def size_of(inputs: Mapping[str, Any]) -> int:
    """How many entries the arrays among inputs have."""
    return sum(value.size for value in inputs.values() if isinstance(value, np.ndarray))


def is_plain(inputs: Mapping[str, Any]) -> bool:
    """Whether inputs can be read as they are: few entries, and short numbers."""
    arrays = [value for value in inputs.values() if isinstance(value, np.ndarray)]
    return size_of(inputs) <= READABLE and all(np.array_equal(array, _short(array)) for array in arrays)


def versions(inputs: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Smaller versions, the smallest first; those with short numbers before those with the same as before."""
    found = [
        {name: change(value) if isinstance(value, np.ndarray) else value for name, value in cut.items()}
        for cut in _cut(inputs)
        for change in (_short, np.copy)
    ]
    return sorted((one for one in found if _lets_all_see(one, inputs)), key=size_of)[:MOST]


def _lets_all_see(cut: Mapping[str, Any], inputs: Mapping[str, Any]) -> bool:
    """Whether every row of a mask that allows something still does: of a row that allows nothing no one speaks."""
    masks = [name for name, value in inputs.items() if isinstance(value, np.ndarray) and value.dtype.kind == "b"]
    return all(cut[name].any(axis=-1).all() or not inputs[name].any(axis=-1).all() for name in masks)


def _cut(inputs: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The inputs with some axis lengths cut to 1 or 2, and as they are."""
    arrays = [value for value in inputs.values() if isinstance(value, np.ndarray)]
    lengths = sorted({length for array in arrays for length in array.shape if length > 1})
    told = set()
    for most in itertools.product((1, 2, None), repeat=min(len(lengths), 3)):
        kept = dict(zip(lengths, (*most, *[most[-1] if most else None] * len(lengths)), strict=False))
        wanted = tuple(length if cut is None else min(cut, length) for length, cut in kept.items())
        if wanted not in told:
            told.add(wanted)
            limits = dict(zip(kept, wanted, strict=True))
            yield {
                name: value[tuple(slice(limits.get(length, length)) for length in value.shape)]
                if isinstance(value, np.ndarray)
                else value
                for name, value in inputs.items()
            }


def _short(array: Array) -> Array:
    """Whole numbers; large ones with their first digit alone."""
    if array.dtype.kind != "f" or not np.isfinite(array).all():
        return array
    size = 10.0 ** np.floor(np.log10(np.maximum(np.abs(array), 1.0)))
    return (np.rint(array / size) * size).astype(array.dtype)
