"""Multi-head attention of arrays as students get it wrong: what to say about each setting of the workshop."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.components.multi_head_numpy_workshop import LOW

_SPLIT = """? Which columns of the projected query belong to head 0?
> Write down the shape after each reshape and each transpose, with its axes named.
"""
_MATRIX = """? Change one of your four matrices at a time. Which of them never influences the result?
> Look at which matrix meets which argument.
"""
_MASK = """? Give two samples different masks. Does each sample follow its own?
> Write down the shape of the mask beside that of the scores: batch, heads, queries, keys.
"""

SLIPS: tuple[tuple[Any, ...], ...] = (
    (
        "mha-merge-without-transpose",
        f"""The heads are joined without moving their axis back behind the positions.
{_SPLIT}= A reshape of (heads, n, d_k) to (n, d_model) puts numbers of different positions side by
side. Swap the two axes first.""",
        {"merge": "by reshape"},
    ),
    (
        "mha-split-without-transpose",
        f"""The features are split into heads by a reshape alone.
{_SPLIT}= A reshape of (n, d_model) to (heads, n, d_k) cuts the sentence into pieces and not the features. Reshape to
(n, heads, d_k) and then swap the first two.""",
        {"split": "by reshape"},
        {"split": "by reshape", "merge": "by reshape"},
    ),
    (
        "mha-attends-over-heads",
        f"""Attention runs between the heads of a position instead of between positions.
{_SPLIT}= The product of queries and keys works on the last two axes. They must be positions and features, so the heads
have to be moved in front.""",
        {"split": "not moved"},
        {"split": "not moved", "merge": "by reshape"},
    ),
    (
        "mha-heads-interleaved",
        f"""Head i takes every h-th column instead of a block of neighbours.
{_SPLIT}= With given matrices it matters which columns make a head: the hand-out gives head i the i-th block.""",
        {"split": "interleaved", "merge": "interleaved"},
        {"split": "interleaved"},
        {"merge": "interleaved"},
    ),
    (
        "mha-heads-reversed",
        f"""The heads are joined in the other order.
{_SPLIT}= Head 0 comes first.""",
        {"merge": "reversed"},
    ),
    (
        "mha-heads-summed",
        """The heads are added or averaged instead of joined.
? After joining, how wide should one position be before the last matrix?
> Look at how the results of the heads are brought together.
= Concatenation keeps what each head found apart; W_o then mixes it.""",
        *({"merge": merge} for merge in ("sum", "mean", "sum repeated", "mean repeated")),
    ),
    (
        "mha-weights-averaged",
        """The weights of the heads are averaged before they meet the values.
? Can two of your heads look at different keys?
> Look for a mean over the heads before the product with the values.
= Each head reads with its own weights; averaged, they are one pattern for all.""",
        {"shared": "mean"},
        {"shared": "mean", "fill": LOW},
    ),
    (
        "mha-projects-pieces",
        """The features are cut into heads first, and each head projects its own piece only.
? Which features of a position can head 0 read?
> What comes first in your function, the slices of the input or the products with the matrices?
= Each head projects the whole vector: its d_k columns of W_q have d_model rows. Cut first, no head sees
what another holds.""",
        {"project": "own pieces"},
        {"project": "own pieces", "fill": LOW},
    ),
    (
        "mha-one-head-only",
        """Only one head reaches the result.
? Change the columns of another head in W_v. Does anything happen?
> Look at your loop over the heads, and at what it keeps.
= All heads are joined.""",
        {"merge": "first"},
        {"merge": "last"},
        {"split": "first for all"},
    ),
    (
        "mha-ignores-num-heads",
        """There is one head, whatever num_heads says.
