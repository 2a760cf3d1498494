"""What failing checks hand over to be drawn, from code with a slip."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from inprocess import judged

from grader import components
from grader.model.assignment import Interface
from grader.model.outcome import Beams, Curve, Grid, Picture, Shapes

SOFTMAX = """import numpy as np
def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
"""
ATTENTION = (
    SOFTMAX
    + """
def attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -2.0)
    weights = softmax(scores)
    return weights @ V, weights
"""
)
HEADS = (
    SOFTMAX
    + """
def heads(query, key, value, W_q, W_k, W_v, W_o, num_heads, mask=None):
    d_k = query.shape[-1] // num_heads
    q, k, v = (x @ w for x, w in ((query, W_q), (key, W_k), (value, W_v)))
    q, k, v = (x.reshape(*x.shape[:-1], num_heads, d_k) for x in (q, k, v))
    read = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(d_k)) @ v
    return read.reshape(*query.shape) @ W_o
"""
)
GREEDY = """import numpy as np
def beam(step_fn, bos, eos, max_len, beam_size):
    found = [bos]
    while len(found) < max_len and found[-1] != eos:
        found.append(int(np.argmax(step_fn(found))))
    return found
"""


def drawn(name: str, code: str, function: str, **fields: Any) -> list[Picture]:
    """The pictures of the checks that fail, in the order of the checks."""
    found = judged(components.component(name, "function"), Interface(name, function, **fields), code)
    return [o.counterexample.picture for o in found if o.counterexample and o.counterexample.picture]


def test_weight_on_blocked_keys_is_in_the_picture_with_the_mask() -> None:
    pictures = drawn("scaled_dot_product_attention", ATTENTION, "attention", returns=("output", "weights"))
    leaky = [p for p in pictures if isinstance(p, Grid) and p.blocked]
    assert leaky
    for picture in leaky:
        assert picture.kind == "weights"
        assert any((picture.got[i][j] or 0) > 1e-6 for i, j in picture.blocked)
        assert all(not picture.expected[i][j] for i, j in picture.blocked)


@pytest.mark.parametrize(("meaning", "code"), [
    ("attend", "import numpy as np\ndef mask(n):\n    return np.tril(np.ones((n, n), bool), 1)"),
    ("block", "import numpy as np\ndef mask(n):\n    return np.triu(np.ones((n, n), bool), 2)"),
])  # fmt: skip
def test_a_mask_is_drawn_as_what_may_look_whatever_true_means(meaning: str, code: str) -> None:
    conventions = {"mask": meaning, "returns_mask": True}
    picture = drawn("causal_mask", code, "mask", conventions=conventions)[0]
    assert isinstance(picture, Grid)
    n = len(picture.got)
    assert picture.expected == tuple(map(tuple, np.tri(n).tolist()))
    assert picture.got == tuple(map(tuple, np.tri(n, k=1).tolist()))


def test_a_table_of_positions_is_drawn_from_its_corner() -> None:
    code = """import numpy as np
def table(max_len, d_model):
    angle = np.arange(max_len)[:, None] / 10000 ** (np.arange(d_model) / d_model)
    return np.where(np.arange(d_model) % 2 == 0, np.sin(angle), np.cos(angle))
"""
    picture = drawn("positional_encoding", code, "table")[0]
    assert isinstance(picture, Grid)
    assert (picture.kind, picture.first) == ("table", (0, 0))
    assert picture.got[0] == picture.expected[0]


def test_the_learning_rate_is_drawn_over_the_steps_with_the_named_mistake() -> None:
    code = "def rate(step, d_model, warmup):\n    return d_model**-0.5 * min(step**-0.5, step * warmup**-0.5)\n"
    picture = drawn("noam_lr", code, "rate")[0]
    assert isinstance(picture, Curve)
    assert list(picture.places) == sorted(picture.places)
    top = max(value for value in picture.expected if value)
    assert f"warmup = {picture.places[picture.expected.index(top)]:g}" in picture.why
    asked = [(x, y) for x, y in zip(picture.places, picture.got, strict=True) if y is not None]
    assert len(asked) > 1


def test_a_search_is_drawn_with_the_sentence_that_came_back() -> None:
    pictures = [p for p in drawn("beam_search", GREEDY, "beam") if isinstance(p, Beams)]
    assert pictures
    for picture in pictures:
        tokens = {branch.tokens for branch in picture.branches}
        assert {picture.expected, picture.got} <= tokens
        assert {tokens[:-1] for tokens in tokens if len(tokens) > 1} <= tokens


def test_heads_that_were_not_moved_show_in_the_shapes() -> None:
    pictures = [
        p for p in drawn("multi_head_attention", HEADS, "heads", domain={"masks": False}) if isinstance(p, Shapes)
    ]
    assert pictures
    wrong = [stage.name for stage in pictures[0].stages if stage.got not in {"", stage.expected}]
    assert wrong[0] == "queries by head"


def test_right_code_has_nothing_to_be_drawn() -> None:
    code = "import numpy as np\ndef mask(n):\n    return np.tri(n, dtype=bool)\n"
    assert drawn("causal_mask", code, "mask") == []
