"""Two parameters over one memory are one table in what they compute, and two in what training makes of them."""

from __future__ import annotations

import pytest
from block_samples import Judge

pytestmark = pytest.mark.torch

TIED = """
from torch import nn


class TiedOutput(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.rows = nn.Embedding(vocab, d_model)
        self.score = nn.Linear(d_model, vocab, bias=False)
        {tie}

    def forward(self, ids):
        return self.score(self.rows(ids))
"""


@pytest.mark.parametrize(
    "tie", ["self.score.weight.data = self.rows.weight.data", "self.score.weight = nn.Parameter(self.rows.weight)"]
)
def test_one_memory_under_two_parameters_is_no_change_by_a_call(tie: str, judged: Judge) -> None:
    found = judged("weight_tying", TIED.format(tie=tie))
    assert set(found.lost) == {"shares_one_parameter"}
    assert found.named == {"trf-tied-weights-copied"}


def test_one_parameter_in_two_places_is_right(judged: Judge) -> None:
    assert not judged("weight_tying", TIED.format(tie="self.score.weight = self.rows.weight")).lost
