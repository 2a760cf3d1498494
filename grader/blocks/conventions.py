"""How a class may be made and called: the conventions that blocks share."""

from __future__ import annotations

from collections.abc import Sequence

from grader.component import Settled, conventions

_SECOND = {
    "The hand-out has the batch first.": "The hand-out has positions first, and the batch as the second axis.",
    "Axis 0 is taken for the sequence and axis 1 for the batch.": (
        "Axis 0 is taken for the batch and axis 1 for the sequence."
    ),
}
_BATCH = Settled(conventions.BATCH, words=dict.fromkeys(("second", "time_first", "sequence_first"), _SECOND))
_BACKEND = Settled(
    conventions.BACKEND,
    words="modules.backend",
)

_MASK = Settled(conventions.MASK, words="modules.mask")


def declarable(parameters: Sequence[str]) -> tuple[Settled, ...]:
    """The conventions of a block that is called with ``parameters``."""
    made = (
        conventions.CONSTRUCTOR,
        conventions.CONFIG,
        conventions.CONFIG_CLASS,
        conventions.SIZES,
        conventions.FLOAT64,
    )
    masked = (
        conventions.MASK_TYPE,
        conventions.MASK_HIDES,
        conventions.MASK_REQUIRED,
        conventions.MASK_SHAPES,
    )
    found = [Settled(conventions.FORM, {"class": {}}), *map(Settled, made), _BACKEND, _BATCH]
    found += (_MASK, *map(Settled, masked)) if any("mask" in name for name in parameters) else ()
    return tuple(found)
