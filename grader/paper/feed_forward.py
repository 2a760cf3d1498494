"""The position-wise feed-forward network (section 3.3, equation 2), and what can stand in the place of its ReLU."""

import math
from collections.abc import Callable, Mapping

import numpy as np

from grader.paper.softmax import softmax
from grader.paper.weights import Array, Roles


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def _gelu_tanh(x: Array, within: float = math.sqrt(2 / math.pi), cubic: float = 0.044715, power: int = 3) -> Array:
    return np.asarray(0.5 * x * (1 + np.tanh(within * (x + cubic * x**power))))


ACTIVATIONS: Mapping[str, Callable[[Array], Array]] = {
    "relu": lambda x: np.maximum(x, 0),
    "none": lambda x: x,
    "gelu": lambda x: x * 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))),
    "gelu_tanh": _gelu_tanh,
    "gelu, no half": lambda x: x * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))),
    "gelu, no root": lambda x: x * 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(x)),
    "gelu_tanh, no half": lambda x: 2 * _gelu_tanh(x),
    "gelu_tanh, no root": lambda x: _gelu_tanh(x, 2 / math.pi),
    "gelu_tanh, square": lambda x: _gelu_tanh(x, power=2),
    "gelu_tanh, 0.44715": lambda x: _gelu_tanh(x, cubic=0.44715),
    "gelu_tanh, 0.0044715": lambda x: _gelu_tanh(x, cubic=0.0044715),
    "gelu_sigmoid": lambda x: x * _sigmoid(1.702 * x),
    "silu": lambda x: x * _sigmoid(x),
    "sigmoid": _sigmoid,
    "tanh": np.tanh,
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "leaky 0.1": lambda x: np.where(x > 0, x, 0.1 * x),
    "leaky 0.2": lambda x: np.where(x > 0, x, 0.2 * x),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "softmax": softmax,
    "softplus": lambda x: np.logaddexp(x, 0),
    "abs": np.abs,
    "square": lambda x: np.maximum(x, 0) ** 2,
    "square of all": np.square,
    "step": lambda x: (x > 0).astype(np.float64),
    "at one": lambda x: np.maximum(x, 1),
    "relu6": lambda x: np.clip(x, 0, 6),
    "up to 1": lambda x: np.clip(x, 0, 1),
    "negative part": lambda x: np.minimum(x, 0),
    "np.max": lambda x: np.max(0, x),  # these two raise, or compare one number
    "max": lambda x: np.asarray(max(0, x)),
}


def _twice(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda x: function(function(x))


def feed_forward(
    x: Array,
    weights: Roles,
    *,
    activation: str = "relu",
    at: str = "hidden",
    biases: str = "both",
    order: str = "1, 2",
    transposed: bool = False,
    product: str = "matmul",
    merged: str = "",
    gated: bool = False,
    gate: str = "multiplied",
    repeated: bool = False,
) -> Array:
    """``max(0, x W_1 + b_1) W_2 + b_2``, the shape of x; ``weights`` has ``w_1`` and ``w_2``, and biases if any.

    ``gated``: what the activation gives is multiplied with ``x W_3 + b_3`` (Shazeer 2020, GLU Variants); ``gate`` says
    what else becomes of the two. ``repeated``: the activation is applied to its own answer once more.
    """
    function = _twice(ACTIVATIONS[activation]) if repeated else ACTIVATIONS[activation]
    times: Callable[[Array, Array], Array] = np.multiply if product == "elementwise" else np.matmul
    if merged:
        x = x.reshape(-1, x.shape[-1]).mean(axis=0) if merged == "everything" else x.mean(axis=-2, keepdims=True)
    first, second = ("1", "2") if order == "1, 2" else ("2", "1")
    hidden = times(function(x) if at.startswith("input") else x, _matrix(weights, first, transposed))
    b_1 = _bias(weights, "2" if biases == "swapped" else "1", biases in {"no first", "none"})
    hidden = function(hidden) if at == "before the bias" else hidden
    hidden = hidden if b_1 is None else hidden + b_1
    inner = hidden
    hidden = function(hidden) if at.endswith("hidden") or at == "both" else hidden
    hidden = hidden + b_1 if biases == "first twice" else hidden
    if gated:
        third = inner if gate == "its own map" else times(x, weights.must("w_3"))
        b_3 = None if gate == "its own map" else weights.get("b_3")
        third = third if b_3 is None else third + b_3
        hidden = _GATES[gate](function, inner, third) if gate in _GATES else hidden * third
    out = times(hidden, _matrix(weights, second, transposed))
    b_2 = _bias(weights, "1" if biases == "swapped" else "2", biases in {"no second", "none"})
    out = function(out) if at == "output before the bias" else out
    out = out if b_2 is None else out + b_2
    return np.asarray(function(out) if at in {"output", "both"} else out)


_GATES: Mapping[str, Callable[[Callable[[Array], Array], Array, Array], Array]] = {
    "added": lambda function, inner, third: function(inner) + third,
    "both activated": lambda function, inner, third: function(inner) * function(third),
    "activated late": lambda function, inner, third: function(inner * third),
}
"""What is made of the activation, the inner layer and the third map where a gate is not what it should be."""


def _matrix(weights: Roles, number: str, transposed: bool) -> Array:
    matrix = weights.must(f"w_{number}")
    return matrix.T if transposed else matrix


def _bias(weights: Roles, number: str, left_out: bool) -> Array | None:
    return None if left_out else weights.get(f"b_{number}")
