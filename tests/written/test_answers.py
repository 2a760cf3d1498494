"""Single answers: what a teacher would take is taken, what is wrong is wrong, the rest goes to a person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from grader.catalog import load_assignment
from grader.model.outcome import Verdict
from grader.written.answers import judge_answer
from grader.written.expressions import values
from grader.written.key import AnyKey
from grader.written.plain_data import load_plain
from grader.written.sheet import Written, plain

RIGHT, WRONG, PERSON = Verdict.PASSED, Verdict.FAILED, Verdict.UNDETERMINED
ADAPTER: TypeAdapter[Any] = TypeAdapter(AnyKey)
KEYS = {
    question.id: question.key
    for name in ("discovery-worksheet", "paper-walkthrough")
    for section in load_assignment(name).sections
    for question in section.questions
}


def key(kind: str, **fields: Any) -> Any:
    return ADAPTER.validate_python({"id": "x", "title": "X", "kind": kind, **fields})


def verdict(name: str, text: str) -> Verdict:
    return judge_answer(KEYS[name], Written(text)).verdict


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("rnn_gpus", "1", RIGHT),
        ("rnn_gpus", "only one GPU", RIGHT),
        ("rnn_gpus", "1 of 12", PERSON),
        ("rnn_gpus", "zero", WRONG),
        ("rnn_gpus", "- 1", PERSON),  # a list's only point, or a minus
        ("rnn_gpus", "- 12", WRONG),
        ("pe_sin", "- sin(pos/10000^(2i/d_model))", PERSON),
        ("pe_sin", "-sin(pos/10000^(2i/d_model))", WRONG),
        ("rnn_gpus", "![](answer.png)", PERSON),
        ("rnn_gpus", "all of them", PERSON),
        ("speedup_100", "100x", RIGHT),
        ("speedup_100", "about 100 times", RIGHT),
        ("speedup_100", "100-fold", RIGHT),
        ("speedup_100", r"\frac{100}{1} = 100", RIGHT),
        ("speedup_100", "1 or 100", PERSON),
        ("speedup_100", "50x", WRONG),
        ("rnn_path", "99 steps", RIGHT),
        ("rnn_path", "100", RIGHT),
        ("gpt3_layers", "96 heads", PERSON),
        ("gpt3_layers", "ninety-six", RIGHT),
        ("num_heads", "8-16", RIGHT),
        ("num_heads", "8 heads", RIGHT),
        ("num_heads", "12", RIGHT),
        ("num_heads", "4", PERSON),
        ("english_german", "28,4", RIGHT),
        ("connections", "n²", RIGHT),
        ("connections", "n × n = n²", RIGHT),
        ("connections", "9, so for n words n^2", RIGHT),
        ("connections", "n(n − 1)", RIGHT),
        ("connections", "O(n^2)", RIGHT),
        ("connections", "9", PERSON),
        ("connections", "many", PERSON),
        ("connections", "2n", WRONG),
        ("connections", "n!", PERSON),
        ("head_width", r"$\frac{d_{\text{model}}}{h}$", RIGHT),
        ("head_width", "d_k = d_v = d_model / h = 64", RIGHT),
        ("head_width", "h / d_model", WRONG),
        ("shape_q", "T×d_k", RIGHT),
        ("shape_q", r"$Q \in \mathbb{R}^{T \times d_k}$", RIGHT),
        ("shape_q", "[T, d_k]", RIGHT),
        ("shape_q", "(d_k, T)", WRONG),
        ("shape_q", "(batch, T, d_k)", PERSON),
        ("shape_q", "T x 64", PERSON),
        ("shape_v", "T x d_k", WRONG),
        ("scale", r"$\sqrt{d_k}$", RIGHT),
        ("scale", "the dimension of the keys", RIGHT),
        ("scale", "d_k, not d_model", PERSON),
        ("scale", "d_model", WRONG),
        ("combine", "Concatenate them and project with W^O", RIGHT),
        ("combine", "concatenate or add", PERSON),
        ("combine", "they are added", WRONG),
        ("combine", "magic", PERSON),
        ("one_pattern", "No, one softmax can only peak in one place.", RIGHT),
        ("one_pattern", "Yes.", WRONG),
        ("bank_semantic", "shore", RIGHT),
        ("bank_semantic", "financial institution", RIGHT),
        ("bank_semantic", "Ufer oder Geldinstitut", RIGHT),
        ("bank_semantic", "neither shore nor money", PERSON),
        ("multiply_by", "the values V", RIGHT),
        ("multiply_by", "the keys", WRONG),
        ("missing_information", "It does not know the word order", RIGHT),
        ("missing_information", "word order", RIGHT),
        ("residual_gradient", "gradients do not vanish", RIGHT),
        ("residual_gradient", "a direct path back to early layers", RIGHT),
        ("task", "Translating from one language to another", RIGHT),
        ("beyond_nlp", "images (ViT), audio", RIGHT),
        ("beyond_nlp", "cooking", PERSON),
        ("tested_on", "German", PERSON),
        ("layer_steps", "attention, add, norm, FFN, add, norm\n\n1. \n2. \n3. \n4. \n5. \n6. ", RIGHT),
        ("tested_on", "English to German, English to French", RIGHT),
        ("same_words", "Dog bites man. Man bites dog.", RIGHT),
        ("same_words", "“I love you” / “You love I”", RIGHT),
        ("same_words", "The dog sleeps.", PERSON),
        ("same_words", "Today we sleep. We sleep today.", PERSON),
        ("same_words", "The dog bites me. I bite the dog.", PERSON),
        ("why_scale", "because", PERSON),
        ("why_waves", "For reasons that a person reads.", PERSON),
        ("pe_cos", "cos(pos/10000^(2i/d_model))", RIGHT),
        ("pe_cos", "sin(pos/10000^(2i/d_model))", WRONG),
        ("pe_cos", "some waves", PERSON),
        ("weights_part", "softmax(QK^T/sqrt(d_k))", RIGHT),
        ("weights_part", "softmax(QK^T/sqrt(d_k)), everything before the V", PERSON),
        ("weights_part", "softmax(QK^T/sqrt(d_k)), so all of it but the values", PERSON),
        ("weights_part", "softmax(QK^T/sqrt(d_k)), because the rows of it sum to 7", PERSON),
        ("weights_part", "softmax(QK^T/d_k), everything before the V", PERSON),
        ("pe_sin", r"It is not $\sin(pos/10000^{2i/d_{model}})$", PERSON),
        ("pe_sin", r"cos instead of $\sin(pos/10000^{2i/d_{model}})$", PERSON),
        ("pe_sin", r"$\sin(pos/10000^{2i/d_{model}})$ for odd dimensions", PERSON),
        ("pe_sin", r"The formula is $\sin(pos/10000^{2i/d_{model}})$.", RIGHT),
        ("pe_sin", r"$\omega = 1/10000^{2i/d_{model}}$, $PE = \sin(pos \omega)$", RIGHT),
        ("weights_part", r"$\text{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V$", PERSON),
    ],
)
def test_an_answer_is_judged_as_a_teacher_would(name: str, text: str, wanted: Verdict) -> None:
    assert verdict(name, text) is wanted


def sheets(name: str) -> list[tuple[str, str]]:
    content = yaml.safe_load((Path(__file__).parent / "sheets" / f"{name}.yaml").read_text(encoding="utf-8"))
    return [(question, str(text)) for question, texts in content.items() for text in texts]


def test_right_answers_in_many_words_are_taken_and_none_is_failed() -> None:
    found = [(name, text, judge_answer(KEYS[name], Written(plain(text))).verdict) for name, text in sheets("right")]
    assert [(name, text) for name, text, verdict in found if verdict is WRONG] == []
    assert len(found) > 250
    assert sum(verdict is RIGHT for _, _, verdict in found) >= 0.85 * len(found)


def test_no_wrong_answer_is_taken() -> None:
    found = [(name, text, judge_answer(KEYS[name], Written(plain(text))).verdict) for name, text in sheets("wrong")]
    assert len(found) > 200
    assert [(name, text) for name, text, verdict in found if verdict is RIGHT] == []


def test_whatever_is_longer_than_a_blank_goes_to_a_person() -> None:
    assert verdict("normalise", "softmax " * 80) is PERSON


WORDS = ["who", "studied", "hard", "and", "completed", "all", "assignments", "passed", "the", "exam"]


@pytest.mark.parametrize(
    ("answer", "wanted", "passed"),
    [
        ("yes, " * 9 + "yes", RIGHT, 10),
        ("\n".join(f"{word}: Yes (steps 1-{step})" for step, word in enumerate(WORDS, 2)), RIGHT, 10),
        ("\n".join(f"{word}: no" for word in WORDS), WRONG, 0),
        ("\n".join(f"| {word} | 3 | {'yes' if word != 'and' else ''} |" for word in WORDS), WRONG, 9),
        ("\n".join(f"{word}: {'yes' if word != 'and' else 'perhaps'}" for word in WORDS), PERSON, 0),
        ("\n".join(f"{word}: yes (step 12)" for word in WORDS), WRONG, 0),
    ],
)
def test_rows_are_judged_one_by_one(answer: str, wanted: Verdict, passed: int) -> None:
    found = judge_answer(KEYS["rnn_dependencies"], Written(answer))
    assert (found.verdict, found.passed) == (wanted, passed)


TABLE = "| | Dogs | love | treats |\n|---|---|---|---|\n| Dogs | {} |\n| love | {} |\n| treats | {} |"


@pytest.mark.parametrize(
    ("rows", "wanted", "passed"),
    [
        (("0.5 | 0.3 | 0.2", "0.4 | 0.2 | 0.4", "0.3 | 0.3 | 0.4"), RIGHT, 3),
        (("50 % | 30 % | 20 %", "40% | 20% | 40%", "30% | 30% | 40%"), RIGHT, 3),
        (("50 | 30 | 20", "40 | 20 | 40", "30 | 30 | 40"), RIGHT, 3),
        (("0.5 | 1/4 | 1/4", "0.4 | 0.2 | 0.4", "0.33 | 0.27 | 0.4"), RIGHT, 3),
        (("0.4 | 0.4 | 0.2", "0.4 | 0.2 | 0.4", "0.3 | 0.3 | 0.4"), WRONG, 2),
        (("0.5 | 0.7 | -0.2", "0.4 | 0.2 | 0.4", "0.3 | 0.3 | 0.4"), WRONG, 2),
        (("0.5 | | ", "0.4 | 0.2 | 0.4", "0.3 | 0.3 | 0.4"), WRONG, 2),
        (("0.5 | much | little", "0.4 | 0.2 | 0.4", "0.3 | 0.3 | 0.4"), PERSON, 0),
    ],
)
def test_rows_of_weights_sum_to_one(rows: tuple[str, ...], wanted: Verdict, passed: int) -> None:
    found = judge_answer(KEYS["dogs_love_treats"], Written(TABLE.format(*rows)))
    assert (found.verdict, found.passed) == (wanted, passed)


@pytest.mark.parametrize(
    "data",
    [
        {
            "Dogs": {"love": "0.3", "treats": "0.2"},
            "love": {"dogs": ".4", "treats": "0,4"},
            "treats": ["0.3", "0.3", "0.4"],
        },
        {"dogs": "0.5 0.3 0.2", "love": "0.4, 0.2, 0.4", "treats": "Dogs 0.3, love 0.3"},
        [["0.5", "0.3", "0.2"], ["0.4", "0.2", "0.4"], ["0.3", "0.3", "0.4"]],
    ],
)
def test_weights_may_be_mappings_lists_or_lines(data: Any) -> None:
    assert judge_answer(KEYS["dogs_love_treats"], Written("", data)).verdict is RIGHT


@pytest.mark.parametrize(
    ("text", "wanted", "passed"),
    [
        ("self-attention -> add -> norm -> FFN -> add -> norm", RIGHT, 6),
        ("1. MHA\n2. skip connection\n3. LayerNorm\n4. MLP\n5. skip connection\n6. LayerNorm", RIGHT, 6),
        ("1. MHA\n2. skip\n4. MLP\n5. skip\n6. LayerNorm", WRONG, 5),
        ("FFN, add, norm, self-attention, add, norm", WRONG, 4),
        ("1. self-attention\n2. dropout\n3. norm\n4. FFN\n5. add\n6. norm", PERSON, 0),
    ],
)
def test_a_list_has_credit_by_place(text: str, wanted: Verdict, passed: int) -> None:
    found = judge_answer(KEYS["layer_steps"], Written(text))
    assert (found.verdict, found.passed) == (wanted, passed)


# ------------------------------------------------------------------------------------------------ the readers hold


@settings(max_examples=150)
@given(st.sampled_from(sorted(KEYS)), st.text(max_size=200))
def test_no_text_makes_a_judge_raise_or_gives_full_marks_by_chance(name: str, text: str) -> None:
    found = judge_answer(KEYS[name], Written(plain(text) or "-"))
    assert found.verdict in {RIGHT, WRONG, PERSON}
    assert 0 <= found.passed <= found.asked
    assert found.suggested is None or 0 <= found.suggested <= 1


@settings(max_examples=100)
@given(
    st.integers(1, 10**6), st.sampled_from(["{}", " {} ", "{}x", "about {}", "${}$", "{}.", "**{}**", "{}.0", "= {}"])
)
def test_a_number_is_read_in_any_dress(number: int, dress: str) -> None:
    found = judge_answer(key("number", value=number), Written(dress.format(number)))
    assert found.verdict is RIGHT
    assert judge_answer(key("number", value=number + 1), Written(dress.format(number))).verdict is WRONG


@settings(max_examples=100)
@given(st.lists(st.integers(1, 98), min_size=2, max_size=2).filter(lambda pair: sum(pair) < 100))
def test_any_row_of_hundredths_that_sums_to_one_is_right(pair: list[int]) -> None:
    row = [*pair, 100 - sum(pair)]
    table = key("table", rows=["a"], columns=["x", "y", "z"])
    for text in ("| a | {} | {} | {} |", "a: {} {} {}"):
        right = text.format(*(f"{cell / 100:.2f}" for cell in row))
        assert judge_answer(table, Written(right)).verdict is RIGHT
        german = text.format(*(f"{cell / 100:.2f}".replace(".", ",") for cell in row))
        assert judge_answer(table, Written(german)).verdict is RIGHT
        off = text.format(f"{row[0] / 100 + 0.05:.2f}", *(f"{cell / 100:.2f}" for cell in row[1:]))
        assert judge_answer(table, Written(off)).verdict is WRONG


@settings(max_examples=100)
@given(st.text(alphabet="TdkxX×,()[]{}^_\\ $Rn*", max_size=40))
def test_no_text_makes_the_reader_of_shapes_raise(text: str) -> None:
    assert judge_answer(KEYS["shape_q"], Written(text)).verdict in {RIGHT, WRONG, PERSON}


@settings(max_examples=100)
@given(st.text(alphabet="n0123456789+-*/^()² ", max_size=40))
def test_no_text_makes_the_reader_of_expressions_raise(text: str) -> None:
    found = values(text, ["n"])
    assert found is None or len(found) == 6


@settings(max_examples=100)
@given(st.text(max_size=200), st.booleans())
def test_no_text_makes_the_reader_of_yaml_and_json_raise(text: str, json: bool) -> None:
    _, _, problem = load_plain(text, json=json)
    assert isinstance(problem, str)


def test_yaml_keeps_answers_as_they_were_written_and_refuses_tricks() -> None:
    content, twice, problem = load_plain("a: 0.50\nb: no\nc: .25\nd:\na: 1e3\n", json=False)
    assert (content, twice, problem) == ({"a": "1e3", "b": "no", "c": ".25", "d": None}, (("a", "0.50"),), "")
    assert "alias" in load_plain("a: &x [1]\nb: *x\n", json=False)[2]
    assert "nested too deeply" in load_plain("[" * 30 + "]" * 30, json=False)[2]
    for depth in (30, 450, 900, 100_000):  # from little depth for the reader to too much for the parser
        for opens, closes in (("[", "]"), ('{"a":', "}")):
            deep = opens * depth + '"x"' + closes * depth
            content, twice, problem = load_plain(deep, json=True)
            assert (content, twice, "nest" in problem) == (None, (), True)
            assert load_plain(f'{{"a": {deep}, "a": 1}}', json=True)[0] is None
    assert load_plain("a: !!python/object:os.system x", json=False)[0] == {"a": "x"}
    assert "nest" in load_plain("[" * 100_000, json=True)[2]


def test_what_waits_is_told_without_the_names_of_the_key() -> None:
    several = judge_answer(KEYS["scale"], Written("the dimension of the keys or the model dimension"))
    assert several.verdict is PERSON
    assert "_" not in several.message
    assert "d_model" in several.why
    assert judge_answer(KEYS["why_scale"], Written("dunno")).message == "A person reads this (1 word)."


def test_half_an_answer_in_german_is_suggested_as_in_english() -> None:
    said = ("Memory grows quadratically with the length.", "Der Speicher wächst quadratisch mit der Länge.")
    found = [judge_answer(KEYS["limitations"], Written(text)) for text in said]
    assert [(one.suggested, one.why) for one in found] == [(found[0].suggested, found[0].why)] * 2
    assert found[0].suggested
    assert not any(span.kind == "doubt" for span in found[1].spans), "its words are known in English"
