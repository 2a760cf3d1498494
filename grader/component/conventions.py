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
    },
    "attend",
)
MASK_TYPE = Convention(
    "mask_type",
    "the type of a mask's entries",
    {"bool": "booleans", "int": "the whole numbers 0 and 1", "float": "the floating numbers 0.0 and 1.0"},
    "bool",
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
)
BACKEND = Convention(
    "backend",
    "the arrays that are passed",
    {"numpy": "numpy arrays", "torch": "torch tensors"},
    "numpy",
)
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
)
DEVIATION = Convention(
    "deviation",
    "the deviation that the norm divides by",
    {
        "biased": "the deviation that divides by d_model",
        "unbiased": "the deviation that divides by d_model - 1",
    },
    "biased",
)
EPS_PLACE = Convention(
    "eps_place",
    "where eps is added",
    {"inside": "eps under the root", "outside": "eps beside the root"},
    "inside",
)
SCALE = Convention(
    "scale",
    "the scale of the scores",
    {"paper": "the scale 1/√d_k", "none": "no scale"},
    "paper",
    number="the scale {:g}",
)
