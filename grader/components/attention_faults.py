"""Scaled dot-product attention as students get it wrong: what to say about each setting of the workshop."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.components.attention_workshop import (
    LOW,
    fitted_fill,
    fitted_more,
    fitted_power,
    fitted_scale,
    fitted_shown_fill,
)

_SCALE = """? Let d_k grow with random vectors. How large do your scores get, and what does equation 1 do about that?
> Compare your scores with equation 1: what stands under the fraction bar, and is it a root?
"""
_SOFTMAX = """? Take one query and add up its weights over the keys. What do you get?
> Look at the axis of your softmax: each query has one distribution, over the keys.
"""
_ZERO = """? What is exp(0)? Which score would make a key vanish from the softmax?
> Look at what a blocked score becomes before the softmax.
"""
_T = """? What is the shape of K.T when K has three axes?
> Swap the last two axes only: np.swapaxes(K, -1, -2).
"""
_TURNED = ("elementwise turned", "elementwise turned scores")

SLIPS: tuple[tuple[Any, ...], ...] = (
    (
        "sdpa-no-scale",
        f"""The scores are not divided by √d_k.
{_SCALE}= A dot product of two vectors of d_k independent entries with variance 1 has variance d_k. Without the
division the softmax becomes nearly one-hot as d_k grows, and its gradient vanishes.""",
        {"scale": "none"},
    ),
    (
        "sdpa-scale-inverted",
        f"""The scores are multiplied by √d_k instead of divided.
{_SCALE}= The factor should be d_k ** -0.5. If it is stored already as the inverse, multiply by it.""",
        {"scale": "times"},
    ),
    (
        "sdpa-scale-by-dk",
        f"""The scores are divided by d_k instead of its square root.
{_SCALE}= Dividing by d_k, or by √d_k twice, makes the weights flatter than the paper's.""",
        {"scale": "dk"},
    ),
    (
        "sdpa-scale-precedence",
        f"""The scores are divided by d_k / 2 instead of √d_k.
{_SCALE}= In Python `d_k ** 1/2` is (d_k ** 1) / 2. Write d_k ** 0.5 or np.sqrt(d_k).""",
        {"scale": "half dk"},
    ),
    (
        "sdpa-scale-precedence",
        f"""The scores are divided by 2 d_k instead of √d_k.
{_SCALE}= In Python `scores / d_k ** 1 / 2` is scores / d_k / 2. Write d_k ** 0.5 or np.sqrt(d_k).""",
        {"scale": "twice dk"},
    ),
    (
        "sdpa-scale-only-without-mask",
        """The scores are divided by √d_k only where there is no mask.
? Pass a mask of True only. Do you get the same weights as without a mask?
> Follow both branches of your `if mask`: which of them holds the division?
= A mask decides which keys take part, not how the scores are scaled. Divide before you look at the mask.""",
        {"scale_when": "unmasked"},
    ),
    (
        "sdpa-scale-only-with-mask",
        """The scores are divided by √d_k only where there is a mask.
? Pass a mask of True only. Do you get the same weights as without a mask?
> Follow both branches of your `if mask`: which of them holds the division?
= A mask decides which keys take part, not how the scores are scaled. Divide before you look at the mask.""",
        {"scale_when": "masked"},
    ),
    (
        "sdpa-scale-truncated",
        f"""The square root of d_k is cut to a whole number.
{_SCALE}= int(√d_k), or // with it, is right for square numbers only.""",
        {"scale": "whole root"},
    ),
    (
        "sdpa-dk-from-wrong-axis",
        """d_k is taken from a fixed axis, which is another one when there is a batch.
? Feed a batch, then double the number of positions but not the features. Should the scale change?
> The feature axis is the last one: Q.shape[-1].
= Axis 1 is the feature axis of a matrix, but the sequence axis (or the heads) of a batch, so the scale follows
the length of the sentence.""",
        {"scale": "axis 1"},
        {"scale": "keys axis 1"},
    ),
    (
        "sdpa-scale-by-dv",
        """The scale uses the width of the values instead of that of the keys.
? Which two vectors are multiplied to make a score? Whose length decides how large it gets?
> Where does your d_k come from: Q, K or V?
= A score is the product of a query and a key, so their width d_k decides how large it gets. V never enters.""",
        {"scale": "dv"},
    ),
    (
        "sdpa-scale-by-length",
        """The scale uses the number of positions instead of the number of features.
? Repeat a key. Should the scale of all scores change?
> Which axis of Q or K do you measure? The features are in the last one.
= √d_k belongs to the length of the vectors that are multiplied, not to how many of them there are.""",
        {"scale": "keys"},
        {"scale": "queries"},
        {"scale": "axis 0"},
        {"scale": "keys axis 0"},
    ),
    (
        "sdpa-scale-misplaced",
        """The division by √d_k comes after the softmax.
? What do the weights of one query sum to in your result?
> The scaling stands inside the softmax in equation 1.
= Scaling after the softmax leaves the distribution too peaked and makes the weights sum to 1/√d_k.""",
        {"scale_at": "weights"},
        {"scale_at": "output"},
    ),
    (
        "sdpa-softmax-over-query-axis",
        f"""The softmax runs over the queries, not over the keys.
{_SOFTMAX}= Each column of your weights sums to 1 instead of each row: the keys choose their queries. The softmax
belongs on the last axis of the scores.""",
        *({"axis": -2, "mask_time": time, "fill": fill} for time, fill in (("before", -np.inf), ("before", LOW))),
        {"axis": -2, "mask_time": "lowered"},
        {"axis": -2},
        {"axis": -2, "normal": "zero for nothing"},
    ),
    (
        "sdpa-softmax-over-batch-axis",
        """The softmax runs over axis 0, which is the batch.
? Run one sample alone, then together with another. Should its weights change?
> Count axes from the end: the keys are axis -1.
= Over axis 0 the samples of a batch share one distribution (and of a matrix, the queries do).""",
        {"axis": 0},
        {"axis": 0, "fill": LOW},
        {"axis": 0, "mask_time": "lowered"},
        {"axis": 0, "normal": "zero for nothing"},
        *({"axis": 0, "normal": "one shift", "fill": fill} for fill in (-np.inf, LOW)),
    ),
    (
        "sdpa-softmax-hardcoded-axis1",
        """The softmax always runs over axis 1, which is right for a matrix only.
? What does axis 1 mean once a batch is put in front?
> Count axes from the end: the keys are axis -1.
= On a batch, axis 1 holds the queries (or the heads), so the weights of a query no longer sum to 1.""",
        {"axis": 1},
        {"axis": 1, "fill": LOW},
        {"axis": 1, "mask_time": "lowered"},
        {"axis": 1, "normal": "zero for nothing"},
    ),
    (
        "sdpa-softmax-over-everything",
        """One softmax covers several rows of scores together.
? How many distributions should there be: one for each matrix, or one for each query?
> Look at the axis of your softmax, and at any reshape before it.
= Your weights sum to 1 over all queries (or heads) together, so each row sums to less.""",
        {"axis": "matrix"},
        {"axis": "all"},
        {"axis": "heads and keys"},
        {"axis": "matrix", "fill": LOW},
        {"axis": "all", "fill": LOW},
    ),
    (
        "sdpa-softmax-missing-keepdims",
        """The sums of the softmax lose their axis, so each is divided into the wrong row or column.
? What is the shape of your row sums, and how will numpy line it up with the scores?
> Look at keepdims in your softmax.
= sum(axis=-1) of an (n, m) array has the shape (n,), which numpy lines up with the columns.""",
        *({"normal": way, "fill": fill} for way in ("no keepdims", "no keepdims at all") for fill in (-np.inf, LOW)),
    ),
    (
        "sdpa-softmax-missing-keepdims",
        """The largest score of each query loses its axis, so it is subtracted from the wrong scores.
? What is the shape of your row maxima, and how will numpy line it up with the scores?
> Look at keepdims in the maximum of your softmax.
= max(axis=-1) of an (n, m) array has the shape (n,), which numpy lines up with the columns.""",
        *({"normal": "no keepdims in the maximum", "fill": fill} for fill in (-np.inf, LOW)),
    ),
    (
        "sdpa-softmax-no-max-shift",
        """The softmax takes exp() of the scores as they are.
? What is exp(1000) in floating point?
> Is there a number you may subtract from all scores of a row without changing the weights?
= exp() overflows beyond about 709, and inf/inf is NaN. Subtract the largest score of each row first.""",
        {"normal": "no shift"},
        *({"normal": "no shift", "form": form} for form in ("logarithm", "python")),
    ),
    (
        "sdpa-softmax-global-max-shift",
        """The softmax subtracts the largest score of all, not that of each row.
? What becomes of exp() in a row that lies a thousand below the largest score of all?
> The maximum needs the axis of the keys, with keepdims=True.
= Rows far below the largest score of all underflow to zeros, and 0/0 is NaN.""",
        {"normal": "one shift"},
        *({"normal": "one shift", "form": form} for form in ("logarithm", "python")),
    ),
    (
        "sdpa-softmax-shift-not-by-the-largest",
        """The softmax subtracts something else than the largest score of each row.
? What is the largest exponent that is left after your shift?
> Any shift is allowed. Which one makes sure that no exponent is above 0, and one is 0?
= The shift changes no weight, but only the largest score keeps exp() from overflowing, or from
becoming 0 everywhere.""",
        *({"normal": way} for way in ("mean shift", "lowest shift", "magnitude shift")),
        *({"normal": way, "fill": LOW} for way in ("mean shift", "lowest shift", "magnitude shift")),
    ),
    (
        "sdpa-scores-bent",
        """The scores lose their sign on the way to the softmax.
? Which weight should a key get that points the other way than the query?
> Look for abs, a square or a maximum with 0 between your product and your softmax.
= A negative score says that query and key do not fit, and the softmax turns it into a small weight. Nothing has to be
done about negative scores.""",
        *({"bend": way} for way in ("absolute", "squared", "cut at 0")),
    ),
    (
        "sdpa-sign-flipped",
        """The scores have the wrong sign: the best key gets the smallest weight.
? Which key gets the largest weight: the one most like the query, or the one least like it?
> Look at the signs between your product and your exp().
= exp(-x) turns the order around.""",
        {"bend": "negative"},
    ),
    (
        "sdpa-always-causal",
        """Queries never see later keys, although no mask forbids it.
? Call your function without a mask. Does query 0 read from key 1?
> Look for a triangle in your function.
= A causal mask belongs to the decoder, which passes it as `mask`. Without a mask every query may look at every key.""",
        *({"causal": when, "fill": fill} for when in ("always", "by default") for fill in (-np.inf, LOW)),
    ),
    (
        "sdpa-no-softmax",
        """The scores are used as weights without a softmax.
? What do the weights of one query sum to, and can they be negative?
> One step of equation 1 is missing between the scores and the values.
= Only the softmax turns scores into positive weights that sum to 1.""",
        {"normal": "scores"},
        {"normal": "scores", "fill": LOW},
    ),
    (
        "sdpa-wrong-normaliser",
        """The scores are turned into weights by something else than a softmax.
? What do the weights of one query sum to, and what happens when a score is negative?
> Compare the step between scores and values with equation 1.
= The softmax is exp(score) divided by the sum of exp over the keys.""",
        *({"normal": way} for way in ("exp", "sigmoid", "linear", "relu", "hard", "log")),
        *({"normal": way} for way in ("undivided", "mean", "length", "exact log")),
        *({"normal": way, "fill": LOW} for way in ("linear", "log", "exact log")),
    ),
    (
        "sdpa-softmax-applied-twice",
        """The softmax is applied twice.
? How far from uniform can your weights get?
> Count the softmax calls on the way from scores to weights.
= The second softmax sees numbers between 0 and 1 and makes them nearly uniform; blocked keys come back, too.""",
        {"normal": "twice"},
    ),
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
        "sdpa-output-divided-again",
        """The output is divided by the number of keys.
? Let all values be 1. What should the output be?
> Look at your last product: the weights sum to 1 already.
= A weighted average with weights that sum to 1 needs no further division.""",
        {"retrieve": "values, mean"},
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
"""(id, texts, settings…) of the slips that are settings of the workshop."""

