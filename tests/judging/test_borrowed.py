"""What a forbidden call computes earns nothing; a comparison beside the work costs nothing."""

from __future__ import annotations

from decimal import Decimal

import pytest

from grader.catalog import load_assignment, load_rubric
from grader.components import checks_of
from grader.components.borrowed import without_borrowed
from grader.model import CodeChunk, CodeModule, Isolation, Outcome, Report, StudentText, Submission, Verdict
from grader.report import terminal
from grader.score import score, select

ASSIGNMENT = load_assignment("transformer-from-scratch")
RUBRIC = load_rubric("transformer-from-scratch", ASSIGNMENT)
TOP = "import numpy as np\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
NO_CALL = "integrity.uses_no_forbidden_call"


def passing(*names: str) -> list[Outcome]:
    return [
        Outcome(f"{name}.{check}", name, title, Verdict.PASSED, 3, 3)
        for name in names
        for check, title in checks_of(name)
    ]


def judged(code: str, *names: str, **defined: str) -> tuple[Outcome, ...]:
    submission = Submission("work", "work.py", (CodeModule("work", (CodeChunk(TOP + code, "work.py"),)),))
    known = {ASSIGNMENT.interface(name).callable for name in names} | set(defined.values())
    return without_borrowed(passing(*names), submission, ASSIGNMENT, known)


def verdicts(outcomes: tuple[Outcome, ...], name: str) -> set[Verdict]:
    return {outcome.verdict for outcome in outcomes if outcome.component == name}


BLOCK = "class {0}(nn.Module):\n    def __init__(self, *sizes):\n        super().__init__()\n        self.a = {1}\n"
FORWARD = "    def forward(self, x, *more): return self.a(x)\n"
WORK = {
    "softmax": "def softmax(x, axis=-1): return torch.softmax(torch.tensor(x), axis).numpy()",
    "scaled_dot_product_attention": (
        "def scaled_dot_product_attention(Q, K, V, mask=None): return F.scaled_dot_product_attention(Q, K, V, mask), 0"
    ),
    "multi_head_attention": BLOCK.format("MultiHeadAttention", "nn.MultiheadAttention(4, 2)") + FORWARD,
    "encoder_layer": BLOCK.format("EncoderLayer", "nn.TransformerEncoderLayer(4, 2)") + FORWARD,
    "encoder": BLOCK.format("Encoder", "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2), 2)") + FORWARD,
    "decoder_layer": BLOCK.format("DecoderLayer", "nn.TransformerDecoderLayer(4, 2)") + FORWARD,
    "decoder": BLOCK.format("Decoder", "nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2), 2)") + FORWARD,
    "transformer": BLOCK.format("Transformer", "nn.Transformer(4, 2)") + FORWARD,
    "copy_task": BLOCK.format("Transformer", "nn.Transformer(4, 2)") + FORWARD,
}


@pytest.mark.parametrize(("name", "code"), WORK.items(), ids=WORK)
def test_a_component_that_a_forbidden_call_does_earns_nothing_and_the_line_is_told(name: str, code: str) -> None:
    outcomes = judged(code, name)
    assert verdicts(outcomes, name) == {Verdict.FAILED}
    assert sum(mark.points for mark in score(select(RUBRIC, [name]), outcomes)) == 0
    first = outcomes[0]
    assert first.diagnosis is not None
    assert first.diagnosis.id == "integrity-forbidden-call"
    assert first.location is not None
    assert first.location.line == len(TOP.splitlines()) + (1 if code.startswith("def") else 4)
    asked = ASSIGNMENT.interface(name).callable
    assert f"is not allowed in {asked} (work.py, line {first.location.line})" in first.message


def test_what_is_listed_for_softmax_is_free_elsewhere() -> None:
    code = (
        "def scaled_dot_product_attention(Q, K, V, mask=None):\n    w = torch.softmax(Q @ K.T, -1)\n    return w @ V, w"
    )
    assert verdicts(judged(code, "scaled_dot_product_attention"), "scaled_dot_product_attention") == {Verdict.PASSED}


def test_a_block_around_a_borrowed_part_keeps_its_points() -> None:
    layer = BLOCK.format("EncoderLayer", "MultiHeadAttention(4, 2)") + FORWARD
    outcomes = judged(WORK["multi_head_attention"] + layer, "multi_head_attention", "encoder_layer")
    assert verdicts(outcomes, "multi_head_attention") == {Verdict.FAILED}
    assert verdicts(outcomes, "encoder_layer") == {Verdict.PASSED}


