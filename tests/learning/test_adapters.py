"""What no table can call is called by lines that are learned, and right work keeps its points under them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.learning.learn import Learned
from grader.model import Report

OF_A_DICT = """import numpy as np


def multi_head_attention(params, x, num_heads, mask=None):
    b, t, d = x.shape
    q, k, v = (
        (x @ params[name]).reshape(b, t, num_heads, d // num_heads).transpose(0, 2, 1, 3) for name in NAMES
    )
    s = q @ k.swapaxes(-1, -2) / np.sqrt(d // num_heads)
    s = s if mask is None else np.where(mask == 0, -1e9, s)
    w = np.exp(s - s.max(-1, keepdims=True))
    read = w / w.sum(-1, keepdims=True) @ v
    return read.transpose(0, 2, 1, 3).reshape(b, t, d) @ params["Wo"]
"""
WRITTEN_OUT = OF_A_DICT.replace(
    "(x @ params[name])", "(x @ w)"
).replace("for name in NAMES", 'for w in (params["Wq"], params["Wk"], params["Wv"])')  # fmt: skip


@pytest.mark.slow
def test_arrays_that_stand_in_a_dict_are_put_there(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    lesson = teach(WRITTEN_OUT, tmp_path).lessons[0]
    assert (lesson.judged, lesson.mistakes) == (True, ())
    assert "params={'Wq': W_q, 'Wk': W_k, 'Wv': W_v, 'Wo': W_o}" in (tmp_path / "adapter.py").read_text()
    other_style = OF_A_DICT.replace("NAMES", '("Wq", "Wk", "Wv")')
    assert graded(other_style, tmp_path).score == 10
    assert graded(other_style.replace(" / np.sqrt(d // num_heads)", ""), tmp_path).score < 10