ZERO_FILLS: tuple[tuple[Any, ...], ...] = (
    (
        "sdpa-mask-multiplied-before-softmax",
        f"""The scores are multiplied by the mask, so blocked scores become 0.
{_ZERO}= A blocked score of 0 still has the weight exp(0) = 1 before normalising, and wins where the other scores are
negative. It should be minus infinity.""",
        {"mask_time": "multiplied"},
    ),
    (
        "sdpa-fill-zero",
        f"""Blocked scores are set to 0.
{_ZERO}= A blocked score of 0 still has the weight exp(0) = 1 before normalising, and wins where the other scores are
negative. It should be minus infinity.""",
        {"fill": 0.0},
    ),
)

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
{_ZERO}= 1e-9 is almost 0, and so is -1e-9: blocked keys keep the weight exp(0) = 1 before
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
{_SCALE}= The factor should follow d_k: 1/√d_k.""",
        "The scores are multiplied by {scale:g}, whatever d_k is.",
        fitted_scale,
        {"scale": 0.125},
    ),
    (
        "sdpa-scale-wrong-power",
        f"""The scores are scaled by another power of d_k than -1/2.
{_SCALE}= The factor should be d_k ** -0.5. Dividing Q and K by the fourth root each also gives it.""",
        "The scores are multiplied by d_k ** {scale[1]:g} instead of d_k ** -0.5.",
        fitted_power,
        {"scale": ("power", -0.25)},
    ),
)
"""(id, texts, title with the number, where the number is read from, examples…)."""
