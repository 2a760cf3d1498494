"""Scaled dot-product attention as students get it wrong: scale, axis and form of the softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.components.attention_workshop import LOW

SCALE = """? Let d_k grow with random vectors. How large do your scores get, and what does equation 1 do about that?
> Compare your scores with equation 1: what stands under the fraction bar, and is it a root?
"""
_SOFTMAX = """? Take one query and add up its weights over the keys. What do you get?
> Look at the axis of your softmax: each query has one distribution, over the keys.
"""

_LOG = tuple({"form": "logarithm", "fill": fill} for fill in (-np.inf, LOW, float(np.finfo(np.float64).min)))
"""exp(x - logsumexp(x)) differs from exp(x) / sum(exp(x)) where all is blocked: log n is lost beside the fill."""

SCORE_SLIPS: tuple[tuple[Any, ...], ...] = (
    (
        "sdpa-no-scale",
        f"""The scores are not divided by √d_k.
{SCALE}= A dot product of two vectors of d_k independent entries with variance 1 has variance d_k. Without the
division the softmax becomes nearly one-hot as d_k grows, and its gradient vanishes.""",
        {"scale": "none"},
    ),
    (
        "sdpa-scale-inverted",
        f"""The scores are multiplied by √d_k instead of divided.
{SCALE}= The factor should be d_k ** -0.5. If it is stored already as the inverse, multiply by it.""",
        {"scale": "times"},
    ),
    (
        "sdpa-scale-by-dk",
        f"""The scores are divided by d_k instead of its square root.
{SCALE}= Dividing by d_k, or by √d_k twice, makes the weights flatter than the paper's.""",
        {"scale": "dk"},
    ),
    (
        "sdpa-scale-precedence",
        f"""The scores are divided by d_k / 2 instead of √d_k.
{SCALE}= In Python `d_k ** 1/2` is (d_k ** 1) / 2. Write d_k ** 0.5 or np.sqrt(d_k).""",
        {"scale": "half dk"},
    ),
    (
        "sdpa-scale-precedence",
        f"""The scores are divided by 2 d_k instead of √d_k.
{SCALE}= In Python `scores / d_k ** 1 / 2` is scores / d_k / 2. Write d_k ** 0.5 or np.sqrt(d_k).""",
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
{SCALE}= int(√d_k), or // with it, is right for square numbers only.""",
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
        "sdpa-best-value-only",
        """The value of the best key is taken instead of the average of all.
? Let two keys score alike. What should the output be?
> Look for argmax: what do the other weights do in your output?
= The output is the sum of all values, each times its weight. A choice of one has no gradient to learn from.""",
        *({"retrieve": "values, best key", "fill": fill} for fill in (-np.inf, LOW)),
    ),
    (
        "sdpa-scale-by-entries",
        """The scale uses the number of all entries of Q instead of the number of features.
? Repeat a query. Should the scale of all scores change?
> What does Q.size count, and what Q.shape[-1]?
= √d_k belongs to the length of the vectors that are multiplied: d_k = Q.shape[-1].""",
        {"scale": "all entries"},
        {"scale": "entries"},
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
        *({"axis": -2, **form} for form in _LOG),
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
        *({"axis": 0, **form} for form in _LOG),
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
        *({"axis": 1, **form} for form in _LOG),
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
        *({"axis": axis, **form} for axis in ("matrix", "all") for form in _LOG),
    ),
    (
        "sdpa-uniform-weights",
        """Every key gets the same weight, whatever query and key are.
? Change K and leave V alone. Does your output move?
> Look at what your softmax gets: do Q and K come into it?
= Without the scores this is the plain mean of the values. Attention is that the weights follow from Q and K.""",
        *({"scale": 0.0, "fill": fill} for fill in (-np.inf, LOW)),
        {"scale": 0.0, "mask_time": "ignored"},
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
        "sdpa-never-itself",
        """No query sees the key of its own position, although no mask forbids it.
? Which weights stand on the diagonal of your second result?
> Look for fill_diagonal or an eye() in your function.
= A word may attend to itself: equation 1 leaves no key out. What is to be hidden comes as a mask.""",
        *({"causal": "never itself", "fill": fill} for fill in (-np.inf, LOW)),
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
)
