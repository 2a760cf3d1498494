"""What an audit says; that the bundled rubrics pass their own is looked at in tests/ledger, where all is played."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.auditing.audit import audit, rehearsals
from grader.catalog import load_assignment, load_rubric, rubric_beside
from grader.cli import app
from grader.model.assignment import Adapter, Assignment, Interface
from grader.model.outcome import Verdict
from grader.sandbox.parent import Sandbox

RIGHT = "import numpy as np\n\n\ndef causal_mask(n):\n    return np.tril(np.ones((n, n), dtype=bool))\n"
WRONG = "import numpy as np\n\n\ndef causal_mask(n):\n    return np.triu(np.ones((n, n), dtype=bool))\n"


def run(assignment: str, components: tuple[str, ...], folders: list[Path]):
    loaded = load_assignment(assignment)
    rubric = load_rubric(rubric_beside(assignment), loaded)
    with Sandbox(level="auto", torch=loaded.needs_torch) as sandbox:
        return audit(loaded, rubric, folders, components, sandbox)


def write(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def test_a_rubric_catches_every_known_mistake_of_a_component_and_leaves_the_reference_alone():
    found = run("attention-mechanics", ("causal_mask",), [])
    assert found.misses == ()
    assert found.false_alarms == ()
    assert found.misnamed == ()
    assert sum(row.subject.faulty for row in found.rows) >= 10
    assert found.clean


@pytest.mark.slow
def test_an_instructors_own_files_are_graded_with_the_rest(tmp_path):
    write(tmp_path / "good", "mine.py", RIGHT)
    write(tmp_path / "bad", "theirs.py", WRONG)
    write(tmp_path / "bad", "harmless.py", RIGHT)
    found = run("attention-mechanics", ("causal_mask",), [tmp_path])
    assert [row.subject.name for row in found.misses] == ["harmless.py"]
    theirs = next(row for row in found.rows if row.subject.name == "theirs.py")
    assert theirs.named[0] == "causal-mask-transposed"
    assert not found.clean


@pytest.mark.slow
def test_the_command_says_what_slips_through_and_exits_1(tmp_path):
    write(tmp_path / "faulty", "harmless.py", RIGHT)
    words = [
        "audit",
        "attention-mechanics",
        "--component",
        "causal_mask",
        "--submissions",
        str(tmp_path),
        "--format",
        "json",
    ]
    result = CliRunner().invoke(app, words, standalone_mode=False)
    report = json.loads(result.stdout)
    assert result.return_value == 1
    assert report["schema"] == "grader/audit/v1"
    assert [miss["name"] for miss in report["misses"]] == ["harmless.py"]
    assert report["matrix"]["causal_mask: causal-mask-transposed"]["causal_mask.hides_the_future"] is True


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "function", "settles"),
    [
        ("causal_mask", "causal_mask", {"mask": "block"}),
        ("padding_mask", "padding_mask", {"mask": "block"}),
        ("causal_mask", "causal_mask", {"mask": "additive"}),
        ("positional_encoding", "positional_encoding", {}),
    ],
)
def test_subjects_are_played_as_the_course_settles_it(name, function, settles):
    course = Assignment("c", "1", "C", (Interface(name, function, conventions=settles),))
    for subject, outcomes in rehearsals(course, [name]):
        lost = [one for one in outcomes if one.verdict is not Verdict.PASSED]
        assert bool(lost) == subject.faulty, (subject, lost)
        told = [one.diagnosis for one in lost if one.diagnosis is not None]
        named = {name for one in told for name in (one.id, *(ids[0] for ids in one.family))}
        assert not subject.id or subject.id in named, (subject, named)


LAYER = ("encoder_layer", "class", ("x", "mask"))
ATTENTION = ("multi_head_attention", "class", ("query",))
HANDED_OVER = {
    "lengths of samples, or of queries": (
        *LAYER, {"mask": "lengths", "mask_shapes": ["(b)", "(b, n)"], "mask_required": True}
    ),
    "lengths, as they usually are": (*LAYER, {"mask": "lengths"}),
    "a row of the mask for each head": (*LAYER, {"mask": "additive", "mask_shapes": ["(b*h, n, m)"]}),
    "masks that hide, time first": (*LAYER, {"mask": "block", "mask_type": "int", "batch": "second"}),
    "one config, no mask": (*ATTENTION, {"config": {"n_embd": "d_model", "n_head": "num_heads"}, "causal": True}),
    "a width that is not told": (*LAYER, {"constructor": ["d_model", "num_heads"], "sizes": {"d_ff": 120}}),
    "lines that call a function": ("layer_norm", "function", ("x", "gain", "shift", "eps"), {}),
    "lines that call attention": ("scaled_dot_product_attention", "function", ("Q", "K", "V"), {"backend": "torch"}),
    "lines that build and call a module": (*LAYER, {"mask": "lengths", "mask_required": True}),
}  # fmt: skip
"""Part, form, parameters and conventions; where lines are spoken of, an adapter stands between."""


@pytest.mark.parametrize("how", HANDED_OVER)
def test_the_reference_keeps_every_point_however_a_course_hands_things_over(how):
    name, form, parameters, settles = HANDED_OVER[how]
    adapter = Adapter(name, "the course's own lines") if how.startswith("lines") else None
    interface = Interface(name, "Theirs", parameters=parameters, conventions={"form": form, **settles}, adapter=adapter)
    subject, outcomes = next(iter(rehearsals(Assignment("c", "1", "C", (interface,)), [name])))
    assert not subject.faulty
    assert {one.check: one.message for one in outcomes if one.verdict is not Verdict.PASSED} == {}
