"""What an assignment does not promise of a class is not asked, and what it promises is: places of dropout, lengths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from block_samples import Judge

from grader.blocks.calling import complaints
from grader.components import component
from grader.model.assignment import Interface

pytestmark = pytest.mark.torch

TRANSFORMERS = Path(__file__).parents[1] / "submissions" / "transformer-from-scratch" / "correct"

LAYER = """
import torch
from torch import nn

class EncoderLayer(nn.Module):
    def __init__(self, width, heads, inner, rate):
        super().__init__()
        self.look = nn.MultiheadAttention(width, heads, batch_first=True)
        self.think = nn.Sequential(nn.Linear(width, inner), nn.ReLU(), nn.Linear(inner, width))
        self.first, self.last, self.drop = nn.LayerNorm(width), nn.LayerNorm(width), nn.Dropout(rate)

    def forward(self, x):
        x = self.drop(self.first(x + self.look(x, x, x, need_weights=False)[0]))
        return self.drop(self.last(x + self.think(x)))
"""
BUFFER = """
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.all, self.mix = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer("later", torch.ones(24, 24, dtype=torch.bool).triu(1))

    def forward(self, x):
        q, k, v = (y.unflatten(-1, (self.heads, -1)).transpose(1, 2) for y in self.all(x).chunk(3, -1))
        s = (q @ k.mT * q.shape[-1] ** -0.5).masked_fill(self.later[: x.shape[1], : x.shape[1]], float("-inf"))
        return self.mix((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
"""
DOUBLED = """
import math
import torch
from torch import nn

class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        rows = [[(math.sin, math.cos)[j % 2](p / 10000 ** (2 * j / d_model)) for j in range(d_model)]
                for p in range(max_len)]
        self.register_buffer("rows", torch.tensor(rows))

    def forward(self, x):
        return x + self.rows[: x.shape[1]]
"""
SINES = DOUBLED.replace("2 * j / d_model", "(j - j % 2) / d_model")


def said(**conventions: Any) -> dict[str, Any]:
    layer = {"constructor": ["d_model", "num_heads", "d_ff", "dropout"], "sizes": {"d_ff": 200}}
    return {"parameters": ("x",), "conventions": {**layer, **conventions}}


def test_dropout_stands_where_the_course_wants_it(judged: Judge) -> None:
    assert set(judged("encoder_layer", LAYER, **said()).lost) == {"dropout_in_training"}
    assert not judged("encoder_layer", LAYER, **said(dropout_place="free")).lost
    assert not judged("encoder_layer", LAYER, **said(dropout_place="none")).lost


OWN = """nn.Dropout(rate)

    def drop(self, x):
        return x * torch.empty_like(x).bernoulli_(1 - self.rate.p) if self.training else x
"""


@pytest.mark.parametrize(
    "place",
    ["self.{}(self.drop({} + x))", "self.{}(self.drop(x) + {})", "self.{0}(x + {1}) + self.drop(0 * x + 1) - 1"],
)
def test_dropout_in_a_free_place_may_stand_anywhere(judged: Judge, place: str) -> None:
    look, think = "self.look(x, x, x, need_weights=False)[0]", "self.think(x)"
    code = LAYER.replace(f"self.drop(self.first(x + {look}))", place.format("first", look))
    code = code.replace(f"self.drop(self.last(x + {think}))", place.format("last", think))
    assert code.count("self.drop(") == LAYER.count("self.drop(")
    assert code != LAYER
    assert not judged("encoder_layer", code, **said(dropout_place="free")).lost


@pytest.mark.parametrize(("right", "wrong", "mistake"), [
    ("nn.Dropout(rate)", "nn.Identity()", "dropout-never-applied"),
    ("nn.Dropout(rate)", "nn.Dropout(0.3)", "dropout-rate-ignored"),
    ("self.drop = nn.LayerNorm(width), nn.LayerNorm(width), nn.Dropout(rate)\n",
     f"self.rate = nn.LayerNorm(width), nn.LayerNorm(width), {OWN}", "dropout-no-rescaling"),
])  # fmt: skip
def test_dropout_in_a_free_place_is_still_asked_for(judged: Judge, right: str, wrong: str, mistake: str) -> None:
    assert right in LAYER
    assert judged("encoder_layer", LAYER.replace(right, wrong), **said(dropout_place="free")).named == {mistake}
    silent = LAYER.replace("nn.Dropout(rate)", "nn.Identity()")
    assert not judged("encoder_layer", silent, **said(dropout_place="none")).lost


def test_longer_sequences_than_promised_are_not_asked(judged: Judge) -> None:
    made = {"constructor": ["d_model", "num_heads"], "causal": True, "refuses_uneven_heads": False}
    found = judged("multi_head_attention", BUFFER, parameters=("query",), conventions=made)
    assert found.named == {"mha-hardcoded-length"}
    made["sizes"] = {"max_len": 24}
    assert not judged("multi_head_attention", BUFFER, parameters=("query",), conventions=made).lost


def test_heads_divide_the_width_only_where_there_are_heads() -> None:
    narrow = {"sizes": {"d_model": 16, "d_ff": 64}}
    assert not list(complaints(Interface("feed_forward", "F", conventions=narrow), ("d_model", "d_ff"), ("x",)))
    assert list(complaints(Interface("encoder_layer", "F", conventions=narrow), ("d_model", "num_heads"), ("x",)))


def test_the_table_of_a_module_has_the_mistakes_of_a_table(judged: Judge) -> None:
    assert judged("positional_encoding", DOUBLED).named == {"pe-loop-index-doubled"}


def test_a_table_may_come_back_once_for_all_samples(judged: Judge) -> None:
    made = {"positions": "rows"}
    for rows in ("self.rows[: x.shape[1]]", "self.rows[None, : x.shape[1]]"):
        code = SINES.replace("x + self.rows[: x.shape[1]]", rows)
        assert not judged("positional_encoding", code, conventions=made).lost
    assert judged("positional_encoding", SINES).lost == {}


def test_a_norm_may_have_a_small_eps_of_its_own(judged: Judge) -> None:
    code = """
import torch
from torch import nn

class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-12):
        super().__init__()
        self.gain, self.shift, self.eps = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width)), eps

    def forward(self, x):
        c = x - x.mean(-1, keepdim=True)
        return self.gain * c / (c.pow(2).mean(-1, keepdim=True) + self.eps).sqrt() + self.shift