? Does your result change with num_heads?
> Look for the place where num_heads enters.
= The features are split into num_heads parts, each with a softmax of its own.""",
        *(
            {"split": "ignored", "indivisible": way, "mask_axes": axes, "fill": fill}
            for way in ("refused", "refused first")
            for axes in ("per sample", "first head")
            for fill in (-np.inf, LOW)
        ),
    ),
    (
        "mha-missing-output-projection",
        f"""The output matrix W_o is not used.
{_MATRIX}= The joined heads are multiplied by W_o, which mixes what they found.""",
        {"output": "joined"},
    ),
    (
        "mha-output-projection-twice",
        f"""The output matrix W_o is applied twice.
{_MATRIX}= One product with W_o ends the function.""",
        {"output": "twice"},
    ),
    (
        "mha-value-uses-key-projection",
        f"""The values are projected with the matrix of the keys.
{_MATRIX}= Queries, keys and values have a matrix each.""",
        {"project": "value by key"},
    ),
    (
        "mha-projections-mixed-up",
        f"""The projections do not belong to the arguments that they meet.
{_MATRIX}= W_q belongs to the query, W_k to the key, W_v to the value.""",
        *(
            {"project": how}
            for how in (
                "key by query",
                "all by query",
                "value by query",
                "query and key swapped",
                "key and value swapped",
            )
        ),
    ),
    (
        "mha-no-projections",
        f"""Query, key and value are not projected.
{_MATRIX}= Each head looks at its own projection of query, key and value.""",
        {"project": "none"},
        {"project": "no value"},
    ),
    (
        "mha-weights-transposed",
        """A matrix is transposed.
? What does x @ W do, and what does x @ W.T?
> The hand-out uses every matrix as x @ W.
= torch.nn.Linear keeps its weight the other way round; here the matrices are (in, out).""",
        {"transposed": "qkvo"},
        {"transposed": "qkv"},
        {"transposed": "o"},
    ),
    (
        "mha-arguments-mixed-up",
        """The arguments query, key and value have changed places.
? Change value only. Which part of your computation notices?
> Look at which argument goes into which projection.
= The query asks, the key is compared with it, and the value is what is read.""",
        *(
            {"inputs": how}
            for how in ("key and value swapped", "query and key swapped", "keys as values", "value only")
        ),
    ),
    (
        "mha-self-attention-only",
        """Key and value are ignored: the query attends to itself.
? Change the key. Does your result notice?
> Look at which argument goes into which projection.
= In the decoder the query comes from the target, and key and value from the source.""",
        {"inputs": "query only"},
    ),
    (
        "mha-relu-on-projections",
        """A ReLU follows the projections.
? The paper calls these projections linear. Are yours?
> Look at what happens between the product with W and the scores.
= Without negative numbers a query and a key can never disagree.""",
        {"after_projection": "relu"},
    ),
    (
        "mha-relu-on-output",
        """A ReLU follows the output matrix.
? Can your result be negative?
> The last step is a product with W_o.
= The output projection is linear.""",
        {"output": "relu"},
    ),
    (
        "mha-scale-by-d-model",
        """The scores are divided by √d_model instead of √d_k.
? How many numbers are added up in one score of one head?
> Where does the number under your root come from?
= Each head compares vectors of width d_k = d_model / num_heads, so that is what belongs under the root.""",
        {"scale": "model"},
    ),
    (
        "mha-no-scale",
        """The scores are not divided by √d_k.
? How large do your scores get as the heads get wider?
> Compare your scores with equation 1.
= Without the division the softmax becomes nearly one-hot for wide heads.""",
        {"scale": "none"},
    ),
    (
        "mha-wrong-scale",
        """The scores are scaled by another number than 1/√d_k.
? How many numbers are added up in one score of one head?
> Compare your scores with equation 1: what stands under the fraction bar, and is it a root?
= The factor is 1/√d_k, with d_k = d_model / num_heads.""",
        *({"scale": scale} for scale in ("times", "dk", "heads", "keys")),
    ),
    (
        "mha-softmax-over-query-axis",
        """The softmax runs over another axis than the keys.
? Take one query of one head and add up its weights over the keys. What do you get?
> Count axes from the end: the keys are axis -1.
= Each query of each head has one distribution over the keys.""",
        *({"axis": axis, "fill": fill} for axis in (-2, -3, 0, 1) for fill in (-np.inf, LOW)),
    ),
    (
        "mha-no-softmax",
        """The scores are used as weights without a softmax.
? What do the weights of one query sum to?
> One step of equation 1 is missing.
= Only the softmax turns scores into positive weights that sum to 1.""",
        {"normal": "scores"},
        {"normal": "scores", "fill": LOW},
    ),
    (
        "mha-ignores-mask",
        f"""The mask changes nothing.
{_MASK}= The mask must reach the scores before the softmax.""",
        {"masked": "ignored"},
    ),
    (
        "mha-mask-polarity-inverted",
        """The mask is read the other way round: True blocks.
