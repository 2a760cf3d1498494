"""Known mistakes in the feed-forward network, the norm, add-and-norm, embeddings and dropout."""

from __future__ import annotations

from grader.blocks.faults import Fault, family
from grader.blocks.known_states import DROPOUT_PLACES

_ffn = family("feed_forward", "section 3.3, equation 2")
_ln = family("layer_norm", "section 3.1 and Ba et al. 2016, equation 4")
_emb = family("token_embedding", "section 3.4")
_drop = family("dropout", "section 5.4")

_ACT = (
    "Could your two matrices be multiplied into one without changing the function?",
    "Look at what happens between the two linear maps.",
    "Equation 2 is max(0, x W_1 + b_1) W_2 + b_2: one ReLU, between the two maps.",
)


def _activation(name: str, words: str) -> Fault:
    return _ffn(
        "ffn-wrong-activation",
        f"{words} stands where the paper has a ReLU.",
        "Which function does max(0, ·) stand for?",
        _ACT[1],
        _ACT[2],
        ffn__activation=name,
    )


FEED_FORWARD: tuple[Fault, ...] = (
    _ffn(
        "ffn-missing-activation", "There is no activation between the two linear maps.", *_ACT, ffn__activation="none"
    ),
    _ffn(
        "ffn-activation-after-second-linear",
        "The ReLU follows the second linear map instead of the first.",
        "Can your block ever lower a feature of the residual stream?",
        _ACT[1],
        _ACT[2],
        ffn__activation="after",
    ),
    _ffn(
        "ffn-activation-twice",
        "A second ReLU follows the second linear map.",
        "Can your block ever lower a feature of the residual stream?",
        _ACT[1],
        _ACT[2],
        ffn__activation="both",
    ),
    _ffn(
        "ffn-positions-merged",
        "All positions are merged before the layers.",
        "How many positions go in, and how many come out?",
        "Look for a mean, a sum or a reshape.",
        "The same network is applied to each position by itself.",
        ffn__merged=True,
    ),
    _ffn("ffn-activation-on-input", "A ReLU is applied to the input of the block.", *_ACT, ffn__before=True),
    _ffn(
        "ffn-activation-on-input",
        "The ReLU is applied to the input instead of between the two maps.",
        *_ACT,
        ffn__before=True,
        ffn__activation="none",
    ),
    _activation("gelu", "A GELU"),
    _activation("gelu_tanh", "A GELU"),
    _activation("silu", "A SiLU"),
    _activation("sigmoid", "A sigmoid"),
    _activation("tanh", "A tanh"),
    *(_activation(name, "A leaky ReLU") for name in ("leaky", "leaky_1", "leaky_2")),
    _activation("elu", "An ELU"),
    _activation("softmax", "A softmax"),
    _activation("softplus", "A softplus"),
    _activation("abs", "An absolute value"),
    _activation("square", "A squared ReLU"),
    _activation("relu6", "A ReLU6"),
    _activation("clip_1", "A clamp to [0, 1]"),
    _activation("negative", "min(0, ·)"),
    _ffn(
        "ffn-adds-residual",
        "The input is added inside the block.",
        "Who adds the residual, the network or the layer?",
        "Look at the last line of your forward.",
        "The block returns its result alone; the layer around it adds and normalises.",
        ffn__residual=True,
    ),
    _ffn(
        "ffn-adds-residual",
        "The input is added and the sum normalised inside the block.",
        "Who adds the residual and normalises, the network or the layer?",
        "Look at the last line of your forward.",
        "The block returns its result alone; the layer around it adds and normalises.",
        ffn__residual="norm",
    ),
)

