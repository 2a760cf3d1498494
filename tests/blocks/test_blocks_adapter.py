"""adapter.py: lines of the assignment, or of the students, that build and call what no table foresees."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.catalog import InvalidFileError, load_assignment, load_rubric
from grader.catalog.adapter import adapted_by
from grader.intake.loading import load
from grader.model.assignment import Interface
from grader.model.outcome import Reason, Verdict
from grader.model.report import Report, Settings
from grader.pipeline import grade, prepared
from grader.sandbox.adapters import call_of
from grader.sandbox.parent import Sandbox

pytestmark = pytest.mark.torch

HEAD = 'schema: grader/assignment/v1\nid: mine\nversion: "1"\ntitle: Mine\nneeds: [numpy, torch]\n'
RUBRIC = 'schema: grader/rubric/v1\nid: mine\nassignment: mine\nversion: "1"\ntitle: Mine\ncriteria:\n'
# Layers are given their parts, and the heads come as a list of modules that take what they attend to as a pair.
WORK = """
import math

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, width, narrow):
        super().__init__()
        self.ask, self.offer, self.tell = (nn.Linear(width, narrow, bias=False) for _ in range(3))

    def forward(self, pair, hide):
        x, other = pair
        scores = self.ask(x) @ self.offer(other).transpose(1, 2) / math.sqrt(self.ask.out_features)
        return scores.masked_fill(hide, -1e9).softmax(-1) @ self.tell(other)


class Heads(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = nn.ModuleList(heads)
        width = sum(head.ask.out_features for head in heads)
        self.mix = nn.Linear(width, width)

    def forward(self, pair, hide):
        return self.mix(torch.cat([head(pair, hide) for head in self.heads], dim=-1))


class Layer(nn.Module):
    def __init__(self, look, think, width, rate):
        super().__init__()
        self.look, self.think, self.drop = look, think, nn.Dropout(rate)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))

    def run(self, x, hide):
        x = self.norms[0](x + self.drop(self.look((x, x), hide)))
        return self.norms[1](x + self.drop(self.think(x)))


def weigh(inputs, hide=None):
    query, key, value = inputs["q"], inputs["k"], inputs["v"]
    scores = query @ key.swapaxes(-1, -2) / math.sqrt(query.shape[-1])
    scores = scores if hide is None else scores.masked_fill(hide, -1e9)
    return {"out": scores.softmax(-1) @ value}
"""
ADAPTER = """
import torch


def blocked(mask, rows, columns):
    return torch.zeros(1, rows, columns, dtype=torch.bool) if mask is None else ~mask


