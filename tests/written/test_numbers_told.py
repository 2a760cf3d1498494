"""Numbers in a student's own words: names, reasons and what the question says are no second number."""

import pytest

from grader.catalog import load_assignment
from grader.model.outcome import Verdict
from grader.written.answers import judge_answer
from grader.written.key import NumberKey
from grader.written.numbers import Number, Unclear, read_number
from grader.written.sheet import Written

KEYS = {
    q.id: q.key
    for name in ("discovery-worksheet", "paper-walkthrough")
    for section in load_assignment(name).sections
    for q in section.questions
}


def verdict(question: str, text: str) -> Verdict:
    return judge_answer(KEYS[question], Written(text)).verdict


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("rnn_gpus", "Of the twelve GPUs we can only use a single one at a time."),
        ("rnn_gpus", "Only 1 of the 12 GPUs"),
        ("rnn_gpus", "a single GPU"),
        ("rnn_gpus", "1, because each step needs the one before"),
        ("rnn_gpus", "1 GPU, since step t needs the hidden state of step t-1"),
        ("gpt2_layers", "GPT-2 XL has 48 layers"),
        ("gpt2_layers", "GPT-2: 48"),
        ("gpt2_layers", "The 1.5B model has 48 layers"),
        ("gpt3_layers", "GPT-3 (175B) has 96 layers"),
        ("rnn_time_100", "100 t"),
        ("rnn_path", "$n-1 = 99$"),
        ("rnn_path", "T - 1 = 99 steps"),
        ("speedup_100", "hundredfold"),
        ("speedup_50", "fiftyfold"),
        ("english_german", "28.4 BLEU on WMT 2014"),
        ("english_german", "28.4 BLEU on newstest2014 (table 2)"),
    ],
)
def test_a_right_number_in_a_sentence_is_right(question: str, text: str) -> None:
    assert verdict(question, text) is Verdict.PASSED


@pytest.mark.parametrize(
    "text",
    ["eine (1), die anderen 11 stehen rum", "eine, die anderen 11 warten", "a (1) GPU, 11 idle",
     "one, the other 11 wait", "einen, 11 bleiben ungenutzt", "1, die anderen 11 nicht"],
)  # fmt: skip
def test_a_right_number_beside_what_is_left_over_is_never_wrong(text: str) -> None:
    assert verdict("rnn_gpus", text) is not Verdict.FAILED


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("rnn_gpus", "12 GPUs, one for each word"),
        ("rnn_gpus", "not just 1 of the 12"),
        ("rnn_gpus", "11, one is idle"),
        ("gpt2_layers", "GPT-2 has 12 layers"),
        ("gpt3_layers", "GPT-3 has 48 layers"),
        ("gpt2_layers", "24 layers and GPT-3 48"),
        ("gpt2_layers", "GPT-48"),
        ("rnn_path", "n-1 = 98"),
        ("rnn_path", "1 or 99"),
        ("speedup_100", "tenfold"),
        ("rnn_time_100", "100t"),
        ("english_german", "2.0 BLEU more than before"),
    ],
)
def test_a_wrong_number_beside_a_right_one_does_not_pass(question: str, text: str) -> None:
    assert verdict(question, text) is not Verdict.PASSED


@pytest.mark.parametrize("text", ["just one, the other 11 would be idle", "two; the rest 10", "(one) of 12"])
def test_number_words_before_a_comma_count(text: str) -> None:
    assert isinstance(read_number(text), Unclear)


@pytest.mark.parametrize(
    ("text", "value"),
    [("hundredfold", 100), ("a hundredfold", 100), ("twofold", 2), ("tenfold", 10), ("dozenfold", 12),
     ("hundredmal", 100), ("zehnfach", 10), ("one, exactly", 1)],
)  # fmt: skip
def test_a_factor_in_one_word_is_read(text: str, value: float) -> None:
    found = read_number(text)
    assert isinstance(found, Number)
    assert found.value == value


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("rnn_gpus", "not a single one"),
        ("rnn_gpus", "not 1"),
        ("rnn_gpus", "not one"),
        ("rnn_gpus", "no GPU"),
        ("rnn_gpus", "more than 1"),
        ("rnn_gpus", "at least one"),
        ("rnn_gpus", "never just one"),
        ("rnn_gpus", "one per word"),
        ("rnn_gpus", "1 per layer, 12 in all"),
        ("rnn_gpus", "one of the words per GPU, so of the 12 all"),
        ("rnn_gpus", "all but 1"),
        ("rnn_gpus", "1 less than 12"),
        ("rnn_gpus", "12 - 1"),
        ("speedup_100", "not 100"),
        ("speedup_100", "less than 100"),
        ("speedup_100", "more than 100 times"),
        ("rnn_path", "fewer than 99"),
        ("transformer_path", "more than 1 step"),
        ("gpt2_layers", "not 48"),
        ("rnn_time_100", "at most 100"),
        ("speedup_100", "over 100"),
        ("speedup_100", "100 or more"),
        ("rnn_time_100", "100+"),
        ("speedup_100", "100 times slower"),
        ("speedup_50", "50 times less"),
        ("rnn_path", "log 100"),
        ("transformer_path", "1 for each word"),
        ("gpt2_layers", "48 heads"),
    ],
)
def test_a_right_number_that_is_denied_or_a_bound_waits_or_fails(question: str, text: str) -> None:
    assert verdict(question, text) is not Verdict.PASSED