_EPS = (
    "What is eps there to prevent, and where does it have to stand for that?",
    "Try a row whose entries hardly differ.",
    "The variance gets eps before the root is taken: sqrt(variance + eps).",
)
_STAT = (
    "Normalise one position alone and then inside a batch. Same answer?",
    "Look at the axes of your mean and variance.",
    "Layer normalisation takes mean and variance over the features of one position.",
)
_SPREAD = (
    "What should the variance of a normalised row be?",
    "Compare your denominator with sqrt(variance + eps).",
    "The row is divided by the root of its mean squared deviation, which divides by d_model and not by d_model - 1.",
)
_AFFINE = (
    "What can this layer learn?",
    "Look for the gain and the shift: where are they made, and in what order used?",
    "After the normalisation each feature has a learned factor (from 1) and a learned offset (from 0).",
)

NORM: tuple[Fault, ...] = (
    _ln(
        "ln-eps-outside-sqrt",
        "eps is added to the standard deviation instead of the variance.",
        *_EPS,
        ln__divide="outside",
    ),
    _ln("ln-eps-missing", "eps is not used.", *_EPS, ln__divide="no_eps"),
    _ln("ln-eps-squared", "eps is squared before it is added to the variance.", *_EPS, ln__divide="eps_squared"),
    _ln("ln-eps-outside-sqrt", "The root of eps is added to the standard deviation.", *_EPS, ln__divide="root_eps"),
    _ln("ln-spread-wrong", "The root of the standard deviation is taken.", *_SPREAD, ln__divide="fourth"),
    _ln(
        "ln-divides-by-variance",
        "The row is divided by its variance instead of the standard deviation.",
        *_SPREAD,
        ln__divide="variance",
    ),
    _ln(
        "ln-spread-wrong", "The row is centred and not divided by its standard deviation.", *_SPREAD, ln__divide="none"
    ),
    _ln(
        "ln-spread-wrong",
        "The row is multiplied by its standard deviation instead of divided.",
        *_SPREAD,
        ln__multiplied=True,
    ),
    _ln("ln-spread-wrong", "The row is divided by its mean absolute deviation.", *_SPREAD, ln__divide="mean_abs"),
    _ln(
        "ln-spread-wrong",
        "The row is divided by its Euclidean length instead of the standard deviation.",
        *_SPREAD,
        ln__divide="norm",
    ),
    _ln(
        "ln-spread-wrong",
        "Only the mean is divided: brackets around x - mean are missing.",
        *_SPREAD,
        ln__divide="precedence",
    ),
    _ln(
        "ln-unbiased-variance",
        "The variance divides by d_model - 1 (torch's default) instead of d_model.",
        *_SPREAD,
        ln__unbiased=True,
    ),
    _ln(
        "ln-unbiased-variance",
        "The standard deviation divides by d_model - 1, and eps is added to it.",
        *_SPREAD,
        ln__unbiased=True,
        ln__divide="outside",
    ),
    _ln(
        "ln-unbiased-variance",
        "The variance divides by d_model - 1 and eps is not used.",
        *_SPREAD,
        ln__unbiased=True,
        ln__divide="no_eps",
    ),
    _ln("ln-mean-not-subtracted", "The mean is not subtracted.", *_SPREAD, ln__no_centre=True),
    _ln(
        "ln-over-all-but-batch",
        "Mean and variance are taken over positions and features together.",
        *_STAT,
        ln__axes="but_batch",
    ),
    _ln(
        "ln-batch-statistics",
        "Each feature is normalised over batch and positions, as batch normalisation does.",
        *_STAT,
        ln__axes="rows",
    ),
    *(
        _ln(
            "ln-by-groups",
            f"The features are normalised in {groups} groups, each by itself.",
            *_STAT,
            ln__groups=groups,
        )
        for groups in (2, 3, 5, 6, 10, 15)
    ),
    _ln("ln-over-positions", "Mean and variance are taken over the positions.", *_STAT, ln__axes="sequence"),
    _ln("ln-over-everything", "Mean and variance are taken over the whole tensor.", *_STAT, ln__axes="all"),
    _ln("ln-batch-statistics", "Each feature is normalised over the batch.", *_STAT, ln__axes="batch"),
    _ln(
        "ln-batch-statistics",
        "Stored statistics of each feature stand in for those of the row, as in batch normalisation.",
        *_STAT,
        ln__divide="unit",
        ln__no_centre=True,
    ),
    _ln(
        "ln-not-normalised",
        "Gain and shift are applied to x as it is.",
        *_STAT,
        ln__divide="none",
        ln__no_centre=True,
    ),
    *(
        _ln("ln-eps-hardcoded", "The eps given to the constructor is not used.", *_EPS, ln__eps_value=eps)
        for eps in (1e-5, 1e-6, 1e-8, 1e-12, 1e-3)
    ),
    _ln("ln-missing-affine", "There is no learned gain and shift.", *_AFFINE, ln__affine="none"),
    _ln("ln-missing-shift", "There is no learned shift.", *_AFFINE, ln__affine="gain"),
    _ln("ln-missing-gain", "There is no learned gain.", *_AFFINE, ln__affine="shift"),
    _ln("ln-affine-misplaced", "The shift is added before the gain multiplies.", *_AFFINE, ln__affine="shift_first"),
    _ln("ln-gain-plus-one", "One is added to the gain.", *_AFFINE, ln__affine="one_plus"),
    _ln("ln-shift-subtracted", "The shift is subtracted.", *_AFFINE, ln__affine="minus"),
)

