"""What is rare or wrong in a solution is asked or told, never taken; what cannot be learned is an error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from courses import HEAD, MATRICES
from courses_of_arrays import NUMPY

from grader.learning.definitions import definitions
from grader.learning.functions import Tried, _explains
from grader.learning.judged import _completed
from grader.learning.lesson import Learned, Lesson, Question
from grader.learning.settling import _named
from grader.model.assignment import Interface
from grader.model.outcome import Outcome, Verdict
from grader.model.report import Report
from grader.model.submission import CodeChunk, CodeModule

ROOT = Path(__file__).resolve().parents[2]
ATTENTION = (
    HEAD
    + """def attention(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2){}
    w = np.exp(s - s.max(-1, keepdims=True))
    w = w / w.sum(-1, keepdims=True)
    return w @ V, w
"""
)
SCALED = " / np.sqrt(Q.shape[-1])"


def test_what_is_rare_is_a_question(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    learned = teach(ATTENTION.format(""), tmp_path)
    text = (tmp_path / "assignment.yaml").read_text()
    assert "# ? conventions: {scale: none}" in text
    assert "sdpa-no-scale" in text
    assert learned.lessons[0].mistakes[0].counterexample is not None
    report = graded(ATTENTION.format(""), tmp_path)
    assert report.score < report.max_score
    (tmp_path / "assignment.yaml").write_text(text.replace("# ? conventions:", "conventions:"))
    report = graded(ATTENTION.format(""), tmp_path)
    assert report.score == report.max_score
    report = graded(ATTENTION.format(SCALED), tmp_path)
    assert report.score < report.max_score


def test_what_needs_the_result_of_an_absent_package_is_no_mistake(
    teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    rows = "from joblib import copies\n\n\ndef softmax(x):\n    out = np.exp(x - x.max(-1, keepdims=True))\n"
    rows += "    for row in copies(out):\n        row /= row.sum(-1, keepdims=True)\n    return out\n"
    lesson = next(one for one in teach(ATTENTION.format(SCALED) + rows, tmp_path).lessons if one.component == "softmax")
    assert not lesson.judged
    assert not lesson.mistakes
    assert "joblib" in lesson.questions[0].text


def test_a_part_is_completed_by_what_holds_it_where_the_files_are_read_anew() -> None:
    holds = "class {}:\n    def __init__(self):\n        self.inner = {}()\n\n\n"
    code = "class Heads:\n    pass\n\n\n" + holds.format("Mixing", "Heads") + holds.format("Layer", "Mixing")
    read, anew = (definitions([CodeModule("work", (CodeChunk(end, "work.py"),))]) for end in (code, code + "\n"))
    asked = Question("no output projection", "output_projection", value=False)
    part = Lesson(read["Heads"], Interface("multi_head_attention", "Heads"), questions=[asked])
    found = _completed(part, [part, Lesson(read["Layer"], Interface("encoder_layer", "Layer"))], anew)
    assert found.interface.conventions == {"output_projection": False}
    assert not found.questions


@pytest.mark.slow
@pytest.mark.parametrize("inside", ["q / np.sqrt(q.shape[-1])", "q"])
def test_what_a_part_leaves_to_what_is_made_of_it_is_no_question(
    inside: str, teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    starts = ("def softmax", "def attention", "class MultiHeadAttention")
    parts = [part for part in NUMPY.solution.split("\n\n\n") if part.startswith(starts)]
    code = "\n\n\n".join((HEAD.strip(), *parts)).replace(SCALED.replace("Q", "q"), "")
    learned = teach(code.replace("= attention(q, k, v", f"= attention({inside}, k, v"), tmp_path)
    part = next(lesson for lesson in learned.lessons if lesson.component == "scaled_dot_product_attention")
    scaled = inside != "q"
    assert part.interface.conventions.get("scale") == ("none" if scaled else None)
    assert bool(part.mistakes) is any(question.key == "scale" for question in part.questions) is not scaled


ANEW = """
from torch import nn


class EncoderLayer(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        if width % heads:
            raise ValueError("heads do not divide the width")
        self.heads, self.all, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.inner = nn.Sequential(nn.Linear(width, inner), nn.ReLU(), nn.Linear(inner, width))

    def forward(self, x):
        norm = nn.LayerNorm(x.shape[-1]).to(x.dtype)
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.all(x).chunk(3, -1))
        weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
        x = norm(x + self.out((weights @ v).transpose(1, 2).flatten(2)))
        return norm(x + self.inner(x))
