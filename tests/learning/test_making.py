"""Classes that say less than they take: arguments handed on, objects of the file, parts that may be left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.learning import constants, ready
from grader.learning.definitions import Definition, definitions
from grader.learning.draft import parts_of
from grader.learning.lesson import Learned
from grader.model.submission import CodeChunk, CodeModule


def known(code: str) -> dict[str, Definition]:
    return definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])


HANDED_ON = """
class Stack:
    def __init__(self, depth, **block):
        self.layers = [Layer(eps, **block) for _ in range(depth)]
class Layer(Base):
    def __init__(self, eps, width, heads=4, *, bias=True): pass
class Whole:
    def __init__(self, words, heads, **rest): self.stack = Stack(3, **rest)
class Loop:
    def __init__(self, **rest): self.other = Loop(**rest)
"""


def test_what_is_handed_on_by_name_is_taken() -> None:
    made = {name: [(taken.name, taken.by_name) for taken in one.made] for name, one in known(HANDED_ON).items()}
    assert made["Stack"] == [("depth", False), ("width", True), ("heads", True), ("bias", True)]
    assert made["Whole"] == [("words", False), ("heads", False), ("width", True), ("bias", True)]
    assert made["Loop"] == []


@pytest.mark.parametrize(
    ("head", "width", "heads"),
    [
        ("cfg = Config()", "cfg.d_model", "cfg.n_heads"),
        ("class Sizes:\n    d_model = 64\n    n_heads = 4", "Sizes.d_model", "Sizes.n_heads"),
        ("cfg = {'d_model': 64, 'n_heads': 4}", "cfg['d_model']", "cfg['n_heads']"),
        ("cfg = load()", "cfg.model.d_model", "cfg.model.n_heads"),
    ],
)
def test_what_is_read_of_an_object_of_the_file_is_set(head: str, width: str, heads: str) -> None:
    code = (
        f"{head}\nclass Layer:\n    def __init__(self):\n        self.w = Linear({width}, {width} // {heads}, cfg.lr)\n"
    )
    found = known(code)
    lines = constants.told(found["Layer"], found, {"d_model": "sizes.d_model", "num_heads": "sizes.num_heads"})
    assert lines == [f"work.{width} = sizes.d_model", f"work.{heads} = sizes.num_heads"]
    own = known(code.replace("(self)", "(self, cfg, Sizes)"))
    assert constants.told(own["Layer"], own, {"d_model": "sizes.d_model"}) == []


def test_attention_to_a_memory_that_may_be_left_out_is_given_to_a_decoder_alone() -> None:
    code = "class Layer(nn.Module):\n    def __init__(self, size, self_attn, src_attn=None, scale=None): pass\n"
    lines = {"multi_head_attention": "work.Heads(sizes.d_model)"}
    one = known(code)["Layer"]
    given = {name: set(ready.parts(one, name, lines)) for name in ("encoder_layer", "decoder_layer")}
    assert given == {"encoder_layer": {"self_attn"}, "decoder_layer": {"self_attn", "src_attn"}}


def test_what_hides_the_entries_that_it_is_given_makes_no_mask() -> None:
    hides = "def sequence_mask(X, valid_len, value=0): return X\n"
    makes = "def sequence_mask(valid_len, max_len=None): return valid_len\n"
    assert [one.component for one in parts_of(known(hides))] == []
    assert [one.component for one in parts_of(known(makes))] == ["padding_mask"]
    padded = "def PadMask(padded_input, input_lengths): return padded_input\n"
    assert [one.component for one in parts_of(known(padded))] == ["padding_mask"]


STACK = """class Encoder(nn.Module):
    def __init__(self, LAYERS: nn.ModuleList):
        self.LAYERS = LAYERS

    def forward(self, x, mask):
        for each in self.LAYERS:
            x = each(x, mask)
        return x
"""


@pytest.mark.parametrize("argument", ["layers", "layer", "block"])
def test_layers_that_a_stack_goes_through_are_a_list_whatever_they_are_called(argument: str) -> None:
    lines = {"encoder_layer": "work.EncoderBlock(sizes.d_model)"}
    given = ready.parts(known(STACK.replace("LAYERS", argument))["Encoder"], "encoder", lines)
    made = "torch.nn.ModuleList([work.EncoderBlock(sizes.d_model) for _ in range(sizes.num_layers)])"
    assert given == {argument: [made]}


POSITIONS = """class PositionalEncoding(nn.Module):
    def __init__(self, d_model, num_positions):
        super().__init__()
        self.emb = nn.Embedding(num_positions, d_model)

    def forward(self, x):
        return x + self.emb(torch.arange(x.shape[-2]))
