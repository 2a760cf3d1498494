"""What tests of growth rest on: a square is told from a line, on a busy machine too."""

from __future__ import annotations

from tests.growth import SQUARE, calls, growth


def test_what_grows_with_the_square_is_told_from_what_grows_with_the_length() -> None:
    assert growth(lambda n: sum(range(100 * n)), 500) < SQUARE
    assert growth(lambda n: sum(1 for _ in range(n) for _ in range(n)), 200) > SQUARE


def test_calls_are_counted_alike_each_time() -> None:
    def work() -> None:
        for number in range(50):
            abs(number)

    assert calls(work) == calls(work)
    assert 50 <= calls(work) <= 60
