"""The conventions that several components share: what each is about, its values, and which is the paper's."""

from __future__ import annotations

from grader.component.convention import Convention

FORM = Convention(
    "form",
    "how the component is handed in",
    {"function": "a function", "class": "a class"},
)
MASK = Convention(
    "mask",
    "what a mask means",
    {
        "attend": "masks in which True means may attend",
        "block": "masks in which True means blocked",
        "additive": "masks of numbers that are added to the scores, 0 or hugely negative",
        "either": "masks of either meaning, kept throughout",
        "lengths": "lengths: how many keys may be attended to, counted from the first",
    },
    "attend",
)
MASK_TYPE = Convention(
    "mask_type",
    "the type of a mask's entries",
    {"bool": "booleans", "int": "the whole numbers 0 and 1", "float": "the floating numbers 0.0 and 1.0"},
    "bool",
)
MASK_HIDES = Convention(
    "mask_hides",
    "what hides a key in a mask that is added",
    {"large": "-1e9", "infinite": "-inf"},
    "large",
)
MASK_REQUIRED = Convention(
    "mask_required",
    "whether a mask is passed in every call",
    {False: "a mask that may be left out", True: "a mask in every call, one that blocks nothing where none is needed"},
    default=False,
)
CAUSAL = Convention(
    "causal",
    "whether the causal mask is built in",
    {False: "no mask but the one that is passed", True: "a causal mask that is built in"},
    default=False,
    settings={True: {"sdpa.triangle": "always"}},
)
BACKEND = Convention(
    "backend",
    "the arrays that are passed",
    {"numpy": "numpy arrays", "torch": "torch tensors"},
    "numpy",
)
ACTIVATIONS = {
    "gelu": "GELU",
    "gelu_tanh": "GELU",
    "silu": "SiLU",
    "leaky_relu": "leaky ReLU",
    "elu": "ELU",
    "tanh": "tanh",
    "sigmoid": "sigmoid",
    "softplus": "softplus",
}
"""How the texts call what can stand where the paper has ReLU."""
ACTIVATION = Convention(
    "activation",
    "the function between the two layers",
    {
        "relu": "ReLU",
        "gelu": "GELU, exact (by the error function)",
        "gelu_tanh": "GELU, approximated by tanh",
        "silu": "SiLU (x times its sigmoid)",
        "leaky_relu": "leaky ReLU (slope 0.01)",
        "elu": "ELU",
        "tanh": "tanh",
        "sigmoid": "the sigmoid",
        "softplus": "softplus",
    },
    "relu",
    rare=("leaky_relu", "elu", "tanh", "sigmoid", "softplus"),
    settings={name: {"ffn.activation": name} for name in ACTIVATIONS},
)
DEVIATION = Convention(
    "deviation",
    "the deviation that the norm divides by",
    {
        "biased": "the deviation that divides by d_model",
        "unbiased": "the deviation that divides by d_model - 1",
    },
    "biased",
    settings={"unbiased": {"ln.degrees": 1}},
)
EPS_PLACE = Convention(
    "eps_place",
    "where eps is added",
    {"inside": "eps under the root", "outside": "eps beside the root"},
    "inside",
    settings={"outside": {"ln.eps_at": "root"}},
)
SCALE = Convention(
    "scale",
    "the scale of the scores",
    {"paper": "the scale 1/√d_k", "none": "no scale"},
    "paper",
    number="the scale {:g}",
    rare=("none",),
    rare_number=True,
    settings={"none": {"sdpa.scale": "none"}},
    counted="sdpa.scale",
)


ATTENDS_TO = Convention(
    "attends_to",
    "what is attended to",
    {
        "another": "queries, keys and values that may be three sequences",
        "itself": "one sequence that attends to itself",
    },
    "another",
)
MATRICES = Convention(
    "matrices",
    "the axes of the matrices",
    {
        "in_out": "matrices (in, out), used as x @ W",
        "out_in": "matrices (out, in), used as x @ W.T, as nn.Linear keeps them",
    },
    "in_out",
)


def _any(_value: object) -> str:
    """Read by the part itself, which knows more of it."""
    return ""


