"""Mistakes of one side, of one table and of rows alone: named by what they do, and their titles are true."""

from __future__ import annotations

import pytest
from block_samples import OWN, Judge, bare, header

from grader.model.outcome import Verdict

pytestmark = pytest.mark.torch

_TGT = "self.enc_norm(memory), self.tgt(tgt)"
_POSITIONS = """import torch
from torch import nn

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.rows = {table}

    def forward(self, x):
        return {returned}
"""
_FFN = """import torch
from torch import nn

class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d_model, d_ff), {activation}, nn.Dropout(dropout), nn.Linear(d_ff, d_model))

    def forward(self, x):
        return self.net(x)
"""


def mutant(judged: Judge, stem: str, old: str, new: str) -> tuple[set[str], set[str]]:
    path = OWN / f"{stem}.py"
    assert old in path.read_text()
    found = judged(header(path)[0], bare(path.read_text().replace(old, new)))
    assert found.lost
    assert all(outcome.verdict is not Verdict.UNDETERMINED for outcome in found.lost.values())
    diagnoses = [outcome.diagnosis for outcome in found.lost.values() if outcome.diagnosis]
    return {one.id for one in diagnoses}, {one.title for one in diagnoses}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("new", "id", "title"),
    [
        (
            _TGT.replace("self.tgt(tgt)", "self.src(tgt)"),
            "trf-one-table-for-both",
            "The target is embedded with the source's table.",
        ),
        (
            _TGT.replace("(tgt)", "(torch.cat([tgt[:, :1], tgt[:, :-1]], 1))"),
            "trf-shifts-target-itself",
            "The target is shifted inside the model: its first token comes twice.",
        ),
        (
            _TGT.replace("(tgt)", "(nn.functional.pad(tgt, (1, 0))[:, :-1])"),
            "trf-shifts-target-itself",
            "The target is shifted inside the model, with token 0 in front.",
        ),
        (
            _TGT.replace("(tgt)", "(tgt.roll(1, 1))"),
            "trf-shifts-target-itself",
            "The target is rolled by one inside the model.",
        ),
    ],
)
def test_what_is_done_to_the_target_is_named(judged: Judge, new: str, id: str, title: str) -> None:
    assert mutant(judged, "transformer_tied", _TGT, new) == ({id}, {title})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("new", "title"),
    [
        (
            "self.pe[0, : len(x)].unsqueeze(1)",
            "Rows of the table are added by sample instead of by position.",
        ),
    ],
)
def test_positions_by_sample_are_never_said_to_be_missing(judged: Judge, new: str, title: str) -> None:
    assert mutant(judged, "transformer_tied", "self.pe[:, : x.size(1)]", new)[1] == {title}


@pytest.mark.parametrize("kept", ["self.stack[:-1]", "self.stack[:1]"])
def test_a_layer_left_out_is_told_truly(judged: Judge, kept: str) -> None:
    ids, titles = mutant(judged, "encoder_stack", "for layer in self.stack:", f"for layer in {kept}:")
    assert ids == {"encoder-runs-one-layer"}
    assert titles == {"Only the first layer is run, or the last one left out."}


@pytest.mark.parametrize("table", ["nn.Parameter(torch.randn(max_len, d_model))", "nn.Embedding(max_len, d_model)"])
@pytest.mark.parametrize(
    "form", ["{rows}.expand_as(x)", "{rows}.repeat(len(x), 1, 1)", "{rows}[None].expand(len(x), -1, -1)"]
)
def test_rows_that_are_returned_alone_fail_with_a_name(judged: Judge, table: str, form: str) -> None:
    rows = "self.rows[: x.shape[1]]" if "Parameter" in table else "self.rows(torch.arange(x.shape[1]))"
    code = _POSITIONS.format(table=table, returned=form.format(rows=rows))
    found = judged("learned_positional_encoding", code)
    assert {outcome.verdict for outcome in found.lost.values()} == {Verdict.FAILED}
    assert found.named == {"lpe-not-added"}


