"""Scaled dot-product attention as students get it wrong: products, results, and all that is said about the workshop."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.components.attention_fits import (
    fitted_fill,
    fitted_more,
    fitted_power,
    fitted_scale,
    fitted_shown_fill,
)
from grader.components.attention_input_faults import INPUT_SLIPS
from grader.components.attention_mask_faults import MASK_SLIPS, ZERO, ZERO_FILLS
from grader.components.attention_score_faults import SCALE, SCORE_SLIPS
from grader.components.attention_workshop import LOW

__all__ = ["FITTED", "SLIPS", "ZERO_FILLS"]

_T = """? What is the shape of K.T when K has three axes?
> Swap the last two axes only: np.swapaxes(K, -1, -2).
"""
_TURNED = ("elementwise turned", "elementwise turned scores")

_PRODUCT_SLIPS: tuple[tuple[Any, ...], ...] = (
    (
        "sdpa-keyt-reverses-all-axes",
        f"""K.T reverses all axes of a batch.
{_T}= `.T` turns (batch, m, d_k) into (d_k, m, batch). It is right for a matrix only.""",
        {"transpose": "T"},
        {"transpose": "T", "product": "dot"},
        {"transpose": "T", "fill": LOW},
    ),
    (
        "sdpa-transposes-fixed-axes",
        f"""The axes to transpose are counted from the front, which fits one number of axes only.
{_T}= Counted from the front, the last two axes have other numbers for a matrix, a batch and a batch of heads.""",
        *({"transpose": which} for which in ("0 2 1", "0 1", "1 2", "2 3")),
    ),
    (
        "sdpa-dot-on-batches",
        """np.dot multiplies every sample with every other.
? What is the shape of np.dot of two arrays with three axes?
> Use @ or np.matmul, which keep the leading axes together.
= np.dot pairs all leading indices of one with all of the other. For matrices it is the same as @.""",
        {"product": "dot"},
    ),
    (
        "sdpa-keys-reshaped",
        """K is reshaped where it should be transposed.
? Take K = [[1, 2, 3], [4, 5, 6]]. What is its first row after your reshape, and after a transpose?
> Swap the last two axes: np.swapaxes(K, -1, -2).
= A reshape keeps the order of the numbers and only cuts it into other rows, so features of different keys
are mixed.""",
        *({"transpose": "reshaped", "fill": fill} for fill in (-np.inf, LOW)),
    ),
    (
        "sdpa-needs-a-mask",
        """Without a mask all keys are blocked.
? What does np.where(None, scores, -1e9) return?
> Look at what happens to your scores when mask is None.
= None counts as False, so every score is replaced. Mask only if `mask is not None`.""",
        *({"mask_time": "none blocks all", "fill": fill} for fill in (-np.inf, LOW)),
    ),
    (
        "sdpa-adds-residual",
        """An input is added to the output.
? Let all values be 0. What should the output be?
> Look at the last line of your function: what is added there?
= The residual connection stands around attention, not in it: equation 1 ends with the product with V.""",
        *({"plus": what, "fill": fill} for what in ("query", "values") for fill in (-np.inf, LOW)),
    ),
    (
        "sdpa-last-key-only",
        """The loop over the keys keeps the last one only.
? Which keys does your output depend on?
> Look at the innermost line of your loop: is it = or +=?
= Each output row is a sum over all keys. With = every round overwrites the one before.""",
        *({"retrieve": "values, last key", "fill": fill} for fill in (-np.inf, LOW)),
    ),
    (
        "sdpa-values-used-as-keys",
        """The queries are compared with the values instead of the keys.
? Change K and leave Q and V alone. Do your scores move?
> Look at the second factor of your first product.
= Each score is the product of a query and a key: Q Kᵀ. The values come in at the end.""",
        *({"transpose": "values", "fill": fill} for fill in (-np.inf, LOW)),
    ),
    (
        "sdpa-output-divided-again",
        """The output is divided by the number of keys.
