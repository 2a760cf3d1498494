"""Expressions and shapes in a sentence: what stands beside them may say that they are another thing."""

import pytest

from grader.catalog import load_assignment
from grader.model import Verdict
from grader.written.answers import judge_answer
from grader.written.sheet import Written, plain

KEYS = {q.id: q.key for section in load_assignment("paper-walkthrough").sections for q in section.questions}


def verdict(question: str, text: str) -> Verdict:
    return judge_answer(KEYS[question], Written(plain(text))).verdict


@pytest.mark.parametrize(
    "text",
    [
        "square of d_model/h",
        "cube of d_model/h",
        "sum over d_model/h",
        "larger than d_model/h",
        "multiply d_model/h by h",
        "h copies of d_model/h",
        "the Quadrat von d_model/h",
        "größer als d_model/h",
        "not d_model/h",
        "the logarithm of d_model/h",
        "a multiple of d_model/h",
        "d_model/h rounded up",
        "anything but d_model/h",
    ],
)
def test_an_expression_beside_a_word_that_may_turn_it_waits(text: str) -> None:
    assert verdict("head_width", text) is Verdict.UNDETERMINED


@pytest.mark.parametrize(
    "text",
    [
        "d_model/h",
        "it is d_model/h for each",
        "each head has dimension d_model/h",
        "so we get d_model/h per head",
        "The answer is d_model/h, where h is the number of heads",
        "d_model/h dimensions for each head",
        "d_model/h because the heads share the model dimension",
        "jeder Kopf hat die Größe d_model/h",
        "pro Kopf d_model/h",
        "The model dimension divided by the number of heads",
        "d_k = d_v = d_model/h = 64",
    ],
)
def test_an_expression_beside_harmless_words_is_right(text: str) -> None:
    assert verdict("head_width", text) is Verdict.PASSED
