"""A matrix is printed as one: each row on its line, columns under each other."""

from __future__ import annotations

import pytest

from grader.report.values import by_rows


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("[[1., 2.], [3., 4.]]", "[[1., 2.], [3., 4.]]"),
        ("[1., 2., 3., 4.]", "[1., 2., 3., 4.]"),
        ("[[ 0., -inf], [ 0., 0.], [ 1., 2.]]", "[[0., -inf],\n [0.,   0.],\n [1.,   2.]]"),
        ("([[1.], [2.], [3.]], [[4.]])", "([[1.], [2.], [3.]], [[4.]])"),
        ("[[[1.], [2.]], [[3.], [4.]]]", "[[[1.],\n  [2.]],\n [[3.],\n  [4.]]]"),
        ("[[1., 2.], [3., 4.], [5., …", "[[1., 2.],\n [3., 4.],\n [5., …"),
        ("raises ValueError", "raises ValueError"),
    ],
)
def test_three_rows_and_more_stand_under_each_other(text: str, printed: str) -> None:
    assert by_rows(text) == printed
