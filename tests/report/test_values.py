"""Values are laid out to be read, code is broken only where Python goes on reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.model.outcome import Counterexample
from grader.report.values import assigned, lines, pasteable


@given(st.lists(st.lists(st.integers(-(10**6), 10**6), min_size=1), min_size=1), st.integers(20, 90))
def test_broken_code_means_the_same(rows: list[list[int]], width: int) -> None:
    code = f"x = {rows!r}\ny = len(x)"
    names: dict[str, object] = {}
    broken = pasteable(code, width)
    exec(broken, names)  # noqa: S102 - our own text
    assert names["x"] == rows
    assert max(len(line) for line in broken.splitlines()) <= width


@pytest.mark.parametrize(
    "code",
    [
        "f = runpy.run_path('a, (b, c, d, e, f, g, h, i, j, k.py')['f']",
        'f = runpy.run_path("it\'s, a, (long, name, of, a, file.py")["f"]',
        "no_place_to_break_this_line_at_all_although_it_is_far_too_long = 1",
    ],
)
def test_a_line_without_a_place_to_break_stays_whole(code: str) -> None:
    assert pasteable(code, 30) == code


def test_a_large_input_is_described_and_a_small_one_is_bare() -> None:
    assert assigned("x", "…  # array of shape (2, 4)") == "x: array of shape (2, 4)"
    assert assigned("x", "np.array([1.])") == "x = np.array([1.])"
    inputs = {
        "a": "np.array([[1., np.inf]], dtype=np.float32)",
        "b": "torch.tensor([[0.5]], dtype=torch.float64, requires_grad=True)",
        "c": "{'W': np.array([[1.]])}",
        "d": "3",
        "e": "…  # array of shape (20, 30)",
    }
    shown = [text for _, text, _ in lines(Counterexample(inputs, "1", "2"))]
    assert shown == [
        "a = [[1., inf]] (float32)", "b = [[0.5]]", "c = {'W': np.array([[1.]])}", "d = 3",
        "e: array of shape (20, 30)", "1", "2",
    ]  # fmt: skip


def test_what_was_not_asked_for_has_no_line() -> None:
    assert [label for label, _, _ in lines(Counterexample({}, "(not asked for)", "3"))] == ["got"]
