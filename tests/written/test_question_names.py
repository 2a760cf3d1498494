"""Names of questions that are mistyped, unknown or given twice: no answer is lost without a word, in any form."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from grader.catalog import load_assignment
from grader.model.outcome import Outcome, Verdict
from grader.model.submission import Document, Submission
from grader.written.parts import assess_written
from grader.written.printed import blank_sheet
from grader.written.question_names import Names
from tests.growth import SQUARE, growth
from tests.written.worksheets import cell, notebook

WORKSHEET = "discovery-worksheet"
SHEETS = ("discovery-worksheet", "paper-walkthrough", "attention-week")
Pairs = tuple[tuple[str, str], ...]


def judged(name: str, data: str | bytes, assignment: str = WORKSHEET) -> tuple[dict[str, Outcome], tuple[str, ...]]:
    content = data if isinstance(data, bytes) else data.encode()
    work = Submission("work", name, documents=(Document(name, content),))
    outcomes, notes = assess_written(work, load_assignment(assignment).sections)
    return {outcome.check.partition(".")[2]: outcome for outcome in outcomes}, notes


FORMS: Mapping[str, Callable[[Pairs], tuple[str, str | bytes]]] = {
    "yaml": lambda pairs: ("a.yaml", "".join(f"{name}: '{text}'\n" for name, text in pairs)),
    "yaml in sections": lambda pairs: ("a.yaml", "one:\n" + "".join(f"  {n}: '{text}'\n" for n, text in pairs)),
    "json": lambda pairs: ("a.json", "{" + ", ".join(f'"{name}": {json.dumps(text)}' for name, text in pairs) + "}"),
    "list": lambda pairs: ("a.json", json.dumps([{"id": name, "answer": text} for name, text in pairs])),
    "list in yaml": lambda pairs: ("a.yml", json.dumps({"answers": [{"id": n, "answer": t} for n, t in pairs]})),
    "list of pairs": lambda pairs: ("a.json", json.dumps([{name: text} for name, text in pairs])),
    "columns": lambda pairs: ("a.json", json.dumps({f"[{name}] How many?": text for name, text in pairs})),
    "markdown": lambda pairs: ("a.md", "".join(f"**[{name}]** {text}\n\n" for name, text in pairs)),
    "comments": lambda pairs: ("a.md", "".join(f"<!-- id: {name} -->\n{text}\n\n" for name, text in pairs)),
    "bare": lambda pairs: ("a.txt", "".join(f"{name}: {text}\n" for name, text in pairs)),
    "tags": lambda pairs: ("a.ipynb", notebook(*(cell(text, name) for name, text in pairs))),
    "text cells": lambda pairs: ("a.ipynb", notebook(*(cell(f"**[{name}]** {text}") for name, text in pairs))),
}


@pytest.fixture(params=FORMS)
def hand_in(request: pytest.FixtureRequest) -> Callable[..., tuple[dict[str, Outcome], tuple[str, ...]]]:
    return lambda *pairs: judged(*FORMS[request.param](pairs))


HandIn = Callable[..., tuple[dict[str, Outcome], tuple[str, ...]]]


def test_a_slip_of_the_keyboard_costs_nothing_and_is_pointed_out(hand_in: HandIn) -> None:
    outcomes, notes = hand_in(("connections", "n²"), ("rnn_gpu", "1"), ("transformer_paht", "7"))
    assert outcomes["connections"].verdict is Verdict.PASSED
    assert outcomes["rnn_gpus"].verdict is Verdict.PASSED
    assert outcomes["transformer_path"].verdict is Verdict.FAILED, "a wrong answer stays wrong"
    said = " ".join(notes)
    assert "rnn_gpu is no question of this sheet; it is read as rnn_gpus." in said
    assert "transformer_paht is no question of this sheet; it is read as transformer_path." in said


def test_a_name_that_may_mean_several_is_read_as_none_and_the_nearest_is_named(hand_in: HandIn) -> None:
    outcomes, notes = hand_in(("connections", "n²"), ("speedup_1OO", "100"), ("gpt_layers", "48"))
    assert outcomes["connections"].verdict is Verdict.PASSED, "and what stands behind it is no part of it"
    assert {outcomes[name].verdict for name in ("speedup_100", "gpt2_layers", "gpt3_layers")} == {Verdict.MISSING}
    said = " ".join(notes)
    assert "speedup_1OO is no question of this sheet, and not read: is speedup_100 meant?" in said
    assert "gpt_layers is no question of this sheet, and not read: is gpt" in said


def test_a_mistyped_name_gives_way_to_the_right_one(hand_in: HandIn) -> None:
    outcomes, notes = hand_in(("rnn_gpu", "12"), ("rnn_gpus", "1"))
    assert outcomes["rnn_gpus"].verdict is Verdict.PASSED
    assert "rnn_gpu is no question of this sheet, and rnn_gpus is answered elsewhere." in " ".join(notes)


def test_a_mistyped_name_fills_what_was_left_empty(hand_in: HandIn) -> None:
    outcomes, _ = hand_in(("rnn_gpu", "1"), ("rnn_gpus", ""))
    assert outcomes["rnn_gpus"].verdict is Verdict.PASSED


def test_two_answers_to_one_question_go_to_a_person(hand_in: HandIn) -> None:
    if hand_in(("connections", "n"))[0]["connections"].verdict is not Verdict.FAILED:
        pytest.fail("the form is not read")
    outcomes, _ = hand_in(("rnn_path", "99"), ("rnn-path", "5"), ("connections", "n²"))
    assert outcomes["rnn_path"].verdict is Verdict.UNDETERMINED
    assert outcomes["rnn_path"].message == "Answered more than once: “99” and “5”."
    assert outcomes["connections"].verdict is Verdict.PASSED


@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
@pytest.mark.parametrize(("first", "verdict"), [("99", "passed"), ("", "passed"), ("5", "undetermined")])
def test_the_same_key_twice_is_two_answers(name: str, first: str, verdict: str) -> None:
    text = f'{{"rnn_path": "{first}", "rnn_gpus": "1", "rnn_path": "99"}}'
    outcomes, _ = judged(name, text)
    assert outcomes["rnn_path"].verdict.value == verdict


@pytest.mark.parametrize("form", ["yaml", "json", "markdown", "comments"])
def test_what_is_near_to_nothing_is_listed_once_and_a_header_is_none(form: str) -> None:
    pairs = (("connections", "n²"), ("name", "Ann"), ("student_id", "7"), ("zzzz_one", "1"), ("zzzz_two", "2"))
    _, notes = judged(*FORMS[form](pairs))
    assert len(notes) == 1
    assert notes[0].endswith(": zzzz_one, zzzz_two are no questions of this sheet, and not read.")


@pytest.mark.parametrize(
    "data", ["assignment: discovery-worksheet\npath: worksheet.md\n", "numpy: 2\ntorch: 3\n", "[]"]
)
def test_a_file_without_an_answer_is_other_work_and_nothing_is_said_of_it(data: str) -> None:
    work = (Document("grader.yaml", data.encode()), Document("b.md", b"**[rnn_gpus]** 1\n"))
    _, notes = assess_written(Submission("w", "w", documents=work), load_assignment(WORKSHEET).sections)
    assert notes == ()


@pytest.mark.parametrize(
    "line",
    [
        "Scaled: the dot product is divided.", "[1] Vaswani et al.", "[scale] is what we divide by", "note: see above",
        "[softmax](https://x.org) of it", "**[W]** is the matrix", "**[Q]** asks", "Connection: each to each",
        "a_b: c", "**Scales:** they matter", "PE_pos = sin(pos)", "PE_pos: sin(pos)", "head_i: softmax(QK^T)V",
        "[head_i] is one of them", "n_heads: 8", "why_scaling: to keep it small",
        "speed_up = 100", "no_scale: worse", "d_k: the size of a key", "- role: to ask", "<!-- a remark -->",
    ],
)  # fmt: skip
def test_a_line_of_an_answer_is_no_mark(line: str) -> None:
    text = f"**[why_scale]** First.\n{line}\nLast.\n\n**[rnn_gpus]** 1\n"
    if line.startswith("[scale]"):
        text = text.replace("[scale]", "[scaling]")
    outcomes, notes = judged("a.md", text)
    answer = outcomes["why_scale"].answer
    assert answer is not None
    assert answer.text.endswith("Last.")
    assert notes == ()


@pytest.mark.parametrize("assignment", SHEETS)
def test_no_slip_of_one_letter_is_taken_for_another_question(assignment: str) -> None:
    sections = [section for section in load_assignment(assignment).sections if section.part == "worksheet"]
    taken = tried = 0
    for name in Names.of(sections).ids:
        names = Names.of(sections)  # one has patience for the names of one hand-in
        for at in range(len(name)):
            swapped = name[:at] + name[at + 1 : at + 2] + name[at : at + 1] + name[at + 2 :]
            for typed in {name[:at] + name[at + 1 :], name[:at] + name[at] + name[at:], swapped} - {name}:
                meant = names.exact(typed) or names.meant(typed)
                assert meant in {"", name}, typed
                assert meant or names.nearest(typed) or len(typed) < 6, typed
                tried += 1
                taken += bool(meant)
    assert taken > 0.8 * tried


@pytest.mark.parametrize("assignment", SHEETS)
def test_words_in_another_order_or_run_together_mean_the_same(assignment: str) -> None:
    names = Names.of([s for s in load_assignment(assignment).sections if s.part == "worksheet"])
    for name in names.ids:
        assert names.meant("_".join(reversed(name.split("_")))) == name
        assert names.meant(name.replace("_", "").upper()) == name


@pytest.mark.parametrize("assignment", SHEETS)
def test_a_blank_sheet_has_no_name_that_is_not_known(assignment: str) -> None:
    loaded = load_assignment(assignment)
    asked = [section for section in loaded.sections if section.part == "worksheet"]
    _, notes = judged("worksheet.md", blank_sheet(loaded.title, asked), assignment)
    assert not [note for note in notes if "no question" in note]


def test_columns_of_a_form_are_read_by_the_same_rules(tmp_path: Path) -> None:
    from grader.classroom.entry import read
    from tests.classroom.exports import collect

    path = tmp_path / "form.csv"
    path.write_text(
        "Name,[rnn_gpu] GPUs,Speedup for 100 words,rnn_path,rnn_path,[speedup_5O] Speed-up,Do you agree?\n"
        "Ada,1,100,99,5,50,yes\n"
    )
    _, entries = collect(path)
    outcomes, notes = assess_written(read(entries[0]), load_assignment(WORKSHEET).sections)
    found = {outcome.check.partition(".")[2]: outcome for outcome in outcomes}
    assert found["rnn_gpus"].verdict is Verdict.PASSED
    assert found["speedup_100"].verdict is Verdict.PASSED
    assert found["rnn_path"].message == "Answered more than once: “99” and “5”."
    assert "rnn_gpu is no question of this sheet; it is read as rnn_gpus." in notes[0]
    assert "speedup_5O is no question of this sheet, and not read: is speedup_50 meant?" in " ".join(notes)
    assert "agree" not in " ".join(notes)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("Name,{all}", ()),
        ("Name,{all},Do you agree?,Score", ()),
        (
            "Name,rnn_gpu,{but rnn_gpus}",
            ("f.csv: column rnn_gpu is no question of this sheet; it is read as rnn_gpus",),
        ),
        (
            "Name,[speedup_1OO] Speed,{but speedup_100}",
            (
                "f.csv: column speedup_1OO is no question of this sheet, and not read: is speedup_100 meant?",
                "f.csv: no column answers speedup_100; these are empty for all",
            ),
        ),
        ("Name,{but pe_sin}", ("f.csv: no column answers pe_sin; these are empty for all",)),
    ],
)
def test_columns_are_looked_at_once_for_the_whole_class(tmp_path: Path, columns: str, said: tuple[str, ...]) -> None:
    from grader.classroom.form import remarks_on

    sections = load_assignment(WORKSHEET).sections
    ids = [question.id for section in sections for question in section.questions]
    head = ",".join(
        ",".join(name for name in ids if name != part[5:-1]) if part.startswith("{") else part
        for part in columns.split(",")
    )
    path = tmp_path / "f.csv"
    path.write_text(f"{head}\nAda,1\n")
    assert remarks_on(path, sections) == said
    assert remarks_on(path, load_assignment("attention-numpy").sections) == ()


ROWS = ("who", "studied", "hard", "and", "completed", "all", "assignments", "passed", "the", "exam")


@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
@pytest.mark.parametrize(
    ("typed", "verdict", "told"),
    [
        ({}, Verdict.PASSED, ""),
        ({"studied": "Studied"}, Verdict.PASSED, ""),
        ({"completed": "complted"}, Verdict.UNDETERMINED, "Not read: what is said of completed."),
        ({"completed": "finished"}, Verdict.UNDETERMINED, "Not read: what is said of completed."),
    ],
)
def test_labels_of_rows_are_read_in_any_case_and_others_wait(
    name: str, typed: dict[str, str], verdict: Verdict, told: str
) -> None:
    answer = {"rnn_dependencies": {typed.get(row, row): "yes" for row in ROWS}}
    found = judged(name, json.dumps(answer))[0]["rnn_dependencies"]
    assert (found.verdict, found.message.endswith(told)) == (verdict, True)


def test_all_rows_that_are_wrong_are_counted() -> None:
    found = judged("a.json", json.dumps({"rnn_dependencies": {"who": "yes"}}))[0]["rnn_dependencies"]
    assert found.message.startswith("1 of 10 rows are right. studied: left empty; hard: left empty;")
    assert found.message.endswith("; and 5 more.")


@pytest.mark.parametrize(
    ("row", "verdict", "told"),
    [
        ({"sat": {"The": "0.1", "cat": "0.7", "sat": "0.2"}}, Verdict.PASSED, ""),
        ({"SAT": {"the": "0.1", "Cat": "0.7", "sat": "0.2"}}, Verdict.PASSED, ""),
        ({"sit": {"The": "0.1", "cat": "0.7", "sat": "0.2"}}, Verdict.UNDETERMINED, "is not read as a table."),
        ({"sat": {"The": "0.1", "car": "0.7", "sat": "0.2"}}, Verdict.UNDETERMINED, "is not read as a number."),
    ],
)
def test_labels_of_tables_are_read_in_any_case_and_others_wait(
    row: dict[str, dict[str, str]], verdict: Verdict, told: str
) -> None:
    found = judged("a.json", json.dumps({"relevance": row}))[0]["relevance"]
    assert (found.verdict, found.message.endswith(told)) == (verdict, True), found.message


@pytest.mark.sampled(4)
@pytest.mark.parametrize("form", ["yaml", "json", "markdown", "comments", "bare"])
def test_the_time_for_a_file_full_of_strange_names_grows_with_their_number(form: str) -> None:
    def put_aside(names: int) -> None:
        pairs = (("rnn_gpus", "1"), *((f"rnn_gpxs_{number}", "1") for number in range(names)))
        outcomes, notes = judged(*FORMS[form](pairs))
        assert len(notes) <= 501
        if form != "bare":
            assert outcomes["rnn_gpus"].verdict is Verdict.PASSED
            assert "more are no questions of this sheet, and not read." in notes[-1]

    assert growth(put_aside, 1250) < SQUARE
