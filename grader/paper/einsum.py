"""A product of two arrays by letters, as ``einsum`` has it."""

import numpy as np

from grader.paper.weights import Array

TURNED = ", the other way round"
"""What follows the letters where the second array is passed first."""


def product(said: str, first: Array, second: Array) -> Array:
    """Return ``einsum`` of two arrays as ``said``: ``einsum ij,kj->ik``, with :data:`TURNED` behind it or not."""
    letters = said.removesuffix(TURNED).rpartition(" ")[2]
    pair = (second, first) if said.endswith(TURNED) else (first, second)
    return np.asarray(np.einsum(letters, *pair))
