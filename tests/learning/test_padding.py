"""Stacks that are given ids and hide padding themselves: its id is learned, told, and stands where it is hidden."""

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.catalog import load_assignment, load_rubric
from grader.intake.loading import load
from grader.learning.definitions import Definition, definitions
from grader.learning.draft import calls
from grader.learning.lesson import Learned
from grader.learning.pads import ids_of
from grader.model.report import Report, Settings
from grader.model.submission import CodeChunk, CodeModule
from grader.pipeline import grade
from grader.sandbox.parent import Sandbox

STACKS = """
import torch
from torch import nn

BLANK_PAD = {pad}


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.maps = nn.ModuleList([nn.Linear(width, width) for _ in range(4)])

    def forward(self, asking, read, shown):
        q, k, v = (
            f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f, x in zip(self.maps, (asking, read, read))
        )
        scores = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).masked_fill(~shown, -1e9)
        return self.maps[3]((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, width, heads, inner, attentions):
        super().__init__()
        self.attentions = nn.ModuleList([Attention(width, heads) for _ in range(attentions)])
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(attentions + 1)])
        self.inner = nn.Sequential(nn.Linear(width, inner), nn.ReLU(), nn.Linear(inner, width))

    def forward(self, x, seen, memory=None, seen_of_memory=None):
        x = self.norms[0](x + self.attentions[0](x, x, seen))
        if memory is not None:
            x = self.norms[1](x + self.attentions[1](x, memory, seen_of_memory))
        return self.norms[-1](x + self.inner(x))


class Entrance(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.rows, self.factor = nn.Embedding(words, width), width**0.5
        angles = torch.arange(64)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
        self.register_buffer("places", torch.stack([angles.sin(), angles.cos()], -1).flatten(1))

    def forward(self, ids):
        return self.rows(ids) * self.factor + self.places[: ids.shape[1]]


class Encoder(nn.Module):
    def __init__(self, src_vocab, d_model, num_layers, num_heads, d_ff):
        super().__init__()
        self.entrance = Entrance(src_vocab, d_model)
        self.layers = nn.ModuleList([Layer(d_model, num_heads, d_ff, 1) for _ in range(num_layers)])

    def forward(self, src):
        words = (src != BLANK_PAD)[:, None, None]
        x = self.entrance(src)
        for layer in self.layers:
            x = layer(x, words)
        return x


class Decoder(nn.Module):
    def __init__(self, tgt_vocab, d_model, num_layers, num_heads, d_ff):
        super().__init__()
        self.entrance = Entrance(tgt_vocab, d_model)
        self.layers = nn.ModuleList([Layer(d_model, num_heads, d_ff, 2) for _ in range(num_layers)])

    def forward(self, tgt, src, memory):
        back = torch.ones(tgt.shape[1], tgt.shape[1], dtype=torch.bool).tril()
        words, read = (tgt != BLANK_PAD)[:, None, None] & back, (src != BLANK_PAD)[:, None, None]
        x = self.entrance(tgt)
        for layer in self.layers:
            x = layer(x, words, memory, read)
        return x
"""
SLIPS = {
    "encoder": ("x = layer(x, words)", "x = layer(x, words | True)"),
    "decoder of the target": ("(tgt != BLANK_PAD)[:, None, None] & back", "back"),
    "decoder of the source": ("back, (src != BLANK_PAD)[:, None, None]", "back, torch.tensor(True)"),
}


@pytest.fixture(scope="module", params=[1, 3])
def course(
    request: pytest.FixtureRequest, teach: Callable[[str, Path], Learned], tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Learned, Path]:
    pytest.importorskip("torch")
    folder, code = tmp_path_factory.mktemp("padding"), STACKS.format(pad=request.param)
    return code, teach(code, folder), folder


def graded_as(name: str, seed: int, code: str, folder: Path, sandbox: Sandbox) -> Report:
    work = folder / name
    work.write_text(code)
    assignment = load_assignment(folder)
    settings = Settings(assignment, load_rubric(folder / "rubric.yaml", assignment), "standard", seed, ())
    submission = load(work)
    return grade(submission, settings, sandbox)


@pytest.mark.slow
@pytest.mark.torch
def test_which_id_a_stack_hides_is_learned_and_told(course: tuple[str, Learned, Path]) -> None:
    code, learned, folder = course
    pad = int(code.partition("BLANK_PAD = ")[2].split()[0])
    said = {one.component: one.interface for one in learned.judged}
    assert said["encoder"].conventions["pad_id"] == pad
    assert said["decoder"].parameters == ("ids", "src", "memory")
    assert said["decoder"].conventions["pad_id"] == pad
    assert said["decoder"].conventions["pad_hidden"] == "both"
    assert f"id {pad} as padding" in (folder / "handout.md").read_text()


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize(("name", "seed"), [("work.py", 0), ("anybody.py", 1), ("hw2.py", 2), ("x_1706.py", 3)])
def test_equal_code_gets_equal_points_whatever_its_name_and_the_seed(
    name: str, seed: int, course: tuple[str, Learned, Path], sandbox: Sandbox
) -> None:
    report = graded_as(name, seed, course[0], course[2], sandbox)
    assert report.score == report.max_score


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize("slip", SLIPS)
def test_padding_that_is_not_hidden_is_caught_and_named(
    slip: str, course: tuple[str, Learned, Path], sandbox: Sandbox
) -> None:
    code = course[0].replace(*SLIPS[slip])
    assert code != course[0]
    report = graded_as("work.py", 0, code, course[2], sandbox)
    lost = [one for mark in report.marks for one in mark.outcomes if one.fraction < 1]
    assert [one.check.partition(".")[0] for one in lost] == [slip.split(maxsplit=1)[0]]
    assert lost[0].diagnosis


def read(code: str, name: str) -> Definition:
    return definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])[name]


CALLED = (
    "class Decoder:\n    def __init__(self, n):\n        self.n = n\n\n    def forward(self, {}):\n        return {}\n"
)
WITH_MASKS = ("ids", "memory", "src_mask", "tgt_mask")
WITH_IDS = ("ids", "memory", "src", "tgt_mask")


@pytest.mark.parametrize("names", ["trg, enc_src, src", "dec_inputs, enc_outputs, enc_inputs", "tgt, memory, src_ids"])
def test_ids_of_the_source_are_taken_for_no_mask(names: str) -> None:
    one = read(CALLED.format(names, names), "Decoder")
    assert list(calls(one, WITH_MASKS)) == []
    assert [way["parameters"] for way in calls(one, WITH_IDS)] == [["ids", "memory", "src"]]


@pytest.mark.parametrize("names", ["trg, enc_src, src_mask", "tgt, memory, pad_mask", "dec_inputs, enc_outputs, mask"])
def test_a_mask_is_taken_for_no_ids(names: str) -> None:
    one = read(CALLED.format(names, names), "Decoder")
    assert all("src" not in way["parameters"] for way in calls(one, WITH_IDS))


def test_ids_that_are_called_padding_are_tried_before_the_usual_ones() -> None:
    code = "PAD_TOKEN = 7\nWIDE = 5\nclass Encoder:\n    def __init__(self, n, padding_idx=4):\n        self.n = n\n\n"
    one = read(code + "    def forward(self, ids):\n        return ids != PAD_TOKEN\n", "Encoder")
    assert ids_of(one) == (7, 4, 0, 1)
