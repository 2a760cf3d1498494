"""``grader ci`` with a grader.yaml that is wrong: the message names file, line, field and what was expected."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "grader.yaml:1: expected a mapping of fields"),
        ("assignment: [1", "grader.yaml:2: not YAML"),
        ("assignment: 3", "grader.yaml:1: assignment: expected text (put it in quotes), found 3"),
        ("assignment: nope", "grader.yaml: assignment: there is no assignment 'nope'. Known: attention-mechanics"),
        ("assignment: attention-nmpy", "grader.yaml: assignment: there is no assignment 'attention-nmpy'"),
        ("assignment: attention-numpy\nfoo: 1", "grader.yaml:2: foo: unknown field"),
        ("assignment: attention-numpy\nmin_score: abc", "grader.yaml:2: min_score: expected points (14) or a share"),
        ("assignment: attention-numpy\npath: ../x.py", "grader.yaml: path: expected something inside its folder"),
        ("assignment: attention-numpy\njunit: ../x.xml", "grader.yaml: junit: expected something inside its folder"),
    ],
)
def test_a_wrong_grader_yaml_is_explained(grader, tmp_path, text, message):
    (tmp_path / "grader.yaml").write_text(text)
    ran = grader("ci", "--isolation", "standard")
    assert ran.code == 2
    assert ran.err.startswith(f"grader: {message}")
    assert not list(tmp_path.glob("*.xml"))


@pytest.mark.parametrize("target", ["nope/x.xml", "."])
def test_a_junit_file_that_cannot_be_written_is_said_before_the_work_is_judged(grader, right, target):
    ran = grader("ci", "-a", "attention-numpy", "--path", right.name, "--isolation", "standard", "--junit", target)
    assert ran.code == 2
    assert ran.out == ""
    assert "with --junit" in ran.err
