"""What is rare or wrong in a solution is asked or told, never taken; what cannot be learned is an error."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from courses import NUMPY
from courses_of_calls import TOLD

from grader import components as catalogue
from grader.catalog import list_assignments, load_assignment, load_rubric, rubric_beside
from grader.cli import main
from grader.learning.definitions import definitions
from grader.learning.draft import calls, makings, parts_of
from grader.learning.files import OF_WEIGHTS, weights
from grader.learning.learn import Learned
from grader.learning.manners import Around
from grader.learning.words import argument_of, is_size
from grader.model import CodeChunk, CodeModule, Interface, Report

ROOT = Path(__file__).resolve().parents[2]
HEAD = "import numpy as np\n\n\n"
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


SINGLE = """
from torch import nn


class LayerNorm(nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.float())
"""
WHOLE = TOLD.solution.replace("torch.softmax(scores, -1)", "torch.softmax(scores.float(), -1)")
STAYS = TOLD.solution.replace('self.register_buffer("places", ', "self.places = (")


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize(
    ("code", "part", "key"),
    [(SINGLE, "layer_norm", "float64"), (STAYS, "transformer", "moves"), (WHOLE, "decoder_layer", "float64")],
)
def test_what_a_solution_does_not_do_is_not_promised(
    code: str,
    part: str,
    key: str,
    teach: Callable[[str, Path], Learned],
    graded: Callable[[str, Path], Report],
    tmp_path: Path,
) -> None:
    pytest.importorskip("torch")
    lesson = next(one for one in teach(code, tmp_path).judged if one.component == part)
    assert lesson.interface.conventions[key] is False
    report = graded(code, tmp_path)
    assert report.score == report.max_score


@pytest.mark.slow
def test_what_is_no_convention_is_told_with_its_name(teach: Callable[[str, Path], Learned], tmp_path: Path) -> None:
    lesson = teach(ATTENTION.format(" / Q.shape[-1]"), tmp_path).lessons[0]
    assert {one.diagnosis.id for one in lesson.mistakes if one.diagnosis} == {"sdpa-scale-by-dk"}
    assert "# ! A likely mistake of the solution" in (tmp_path / "assignment.yaml").read_text()
    assert not {"scale", "mask"} & lesson.interface.conventions.keys()


MATRICES = HEAD + "def softmax(x):\n    e = np.exp(x - x.max(1)[:, None])\n    return e / e.sum(1)[:, None]\n"


def test_the_axes_that_it_takes_are_what_is_promised(teach: Callable[[str, Path], Learned], tmp_path: Path) -> None:
    lesson = teach(MATRICES, tmp_path).lessons[0]
    assert lesson.interface.domain == {"ranks": [2]}
    assert not lesson.mistakes


LAST_OF_THREE = (
    HEAD
    + "def softmax(scores, axis=2):\n    e = np.exp(scores - scores.max(axis, keepdims=True))\n"
    + "    return e / e.sum(axis, keepdims=True)\n"
)


def test_the_axis_behind_two_others_is_the_last_of_three(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    lesson = teach(LAST_OF_THREE, tmp_path).lessons[0]
    assert lesson.interface.domain == {"ranks": [3]}
    assert not lesson.mistakes
    report = graded(LAST_OF_THREE.replace("axis=2", "axis=1"), tmp_path)
    assert report.score < report.max_score


ASSERTS = (
    HEAD
    + """def attention(queries, keys, values, mask=None):
    assert queries.ndim == 3 and keys.shape == values.shape
    s = queries @ np.swapaxes(keys, 1, 2) / np.sqrt(keys.shape[2])
    if mask is not None:
        assert mask.shape == s.shape
        s = np.where(mask, s, -1e9)
    w = np.exp(s - s.max(-1, keepdims=True))
    return w / w.sum(-1, keepdims=True) @ values
