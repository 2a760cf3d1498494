"""Homework of code, worksheet and report: one hand-in, one report, one score, one row of the gradebook."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from grader.catalog import load_assignment, load_rubric
from grader.catalog.places import rubric_beside
from grader.cli import main
from grader.intake.loading import load
from grader.model.outcome import Outcome, Verdict
from grader.model.report import Report, Settings
from grader.model.submission import Document
from grader.pipeline import grade, prepared
from grader.written.parts import shared_out

SAMPLES = Path(__file__).parents[1] / "submissions" / "attention-week"
PASSED, FAILED, PERSON, MISSING = Verdict.PASSED, Verdict.FAILED, Verdict.UNDETERMINED, Verdict.MISSING
Run = Callable[..., tuple[int, str]]

pytest.importorskip("pypdfium2")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def ran(*arguments: str) -> tuple[int, str]:
        code = 0
        try:
            main([*arguments])
        except SystemExit as stop:
            code = int(stop.code or 0)
        return code, capsys.readouterr().out

    return ran


def graded(path: Path) -> Report:
    loaded = load_assignment("attention-week")
    settings = Settings(loaded, load_rubric(rubric_beside("attention-week"), loaded))
    return grade(prepared(load(path), loaded), settings)


def outcomes(report: Report) -> dict[str, Outcome]:
    return {outcome.check: outcome for mark in report.marks for outcome in mark.outcomes}


def test_a_good_hand_in_loses_nothing_and_what_its_report_says_waits() -> None:
    report = graded(SAMPLES / "good")
    assert (report.score + report.pending, report.max_score) == (40, 40)
    waiting = {name for name, o in outcomes(report).items() if o.verdict is PERSON}
    assert waiting == {"topics.attention_topic", "topics.masks_topic", "reflection.reflection"}
    assert report.notes == ()
    parts = {check.partition(".")[0] for check in outcomes(report)}
    assert {"softmax", "scaled_dot_product_attention", "counting", "by_hand", "in_words", "formulas"} <= parts


def test_mistakes_are_found_in_every_part() -> None:
    found = outcomes(graded(SAMPLES / "slips"))
    named = {name: o.diagnosis.id for name, o in found.items() if o.diagnosis}
    assert named["softmax.matches_the_definition"] == "softmax-hardcoded-axis0"
    assert named["by_hand.week_attention"] == "sheet.formula_attn-no-root"
    assert found["counting.heads_width"].verdict is FAILED
    assert found["by_hand.week_steps"].passed == 2
    assert found["in_words.week_why_scale"].verdict is MISSING
    assert found["reflection.length"].verdict is FAILED
    assert found["formulas.report_multi_head"].verdict is PERSON  # a step of the right formula


def test_an_unread_answer_waits_and_all_else_is_decided() -> None:
    report = graded(SAMPLES / "waiting")
    waiting = {name for name, o in outcomes(report).items() if o.verdict is PERSON}
    assert {name for name in waiting if not name.startswith(("topics.", "reflection."))} == {"in_words.week_why_scale"}


def without(tmp_path: Path, name: str) -> dict[str, Outcome]:
    shutil.copytree(SAMPLES / "good", tmp_path / "work")
    for path in (tmp_path / "work").glob(name):
        path.unlink()
    return outcomes(graded(tmp_path / "work"))


def test_without_the_report_the_rest_is_judged(tmp_path: Path) -> None:
    found = without(tmp_path, "report.*")
    assert {o.verdict for name, o in found.items() if name.startswith(("document", "topics", "refl"))} == {MISSING}
    assert {o.verdict for name, o in found.items() if name.startswith(("counting", "by_hand", "softmax"))} == {PASSED}


def test_without_the_notebook_the_report_is_judged(tmp_path: Path) -> None:
    found = without(tmp_path, "*.ipynb")
    assert {o.verdict for name, o in found.items() if name.startswith(("counting", "by_hand", "softmax"))} == {MISSING}
    assert {found[name].verdict for name in ("document.pages", "reflection.length")} == {PASSED}


def test_the_worksheet_may_be_a_file_of_its_own(tmp_path: Path) -> None:
    work = tmp_path / "work"
    shutil.copytree(SAMPLES / "good", work)
    book = json.loads((work / "homework.ipynb").read_text(encoding="utf-8"))
    answers = [c for c in book["cells"] if c["metadata"].get("tags")]
    book["cells"] = [c for c in book["cells"] if not c["metadata"].get("tags")]
    (work / "homework.ipynb").write_text(json.dumps(book), encoding="utf-8")
    (work / "worksheet.md").write_text("\n\n".join("".join(c["source"]) for c in answers), encoding="utf-8")
    report = graded(work)
    assert (report.score + report.pending, report.notes) == (40, ())


def test_files_of_the_sheet_are_no_sources_of_the_report() -> None:
    sections = load_assignment("attention-week").sections
    documents = tuple(
        Document(path.name, path.read_bytes()) for path in sorted((SAMPLES / "good").iterdir()) if path.is_file()
    )
    shares = shared_out(documents, sections)
    assert [d.path for d in shares["worksheet"]] == ["homework.ipynb"]
    assert [d.path for d in shares["report"]] == ["report.pdf", "report.tex"]


def test_new_writes_one_notebook_that_has_room_for_every_answer(run: Run, tmp_path: Path) -> None:
    code, _ = run("new", "attention-week", "mine")
    assert code == 0
    assert {path.name for path in (tmp_path / "mine").iterdir()} == {"grader.yaml", "handout.md", "homework.ipynb"}
    assert (tmp_path / "mine" / "grader.yaml").read_text() == "assignment: attention-week\npath: .\n"
    found = outcomes(graded(tmp_path / "mine"))
    assert {o.verdict for name, o in found.items() if name.startswith(("counting", "by_hand", "in_words"))} == {MISSING}


def test_check_knows_mixed_homework_by_its_marks(run: Run, tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "good", tmp_path / "work")
    code, out = run("check", "work")
    assert code == 0
    assert "of 40 points" in out
    for title in ("Code: softmax", "Worksheet: by hand", "Report: reflection"):
        assert title in out


def test_code_alone_is_still_the_code_assignment(run: Run, tmp_path: Path) -> None:
    book = json.loads((SAMPLES / "good" / "homework.ipynb").read_text(encoding="utf-8"))
    code = "\n\n".join("".join(c["source"]) for c in book["cells"] if c["cell_type"] == "code")
    (tmp_path / "attention.py").write_text(code, encoding="utf-8")
    assert "attention-numpy" in run("check", "attention.py")[1]


@pytest.mark.slow
def test_a_class_gets_one_score_and_one_row_each_and_review_completes_it(run: Run, tmp_path: Path) -> None:
    shutil.copytree(SAMPLES, tmp_path / "class")
    (tmp_path / "class" / "README.md").unlink()
    code, _ = run("grade", "class", "-a", "attention-week", "-o", "results", "--jobs", "1")
    assert code == 0
    rows = table(run("export", "results")[1])
    assert len(rows) == 3
    before = {row["key"]: row for row in rows}
    assert Decimal(before["good"]["score"]) + Decimal(before["good"]["pending"]) == 40

    assert run("review", "results", "--export", "queue.csv")[0] == 0
    text = (tmp_path / "queue.csv").read_text(encoding="utf-8-sig")
    queue = list(csv.DictReader(io.StringIO(text)))
    assert {row["check"].partition(".")[0] for row in queue} <= {
        "counting",
        "formulas",
        "report",
        "reflection",
        "in_words",
    }
    for row in queue:
        row["points"] = row["most"] if row["key"] == "good" else "0"
    write(tmp_path / "queue.csv", queue)
    assert run("review", "results", "--import", "queue.csv", "--by", "me")[0] == 0
    after = {row["key"]: row for row in table(run("export", "results")[1])}
    assert len(after) == 3
    assert (after["good"]["score"], after["good"]["pending"]) == ("40.00", "0")
    assert {row["pending"] for row in after.values()} == {"0"}


def test_students_who_share_a_passage_are_shown_with_both(run: Run, tmp_path: Path) -> None:
    same = "the mask is added to the scores so that no weight falls on a word that was not written yet"
    for name, text in (("ada", f"# Masks\n\nI think that {same}."), ("bob", f"# Masks\n\nAs said, {same}, always.")):
        shutil.copytree(SAMPLES / "good", tmp_path / "class" / name, ignore=shutil.ignore_patterns("report.*"))
        (tmp_path / "class" / name / "report.md").write_text(text, encoding="utf-8")
    run("grade", "class", "-a", "attention-week", "-o", "results", "--jobs", "1")
    out = " ".join(run("similar", "results", "--source", "class")[1].split())
    assert f"ada: “{same}”" in out
    assert f"bob: “{same}”" in out


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
