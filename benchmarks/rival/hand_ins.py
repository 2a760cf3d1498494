"""Made-up classes: every hand-in has a syntax tree of its own, and every second one is faulty."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np

RIGHT = Path(__file__).resolve().parents[2] / "tests/submissions/transformer-from-scratch/correct"

SOFTMAXES = (
    """
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)
""",
    """
    x = np.asarray(x, dtype=float)
    top = x.max(axis=-1, keepdims=True)
    e = np.exp(x - top)
    total = e.sum(axis=-1, keepdims=True)
    return e / total
""",
    """
    moved = np.subtract(x, np.amax(x, -1, keepdims=True))
    return np.exp(moved) / np.exp(moved).sum(-1, keepdims=True)
""",
)
ATTENTIONS = (
    """
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return weights @ V, weights
""",
    """
    d_k = Q.shape[1]
    scores = np.dot(Q, K.T)
    scores = scores / np.sqrt(d_k)
    weights = softmax(scores)
    output = np.dot(weights, V)
    return output, weights
""",
    """
    n = Q.shape[0]
    weights = np.zeros((n, K.shape[0]))
    for i in range(n):
        weights[i] = softmax(K @ Q[i] / Q.shape[-1] ** 0.5)
    return np.matmul(weights, V), weights
""",
)
FAULTS = (
    (" / np.sqrt(Q.shape[-1])", ""),
    ("np.sqrt(Q.shape[-1])", "Q.shape[-1]"),
    ("np.sqrt(d_k)", "d_k"),
    (" / Q.shape[-1] ** 0.5", ""),
    ("axis=-1, keepdims=True))", "axis=0, keepdims=True))"),
    ("np.sum(e, axis=-1, keepdims=True)", "np.sum(e)"),
    ("np.exp(x - np.max(x, axis=-1, keepdims=True))", "np.exp(x)"),
    ("return weights @ V, weights", "return weights @ V"),
    ("return output, weights", "return weights, output"),
    ("Q @ K.T", "K @ Q.T"),
    ("np.dot(weights, V)", "np.dot(scores, V)"),
    ("weights @ V, weights", "weights.T @ V, weights"),
    ("np.exp(x - top)", "np.exp(top - x)"),
    ("return e / total", "return e"),
    ("def self_attention", "def selfattention"),
    ("np.dot(Q, K.T)", "np.dot(Q, K)"),
    ("return", "return None and"),
    ("softmax(scores)", "softmaxx(scores)"),
    ("(moved)", "(-moved)"),
    ("weights[i] =", "weights[0] ="),
)
LOOP = """import numpy as np


def softmax(x):
    while True:
        pass


def self_attention(Q, K, V):
    return softmax(Q)
"""


def own_tree(number: int) -> str:
    """A function that no other submission has: a tree of its own."""
    terms = " ".join(f"+ {(number >> bit) & 1} * n" if (number >> bit) & 1 else f"- n ** {bit}" for bit in range(14))
    return f"\n\ndef own(n):\n    return 0 {terms}\n"


def numpy_class(folder: Path, count: int, rng: np.random.Generator, loops: float = 0.0) -> Path:
    """Write ``count`` submissions of attention-numpy; every second one is faulty, ``loops`` of them never end."""
    folder.mkdir()
    for number in range(count):
        code = f"import numpy as np\n\n\ndef softmax(x):{SOFTMAXES[rng.integers(3)]}\n\n"
        code += f"def self_attention(Q, K, V):{ATTENTIONS[rng.integers(3)]}"
        if number % 2:
            fitting = [pair for pair in FAULTS if pair[0] in code]
            for at in rng.choice(len(fitting), size=1 + number % 3 // 2, replace=False):
                code = code.replace(*fitting[at])
        if rng.random() < loops:
            code = LOOP
        (folder / f"s{number:05}.py").write_text(code + own_tree(number))
    return folder


TORCH_FAULTS = (
    ("math.sqrt(", "("),
    ("** -0.5", "** -1"),
    ("**-0.5", "**-1"),
    ("dim=-1", "dim=-2"),
    ("masked_fill(~mask", "masked_fill(mask"),
    ('float("-inf")', "0.0"),
    (".clamp_min(0)", ""),
    ("F.relu(", "F.gelu("),
    ("nn.ReLU()", "nn.Tanh()"),
    ("+ self.eps", ""),
    (" - mean", ""),
    ("return", "return None and"),
    ("def forward", "def forwards"),
    (".transpose(1, 2)", ""),
)


def torch_class(folder: Path, count: int) -> Path:
    """Write ``count`` submissions of three parts of transformer-from-scratch, from the right ones of the tests.

    Each has multi-head attention, the feed-forward network and layer normalisation, in one of many combined styles.
    """
    folder.mkdir()
    parts = [sorted(RIGHT.glob(f"{part}_*.py")) for part in ("mha", "ffn", "ln")]
    styles = list(product(*parts))
    for number in range(count):
        chosen = styles[number * 37 % len(styles)]
        code = "\n\n".join(path.read_text() for path in chosen)
        fitting = [pair for pair in TORCH_FAULTS if pair[0] in code]
        if number % 2 and fitting:
            code = code.replace(*fitting[number // 2 % len(fitting)], 1)
        (folder / f"s{number:05}.py").write_text(code + own_tree(number))
    return folder
