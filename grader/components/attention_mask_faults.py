"""Scaled dot-product attention as students get it wrong: the mask."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.components.attention_workshop import LOW

ZERO = """? What is exp(0)? Which score would make a key vanish from the softmax?
> Look at what a blocked score becomes before the softmax.
"""

MASK_SLIPS: tuple[tuple[Any, ...], ...] = (
    (
        "sdpa-mask-after-softmax",
        """Blocked weights are set to 0 after the softmax, and the rest is not brought back to 1.
? Block one of two equal keys. What should the weight of the other become?
> Put the mask in before the softmax.
= After the softmax a blocked key has already taken its share, so the remaining weights sum to less than 1.""",
        {"mask_time": "after"},
        *({"mask_time": "after, filled", "fill": fill} for fill in (LOW, -np.inf)),
    ),
    (
        "sdpa-mask-polarity-inverted",
        """The mask is read the other way round: True blocks.
? Pass a mask that allows key 0 only. Which key do your weights pick?
> In this task True means "may attend".
= Libraries differ on this, so it is worth a look at the hand-out: here the forbidden keys get all the weight.""",
        {"meaning": "block"},
        {"meaning": "block", "mask_time": "lowered"},
        {"meaning": "block", "mask_time": "indexed"},
    ),
    (
        "sdpa-ignores-mask",
        """The mask changes nothing.
? Call your function once with a mask and once without. Should the two answers agree?
> Is the result of your masking step used? np.where returns a new array.
= The masked scores are computed and then not used, or the mask is never looked at.""",
        {"mask_time": "ignored"},
    ),
    (
        "sdpa-takes-no-mask",
        """The function does not take a mask.
? Which arguments does the hand-out give your function?
> Add mask=None to the parameters.
= The function should take the mask as its fourth argument, with None as the default.""",
        {"mask_time": "refused"},
    ),
    (
        "sdpa-mask-truthiness",
        """The mask itself is tested for truth instead of being compared with None.
? How do you ask whether an argument was given at all?
> Look at the `if` before your masking step.
= `if mask:` asks whether an array is true, which numpy refuses for more than one entry: `if mask is not None:`.""",
        {"mask_time": "truth"},
        {"mask_time": "truth", "fill": LOW},
    ),
    (
        "sdpa-mask-not-broadcast",
        """The mask works only where it has the full shape of the scores.
? What if one mask is meant for all heads, or for all samples?
> scores[~mask] = ... needs equal shapes; np.where broadcasts.
= A boolean index does not broadcast. np.where(mask, scores, -np.inf) does.""",
        {"mask_time": "indexed"},
    ),
    (
        "sdpa-mask-transposed",
        """The mask is applied with queries and keys exchanged.
? In mask[i, j], which index is the query and which the key?
> Print the shapes of your mask and of your scores side by side.
= The mask has the axes of the scores: queries first, keys last.""",
        {"mask_time": "transposed"},
        {"mask_time": "transposed", "fill": LOW},
    ),
    (
        "sdpa-first-mask-for-all",
        """The mask of the first sample is used for the whole batch.
? Give two samples different masks. Does each of them follow its own?
> Look for a [0] on your mask.
= The mask broadcasts to (..., n, m): where it has a batch axis, each sample has a mask of its own.""",
        *({"mask_time": "first sample", "fill": fill} for fill in (-np.inf, LOW)),
    ),
    (
        "sdpa-first-query-mask-for-all",
        """The mask of the first query is used for all queries.
? Give two queries different masks. Does each of them follow its own?
> Look at how your mask gets its axes: the one before the last belongs to the queries.
= The mask broadcasts to (..., n, m): mask[i, j] says whether query i may look at key j.""",
        *({"mask_time": "first query", "fill": fill} for fill in (-np.inf, LOW)),
    ),
    (
        "sdpa-mask-axis-inserted",
        """A mask of two axes gets a third one in its middle.
