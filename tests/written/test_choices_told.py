"""Choices told in a sentence: a contrast, a reason for a no; and words of the key that a student never reads."""

import pytest

from grader.catalog import load_assignment
from grader.model.outcome import Verdict
from grader.written.answers import judge_answer
from grader.written.judged import Judged
from grader.written.sheet import Written

KEYS = {q.id: q.key for section in load_assignment("discovery-worksheet").sections for q in section.questions}


def judged(question: str, text: str) -> Judged:
    return judge_answer(KEYS[question], Written(text))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("bank_semantic", "riverbank"),
        ("scale", "the square root of d_k, i.e. the dimension of the keys"),
        ("one_pattern", "No, a single pattern can't capture all of them because a softmax is one distribution."),
        ("one_pattern", "No, because every word has only one set of weights, and those would be averaged."),
        ("one_pattern", "No, one pattern is not enough."),
        ("one_pattern", "It can't."),
    ],
)  # fmt: skip
def test_a_right_choice_in_a_sentence_is_right(question: str, text: str) -> None:
    assert judged(question, text).verdict is Verdict.PASSED


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("bank_syntactic", "a verb, not a noun"),
        ("bank_syntactic", "not a noun"),
        ("scale", "d_model, not d_k"),
        ("scale", "d_k, not the root of d_k"),
        ("one_pattern", "no problem, it can"),
        ("one_pattern", "No, one pattern is enough for all of these relationships between the words."),
        ("one_pattern", "No, it can't capture them all at first, but with training it can capture all of them."),
        ("visualise", "how the loss relates to each other parameter"),
        ("bank_position", "2 or 4"),
        ("one_pattern", "No, a pattern is one average, so it can show every relation at the same time."),
        ("residual_gradient", "The gradient cannot flow through the shortcut and doesn't vanish."),
        ("residual_gradient", "Der Gradient kann nicht über die Abkürzung fließen und verschwindet nicht."),
        ("learned_con", "cannot handle places that were seen in training"),
        ("relevance_computed", "the smallest of the dot products of query and key"),
        ("relevance_computed", "Dot product of query and key, then softmax. Afterwards a lottery."),
        ("one_pattern", "Not entirely yes, not entirely no."),
        ("learned_con", "fails for longer sequences, and it generalises to longer sequences"),
        (
            "residual_information",
            "The input isn't lost, as it is added to the output. The names of the labels are kept.",
        ),
    ],
)
def test_a_wrong_or_twisted_choice_does_not_pass(question: str, text: str) -> None:
    assert judged(question, text).verdict is not Verdict.PASSED


@pytest.mark.parametrize("question", sorted(name for name, key in KEYS.items() if key.kind == "choice"))
def test_what_a_student_reads_has_no_name_of_the_key_in_it(question: str) -> None:
    key = KEYS[question]
    for name, words in key.options.items():
        text = f"{words[0]} while the qwertz of uiop asdfgh jklöä yxcvb stands beside it anyhow"
        message = judged(question, text).message
        known = {word.lower() for word in words}
        assert "stands beside" not in message or message.rpartition("“")[2].rstrip(".”").lower() in known, name


def test_each_other_names_no_option() -> None:
    found = judged("visualise", "how strongly words relate to each other")
    assert found.verdict is not Verdict.FAILED
    assert "other”" not in found.message.replace("to each other”", "")
