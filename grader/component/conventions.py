"""The conventions that several components share: what each is about, its values, and which is the paper's."""

from __future__ import annotations

from collections.abc import Mapping

from grader.component.convention import Convention, Knobs, any_value

FORM = Convention("form", "how the component is handed in", {"function": "a function", "class": "a class"})
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
MEANINGS: Mapping[str, Knobs] = {"attend": {}, "block": {}, "additive": {}}
"""What a mask can mean to a function; adapt.py turns it round."""
MASK_TYPE = Convention(
    "mask_type",
    "the type of a mask's entries",
    {"bool": "booleans", "int": "the whole numbers 0 and 1", "float": "the floating numbers 0.0 and 1.0"},
    "bool",
)
MASK_HIDES = Convention(
    "mask_hides", "what hides a key in a mask that is added", {"large": "-1e9", "infinite": "-inf"}, "large"
)
MASK_REQUIRED = Convention(
    "mask_required",
    "whether a mask is passed in every call",
    {False: "a mask that may be left out", True: "a mask in every call, one that blocks nothing where none is needed"},
    default=False,
)
MASK_HEADS = Convention(
    "mask_heads",
    "whether the mask that is passed has an axis for the heads",
    {
        True: "masks that broadcast to the scores",
        False: "masks without an axis for the heads: with four axes of queries, (batch, 1 or n, m)",
    },
    default=True,
)
CAUSAL = Convention(
    "causal",
    "whether the causal mask is built in",
    {False: "no causal mask of its own", True: "a causal mask that is built in"},
    default=False,
    settings={True: {"sdpa.triangle": "always"}},
)
BACKEND = Convention(
    "backend", "the arrays that are passed", {"numpy": "numpy arrays", "torch": "torch tensors"}, "numpy"
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
    {"biased": "the deviation that divides by d_model", "unbiased": "the deviation that divides by d_model - 1"},
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
CONFIG = Convention("config", "the fields of the config object that the constructor takes", {}, reads=any_value)
SIZES = Convention("sizes", "the sizes that a class is made with", {}, reads=any_value)

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
    settings={"gain": {"ln.affine": "no shift"}, "scalar": {"ln.affine": "first gain"}, "none": {"ln.affine": "none"}},
)
CENTRED = Convention(
    "centred",
    "whether the norm takes the mean away",
    {True: "a norm that takes the mean away", False: "a norm by the root mean square, without taking the mean away"},
    default=True,
    rare=(False,),
    meant_by="rms",
    settings={False: {"ln.mean": "kept"}},
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
MASK_AXES = Convention(
    "mask_axes",
    "the axes of the mask that is made",
    {
        2: "a mask of two axes",
        3: "a mask of three axes",
        4: "a mask of four axes",
        "batch_last": "a mask of three axes, the batch as the last",
        "queries": "a mask of three axes with a row for each query, all alike",
    },
    2,
)

RETURNS = Convention("returns", "what is returned, in which order", {}, reads=any_value)
"""Declared as ``returns`` beside the conventions; here for the words alone."""
