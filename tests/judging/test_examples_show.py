"""What is shown of a value; that every example shows its slip to the eye is looked at in tests/ledger."""

from __future__ import annotations

import numpy as np

from grader.judging.wording import shown


def test_a_difference_below_four_places_is_written_out() -> None:
    value = np.array([[0.123456, 2.0]])
    assert shown(value) == "[[0.1235, 2.]]"
    assert shown(value, None, "{:.9g}".format) == "[[0.123456, 2]]"
