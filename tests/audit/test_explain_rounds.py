"""What explain prints is short enough to be read."""

from __future__ import annotations

import re

import pytest

from grader.auditing.explain import _beside


@pytest.mark.parametrize("mistake", ["mha-sequence-first", "sdpa-no-scale", "ln-eps-outside-sqrt"])
def test_numbers_that_are_shown_have_few_places(mistake: str) -> None:
    beside = _beside(mistake)
    if beside is not None:
        assert not re.findall(r"\d\.\d{7,}", " ".join((*beside.inputs.values(), beside.right, beside.wrong)))