def test_a_table_that_is_never_read_is_not_said_to_be_returned(judged: Judge) -> None:
    found = judged(
        "learned_positional_encoding", _POSITIONS.format(table="nn.Embedding(max_len, d_model)", returned="x")
    )
    assert found.lost
    assert "lpe-not-added" not in found.named


@pytest.mark.parametrize("activation", ["nn.LeakyReLU()", "nn.LeakyReLU(0.1)", "nn.LeakyReLU(0.2)"])
def test_a_leaky_relu_is_named_whatever_its_slope(judged: Judge, activation: str) -> None:
    found = judged("feed_forward", _FFN.format(activation=activation))
    assert {outcome.diagnosis.title for outcome in found.lost.values() if outcome.diagnosis} == {
        "A leaky ReLU stands where the paper has a ReLU."
    }


_HEADS = """import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.h = num_heads
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        b, n, d = query.shape
        q, k, v = (t.reshape(b, -1, self.h, d // self.h).transpose(1, 2)
                   for t in (self.q(query), self.k(key), self.v(value)))
        scores = q @ k.transpose(-2, -1) / (d // self.h) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), -1e9)
        return self.o(({weights} @ v).transpose(1, 2).reshape(b, n, d))
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("weights", "id"),
    [
        ("scores.softmax(-1).mean(1, keepdim=True)", "mha-weights-averaged"),
        ("scores.log_softmax(-1)", "sdpa-wrong-normaliser"),
        ("scores.softmax(-1) / scores.shape[-1]", "sdpa-wrong-normaliser"),
        ("(scores.exp() / scores.exp().sum(-1, keepdim=True))", "sdpa-softmax-no-max-shift"),
        ("scores.softmax(-1)", ""),
    ],
)
def test_what_becomes_of_the_weights_is_named(judged: Judge, weights: str, id: str) -> None:
    found = judged("multi_head_attention", _HEADS.format(weights=weights))
    assert found.named == ({id} if id else set())
    assert bool(found.lost) == bool(id)


_FILL = "scores.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), -1e9)"
_JOIN = ".transpose(1, 2).reshape(b, n, d)"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("old", "new", "id"),
    [
        (_FILL, _FILL.replace("-1e9", "float('nan')"), "sdpa-fill-not-a-number"),
        (_FILL, _FILL.replace("-1e9", "float('inf')"), "sdpa-fill-positive"),
        (_FILL, "scores + float('-inf') * (mask[:, None] if mask.dim() == 3 else mask).logical_not()",
         "sdpa-mask-inf-times-zero"),
        (_JOIN, ".permute(1, 0, 2, 3).reshape(b, n, d)", "mha-merge-mixes-samples"),
        (_JOIN, ".transpose(0, 2).reshape(b, n, d)", "mha-merge-mixes-samples"),
        (_JOIN, f".flip(1){_JOIN}", ""),
    ],
    ids=["nan", "infinity", "infinity times zero", "heads in front", "positions in front", "last head first: free"],
)  # fmt: skip
def test_what_becomes_of_masks_and_heads_is_named(judged: Judge, old: str, new: str, id: str) -> None:
    """Which features of W_o belong to which head is free: a module that joins the last one first is right."""
    code = _HEADS.format(weights="scores.softmax(-1)")
    assert old in code
    found = judged("multi_head_attention", code.replace(old, new))
    assert found.named == ({id} if id else set())
    assert bool(found.lost) == bool(id)


_SEEN = "torch.ones(n, n, dtype=torch.bool).tril()"
_MASKED = f"scores.masked_fill(~{_SEEN}, {{}}).softmax(-1)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("weights", "id"),
    [
        (_MASKED.format("-torch.inf"), ""),
        (_MASKED.format("torch.inf"), "sdpa-fill-positive"),
        (_MASKED.format("torch.nan"), "sdpa-fill-not-a-number"),
        (f"scores.softmax(-1).masked_fill(~{_SEEN}, -torch.inf)", "sdpa-mask-after-softmax"),
        (f"(scores.softmax(-1) + torch.zeros(n, n).masked_fill(~{_SEEN}, float('-inf')))", "sdpa-mask-after-softmax"),
        ("scores.softmax(-1)", "course-causal-no"),
    ],
    ids=["right", "infinity", "nan", "filled after", "added after", "none"],
)
def test_what_is_no_number_is_named_by_more_than_that(judged: Judge, weights: str, id: str) -> None:
    """Of slips that all give NaN the source tells; one that answers in numbers has no twin over nothing at all."""
    code = _HEADS.format(weights=weights).replace("(self, query, key, value, mask=None):", "(self, query):")
    code = code.replace("self.k(key), self.v(value)", "self.k(query), self.v(query)")
    code = code.replace(_HEADS[_HEADS.index("        if mask") : _HEADS.index("        return self.o")], "")
    said = {"form": "class", "constructor": ["d_model", "num_heads"], "causal": True}
    found = judged("multi_head_attention", code, parameters=("query",), conventions=said)
    assert found.named == ({id} if id else set())
    assert not any(outcome.diagnosis.family for outcome in found.lost.values() if outcome.diagnosis)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "id"),
    [
        ("self.generator(self.dec_norm(x))", "self.generator(self.dec_norm(x))[:, :-1]", "trf-drops-a-position"),
        ("self.generator(self.dec_norm(x))", "self.generator(self.dec_norm(x))[:, 1:]", "trf-drops-a-position"),
        (
            "memory = self.src(src)",
            "memory, src_mask = self.src(src), (src != 0)[:, None, None] if src_mask is None else src_mask",
            "trf-hides-an-id-by-itself",
        ),
    ],
)
def test_what_a_model_does_unasked_is_named(judged: Judge, old: str, new: str, id: str) -> None:
    assert mutant(judged, "transformer_tied", old, new)[0] == {id}


@pytest.mark.slow
def test_weights_that_make_no_difference_are_not_said_to_be_cut_off(judged: Judge) -> None:
    """A softmax over a single key is 1 whatever the scores, so their gradient is 0; nothing detaches it."""
    new = "self.enc_norm(memory).mean(1, keepdim=True), self.tgt(tgt)\n        src_mask = None"
    assert "gradient-cut" not in mutant(judged, "transformer_tied", _TGT, new)[0]


BESIDE = """
import torch
from torch import nn
from torch.nn import functional as F


