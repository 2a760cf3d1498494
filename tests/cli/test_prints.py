"""What the code printed is shown to a student who asks for it, in order, bounded, and to nobody else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Grader = Callable[..., Any]
WORK = """import numpy as np
print("loading", "\\x1b[31m")


def softmax(x, axis=-1):
    print("scores", x)
    shifted = np.exp(x - x.max(axis=axis, keepdims=True))
    return shifted / shifted.sum(axis=axis, keepdims=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    for row in range(30):
        print("row", row)
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    weights = softmax(scores if mask is None else np.where(mask, scores, -np.inf))
    return weights @ V, weights
"""


@pytest.fixture
def loud(tmp_path: Path) -> Path:
    path = tmp_path / "attention.py"
    path.write_text(WORK)
    return path


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_prints_are_shown_on_request_with_the_call_and_bounded(grader: Grader, loud: Path, form: str) -> None:
    out = grader("check", loud, "-a", "attention-numpy", "--prints", "--format", form).out
    _, _, shown = out.partition("What your code printed")
    places = [shown.index(text) for text in ("loading", "softmax(np.array([[0., 0., 0.]]))", "scores [[0. 0. 0.]]")]
    assert places == sorted(places)
    assert "row 19" in shown
    assert "row 20" not in shown
    assert "… and 11 more lines" in shown or "… and 10 more lines" in shown
    assert "\x1b" not in shown


def test_nothing_printed_is_shown_where_nobody_asks(grader: Grader, loud: Path) -> None:
    assert "row 1" not in grader("check", loud, "-a", "attention-numpy").out


def test_other_forms_say_where_prints_are_shown(grader: Grader, loud: Path) -> None:
    ran = grader("check", loud, "-a", "attention-numpy", "--prints", "--format", "json")
    assert ran.code == 2
    assert "text, markdown or html" in ran.err


@pytest.mark.slow
@pytest.mark.torch
def test_a_call_with_tensors_is_told_as_it_is_typed(grader: Grader, tmp_path: Path) -> None:
    path = tmp_path / "work.py"
    path.write_text(
        "def label_smoothing_loss(logits, target, eps=0.1, pad_id=0):\n    print('here')\n    return logits.sum()\n"
    )
    out = grader("check", path, "-a", "transformer-from-scratch", "--component", "label_smoothing", "--prints").out
    _, _, shown = out.partition("What your code printed")
    assert "label_smoothing_loss(torch.tensor(" in shown
    assert "$" not in shown
