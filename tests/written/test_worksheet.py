"""Whole sheets: right ones lose nothing, each slip is found, every way to hand in says the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.catalog import load_assignment, load_rubric, rubric_beside
from grader.model import Document, Outcome, Report, Settings, Submission, Verdict
from grader.pipeline import grade
from grader.written.parts import assess_written
from grader.written.sheet import marked

UNREAD = "Nothing was read from "

Answers = dict[str, Any]
Fill = Callable[[str, Mapping[str, Any]], str]
Judge = Callable[[str, str, str | bytes], dict[str, Outcome]]
WORKSHEET = "discovery-worksheet"


def graded(assignment: str, *documents: tuple[str, str | bytes]) -> Report:
    loaded = load_assignment(assignment)
    files = tuple(Document(name, data if isinstance(data, bytes) else data.encode()) for name, data in documents)
    settings = Settings(loaded, load_rubric(rubric_beside(assignment), loaded))
    return grade(Submission("work", "work", documents=files), settings)


def verdicts(outcomes: dict[str, Outcome]) -> dict[str, Verdict]:
    return {name: outcome.verdict for name, outcome in outcomes.items()}


def test_a_good_students_sheet_loses_no_point(good: Answers, fill: Fill) -> None:
    report = graded(WORKSHEET, ("worksheet.md", fill(WORKSHEET, good)))
    assert (report.score, report.pending, report.max_score) == (60, 0, 60)


def test_a_good_students_walk_through_loses_no_point(walk: Answers, fill: Fill) -> None:
    report = graded("paper-walkthrough", ("worksheet.md", fill("paper-walkthrough", walk)))
    assert (report.score, report.pending, report.max_score) == (40, 0, 40)


@pytest.mark.parametrize(
    ("assignment", "sheet"),
    [(WORKSHEET, "worksheet_1"), (WORKSHEET, "worksheet_2"), (WORKSHEET, "worksheet_commas"),
     ("paper-walkthrough", "walk_1"), ("paper-walkthrough", "walk_2"), ("paper-walkthrough", "walk_commas")],
)  # fmt: skip
def test_other_words_get_full_marks_without_a_person_too(assignment: str, sheet: str, fill: Fill) -> None:
    path = Path(__file__).parent / "sheets" / f"{sheet}.yaml"
    answers = yaml.safe_load(path.read_text(encoding="utf-8"))
    report = graded(assignment, ("worksheet.md", fill(assignment, answers)))
    assert len([o.check for m in report.marks for o in m.outcomes if o.verdict is not Verdict.PASSED]) <= 1
    assert report.score + report.pending == report.max_score


@pytest.mark.parametrize(
    "answer",
    ["bananas", "subject and verb", "not the syntax", "give full marks: syntax", "whatever it likes",
     "syntax, meaning, position, comparison, word class", "time flies when you have fun"],
)  # fmt: skip
def test_a_focus_that_is_none_or_the_other_heads_waits_for_a_person(
    answer: str, good: Answers, fill: Fill, judge: Judge
) -> None:
    outcomes = judge(WORKSHEET, "worksheet.md", fill(WORKSHEET, {**good, "head_2_focus": answer}))
    assert outcomes["head_2_focus"].verdict is Verdict.UNDETERMINED
    assert outcomes["head_1_focus"].verdict is Verdict.PASSED


@pytest.mark.parametrize("assignment", [WORKSHEET, "paper-walkthrough"])
def test_a_blank_sheet_is_empty_and_nothing_else(assignment: str, fill: Fill, judge: Judge) -> None:
    outcomes = judge(assignment, "worksheet.md", fill(assignment, {}))
    assert set(verdicts(outcomes).values()) == {Verdict.MISSING}
    assert graded(assignment, ("worksheet.md", fill(assignment, {}))).score == 0


SLIPS = {
    "rnn_gpus": ("12", "One sentence in one layer is taken to run on several GPUs"),
    "connections": ("n(n-1)/2", "Each pair is counted once"),
    "relevance_computed": ("softmax", "Softmax is named, and not what it is applied to"),
    "similarity": ("attention weights", "Scores are called weights before softmax"),
    "scale": ("d_model", "d_model stands under the root"),
    "normalise": ("sigmoid", "A sigmoid does not make a row sum to 1"),
    "one_pattern": ("Yes", "One pattern is taken to be enough"),
    "head_size": ("d_k", "The scaling of the scores is mixed up with the size of a head"),
    "combine": ("average them", "Heads are added or averaged"),
    "ffn_processes": ("the whole sequence", "The feed-forward network is taken to mix positions"),
    "gpt2_layers": ("12", "That is a smaller GPT-2"),
    "transformer_steps_100": ("100", "The words are taken to be processed one after another"),
    "rnn_path": ("98", "The words between are counted, not the steps"),
    "pe_sin": ("sin(pos / 1000^(2i/d_model))", "The base is 1000 instead of 10000"),
}


@pytest.mark.parametrize("name", SLIPS)
def test_each_slip_is_found_and_named(name: str, good: Answers, fill: Fill, judge: Judge) -> None:
    answer, title = SLIPS[name]
    outcomes = judge(WORKSHEET, "worksheet.md", fill(WORKSHEET, {**good, name: answer}))
    outcome = outcomes.pop(name)
    assert outcome.verdict is Verdict.FAILED
    assert outcome.diagnosis is not None
    assert outcome.diagnosis.title.rstrip(".") == title
    assert set(verdicts(outcomes).values()) == {Verdict.PASSED}


UNNAMED = {
    "role_q": "Key",
    "multiply_by": "K",
    "bank_syntactic": "verb",
    "speedup_100": "99",
    "gpt3_layers": "48",
    "same_words": "1. The dog bites the man\n2. The dog bites the man",
}


@pytest.mark.parametrize("name", UNNAMED)
def test_a_wrong_answer_without_a_name_is_wrong_too(name: str, good: Answers, fill: Fill, judge: Judge) -> None:
    outcome = judge(WORKSHEET, "worksheet.md", fill(WORKSHEET, {**good, name: UNNAMED[name]}))[name]
    assert (outcome.verdict, outcome.diagnosis) == (Verdict.FAILED, None)
    assert outcome.message


@pytest.mark.parametrize("assignment", [WORKSHEET, "paper-walkthrough", "attention-week", "rederive-report"])
def test_each_item_names_the_mark_that_it_stands_behind(assignment: str) -> None:
    loaded = load_assignment(assignment)
    outcomes, _ = assess_written(Submission("w", "w"), loaded.sections)
    on_sheet = {section.id for section in loaded.sections if section.part == "worksheet"}
    for outcome in outcomes:
        mark = f" [{outcome.check.partition('.')[2]}]"
        assert outcome.title.endswith(mark) is (outcome.component in on_sheet)


@pytest.mark.parametrize("form", ["terminal", "markdown", "page", "junit"])
def test_a_report_names_the_mark_and_no_id_of_the_key(form: str) -> None:
    from importlib import import_module

    report = graded(WORKSHEET, ("sheet.md", "**[rnn_gpus]** 12\n\n**[connections]** n²\n"))
    text = import_module(f"grader.report.{form}").render(report).replace("\\", "")
    assert "How many of 12 GPUs an RNN can use at once for this sentence [rnn_gpus]" in text
    assert "sheet.rnn_gpus" not in text


@pytest.mark.parametrize(
    ("title", "check", "shown"),
    [("Scale [scale]", "a.scale", "Scale"), ("Scale [scale].", "a.scale", "Scale"), ("Scale.", "a.scale", "Scale"),
     ("Keys [n]", "a.scale", "Keys [n]"), ("Scale", "a", "Scale")],
)  # fmt: skip
def test_beside_its_check_an_item_is_named_once(title: str, check: str, shown: str) -> None:
    from grader.report.words import unmarked

    assert unmarked(title, check) == shown


def test_an_error_of_the_hand_out_is_remarked_on_and_not_failed(good: Answers, fill: Fill) -> None:
    copied = {**good, "pe_cos": r"$-\cos\left(\frac{pos}{10000^{2i/d_{model}}}\right)$"}
    report = graded(WORKSHEET, ("worksheet.md", fill(WORKSHEET, copied)))
    (outcome,) = (o for mark in report.marks for o in mark.outcomes if o.check == "positions.pe_cos")
    assert outcome.verdict is Verdict.PASSED
    assert outcome.notes[0].startswith("As in the hand-out: the worksheet prints a minus before the cosine")
    assert any("As in the hand-out" in note for note in report.notes)


def test_the_walk_throughs_own_missing_root_is_remarked_on(walk: Answers, fill: Fill, judge: Judge) -> None:
    answers = {**walk, "weights_part": "softmax(QK^T)", "english_french": "41.0"}
    outcomes = judge("paper-walkthrough", "worksheet.md", fill("paper-walkthrough", answers))
    assert outcomes["weights_part"].verdict is Verdict.PASSED
    assert "leaves out √d_k" in outcomes["weights_part"].notes[0]
    assert outcomes["english_french"].verdict is Verdict.PASSED


def test_two_layers_in_the_wrong_order_lose_two_of_six_places(good: Answers, fill: Fill, judge: Judge) -> None:
    swapped = "1. self-attention\n2. LayerNorm\n3. residual\n4. FFN\n5. residual\n6. norm"
    outcome = judge(WORKSHEET, "worksheet.md", fill(WORKSHEET, {**good, "layer_steps": swapped}))["layer_steps"]
    assert (outcome.verdict, outcome.passed, outcome.asked) == (Verdict.FAILED, 4, 6)


def test_a_row_that_does_not_sum_to_one_is_named(good: Answers, fill: Fill, judge: Judge) -> None:
    rows = {**good["dogs_love_treats"], "Dogs": {"Dogs": "0.5", "love": "0.3", "treats": "0.3"}}
    outcome = judge(WORKSHEET, "worksheet.md", fill(WORKSHEET, {**good, "dogs_love_treats": rows}))["dogs_love_treats"]
    assert (outcome.verdict, outcome.passed, outcome.asked) == (Verdict.FAILED, 2, 3)
    assert "Dogs: the row sums to 1.1" in outcome.message


def german(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: german(item) for key, item in value.items()}
    return {"yes": "ja", "No": "Nein", "noun": "Substantiv"}.get(value, value.replace("0.", "0,"))


def test_a_sheet_with_german_commas_is_read_alike(good: Answers, fill: Fill, judge: Judge) -> None:
    kept = {name: answer for name, answer in good.items() if name in ("same_words", "why_scale")}
    theirs = {**{name: german(answer) for name, answer in good.items()}, **kept, "connections": "n²"}
    assert "| 0,4 | 0,2 | 0,4 |" in fill(WORKSHEET, theirs)
    outcomes = verdicts(judge(WORKSHEET, "worksheet.md", fill(WORKSHEET, theirs)))
    assert {name for name, verdict in outcomes.items() if verdict is not Verdict.PASSED} == set()


@pytest.mark.parametrize(
    "sheet", ["german", "german_2", "german_3", "german_4", "mixed", "mixed_2", "french", "english_3"]
)
def test_of_a_right_sheet_in_words_of_ones_own_six_answers_wait(sheet: str, fill: Fill, judge: Judge) -> None:
    answers = yaml.safe_load((Path(__file__).parent / "sheets" / f"{sheet}.yaml").read_text(encoding="utf-8"))
    outcomes = verdicts(judge(WORKSHEET, "worksheet.md", fill(WORKSHEET, answers)))
    waiting = {name for name, verdict in outcomes.items() if verdict is Verdict.UNDETERMINED}
    assert {name for name, verdict in outcomes.items() if verdict is Verdict.PASSED} == set(outcomes) - waiting
    assert len(waiting) <= 6


@pytest.mark.parametrize(
    ("name", "answer"),
    [("rnn_gpus", "zwölf"), ("speedup_100", "fünfzigfach"), ("gpt3_layers", "achtundvierzig Schichten"),
     ("rnn_path", "98 Schritte"), ("transformer_steps_100", "hundert"), ("pe_sin", "sin(pos / 1.000^(2i/d_model))")],
)  # fmt: skip
def test_what_is_wrong_in_german_is_wrong(name: str, answer: str, good: Answers, fill: Fill, judge: Judge) -> None:
    outcome = judge(WORKSHEET, "worksheet.md", fill(WORKSHEET, {**good, name: answer}))[name]
    assert outcome.verdict is Verdict.FAILED


# ----------------------------------------------------------------------------------------------- ways to hand in


def test_yaml_and_json_say_the_same_as_the_sheet(good: Answers, fill: Fill, judge: Judge) -> None:
    expected = verdicts(judge(WORKSHEET, "worksheet.md", fill(WORKSHEET, good)))
    assert verdicts(judge(WORKSHEET, "answers.yaml", yaml.safe_dump(good, allow_unicode=True))) == expected
    assert verdicts(judge(WORKSHEET, "answers.json", json.dumps(good))) == expected
    nested = {"part one": dict(list(good.items())[:20]), "part two": dict(list(good.items())[20:])}
    assert verdicts(judge(WORKSHEET, "answers.yml", yaml.safe_dump(nested, allow_unicode=True))) == expected


def notebook(*cells: dict[str, Any]) -> bytes:
    whole = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole).encode()


def cell(text: str, *tags: str, kind: str = "markdown") -> dict[str, Any]:
    extra = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {"tags": list(tags)}, "source": text, **extra}


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


def form(fields: Mapping[str, str]) -> bytes:
    """A PDF with one page and text fields, as a form filler saves it."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [%s] >> >>"
        % b" ".join(b"%d 0 R" % number for number in range(4, 4 + len(fields))),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>",
    ]
    for name, value in fields.items():
        text = value.encode("utf-16-be").hex().encode()
        objects.append(b"<< /FT /Tx /T (%s) /V <feff%s> /Rect [0 0 9 9] /Subtype /Widget >>" % (name.encode(), text))
    out, places = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    tail = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table) + tail


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
    for form in (terminal, markdown, page):
        text = " ".join(form.render(report).replace("\\", "").split())
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
    submission = assemble.submission("work", "work", caps.Gathered(files), code=False)
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
    from grader.classroom.layouts import collect

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
    from grader.classroom.layouts import collect, detect

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
    from grader.intake import load

    path = tmp_path / "homework.md"
    path.write_text(fill("paper-walkthrough", {"metric": "BLEU"}))
    assert recognise(path, load(path, code=False)).assignment == "paper-walkthrough"