"""
)


@pytest.mark.slow
def test_what_asserts_of_shapes_is_promised(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    lesson = teach(ASSERTS, tmp_path).lessons[0]
    assert lesson.interface.domain == {"ranks": [3], "same_width": True, "masks": "full"}
    assert not lesson.mistakes
    report = graded(ASSERTS.replace("s = queries @", "s = 2 * queries @"), tmp_path)
    assert report.score < report.max_score


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


def test_what_the_arguments_leave_out_is_settled(teach: Callable[[str, Path], Learned], tmp_path: Path) -> None:
    bare = "def layer_norm(x, eps=1e-5):\n    m, v = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)\n"
    lesson = teach(f"{HEAD}{bare}    return (x - m) / np.sqrt(v + eps)\n", tmp_path).lessons[0]
    assert lesson.interface.conventions == {"form": "function", "affine": "none"}
    assert not lesson.mistakes


# -------------------------------------------------------------------------------------------------- the command

BROKEN = HEAD + "def softmax(x):\n    return x\n\n\nsoftmax = np.no_such_decorator(softmax)\n"


LARGE = (
    HEAD
    + """class FeedForward:
    def __init__(self):
        self.inner, self.outer = np.zeros((1024, 1024)), np.zeros((1024, 1024))

    def forward(self, x):
        return np.maximum(x @ self.inner, 0) @ self.outer
