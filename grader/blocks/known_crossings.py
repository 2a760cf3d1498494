"""Known mistakes in which axes, masks or norms cross: what belongs to one of them is done to another."""

from __future__ import annotations

from grader.blocks.faults import Fault, family

_mha = family("multi_head_attention", "section 3.2.2 and figure 2")
_sdpa = family("scaled_dot_product_attention", "section 3.2.1, equation 1")
_dec = family("decoder_layer", "section 3.1 and figure 1")
_trf = family("transformer", "section 3 and figure 1")

HEADS_CROSSED: tuple[Fault, ...] = (
    _mha(
        "mha-unfolds-in-another-order",
        "The heads are folded into the batch in one order and taken apart in the other.",
        "Which comes first in your folded axis: the sample or the head?",
        "Write the two sizes of the reshape that folds beside those of the reshape that unfolds.",
        "(batch * heads, n, d_k) has to be taken apart as (batch, heads, n, d_k). As (heads, batch, …) the heads of "
        "one sample end up in another.",
        mha__merge="unfolded",
    ),
    *(
        _mha(
            "mha-mask-merged-over-heads",
            f"A mask for each head is merged into one: a key is shown where {which} head may see it.",
            "What does axis 1 of a mask of four axes stand for?",
            f"Look for {how}(dim=1) where the mask comes in.",
            "A mask (batch, heads, n, m) may be another for each head: it meets the scores as it is.",
            mha__mask4=how,
        )
        for how, which in (("any", "any"), ("all", "every"))
    ),
    _mha(
        "mha-mask-taken-for-padding",
        "A mask of two axes is taken for one row of keys for each sample where its first size is the batch's.",
        "What does a mask (n, m) stand for where there happen to be n samples?",
        "Look for a mask.size(0) == batch where the mask comes in.",
        "The number of axes says what a mask is, and no size does: two axes are (n, m), for every sample.",
        mha__mask2="padding",
    ),
    _mha(
        "mha-hardcoded-length",
        "Sequences that are longer than a number in the code fail.",
        "For how many positions is your table or mask built?",
        "Look for a number such as 64 or 512 in __init__ from which a mask or a buffer is made.",
        "Attention knows no length: the sizes of its masks come from the query and the key that are given.",
        mha__longest=100,
    ),
    _sdpa(
        "sdpa-keys-reshaped",
        "K is reshaped where it should be transposed.",
        "Take K = [[1, 2, 3], [4, 5, 6]]. What is its first row after your reshape, and after a transpose?",
        "Swap the last two axes: k.transpose(-2, -1).",
        "A reshape keeps the order of the numbers and only cuts it into other rows, so that features of different keys "
        "are mixed.",
        sdpa__keys="reshaped",
    ),
    _sdpa(
        "sdpa-mask-transposed",
        "The mask is applied with queries and keys exchanged.",
        "In mask[i, j], which index is the query and which the key?",
        "Look for a transpose of the mask.",
        "The mask has the axes of the scores: queries first, keys last.",
        sdpa__mask_turned=True,
    ),
    *(
        _sdpa(
            "sdpa-fill-lowest-score",
            title,
            "How much weight does the lowest score of all leave to a blocked key?",
            "Is the lowest score that occurs, or a little less, low enough for exp() to make it vanish?",
            "Blocked keys keep some weight where the scores lie close together. Minus infinity is below every score.",
            sdpa__fill_below=below,
        )
        for below, title in (
            (0.0, "Blocked scores are set to the lowest score, which keeps some weight."),
            *(
                (float(n), f"Blocked scores are set to {n} below the lowest score, which keeps some weight.")
                for n in (1, 2, 5, 10)
            ),
        )
    ),
)

MASKS_CROSSED: tuple[Fault, ...] = (
    _dec(
        "dec-one-mask-at-a-time",
        "The source mask is used only where no target mask is given.",
        "Give both masks at once. Which of the two attentions uses which?",
        "Look for an `if` or an `or` that chooses between the masks.",
        "The two masks belong to two attentions, and training passes both: self-attention takes tgt_mask, attention to "
        "the memory takes src_mask.",
        dec__mask__cross="src_alone",
    ),
    _dec(
        "dec-one-mask-at-a-time",
        "The target mask is used only where no source mask is given.",
        "Give both masks at once. Which of the two attentions uses which?",
        "Look for an `if` or an `or` that chooses between the masks.",
        "The two masks belong to two attentions, and training passes both: self-attention takes tgt_mask, attention to "
        "the memory takes src_mask.",
        dec__mask__self="tgt_alone",
    ),
    _dec(
        "dec-cross-value-from-decoder",
        "The second attention takes its values from the decoder wherever the lengths agree.",
        "Where does the source sentence enter your decoder?",
        "Look at the three arguments of the second attention.",
        "The queries come from the decoder, keys and values from the encoder's output (section 3.2.3).",
        dec__value="state where alike",
    ),
    *(
        _dec(
            "decoder-normalises-memory",
            "The memory is normalised before the layer reads it.",
            "What stands between the encoder and the attention to its output in figure 1?",
            "Look at what is done to memory before it becomes keys and values.",
            "The memory is the encoder's output as it is: its last Add & Norm has normalised it already.",
            dec__memory_norm=norm,
        )
        for norm in ("norm_2", "norm_2, each", "norm_1", "norm_1, each")
    ),
)

WHOLE_CROSSED: tuple[Fault, ...] = (
    _trf(
        "trf-causal-mask-of-the-source",
        "The default causal mask has the length of the source instead of the target.",
        "How long is your causal mask where source and target differ in length?",
        "Look at the size from which the mask is made: src.size(1) or tgt.size(1)?",
        "The mask hides target positions from one another, so it is (n_tgt, n_tgt). With the source's length it fits "
        "by chance only.",
        trf__causal="by_source",
    ),
    _trf(
        "embedding-scale-truncated",
        "The root of d_model is cut to a whole number.",
        "What is the square root of 30, and which number do you multiply by?",
        "Look for int(...) or // beside the square root.",
        "int(√d_model) is right for square numbers only.",
        emb__scale="whole",
    ),
)


def in_stack(component: str, side: str) -> tuple[Fault, ...]:
    """Mistakes of one stack, ``encoder`` or ``decoder``, as they belong to a component."""
    make = family(component, "section 3.1 and figure 1")
    found = (
        make(
            f"{side}-norm-after-each-layer",
            "One more norm, the same for all, follows every layer.",
            "How many norms does one layer of figure 1 have, and where is the last of them?",
            "Look at the loop over your layers: what is applied to the result of each?",
            "Each sublayer ends with a norm of its own. One more norm at the end of the whole stack is free; behind "
            "every layer it is another model.",
            **{f"{side}.final_norm": "each"},
        ),
        make(
            f"{side}-adds-its-input",
            "The stack's input is added once more behind the last layer.",
            "Which residual connections does figure 1 draw?",
            "Look at the last line of the stack's forward.",
            "The residual connections stand around each sublayer. There is none around the stack.",
            **{f"{side}.adds_input": "end"},
        ),
    )
    if side == "encoder":
        return found
    return (
        *found,
        make(
            "decoder-normalises-memory",
            "The memory is normalised before the layers read it.",
            "What stands between the encoder and the attention to its output in figure 1?",
            "Look at what becomes of memory before the loop over the layers.",
            "The memory is the encoder's output as it is: its last Add & Norm has normalised it already, and a further "
            "norm has a gain and a shift of its own.",
            **{"decoder.memory_norm": True},
        ),
    )
