"""Slips of kinds that had not been listed are caught and named; a right neighbour of the same form loses nothing."""

from __future__ import annotations

import pytest
from block_crossings import CROSSED
from block_samples import OWN, Judge, bare, header

pytestmark = pytest.mark.torch


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("stem", "old", "new", "name"),
    [
        pytest.param(*row, id=f"{row[3]}-{at}", marks=[pytest.mark.slow] if row[0].startswith("decoder_") else [])
        for at, row in enumerate(CROSSED)
    ],
)
def test_an_unseen_slip_is_caught_and_named(judged: Judge, stem: str, old: str, new: str, name: str) -> None:
    path = OWN / f"{stem}.py"
    code = path.read_text()
    assert old in code
    found = judged(header(path)[0], bare(code.replace(old, new)))
    assert found.named == ({name} if name else set())
    assert bool(found.lost) == bool(name), found.said


def test_positions_that_meet_in_the_network_are_no_matter_for_a_person(judged: Judge) -> None:
    code = """
import torch
from torch import nn
class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.a, self.b = (nn.Conv1d(*size, 3, padding=1) for size in ((d_model, d_ff), (d_ff, d_model)))
        self.drop = nn.Dropout(dropout)
    def forward(self, x):
        return self.b(self.drop(self.a(x.mT).relu())).mT
"""
    assert judged("feed_forward", code).named == {"ffn-positions-meet"}
    assert judged("feed_forward", code.replace("*size, 3, padding=1", "*size, 1")).lost == {}
