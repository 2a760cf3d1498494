"""More ways in which students get the softmax wrong: rows that meet, axes put elsewhere, an overflow hidden."""

from __future__ import annotations

from typing import Any

ROW_SLIPS: tuple[tuple[Any, ...], ...] = (
    (
        "softmax-total-of-other-rows",
        """The sum goes on from row to row: it is not set back to 0.
? Swap the rows of your input. Do the weights of each row stay the same?
> Where does your running total get its first value: before the loop over the rows, or inside it?
= Each row is a distribution of its own, so its sum has to start at 0. Here a later row is divided by the sums of the
rows before it as well.""",
        {"divide": "running"},
        {"divide": "running", "form": "python"},
    ),
    (
        "softmax-total-of-other-rows",
        """All rows are divided by the sum of the first row.
? Swap the rows of your input. Do the weights of each row stay the same?
> Look for an index such as [0] at your sum, or for a `return` inside the loop.
= Each row is a distribution of its own and has a sum of its own.""",
        {"divide": "first row"},
        {"divide": "first row", "shift": "none"},
    ),
    (
        "softmax-running-sum-not-rescaled",
        """The running sum is not rescaled when a larger score turns up.
? Give your function the scores 0 and 1, then 1 and 0. Which of the two is right?
> When your maximum grows, what becomes of the exponentials that are in the sum already?
= In one pass over the row the sum holds exp(score - maximum so far). When the maximum grows from a to b, the sum has to
be multiplied by exp(a - b), or its old part is counted with another shift than the rest.""",
        {"divide": "online"},
        {"divide": "online", "form": "python"},
    ),
    (
        "softmax-shift-after-exp",
        """The maximum is subtracted after exp() instead of before.
? What is exp(1000), before anything is subtracted?
> Which line comes first in your function: the exponential or the subtraction?
= exp(x) - max(exp(x)) is another function: it is 0 for the largest score and negative for the others. The shift belongs
inside: exp(x - max(x)).""",
        {"shift": "after exp"},
    ),
    (
        "softmax-sum-put-back-at-the-end",
        """The axis that max and sum have removed is put back at the end, whichever axis it was.
? For x of shape (2, 5) and axis=0, which shape has your sum, and which one do you make of it?
> Look for [..., None] or expand_dims(-1) after a sum over `axis`.
= A sum over axis 0 has to come back as (1, 5) to meet (2, 5). keepdims=True, or expand_dims with the same axis, puts
it where it was.""",
        {"placed": "last"},
        {"placed": "last", "shift": "everything"},
        {"placed": "last", "shift": "none"},
    ),
    (
        "softmax-axis-not-moved-back",
        """The axis is exchanged with the last one and not exchanged back.
? Which shape has your result for axis=0, and which has x?
> After np.swapaxes at the beginning, the last line has to do the same swap once more.
= The weights are right, and they stand in other places than their scores.""",
        {"result": "swapped"},
    ),
    (
        "softmax-turned",
        """The softmax runs over the columns, and the result comes back with rows and columns exchanged.
? What is the shape of your result for 2 rows of 3 scores, and which of its numbers sum to 1?
> A loop over x.T walks along the columns of x.
= `for row in x.T` sees columns, and stacking the results leaves them as rows. Loop over x itself.""",
        {"over": "other", "result": "all axes turned"},
        {"over": 0, "vector": "spared", "result": "all axes turned"},
    ),
    (
        "softmax-no-max-shift",
        """The scores go into exp() as they are, and what overflows is replaced by a number.
? What is exp(1000) in floating point, and what should two equal scores of 1000 get?
> Look at nan_to_num: it hides the overflow and does not bring back the weights that were lost.
= inf/inf is NaN, and putting a 0 there leaves a row of zeros. Subtract the largest score of the row first: then
nothing overflows.""",
        {"shift": "none", "mended": True},
    ),
)
