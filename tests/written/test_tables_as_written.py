"""Tables are read however they are drawn or told; what is written and not read is never called empty."""

import pytest

from grader.catalog import load_assignment
from grader.model.outcome import Verdict
from grader.written.answers import judge_answer
from grader.written.judged import Judged
from grader.written.sheet import Written, plain

KEYS = {q.id: q.key for section in load_assignment("discovery-worksheet").sections for q in section.questions}
WORDS = ["who", "studied", "hard", "and", "completed", "all", "assignments", "passed", "the", "exam"]


def judged(question: str, text: str) -> Judged:
    return judge_answer(KEYS[question], Written(plain(text)))


@pytest.mark.parametrize(
    "text",
    [
        "Each of them depends on the ones before.",
        "all: yes",
        "All of them: yes",
        "Ja, alle",
        "yes for every word",
        ", ".join(f"{word}: Yes" for word in WORDS),
        "; ".join(f"{word} = yes" for word in WORDS),
        "\n".join(f"- {word} ({step}): yes" for step, word in enumerate(WORDS, 3)),
        "\n".join(f"{step}. {word} → yes" for step, word in enumerate(WORDS, 3)),
        "\n".join(f"* **{word}** – yes" for word in WORDS),
        "\n".join(f"{word} yes" for word in WORDS),
        "\n".join(f"({step}) {word}: yes" for step, word in enumerate(WORDS, 3)),
        "\n".join(f"({step}): yes" for step, word in enumerate(WORDS, 3)),
        "They all depend on previous steps: yes",
        "\n".join(f"{word} (step {step}): yes (step {step - 1})" for step, word in enumerate(WORDS, 3)),
        "yes " * len(WORDS),
        "yes, " * len(WORDS),
        "yes\n" * len(WORDS),
    ],
)
def test_a_yes_for_each_word_is_read(text: str) -> None:
    assert judged("rnn_dependencies", text).verdict is Verdict.PASSED


@pytest.mark.parametrize(
    "text",
    ["no to all", "none: no", ", ".join(f"{w}: {'no' if w == 'hard' else 'yes'}" for w in WORDS),
     "yes for all except hard",
     "all but the last", "yes", "who: yes", "only passed: yes", "not all",
     "every second word: yes", "all words before passed: yes", "all yes if it is deep"],
)  # fmt: skip
def test_other_rows_are_not_taken_for_yes(text: str) -> None:
    assert judged("rnn_dependencies", text).verdict is not Verdict.PASSED


@pytest.mark.parametrize("text", [
        "yes", "yes for all except hard", "all but the first", "3-12: yes", "yes to all ten",
        " ".join(f"{word} & {step} & yes" for step, word in enumerate(WORDS, 3)),
    ],
)  # fmt: skip
def test_rows_that_are_not_read_wait_and_are_not_called_empty(text: str) -> None:
    found = judged("rnn_dependencies", text)
    assert found.verdict is Verdict.UNDETERMINED
    assert "empty" not in found.message


@pytest.mark.parametrize(
    "text",
    [
        "- Dogs → 0.5, 0.3, 0.2\n- love → 0.4, 0.2, 0.4\n- treats → 0.3, 0.3, 0.4",
        "Dogs 0.5 0.3 0.2\nlove 0.4 0.2 0.4\ntreats 0.3 0.3 0.4",
        "Dogs: Dogs 0.5, love 0.3, treats 0.2\nlove: love 0.2, Dogs 0.4, treats 0.4\ntreats: 0.3, 0.3, 0.4",
        "**Dogs** = 50 % 30 % 20 %\n**love** = 40 % 20 % 40 %\n**treats** = 30 % 30 % 40 %",
        "0.5 0.3 0.2\n0.4 0.2 0.4\n0.3 0.3 0.4",
        "Dogs\t0,5\t0,3\t0,2\nlove\t0,4\t0,2\t0,4\ntreats\t0,3\t0,3\t0,4",
    ],
)
def test_a_table_of_weights_is_read(text: str) -> None:
    assert judged("dogs_love_treats", text).verdict is Verdict.PASSED
    spoilt = (
        text.replace("0.4 0.2 0.4", "0.6 0.2 0.4") if "0.4 0.2 0.4" in text else text.replace("0.2, 0.4", "0.2, 0.6")
    )
    assert spoilt == text or judged("dogs_love_treats", spoilt).verdict is Verdict.FAILED