? Let all values be 1. What should the output be?
> Look at your last product: the weights sum to 1 already.
= A weighted average with weights that sum to 1 needs no further division.""",
        {"retrieve": "values, mean"},
        {"retrieve": "values, mean", "result": "input, output alone"},
    ),
    (
        "sdpa-cosine-scores",
        """Queries and keys are brought to length 1 before their product.
? Double a query. Should its weights change?
> Compare your scores with equation 1: Q and K enter as they are.
= That is the cosine of the angle. In equation 1 the length of a query counts as well: a long one chooses more
sharply.""",
        {"product": "cosine", "scale": "none"},
        {"product": "cosine"},
        {"product": "cosine, no 0/0", "scale": "none"},
        {"product": "cosine, no 0/0"},
    ),
    (
        "sdpa-keys-not-transposed",
        """K is not transposed in the product with Q.
? Which axis of K holds the features that a query is compared by?
> Look at the shapes of both factors of your matrix product.
= The product needs K with its last two axes swapped: (n, d_k) @ (d_k, m).""",
        {"transpose": "none"},
    ),
    (
        "sdpa-scores-transposed",
        """Queries and keys have changed places in the scores.
? Which axis of your scores is as long as there are queries?
> Equation 1 has Q on the left.
= K Qᵀ is the transpose of Q Kᵀ: its rows belong to keys.""",
        {"transpose": "roles"},
        {"transpose": "roles", "fill": LOW},
    ),
    (
        "sdpa-scores-of-one-input",
        """The scores compare an input with itself instead of queries with keys.
? Change K and leave Q alone (or the other way round). Do your scores move?
> Look at both factors of your first product.
= Each score is the product of a query and a key: Q Kᵀ.""",
        *({"transpose": way, "fill": fill} for way in ("Q with Q", "K with K") for fill in (-np.inf, LOW)),
    ),
    (
        "sdpa-output-from-scores",
        """The values are averaged with the scores instead of the weights.
? Multiply the weights that you return by V. Do you get the output that you return?
> Which of your arrays goes into the last product: the one before the softmax or the one after it?
= The softmax has been computed, and the output does not use it.""",
        *({"retrieve": "values by scores", "fill": fill} for fill in (-np.inf, LOW)),
        {"retrieve": "values by open scores"},
    ),
    (
        "sdpa-keys-used-as-values",
        """The weights average the keys instead of the values.
? Change V and leave Q and K alone. Does your output move?
> Look at the last product of your function.
= The weights say how much of each value is read. The keys have done their work in the scores.""",
        {"retrieve": "keys"},
    ),
    (
        "sdpa-output-ignores-mask",
        """The output is computed with the weights from before the mask.
? Multiply the weights that you return by V. Do you get the output that you return?
> Which of your arrays goes into the last product?
= The weights that you return are masked, but the output still reads from blocked keys.""",
        {"retrieve": "values unmasked"},
    ),
    (
        "sdpa-queries-used-as-values",
        """The weights average the queries instead of the values.
? Change V and leave Q and K alone. Does your output move?
> Look at the last product of your function.
= The weights say how much of each value is read.""",
        {"retrieve": "queries"},
    ),
    (
        "sdpa-weights-transposed",
        """The weights are transposed before they meet the values.
? Which axis of the weights sums to 1, and which one is summed over in your last product?
> Look at the order and the transposes of your last product.
= weights @ V sums over the keys, the last axis of the weights.""",
        {"retrieve": "values by columns"},
    ),
    (
        "sdpa-elementwise-instead-of-matmul",
        """Entries are multiplied one by one where a matrix product is meant.
? Change position 1 of K and V. Does position 0 of your output notice?
> In numpy * works entry by entry, and @ is the matrix product.
= With * no position ever sees another.""",
        {"product": "elementwise"},
        {"product": "elementwise", "fill": LOW},
        {"product": "elementwise", "mask_time": "indexed"},
        {"product": "elementwise scores"},
        {"product": "elementwise scores", "fill": LOW},
        *({"product": product, "fill": fill} for product in _TURNED for fill in (-np.inf, LOW)),
        {"retrieve": "values elementwise"},
    ),
    (
        "sdpa-returns-swapped",
        """Output and weights are returned in the other order.