"""


@pytest.mark.parametrize(("table", "component"), [
    ("nn.Embedding(num_positions, d_model)", "learned_positional_encoding"),
    ("nn.Embedding.from_pretrained(sinusoid_table(num_positions, d_model))", "positional_encoding"),
    ("lambda at: torch.sin(at[:, None] / d_model)", "positional_encoding"),
])  # fmt: skip
def test_a_table_of_positions_that_is_an_embedding_is_learned(table: str, component: str) -> None:
    code = POSITIONS.replace("nn.Embedding(num_positions, d_model)", table)
    assert [one.component for one in parts_of(known(code))] == [component]


@pytest.mark.parametrize(
    "name", ["plot_attention", "display_attention", "attention_test", "test_softmax", "showEncoder"]
)
def test_what_draws_or_tries_a_part_is_none(name: str) -> None:
    assert not parts_of(known(f"def {name}(Q, K, V): return Q\n"))


HELD = """
import torch


class LayerNorm:
    def __init__(self, width, eps=1e-5):
        self.held, self.eps = {"gain": torch.ones(width), "shift": torch.zeros(width)}, eps

    def forward(self, x):
        d = x - x.mean(-1, keepdim=True)
        return self.held["gain"] * d / (d.square().mean(-1, keepdim=True) + self.eps).sqrt() + self.held["shift"]
"""


@pytest.mark.slow
@pytest.mark.torch
def test_a_class_that_holds_tensors_is_given_tensors(teach: Callable[[str, Path], Learned], tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (lesson,) = teach(HELD, tmp_path).judged
    assert lesson.interface.conventions["backend"] == "tensors"
    assert not lesson.mistakes


OF_ITS_OWN = """
from dataclasses import dataclass

from torch import nn


@dataclass
class Sizes:
    width: int = 512
    inner: int = 2048


class FeedForward(nn.Module):
    def __init__(self, cfg: Sizes | None = None):
        super().__init__()
        cfg = cfg or Sizes()
        self.net = nn.Sequential(nn.Linear(cfg.width, cfg.inner), nn.ReLU(), nn.Linear(cfg.inner, cfg.width))

    def forward(self, x):
        return self.net(x)
"""


@pytest.mark.slow
@pytest.mark.torch
def test_a_config_that_may_be_left_out_is_given_all_the_same(
    teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    (lesson,) = teach(OF_ITS_OWN, tmp_path).judged
    assert lesson.interface.conventions["config"] == {"width": "d_model", "inner": "d_ff"}
    assert not lesson.mistakes


@pytest.mark.slow
@pytest.mark.torch
def test_a_config_that_looks_whether_its_heads_divide_the_width_is_given_both(
    teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    heads = "    n_heads: int = 8\n\n    def __post_init__(self):\n        assert self.width % self.n_heads == 0\n"
    (lesson,) = teach(OF_ITS_OWN.replace("    inner: int = 2048\n", f"    inner: int = 2048\n{heads}"), tmp_path).judged
    given = {"width": "d_model", "inner": "d_ff", "n_heads": "num_heads"}
    assert lesson.interface.conventions["config"] == given


ROUNDED = """
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        inner = (8 * d_model // 3 + 15) // 16 * 16
        self.up, self.gate = nn.Linear(d_model, inner, bias=False), nn.Linear(d_model, inner, bias=False)
        self.down = nn.Linear(inner, d_model, bias=False)

    def forward(self, x):
        return self.down(nn.functional.silu(self.up(x)) * self.gate(x))
"""


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize(("act", "read"), [("silu(", True), ("tanhshrink(", False)])
def test_an_inner_width_that_is_rounded_up_is_seen_in_what_was_built(
    teach: Callable[[str, Path], Learned], tmp_path: Path, act: str, *, read: bool
) -> None:
    """The width that a draft says is the module's own, whether or not the rest of it is known."""
    pytest.importorskip("torch")
    norm = "\n\nclass LayerNorm(nn.LayerNorm):\n    def __init__(self, d_model):\n        super().__init__(d_model)\n"
    lessons = teach(ROUNDED.replace("silu(", act) + norm, tmp_path).lessons
    lesson = next(one for one in lessons if one.component == "feed_forward")
    assert lesson.read is read
    assert lesson.interface.conventions["sizes"] == {"d_ff": 80}