def test_a_part_that_is_not_judged_now_is_none_of_the_block_s_work_either() -> None:
    layer = BLOCK.format("EncoderLayer", "MultiHeadAttention(4, 2)") + FORWARD
    outcomes = judged(WORK["multi_head_attention"] + layer, "encoder_layer", own="MultiHeadAttention")
    assert verdicts(outcomes, "encoder_layer") == {Verdict.PASSED}


BESIDE = {
    "a self-test at the bottom": "def softmax(x, axis=-1): return np.exp(x)\nassert softmax(1) == torch.softmax(1, 0)",
    "an assertion inside": (
        "def softmax(x, axis=-1):\n    y = np.exp(x)\n    assert np.allclose(y, torch.softmax(x, axis))\n    return y"
    ),
    "a function of its own": "def softmax(x, axis=-1): return np.exp(x)\ndef check(x): return torch.softmax(x, -1)",
}


@pytest.mark.parametrize("code", BESIDE.values(), ids=BESIDE)
def test_a_comparison_with_the_library_costs_nothing(code: str) -> None:
    outcomes = judged(code, "softmax")
    assert verdicts(outcomes, "softmax") == {Verdict.PASSED}


def test_a_call_on_some_way_through_the_code_waits_for_a_person() -> None:
    code = "def softmax(x, axis=-1):\n    if x.ndim > 2: return torch.softmax(x, axis)\n    return np.exp(x)"
    outcomes = judged(code, "softmax")
    assert verdicts(outcomes, "softmax") == {Verdict.UNDETERMINED}
    mark = score(select(RUBRIC, ["softmax"]), outcomes)[0]
    assert (mark.points, mark.pending) == (0, Decimal(5))
    assert outcomes[0].message == (
        "whether torch.softmax does the work of softmax, where it is not allowed, is for a person to see "
        "(work.py, line 6)"
    )


def test_nothing_is_read_where_honest_computation_found_no_call() -> None:
    outcomes = [*passing("softmax"), Outcome(NO_CALL, "integrity", "", Verdict.PASSED, 1, 1)]
    submission = Submission("work", "work.py", (CodeModule("work", (CodeChunk(WORK["softmax"], "work.py"),)),))
    assert without_borrowed(outcomes, submission, ASSIGNMENT, {"softmax"}) == tuple(outcomes)


def test_an_assignment_that_forbids_nothing_takes_nothing() -> None:
    submission = Submission("work", "work.py", (CodeModule("work", (CodeChunk(WORK["softmax"], "work.py"),)),))
    outcomes = passing("softmax")
    assert without_borrowed(outcomes, submission, load_assignment("attention-numpy"), {"softmax"}) == tuple(outcomes)


def test_each_call_is_told_once_with_its_line_and_its_component() -> None:
    names = ("softmax", "multi_head_attention")
    outcomes = judged(WORK["softmax"] + "\n" + WORK["multi_head_attention"], *names)
    submission = Submission("work", "work.py", (CodeModule("work", (CodeChunk(TOP, "work.py"),)),))
    rubric = select(RUBRIC, names)
    report = Report(ASSIGNMENT, rubric, submission, score(rubric, outcomes), Isolation("none", "none"), 0, "1", {})
    text = " ".join(terminal.render(report).split())
    assert text.count("torch.softmax is not allowed in softmax (work.py, line 5).") == 1
    assert text.count("torch.nn.MultiheadAttention is not allowed in MultiHeadAttention (work.py, line 9).") == 1
    assert "10 checks count nothing for it." in text
    assert "What should hold" not in text


def test_a_look_up_that_cannot_be_read_beside_a_forbidden_word_waits_and_costs_no_honesty() -> None:
    code = "def go(n, x): return getattr(nn, n)(4, 2)(x, x, x)\n" + BLOCK.format("MultiHeadAttention", "None")
    code += "    def forward(self, x, *more): return go('MultiheadAttention', x)\n"
    submission = Submission("work", "work.py", (CodeModule("work", (CodeChunk(TOP + code, "work.py"),)),))
    honest = [
        Outcome(outcome.check, outcome.component, outcome.title, Verdict.PASSED, 1, 1, staff_note=StudentText("look"))
        for outcome in passing("integrity")
    ]
    outcomes = without_borrowed(
        [*honest, *passing("multi_head_attention")], submission, ASSIGNMENT, {"MultiHeadAttention"}
    )
    assert verdicts(outcomes, "multi_head_attention") == {Verdict.UNDETERMINED}
    assert verdicts(outcomes, "integrity") == {Verdict.PASSED}
    text = "whether torch.nn.MultiheadAttention does the work of MultiHeadAttention, where it is not allowed"
    assert outcomes[-1].message.startswith(text)
