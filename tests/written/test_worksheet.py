"""Whole sheets: right ones lose nothing, and each slip is found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.catalog import load_assignment
from grader.model.outcome import Verdict
from grader.model.submission import Submission
from grader.written.parts import assess_written
from tests.written.worksheets import WORKSHEET, Answers, Fill, Judge, graded, verdicts


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
        mark = outcome.check.partition(".")[2] if outcome.component in on_sheet else ""
        assert (outcome.mark, outcome.marked.endswith(f" [{mark}]")) == (mark, bool(mark))
        assert "[" not in outcome.title or not mark


@pytest.mark.parametrize("form", ["terminal", "markdown", "page", "junit"])
def test_a_report_names_the_mark_and_no_id_of_the_key(form: str) -> None:
    from importlib import import_module

    report = graded(WORKSHEET, ("sheet.md", "**[rnn_gpus]** 12\n\n**[connections]** n²\n"))
    text = import_module(f"grader.report.{form}").render(report).replace("\\", "")
    assert "How many of 12 GPUs an RNN can use at once for this sentence [rnn_gpus]" in text
    assert "sheet.rnn_gpus" not in text


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
    "sheet",
    ["german", *(f"german_{n}" for n in range(2, 14)), "mixed", "mixed_2", "french",
     *(f"english_{n}" for n in range(3, 7))],
)  # fmt: skip
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