"""
    for seed in range(4):
        assert not judged("layer_norm", code, seed).lost


def test_one_that_hides_the_future_is_never_left_without_a_key(judged: Judge) -> None:
    code = BUFFER.replace("24, 24", "131, 131").replace("def forward(self, x):", "def forward(self, x, hide):")
    code = code.replace("s = (", "s = hide + (").replace("q.shape[-1] ** -0.5)", "q.shape[-1] ** -0.5)")
    made = {"constructor": ["d_model", "num_heads"], "causal": True, "mask": "additive", "mask_required": True,
            "mask_shapes": ["(b, 1, 1, m)", "(b, 1, n, m)"], "refuses_uneven_heads": False}  # fmt: skip
    found = judged("multi_head_attention", code, parameters=("query", "mask"), conventions=made)
    assert not found.lost, found.said


def test_a_size_may_be_given_twice(judged: Judge) -> None:
    code = LAYER.replace("width, heads, inner, rate", "width, heads, inner, again, rate").replace(
        "nn.LayerNorm(width), nn.LayerNorm(width)", "nn.LayerNorm(again), nn.LayerNorm(width)"
    )
    made = ["d_model", "num_heads", "d_ff", "d_model", "dropout"]
    assert not judged("encoder_layer", code, **said(constructor=made, dropout_place="free")).lost


@pytest.mark.slow
def test_a_model_may_learn_its_positions_and_take_a_device(judged: Judge) -> None:
    code = (TRANSFORMERS / "transformer_tied.py").read_text().replace(".requires_grad_(False)", "")
    buffer = 'self.register_buffer("pe", pe.unsqueeze(0))'
    assert buffer in code
    learned = code.replace(buffer, "self.pe = nn.Parameter(torch.randn(1, max_len, d_model))")
    assert judged("transformer", learned).named == {"trf-learned-positions"}
    assert not judged("transformer", learned, conventions={"learned_positions": True}).lost
    loose = code.replace(buffer, "self.pe = pe.unsqueeze(0)")
    assert judged("transformer", loose).named == {"trf-pe-not-a-buffer"}
    made = [*component("transformer", "class").constructor, {"device": "cpu"}]
    taken = loose.replace("dropout=0.1):", "dropout=0.1, device=None):").replace(
        "dropout=0.0):", "dropout=0.0, device=None):"
    )
    assert not judged("transformer", taken, conventions={"constructor": made}).lost


@pytest.mark.slow
def test_sequences_are_of_one_length_where_the_course_has_it_so(judged: Judge) -> None:
    code = """
import torch
from torch import nn