_FACTOR = (
    "How large are the entries of a token's vector, and how large should they be beside a sine?",
    "Look for the factor of section 3.4.",
    "Section 3.4 multiplies the embedding by sqrt(d_model), so that positions of size 1 do not drown it.",
)


def embedding(id_missing: str) -> tuple[Fault, ...]:
    """Mistakes of the factor; the missing one goes by the id of the component at hand."""
    return (
        _emb(id_missing, "The embedding is not multiplied by sqrt(d_model).", *_FACTOR, emb__scale="none"),
        _emb(
            "embedding-scale-inverted",
            "The embedding is divided by sqrt(d_model) instead of multiplied.",
            *_FACTOR,
            emb__scale="divided",
        ),
        _emb(
            "embedding-scale-wrong",
            "The embedding is multiplied by d_model, without the root.",
            *_FACTOR,
            emb__scale="d_model",
        ),
        _emb(
            "embedding-scale-from-wrong-axis",
            "The embedding is multiplied by the root of the vocabulary's size.",
            *_FACTOR,
            emb__scale="vocab",
        ),
        _emb(
            "embedding-scale-truncated",
            "The embedding is multiplied by the root of d_model cut to a whole number.",
            *_FACTOR,
            emb__scale="whole",
        ),
        _emb("embedding-scale-inverted", "The embedding is divided by d_model.", *_FACTOR, emb__scale="inverse"),
        _emb(
            "embedding-scale-wrong",
            "The embedding is multiplied by the fourth root of d_model.",
            *_FACTOR,
            emb__scale="fourth",
        ),
        _emb(
            "embedding-scale-from-wrong-axis",
            "The embedding is multiplied by the root of the sequence's length.",
            *_FACTOR,
            emb__scale="length",
        ),
    )


DROPOUT_SIGNS: tuple[Fault, ...] = (
    _drop(
        "dropout-never-applied",
        "The rate is taken and never used.",
        "What does your module do with its dropout argument?",
        "Look for nn.Dropout in __init__ and its call in forward.",
        "Section 5.4 drops the output of each sublayer before it is added.",
    ),
    _drop(
        "dropout-active-in-eval",
        "Something random acts in evaluation mode.",
        "What should dropout do once training is over?",
        "F.dropout needs training=self.training; nn.Dropout follows train() and eval().",
        "In evaluation mode dropout is the identity.",
    ),
    _drop(
        "dropout-no-rescaling",
        "Survivors are not scaled up by 1 / (1 - p).",
        "What is the mean of an entry before and after dropout?",
        "Compare the average over many draws with the value in evaluation mode.",
        "Scaling by 1 / (1 - p) keeps the expected value.",
    ),
    *DROPOUT_PLACES,
)
