"""What is shown of a wrong function is as small as what fails, in short numbers, and nothing beyond a promise."""

from __future__ import annotations

import inprocess
import numpy as np
import numpy_setups as setups
import pytest

from grader.judging import smaller

ROUND = {"Q": np.array([[0.2, -1.7, 31.4]]), "mask": np.array([[False, True, True]])}


def test_versions_begin_with_the_smallest_and_keep_arrays_fitting() -> None:
    inputs = {"Q": np.ones((2, 3, 5)) * 0.4, "K": np.ones((2, 7, 5)), "mask": np.ones((2, 3, 7), dtype=bool), "n": 3}
    found = smaller.versions(inputs)
    sizes = [smaller.size_of(one) for one in found]
    assert sizes == sorted(sizes)
    assert sizes[0] == 3  # one entry each
    for one in found:
        assert one["Q"].shape[-1] == one["K"].shape[-1]
        assert one["mask"].shape == (*one["Q"].shape[:-1], one["K"].shape[-2])
        assert one["n"] == 3


def test_a_row_of_a_mask_that_allows_something_still_does_and_numbers_are_short() -> None:
    for one in smaller.versions(ROUND):
        assert one["mask"].any()
    assert any(np.array_equal(one["Q"], [[0.0, -2.0, 30.0]]) for one in smaller.versions(ROUND))
    assert not smaller.is_plain(ROUND)
    assert smaller.is_plain({"Q": np.array([[2.0, 1000.0]])})


CODE = "import numpy as np\n"
WRONG = {
    "softmax": """
def softmax(x, axis=-1):
    e = np.exp(x - np.max(x))
    p = e / e.sum(axis=axis, keepdims=True)
    return np.moveaxis(p, -1, 0) if p.ndim == 3 else p
""",
    "layer_norm": """
def layer_norm(x, gain, shift, eps=1e-5):
    y = x - x.mean(-1, keepdims=True)
    return gain * y / np.sqrt((y * y).mean(-1, keepdims=True) + eps) + shift * np.cos(shift)
""",
}


@pytest.mark.parametrize(("name", "most"), [("softmax", 3), ("layer_norm", 12)])
def test_an_unnamed_mistake_is_shown_small(name: str, most: int) -> None:
    outcomes = inprocess.judged(
        setups.component(name), setups.interface(name), f"import numpy as np\n{WRONG[name]}", seed=11
    )
    lost = [one for one in outcomes if one.counterexample is not None]
    assert lost
    sizes = [sum(text.count(".") for text in one.counterexample.inputs.values()) for one in lost]
    assert min(sizes) <= most, [dict(one.counterexample.inputs) for one in lost]


WITHOUT_OUTPUT = """
def multi_head_attention(query, key, value, W_q, W_k, W_v, W_o, num_heads, mask=None):
    def cut(x):
        return np.swapaxes(x.reshape(*x.shape[:-1], num_heads, -1), -2, -3)
    q, k, v = cut(query @ W_q), cut(key @ W_k), cut(value @ W_v)
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    s = s if mask is None else np.where(mask if mask.ndim != 3 else mask[:, None], s, -np.inf)
    w = np.exp(s - s.max(-1, keepdims=True))
    found = np.swapaxes(w / w.sum(-1, keepdims=True) @ v, -2, -3)
    return found.reshape(*found.shape[:-2], -1)
"""


@pytest.mark.parametrize("seed", [3, 11, 23])
def test_of_small_examples_one_is_shown_whose_difference_can_be_seen(seed: int) -> None:
    name = "multi_head_attention"
    outcomes = inprocess.judged(
        setups.component(name), setups.interface(name), f"import numpy as np\n{WITHOUT_OUTPUT}", seed=seed
    )
    shown = [
        one.counterexample for one in outcomes if one.counterexample is not None and "smaller" in one.counterexample.why
    ]
    assert shown
    assert min(one.max_error for one in shown) >= 0.05, [dict(one.inputs) for one in shown]