"""
)


def run(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(words)
    out, err = capfd.readouterr()
    return int(str(caught.value.code or 0)), out, err


@pytest.mark.parametrize(
    ("code", "words", "told"),
    [
        (None, (), "there is no such file or folder"),
        ("def softmax(x:\n", (), "s.py:1: is not Python"),
        (BROKEN, (), "does not load (AttributeError: module 'numpy' has no attribute 'no_such_decorator')"),
        ("def flatten(x):\n    return x\n", (), "(it defines flatten)"),
        (MATRICES, ("--components", "encoder_layer"), "nothing is called like encoder_layer (it defines softmax)"),
        (MATRICES, ("--components", "softmaxx"), "Did you mean 'softmax'?"),
        ("def softmax(x, y, z, w):\n    return x\n", (), "takes (x, y, z, w)"),
        (LARGE, (), "is made with 2,097,152 numbers, whatever it is given"),
    ],
)
def test_what_cannot_be_learned_says_why_and_leaves_nothing(
    code: str | None, words: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: Any, capfd: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    if code is not None:
        Path("s.py").write_text(code)
    before = sorted(tmp_path.rglob("*"))
    exit_code, _, err = run(capfd, "new", "hw", "--from", "s.py", *words)
    assert exit_code == 2
    assert told in err
    assert sorted(tmp_path.rglob("*")) == before


def test_what_does_not_run_here_is_said_and_the_rest_is_learned(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.py").write_text(MATRICES + "\n\ntext = open('corpus.txt').read()\nprint(softmax(text))\n")
    exit_code, out, _ = run(capfd, "new", "hw", "--from", "s.py")
    assert exit_code == 0
    assert "! s.py:9 does not run here (FileNotFoundError" in out.splitlines()[0]
    assert "hw: 1 part learned." in out


def test_constants_that_follow_from_constants_stay_in_the_starter(
    teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    above = "width, heads = 64, 4\nd_k = d_v = width // heads\nwords = len(dir(np))\nlast = words - 1\n\n\n"
    teach(above + MATRICES, tmp_path)
    text = (tmp_path / "starter/learned.py").read_text()
    assert "d_k = d_v = width // heads\n" in text
    assert "words" not in text


def test_what_is_never_asked_has_no_weight() -> None:
    said = {"form": "class", "mask_shapes": ["(n, m)", "(b, 1, 1, m)"]}
    bundled = [load_rubric(rubric_beside(one.id), one) for one in map(load_assignment, list_assignments())]
    asked = {at for at, _ in weights(Interface("multi_head_attention", "Heads", conventions=said), bundled)}
    assert "multi_head_attention.mask_for_all" in asked
    assert "multi_head_attention.mask_per_sample" not in asked


@pytest.mark.parametrize("part", ["language_model", "positional_encoding"])
def test_what_compares_with_the_paper_counts_more(part: str) -> None:
    bundled = [load_rubric(rubric_beside(one.id), one) for one in map(load_assignment, list_assignments())]
    block = catalogue.block(part)
    interface = Interface(part, "Thing", parameters=block.parameters[:1], conventions={"form": "class"})
    weighed = dict(weights(interface, bundled))
    asked = block.asked(interface)
    computing = {f"{part}.{one.name}" for one in block.checks if one.owns is not None and one.name in asked}
    assert computing <= weighed.keys()
    assert {f"{part}.{name}" for name in OF_WEIGHTS & asked} <= weighed.keys()
    assert f"{part}.repeats_itself" not in weighed
    assert min(weighed.values()) > 1


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


def test_what_holds_a_part_that_is_not_read_is_told_from_what_does_not() -> None:
    code = "class A:\n    pass\nclass B:\n    x = A()\nclass C:\n    x = B()\nclass D:\n    pass\n"
    known = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])
    around = Around(known, {}, {}, frozenset({"A"}))
    assert {name for name in known if around.holds_unread(known[name])} == {"A", "B", "C"}


def test_a_class_may_stand_before_its_parent() -> None:
    last = CodeModule("a", (CodeChunk("class Last(Middle):\n    pass\n", "a.py"),))
    rest = CodeModule("b", (CodeChunk("class Middle(First): pass\nclass First(nn.Module): pass\n", "b.py"),))
    known = definitions([last, rest])
    assert list(known) == ["Last", "Middle", "First"]
    assert known["Last"].of_torch


def test_a_module_of_the_solutions_own_is_none_of_torch() -> None:
    code = "class Module: pass\nclass Norm(Module): pass\nclass Other(Unknown.Module): pass\n"
    known = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])
    assert [known[name].of_torch for name in ("Norm", "Other")] == [False, True]


@pytest.mark.parametrize(("name", "size"), [
    ("q_k_size", "d_k"), ("v_size", "d_v"), ("f_size", "d_ff"), ("ffn_num_hiddens", "d_ff"),
    ("ffn_num_outputs", "d_model"), ("query_size", "d_model"),
])  # fmt: skip
def test_a_size_is_told_by_its_name(name: str, size: str) -> None:
    assert is_size(name, size)


NAMED = {
    "what tests call comes first": (
        "class LayerNorm:\n    def forward(self, x): 1\ndef run_layernorm(d_model, x): 1\n",
        {"layer_norm": "run_layernorm"},
    ),
    "positions of another paper": ("class RotaryPositionalEmbedding:\n    def forward(self, x): 1\n", {}),
    "a stack of vectors": ("class Transformer:\n    def forward(self, x, mask=None): 1\n", {"encoder": "Transformer"}),
    "a stack that embeds": (
        "class Transformer:\n    def __init__(self): self.e = nn.Embedding(1, 1)\n    def forward(self, x): 1\n",
        {"language_model": "Transformer"},
    ),
    "a schedule of another paper": ("def get_lr_cosine_schedule(step, top): 1\n", {}),
}


@pytest.mark.parametrize("what", NAMED)
def test_a_part_is_told_by_its_name(what: str) -> None:
    code, parts = NAMED[what]
    found = parts_of(definitions([CodeModule("m", (CodeChunk(code, "m.py"),))]))
    assert {one.component: one.definition.name for one in found} == parts


def test_of_two_masks_the_first_is_that_of_the_target() -> None:
    masks = ["src_mask", "tgt_mask"]
    assert [argument_of(f"{word}_attn_mask", masks) for word in ("first", "second")] == [["tgt_mask"], ["src_mask"]]


@pytest.mark.parametrize(("last", "made"), [
    ("ff_mult=4", ["d_model", "num_heads"]), ("mlp_ratio", ["d_model", "num_heads", {"mlp_ratio": 4}]),
    ("expansion_dim", ["d_model", "num_heads", "d_ff"]), ("expand_dim", ["d_model", "num_heads", "d_ff"]),
])  # fmt: skip
def test_the_inner_layer_is_told_by_its_width_or_as_a_multiple(last: str, made: list[object]) -> None:
    code = f"class Block:\n    def __init__(self, d_model, heads, {last}): ...\n    def forward(self, x): ...\n"
    one = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])["Block"]
    ways = list(makings(one, "encoder_layer", ("d_model", "num_heads", "d_ff"), {"Block": one}, {}))
    assert made in [way["constructor"] for way in ways[:2]]


PADDED = {
    "src, tgt, src_mask, tgt_mask, src_padding_mask, tgt_padding_mask, memory_key_padding_mask": (
        "src_mask=None, tgt_mask=tgt_mask, src_padding_mask=src_mask, tgt_padding_mask=None,"
        " memory_key_padding_mask=src_mask"
    ),
    "src, tgt, tgt_look_ahead_mask, src_pad_mask, tgt_pad_mask, enc_pad_mask": (
        "tgt_look_ahead_mask=tgt_mask, src_pad_mask=src_mask, tgt_pad_mask=None, enc_pad_mask=src_mask"
    ),
}


@pytest.mark.parametrize("taken", PADDED)
def test_padding_that_has_masks_of_its_own_is_hidden_wherever_it_is_read(taken: str) -> None:
    code = f"class Transformer:\n    def forward(self, {taken}): ...\n"
    one = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])["Transformer"]
    called = next(calls(one, ["src", "tgt", "src_mask", "tgt_mask"]))
    assert called["entry"] == f"thing(src=src, tgt=tgt, {PADDED[taken]})"
    assert {*called["parameters"]} == {"src", "tgt", "src_mask", "tgt_mask"}


def test_parts_that_are_given_as_classes_are_given_so() -> None:
    made = "def __init__(self, d_model, attention_cls, norm_cls): ..."
    code = f"class Layer:\n    {made}\n    def forward(self, x): ...\n"
    one = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])["Layer"]
    ready = {"multi_head_attention": "work.Heads(sizes.d_model)", "layer_norm": "work.Norm(sizes.d_model)"}
    lines = next(makings(one, "encoder_layer", ("d_model",), {"Layer": one}, ready))
    assert lines == {"adapter": "work.Layer(sizes.d_model, work.Heads, work.Norm)"}


def test_a_name_that_two_files_define_is_told(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("both").mkdir()
    Path("both/one.py").write_text(MATRICES)
    Path("both/two.py").write_text(MATRICES.replace("x.max(1)", "x.max(-1)"))
    exit_code, _, err = run(capfd, "new", "hw", "--from", "both")
    assert exit_code == 2
    assert "softmax is defined in" in err
    assert not Path("hw").exists()


def test_a_folder_that_is_there_is_left(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.py").write_text(MATRICES)
    Path("hw").mkdir()
    exit_code, _, err = run(capfd, "new", "hw", "--from", "s.py")
    assert (exit_code, err.startswith("grader: hw: is there already")) == (2, True)
    assert not list(Path("hw").iterdir())


def test_from_solution_to_validated_assignment(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.py").write_text(MATRICES)
    exit_code, out, _ = run(capfd, "new", "hw", "--from", "s.py")
    assert (exit_code, out.splitlines()[-1]) == (
        0,
        "Read hw/assignment.yaml, then: grader assignment validate hw --against s.py",
    )
    exit_code, out, _ = run(capfd, "assignment", "validate", "hw", "--against", "s.py")
    assert (exit_code, out.splitlines()[-1]) == (0, "s.py: right, 10 of 10 points")
    Path("wrong.py").write_text(MATRICES.replace("np.exp(x - x.max(1)[:, None])", "np.exp(x)"))
    exit_code, out, _ = run(capfd, "assignment", "validate", "hw", "--against", "wrong.py")
    assert exit_code == 1
    assert "softmax-overflow" in out or "not right under this assignment" in out


@pytest.mark.slow
def test_a_notebook_gives_a_notebook(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    import json

    monkeypatch.chdir(tmp_path)
    text = MATRICES.replace("softmax(x)", "softmax(width, x)")  # told more than its array: by lines of an adapter
    cells = [{"cell_type": "code", "metadata": {}, "source": text, "outputs": [], "execution_count": None}]
    Path("s.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert run(capfd, "new", "hw", "--from", "s.ipynb")[0] == 0
    assert Path("hw/starter/s.ipynb").is_file()
    assert "file: s.ipynb\n" in Path("hw/assignment.yaml").read_text()
    assert "in `s.ipynb`; the starter" in Path("hw/handout.md").read_text()
    assert "class softmax:" in Path("hw/adapter.py").read_text()
    assert run(capfd, "assignment", "validate", "hw", "--against", "s.ipynb")[0] == 0
    assert run(capfd, "assignment", "handout", "hw")[1].endswith("grader check s.ipynb\n```\n")


@pytest.mark.slow
def test_what_hangs_is_not_learned(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.py").write_text(MATRICES + "\n\ndef attention(Q, K, V):\n    import os\n    os._exit(3)\n")
    assert run(capfd, "new", "hw", "--from", "s.py")[0] == 0
    text = Path("hw/assignment.yaml").read_text()
    assert "# ? scaled_dot_product_attention: attention takes (Q, K, V), and could not be called" in text


def test_what_hides_a_mistake_is_not_promised(teach: Callable[[str, Path], Learned], tmp_path: Path) -> None:
    whole = HEAD + "def softmax(x):\n    e = np.exp(x - x.max())\n    return e / e.sum()\n"
    lesson = teach(whole, tmp_path).lessons[0]
    assert lesson.interface.domain == {}
    assert {one.diagnosis.id for one in lesson.mistakes if one.diagnosis} == {"softmax-over-everything"}


@pytest.mark.slow
def test_what_the_page_shows_is_what_is_printed(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    page = (ROOT / "docs/instructor.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    solution = (ROOT / "examples/course/solution.py").read_text(encoding="utf-8")
    Path("solution.py").write_text(solution, encoding="utf-8")
    shown = page.split("```text\n")[1].partition("```")[0]
    assert run(capfd, "new", "my-hw", "--from", "solution.py") == (0, shown, "")
    listed = page.split("```yaml\n")[1].partition("```")[0]
    assert set(listed.splitlines()) <= set(Path("my-hw/assignment.yaml").read_text(encoding="utf-8").splitlines())
    assert page.split("```python\n")[1].partition("```")[0] in solution
    assert run(capfd, "assignment", "validate", "my-hw", "--against", "solution.py")[0] == 1


def test_the_heart_of_a_part_weighs_as_in_the_bundled_rubrics(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.py").write_text(MATRICES)
    run(capfd, "new", "hw", "--from", "s.py")
    rubric = load_rubric("hw/rubric.yaml", load_assignment("hw"))
    weights = {check.id: check.weight for criterion in rubric.criteria for check in criterion.checks}
    assert weights["softmax.matches_the_definition"] > weights["softmax.a_constant_changes_nothing"] == 1


ADDED = (
    HEAD
    + """class SelfAttention:
    def __init__(self, dim, heads):
        self.q, self.k, self.v, self.o = np.random.default_rng(0).normal(size=(4, dim, dim))
        self.heads = heads

    def __call__(self, x, attention_mask):
        q, k, v = (np.stack(np.split(x @ w, self.heads, -1), -3) for w in (self.q, self.k, self.v))
        s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]) + attention_mask
        p = np.exp(s - s.max(-1, keepdims=True))
        found = p / p.sum(-1, keepdims=True) @ v
        return np.concatenate([found[..., h, :, :] for h in range(self.heads)], -1) @ self.o