? Which of the two results has as many columns as there are keys?
> Look at your return line.
= The hand-out asks for (output, weights).""",
        {"returns": "weights, output"},
    ),
    (
        "sdpa-returns-output-alone",
        """The output is returned without the weights.
? How many values does the hand-out ask for?
> Look at your return line.
= The hand-out asks for the pair (output, weights): the weights show what each query looked at.""",
        {"returns": "output"},
    ),
    (
        "sdpa-returns-one-value",
        """Only one of the two results is returned.
? How many values does the hand-out ask for?
> Look at your return line.
= The hand-out asks for the pair (output, weights).""",
        {"returns": "weights"},
    ),
    (
        "sdpa-returns-raw-scores",
        """The second result holds scores, not weights.
? Do the weights that you return sum to 1 along the keys?
> Look at your return line: which array is it?
= The weights are what comes out of the softmax.""",
        {"second": "unmasked scores"},
        {"second": "products"},
        {"second": "shifted scores"},
        {"second": "shifted scores", "fill": LOW},
        {"second": "scores", "mask_time": "lowered"},
    ),
    (
        "sdpa-returns-unmasked-weights",
        """The weights that are returned are those from before the mask.
? Does the second result give a blocked key any weight?
> Which of your arrays goes into the last product, and which into the return line?
= The output is masked, but the weights beside it are not the ones that made it.""",
        {"second": "unmasked weights"},
        {"second": "unmasked weights", "mask_time": "after, shared again"},
    ),
    (
        "sdpa-returns-transposed-weights",
        """The weights are returned with queries and keys exchanged.
? Which axis of your second result sums to 1?
> Look at the transposes between the softmax and the return line.
= Rows belong to queries: the weights are (..., n, m).""",
        {"second": "transposed weights"},
    ),
    (
        "sdpa-returns-three-values",
        """Three values are returned.
? How many values does the hand-out ask for?
> Look at your return line.
= The hand-out asks for the pair (output, weights).""",
        {"returns": "three"},
    ),
    (
        "sdpa-integer-output",
        """The result is stored with the type of the arguments.
? What type does your result have when Q, K and V hold whole numbers?
> zeros_like(Q) and astype take the type along.
= An integer array cannot hold a weight of 0.3: it is cut to 0.""",
        {"result": "input"},
        {"result": "input, output alone"},
        {"result": "input, output alone", "fill": LOW},
    ),
    (
        "sdpa-rounds",
        """The weights are rounded.
? Do your weights still sum to exactly 1?
> Round when you print, not when you return.
= Rounded weights no longer sum to 1, and the output inherits the error.""",
        *({"decimals": decimals} for decimals in (1, 2, 3, 4)),
    ),
    (
        "sdpa-rounds",
        """What is returned is rounded.
? Do the weights that you return still sum to exactly 1?
> Round when you print, not when you return.
= Whoever computes with a rounded result inherits the error, and small weights become 0.""",
        *({"decimals": decimals, "rounded": what} for what in ("shown", "both") for decimals in (1, 2, 3, 4)),
        *({"decimals": decimals, "rounded": "output"} for decimals in (1, 2, 3)),  # 4 are as good as single precision
    ),
    (
        "sdpa-fixed-number-of-axes",
        """The function takes one number of axes only.
? What does your line make of the shape when there is a batch, or none?
> Unpacking Q.shape into names fixes the number of axes: use shape[-1] and shape[-2].
= The leading axes (batch, heads) may be absent or several. @ and swapaxes(-1, -2) do not care.""",
        {"ranks": "matrix"},
        {"ranks": "batch"},
    ),
    (
        "sdpa-scales-query-in-place",
        """The argument Q is changed in place.