? Which shape has your mask when it meets the scores, for scores of shape (n, m) and for (batch, n, m)?
> Look for mask[:, None] or unsqueeze(1): which masks does it stand for, and which ones come?
= A mask (n, m) fits the scores as it is, also where a batch stands in front of them. With an axis in the middle its
rows are taken for samples.""",
        *({"mask_time": "axis inserted", "fill": fill} for fill in (-np.inf, LOW)),
    ),
    (
        "sdpa-renormalised-over-everything",
        """The masked weights are divided by the sum of all of them instead of that of their row.
? Take one query and add up its weights over the keys. What do you get where there is a mask?
> Look at the sum that you divide by after the mask: has it an axis?
= A query's weights have to sum to 1, each query's by themselves. Minus infinity in the place of the blocked scores,
before the softmax, needs no second division.""",
        {"mask_time": "after, divided by all"},
    ),
    (
        "sdpa-renormalised-over-queries",
        """The masked weights are divided by the sums of their columns instead of their rows.
? Take one query and add up its weights over the keys. What do you get where there is a mask?
> Look at the axis of the sum that you divide by after the mask.
= A query's weights lie along the last axis, and it is they that have to sum to 1 again. Minus infinity in the place of
the blocked scores, before the softmax, needs no second division.""",
        {"mask_time": "after, divided by columns"},
        *({"mask_time": "after, divided by columns", "fill": beside} for beside in (1e-9, 1e-8, 1e-12)),
    ),
    (
        "sdpa-fill-lowest-score",
        """Blocked scores are set to the lowest score, which keeps some weight.
? Block one of two equal keys. What does the lowest score of that row give it?
> Is the lowest score that occurs low enough for exp() to make it vanish?
= Blocked keys get the weight of the least liked key, and not 0. Minus infinity is below every score.""",
        {"mask_time": "lowest of all"},
        {"mask_time": "lowest of the row"},
    ),
    (
        "sdpa-mask-added",
        """The boolean mask is added to the scores as a number.
? What are True and False as numbers, and how much do they change a score?
> Look at what a blocked score becomes before the softmax.
= True adds 1 and False adds 0: blocked keys keep a weight only e times smaller. An additive mask would have to
hold 0 and minus infinity.""",
        {"mask_time": "added"},
        {"mask_time": "added", "meaning": "block"},
    ),
    (
        "sdpa-mask-inf-times-zero",
        """Minus infinity is multiplied by the mask, and infinity times 0 is NaN.
? What is 0 * -np.inf?
> Look at how your mask becomes something to add to the scores.
= Write np.where(mask, scores, -np.inf), which never multiplies the two.""",
        {"mask_time": "inf times zero"},
        {"mask_time": "inf times zero", "meaning": "block"},
    ),
    (
        "sdpa-mask-on-inputs",
        """Blocked keys and values are set to zero instead of their scores being blocked.
? Which score does a key of zeros get, and what is exp of that?
> Mask the scores, not K and V.
= A key of zeros still gets the score 0 and with it a share of the weight.""",
        {"mask_time": "keys beforehand"},
    ),
)

ZERO_FILLS: tuple[tuple[Any, ...], ...] = (
    (
        "sdpa-mask-multiplied-before-softmax",
        f"""The scores are multiplied by the mask, so blocked scores become 0.
{ZERO}= A blocked score of 0 still has the weight exp(0) = 1 before normalising, and wins where the other scores are
negative. It should be minus infinity.""",
        {"mask_time": "multiplied"},
    ),
    (
        "sdpa-fill-zero",
        f"""Blocked scores are set to 0.
{ZERO}= A blocked score of 0 still has the weight exp(0) = 1 before normalising, and wins where the other scores are
negative. It should be minus infinity.""",
        {"fill": 0.0},
    ),
    (
        "sdpa-fill-tiny-positive",
        f"""Blocked scores are filled with the smallest positive number instead of the lowest one.
{ZERO}= finfo.tiny is the positive number that is closest to 0, so blocked keys keep the weight exp(0) = 1 before
normalising. finfo.min is the lowest number that there is.""",
        {"fill": float(np.finfo(np.float32).tiny)},
        {"fill": float(np.finfo(np.float64).tiny)},
    ),
)