MASK_SHAPES = Convention(
    "mask_shapes",
    "the shapes that masks have",
    {},
    reads=_any,
)
NORM = Convention(
    "norm",
    "where the layer normalisation stands",
    {
        "post": "the norm after each residual sum",
        "pre": "the norm before each sublayer",
        "either": "the norm in either place, kept throughout",
    },
    "post",
)
BATCH = Convention(
    "batch",
    "the order of batch and positions",
    {
        "first": "the batch as the first axis",
        "batch_first": "the batch as the first axis",
        "second": "positions first, the batch as the second axis",
        "time_first": "positions first, the batch as the second axis",
        "sequence_first": "positions first, the batch as the second axis",
    },
    "first",
)
CONSTRUCTOR = Convention(
    "constructor",
    "the constructor's arguments",
    {},
    reads=_any,
)
CONFIG = Convention("config", "the fields of the config object that the constructor takes", {}, reads=_any)
CONFIG_CLASS = Convention("config_class", "the class of the config object", {}, reads=_any)
FLOAT64 = Convention(
    "float64",
    "whether modules work in float64, too",
    {True: "modules that work in float64 as in float32", False: "modules of float32 alone"},
    default=True,
)
MOVES = Convention(
    "moves",
    "whether a model runs on another device, too",
    {True: "models that follow to another device whole", False: "models that stay where they are made"},
    default=True,
)
SIZES = Convention("sizes", "the sizes that a class is made with", {}, reads=_any)

GATED = Convention(
    "gated",
    "whether a third map gates the inner layer",
    {False: "two maps, as in equation 2", True: "a gate: the activation's answer times a third map of x (GLU, SwiGLU)"},
    default=False,
)
ROTARY = Convention(
    "rotary",
    "whether queries and keys are turned by their positions inside the attention",
    {
        "none": "queries and keys as they are projected",
        "interleaved": "queries and keys turned by their positions, each feature with its neighbour (RoPE)",
        "halves": "queries and keys turned by their positions, each feature with one of the other half (RoPE)",
    },
    "none",
)
LAYOUT = Convention(
    "layout",
    "the order of sines and cosines",
    {
        "interleaved": "a table in which sines and cosines alternate",
        "halves": "a table with all sines first and all cosines last",
        "tensor2tensor": "the table of tensor2tensor (sines first, cosines last, the last pair at the slowest angle)",
    },
    "interleaved",
)
EXPONENTS = Convention(
    "exponents",
    "the exponents of the angles",
    {
        "paper": "the exponents 2i / d_model",
        "zero": "exponents rounded down to 0, so that all pairs turn at the same speed",
    },
    "paper",
    rare=("zero",),
    settings={"zero": {"pe.exponent": "0"}},
)
FIRST_POSITION = Convention(
    "first_position",
    "the position of row 0",
    {},
    0,
    number="a table whose row 0 is position {:g}",
    rare_number=True,
    counted="pe.start",
)
BASE = Convention(
    "base", "the base of the angles", {}, 10000, number="the base {:g}", rare_number=True, counted="pe.base"
)
TABLE_AXES = Convention(
    "table_axes",
    "the axes of the table",
    {
        "positions": "a table of shape (max_len, d_model)",
        "batch_first": "a table of shape (1, max_len, d_model)",
        "batch_second": "a table of shape (max_len, 1, d_model)",
    },
    "positions",
)