@pytest.mark.parametrize(
    ("question", "text", "wanted"),
    [
        ("speedup_100", "up to 100 times", Verdict.PASSED),
        ("speedup_100", "about 100x", Verdict.PASSED),
        ("rnn_gpus", "not more than 1", Verdict.UNDETERMINED),
        ("rnn_gpus", "at most one", Verdict.UNDETERMINED),
        ("rnn_gpus", "max. 1", Verdict.UNDETERMINED),
    ],
)
def test_a_bound_takes_nothing_or_waits(question: str, text: str, wanted: Verdict) -> None:
    assert verdict(question, text) is wanted


@pytest.mark.parametrize("text", ["100t", "100T", "= 100t", "about 100t", "1t"])
def test_a_letter_that_may_be_a_time_unit_or_a_trillion_waits(text: str) -> None:
    assert verdict("rnn_time_100", text) is Verdict.UNDETERMINED


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("100 t", "passed"), ("100", "passed"), ("99 t", "failed"), ("100k", "failed"), ("1", "failed")],
)
def test_a_number_beside_no_such_letter_is_judged(text: str, wanted: str) -> None:
    assert verdict("rnn_time_100", text).value == wanted


@pytest.mark.parametrize("text", ["n - 1 = 100", "n - 1 = 98", "T-1 = 100 steps", "n + 1 = 99", "$n-1 = 98$"])
def test_a_symbolic_side_that_contradicts_the_number_waits(text: str) -> None:
    assert verdict("rnn_path", text) is Verdict.UNDETERMINED


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("n - 1 = 99", "passed"),
        ("n-1 = 100-1 = 99", "passed"),
        ("n = 100", "passed"),
        ("98", "failed"),
        ("97", "failed"),
    ],
)
def test_a_symbolic_side_that_agrees_with_the_number_takes_nothing(text: str, wanted: str) -> None:
    assert verdict("rnn_path", text).value == wanted


@pytest.mark.parametrize(
    ("ask", "text", "decided"),
    [
        ("How many parameters does W_Q have?", "393216 Parameter", Verdict.PASSED),
        ("How many parameters does W_Q have?", "393,216 trainable weights", Verdict.PASSED),
        ("How many weights does W_Q have?", "3.93216e5 params", Verdict.PASSED),
        ("Wie viele Parameter hat W_Q?", "393216 weights", Verdict.PASSED),
        ("How many parameters does W_Q have?", "393216 heads", Verdict.UNDETERMINED),
        ("How many bytes does W_Q take?", "393216 parameters", Verdict.UNDETERMINED),
        ("How many parameters does W_Q have?", "393217 parameters", Verdict.FAILED),
        ("How many parameters does W_Q have?", "3.93216e4 parameters", Verdict.FAILED),
    ],
)
def test_what_is_counted_may_be_called_by_another_word_for_it(ask: str, text: str, decided: Verdict) -> None:
    key = NumberKey(kind="number", id="count", title="A count", value="393216", ask=ask)
    assert judge_answer(key, Written(text)).verdict is decided


@pytest.mark.parametrize(
    ("value", "text", "waits"),
    [
        ("1048576", "about 1.05 million (4·512·512)", True), ("1048576", "1,05 Millionen", True),
        ("1048576", "1.05·10^6", True), ("1/3", "0.33", True), ("1048576", "1.04 million", False),
        ("64", "about 60", False), ("64", "64.5", False), ("0.25", "0.3", False), ("2.5", "3", False),
    ],
)  # fmt: skip
def test_a_right_number_that_is_rounded_waits(value: str, text: str, waits: bool) -> None:
    key = NumberKey(id="x", title="x", kind="number", value=value)
    wanted = Verdict.UNDETERMINED if waits else Verdict.FAILED
    assert judge_answer(key, Written(text)).verdict is wanted
