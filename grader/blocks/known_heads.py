"""Known mistakes around the heads of attention (section 3.2.2)."""

from __future__ import annotations

from grader.blocks.faults import Fault, family
from grader.blocks.known_attention import SCALE
from grader.blocks.known_crossings import HEADS_CROSSED
from grader.blocks.known_states import STATE_SIGNS

_mha = family("multi_head_attention", "section 3.2.2 and figure 2")
_sdpa = family("scaled_dot_product_attention", "section 3.2.1, equation 1")

_HEADS = (
    "After attention, where does the head axis sit?",
    "Follow the shapes through your reshapes: which numbers lie next to each other?",
    "Split by reshape to (batch, n, heads, d_k), then transpose; joining transposes back before it reshapes.",
)
_PROJ = (
    "Which of the four matrices meets which input?",
    "Read equation MultiHead(Q, K, V) beside your forward, letter by letter.",
    "Queries, keys and values each have a matrix of their own, and W^O follows the concatenation.",
)
_MASK3 = (
    "Write out the order of (sample, head) in your scores, and of your masks.",
    "A mask (batch, n, m) needs an axis for the heads, behind the batch.",
    "Unsqueezing axis 1 gives (batch, 1, n, m), which every head of a sample shares.",
)

HEADS: tuple[Fault, ...] = (
    _mha(
        "mha-scale-by-d-model",
        "The scores are divided by sqrt(d_model) instead of sqrt(d_k).",
        *SCALE,
        mha__scale="d_model",
    ),
    _mha("mha-scale-by-d-model", "The scores are divided by d_model.", *SCALE, mha__scale="whole_d_model"),
    _mha(
        "mha-scale-by-heads", "The scores are divided by the root of the number of heads.", *SCALE, mha__scale="heads"
    ),
    _mha(
        "mha-merge-without-transpose",
        "The heads are joined without moving their axis back behind the positions.",
        *_HEADS,
        mha__merge="view",
    ),
    _mha(
        "mha-split-without-transpose",
        "The features are cut into heads by a reshape alone, which mixes positions.",
        *_HEADS,
        mha__split="view",
    ),
    _mha(
        "mha-split-without-transpose",
        "Heads are cut and joined by reshapes alone, which mixes positions.",
        *_HEADS,
        mha__split="view",
        mha__merge="view",
    ),
    *(
        _mha(
            "mha-attends-over-heads",
            "Attention runs between the heads of a position instead of between positions.",
            "Which two axes of your queries meet in the product with the keys: positions, or heads?",
            "Print the shape of your scores. Are its last two axes as long as the sequences?",
            "A reshape to (batch, n, heads, d_k) leaves the heads next to d_k; transposing axes 1 and 2 puts the "
            "positions there, so that the scores are (batch, heads, n, m).",
            mha__split="behind",
            mha__merge=merge,
        )
        for merge in ("view", "heads")
    ),
    _mha("mha-heads-summed", "The heads are added up instead of concatenated.", *_HEADS, mha__merge="sum"),
    _mha("mha-heads-summed", "The heads are averaged instead of concatenated.", *_HEADS, mha__merge="mean"),
    _mha("mha-one-head-only", "Only one head reaches the output projection.", *_HEADS, mha__merge="first"),
    _mha("mha-one-head-only", "Only the last head reaches the output projection.", *_HEADS, mha__merge="last"),
    *(
        _mha(
            "mha-one-head-only",
            f"The {which} head stands in the place of every head.",
            *_HEADS,
            mha__merge=f"{which}_repeated",
        )
        for which in ("first", "last")
    ),
    _mha(
        "mha-heads-summed",
        "The heads are added up and repeated instead of concatenated.",
        *_HEADS,
        mha__merge="sum_then_repeat",
    ),
    _mha(
        "mha-weights-averaged",
        "The weights of the heads are averaged before they meet the values.",
        "Can two of your heads look at different keys?",
        "Look for a mean over the heads before the product with the values.",
        "Each head reads with its own weights; averaged, they are one pattern for all.",
        sdpa__normalise="head_mean",
    ),
    _mha("mha-ignores-num-heads", "There is one wide head instead of num_heads of them.", *_HEADS, mha__one_head=True),
    _mha(
        "mha-sequence-first",
        "Axis 0 is taken for the sequence and axis 1 for the batch, so that samples attend to each other.",
        "Change one sample of the batch. Which outputs move?",
        "Look at the order of the axes when the heads are split.",
        "Here the batch comes first: (batch, n, d_model).",
        mha__sequence_first=True,
    ),
    _mha(
        "mha-length-of-query-for-all",
        "Keys and values are cut into heads with the length of the query.",
        "How long are query and key when a decoder attends to a source of another length?",
        "Look at the sizes in your view or reshape: whose n is it?",
        "The keys have a length of their own: take it from key.size(1), or leave it to the view with -1.",
        mha__length="query",
    ),
    _mha(
        "mha-missing-output-projection",
        "The joined heads are returned without the output projection.",
        *_PROJ,
        mha__output="none",
    ),
    _mha("mha-output-projection-twice", "The output projection is applied twice.", *_PROJ, mha__output="twice"),
    _mha("mha-relu-on-output", "A ReLU follows the output projection.", *_PROJ, mha__output="relu"),
    _mha("mha-value-uses-key-projection", "The values are projected with the keys' matrix.", *_PROJ, mha__v_weight="k"),
    _mha("mha-projections-mixed-up", "The values are projected with the queries' matrix.", *_PROJ, mha__v_weight="q"),
    _mha("mha-projections-mixed-up", "The keys are projected with the queries' matrix.", *_PROJ, mha__k_weight="q"),
    _mha(
        "mha-projections-mixed-up",
        "One matrix projects queries, keys and values.",
        *_PROJ,
        mha__k_weight="q",
        mha__v_weight="q",
    ),
    _mha(
        "mha-relu-on-projections",
        "A ReLU is applied to the projected queries, keys and values.",
        "The paper calls these projections linear. Is yours?",
        "Look for an activation between the projections and the scores.",
        "The projections only change the coordinates; a ReLU would forbid negative entries.",
        mha__relu="qkv",
    ),
    _mha(
        "mha-relu-on-projections",
        "A ReLU is applied to the projected queries and keys.",
        "The paper calls these projections linear. Is yours?",
        "Look for an activation between the projections and the scores.",
        "The projections only change the coordinates; a ReLU would forbid negative entries.",
        mha__relu="qk",
    ),
    _mha(
        "mha-relu-on-projections",
        "A ReLU is applied to the projected values.",
        "The paper calls these projections linear. Is yours?",
        "Look for an activation after the value projection.",
        "The projections only change the coordinates; a ReLU would forbid negative entries.",
        mha__relu="v",
    ),
    _mha("mha-no-projections", "The values are used without their projection.", *_PROJ, mha__unprojected="v"),
    _mha("mha-no-projections", "The keys are used without their projection.", *_PROJ, mha__unprojected="k"),
    _mha("mha-no-projections", "The queries are used without their projection.", *_PROJ, mha__unprojected="q"),
    _mha("mha-no-projections", "Keys and values are used without their projections.", *_PROJ, mha__unprojected="kv"),
    _mha(
        "mha-no-projections",
        "Queries, keys and values are used without their projections.",
        *_PROJ,
        mha__unprojected="qkv",
    ),
    _mha(
        "mha-heads-share-projections",
        "The features are cut into heads first, and one small matrix projects the piece of every head.",
        "How many entries has W^Q of one head in the paper?",
        "Project before you cut: the matrices act on all d_model features.",
        "Each head has W^Q, W^K and W^V of its own, (d_model, d_k), and sees every feature.",
        mha__one_for_all=True,
    ),
    _mha(
        "mha-self-attention-only",
        "Keys and values are made from the query, so that only self-attention is right.",
        *_PROJ,
        mha__k_from="query",
        mha__v_from="query",
    ),
    _mha("mha-self-attention-only", "The values are made from the query input.", *_PROJ, mha__v_from="query"),
    _mha("mha-self-attention-only", "The keys are made from the query input.", *_PROJ, mha__k_from="query"),
    _mha("mha-arguments-mixed-up", "The values are made from the key input.", *_PROJ, mha__v_from="key"),
    _mha("mha-arguments-mixed-up", "The keys are made from the value input.", *_PROJ, mha__k_from="value"),
    _mha(
        "mha-arguments-mixed-up",
        "The key input is used as values and the value input as keys.",
        *_PROJ,
        mha__k_from="value",
        mha__v_from="key",
    ),
    _mha(
        "mha-arguments-mixed-up",
        "Queries are made from the key input and keys from the query input.",
        *_PROJ,
        mha__q_from="key",
        mha__k_from="query",
    ),
    _mha("mha-arguments-mixed-up", "The queries are made from the key input.", *_PROJ, mha__q_from="key"),
    _mha(
        "mha-adds-residual",
        "The query is added to the output inside attention.",
        "Who adds the residual, attention or the layer?",
        "Look at the last line of your forward.",
        "Attention returns its result alone; the layer around it adds and normalises.",
        mha__residual=True,
    ),
    _mha(
        "mha-adds-residual",
        "The query is added and the sum normalised inside attention.",
        "Who adds the residual and normalises, attention or the layer?",
        "Look at the last line of your forward.",
        "Attention returns its result alone; the layer around it adds and normalises.",
        mha__residual="norm",
    ),
    _mha(
        "mha-mask-repeat-order",
        "The masks are repeated in the wrong order, so that samples get each other's.",
        *_MASK3,
        mha__mask3="repeat",
    ),
    _mha(
        "mha-mask-repeat-order",
        "The masks are repeated in the wrong order, so that samples get each other's.",
        *_MASK3,
        mha__mask3="repeat",
        mha__mask4="as_3",
    ),
    _mha(
        "mha-mask-without-head-axis",
        "A mask for each sample is broadcast over the heads instead of over the samples.",
        *_MASK3,
        mha__mask3="as_is",
    ),
    _mha(
        "mha-mask-always-unsqueezed",
        "Every mask gets an axis for the heads, one that has it already or has no samples too.",
        "Which masks does the hand-out allow, and how many axes has each after your unsqueeze?",
        "Ask for the number of axes of the mask before you unsqueeze it.",
        "Only a mask (batch, n, m) lacks the axis of the heads: the others broadcast as they are.",
        mha__mask_unsqueezed=1,
    ),
    _mha("mha-mask-of-first-sample", "All samples get the first one's mask.", *_MASK3, mha__mask3="first_sample"),
    _mha("mha-mask-of-three-axes-ignored", "A mask for each sample is not used.", *_MASK3, mha__mask3="ignored"),
    _mha(
        "mha-mask-of-first-head",
        "All heads get the first one's mask.",
        "What does axis 1 of a mask of four axes stand for?",
        "Look for [:, 0] or a squeeze where the mask comes in.",
        "A mask (batch, heads, n, m) may be another for each head: it meets the scores as it is.",
        mha__mask4="first_head",
    ),
    *HEADS_CROSSED,
)

