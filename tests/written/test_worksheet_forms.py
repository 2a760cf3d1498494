"""The ways to hand a sheet in say the same: documents, notebooks, PDF forms, and what editors do to the marks."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import yaml

from grader.model.outcome import Verdict
from grader.model.submission import Document
from grader.written.sheet import marked
from tests.written.worksheets import WORKSHEET, Answers, Fill, Judge, cell, form, graded, notebook, verdicts

UNREAD = "Nothing was read from "


# ----------------------------------------------------------------------------------------------- ways to hand in


def test_yaml_and_json_say_the_same_as_the_sheet(good: Answers, fill: Fill, judge: Judge) -> None:
    expected = verdicts(judge(WORKSHEET, "worksheet.md", fill(WORKSHEET, good)))
    assert verdicts(judge(WORKSHEET, "answers.yaml", yaml.safe_dump(good, allow_unicode=True))) == expected
    assert verdicts(judge(WORKSHEET, "answers.json", json.dumps(good))) == expected
    nested = {"part one": dict(list(good.items())[:20]), "part two": dict(list(good.items())[20:])}
    assert verdicts(judge(WORKSHEET, "answers.yml", yaml.safe_dump(nested, allow_unicode=True))) == expected


def test_tagged_and_marked_cells_of_a_notebook_are_answers(judge: Judge) -> None:
    book = notebook(
        cell("# My answers"),
        cell("1", "rnn_gpus"),
        cell("n*n", "answer:connections", kind="code"),
        cell("**[speedup_100]** 100×\n\n**[rnn_path]** 99"),
        cell("48", "unknown_tag"),
    )
    outcomes = judge(WORKSHEET, "work.ipynb", book)
    passed = {name for name, outcome in outcomes.items() if outcome.verdict is Verdict.PASSED}
    assert passed == {"rnn_gpus", "connections", "speedup_100", "rnn_path"}


@pytest.mark.parametrize(
    "question", [("", "speedup_100"), ("**[speedup_100]**",), ("**[speedup_100]**", "speedup_100")]
)
@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_a_cell_below_an_empty_question_answers_it(judge: Judge, question: tuple[str, ...], kind: str) -> None:
    asked, nothing = cell(*question), cell("## Worksheet")
    answered = judge(WORKSHEET, "work.ipynb", notebook(asked, cell("My answer: 100×", kind=kind), cell("and 5")))
    assert answered["speedup_100"].verdict is Verdict.PASSED
    for between in (nothing, cell("1 + 1", kind="code"), cell("1", "rnn_gpus")):
        apart = judge(WORKSHEET, "work.ipynb", notebook(asked, between, cell("100×", kind=kind)))
        assert apart["speedup_100"].verdict is Verdict.MISSING


def test_the_fields_of_a_fillable_pdf_are_answers(judge: Judge) -> None:
    pytest.importorskip("pypdf")
    outcomes = judge(WORKSHEET, "worksheet.pdf", form({"rnn_gpus": "1", "connections": "n²", "scale": "d_model"}))
    assert outcomes["rnn_gpus"].verdict is Verdict.PASSED
    assert outcomes["connections"].verdict is Verdict.PASSED
    assert outcomes["scale"].verdict is Verdict.FAILED
    assert outcomes["speedup_100"].verdict is Verdict.MISSING


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("worksheet.docx", b"PK\x03\x04", "it is broken"),
        ("worksheet.odt", b"", "the file is empty. Save it again."),
        ("worksheet.pdf", b"%PDF-1.4 broken", "the PDF is broken"),
        ("worksheet.pdf", b"", "the file is empty (0 bytes). Export it again"),
        ("worksheet.pdf", b"PK\x03\x04", "this is no PDF but a Word document or a zip"),
        (
            "worksheet.html",
            b"<p>8</p>",
            "answers are read from Markdown, Word, YAML, JSON, notebooks and PDF forms. A person",
        ),
        ("worksheet.jpg", b"\xff\xd8", "it is a picture. A person looks at it."),
    ],
)
def test_a_sheet_that_only_a_person_can_read_goes_to_one_and_is_told_once(name: str, data: bytes, why: str) -> None:
    from grader.report import markdown, page, terminal

    report = graded(WORKSHEET, (name, data))
    assert (report.score, report.pending, report.notes) == (0, 60, ())
    assert report.verdict is Verdict.UNDETERMINED
    outcomes = [outcome for mark in report.marks for outcome in mark.outcomes]
    assert {outcome.answer.text for outcome in outcomes if outcome.answer} == {marked(Document(name, data))}
    said = {outcome.message for outcome in outcomes}
    assert len(said) == 1
    assert said.pop().startswith(f"{UNREAD}{name}: {why}")
    for way in (terminal, markdown, page):
        text = " ".join(way.render(report).replace("\\", "").split())
        assert text.count(f"Nothing was read from {name}") == 1
        assert "This concerns all 55 questions." in text
        assert "Not read" in text


def test_a_scanned_report_in_mixed_homework_is_told_once_and_the_rest_is_judged() -> None:
    report = graded("attention-week", ("report.pdf", b"no pdf"), ("sheet.md", b"**[heads_width]** 64\n"))
    told = [o.message for mark in report.marks for o in mark.outcomes if o.verdict is Verdict.UNDETERMINED]
    assert len(set(told)) == 1
    assert told[0].startswith(f"{UNREAD}report.pdf: this is no PDF")
    found = {o.check: o.verdict for mark in report.marks for o in mark.outcomes}
    assert found["counting.heads_width"] is Verdict.PASSED


@pytest.mark.parametrize(
    "spoiled",
    [
        lambda text: text.replace("**[", "[").replace("]**", "]:"),
        lambda text: text.replace("**[", r"**\[").replace("]**", r"\]**").replace("_", r"\_"),
        lambda text: text.replace("**[", "`[").replace("]**", "]`"),
        lambda text: text.replace("**[", "<!-- id: ").replace("]**", " -->"),
        lambda text: text.replace("**[", "- **[").replace("\n", "\r\n"),
        lambda text: text.replace("**[", "").replace("]** ", ": "),
        lambda text: "\n".join(line for line in text.split("\n") if not line.startswith("#")),
    ],
    ids=["colon", "escaped", "backticks", "comments", "list in Windows lines", "bare", "no headings"],
)
def test_what_editors_do_to_the_marks_changes_nothing(spoiled: Callable[[str], str], judge: Judge, fill: Fill) -> None:
    answers = {
        "rnn_gpus": "1",
        "connections": "n(n-1)/2",
        "speedup_100": "100×",
        "combine": "concatenate",
        "scale": "d_k",
    }
    expected = verdicts(judge(WORKSHEET, "worksheet.md", fill(WORKSHEET, answers)))
    assert verdicts(judge(WORKSHEET, "worksheet.md", spoiled(fill(WORKSHEET, answers)))) == expected


def test_answering_twice_goes_to_a_person(judge: Judge) -> None:
    outcome = judge(WORKSHEET, "a.md", "**[rnn_gpus]** 1\n\n**[rnn_gpus]** 12\n")["rnn_gpus"]
    assert outcome.verdict is Verdict.UNDETERMINED
    assert "more than once" in outcome.message