? Pass a mask that allows key 0 only. Which key do your heads read?
> In this task True means "may attend".
= Libraries differ on this, so it is worth a look at the hand-out.""",
        {"meaning": "block"},
        {"meaning": "block", "fill": LOW},
        {"meaning": "block", "masked": "lowered"},
    ),
    (
        "mha-mask-multiplied-before-softmax",
        """Blocked scores become 0 instead of minus infinity.
? What is exp(0)? Which score would make a key vanish from the softmax?
> Look at what a blocked score becomes.
= A score of 0 still has the weight exp(0) = 1 before normalising.""",
        {"masked": "multiplied"},
        {"masked": "added"},
    ),
    (
        "mha-mask-after-softmax",
        """Blocked weights are set to 0 after the softmax, and the rest is not brought back to 1.
? Block one of two equal keys. What should the weight of the other become?
> Put the mask in before the softmax.
= After the softmax a blocked key has already taken its share.""",
        {"masked": "after"},
    ),
    (
        "mha-mask-repeat-order",
        f"""Samples get each other's masks.
{_MASK}= The heads were folded into the batch in one order and the masks repeated in the other.""",
        {"mask_axes": "repeat order"},
    ),
    (
        "mha-mask-not-per-sample",
        f"""A mask (batch, n, m) meets the heads instead of the samples.
{_MASK}= Without an axis for the heads, numpy lines up the samples of the mask with the heads of the scores:
mask[:, None] puts one in.""",
        *({"mask_axes": axes} for axes in ("as it is", "for heads", "first sample")),
    ),
    (
        "mha-mask-not-per-sample",
        f"""All samples and heads get the first mask.
{_MASK}= mask[0] is the mask of the first sample alone: where a mask has axes in front, each sample and head has its
own.""",
        {"mask_axes": "first of all"},
    ),
    (
        "mha-mask-first-head-for-all",
        f"""All heads get the mask of the first one.
{_MASK}= With 4 axes each head may have a pattern of its own.""",
        {"mask_axes": "first head"},
    ),
    (
        "mha-sequence-first",
        """Axis 0 is taken for the sequence and axis 1 for the batch.
? Change one sample in the batch. Which outputs move?
> The hand-out has the batch first.
= Attention then runs across samples, and positions of one sample do not meet.""",
        {"order": "sequence first"},
    ),
    (
        "mha-fixed-number-of-axes",
        """The function takes one number of axes only.
? What does your line make of the shape when there is a batch, or none?
> Unpacking query.shape into names fixes the number of axes.
= The hand-out allows a sentence with and without a batch axis: *lead, n, d_model = query.shape takes both.""",
        {"ranks": "matrix"},
        {"ranks": "batch"},
    ),
    (
        "mha-length-of-query-for-all",
        """Keys and values are cut into heads with the length of the query.
? How long are query and key when a decoder attends to a source of another length?
> Look at the sizes in your reshape: whose n is it?
= The keys have a length of their own: take it from key.shape, or leave it to reshape with -1.""",
        {"length": "that of the query"},
    ),
    (
        "mha-returns-weights-too",
        """The weights are returned beside the result.
? How many values does the hand-out ask for?
> Look at your return line.
= scaled_dot_product_attention returns a pair; multi_head_attention returns the result alone.""",
        {"returns": "pair"},
    ),
    (
        "mha-writes-into-query",
        """The argument query is changed in place.
? Is the query the same after the call as before?
> Look for operators such as `query += ...` and out=query.
= The caller still needs the query, for the residual connection around this block.""",
        {"in_place": True},
    ),
    (
        "mha-adds-residual",
        """The query is added to the result.
? What does your function return when all matrices are 0?
> The residual connection stands around this block, not in it.
= The layer adds it afterwards, together with the norm.""",
        {"output": "residual"},
    ),
    (
        "mha-indivisible-heads-silent",
        """A number of heads that does not divide d_model is accepted silently.
? What should happen for 5 features and 2 heads?
> d_model // num_heads rounds down: test the remainder first.
= Some features would belong to no head. The hand-out asks for a ValueError.""",
        {"indivisible": "cut"},
    ),
)
"""(id, texts, settings…) of the slips that are settings of the workshop."""
