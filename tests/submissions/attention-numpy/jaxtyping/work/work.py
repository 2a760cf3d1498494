import numpy as np
from jaxtyping import Float, jaxtyped
from beartype import beartype
from nptyping import NDArray


@beartype
def softmax(x: Float[np.ndarray, 'n m']) -> Float[np.ndarray, 'n m']:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@jaxtyped(typechecker=beartype)
def self_attention(Q: Float[np.ndarray, 'n d'], K: NDArray, V) -> tuple[Float[np.ndarray, 'n d'], NDArray]:
    w = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return w @ V, w
