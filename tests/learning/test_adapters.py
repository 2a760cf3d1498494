"""What no table can call is called by lines that are learned, and right work keeps its points under them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from courses import HEAD

from grader.learning.lesson import Learned
from grader.model.report import Report

OF_A_DICT = """import numpy as np


def multi_head_attention(params, x, num_heads, mask=None):
    b, t, d = x.shape
    q, k, v = (
        (x @ params[name]).reshape(b, t, num_heads, d // num_heads).transpose(0, 2, 1, 3) for name in NAMES
    )
    s = q @ k.swapaxes(-1, -2) / np.sqrt(d // num_heads)
    s = s if mask is None else np.where(mask == 0, -1e9, s)
    w = np.exp(s - s.max(-1, keepdims=True))
    read = w / w.sum(-1, keepdims=True) @ v
    return read.transpose(0, 2, 1, 3).reshape(b, t, d) @ params["Wo"]
"""
WRITTEN_OUT = OF_A_DICT.replace(
    "(x @ params[name])", "(x @ w)"
).replace("for name in NAMES", 'for w in (params["Wq"], params["Wk"], params["Wv"])')  # fmt: skip


@pytest.mark.slow
def test_arrays_that_stand_in_a_dict_are_put_there(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    lesson = teach(WRITTEN_OUT, tmp_path).lessons[0]
    assert (lesson.judged, lesson.mistakes) == (True, ())
    assert "multi_head_attention({'Wq': W_q, 'Wk': W_k, 'Wv': W_v, 'Wo': W_o}" in (tmp_path / "adapter.py").read_text()
    other_style = OF_A_DICT.replace("NAMES", '("Wq", "Wk", "Wv")')
    assert graded(other_style, tmp_path).score == 10
    assert graded(other_style.replace(" / np.sqrt(d // num_heads)", ""), tmp_path).score < 10


AS_A_CLASS = (
    HEAD
    + """class ScaledDotProductAttention:
    def __init__(self, temperature, dropout=0.1):
        self.temperature = temperature

    def forward(self, q, k, v, mask=None):
        s = q @ k.transpose(0, 2, 1) / self.temperature
        s = s if mask is None else np.where(mask == 0, -1e9, s)
        w = np.exp(s - s.max(-1, keepdims=True))
        w = w / w.sum(-1, keepdims=True)
        return w @ v, w

    __call__ = forward
"""
)


def test_attention_as_a_class_is_made_by_an_adapter(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    lesson = teach(AS_A_CLASS, tmp_path).lessons[0]
    assert (lesson.interface.domain, lesson.mistakes) == ({"ranks": [3]}, ())
    assert "work.ScaledDotProductAttention(Q.shape[-1] ** 0.5, 0.0)" in (tmp_path / "adapter.py").read_text()
    assert graded(AS_A_CLASS, tmp_path).score == 10
    assert graded(AS_A_CLASS.replace(" / self.temperature", ""), tmp_path).score < 10


CLASSES = {
    "forward": "class Softmax:\n    def forward(self, Z):\n        {}\n",
    "call": "class Softmax:\n    def __call__(self, rows):\n        {}\n",
    "both": "class Softmax:\n    def forward(self, Z):\n        {}\n\n    __call__ = forward\n",
}
SOFT = "e = np.exp({0} - {0}.max(-1, keepdims=True)); return e / e.sum(-1, keepdims=True)"


def test_a_class_in_the_place_of_a_function_is_called_as_each_student_has_it(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    learned = teach(HEAD + CLASSES["forward"].format(SOFT.format("Z")), tmp_path)
    assert [lesson.component for lesson in learned.judged] == ["softmax"]
    monkeypatch.syspath_prepend(str(tmp_path))
    adapted = (tmp_path / "adapter.py").read_text()
    for by_hand in (False, True):
        if by_hand:
            (tmp_path / "adapter.py").unlink()
        for style, text in CLASSES.items():
            given = "rows" if style == "call" else "Z"
            report = graded(HEAD + text.format(SOFT.format(given)), tmp_path)
            assert report.score == report.max_score, (style, adapted)
            report = graded(HEAD + text.format(SOFT.format(given).replace("e.sum(", "2 * e.sum(")), tmp_path)
            examples = [o.counterexample for mark in report.marks for o in mark.outcomes if o.counterexample]
            monkeypatch.delitem(sys.modules, "work", raising=False)
            importlib.invalidate_caches()
            exec(examples[0].snippet, {})  # noqa: S102 - what is printed runs
            assert "[" in capsys.readouterr().out


DECODED = """
import torch


def greedy_decode(model, src, src_mask, tokenizer_tgt, max_len, device):
    start, end = tokenizer_tgt.token_to_id("[SOS]"), tokenizer_tgt.token_to_id("[EOS]")
    memory, ids = model.encode(src, src_mask), torch.tensor([[start]], device=device)
    while ids.shape[1] < max_len and ids[0, -1] != end:
        scores = model.project(model.decode(memory, src_mask, ids, None)[:, -1])
        ids = torch.cat([ids, scores.argmax(-1)[:, None]], 1)
    return ids[0]
"""


@pytest.mark.slow
def test_a_decoder_that_is_given_a_tokenizer_is_given_one(
    teach: Callable[[str, Path], Learned], graded: Callable[..., Report], tmp_path: Path
) -> None:
    teach(DECODED, tmp_path)
    report = graded(DECODED, tmp_path)
    assert report.score == report.max_score


TWO_MASKS = """import numpy as np


def source_mask(ids, pad_id):
    return (ids != pad_id)[:, None, None, :]


def target_mask(ids, pad_id):
    return np.tri(ids.shape[1], dtype=bool)[None, None]
"""
UNDER_OTHER_NAMES = """class attention_masks:
    def call(work, ids, pad_id):
        return work.source_mask(ids, pad_id)

    def make_tgt_mask(work, ids, pad_id):
        return work.target_mask(ids, pad_id)
"""


def test_lines_to_paste_call_nothing_that_only_an_adapter_calls_so(
    graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    head = 'schema: grader/assignment/v1\nid: masks\nversion: "1"\ntitle: Masks\ncomponents:\n'
    (tmp_path / "assignment.yaml").write_text(f"{head}  attention_masks: {{callable: source_mask}}\n")
    (tmp_path / "adapter.py").write_text(UNDER_OTHER_NAMES)
    (tmp_path / "rubric.yaml").write_text(
        'schema: grader/rubric/v1\nid: masks\nassignment: masks\nversion: "1"\ntitle: Masks\n'
        "criteria: [{id: masks, title: Masks, points: 10, checks: [attention_masks.*]}]\n"
    )
    outcomes = [one for mark in graded(TWO_MASKS, tmp_path).marks for one in mark.outcomes]
    assert {one.diagnosis.id for one in outcomes if one.diagnosis} == {"tgt-mask-ignores-padding"}
    shown = [one.counterexample for one in outcomes if one.counterexample]
    assert shown
    assert [one.snippet for one in shown if "make_tgt_mask" in one.snippet] == []
