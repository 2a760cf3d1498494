"""Softmax and attention as students get them wrong, each with its slip."""

from __future__ import annotations

from numpy_samples import SOFTMAX

# (component, what is wrong, ids named: none where honesty is to say nothing, code)
ATTENTION: tuple[tuple[str, str, str, str], ...] = (
    (
        "softmax",
        "no axis and no shift",
        "softmax-over-everything + softmax-no-max-shift",
        """
import numpy as np
def softmax(x, axis=-1):
    return np.exp(x) / np.sum(np.exp(x))
""",
    ),
    (
        "softmax",
        "no shift + hard axis1",
        "softmax-hardcoded-axis1 + softmax-no-max-shift",
        """
import numpy as np
def softmax(x, axis=-1):
    return np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
""",
    ),
    (
        "softmax",
        "writes into zeros_like",
        "softmax-integer-output",
        """
import numpy as np
def softmax(x, axis=-1):
    out = np.zeros_like(x)
    np.exp(x - x.max(axis=axis, keepdims=True), out=out)
    return out / out.sum(axis=axis, keepdims=True)
""",
    ),
    (
        "softmax",
        "loop rows",
        "softmax-over-everything",
        """
import numpy as np
def softmax(x, axis=-1):
    res = np.zeros(x.shape)
    for i in range(x.shape[0]):
        e = np.exp(x[i] - np.max(x[i]))
        res[i] = e / np.sum(e)
    return res
""",
    ),
    (
        "softmax",
        "loop rows 2d only",
        "softmax-matrices-only",
        """
import numpy as np
def softmax(x, axis=-1):
    n, m = x.shape
    res = np.zeros((n, m))
    for i in range(n):
        e = np.exp(x[i] - np.max(x[i]))
        res[i] = e / np.sum(e)
    return res
""",
    ),
    (
        "softmax",
        "returns None",
        "",
        """
def softmax(x, axis=-1):
    pass
""",
    ),
    (
        "softmax",
        "eps 1e-2 in the denominators",
        "softmax-constant-in-divisor",
        """
import numpy as np
def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True)); return e / (e.sum(axis=axis, keepdims=True) + 1e-2)
""",
    ),
    (
        "scaled_dot_product_attention",
        "noscale+after",
        "sdpa-no-scale + sdpa-mask-after-softmax",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    w = softmax(Q @ K.swapaxes(-1, -2))
    if mask is not None: w = w * mask
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "d_k from K.shape[0]",
        "sdpa-scale-by-length",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    w = Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[0])
    if mask is not None: w = np.where(mask, w, -1e9)
    w = softmax(w)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "template with np.dot and mask",
        "sdpa-keyt-reverses-all-axes",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.shape[1]
    scores = np.dot(Q, K.T) / np.sqrt(d_k)
    if mask is not None: scores = np.where(mask, scores, -1e9)
    w = softmax(scores)
    return np.dot(w, V), w
""",
    ),
    (
        "scaled_dot_product_attention",
        "fill -50 and inverted",
        "sdpa-mask-polarity-inverted + sdpa-fill-not-low-enough",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None: scores[mask] = -50
    w = softmax(scores)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "divides by 8",
        "sdpa-scale-constant",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2)
    if mask is not None: scores = np.where(mask, scores, -1e9)
    w = softmax(scores / 8.0)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "query axis + noscale",
        "sdpa-no-scale + sdpa-softmax-over-query-axis",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2)
    if mask is not None: scores = np.where(mask, scores, -1e9)
    w = softmax(scores, axis=-2)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "weights rounded",
        "sdpa-rounds",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None: scores = np.where(mask, scores, -1e9)
    w = np.round(softmax(scores), 3)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "adds the mean of V",
        "",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None: scores = np.where(mask, scores, -1e9)
    w = softmax(scores)
    return w @ V + V.mean(axis=-2, keepdims=True), w
""",
    ),
    (
        "scaled_dot_product_attention",
        "mask zero where",
        "sdpa-fill-zero",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None: scores = np.where(mask, scores, 0)
    w = softmax(scores)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "divides Q by d_k in place",
        "sdpa-scale-by-dk + sdpa-scales-query-in-place",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    Q /= Q.shape[-1]
    scores = Q @ K.swapaxes(-1, -2)
    if mask is not None: scores = np.where(mask, scores, -1e9)
    w = softmax(scores)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "no max shift + fill",
        "sdpa-softmax-no-max-shift",
        """
import numpy as np
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None: scores = np.where(mask, scores, -np.inf)
    w = np.exp(scores); w = w / w.sum(-1, keepdims=True)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "mask added -1e9 inverted",
        "sdpa-mask-polarity-inverted",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None: scores = scores + mask * -1e9
    w = softmax(scores)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "adds 1e-9 where blocked",
        "sdpa-fill-tiny-positive",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None: scores = scores + (1 - mask) * 1e-9
    w = softmax(scores)
    return w @ V, w
""",
    ),
)
