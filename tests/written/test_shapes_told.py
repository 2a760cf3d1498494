"""Expressions and shapes in a sentence: what stands beside them may say that they are another thing."""

import pytest

from grader.catalog import load_assignment
from grader.model.outcome import Verdict
from grader.written.answers import judge_answer
from grader.written.sheet import Written, plain
from tests.growth import SQUARE, growth

KEYS = {
    q.id: q.key
    for name in ("discovery-worksheet", "paper-walkthrough")
    for section in load_assignment(name).sections
    for q in section.questions
}


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


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("shape_q", "Q is d_model x T, K is T x d_k"),
        ("shape_q", "X is T x d_model, so Q is T x d_k"),
        ("shape_q", "Q: T x d_k, K: T x d_k"),
        ("shape_q", "Q has the shape (T, d_k), V has the shape (T, d_v)"),
        ("shape_k", "Q and K are both T x d_k"),
        ("shape_v", "Q is T x d_k, V is T x d_v"),
        ("shape_q", "K is T x d_k, so Q is T x d_model"),
        ("shape_q", "T x d_k or d_model x T"),
        ("shape_q", "Q is T x d_model, and then T x d_k after splitting"),
        ("shape_q", "Q is T x d_k or Q is T x d_model"),
        ("shape_q", "K has T rows and d_k columns, Q has d_k rows and T columns"),
        ("shape_k", "Q is T x d_k, K is d_model x T"),
        ("shape_v", "K is T x d_k, V is T x d_model, O is T x d_v"),
    ],
)
def test_a_shape_that_is_said_of_another_matrix_or_beside_another_shape_waits(question: str, text: str) -> None:
    assert verdict(question, text) is Verdict.UNDETERMINED


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("shape_q", "(T, d_k) because X is T x d_model"),
        ("shape_q", "T rows and d_k columns"),
        ("shape_q", "d_k columns and T rows"),
    ],
)
def test_a_shape_that_is_said_of_the_matrix_asked_for_is_right(question: str, text: str) -> None:
    assert verdict(question, text) is Verdict.PASSED


def test_a_wrong_shape_that_is_said_of_the_matrix_asked_for_is_wrong() -> None:
    assert verdict("shape_v", "d_v columns and d_v rows") is Verdict.FAILED
    assert verdict("shape_q", "Q is d_k x T") is Verdict.FAILED


@pytest.mark.parametrize("question", ["shape_q", "head_width"])
@pytest.mark.parametrize(
    "piece", ["{", "a", " ", "(", "a ", "T x ", "1", "d_model/h ", "Q is ", "a rows ", "\\", "=", "R^{"]
)
def test_the_time_for_a_long_text_grows_with_its_length(question: str, piece: str) -> None:
    def judged(letters: int) -> None:
        text = "a" + piece * ((letters - 2) // len(piece)) + "b"
        assert verdict(question, text) is not Verdict.PASSED

    assert growth(judged, 2000) < SQUARE


def test_a_right_answer_of_some_length_is_still_read() -> None:
    reason = "because " + "every row of the input is multiplied by the weights, " * 4
    assert verdict("shape_q", f"T x d_k {reason}") is Verdict.PASSED
    assert verdict("head_width", f"d_model/h {reason}") is Verdict.PASSED


@pytest.mark.parametrize(
    "text",
    ["d_model is split; each gets d_model/h", "d_k*h = d_model", "total d_model, product of h and d_model/h",
     "d_model/h, never", "d_model/h, rounded up"],
)  # fmt: skip
def test_a_part_of_an_answer_is_neither_right_nor_wrong_beside_words_that_may_turn_it(text: str) -> None:
    assert judge_answer(KEYS["head_width"], Written(plain(text))).verdict is Verdict.UNDETERMINED


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("head_width", "d_k = d_model/h"),
        ("connections", "3 x 3 = 9, so n^2 in general"),
        ("connections", "quadratic, n^2"),
    ],
)
def test_a_part_of_an_answer_counts_beside_words_that_leave_it_what_it_is(name: str, text: str) -> None:
    assert judge_answer(KEYS[name], Written(plain(text))).verdict is Verdict.PASSED


@pytest.mark.parametrize(
    "text", ["T x d_k is the shape of K^T", "T x d_k, the shape of K", "T x d_k is the size of Qᵀ"]
)
def test_a_shape_said_of_another_matrix_waits(text: str) -> None:
    assert verdict("shape_q", text) is Verdict.UNDETERMINED


def test_a_shape_said_of_the_matrix_itself_counts() -> None:
    assert verdict("shape_q", "T x d_k is the shape of Q") is Verdict.PASSED