class DecoderLayer(nn.Module):
    def __init__(self, width, heads, inner, rate):
        super().__init__()
        self.look, self.read = (nn.MultiheadAttention(width, heads, rate, batch_first=True) for _ in range(2))
        self.think = nn.Sequential(nn.Linear(width, inner), nn.ReLU(), nn.Dropout(rate), nn.Linear(inner, width))
        self.norms, self.drop = nn.ModuleList(nn.LayerNorm(width) for _ in range(3)), nn.Dropout(rate)

    def forward(self, x, memory):
        x = self.norms[0](x + self.drop(self.look(x, x, x, need_weights=False)[0]))
        found = self.read(x, memory, memory, need_weights=False)[0].view(memory.shape)
        x = self.norms[1](x + self.drop(found))
        return self.norms[2](x + self.drop(self.think(x)))
"""
    assert judged("decoder_layer", code, parameters=("x", "memory")).lost
    assert not judged("decoder_layer", code, parameters=("x", "memory"), domain={"same_length": True}).lost
    assert list(complaints(Interface("decoder_layer", "D", domain={"ranks": [3]}), ("d_model",), ("x",)))


@pytest.mark.slow
def test_a_model_that_is_given_its_masks_need_not_make_one(judged: Judge) -> None:
    code = (TRANSFORMERS / "transformer_tied.py").read_text()
    given = code.replace("        if tgt_mask is None:\n", "        if False:\n")
    assert given != code
    always = {"mask_required": True}
    assert not judged("transformer", given, conventions=always).lost
    assert not judged("transformer", code, conventions=always).lost
    ignored = given.replace("memory, src_mask, tgt_mask)", "memory, src_mask, None)")
    assert judged("transformer", ignored, conventions=always).named == {"dec-tgt-mask-not-passed"}


@pytest.mark.slow
def test_a_model_may_hide_the_padding_of_its_source_alone(judged: Judge) -> None:
    code = (TRANSFORMERS / "transformer_tied.py").read_text()
    start = "        if tgt_mask is None:\n"
    hidden = code.replace(
        start, f"        src_mask = (src != 0)[:, None, None] if src_mask is None else src_mask\n{start}"
    )
    assert hidden != code
    source = {"pad_hidden": "source"}
    assert not judged("transformer", hidden, conventions=source).lost
    assert judged("transformer", code, conventions=source).named == {"course-pad-hidden-none"}


SAID = {"constructor": ["d_model", "num_heads", "dropout"], "refuses_uneven_heads": False}
DROPPING = """
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads, rate):
        super().__init__()
        self.heads, self.all = heads, nn.ModuleList(nn.Linear(width, width) for _ in range(4))
        self.drop = nn.Dropout(rate)

    def forward(self, query, key, value, mask=None):
        given = zip(self.all, (query, key, value))
        q, k, v = (one(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for one, x in given)
        s = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~(mask.unsqueeze(1) if mask.ndim == 3 else mask), float("-inf"))
        return self.all[3]((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("right", "dropped", "mistake"), [
    ("s.softmax(-1)", "self.drop(s.softmax(-1))", ""),
    ("return self.all[3](", "return self.drop(self.all[3](", ""),
    ("one(x)", "self.drop(one(x))", ""),
    ("one(x)", "one(self.drop(x))", ""),
    ("s.softmax(-1)", "self.drop(s).softmax(-1)", "dropout-on-scores"),
    ("q @ k.mT", "self.drop(q @ k.mT)", "dropout-on-scores"),
    ("s.softmax(-1)", "self.drop(self.drop(s).softmax(-1))", "dropout-on-scores"),
    ("s.softmax(-1)", "self.drop(s.log_softmax(-1))", "sdpa-wrong-normaliser"),
    ("s.softmax(-1)", "nn.functional.dropout(s.softmax(-1), self.drop.p)", "dropout-active-in-eval"),
])  # fmt: skip
def test_attention_drops_weights_or_vectors_and_no_scores(
    judged: Judge, right: str, dropped: str, mistake: str
) -> None:
    code = DROPPING.replace(right, dropped)
    code = code if dropped.count("(") == dropped.count(")") else code.replace(".flatten(2))", ".flatten(2)))")
    found = judged("multi_head_attention", code, conventions=SAID)
    assert found.named == ({mistake} if mistake else set())
    assert bool(found.lost) == bool(mistake)


TURNED = """
        places = torch.arange(max(q.shape[-2], k.shape[-2])).unsqueeze(-1)
        angles = torch.polar(torch.ones(()), places / 10000 ** (torch.arange(0, q.shape[-1], 2) / q.shape[-1]))
        q, k = (torch.view_as_real(torch.view_as_complex(y.float().unflatten(-1, (-1, 2)))
                                   * angles[: y.shape[-2]]).flatten(-2).to(y.dtype) for y in (q, k))
        s = """


@pytest.mark.parametrize(("weights", "named"), [
    ("self.drop(s.softmax(-1))", set()),
    ("self.drop(s).softmax(-1)", {"dropout-on-scores"}),
])  # fmt: skip
def test_keys_turned_by_their_positions_are_not_equal_and_weights_of_them_may_be_dropped(
    judged: Judge, weights: str, named: set[str]
) -> None:
    code = DROPPING.replace("\n        s = ", TURNED).replace("s.softmax(-1)", weights)
    said = {**SAID, "rotary": "interleaved", "float64": False}
    assert judged("multi_head_attention", code, conventions=said).named == named
    if not named:
        also = code.replace("return self.all[3](", "return self.drop(self.all[3](").replace(
            ".flatten(2))", ".flatten(2)))"
        )
        assert not judged("multi_head_attention", also, conventions=said).lost


@pytest.mark.slow
@pytest.mark.parametrize(
    ("weights", "mistake"),
    [
        ("s.masked_fill(later, -torch.inf).softmax(-1)", ""),
        ("s.masked_fill(later, 0).softmax(-1)", None),
        ("(s.masked_fill(later, -torch.inf) + torch.arange(s.shape[-1], device=s.device)).softmax(-1)", None),
        ("s.masked_fill(~later, -torch.inf).softmax(-1)", "sdpa-causal-mask-transposed"),
        ("s.masked_fill(torch.ones_like(s).triu() == 1, -torch.inf).softmax(-1)", "sdpa-causal-mask-strict"),
    ],
)
def test_weights_that_a_wrong_mask_makes_are_no_dropped_scores(
    judged: Judge, weights: str, mistake: str | None
) -> None:
    later = "later = torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).triu(1)"
    code = DROPPING.replace("        if mask is not None:", f"        {later}\n        if mask is not None:")
    code = code.replace("s.softmax(-1) @", f"self.drop({weights}) @")
    code = code.replace("return self.all[3](", "return self.drop(self.all[3](").replace(".flatten(2))", ".flatten(2)))")
    found = judged("multi_head_attention", code, conventions={**SAID, "causal": True})
    assert found.named == ({mistake} if mistake else set())
    assert bool(found.lost) == (mistake != "")


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    "scores",
    [
        "(q @ k.mT).half().to(q.dtype) / q.shape[-1] ** 0.5",
        "(q @ k.mT / q.shape[-1] ** 0.5).half().to(q.dtype)",
        "(q @ k.mT * q.shape[-1] ** -0.5).to(torch.float16).to(q.dtype)",
    ],
)
def test_scores_in_half_precision_have_their_name_though_some_are_rounded_to_either_side(
    judged: Judge, scores: str, causal: bool
) -> None:
    hidden = ".masked_fill(torch.ones(s.shape[-2:], device=s.device).triu(1) == 1, -torch.inf)" if causal else ""
    code = DROPPING.replace("q @ k.mT / q.shape[-1] ** 0.5", scores).replace("s.softmax", f"s{hidden}.softmax")
    found = judged("multi_head_attention", code, conventions={**SAID, "causal": causal})
    assert found.named == {"sdpa-half-precision"}


