"""A hand-out says what its assignment.yaml says, in the words of what is handed in, and nothing that is not asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.errors import GraderError
from grader.learning.definitions import definitions
from grader.learning.given import handout_of
from grader.learning.handout import handout
from grader.learning.lesson import Learned
from grader.learning.starter import emptied
from grader.model.assignment import Interface
from grader.model.submission import CodeChunk, CodeModule

SOURCE = """
class Attention:
    def __init__(self, width, heads):
        pass

    def forward(self, q, k, v, mask=None):
        return q


class Block:
    def __init__(self, width, heads, inner, rate=0.0):
        pass

    def forward(self, x):
        return x


class Model:
    def __init__(self, words, width):
        pass

    def forward(self, tokens, wanted=None, rows=range(3)):
        scores = tokens
        loss = wanted
        return scores, loss


def weights(scores, dim=-1):
    return scores


def heads(num_heads, W_q, W_k, W_v, W_o, query):
    return query
"""
CLASS = {"form": "class"}
ARRAYS = {**CLASS, "backend": "numpy"}
OWN = {"constructor": ["d_model", "num_heads", "d_ff", "dropout"]}
WORDED: list[Any] = [
    pytest.param("multi_head_attention", "Attention", ("query", "key", "value", "mask"), {**ARRAYS, "mask": "additive"},
                 [], ["booleans", "tensors", "evaluation mode", "modules", "float64", "dropout"], id="added numbers"),
    pytest.param("multi_head_attention", "Attention", ("query", "key", "value", "mask"), CLASS,
                 ["booleans", "caller's tensors", "evaluation mode", "float64", "an assert"], [], id="tensors"),
    pytest.param("feed_forward", "Block", ("x",), {**ARRAYS, "constructor": ["d_model", "d_ff"]},
                 [], ["dropout"], id="no rate"),
    pytest.param("feed_forward", "Block", ("x",), {**CLASS, **OWN}, ["dropout"], [], id="a rate"),
    pytest.param("feed_forward", "Block", ("x",), {**CLASS, "config": {"n_embd": "d_model"}, "config_class": "Sizes"},
                 ["config is a `Sizes` where", "has `n_embd` (d_model)"], [], id="the class of a config"),
    pytest.param("encoder_layer", "Block", ("x",), {**CLASS, "causal": True},
                 ["Layer with causal self-attention"], ["Encoder layer", "masks of"], id="causal layer"),
    pytest.param("encoder", "Block", ("x",), {**CLASS, "last_norm": True},
                 ["A norm after the last", "then a norm"], ["norm is free", "sines", "embeds ids"], id="of vectors"),
    pytest.param("softmax", "weights", ("x", "axis"), {},
                 ["argument `dim`"], ["`axis`"], id="arguments by their own names"),
    pytest.param("feed_forward", "Block", ("x",), {**CLASS, **OWN, "gated": True, "activation": "silu"},
                 ["SiLU(x W_1) * (x W_3), times W_2, with biases or without"], ["b_1"], id="a gate"),
    pytest.param("multi_head_attention", "heads", ("num_heads", "W_q", "W_k", "W_v", "W_o", "query"),
                 {"matrices": "out_in", "attends_to": "itself"}, ["works on rows"], ["on columns"], id="rows"),
    pytest.param("language_model", "Model", ("ids",), {**CLASS, "rotary": "halves"},
                 ["`(tokens, wanted=None, rows=…)`", "It returns `(scores, loss)`", "nothing is added to"],
                 ["sines", "table of positions", "before the positions"], id="turned inside"),
]  # fmt: skip


def of(component: str, name: str, parameters: tuple[str, ...], conventions: dict[str, Any]) -> str:
    known = definitions([CodeModule("work", (CodeChunk(SOURCE, "work.py"),))])
    interface = Interface(component, name, parameters=parameters, conventions=conventions)
    return handout([(interface, known[name])], "mine", "Course", ["work.py"], torch=False)


@pytest.mark.parametrize(("component", "name", "parameters", "conventions", "said", "unsaid"), WORDED)
def test_what_is_said_is_what_is_asked(
    component: str, name: str, parameters: tuple[str, ...], conventions: dict[str, Any], said: list[str],
    unsaid: list[str],
) -> None:  # fmt: skip
    text = of(component, name, parameters, conventions)
    assert [words for words in said if words not in text] == []
    assert [words for words in unsaid if words in text] == []


def test_what_is_settled_has_a_line_and_what_is_usual_shares_one() -> None:
    settled = {**CLASS, "causal": True, "activation": "gelu"}
    lines = of("encoder_layer", "Block", ("x",), settled).splitlines()
    assert "- A causal mask that is built in." in lines
    assert "- The function between the two layers: GELU, exact (by the error function)." in lines
    (usual,) = [line for line in lines if line.startswith("- All else is as usual: ")]
    assert "a gain and a shift" in usual
    assert lines[-3:] == ["```", "grader check work.py -a mine", "```"]


LAYER = {**CLASS, "constructor": ["d_model", "num_heads", "d_ff", "dropout"], "activation": "gelu"}


def test_what_several_parts_have_in_common_is_said_once() -> None:
    known = definitions([CodeModule("work", (CodeChunk(SOURCE, "work.py"),))])
    told = [("feed_forward", ("x",), LAYER), ("encoder_layer", ("x",), {**LAYER, "causal": True}),
            ("encoder", ("x",), LAYER)]  # fmt: skip
    parts = [
        (Interface(name, "Block", parameters=taken, conventions=said), known["Block"]) for name, taken, said in told
    ]
    text = handout(parts, "mine", "Course", ["work.py"], torch=True)
    opening, *sections = text.split("\n## `")
    assert text.count("GELU, exact") == 1 == text.count("Leaves the caller's tensors as they were.")
    assert "GELU, exact" in opening
    assert "causal mask" not in opening  # the parts differ in it, so each says its own
    assert ["that is built in" in one for one in sections] == [False, True, False]
    assert ["no causal mask of its own" in one for one in sections] == [False, False, True]


def test_masks_have_the_names_that_students_have_for_them() -> None:
    source = (
        SOURCE + "\n\nclass Coder:\n    def forward(self, x, memory, sources=None, targets=None):\n        return x\n"
    )
    known = definitions([CodeModule("work", (CodeChunk(source, "work.py"),))])
    said = {**CLASS, "mask_shapes": {"src_mask": ["(b, m)"], "tgt_mask": ["(n, m)"]}}
    interface = Interface("decoder", "Coder", parameters=("x", "memory", "src_mask", "tgt_mask"), conventions=said)
    text = handout([(interface, known["Coder"])], "mine", "Course", ["work.py"], torch=True)
    assert "(b, m) for `sources`; (n, m) for `targets`" in text
    assert "src_mask" not in text


def test_several_values_that_are_returned_are_named_in_the_starter() -> None:
    text = emptied(CodeModule("work", (CodeChunk(SOURCE, "work.py"),)))
    assert text.count("return") == 1
    assert "Model.forward is yours to write: return (scores, loss)'" in text
    empty = CodeModule("work", (CodeChunk(text, "work.py"),))
    assert definitions([empty])["Model"].returned == ("scores", "loss")


YAML = """
schema: grader/assignment/v1
id: mine
version: "1"
title: Mine
components:
  feed_forward:
    callable: Block
    parameters: [x]
    conventions: {form: class, activation: %s}
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    (tmp_path / "starter").mkdir()
    (tmp_path / "starter" / "work.py").write_text(SOURCE)
    (tmp_path / "assignment.yaml").write_text(YAML % "relu")
    return tmp_path


