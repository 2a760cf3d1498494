"""One name for what libraries offer under several."""

from __future__ import annotations

import re

_SAME = (
    (r"torch\._C\._VariableFunctions\.|torch\.functional\.|torch\.ops\.aten\.|torch\._C\._TensorBase\.", "torch."),
    (r"torch\._C\._nn\.", "torch.nn.functional."),
    (r"torch\.nn\.modules\.(?:[a-z_]+\.)?(?=[A-Z])", "torch.nn."),
    (r"numpy\.(?:core|_core)\.(?:[a-z_]+\.)?", "numpy."),
    (r"scipy\.special\._logsumexp\.", "scipy.special."),
    (r"torch\.Tensor\.__getattribute__\.", "torch.Tensor."),
)


def canonical(dotted: str) -> str:
    """Return the public name of what libraries also offer under private ones."""
    for private, public in _SAME:
        dotted = re.sub(rf"^(?:{private})", public, dotted)
    return dotted