NORM = """
import torch
from torch import nn

class LayerNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain, self.shift = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return self.gain * centred / torch.sqrt(centred.square().mean(-1, keepdim=True) + EPS) + self.shift
"""


@pytest.mark.parametrize("eps", ["1e-3", "1e-5", "1e-6", "1e-8", "1e-12", "0.01", "0.1"])
def test_where_no_eps_can_be_given_a_small_one_is_right_and_a_large_one_named(judged: Judge, eps: str) -> None:
    found = judged("layer_norm", NORM.replace("EPS", eps), conventions={"constructor": ["d_model"]})
    large = float(eps) > 1e-3
    assert set(found.lost) == ({"normalises_each_position"} if large else set())
    assert found.named == ({"ln-eps-hardcoded"} if large else set())


UNSET = """
import torch
from torch import nn

class TokenEmbedding(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.rows = nn.Parameter(torch.full((vocab, width), 1e30))
        self.rows.data[:, ::2] = float("nan")
        self.rows.data[0] *= -torch.arange(width)

    def forward(self, ids):
        return self.rows[ids] * self.rows.shape[1] ** 0.5
"""


@pytest.mark.parametrize("start", ["nan", "inf", "1e30", "0"])
def test_weights_that_nobody_has_set_are_no_matter(judged: Judge, start: str) -> None:
    code = UNSET.replace("nan", start)
    assert not judged("token_embedding", code, conventions={"constructor": ["vocab", "d_model"]}).lost