@pytest.mark.parametrize(
    "text",
    ["- The: 0,1\n- cat: 0,6\n- sat: 0,3", "* The = 0.1\n* cat = 0.6\n* sat = 0.3", "sat: The 0.1, cat 0.6, sat 0.3",
     "The → 10 %, cat → 60 %, sat → 30 %", "0.1 / 0.6 / 0.3",
     "The 1/10, cat 6/10, sat 3/10", "10% The, 60% cat, 30% sat", "0.1 for The, 0.6 for cat and 0.3 for sat",
     "The=.1 cat=.6 sat=.3", "0.1 + 0.6 + 0.3", "0.1 + 0.6 + 0.3 = 1",
     "sat: 0.1 0.6 0.3", "The has 0.1, cat has 0.6 and sat has 0.3",
     "The: 0.1 (article), cat: 0.6 (subject), sat: 0.3 (itself)",
     "The = 0, cat = 0, sat = 1", "sat: The = 0, cat = 0, sat = 1",
     "(0.1, 0.6, 0.3) (sum = 1)"],
)  # fmt: skip
def test_a_single_row_is_read(text: str) -> None:
    assert judged("relevance", text).verdict is Verdict.PASSED


@pytest.mark.parametrize(
    "text",
    ["Dogs→love 0.3, Dogs→treats 0.2, love→Dogs 0.4, love→treats 0.4, treats→Dogs 0.3, treats→love 0.3",
     "cat gets the most, then sat, then The", "see the drawing", "Dogs looks at treats with 0.3",
     "[[0.5, 0.3, 0.2], [0.4, 0.2, 0.4], [0.3, 0.3, 0.4]]",
     "$$\\begin{pmatrix}0.5&0.3&0.2\\\\0.4&0.2&0.4\\\\0.3&0.3&0.4\\end{pmatrix}$$",
     "Dogs 0.5, love 0.3, treats 0.2\nDogs 0.4, love 0.2, treats 0.4\nDogs 0.3, love 0.3, treats 0.4"],
)  # fmt: skip
def test_a_table_that_is_not_read_waits(text: str) -> None:
    found = judged("dogs_love_treats", text)
    assert found.verdict is not Verdict.PASSED
    assert found.verdict is Verdict.UNDETERMINED or "Dogs looks" in text


@pytest.mark.parametrize(
    "text",
    ["Tom saw Ann – Ann saw Tom", "Dog bites man ≠ man bites dog", "a) Dogs love cats b) Cats love dogs",
     "Dogs love cats | cats love dogs"],
)  # fmt: skip
def test_two_sentences_on_a_line_are_told_apart(text: str) -> None:
    assert judged("same_words", text).verdict is Verdict.PASSED


@pytest.mark.parametrize(
    ("question", "data", "wanted"),
    [
        ("relevance", {"The": "0.1", "cat": "0.6", "sat": "0.3"}, Verdict.PASSED),
        ("relevance", ["0.1", "0.6", "0.3"], Verdict.PASSED),
        ("relevance", ["0.1", "0.6", "0.4"], Verdict.FAILED),
        ("dogs_love_treats", {"Dogs": ["0.3", "0.2"], "love": ["0.4", "0.4"], "treats": ["0.3", "0.3"]},
         Verdict.UNDETERMINED),
        ("rnn_dependencies", ["yes"] * 10, Verdict.PASSED),
        ("rnn_dependencies", ["no"] * 10, Verdict.FAILED),
    ],
)  # fmt: skip
def test_structure_is_read_by_the_same_rules(question: str, data: object, wanted: Verdict) -> None:
    assert judge_answer(KEYS[question], Written("", data)).verdict is wanted
