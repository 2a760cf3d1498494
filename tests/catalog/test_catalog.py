"""Assignments and rubrics are found, validated and suggested; complaints say file, line, field, what was expected."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from grader.catalog import (
    InvalidFileError,
    data_root,
    list_assignments,
    load_assignment,
    load_rubric,
    recognise,
    rubric_beside,
)
from grader.errors import Exit, GraderError
from grader.intake.loading import load
from grader.model.assignment import Assignment, Audience, HintLevel, Interface, Rubric
from grader.model.submission import CodeChunk, CodeModule, Submission

SET = Assignment("demo", "1", "Demo", tuple(Interface(name, name) for name in ("softmax", "causal_mask", "copy_task")))
HEAD = """schema: grader/rubric/v1
id: demo
assignment: demo
version: "1"
title: Demo
criteria:
"""


def rubric(tmp_path: Path, criteria: str, head: str = HEAD) -> Rubric:
    file = tmp_path / "demo.yaml"
    file.write_text(head + criteria)
    return load_rubric(file, SET)


def complaint(tmp_path: Path, criteria: str, head: str = HEAD) -> str:
    with pytest.raises(InvalidFileError) as caught:
        rubric(tmp_path, criteria, head)
    assert caught.value.exit_code is Exit.USAGE
    return str(caught.value).replace(f"{tmp_path}/", "")


def work(code: str) -> Submission:
    return Submission("s", "work.py", (CodeModule("work", (CodeChunk(code, "work.py"),)),))


# ------------------------------------------------------------------------------------------- what is bundled


@pytest.mark.parametrize("name", ["attention-numpy", "attention-mechanics", "transformer-from-scratch"])
def test_each_bundled_assignment_loads_with_hand_out_and_starter(name: str) -> None:
    from grader.catalog import assignment_file

    assert name in list_assignments()
    assert load_assignment(name).id == name
    folder = assignment_file(name).parent
    assert (folder / "handout.md").read_text().startswith("# ")
    assert list((folder / "starter").glob("*.py"))


@pytest.mark.parametrize("name", list_assignments())
def test_each_bundled_rubric_names_checks_that_exist(name: str) -> None:
    others = [path for path in (data_root() / "rubrics").glob("*.yaml") if f"assignment: {name}\n" in path.read_text()]
    rubrics = [load_rubric(which, load_assignment(name)) for which in (rubric_beside(name), *others)]
    assert {rubric.assignment for rubric in rubrics} == {name}
    checks = [check for rubric in rubrics for criterion in rubric.criteria for check in criterion.checks]
    assert {check.id.partition(".")[0] for check in checks} == set(load_assignment(name).components)


@pytest.mark.parametrize("name", [name for name in list_assignments() if load_assignment(name).interfaces])
def test_the_starter_defines_every_name_that_is_asked_for(name: str) -> None:
    from grader.catalog import assignment_file
    from grader.catalog.recognition import names_defined

    (starter,) = (assignment_file(name).parent / "starter").glob("*.[pi][yp]*")  # a module or a notebook
    wanted = {item.callable for item in load_assignment(name).interfaces} - {"integrity"}
    assert wanted <= names_defined(load(starter))


# ------------------------------------------------------------------------------------------ finding and naming


def test_an_unknown_assignment_is_answered_with_the_nearest() -> None:
    with pytest.raises(GraderError, match=r"no assignment 'atention-numpy'.*'attention-numpy'"):
        load_assignment("atention-numpy")


def test_the_names_defined_tell_the_assignment() -> None:
    numpy_work = work("def softmax(x): ...\ndef self_attention(Q, K, V): ...")
    found = recognise(Path("nowhere/work.py"), numpy_work)
    assert (found.assignment, found.how) == ("attention-numpy", "it defines `softmax`, `self_attention`")
    mechanics = work("def scaled_dot_product_attention(Q, K, V): ...\ndef causal_mask(n): ...")
    assert recognise(Path("nowhere/work.py"), mechanics).assignment == "attention-mechanics"
    torch_work = work("class MultiHeadAttention: ...\nclass EncoderLayer: ...")
    assert recognise(Path("nowhere/work.py"), torch_work).assignment == "transformer-from-scratch"


def test_a_misspelt_name_still_tells_the_assignment() -> None:
    assert recognise(Path("nowhere/work.py"), work("def self_atention(Q, K, V): ...")).assignment == "attention-numpy"


def test_work_of_no_assignment_says_what_it_defines() -> None:
    with pytest.raises(GraderError, match=r"it defines train_gan\. Give one with -a: attention-"):
        recognise(Path("work.py"), work("def train_gan(): ..."))


def test_grader_yaml_beside_the_work_is_believed_first(tmp_path: Path) -> None:
    (tmp_path / "grader.yaml").write_text("assignment: attention-mechanics\n")
    found = recognise(tmp_path / "work.py", work("def self_attention(Q, K, V): ..."))
    assert found.assignment == "attention-mechanics"
    assert "grader.yaml" in found.how


# ------------------------------------------------------------------------------------------------- the rubric


def test_a_glob_leaves_out_what_the_criterion_does_without(tmp_path: Path) -> None:
    text = "  - {id: copy, title: C, points: 1, checks: [copy_task.*], without: [copy_task.learns]}\n"
    (criterion,) = rubric(tmp_path, text).criteria
    assert [check.id for check in criterion.checks] == ["copy_task.repeats_unseen_sequences"]


def test_a_glob_takes_all_checks_that_are_not_named_elsewhere(tmp_path: Path) -> None:
    loaded = rubric(
        tmp_path,
        """  - id: copy
    title: Copy
    points: 2.5
    checks: [copy_task.*]
  - id: hidden
    title: Hidden
    points: 1
    audience: staff
    checks: [{id: copy_task.learns, weight: 2, hint: look}]
  - {id: mask, title: Mask, points: 1, checks: [causal_mask.is_boolean]}
