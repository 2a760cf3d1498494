"""What is kept from a call of another length, one layer in the place of all, and weights written as (in, out)."""

from __future__ import annotations

import pytest
from block_samples import Judge
from whole_submission import changed

pytestmark = pytest.mark.torch
MADE = "tgt_mask = torch.from_numpy(causal_mask(tgt.shape[1])).to(tgt.device)"
KEPT = (
    "self.kept = getattr(self, 'kept', torch.from_numpy(causal_mask(tgt.shape[1])))\n            tgt_mask = self.kept"
)
LOOP = "        for layer in self.layers:\n            x = layer(x, mask)\n"
DENSE = """
class Dense(nn.Module):
    def __init__(self, rows, columns):
        super().__init__()
        w, b = nn.Parameter(torch.randn(rows, columns)), nn.Parameter(torch.zeros(columns))
        self.p = nn.ParameterDict({"w": w, "b": b})

    def forward(self, x):
        return torch.addmm(self.p["b"], x.flatten(0, -2), self.p["w"]).unflatten(0, x.shape[:-1])


class MultiHeadAttention"""
WRITTEN_OUT = changed(("nn.Linear(", "Dense("), ("class MultiHeadAttention", DENSE.replace("nn.Linear", "Dense")[1:]))


@pytest.mark.slow
@pytest.mark.parametrize("seen", [KEPT, KEPT + "[:, :]"])
def test_a_mask_that_is_kept_for_sequences_of_another_length_is_state(judged: Judge, seen: str) -> None:
    found = judged("transformer", changed((MADE, seen)))
    assert set(found.lost) == {"repeats_itself"}
    assert found.named == {"state-kept-between-calls"}
    assert "sequences fails after one with others" in found.lost["repeats_itself"].message
    assert judged("copy_task", changed((MADE, seen))).named == found.named  # paid for in the model


@pytest.mark.parametrize(
    "kept", ["self.kept = getattr(self, 'kept', mask)", "self.kept = self.__dict__.setdefault('first', mask)"]
)
def test_whether_there_was_a_mask_at_first_is_no_state_of_attention(judged: Judge, kept: str) -> None:
    head = "        q, k, v = (self.cut(x)"
    found = judged("multi_head_attention", changed((head, f"        {kept}\n        mask = self.kept\n{head}")))
    assert found.named == {"state-kept-between-calls"}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("read", "named"), [("mask)", set()), ("~mask)", {"sdpa-mask-polarity-inverted"})])
@pytest.mark.parametrize("part", ["multi_head_attention", "encoder_layer"])
def test_a_mask_that_stands_for_none_and_is_read_the_other_way_round_is_one_slip(
    judged: Judge, part: str, read: str, named: set[str]
) -> None:
    asked = "        out, _ = scaled_dot_product_attention(q, k, v, mask)"
    whole = "        mask = torch.ones(1, 1, dtype=torch.bool) if mask is None else mask\n"
    for fill in ("-1e9", "-math.inf"):
        code = changed((asked, whole + asked.replace("mask)", read)), ("-math.inf", fill))
        assert judged(part, code).named == named


def test_an_answer_for_another_length_that_changes_is_state(judged: Judge) -> None:
    code = (
        "from torch import nn\n\n\nclass LearnedPositionalEncoding(nn.Embedding):\n    def forward(self, x):\n"
        "        self.most = max(getattr(self, 'most', 0), x.shape[1])\n"
        "        return x + self.weight[: x.shape[1]] * self.most\n"
    )
    found = judged("learned_positional_encoding", code)
    assert "repeats_itself" in found.lost
    right = judged("learned_positional_encoding", code.replace(" * self.most", ""))
    assert right.lost == {}


def test_one_layer_in_the_place_of_all_is_told_from_one_that_is_repeated(judged: Judge) -> None:
    first = LOOP.replace("for layer in self.layers", "for _ in self.layers").replace("= layer(", "= self.layers[0](")
    assert judged("encoder", changed((LOOP, first))).named == {"trf-one-layer-called-again"}
    made = "EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)"
    repeated = changed((made, f"[{made.partition(' for ')[0]}] * num_layers"))
    assert judged("encoder", repeated).named == {"trf-layers-share-weights"}


RELU = "torch.relu(self.inner(x))"
TWICE = (f"self.outer(self.drop({RELU}))", f"torch.relu(self.outer({RELU}))")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong", "id"),
    [
        (RELU, "nn.functional.gelu(self.inner(x))", "ffn-wrong-activation"),
        (*TWICE, "ffn-activation-twice"),
        ("", "", ""),
    ],
)
def test_a_slip_of_a_part_is_seen_through_a_whole_model_with_written_out_weights(
    judged: Judge, right: str, wrong: str, id: str
) -> None:
    found = judged("transformer", changed((right, wrong), code=WRITTEN_OUT) if id else WRITTEN_OUT)
    assert found.named == ({id} if id else set())
    assert bool(found.lost) is bool(id)
