"""What a sheet prints is told from what is written into it, wherever on the sheet a student writes."""

import re
import textwrap

import pytest

from grader.catalog import load_assignment
from grader.model.submission import Document
from grader.written.printed import Printed, blank_sheet
from grader.written.sheet import read_sheet
from tests.growth import SQUARE, growth

SECTIONS = load_assignment("discovery-worksheet").sections
BLANK = blank_sheet("Week 5", SECTIONS)


def answers(text: str | bytes, name: str = "worksheet.md") -> dict[str, str]:
    data = text if isinstance(text, bytes) else text.encode()
    found = read_sheet([Document(name, data)], SECTIONS, BLANK).answers
    return {question: written.text for question, written in found.items() if written.text}


def filled(**answer: str) -> str:
    return re.sub(r"\*\*\[(\w+)\]\*\* $", lambda m: f"{m[0]}{answer.get(m[1], '')}", BLANK, flags=re.MULTILINE)


def test_a_blank_sheet_holds_no_answers() -> None:
    assert answers(BLANK) == {}


@pytest.mark.parametrize(
    ("printed", "written", "question", "answer"),
    [
        ("3. Apply ____ to get", "3. Apply softmax to get", "normalise", "softmax"),
        ("3. Apply ____ to get", "3. Apply __softmax__ to get", "normalise", "softmax"),
        ("3. Apply ____ to get", "Apply ____softmax____ to get", "normalise", "softmax"),
        ("2. Scale by 1/√____", "2. Scale by 1/√d_k", "scale", "d_k"),
        ("roles. Q____: the", "roles. Query: the", "role_q", "Query"),
        ("roles. Q____: the", "roles. Q Query: the", "role_q", "Query"),
        ("roles. Q____: the", "roles. QQuery: the", "role_q", "Query"),
        ("is the ____ word", "is the 2nd word", "bank_position", "2nd"),
        ("is the ____ word", "is the second word", "bank_position", "second"),
        ("attentions: ____ (typically", "attentions: 8 (typically", "num_heads", "8"),
        ("How to combine outputs: ____", "How to combine outputs: concatenate", "combine", "concatenate"),
        ("Why scale?", "Why scale? The scores grow.", "why_scale", "The scores grow."),
        ("Why scale?", "Why scale?\nThe scores grow.", "why_scale", "The scores grow."),
    ],
)
def test_what_stands_in_a_blank_or_behind_the_question_is_its_answer(
    printed: str, written: str, question: str, answer: str
) -> None:
    assert printed in BLANK
    assert answers(BLANK.replace(printed, written)) == {question: answer}


@pytest.mark.parametrize("width", [60, 72, 80])
def test_a_sheet_whose_long_lines_an_editor_broke_holds_the_same_answers(width: int) -> None:
    sheet = filled(speedup_100="a factor of 100", ffn_processes="each position", missing_information="word order")
    broken = "\n".join(line if "|" in line else textwrap.fill(line, width) for line in sheet.splitlines())
    assert broken.count("\n") > sheet.count("\n")
    assert answers(broken) == answers(sheet)
    assert answers("\n".join(textwrap.fill(line, width) for line in BLANK.splitlines() if "|" not in line)) == {}


def test_what_stands_before_its_mark_is_no_answer_to_the_question_before() -> None:
    sheet = filled(passed_before_assignments="No.").replace("\n**[rnn_gpus]**", "\nOnly 1.\n\n**[rnn_gpus]**")
    assert answers(sheet) == {"passed_before_assignments": "No.", "rnn_gpus": "Only 1."}


def test_the_answer_behind_a_mark_counts_before_one_in_the_blank() -> None:
    sheet = filled(normalise="softmax").replace("3. Apply ____ to", "3. Apply a function to")
    assert answers(sheet) == {"normalise": "softmax"}


def test_a_mark_may_end_the_line_of_its_answer() -> None:
    assert answers("Only one **[rnn_gpus]**\nn² `[connections]`") == {"rnn_gpus": "Only one", "connections": "n²"}


def test_a_mark_may_stand_behind_its_question() -> None:
    asked = "What if you could look at all words at once instead of sequentially?"
    assert answers(f"{asked} **[all_words_at_once]** In parallel.") == {"all_words_at_once": "In parallel."}


def test_a_mark_that_an_answer_speaks_of_begins_no_other() -> None:
    said = {"rnn_gpus": "1", "why_scale": "As I wrote at **[scale]** they grow."}
    assert answers("\n".join(f"**[{name}]** {text}" for name, text in said.items())) == said


@pytest.mark.parametrize(
    "mark", ["<b>[rnn_gpus]</b> 1", "<p><strong>[rnn_gpus]</strong> 1", "\\*\\*[rnn\\_gpus]\\*\\* 1"]
)
def test_marks_survive_editors(mark: str) -> None:
    assert answers(mark) == {"rnn_gpus": "1"}


@pytest.mark.parametrize("old", ["“”", "’"])
def test_lines_whose_signs_an_editor_changed_are_printed_still(old: str) -> None:
    sheet = filled(role_q="Query", why_waves="They're bounded.")
    changed = sheet.translate({ord(char): '"' for char in old})
    assert set(answers(changed)) == {"role_q", "why_waves"}
    assert answers(sheet.replace("'", "’"))["role_q"] == "Query"


@pytest.mark.parametrize(
    ("question", "written", "bare"),
    [
        ("gpt2_layers", "GPT-2 with 1.5B parameters: 48 layers", "48"),
        ("rnn_time_50", "Time for RNN: 50 steps", "50"),
        ("transformer_path", "Transformer: 1 step(s) (direct connection)", "1"),
        ("waves_pro", "Pro: bounded. Con: complex.", "bounded"),
        ("numbers_con", "Con: they grow", "they grow"),
        ("rnn_time_50", "about 50", "about 50"),
        ("combine", "concatenate", "concatenate"),
    ],
)
def test_an_answer_is_read_without_the_words_of_its_question(question: str, written: str, bare: str) -> None:
    assert answers(f"**[{question}]** {written}") == {question: bare}
    assert answers(f"{question}: {written!r}", "answers.yaml") == {question: bare}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig"])
def test_texts_of_windows_are_read_with_and_without_their_mark(encoding: str) -> None:
    said = {"rnn_gpus": "1", "why_scale": "Größere Werte"}
    assert answers(filled(**said).replace("\n", "\r\n").encode(encoding)) == said


def test_a_label_that_is_a_letter_may_begin_an_answer() -> None:
    walk = load_assignment("paper-walkthrough").sections
    text = "**[shape_q]**\nQ: T x d_k\nK: T x d_k"
    found = read_sheet([Document("a.md", text.encode())], walk, blank_sheet("", walk)).answers
    assert found["shape_q"].text == "Q: T x d_k\nK: T x d_k"
    assert Printed.of(blank_sheet("", walk)).asked("K: T x d_k") == ("", "")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("line", ["x = {}", "foo_bar: {}", "Transformer is {}", "**[rnn_gpu]** {}", "(((( {}"])
def test_the_time_for_many_lines_grows_with_their_number(line: str) -> None:
    assert growth(lambda n: answers("\n".join(line.format(number) for number in range(n))), 2000) < SQUARE
