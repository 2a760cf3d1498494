"""One name for what libraries offer under several."""

from __future__ import annotations

import re
from functools import lru_cache

_ATTENTION = "torch.nn.functional.scaled_dot_product_attention"
_SAME = (
    (r"torch\.(?:\w+\.)*torch\.", "torch."),
    (r"torch\.nn\.(?:\w+\.)*(?:F|functional)\.", "torch.nn.functional."),
    (r"torch\.(?:_VF|_refs|_decomp|masked|sparse)\.(?:decompositions\.)?|torch\.decompositions\.", "torch."),
    (r"torch\.(?:ao\.)?nn\.quant\w+\.(?:\w+\.)*(?=Multihead)", "torch.nn."),
    (r"torch\._C\._VariableFunctions\.|torch\.functional\.|torch\.ops\.aten\.|torch\._C\._TensorBase\.", "torch."),
    (r"torch\._C\._nn\.", "torch.nn.functional."),
    (r"torch\.nn\.modules\.(?:[a-z_]+\.)?(?=[A-Z])", "torch.nn."),
    (r"torch\.(?:special\.|_safe_|_masked_|_)softmax\b", "torch.softmax"),
    (r"torch\.(?:_?scaled_dot_product_\w*attention|_triton_scaled_dot_attention)\w*\b", _ATTENTION),
    (
        r"torch\.(?:_(?:flash|efficient)_attention_forward\w*|nn\.attention\.flex_attention\.flex_attention)\b",
        _ATTENTION,
    ),
    (r"torch\._(?:native|triton)_multi_head_attention\b", "torch.nn.functional.multi_head_attention_forward"),
    (r"torch\._transformer_encoder_layer_fwd\b", "torch.nn.TransformerEncoderLayer"),
    (r"numpy\.(?:core|_core)\.(?:[a-z_]+\.)?", "numpy."),
    (r"scipy\.special\._logsumexp\.", "scipy.special."),
    (r"torch\.Tensor\.__getattribute__\.", "torch.Tensor."),
)


@lru_cache(maxsize=2048)  # the same few names stand in every line
def canonical(dotted: str) -> str:
    """Return the public name of what libraries also offer under private ones."""
    for private, public in _SAME:
        dotted = re.sub(rf"^(?:{private})", public, dotted)
    return dotted
