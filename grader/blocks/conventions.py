"""How a class may be made and called: the conventions that blocks share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grader.component import conventions
from grader.component.convention import Convention, Settled, any_value

MASK_SHAPES = Convention("mask_shapes", "the shapes that masks have", {}, reads=any_value)
CONSTRUCTOR = Convention("constructor", "the constructor's arguments", {}, reads=any_value)
CONFIG_CLASS = Convention("config_class", "the class of the config object", {}, reads=any_value)
FLOAT64 = Convention(
    "float64",
    "whether modules work in float64, too",
    {True: "modules that work in float64 as in float32", False: "modules of float32 alone"},
    default=True,
)
_SECOND = {
    "The hand-out has the batch first.": "The hand-out has positions first, and the batch as the second axis.",
    "Axis 0 is taken for the sequence and axis 1 for the batch.": (
        "Axis 0 is taken for the batch and axis 1 for the sequence."
    ),
}
_BATCH = Settled(conventions.BATCH, words=dict.fromkeys(("second", "time_first", "sequence_first"), _SECOND))
_BACKEND = Settled(replace(conventions.BACKEND, default="torch"), words="modules.backend")

_MASK = Settled(conventions.MASK, words="modules.mask", drops={"additive": frozenset({"sdpa-mask-added"})})
_MASK_REQUIRED = Settled(conventions.MASK_REQUIRED, drops={True: frozenset({"trf-not-causal"})}, drops_with="tgt_mask")


def declarable(parameters: Sequence[str]) -> tuple[Settled, ...]:
    """The conventions of a block that is called with ``parameters``."""
    made = (CONSTRUCTOR, conventions.CONFIG, CONFIG_CLASS, conventions.SIZES, FLOAT64)
    masked = (conventions.MASK_TYPE, conventions.MASK_HIDES, MASK_SHAPES)
    found = [Settled(conventions.FORM, {"class": {}}), *map(Settled, made), _BACKEND, _BATCH]
    found += (_MASK, _MASK_REQUIRED, *map(Settled, masked)) if any("mask" in name for name in parameters) else ()
    return tuple(found)
