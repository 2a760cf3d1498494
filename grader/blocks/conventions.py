"""How a class may be made and called: the conventions that blocks share."""

from __future__ import annotations

from collections.abc import Sequence

from grader.component import Settled, conventions

NORMED = frozenset({"add_norm", "encoder_layer", "encoder", "decoder_layer", "decoder", "transformer", "copy_task"})
"""Blocks around whose sublayers a norm stands."""


def declarable(parameters: Sequence[str], *, normed: bool) -> tuple[Settled, ...]:
    """The conventions of a block that is called with ``parameters``."""
    made = (
        conventions.CONSTRUCTOR,
        conventions.CONFIG,
        conventions.CONFIG_CLASS,
        conventions.SIZES,
        conventions.BATCH,
    )
    masked = (conventions.MASK, conventions.MASK_TYPE, conventions.MASK_REQUIRED, conventions.MASK_SHAPES)
    found = [Settled(conventions.FORM, {"class": {}}), *map(Settled, made)]
    found += map(Settled, masked) if any("mask" in name for name in parameters) else ()
    found += [Settled(conventions.NORM)] if normed else []
    return tuple(found)
