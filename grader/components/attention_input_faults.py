"""Scaled dot-product attention as students get it wrong: scores cut or measured by themselves, samples mixed up."""

from __future__ import annotations

from typing import Any

INPUT_SLIPS: tuple[tuple[Any, ...], ...] = (
    (
        "sdpa-scores-cut",
        """The scores are cut to whole numbers.
? Which values can your scores take before the softmax: 0.3, or only 0 and 1?
> Look for // or for astype(int) between your product and your softmax.
= a // b is the division rounded down, for floating numbers as well. The softmax needs the scores as they are: 0.9 and
0.1 are different.""",
        *({"cut": way} for way in ("down", "towards 0", "to the nearest")),
    ),
    (
        "sdpa-scores-divided-by-their-own-size",
        """The scores are divided by a number that is taken from the scores themselves.
? Double a query. Should its weights get sharper?
> Which number do you divide by: does it come from the shape of Q, or from the values of the scores?
= √d_k depends on the width of the vectors alone. Divided by their own length or spread, scores of any size give about
the same weights, and one query changes those of another.""",
        *({"normed": what, "scale": "none"} for what in ("length", "length of the row", "spread", "spread of the row")),
        {"normed": "largest", "scale": "none"},
    ),
    (
        "sdpa-first-sample-for-all",
        """Every sample of a batch meets the first sample's keys or values.
? Change K of the second sample only. Do its weights move?
> Look for an index 0 on an axis of the batch, for instance after a tensordot.
= The leading axes (batch, heads) are independent of one another: sample i reads its own keys and values. @ keeps them
together by itself.""",
        *({"shared": which} for which in ("K", "V", "KV")),
    ),
    (
        "sdpa-writes-into-values",
        """The output is written into V.
? Is V the same after the call as before?
> Look for V[...] = or out=V.
= The caller still needs V, and an array of whole numbers cannot hold the output. `output = weights @ V` makes a new
array.""",
        {"in_place": "V"},
    ),
)
