"""How a class may be made and called: the conventions that blocks share."""

from __future__ import annotations

from collections.abc import Sequence

from grader.component.convention import Settled

_SECOND = {
    "The hand-out has the batch first.": "The hand-out has positions first, and the batch as the second axis.",
    "Axis 0 is taken for the sequence and axis 1 for the batch.": (
        "Axis 0 is taken for the batch and axis 1 for the sequence."
    ),
}
_BATCH = Settled("batch", words=dict.fromkeys(("second", "time_first", "sequence_first"), _SECOND))
_BACKEND = Settled("modules.backend", words="modules.backend")

_MASK = Settled("mask", words="modules.mask", drops={"additive": frozenset({"sdpa-mask-added"})})
_MASK_REQUIRED = Settled("mask_required", drops={True: frozenset({"trf-not-causal"})}, drops_with="tgt_mask")


def declarable(parameters: Sequence[str]) -> tuple[Settled, ...]:
    """The conventions of a block that is called with ``parameters``."""
    made = map(Settled, ("constructor", "config", "config_class", "sizes", "float64"))
    masked = map(Settled, ("mask_type", "mask_hides", "mask_shapes"))
    found = [Settled("form", {"class": {}}), *made, _BACKEND, _BATCH]
    found += (_MASK, _MASK_REQUIRED, *masked) if any("mask" in name for name in parameters) else ()
    return tuple(found)
