"""Sheets beside code, and sheets of a class."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.catalog import load_assignment, load_rubric, rubric_beside
from grader.model.outcome import Verdict
from grader.model.report import Settings
from grader.model.submission import Document, Submission
from grader.pipeline import grade
from tests.written.worksheets import WORKSHEET, Fill

# ---------------------------------------------------------------------------------------- one mark, and a class


MIXED = """schema: grader/assignment/v1
id: mixed
version: "1"
title: Code and worksheet
parts: [code, worksheet]
components:
  softmax: {callable: softmax, parameters: [x], domain: {ranks: [1, 2], axis: last}}
"""
KEY = """schema: grader/key/v1
sections:
  - id: blanks
    title: Blanks
    questions:
      - {id: heads, title: Heads of the base model, kind: number, value: 8}
      - {id: why, title: Why, kind: free, look_for: anything}
"""
RUBRIC = """schema: grader/rubric/v1
id: mixed
assignment: mixed
version: "1"
title: Mixed
criteria:
  - {id: code, title: Code, points: 6, checks: [softmax.*]}
  - {id: blanks, title: Blanks, points: 4, checks: [blanks.*]}
"""
SOFTMAX = b"""import numpy as np


def softmax(x):
    x = np.asarray(x, dtype=float) if np.asarray(x).dtype.kind != "f" else np.asarray(x)
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
"""


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    for name, text in (("assignment.yaml", MIXED), ("key.yaml", KEY), ("rubric.yaml", RUBRIC)):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_code_and_worksheet_give_one_report_and_one_score(mixed: Path) -> None:
    from grader.intake import assemble, caps

    files = (("softmax.py", SOFTMAX), ("worksheet.md", b"**[heads]** 8\n\n**[why]** because\n"))
    submission = assemble.submission("work", "work", caps.Gathered(files))
    loaded = load_assignment(mixed)
    report = grade(submission, Settings(loaded, load_rubric(rubric_beside(mixed), loaded), "none"))
    assert [(mark.criterion.id, mark.points, mark.pending) for mark in report.marks] == [
        ("code", 6, 0),
        ("blanks", 2, 2),
    ]
    assert (report.score, report.max_score) == (8, 10)


def test_a_part_that_was_not_handed_in_is_missing_and_the_other_counts(mixed: Path) -> None:
    loaded = load_assignment(mixed)
    settings = Settings(loaded, load_rubric(rubric_beside(mixed), loaded), "none")
    sheet = Submission("w", "w", documents=(Document("worksheet.md", b"**[heads]** 8\n"),))
    report = grade(sheet, settings)
    assert [(mark.verdict, mark.points) for mark in report.marks] == [(Verdict.MISSING, 0), (Verdict.MISSING, 2)]


def test_the_table_of_a_form_is_a_class(tmp_path: Path) -> None:
    from grader.classroom.entry import read
    from tests.classroom.exports import collect

    path = tmp_path / "form.csv"
    header = "Timestamp;E-Mail-Adresse;Name;[rnn_gpus] You have 12 GPUs;connections;Speed-up for 100 words\n"
    rows = "1;ada@x.org;Ada Ö;1;n²;100x\n2;bob@x.org;Bob;12;n;1,5\n3;ada@x.org;Ada Ö;2;n²;100\n"
    path.write_bytes((header + rows).encode("utf-8-sig"))
    layout, entries = collect(path)
    assert (layout, [(entry.key, entry.attempt) for entry in entries]) == (
        "form",
        [("ada-ö", 1), ("bob", 1), ("ada-ö", 2)],
    )
    settings = load_assignment(WORKSHEET)
    report = grade(read(entries[0]), Settings(settings, load_rubric(rubric_beside(WORKSHEET), settings)))
    passed = {o.check for mark in report.marks for o in mark.outcomes if o.verdict is Verdict.PASSED}
    assert passed == {"sequential.rnn_gpus", "self_attention.connections", "advantages.speedup_100"}
    assert report.submission.submitter == "Ada Ö"


def test_a_folder_of_sheets_is_a_class_and_a_pdf_with_its_source_is_one_hand_in(tmp_path: Path) -> None:
    from grader.classroom.layouts import detect
    from tests.classroom.exports import collect

    for name in ("ann.md", "bob.pdf", "bob.tex", "cyd.yaml", "grader.yaml", "handout.md"):
        (tmp_path / name).write_text("x")
    assert detect(tmp_path).is_class
    _, entries = collect(tmp_path)
    assert [(entry.key, [file.name for file in entry.files]) for entry in entries] == [
        ("ann", ["ann.md"]),
        ("bob", ["bob.pdf", "bob.tex"]),
        ("cyd", ["cyd.yaml"]),
    ]
    for name in ("ann.md", "cyd.yaml"):
        (tmp_path / name).unlink()
    assert not detect(tmp_path).is_class


def test_a_sheet_without_a_name_of_its_assignment_is_recognised_by_its_marks(tmp_path: Path, fill: Fill) -> None:
    from grader.catalog import recognise
    from grader.intake.loading import load

    path = tmp_path / "homework.md"
    path.write_text(fill("paper-walkthrough", {"metric": "BLEU"}))
    assert recognise(path, load(path)).assignment == "paper-walkthrough"