def test_a_changed_assignment_has_another_handout(course: Path) -> None:
    assert "ReLU" in handout_of(course)
    (course / "assignment.yaml").write_text(YAML % "gelu")
    assert "ReLU" not in handout_of(course)
    assert "GELU, exact" in handout_of(course)


RUBRIC = """
schema: grader/rubric/v1
id: mine
assignment: mine
version: "1"
title: Mine
criteria:
  - id: feed-forward
    title: Feed-forward
    points: 5
    checks: [feed_forward.*]
    without: [feed_forward.parameters_are_registered]
"""


def test_the_handout_leaves_out_what_the_rubric_does(course: Path) -> None:
    assert "registered parameter" in handout_of(course)
    (course / "rubric.yaml").write_text(RUBRIC)
    assert "registered parameter" not in handout_of(course)


KEY = """
schema: grader/key/v1
sections:
  - id: sizes
    title: Sizes
    questions:
      - {id: width, title: Width, kind: number, value: 64, ask: How wide is a head?}
"""
REPORT = """
schema: grader/key/v1
sections:
  - id: document
    title: The document
    questions:
      - {id: pages, title: The report is a PDF of 1 to 3 pages, kind: pages, least: 1, most: 3}
"""


def test_the_handout_says_what_is_to_be_written(course: Path) -> None:
    (course / "assignment.yaml").write_text(f"{YAML % 'relu'}parts: [code, worksheet, report]\n")
    (course / "key.yaml").write_text(KEY)
    (course / "report.yaml").write_text(REPORT)
    text = handout_of(course)
    assert "## Worksheet" in text
    assert "- Sizes: 1 question.\n" in text
    assert "- The document: The report is a PDF of 1 to 3 pages.\n" in text
    assert "grader check" not in text  # with the folder beside the work a student would have its key


def test_the_handout_of_what_the_starter_lacks_is_refused(course: Path) -> None:
    (course / "starter" / "work.py").write_text("import numpy\n")
    with pytest.raises(GraderError, match="Block"):
        handout_of(course)


TIME_FIRST = """
import numpy as np


class LayerNorm:
    def __init__(self, width, eps=1e-5):
        self.gain, self.shift, self.eps = np.ones(width), np.zeros(width), eps

    def forward(self, x):
        away = x - x.mean(-1, keepdims=True)
        return self.gain * away / np.sqrt((away**2).mean(-1, keepdims=True) + self.eps) + self.shift


class PositionalEncoding:
    def __init__(self, width, longest):
        angles = np.arange(longest)[:, None, None] / 10000 ** (np.arange(0, width, 2) / width)
        self.rows = np.zeros((longest, 1, width))
        self.rows[..., ::2], self.rows[..., 1::2] = np.sin(angles), np.cos(angles)

    def forward(self, x):
        return x + self.rows[: len(x)]
"""


@pytest.mark.slow
def test_one_course_has_one_order_of_axes(teach: Callable[..., Learned], tmp_path: Path) -> None:
    learned = teach(TIME_FIRST, tmp_path)
    assert {lesson.component for lesson in learned.judged} == {"layer_norm", "positional_encoding"}
    assert {lesson.interface.conventions.get("batch") for lesson in learned.judged} == {"second"}


def test_what_is_trained_is_promised_where_the_course_says_so() -> None:
    words = {None: "or one that is trained", True: "table that is trained", False: "which stays as it is"}
    for declared, said in words.items():
        conventions = CLASS if declared is None else {**CLASS, "learned_positions": declared}
        assert said in of("language_model", "Model", ("ids",), conventions)
