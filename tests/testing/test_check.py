"""`check` judges in this process what is there already, and says the same as the command does of the file."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import grader
from grader import check, grade, load_assignment
from grader.errors import GraderError
from grader.model.outcome import Verdict
from grader.sandbox.plain import Program, Source
from grader.testing.here import Here
from grader.testing.magic import judged

CLASS = Path(__file__).parents[2] / "examples/class"
WORKS = [path for path in sorted(CLASS.glob("*.py")) if path.stem not in {"misspelt", "unfinished"}]


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("work", WORKS, ids=lambda path: path.stem)
def test_in_place_the_outcomes_are_those_of_the_command(work: Path) -> None:
    student = imported(work)
    whole = grade(work, "attention-numpy", isolation="standard").report
    beside = {o.check: o for mark in whole.marks for o in mark.outcomes}
    own = all(o.verdict is Verdict.PASSED for o in beside.values() if o.component == "softmax")
    for interface in load_assignment("attention-numpy").interfaces:
        if interface.component != "softmax" and not own:
            continue  # the command puts a right softmax in the place of a wrong one; here it is what it is
        report = check(student, interface.component, assignment="attention-numpy").report
        for outcome in (o for mark in report.marks for o in mark.outcomes):
            there = beside[outcome.check]
            found = [(o.verdict, o.passed, o.asked, o.diagnosis and o.diagnosis.id) for o in (outcome, there)]
            assert found[0] == found[1], outcome.check
            assert outcome.location == there.location


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2)
    if mask is not None:
        scores = np.where(mask, scores, -1e30)
    weights = softmax(scores)
    return weights @ V, weights


def test_what_is_right_is_true_and_what_is_wrong_says_why() -> None:
    assert check(softmax, "softmax")
    with pytest.raises(AssertionError) as caught:
        assert check(attention, "scaled_dot_product_attention")
    lines = str(caught.value).splitlines()
    assert lines[0] == "The scores are not divided by √d_k."
    assert "attention: test_check.py, line " in lines[1]
    assert any(line.startswith("Hint: ") for line in lines)


def test_points_are_partial_and_those_of_the_assignment_where_one_is_named() -> None:
    found = check(attention, "scaled_dot_product_attention")
    assert not found.passed
    assert 0 < found.fraction < 1
    assert found.max_score == 1
    course = check(attention, "scaled_dot_product_attention", assignment="attention-numpy")
    assert 0 < course.score < course.max_score
    assert course.max_score > 1
    assert str(course).startswith("Build your own attention\n")
    assert "<iframe" in course._repr_html_()


@pytest.mark.parametrize(("meaning", "right"), [("attend", False), ("block", True)])
def test_a_convention_in_words_decides_what_is_right(meaning: str, right: bool) -> None:
    def blocking(Q, K, V, mask=None):
        scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
        if mask is not None:
            scores = np.where(mask, -1e30, scores)
        weights = softmax(scores)
        return weights @ V, weights

    assert check(blocking, "scaled_dot_product_attention", mask=meaning).passed is right


def test_parameters_that_are_not_taken_are_not_asked_for() -> None:
    def plain(Q, K, V):
        weights = softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1]))
        return weights @ V, weights

    def otherwise_named(a, b, c):
        return plain(a, b, c)

    assert check(plain, "scaled_dot_product_attention")
    assert check(otherwise_named, "scaled_dot_product_attention")


def test_an_exception_is_told_with_its_line() -> None:
    def raising(x):
        return np.exp(x) / (1 / 0)

    with pytest.raises(AssertionError, match=r"ZeroDivisionError.*test_check.py, line \d+"):
        check(raising, "softmax").require()


def test_the_host_goes_on_as_it_was() -> None:
    before = (random.getstate(), np.random.get_state()[1].tolist(), np.geterr())  # noqa: NPY002 - the host's

    def draws(x):
        np.random.seed(1)  # noqa: NPY002 - what students write
        random.seed(2)
        print("noise")  # noqa: T201
        return softmax(x)

    check(draws, "softmax")
    assert (random.getstate(), np.random.get_state()[1].tolist(), np.geterr()) == before  # noqa: NPY002


def test_nothing_student_code_does_to_its_arguments_reaches_the_next_call() -> None:
    def overwriting(x):
        x[...] = 0
        return x

    found = check(overwriting, "softmax")
    assert all(o.counterexample is None or "0., 0., 0." not in o.counterexample.expected
               for mark in found.report.marks for o in mark.outcomes)  # fmt: skip


@pytest.mark.parametrize(
    ("subject", "component", "settled", "kind", "told"),
    [
        (softmax, "sofmax", {}, GraderError, "Did you mean 'softmax'"),
        (attention, "scaled_dot_product_attention", {"mask": "blok"}, GraderError, "expected attend, block"),
        (softmax, "softmax", {"parameters": ("y",)}, GraderError, "there is no parameter 'y'"),
        (softmax, "softmax", {"domain": {"axes": 1}}, GraderError, "unknown field"),
        (softmax, "beam_search", {"assignment": "attention-numpy"}, GraderError, "has no component"),
        (3, "softmax", {}, TypeError, "expected a function"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_the_cure(subject, component, settled, kind, told) -> None:
    with pytest.raises(kind, match=told):
        check(subject, component, **settled)


def test_a_name_that_is_missing_fails_with_the_nearest() -> None:
    component = "scaled_dot_product_attention"
    found = check({"self_atention": attention, "softmax": softmax}, component, assignment="attention-numpy")
    assert not found.passed
    with pytest.raises(AssertionError, match="is not defined"):
        assert found


def test_the_package_offers_what_is_documented() -> None:
    assert all(hasattr(grader, name) for name in grader.__all__)
    stub = (Path(grader.__file__).with_name("__init__.pyi")).read_text()
    assert all(name in stub for name in grader.__all__)
    with pytest.raises(AttributeError):
        grader.nothing_of_the_kind  # noqa: B018 - that it raises


def test_classes_are_judged_in_place_too() -> None:
    torch = pytest.importorskip("torch")

    class LayerNorm(torch.nn.Module):
        def __init__(self, d_model, eps=1e-5):
            super().__init__()
            self.gamma = torch.nn.Parameter(torch.ones(d_model))
            self.beta = torch.nn.Parameter(torch.zeros(d_model))
            self.eps = eps

        def forward(self, x):
            mean, variance = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
            return self.gamma * (x - mean) / torch.sqrt(variance + self.eps) + self.beta

    class Unbiased(LayerNorm):
        def forward(self, x):
            return self.gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + self.eps) + self.beta

    assert check(LayerNorm, "layer_norm")
    wrong = check(Unbiased, "layer_norm")
    assert not wrong.passed
    assert "ln-unbiased-variance" in str(wrong)
    with pytest.raises(TypeError, match="give the class, LayerNorm"):
        check(LayerNorm(4), "layer_norm")
    assert "torch" in sys.modules


WIDTH = 3


def made_wide() -> int:
    return WIDTH


def test_constants_that_an_adapter_sets_are_given_back() -> None:
    lines = "class softmax:\n    def call(work, x):\n        work.WIDTH = x\n        return work.made_wide()\n"
    adapter = {"component": "softmax", "source": lines}
    program = Program(({"do": "call", "adapter": adapter, "args": [5], "kwargs": {}},))
    answers = Here({"made_wide": made_wide}, {"made_wide": __name__}, {}).ask(Source(()), (program,))
    assert answers.replies[0].values == (5,)
    assert made_wide() == 3


def test_a_cell_where_no_assignment_is_named_says_how_to_name_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GraderError, match="%%grade -a ASSIGNMENT"):
        judged("", "def softmax(x):\n    return x", {})