class multi_head_attention:
    def build(work, sizes):
        return work.Heads([work.Head(sizes.d_model, sizes.d_model // sizes.num_heads) for _ in range(sizes.num_heads)])

    def call(thing, query, key, mask):
        return thing((query, key), blocked(mask, query.shape[1], key.shape[1]))


class encoder_layer:
    def build(work, sizes):
        think = torch.nn.Sequential(
            torch.nn.Linear(sizes.d_model, sizes.d_ff), torch.nn.ReLU(), torch.nn.Linear(sizes.d_ff, sizes.d_model)
        )
        heads = [work.Head(sizes.d_model, sizes.d_k) for _ in range(sizes.num_heads)]
        return work.Layer(work.Heads(heads), think, sizes.d_model, sizes.dropout)

    def call(thing, x, mask):
        return thing.run(x, blocked(mask, x.shape[1], x.shape[1]))


class scaled_dot_product_attention:
    def call(work, Q, K, V, mask=None):
        return work.weigh({"q": Q, "k": K, "v": V}, None if mask is None else ~mask)["out"]
"""
COMPONENTS = """components:
  multi_head_attention: {callable: Heads, conventions: {mask_shapes: ["(n, m)", "(b, n, m)"]}}
  encoder_layer: {callable: Layer, conventions: {mask_shapes: ["(n, m)"]}}
  scaled_dot_product_attention:
    {callable: weigh, returns: [output], conventions: {backend: torch}}
"""


THEIRS = """components:
  multi_head_attention:
    callable: Heads
    parameters: [query, key, mask]
    conventions: {form: class, constructor: [d_model, num_heads], mask_shapes: ["(n, m)"]}
  encoder_layer:
    callable: Layer
    parameters: [x, mask]
    conventions: {form: class, constructor: [d_model, num_heads, d_ff, dropout], mask_shapes: ["(n, m)"]}
  scaled_dot_product_attention:
    {callable: weigh, returns: [output], conventions: {form: function, backend: torch}}
"""
"""Where students write the lines, the assignment says what they are given."""


def graded(
    folder: Path,
    sandbox: Sandbox,
    work: str,
    adapter: str | None = ADAPTER,
    head: str = HEAD,
    components: str = COMPONENTS,
) -> Report:
    (folder / "assignment.yaml").write_text(head + components)
    (folder / "rubric.yaml").write_text(RUBRIC + "".join(
        f"  - {{id: {name}, title: {name}, points: 10, checks: [{name}.*]}}\n"
        for name in ("multi_head_attention", "encoder_layer", "scaled_dot_product_attention")
    ))  # fmt: skip
    if adapter is not None:
        (folder / "adapter.py").write_text(adapter)
    (folder / "work.py").write_text(work)
    assignment = load_assignment(folder)
    rubric = load_rubric(folder / "rubric.yaml", assignment)
    return grade(
        prepared(load(folder / "work.py"), assignment), Settings(assignment=assignment, rubric=rubric), sandbox
    )


def lost(report: Report) -> dict[str, str]:
    found = [one for mark in report.marks for one in mark.outcomes if one.verdict is not Verdict.PASSED]
    return {one.check: f"{one.verdict.value} {one.message} {one.diagnosis and one.diagnosis.id}" for one in found}


def test_a_call_may_ask_for_work_and_sizes_behind_its_arguments() -> None:
    lines = """class multi_head_attention:
    def build(work, sizes):
        return work.Heads(sizes.d_model, sizes.num_heads)

    def call(thing, query, mask, sizes, work):
        return thing(query, work.rotations(sizes.d_k, query.shape[1]), mask)
"""
    (found,) = adapted_by([Interface("multi_head_attention", "Heads")], lines, Path("adapter.py"))
    assert found.parameters == ("query", "mask")
    assert found.conventions["constructor"] == ["d_model", "num_heads", "d_k"]
    adapter = SimpleNamespace(call=lambda thing, query, mask, sizes: (thing, query, mask, sizes))
    assert call_of(adapter, 1, {"work": 4, "sizes": 5})(query=2, mask=3) == (1, 2, 3, 5)

    def call(thing: int, query: int) -> tuple[int, ...]:
        sizes = work = query  # what it names itself is not asked for
        return thing, sizes, work

    assert call_of(SimpleNamespace(call=call), 1, {"work": 4, "sizes": 5})(query=2) == (1, 2, 2)


@pytest.mark.slow
def test_what_no_table_foresees_is_built_and_called_by_the_assignments_lines(tmp_path: Path, sandbox: Sandbox) -> None:
    assert lost(graded(tmp_path, sandbox, WORK)) == {}


def test_students_may_hand_such_a_file_in_themselves(tmp_path: Path, sandbox: Sandbox) -> None:
    theirs = WORK + ADAPTER.replace("work.Head", "Head").replace("work.Layer", "Layer").replace("work.weigh", "weigh")
    assert lost(graded(tmp_path, sandbox, theirs, None, HEAD + "adapter: submission\n", THEIRS)) == {}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("right", "wrong", "mistake"),
    [
        (" / math.sqrt(self.ask.out_features)", "", "sdpa-no-scale"),
        (" / math.sqrt(query.shape[-1])", "", "sdpa-no-scale"),
        (
            "self.norms[1](x + self.drop(self.think(x)))",
            "self.norms[1](self.drop(self.think(x)))",
            "enc-missing-residual",
        ),
    ],
)
def test_mistakes_behind_an_adapter_are_caught_and_named(
    right: str, wrong: str, mistake: str, tmp_path: Path, sandbox: Sandbox
) -> None:
    assert WORK.count(right) == 1
    found = lost(graded(tmp_path, sandbox, WORK.replace(right, wrong)))
    assert any(mistake in text for text in found.values()), found


def test_what_is_not_handed_in_is_missing_and_what_is_written_otherwise_an_error(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    found = lost(graded(tmp_path, sandbox, WORK.replace("class Heads", "class Other")))
    assert found["multi_head_attention.attends_to_itself"].startswith("missing Heads is not defined")
    found = lost(
        graded(tmp_path, sandbox, WORK.replace("def __init__(self, look, think, width, rate)", "def __init__(self)"))
    )
    assert "TypeError" in found["encoder_layer.computes_the_layer"]


@pytest.mark.parametrize("absent", ["Heads", "Head"])
def test_a_part_that_is_there_is_never_said_not_to_be(absent: str, tmp_path: Path, sandbox: Sandbox) -> None:
    found = lost(graded(tmp_path, sandbox, WORK.replace(f"class {absent}(", "class Other(")))
    told = f"cannot be judged while your multi head attention does not work; {absent} is not defined"
    layer = {text for check, text in found.items() if check.startswith("encoder_layer.")}
    assert layer == {f"undetermined {told} None"}
    heads = {text.split(None, 1)[0] for check, text in found.items() if check.startswith("multi_head")}
    assert heads == {"missing" if absent == "Heads" else "error"}  # what belongs to no part is the work's own to define


def test_a_part_that_is_made_of_others_earns_and_awaits_nothing_before_it_is_written(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    def emptied(name: str, method: str, takes: str) -> str:
        return f"    def {method}(self, {takes}):\n        raise NotImplementedError('{name} is yours')\n"

    classes = {"Head": "width, narrow", "Heads": "heads", "Layer": "look, think, width, rate"}
    starter = "".join(f"class {name}:\n{emptied(name, '__init__', takes)}\n" for name, takes in classes.items())
    report = graded(tmp_path, sandbox, f"{starter}\ndef weigh(inputs, hide=None):\n    raise NotImplementedError\n")
    assert (report.score, report.pending) == (0, 0)
    layer = next(mark for mark in report.marks if mark.criterion.id == "encoder_layer")
    line = starter[: starter.index("Layer is yours")].count("\n") + 1
    assert {one.location and one.location.line for one in layer.outcomes} == {line}
    assert {one.reason for one in layer.outcomes} == {Reason.UNWRITTEN}


@pytest.mark.parametrize(
    ("adapter", "told"),
    [
        ("class multi_head:\n    pass\n", "adapter.py:1: the assignment sets no component 'multi_head'. Did you mean"),
        ("lines = []\n", "adapter.py:1: expected a class for each component"),
        ("class encoder_layer:\n    pass\n", "adapter.py:1: expected a function call in encoder_layer"),
        ("class encoder_layer:\n    def call(x): 1\n", "adapter.py:1: expected a function build in encoder_layer"),
        ("class encoder_layer:\n    def call(x): 1\n    def build(work): 2\n", "expected work and sizes"),
        ("class encoder_layer\n", "adapter.py:1: expected Python"),
    ],
)
def test_what_is_wrong_with_the_file_is_told(adapter: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "assignment.yaml").write_text(HEAD + COMPONENTS)
    (tmp_path / "adapter.py").write_text(adapter)
    with pytest.raises(InvalidFileError) as caught:
        load_assignment(tmp_path)
    assert told in str(caught.value)