"""


@pytest.mark.slow
@pytest.mark.torch
def test_a_norm_that_is_made_anew_in_every_call_is_no_convention(
    teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    (layer,) = teach(ANEW, tmp_path).judged
    assert "affine" not in layer.interface.conventions
    assert {name for lost in layer.mistakes if lost.diagnosis for name in lost.diagnosis.ids} == {"ln-missing-affine"}


@pytest.mark.slow
def test_what_is_no_convention_is_told_with_its_name(teach: Callable[[str, Path], Learned], tmp_path: Path) -> None:
    lesson = teach(ATTENTION.format(" / Q.shape[-1]"), tmp_path).lessons[0]
    assert {one.diagnosis.id for one in lesson.mistakes if one.diagnosis} == {"sdpa-scale-by-dk"}
    assert "# ! A likely mistake of the solution" in (tmp_path / "assignment.yaml").read_text()
    assert not {"scale", "mask"} & lesson.interface.conventions.keys()


SCHEDULE = """
import math


def get_lr(it, max_lr, warmup, total):
    if it < warmup:
        return max_lr * (it + 1) / warmup
    return max_lr * (1 + math.cos(math.pi * (it - warmup) / (total - warmup))) / 2
"""


SHARES = """
import numpy as np


def position_encoding_simple(K, M):
    return np.repeat(np.arange(K)[:, None] / K, M, axis=1)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("code", "component"), [(SCHEDULE, "noam_lr"), (SHARES, "positional_encoding")])
