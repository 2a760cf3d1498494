"""Which of several definitions a part is, and what a constructor is given whose words leave several sizes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from grader.errors import GraderError
from grader.intake.loading import load
from grader.learning import words
from grader.learning.around import Around
from grader.learning.construction import makings
from grader.learning.definitions import Definition, definitions
from grader.learning.draft import parts_of
from grader.learning.learn import learn
from grader.learning.lesson import Learned
from grader.model.submission import CodeChunk, CodeModule
from grader.sandbox.parent import Sandbox


def known(code: str) -> dict[str, Definition]:
    return definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])


@pytest.mark.parametrize(("name", "component"), [
    ("SelfAttentionEncoderLayer", "encoder_layer"), ("CrossAttentionDecoderLayer", "decoder_layer"),
    ("SelfAttentionLayer", "multi_head_attention"), ("EncoderDecoderAttention", "multi_head_attention"),
    ("FeedForwardLayerNorm", "layer_norm"), ("MultiHeadAttentionWithBias", "multi_head_attention"),
    ("SwiGLU", "feed_forward"),
])  # fmt: skip
def test_of_several_words_the_last_says_what_a_class_is(name: str, component: str) -> None:
    assert words.meant(name, words.CLASSES) == component


SIMPLE_AND_SINES = """
import numpy as np

def position_encoding_simple(max_len, d_model):
    return np.repeat(np.arange(max_len)[:, None] / max_len, d_model, axis=1)

def position_encoding_of_sines(max_len, d_model):
    angles = np.arange(max_len)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    table = np.zeros((max_len, d_model))
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)[:, : d_model // 2]
    return table
"""


@pytest.mark.slow
def test_of_several_functions_the_one_that_computes_the_part_is_it(
    teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    names = [one.name for part in parts_of(known(SIMPLE_AND_SINES)) for one in part.definitions]
    assert names == ["position_encoding_simple", "position_encoding_of_sines"]
    (lesson,) = teach(SIMPLE_AND_SINES, tmp_path).judged
    assert lesson.definition.name == "position_encoding_of_sines"
    assert not lesson.mistakes


def test_beside_the_width_of_the_model_an_attention_may_be_given_that_of_a_head() -> None:
    code = "class A:\n    def __init__(self, num_heads, dim_in, dim_out): ...\n    def forward(self, x): ...\n"
    one = known(code)["A"]
    made = list(islice(makings(one, "multi_head_attention", ("d_model", "num_heads"), Around({"A": one})), 3))
    assert made[0] == {"constructor": ["num_heads", {"dim_in": "d_model"}, {"dim_out": "d_model"}]}
    assert {"constructor": ["num_heads", {"dim_in": "d_model"}, {"dim_out": "d_k"}]} in made or {
        "constructor": ["num_heads", "d_model", "d_k"]
    } in made


SHAPED = """class A:
    def __init__(self, parameters_shape, eps=1e-5):
        self.parameters_shape = parameters_shape

    def forward(self, x):
        return x.mean([-1 - at for at in range(len(self.parameters_shape))])
"""


def test_the_shape_of_a_norm_that_is_asked_for_its_length_has_one() -> None:
    one = known(SHAPED)["A"]
    made = next(makings(one, "layer_norm", ("d_model", "eps"), Around({"A": one})))["adapter"]
    assert made == "work.A([sizes.d_model], sizes.eps)"


SOFTMAX = """import numpy as np


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
"""
UNLEARNED = """from plain import softmax


class EncoderLayer:
    def forward(self, x):
        return softmax(x).nothing
"""


SUMMED = """
import torch
from torch import nn

class LabelSmoothingLoss(nn.Module):
    def __init__(self, label_smoothing, vocab_size):
        super().__init__()
        self.eps, self.size = label_smoothing, vocab_size

    def forward(self, outputs, targets):
        samples, n, words = outputs.size()
        logs = outputs.reshape(samples * n, words).log_softmax(-1)
        spread = torch.full_like(logs, self.eps / self.size)
        spread[torch.arange(samples * n), targets.reshape(-1)] += 1 - self.eps
        loss = -(spread * logs).sum()
        return loss, targets.numel()
"""


@pytest.mark.slow
@pytest.mark.torch
def test_what_stands_beside_a_loss_is_not_judged_where_it_takes_some_inputs_alone(
    teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    (lesson,) = teach(SUMMED, tmp_path).judged
    assert lesson.interface.returns[1:] == ("_",)
    assert lesson.interface.conventions["reduction"] == "sum"
    assert not lesson.mistakes


@pytest.mark.slow
def test_of_what_is_defined_twice_the_imported_one_counts_also_where_its_user_is_not_learned(tmp_path: Path) -> None:
    files = {"plain": SOFTMAX, "fast": SOFTMAX.replace("e /", "e**2 /"), "layer": UNLEARNED}
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    with Sandbox("standard") as sandbox:
        (lesson,) = learn(load(tmp_path), sandbox).judged
    assert lesson.definition.name == "softmax"
    assert not lesson.mistakes
    files["layer"] = UNLEARNED.replace("from plain import softmax", "from scipy.special import softmax")
    (tmp_path / "layer.py").write_text(files["layer"])
    with Sandbox("standard") as sandbox, pytest.raises(GraderError, match="softmax is defined in"):
        learn(load(tmp_path), sandbox)