GRADIENT = Convention(
    "gradient",
    "whether tensors that are passed follow their gradient",
    {False: "plain tensors", True: "tensors that require a gradient"},
    default=False,
)
DROPOUT = Convention(
    "dropout_place",
    "where dropout acts in training",
    {
        "sublayer": "dropout as in section 5.4, which leaves the residual path alone",
        "free": "dropout wherever the student puts it",
        "none": "no dropout here, whatever rate the constructor is given",
    },
    "sublayer",
    rare=("free", "none"),
)
AFFINE = Convention(
    "affine",
    "gain and shift of the norm",
    {
        "both": "a gain and a shift",
        "gain": "a gain without a shift",
        "scalar": "one gain and one shift for all features",
        "none": "no gain and no shift",
    },
    "both",
    rare=("none",),
    settings={
        "gain": {"ln.affine": "no shift"},
        "scalar": {"ln.affine": "first gain"},
        "none": {"ln.affine": "none"},
    },
)
CENTRED = Convention(
    "centred",
    "whether the norm takes the mean away",
    {
        True: "a norm that takes the mean away",
        False: "a norm by the root mean square, without taking the mean away",
    },
    default=True,
    rare=(False,),
    meant_by="rms",
    settings={False: {"ln.mean": "kept"}},
)
EPS = Convention("eps", "the eps that is used where none is passed", {}, 1e-5, number="the eps {:g}")
BIASES = Convention(
    "biases",
    "the biases of the two layers",
    {"both": "a bias in both layers", "none": "no biases"},
    "both",
)
SMOOTHING = Convention(
    "smoothing",
    "the words that share eps",
    {
        "all": "eps shared by all V words",
        "others": "eps shared by the V - 1 words that are not the target",
        "others_without_pad": "eps shared by the V - 2 words that are neither the target nor padding",
    },
    "all",
)
SCORES = Convention(
    "scores",
    "what the loss takes",
    {"logits": "logits", "log_probabilities": "log-probabilities"},
    "logits",
)
LOSS = Convention(
    "loss",
    "what is taken of the smoothed target and the prediction",
    {
        "cross_entropy": "the cross-entropy",
        "divergence": "the divergence (KL, as kl_div has it), which is the cross-entropy less the target's own entropy",
    },
    "cross_entropy",
)
PADDED = Convention(
    "padded",
    "whether some targets are padding",
    {True: "targets in which pad_id stands for padding", False: "targets without padding"},
    default=True,
)
REDUCTION = Convention(
    "reduction",
    "what the losses of the tokens become",
    {
        "mean": "the mean over the real tokens",
        "sum": "the sum over the real tokens",
        "batch": "the sum over the real tokens divided by the number of rows",
        "positions": "the sum over the real tokens divided by the number of all positions",
    },
    "mean",
    rare=("positions",),
)
FACTOR = Convention("factor", "the factor of the whole schedule", {}, 1, number="the factor {:g}")
FIRST_STEP = Convention(
    "first_step",
    "the number of the first step",
    {1: "steps that are counted from 1", 0: "steps that are counted from 0"},
    1,
)
EMBEDDING_SCALE = Convention(
    "embedding_scale",
    "the scale of the embeddings",
    {"root": "the scale √d_model", "none": "no scale"},
    "root",
    number="the scale {:g}",
    rare_number=True,
    settings={"none": {"emb.scale": "none"}},
    counted="emb.scale",
)
BIAS_CORRECTION = Convention(
    "bias_correction",
    "the correction of the two means",
    {True: "means that are corrected for their start at zero", False: "means that are not corrected"},
    default=True,
    rare=(False,),
)
ADAM_EPS = Convention(
    "eps_place",
    "where eps is added",
    {"outside": "eps beside the root", "inside": "eps under the root"},
    "outside",
    rare=("inside",),
)
ENDS = Convention(
    "ends",
    "when decoding ends",
    {
        "eos": "decoding that ends with the end token, or where the room is used up",
        "room": "decoding that goes on until the room is used up, whatever the model says",
    },
    "eos",
)
DECODED = Convention(
    "decoded",
    "which tokens are returned",
    {
        "all": "the tokens with the start token and the end token",
        "without_bos": "the tokens without the start token",
        "without_eos": "the tokens without the end token",
        "words": "the tokens without the start token and without the end token",
    },
    "all",
)
PADDING = Convention(
    "pad_id",
    "the id of padding that a model hides by itself where it is given no mask",
    {"none": "no id that is hidden unasked"},
    "none",
    number="id {:g} as padding that the model hides by itself",
)
MASK_AXES = Convention(
    "mask_axes",
    "the axes of the mask that is made",
    {
        2: "a mask of two axes",
        3: "a mask of three axes",
        4: "a mask of four axes",
        "batch_last": "a mask of three axes, the batch as the last",
    },
    2,
)
MASKS_AXES = Convention(
    "mask_axes",
    "the axes of the masks that are made",
    {4: "masks of shape (batch, 1, 1 or n, n)", 3: "masks of shape (batch, 1 or n, n)"},
    4,
)

RETURNS = Convention("returns", "what is returned, in which order", {}, reads=_any)
"""Declared as ``returns`` beside the conventions; here for the words alone."""