""",
    )
    assert [[check.id for check in criterion.checks] for criterion in loaded.criteria] == [
        ["copy_task.repeats_unseen_sequences"],
        ["copy_task.learns"],
        ["causal_mask.is_boolean"],
    ]
    assert loaded.criteria[0].points == Decimal("2.5")
    assert loaded.criteria[1].checks[0].audience is Audience.STAFF
    assert loaded.criteria[1].checks[0].weight == 2
    assert loaded.hint_level is HintLevel.HINT


ONE = "  - {id: softmax, title: S, points: 1, checks: [softmax.*]}\n"


HALF_HIDDEN = """  - {id: a, title: A, points: 1, credit: all,
     checks: [softmax.*, {id: softmax.takes_any_rank, audience: staff}]}
"""
CIRCLE = """  - {id: a, title: A, points: 1, requires: [b], checks: [softmax.*]}
  - {id: b, title: B, points: 1, requires: [a], checks: [causal_mask.*]}
"""


@pytest.mark.parametrize(
    ("criteria", "said"),
    [
        ("  - id: softmax\n    title: S\n    points: ten\n    checks: [softmax.*]\n",
         "demo.yaml:9: criteria[0].points: expected a number, found 'ten'"),
        ("  - id: softmax\n    title: S\n    points: -1\n    checks: [softmax.*]\n",
         "demo.yaml:9: criteria[0].points: expected at least 0, found -1"),
        ("  - id: softmax\n    title: S\n    points: yes\n    checks: [softmax.*]\n",
         "demo.yaml:9: criteria[0].points: expected a number, found True"),
        ("  - id: softmax\n    title: S\n    point: 1\n    checks: [softmax.*]\n",
         "demo.yaml:9: criteria[0].point: unknown field. Did you mean 'points'?"),
        ("  - id: softmax\n    points: 1\n    checks: [softmax.*]\n",
         "demo.yaml:7: criteria[0].title: expected this field, and it is missing"),
        ("  - id: softmax\n    title: S\n    points: 1\n    credit: some\n    checks: [softmax.*]\n",
         "demo.yaml:10: criteria[0].credit: expected 'all', 'steps' or 'cases', found 'some'"),
        ("  - id: softmax\n    title: S\n    points: 1\n    points: 2\n    checks: [softmax.*]\n",
         "demo.yaml:10: criteria[0].points: given twice, first on line 9"),
        ("  - {id: mask, title: M, points: 1, checks: [causal_mask.is_nbyn]}\n",
         "demo.yaml:7: criteria[0].checks[0]: there is no check causal_mask.is_nbyn. Did you mean 'causal_mask.is_n"),
        ("  - {id: softmax, title: S, points: 1, checks: [softmx.*]}\n",
         "demo.yaml:7: criteria[0].checks[0]: the assignment sets no component 'softmx'. Did you mean 'softmax'?"),
        (ONE + "  - {id: softmax, title: S, points: 1, checks: [causal_mask.*]}\n",
         "demo.yaml:8: criteria[1].id: 'softmax' is given twice"),
        (ONE + "  - {id: mask, title: M, points: 1, requires: [softmx], checks: [causal_mask.*]}\n",
         "demo.yaml:8: criteria[1].requires[0]: there is no criterion 'softmx'. Did you mean 'softmax'?"),
        (ONE + "  - {id: again, title: M, points: 1, checks: [softmax.*]}\n",
         "demo.yaml:8: criteria[1].checks[0]: softmax.* is already in criterion 'softmax'"),
        (CIRCLE,
         "demo.yaml:6: criteria: the requires of the criteria run in a circle: "),
        (HALF_HIDDEN,
         "demo.yaml:7: criteria[0].credit: expected steps or cases: with all-or-nothing, hidden checks would show"),
        ("  - {id: a, title: A, points: 1, checks: [{id: softmax.takes_any_rank, weight: 0}]}\n",
         "demo.yaml:7: criteria[0].checks: expected at least one check with a weight above 0"),
        ("  - {id: a, title: A, points: 1, checks: [softmax.*], without: [softmax.takes_any_ran]}\n",
         "demo.yaml:7: criteria[0].without[0]: no check of this criterion is softmax.takes_any_ran. Did you mean '"),
        ("  - {id: a, title: A, points: 1, checks: [causal_mask.is_boolean], without: [causal_mask.is_n_by_n]}\n",
         "demo.yaml:7: criteria[0].without[0]: no check of this criterion is causal_mask.is_n_by_n"),
        ("  - &x {id: a}\n  - *x\n", "demo.yaml:8: expected no aliases"),
        ("  - [\n", "demo.yaml:8: not YAML: "),
        ("  - softmax\n", "demo.yaml:7: criteria[0]: expected a mapping of fields, found 'softmax'"),
        ("", "demo.yaml:6: criteria: expected a list, found None"),
    ],
)  # fmt: skip
def test_a_wrong_rubric_says_file_line_field_and_what_was_expected(tmp_path: Path, criteria: str, said: str) -> None:
    assert complaint(tmp_path, criteria).startswith(said)


def test_every_complaint_is_kept_for_the_validator(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError) as caught:
        rubric(tmp_path, "  - {id: softmax, title: 3, points: x, checks: []}\n")
    assert len(caught.value.problems) == 3
    assert str(caught.value).endswith("(and 2 more)")


def test_wrong_names_are_told_together_with_wrong_fields(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError) as caught:
        rubric(
            tmp_path,
            "  - {id: softmax, title: S, points: ten, checks: [softmx.*, {id: copy_task.lern, weight: two}, nodot]}\n"
            "  - {id: softmax, title: S, points: 1, requires: [foo], checks: [causal_mask.*]}\n",
        )
    fields = [problem.split(": ")[1:3] for problem in caught.value.problems]
    assert [field for field, _ in fields] == [
        "criteria[0].points", "criteria[0].checks[1].weight", "criteria[0].checks[2].id", "criteria[0].checks[0]",
        "criteria[0].checks[1]", "criteria[1].id", "criteria[1].requires[0]",
    ]  # fmt: skip


def test_a_rubric_of_another_assignment_is_refused(tmp_path: Path) -> None:
    said = complaint(tmp_path, ONE, HEAD.replace("assignment: demo", "assignment: other"))
    assert said.startswith("demo.yaml:3: assignment: expected 'demo', found 'other'")


@pytest.mark.parametrize(
    ("interface", "check", "said"),
    [
        (
            Interface("scaled_dot_product_attention", "attention", domain={"masks": False}),
            "scaled_dot_product_attention.blocked_keys_get_no_weight",
            "is never asked: the assignment does not promise what it needs, so take the line out",
        ),
        (
            Interface("feed_forward", "ffn", conventions={"form": "function"}),
            "feed_forward.computes_equation_2",
            "there is no check feed_forward.computes_equation_2",
        ),
    ],
)
def test_a_named_check_that_could_never_count_is_told_beforehand(
    tmp_path: Path, interface: Interface, check: str, said: str
) -> None:
    file = tmp_path / "demo.yaml"
    file.write_text(f"{HEAD}  - {{id: a, title: A, points: 1, checks: [{check}]}}\n")
    with pytest.raises(InvalidFileError, match=said):
        load_rubric(file, Assignment("demo", "1", "Demo", (interface,)))


@pytest.mark.parametrize("raw", [b"\xff\xfe\x00", b"a: \x00", b"[" * 5000, b"- " * 5000, b"", b"3"])
def test_bytes_that_are_no_rubric_are_refused_in_one_line(tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "demo.yaml"
    file.write_bytes(raw)
    with pytest.raises(InvalidFileError) as caught:
        load_rubric(file, SET)
    assert str(caught.value).startswith(f"{file}:1: ")
    assert "\n" not in str(caught.value)


def test_a_wrong_assignment_names_the_field(tmp_path: Path) -> None:
    (tmp_path / "assignment.yaml").write_text(
        "schema: grader/assignment/v1\nid: demo\nversion: 1\ntitle: Demo\n"
        "components:\n  softmax: {callable: soft-max}\n"
    )
    with pytest.raises(
        InvalidFileError, match=r"assignment.yaml:3: version: expected text \(put it in quotes\), found 1"
    ):
        load_assignment(tmp_path)
    text = (tmp_path / "assignment.yaml").read_text().replace("version: 1", "version: '1'")
    (tmp_path / "assignment.yaml").write_text(text)
    with pytest.raises(
        InvalidFileError, match=r":6: components.softmax.callable: expected a Python name, found 'soft-max'"
    ):
        load_assignment(tmp_path)


def test_what_is_bundled_reads_the_same_with_and_without_its_validation(tmp_path: Path) -> None:
    """The bundled files are taken as they are; outside of the package each would be validated first."""
    import shutil

    for name in list_assignments():
        folder = tmp_path / name
        shutil.copytree(data_root() / "assignments" / name, folder)
        shutil.copy(rubric_beside(name), folder / "rubric.yaml")
        bundled, copied = load_assignment(name), load_assignment(folder)
        assert copied == bundled
        assert load_rubric(folder, copied) == load_rubric(name, bundled)


def test_what_nothing_watches_cannot_be_forbidden(tmp_path: Path) -> None:
    path = tmp_path / "demo" / "assignment.yaml"
    path.parent.mkdir()
    text = "schema: grader/assignment/v1\nid: demo\nversion: '1'\ntitle: Demo\ncomponents:\n  softmax:\n"
    path.write_text(
        text + "    callable: softmax\n    forbidden: [torch.softmax, torch.softmin, scipy.special.softmax]\n"
    )
    with pytest.raises(GraderError) as caught:
        load_assignment(path)
    said = "components.softmax.forbidden[1]: torch.softmin cannot be forbidden: nothing sees it."
    assert said in str(caught.value)
    path.write_text(text + "    callable: softmax\n    forbidden: [torch.Tensor.softmax, 'torch.nn.Transformer*']\n")
    assert load_assignment(path).interface("softmax").forbidden == ("torch.Tensor.softmax", "torch.nn.Transformer*")
