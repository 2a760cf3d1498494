from __future__ import annotations

import numpy as np
import pytest

from grader.exceptions import meaning


def raised(action) -> str:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever numpy raises
        action()
    return str(caught.value)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda: np.ones((3, 5)) + np.ones((5, 3)), "shapes (3, 5) and (5, 3)"),
        (lambda: np.ones((2, 4)) @ np.ones((3, 4)), "inner sizes, and here they are 4 and 3"),
        (lambda: np.dot(np.ones((2, 4)), np.ones((3, 4))), "product of (2, 4) and (3, 4)"),
        (lambda: np.ones(24).reshape(2, 5), "24 numbers do not fill the shape (2, 5)"),
        (lambda: bool(np.ones(2)), "compare with `is not None`"),
        (lambda: np.ones(3).sum(axis=1), "axis 1 does not exist in an array of 1 axes"),
        (lambda: np.ones(3)[5], "position 5 was asked of axis 0, which has 3 entries"),
        (lambda: (lambda a, b: a)(1), "did not give 'b'"),
        (lambda: np.divide(np.ones(2, int), 2, out=np.ones(2, int)), "keep float64 results in an array of int64"),
    ],
)
def test_an_exception_of_numpy_is_explained_with_its_own_shapes(action, words):
    assert words in meaning(raised(action))


@pytest.mark.torch
def test_an_exception_of_torch_is_explained_with_its_own_shapes():
    torch = pytest.importorskip("torch")
    assert "width 12 but its weight takes 20" in meaning(raised(lambda: torch.ones(5, 12) @ torch.ones(20, 3)))
    assert "axis 1: one tensor has 5 entries there, the other 7" in meaning(raised(lambda: torch.ones(2, 5) + torch.ones(2, 7)))
    assert "use `reshape`" in meaning(raised(lambda: torch.ones(2, 3, 4).transpose(0, 1).view(6, 4)))


def test_an_unknown_message_is_left_alone():
    assert meaning("the cat sat on the mat") == ""