HEAD_SIGNS: tuple[Fault, ...] = (
    _mha(
        "mha-view-on-noncontiguous",
        "view() is called on memory that a transpose left out of order.",
        "What does transpose change: the numbers in memory, or how they are walked?",
        "Look at the view() after your transpose.",
        "view() needs contiguous memory: use reshape(), or contiguous() before it.",
    ),
    _mha(
        "mha-linear-created-in-forward",
        "A layer is built inside forward, so it is new and random in every call.",
        "Call the layer twice on one input. Why would it answer differently?",
        "Look for nn.Linear( inside forward.",
        "Layers are made in __init__, so that they are registered, trained and the same in every call.",
    ),
    _mha(
        "mha-indivisible-heads-silent",
        "A number of heads that does not divide d_model is accepted without a word.",
        "What should happen for 30 features and 4 heads?",
        "Check d_model % num_heads in __init__ and raise ValueError.",
        "Otherwise the heads use fewer features than d_model, and nobody notices.",
    ),
    family("feed_forward", "section 3.3")(
        "ffn-linear-created-in-forward",
        "A layer is built inside forward, so it is new and random in every call.",
        "Call the network twice on one input. Why would it answer differently?",
        "Look for nn.Linear( inside forward.",
        "Layers are made in __init__, so that they are registered, trained and the same in every call.",
    ),
    family("dropout", "section 5.4")(
        "dropout-active-in-eval",
        "Something random acts in evaluation mode.",
        "What should dropout do once training is over?",
        "F.dropout needs training=self.training; nn.Dropout follows train() and eval().",
        "In evaluation mode dropout is the identity.",
    ),
    family("multi_head_attention", "section 3.2.2")(
        "gradient-cut",
        "The way of the gradient is cut.",
        "Which of your tensors know how they were made?",
        "Look for detach(), .data, no_grad(), numpy() or a new tensor made from old values.",
        "A tensor taken out of the graph keeps its value and loses its history: what came before it is never trained.",
    ),
    family("multi_head_attention", "section 3.2.2")(
        "weights-not-registered",
        "Weights are kept where torch does not see them.",
        "Which of your tensors will the optimiser be given?",
        "Look for plain lists, dicts and tensors that should be nn.ModuleList or nn.Parameter.",
        "parameters(), state_dict(), to() and train() see registered modules and parameters only.",
    ),
    _sdpa(
        "sdpa-scales-query-in-place",
        "An argument is changed in place.",
        "Compare the argument before and after the call.",
        "An operator such as /= changes the caller's tensor.",
        "Make a new tensor: q = q / root.",
    ),
    *STATE_SIGNS,
)

HALF_PRECISION: Fault = _mha(
    "mha-half-precision-mask-constant",
    "The fill of the mask is none of float16's numbers.",
    "What is the lowest finite float16?",
    "Look at the constant that fills blocked scores.",
    "float16 ends at -65504; -inf, or torch.finfo(scores.dtype).min, works in every precision. No points are lost.",
)
"""A note only: the hand-out asks for float32 and float64."""
