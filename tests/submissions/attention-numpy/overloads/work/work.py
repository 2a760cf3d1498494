from __future__ import annotations
from typing import overload, Any, Tuple, TYPE_CHECKING
import numpy as np
import numpy.typing as npt
if TYPE_CHECKING:
    from nowhere import Thing


@overload
def softmax(x: float) -> float: ...
@overload
def softmax(x: npt.NDArray[Any]) -> npt.NDArray[Any]: ...
def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(Q: "np.ndarray", K: 'Thing', V: "Undefined") -> "Tuple[np.ndarray, np.ndarray]":
    w = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return w @ V, w