? Call your function twice with the same arrays. Is the second answer the same?
> Look for operators such as `Q /= ...`.
= `Q /= ...` writes into the caller's array. `Q = Q / ...` makes a new one.""",
        {"in_place": "Q"},
        {"in_place": "Q floats"},
    ),
    (
        "sdpa-scales-key-in-place",
        """The argument K is changed in place.
? Call your function twice with the same arrays. Is the second answer the same?
> Look for operators such as `K /= ...`.
= `K /= ...` writes into the caller's array. `K = K / ...` makes a new one.""",
        {"in_place": "K"},
        {"in_place": "K floats"},
    ),
    (
        "sdpa-mask-changed-in-place",
        """The argument mask is changed in place.
? Call your function twice with the same mask. Is the second answer the same?
> Look for `out=mask`, `mask ^= ...` or `mask[...] = ...`.
= The caller still needs the mask, and the next call gets another one. `~mask` makes a new array.""",
        {"in_place": "mask", "meaning": "block"},
        {"in_place": "mask", "meaning": "block", "fill": LOW},
    ),
)

SLIPS = (*SCORE_SLIPS, *MASK_SLIPS, *_PRODUCT_SLIPS, *INPUT_SLIPS)
"""(id, texts, settings…) of the slips that are settings of the workshop."""

FITTED: tuple[tuple[Any, ...], ...] = (
    (
        "sdpa-returns-raw-scores",
        """The second result holds scores, not weights.
? Do the weights that you return sum to 1 along the keys?
> Look at your return line: which array is it?
= The weights are what comes out of the softmax.""",
        "",
        fitted_shown_fill,
        {"second": "scores", "fill": -np.inf},
        {"second": "scores", "fill": LOW},
    ),
    (
        "sdpa-fill-tiny-positive",
        f"""Blocked scores are filled with a number close to 0.
{ZERO}= 1e-9 is almost 0, and so is -1e-9: blocked keys keep the weight exp(0) = 1 before
normalising. -1e9 is meant.""",
        "Blocked scores are filled with {fill:g}, which is almost 0.",
        fitted_fill(-1e-3, 1e-3),
        {"fill": 1e-9},
        {"fill": -1e-9},
    ),
    (
        "sdpa-fill-not-low-enough",
        """Blocked scores are filled with a number that real scores can fall below.
? Is there an input for which an allowed score is lower than your fill?
> Take minus infinity, or the lowest number that the type can hold.
= With very negative scores a blocked key at -100 is the largest of the row and gets the weight.""",
        "Blocked scores are filled with {fill:g}, and real scores can fall below that.",
        fitted_fill(-1e6, -1e-3),
        {"fill": -100.0},
        {"fill": -1000.0},
        {"fill": -10.0},
    ),
    (
        "sdpa-fill-positive",
        """Blocked scores are filled with a large positive number.
? Which score makes a key vanish from the softmax: a large or a very negative one?
> Read your fill aloud with its sign.
= The sign is lost: blocked keys get all the weight.""",
        "",
        fitted_fill(1e-3, 1e6),
        {"fill": 1e9},
        {"fill": np.inf},
    ),
    (
        "sdpa-constant-in-divisor",
        """A constant is added to the sum of the exponentials.
? Take one query and add up its weights over the keys. What do you get?
> Look at what stands under the fraction bar of your softmax.
= The sum of the exponentials is at least 1 once the largest score is subtracted, so nothing is needed to avoid a
division by 0. A tiny constant such as 1e-9 does no harm; this one can be seen.""",
        "The constant {more:g} is added to the sum of the exponentials.",
        fitted_more,
        {"more": 1e-3},
    ),
    (
        "sdpa-scale-constant",
        f"""The scores are scaled by a fixed number.
{SCALE}= The factor should follow d_k: 1/√d_k.""",
        "The scores are multiplied by {scale:g}, whatever d_k is.",
        fitted_scale,
        {"scale": 0.125},
    ),
    (
        "sdpa-scale-wrong-power",
        f"""The scores are scaled by another power of d_k than -1/2.
{SCALE}= The factor should be d_k ** -0.5. Dividing Q and K by the fourth root each also gives it.""",
        "The scores are multiplied by d_k ** {scale[1]:g} instead of d_k ** -0.5.",
        fitted_power,
        {"scale": ("power", -0.25)},
    ),
)
"""(id, texts, title with the number, where the number is read from, examples…)."""