def test_what_has_hardly_more_than_the_name_of_a_part_is_none(
    code: str, component: str, teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    learned = teach(f"{ATTENTION.format(SCALED)}\n{code}", tmp_path)
    assert [one.component for one in learned.judged] == ["scaled_dot_product_attention"]
    (other,) = [one for one in learned.lessons if not one.judged]
    assert f"looks like {component} by its name alone" in other.questions[0].text
    assert not other.mistakes


TRAINS = (
    HEAD
    + """class FeedForward:
    def __init__(self, width, inner, rate=0.5):
        rng = np.random.default_rng(0)
        self.W1, self.b1 = rng.normal(size=(width, inner)), np.zeros(inner)
        self.W2, self.b2 = rng.normal(size=(inner, width)), np.zeros(width)
        self.rate = rate

    def forward(self, x, training=True):
        hidden = np.maximum(x @ self.W1 + self.b1, 0)
        if training:
            hidden = hidden * (np.random.rand(*hidden.shape) > self.rate) / (1 - self.rate)
        return hidden @ self.W2 + self.b2
"""
)


def test_what_trains_unless_it_is_told_not_to_is_told(teach: Callable[[str, Path], Learned], tmp_path: Path) -> None:
    lesson = teach(TRAINS, tmp_path).lessons[0]
    assert lesson.judged
    assert not lesson.mistakes


IN_TORCH = """
import torch
from torch import nn


class ScaledDotProductAttention(nn.Module):
    def __init__(self, d_head):
        super().__init__()
        self.factor, self.drop = d_head ** -0.5, nn.Dropout(0.1)

    def forward(self, q, k, v, mask=None):
        s = q @ k.transpose(-2, -1) * self.factor
        s = s if mask is None else s.masked_fill(mask == 0, -1e9)
        return self.drop(s.softmax(-1)) @ v


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len, device):
        super().__init__()
        at = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        self.register_buffer("rows", torch.stack((at.sin(), at.cos()), -1).flatten(1).to(device))

    def forward(self, x):
        samples, length = x.size()
        return self.rows[:length]
"""


@pytest.mark.slow
@pytest.mark.torch
def test_dropout_in_an_attention_is_off_and_rows_are_told_by_ids(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    learned = teach(IN_TORCH, tmp_path)
    assert [lesson.component for lesson in learned.judged] == ["scaled_dot_product_attention", "positional_encoding"]
    assert graded(IN_TORCH, tmp_path).score == 20
    assert 0 < graded(IN_TORCH.replace(" ** -0.5", " ** -1"), tmp_path).score < 20
    assert 0 < graded(IN_TORCH.replace("(at.sin(), at.cos())", "(at.cos(), at.sin())"), tmp_path).score < 20


# -------------------------------------------------------------------------------------------------- the command


def test_constants_that_follow_from_constants_stay_in_the_starter(
    teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    above = "width, heads = 64, 4\nd_k = d_v = width // heads\nwords = len(dir(np))\nlast = words - 1\n\n\n"
    teach(above + MATRICES, tmp_path)
    text = (tmp_path / "starter/learned.py").read_text()
    assert "d_k = d_v = width // heads\n" in text
    assert "words" not in text


@pytest.mark.parametrize(
    ("right", "before", "fact"), [(57, 56, False), (57, 50, False), (57, 40, True), (100, 97, True), (70, 0, True)]
)
def test_what_explains_hardly_more_is_no_fact(right: int, before: int, fact: bool) -> None:
    def tried(passed: int) -> Tried:
        verdict = Verdict.PASSED if passed == 100 else Verdict.FAILED
        return Tried(
            Interface("softmax", "f"), (), (Outcome("softmax.a", "softmax", "", verdict, passed=passed, asked=100),)
        )

    assert _explains(tried(right), tried(before)) is fact


def test_a_mistake_that_turns_what_a_course_settles_may_be_settled() -> None:
    interface = Interface("encoder", "Encoder", parameters=("ids", "mask"), conventions={"form": "class"})
    (one,) = definitions([CodeModule("m", (CodeChunk("class Encoder: pass", "m.py"),))]).values()
    lost = [SimpleNamespace(diagnosis=SimpleNamespace(ids=(name,))) for name in ("trf-embed-scale-missing", "other")]
    said = [
        [(settled.key, value) for settled, value in _named(Lesson(one, interface, mistakes=(mistake,)))]  # type: ignore[arg-type]
        for mistake in lost
    ]
    assert said == [[("embedding_scale", "none")], []]


NEIGHBOURS = """
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, in_dim, emb_dim, heads, window_size):
        super().__init__()
        assert emb_dim % heads == 0
        self.heads, self.window = heads, window_size
        self.all, self.out = nn.Linear(in_dim, 3 * emb_dim), nn.Linear(emb_dim, emb_dim)

    def forward(self, x, padding_mask):
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.all(x).chunk(3, -1))
        scores, places = q @ k.mT / q.shape[-1] ** 0.5, torch.arange(x.shape[1])
        near = (places - places[:, None]).abs() <= self.window // 2
        weights = scores.masked_fill(~near, -1e9).softmax(-1)
        weights = weights * (1 + (padding_mask[:, None, None] != 0)) / 2
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class EncoderLayer(nn.Module):
    def __init__(self, emb_dim, inner_dim, heads, window_size, dropout=0.1):
        super().__init__()
        self.attention = MultiHeadAttention(emb_dim, emb_dim, heads, window_size)
        self.inner = nn.Sequential(nn.Linear(emb_dim, inner_dim), nn.ReLU(), nn.Linear(inner_dim, emb_dim))
        self.norm1, self.norm2, self.drop = nn.LayerNorm(emb_dim), nn.LayerNorm(emb_dim), nn.Dropout(dropout)

    def forward(self, x, padding_mask):
        x = self.norm1(x + self.drop(self.attention(x, padding_mask)))
        return self.norm2(x + self.drop(self.inner(x)))


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.gain, self.shift, self.eps = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width)), eps

    def forward(self, x):
        d = x - x.mean(-1, keepdim=True)
        return self.gain * d / (d.square().mean(-1, keepdim=True) + self.eps).sqrt() + self.shift
"""


@pytest.mark.slow
@pytest.mark.torch
def test_what_is_made_of_another_attention_is_not_asked_for(
    teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    learned = teach(NEIGHBOURS, tmp_path)
    assert [(one.component, one.mistakes) for one in learned.judged] == [("layer_norm", ())]


ONE_LENGTH = """
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        assert width % heads == 0
        self.heads, self.maps = heads, nn.ModuleList(nn.Linear(width, width) for _ in range(4))

    def forward(self, q, k, v):
        batch, n, width = q.shape
        q, k, v = (map(x).view(batch, n, self.heads, -1).transpose(1, 2) for map, x in zip(self.maps, (q, k, v)))
        weights = (q @ k.mT / (width // self.heads) ** 0.5).softmax(-1)
        return self.maps[3]((weights @ v).transpose(1, 2).reshape(batch, n, width))
"""


@pytest.mark.slow
@pytest.mark.torch
def test_whether_all_sequences_have_one_length_is_asked(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    (lesson,) = teach(ONE_LENGTH, tmp_path).judged
    assert [(one.key, one.value) for one in lesson.questions] == [("domain", {"same_length": True})]
    file = tmp_path / "assignment.yaml"
    file.write_text(file.read_text().replace("# ? domain", "domain"))
    report = graded(ONE_LENGTH, tmp_path)
    assert {outcome.verdict for mark in report.marks for outcome in mark.outcomes} == {Verdict.PASSED}
