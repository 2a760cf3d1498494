"""The softmax as students get it wrong: what to say about each setting of the workshop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grader.components.softmax_workshop import fitted_more, fitted_rate


def _in_other_forms(knobs: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    """The same slip written with logsumexp, or with Python's own numbers: what overflows shows otherwise there."""
    return ({**knobs, "form": form} for form in ("logarithm", "python"))


SLIPS: tuple[tuple[Any, ...], ...] = (
    (
        "softmax-hardcoded-axis0",
        """The softmax always runs over axis 0.
? Which entries of your result sum to 1: those of a row, or those of a column?
> Look at the axis in your max and in your sum, and try an input with one row.
= Axis 0 of a matrix of scores is the row number: each column becomes a distribution, and a single row comes
back as all ones. The axis should be the one that is asked for, the last by default.""",
        {"over": 0, "vector": "spared"},
        {"over": 0, "vector": ""},
        *({"over": 0, "vector": spared, "shift_over": "own"} for spared in ("spared", "")),
    ),
    (
        "softmax-hardcoded-axis1",
        """The softmax always runs over axis 1.
? Your function is right on a matrix. Which axis is number 1 once a batch stands in front?
> Count axes from the end: the last one is -1 whatever the rank. And use the argument `axis`.
= Axis 1 is the last axis of a matrix only. On (batch, query, key) scores it is the query axis, so the weights
of a query no longer sum to 1.""",
        {"over": 1, "vector": "spared"},
        {"over": 1, "vector": ""},
        {"over": 1, "shift_over": "own"},
    ),
    (
        "softmax-ignores-axis",
        """The argument `axis` is not used: it is always the last axis.
? What does your function return for one row with axis=0?
> Pass `axis` on to your max and to your sum.
= The function runs over the last axis whatever is asked for. With axis=0 each column should sum to 1.""",
        {"over": "last"},
        {"over": "last", "shift_over": "own"},
    ),
    (
        "softmax-default-axis",
        """Where no axis is given, the softmax does not run over the last one.
? Call your function without `axis`. Which entries sum to 1?
> Look at the default of `axis` in the head of your function.
= The hand-out asks for axis=-1 by default: it is the last axis, whatever the rank.""",
        {"default": 0},
        {"default": 1},
    ),
    (
        "softmax-scaled-by-length",
        """The scores are divided by the root of their number before exp().
? What is the ratio of two weights whose scores differ by 1?
> Look at what is done to the scores before exp(): the scaling of equation 1 belongs outside.
= √d_k divides the scores in attention, before the softmax. The softmax itself takes the scores as they come.""",
        {"rate": "root"},
    ),
    (
        "softmax-over-everything",
        """The whole array is one distribution.
? What do the weights of one row sum to in your result?
> max and sum need an axis, with keepdims=True.
= Without an axis, numpy adds up all entries, so that the array as a whole sums to 1 and each row to less.""",
        {"over": "everything"},
        {"over": "everything", "shift_over": "own"},
    ),
    (
        "softmax-over-last-two-axes",
        """Each matrix is one distribution.
? What do the weights of one row sum to in your result?
> Only the last axis belongs into max and sum.
= Summing over both of the last axes makes a whole matrix of weights sum to 1 instead of each of its rows.""",
        {"over": "last two"},
    ),
    (
        "softmax-over-everything",
        """Each item along the first axis is one distribution.
? Give your function three axes: what sums to 1?
> A loop over x walks along axis 0, whatever the rank.
= Looping over the first axis and summing all that is left is right for a matrix only.""",
        {"shift": "rows"},
    ),
    (
        "softmax-other-axis",
        """The softmax runs over the other axis.
? Which entries of your result sum to 1: those of a row, or those of a column?
> Look at the axis in your max and in your sum, and try an input with one row.
= Rows and columns have changed places: the axis that should sum to 1 does not, and its neighbour does.""",
        {"over": "other"},
        {"over": "other", "shift_over": "own"},
    ),
    (
        "softmax-missing-keepdims",
        """The sum of each row loses its axis, so the division pairs it with columns.
? What is the shape of your row sums, and how will numpy line it up with the matrix?
> Look at keepdims in your max and in your sum.
= sum(axis=-1) of an (n, m) array has the shape (n,), which numpy lines up with the columns: an error on most
rectangles, and wrong numbers on squares. keepdims=True keeps it (n, 1).""",
        {"keep": False, "shift": "everything"},
        {"keep": False, "shift": "max"},
        {"keep": False, "shift": "none"},
        {"keep_sum": False},
        *({"keep": False, "shift": shift, "form": "logarithm"} for shift in ("everything", "max", "none")),
        {"keep_sum": False, "form": "logarithm"},
    ),
    (
        "softmax-missing-keepdims",
        """The largest score of each row loses its axis, so it is subtracted from columns.
? What is the shape of your row maxima, and how will numpy line it up with the matrix?
> Look at keepdims in your max.
= max(axis=-1) of an (n, m) array has the shape (n,), which numpy lines up with the columns.""",
        {"keep_max": False},
        {"keep_max": False, "form": "logarithm"},
    ),
    (
        "softmax-no-max-shift",
        """The scores go into exp() as they are.
? What is exp(1000) in floating point?
> Is there something you may subtract from all the scores of a row without changing the answer?
= exp() overflows beyond about 709, and inf/inf is NaN. exp(x - c) / sum(exp(x - c)) is the same for every c, so
take the largest score of the row as c.""",
        {"shift": "none"},
        *_in_other_forms({"shift": "none"}),
    ),
    (
        "softmax-shift-not-by-the-largest",
        """The smallest score is subtracted instead of the largest.
? What is the largest exponent that is left after your shift?
> Any shift is allowed. Which one makes sure that no exponent is above 0?
= After subtracting the smallest score all exponents are positive and can still overflow; after subtracting the
largest none is above 0.""",
        {"shift": "min"},
        *_in_other_forms({"shift": "min"}),
    ),
    (
        "softmax-shift-not-by-the-largest",
        """The mean is subtracted instead of the largest score.
? Subtract the mean from the scores 2000 and 0. What is exp() of the larger one?
> Any shift is allowed. Which one makes sure that no exponent is above 0?
= The mean keeps the weights right, and a score more than 709 above it still overflows. After subtracting the largest
score none is above 0.""",
        {"shift": "mean"},
        *_in_other_forms({"shift": "mean"}),
    ),
    (
        "softmax-shift-not-by-the-largest",
        """The largest absolute value is subtracted instead of the largest score.
? Take the scores -10000 and -10001. What do you subtract, and what is left?
> Look for an abs() around the scores in your maximum.
= Where all scores are far below 0, the largest absolute value belongs to the smallest of them: every exponential
becomes 0, and 0/0 is NaN. The maximum of the scores themselves brings the largest exponent to 0.""",
        {"shift": "magnitude"},
        *_in_other_forms({"shift": "magnitude"}),
    ),
    (
        "softmax-shift-not-by-the-largest",
        """The first score of each row is subtracted instead of the largest.
? Put a score of 1000 behind a score of 0. What is exp() of the second one after your shift?
> Any shift is allowed. Which one makes sure that no exponent is above 0?
= A later score can be far above the first, and exp() overflows.""",
        {"shift": "first"},
        *_in_other_forms({"shift": "first"}),
    ),
    (
        "softmax-shift-not-by-the-largest",
        """The largest score is added instead of subtracted.
? What is the largest exponent that is left after your shift?
> Look at the sign in front of your maximum.
= Adding the largest score makes the exponents larger still: exp() overflows sooner.""",
        {"shift": "added"},
        *_in_other_forms({"shift": "added"}),
    ),
    (
        "softmax-global-max-shift",
        """The largest score of the whole array is subtracted, not that of each row.
? What becomes of exp() in a row that lies a thousand below the largest score of all?
> The maximum needs the same axis as the sum, with keepdims=True.
= Rows far below the largest score of all underflow to zeros, and 0/0 is NaN. Each row needs its own maximum.""",
        {"shift": "everything"},
        *_in_other_forms({"shift": "everything"}),
    ),
    (
        "softmax-shift-over-wrong-axis",
        """The largest score is taken over another axis than the sum.
? Do your max and your sum run over the same axis?
> Subtract one number from each row, not one from each column.
= A shift cancels only where all scores of one distribution are shifted alike.""",
        {"shift_over": "other"},
        {"shift_over": "last"},
    ),
    (
        "softmax-not-normalised",
        """The exponentials are not divided by their sum.
? What do the weights of a row sum to?
> One step is missing after exp().
= A softmax is exp(x) / sum(exp(x)): without the division the row is no distribution.""",
        {"divide": "nothing"},
    ),
    (
        "softmax-wrong-divisor",
        """The exponentials are divided by something else than their sum.
? What do the weights of a row sum to?
> Look at what stands under the fraction bar.
= Only the sum of the exponentials makes a row sum to 1; their mean or their length does not.""",
        {"divide": "mean"},
        {"divide": "length"},
        {"divide": "one more"},
    ),
    (
        "softmax-returns-logs",
        """The logarithm of the weights is returned.
? Can a weight be negative?
> Compare softmax and log-softmax.
= Log-probabilities are what losses use; the weights themselves are asked for here.""",
        {"logs": "exact"},
        {"logs": "taken"},
    ),
    (
        "softmax-wrong-base",
        """The powers are not taken of e.
? What is the ratio of two weights whose scores differ by 1?
> Look at the base of your power.
= Two scores that differ by 1 have weights in the ratio e = 2.718...; another base is another temperature.""",
        {"power": "two"},
        {"power": "ten"},
    ),
    (
        "softmax-sign-flipped",
        """The largest score gets the smallest weight.
? Which of your weights is the largest, and which score does it belong to?
> Look at the sign inside exp().
= exp(-x) turns the order around: a softmax gives the largest weight to the largest score.""",
        {"power": "negative"},
        {"power": "negative", "shift": "min"},
        {"power": "negative", "shift": "none"},
    ),
    (
        "softmax-no-exponential",
        """The weights are not made with exp().
? What happens to your weights when a score is negative?
> Look at what is done to the scores before they are added up.
= Dividing something else than the exponentials by its sum also adds up to 1, but negative scores or a common
shift of all scores then break it.""",
        {"power": "linear", "shift": "none"},
        {"power": "linear", "shift": "max"},
        {"power": "linear", "shift": "min"},
        {"power": "square", "shift": "none"},
        {"power": "expm1", "shift": "max"},
        {"power": "sigmoid", "shift": "none"},
    ),
    (
        "softmax-is-a-sigmoid",
        """Each score goes through the logistic function by itself.
? Change one score of a row. Do the weights of the others move?
> Where in your function do the scores of a row meet?
= 1 / (1 + exp(-x)) looks at one score only. In a softmax the scores of a row compete: each exponential is divided by
the sum of all.""",
        {"power": "sigmoid", "shift": "none", "divide": "nothing"},
        {"power": "sigmoid", "divide": "nothing"},
    ),
    (
        "softmax-is-a-maximum",
        """All the weight goes to the largest score.
? What are the weights of the scores 1 and 2?
> Compare a maximum with a softmax: what do the other scores get?
= A softmax is soft: a score that is smaller by 1 still gets a weight, e = 2.718... times smaller.""",
        {"power": "one-hot"},
        {"power": "one-hot", "divide": "nothing"},
    ),
    (
        "softmax-applied-twice",
        """The softmax is applied twice.
? How far from uniform can your weights get?
> Count the calls on the way from scores to weights.
= The second softmax sees numbers between 0 and 1 and makes them nearly uniform.""",
        {"twice": True},
    ),
    (
        "softmax-rounds",
        """The weights are rounded.
? Do your weights still sum to exactly 1?
> Round when you print, not when you return.
= Rounded weights no longer sum to 1, and what is computed from them inherits the error.""",
        {"decimals": 1},
        {"decimals": 2},
        {"decimals": 3},
        {"decimals": 4},
    ),
    (
        "softmax-clips-scores",
        """The scores are clipped before exp().
? What do 1000 and 1001 become after your clipping?
> There is a way to avoid overflow that loses nothing.
= Clipping makes different large scores equal. Subtracting the largest score of the row avoids the overflow and
changes no weight.""",
        *({"clip": most} for most in (1.0, 5.0, 10.0, 20.0, 50.0, 88.0, 100.0, 500.0, 700.0, 709.0)),
    ),
    (
        "softmax-integer-output",
        """The weights are stored with the type of the scores.
? What type does your result have when the scores are whole numbers?
> zeros_like(x) and empty_like(x) take the type of x along.
= An integer array cannot hold 0.3: the weights are cut to 0. Make the result floating, for instance with
np.asarray(x, dtype=float).""",
        {"result": "input"},
        {"result": "refused"},
    ),
    (
        "softmax-axis-not-moved-back",
        """The axis is moved to the end and not moved back.
? Which shape has your result for axis=0, and which has x?
> After np.moveaxis or a transpose at the beginning, the last line has to undo it.
= The weights are right, and they stand in other places than their scores.""",
        {"result": "moved"},
    ),
    (
        "softmax-turned",
        """The result comes back with rows and columns exchanged.
? What is the shape of your result for 2 rows of 3 scores?
> Look for a .T that is not undone.
= e.T / e.sum(axis=1) divides rightly, and leaves the result transposed: one more .T puts it back.""",
        {"result": "turned"},
    ),
    (
        "softmax-vector-becomes-matrix",
        """A vector comes back as a matrix of one row.
? What is the shape of your result for a vector of 4 scores?
> Look for atleast_2d, or for a reshape that is not undone.
= A softmax returns an array of the shape that it was given. With axis=-1 and keepdims no extra axis is needed.""",
        {"result": "matrix"},
    ),
    (
        "softmax-scores-bent",
        """The scores lose their sign before exp().
? Which of the scores -3 and 1 gets the larger weight from you?
> Look for an abs() around the scores.
= A low score means little weight: -3 must get less than 1.""",
        {"bend": "absolute"},
    ),
    (
        "softmax-flattens",
        """The result has lost the shape of the scores.
? What is the shape of your result, and what is that of the input?
> Look for ravel, flatten or reshape.
= A softmax returns an array of the same shape, with each slice along the axis summing to 1.""",
        {"result": "flat"},
    ),
    (
        "softmax-mutates-input",
        """The caller's array is overwritten.
? Is your input the same after the call as before?
> Operators such as `x -= ...` and `out=x` work in place.
= The caller's scores are gone after the call, and integer scores raise. Write `x = x - x.max(...)`, which makes
a new array.""",
        {"in_place": "all"},
        {"in_place": "floats"},
        {"in_place": "shift"},
    ),
    (
        "softmax-matrices-only",
        """The function takes matrices only.
? What is the shape of a vector, and how many numbers does your line take from it?
> Unpacking x.shape into two names fixes the number of axes. Work with `axis` instead.
= The hand-out asks for any number of axes. max and sum with an axis and keepdims=True need no loop at all.""",
        {"ranks": "matrix", "over": "last"},
        {"ranks": "matrix"},
    ),
)

FITTED: tuple[tuple[Any, ...], ...] = (
    (
        "softmax-constant-in-divisor",
        """A constant is added to the sum of the exponentials.
? What do the weights of a row sum to?
> Look at what stands under the fraction bar.
= The sum of the exponentials is at least 1 once the largest score is subtracted, so nothing is needed to avoid a
division by 0. A tiny constant such as 1e-9 does no harm; this one can be seen.""",
        "The constant {more:g} is added to the sum of the exponentials.",
        fitted_more,
        {"more": 1e-3},
    ),
    (
        "softmax-scores-rescaled",
        """The scores are multiplied by a number before exp().
? What is the ratio of two weights whose scores differ by 1?
> Look at what is done to the scores before exp(): the scaling of equation 1 belongs outside.
= Two scores that differ by 1 have weights in the ratio e = 2.718...; a factor inside exp() is a temperature.""",
        "The scores are multiplied by {rate:.4g} before exp().",
        fitted_rate,
        {"rate": 0.5},
    ),
)
"""(id, texts, title with the number, where the number is read from, examples…)."""