class EncoderLayer(nn.Module):
    def __init__(self, width, heads, wide):
        super().__init__()
        self.heads, self.all, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.net = nn.Sequential(nn.Linear(width, wide), nn.ReLU(), nn.Linear(wide, width))
        self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def attend(self, x):
        q, k, v = (y.unflatten(-1, (self.heads, -1)).transpose(1, 2) for y in self.all(x).chunk(3, -1))
        score, n = q @ k.mT / q.shape[-1] ** 0.5, x.shape[1]
        seen = torch.ones(n, n, device=x.device).tril()
        return self.out((score.masked_fill(seen == 0, -1e9).softmax(-1) @ v).transpose(1, 2).flatten(2))

    def forward(self, x):
        read = self.n1(x)
        x = x + self.attend(read)
        return x + self.net(self.n2(x))
"""


@pytest.mark.parametrize(
    ("old", "new", "id"),
    [
        ("self.n2(x)", "self.n2(read)", "enc-ffn-reads-block-input"),
        ("(score.masked_fill(seen == 0, -1e9)", "((score * seen)", "sdpa-mask-multiplied-before-softmax"),
    ],
)
def test_what_a_causal_layer_with_norms_in_front_does_is_named(judged: Judge, old: str, new: str, id: str) -> None:
    assert old in BESIDE
    said = {"constructor": ["d_model", "num_heads", "d_ff"], "norm": "pre", "causal": True}
    found = judged("encoder_layer", BESIDE.replace(old, new), parameters=("x",), conventions=said)
    assert found.named == {id}, found.said
