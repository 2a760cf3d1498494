"""Scaled dot-product attention as a function: the paper's with settings, and what only a function can do."""

from typing import Any

import numpy as np

from grader.paper.attention import Steps, attention, factor_of
from grader.properties import Array


def workshop(
    Q: Any,
    K: Any,
    V: Any,
    mask: Any = None,
    *,
    scale: Any = "sqrt_dk",
    mask_time: str = "before",
    returns: str = "output, weights",
    second: str = "weights",
    in_place: str = "",
    result: str = "float",
    decimals: int = -1,
    rounded: str = "weights",
    plus: str = "",
    ranks: str = "any",
    **settings: Any,
) -> Any:
    """The paper's attention with settings: what is returned, what is rounded, what is written into the arguments."""
    kind, store = np.asarray(Q).dtype, V
    if (ranks == "matrix" and np.ndim(Q) != 2) or (ranks == "batch" and np.ndim(Q) != 3):
        raise ValueError("wrong number of values to unpack")
    if mask_time == "refused" and mask is not None:
        raise TypeError("got an unexpected keyword argument 'mask'")
    if in_place:
        scale = _write(in_place, Q, K, V, mask, scale)
    Q, K, V = (_floating(array) for array in (Q, K, V))
    settings |= {"scale": scale, "mask_time": mask_time, "decimals": decimals if rounded == "weights" else -1}
    steps = attention(Q, K, V, mask, **settings)
    output = steps.output + {"": 0, "query": Q, "values": V}[plus]
    free = attention(Q, K, V, **settings) if second == "unmasked weights" else steps
    shown = _shown(steps._replace(weights=free.weights), second)
    if result.startswith("input"):
        output = output.astype(kind)
        shown = shown.astype(kind) if result == "input" and "weights" in second else shown
    shown = _rounded(shown, decimals, rounded in {"shown", "both"})
    output = _rounded(output, decimals, rounded in {"output", "both"})
    output = _stored(output, store) if in_place == "V" else output
    return {
        "output, weights": (output, shown),
        "weights, output": (shown, output),
        "output": output,
        "weights": shown,
        "three": (output, shown, steps.masked),
    }[returns]


def _shown(steps: Steps, second: str) -> Array:
    """What is returned beside the output."""
    if second == "transposed weights":
        return steps.weights.swapaxes(-1, -2) if steps.weights.ndim > 1 else steps.weights
    if second == "shifted scores":
        return np.asarray(steps.masked - steps.masked.max(axis=-1, keepdims=True))
    step = {"scores": "masked", "unmasked scores": "scores", "products": "products", "output": "output"}
    return np.asarray(getattr(steps, step.get(second, "weights")))


def _write(what: str, Q: Any, K: Any, V: Any, mask: Any, scale: Any) -> Any:
    """Write into the caller's array as the slip does; return the scale that is still to be applied."""
    if what == "mask":
        if mask is not None:
            np.logical_not(mask, out=mask)  # and from here on the inverted mask says what to block
        return scale
    if what == "V":  # that comes at the end
        return scale
    name, _, when = what.partition(" ")
    argument = {"Q": Q, "K": K}[name]
    if not when or argument.dtype.kind == "f":
        argument *= factor_of(scale, Q, K, V, 0)
        return "none"
    return scale


def _stored(output: Array, store: Any) -> Any:
    store[...] = output
    return store


def _rounded(array: Array, decimals: int, here: bool) -> Array:
    return np.asarray(np.round(array, decimals)) if here and decimals >= 0 else array


def _floating(array: Any) -> Array:
    found = np.asarray(array)
    return found if found.dtype.kind == "f" else found.astype(np.float64)