"""
)


@pytest.mark.slow
def test_a_mask_that_is_always_added_is_no_boolean(teach: Callable[[str, Path], Learned], tmp_path: Path) -> None:
    lesson = teach(ADDED, tmp_path).judged[0]
    assert lesson.interface.conventions["mask"] == "additive"
    assert not lesson.mistakes


ADDED = (
    HEAD
    + """def causal_mask(n):
    return np.triu(np.full((n, n), {}), 1)


def attention(Q, K, V, mask=None):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        s = s + mask
    w = np.exp(s - s.max(-1, keepdims=True))
    w = w / w.sum(-1, keepdims=True)
    return w @ V, w
"""
)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "hides"), [("-np.inf", "infinite"), ("float('-inf')", "infinite"), ("-1e9", None)])
def test_masks_hide_with_what_the_course_makes_them_of(
    number: str, hides: str | None, teach: Callable[[str, Path], Learned], graded: Callable[..., Report], tmp_path: Path
) -> None:
    learned = teach(ADDED.format(number), tmp_path)
    said = {one.component: one.interface.conventions for one in learned.judged}
    assert said["scaled_dot_product_attention"].get("mask_hides") == hides
    if hides:
        report = graded(
            ADDED.format(number).replace("s = s + mask", "s = np.where(np.isneginf(mask), mask, s)"), tmp_path
        )
        assert report.score == report.max_score
