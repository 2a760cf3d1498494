"""Generated: every answer of every bundled key is judged as the key says."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.catalog import InvalidFileError, list_assignments, load_assignment
from grader.cli import main
from grader.model.assignment import Section
from grader.written.model_answer import problems

SECTIONS = [(name, section) for name in list_assignments() for section in load_assignment(name).sections]


@pytest.mark.parametrize(("name", "section"), SECTIONS, ids=[f"{name}-{section.id}" for name, section in SECTIONS])
def test_a_keys_own_answers_are_right_and_its_slips_are_wrong_and_named(name: str, section: Section) -> None:
    assert name
    assert list(problems([section])) == []


ASSIGNMENT = 'schema: grader/assignment/v1\nid: mine\nversion: "1"\ntitle: Mine\nneeds: []\nparts: [worksheet]\n'
KEY = """schema: grader/key/v1
sections:
  - id: one
    title: One
    questions:
      - {id: heads, title: Heads, kind: number, value: eight heads or so, slips: [{values: [6], title: Layers}]}
      - {id: side, title: Side, kind: choice, value: left, options: {left: [left], right: [right, "not left"]}}
"""


def test_a_key_that_contradicts_itself_is_named_by_validate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "assignment.yaml").write_text(ASSIGNMENT)
    (tmp_path / "key.yaml").write_text(KEY.replace("eight heads or so", "8 or 9"))
    with pytest.raises(SystemExit) as left:
        main(["assignment", "validate", str(tmp_path)])
    assert left.value.code == 2
    assert "heads: its own answer “8 or 9” is judged undetermined" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("kind: number", "kind: nummer", "key.yaml:6"),
        ("id: side", "id: heads", "given twice"),
        ("value: left", "valu: left", "key.yaml:7"),
        ("title: One", "titel: One", "key.yaml:3"),
    ],
)
def test_a_wrong_key_is_refused_with_its_line(old: str, new: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "assignment.yaml").write_text(ASSIGNMENT)
    (tmp_path / "key.yaml").write_text(KEY.replace(old, new))
    with pytest.raises(InvalidFileError, match=complaint):
        load_assignment(tmp_path)


def test_an_assignment_says_which_parts_it_has(tmp_path: Path) -> None:
    (tmp_path / "assignment.yaml").write_text(ASSIGNMENT.replace("[worksheet]", "[code, worksheet]"))
    (tmp_path / "key.yaml").write_text(KEY)
    with pytest.raises(InvalidFileError, match="code among the parts exactly where components are given"):
        load_assignment(tmp_path)
