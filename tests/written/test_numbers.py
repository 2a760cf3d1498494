"""Numbers as students write them, and everything that is no single number."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.written.key import NumberKey
from grader.written.numbers import Number, Unclear, agrees, read_number
from grader.written.quantities import judge_number
from grader.written.sheet import Written

ONE_NUMBER = [
    ("100×", 100), ("100x", 100), ("x100", 100), ("100 times faster", 100), ("50-fold", 50), ("fifty-fold", 50),
    ("about 100", 100), ("≈ 100", 100), ("~100", 100), (r"\frac{512}{8}=64", 64), ("512/8 = 64", 64), ("512 ÷ 8", 64),
    ("d_model/h = 512/8 = 64", 64), ("8 × 64 = 512", 512), (r"$\sqrt{64} = 8$", 8), ("√64", 8), ("2^11", 2048),
    ("25%", 0.25), ("25 percent", 0.25), ("0,25", 0.25), (".25", 0.25), ("½", 0.5),
    ("1.5B", 1.5e9), ("1.5 billion", 1.5e9), ("175B", 175e9), ("110M", 110e6), ("10⁴", 10_000), ("2,048", 2048),
    ("1,000,000", 1e6), ("1 000", 1000), ("1.234,5", 1234.5), ("1,234.5", 1234.5), ("0,125", 0.125),
    ("forty-eight", 48), ("one hundred", 100), ("a dozen", 12),
    ("64 dimensions", 64), ("64-dimensional", 64), ("n = 100", 100), ("The answer is 64.", 64), ("**64**", 64),
    ("3.93216e5", 393216), ("3,93216E+5", 393216), ("3.93216·10^5", 393216), ("3.93216 mal 10⁵", 393216),
    ("1e-9", 1e-9), ("2.5e+20", 2.5e20), ("8 times 64", 512), ("768 : 12 = 64", 64), ("64 = 768:12", 64),
    ("d_k = (512+256) : 12 = 64", 64),
    ("−1", -1), ("zero", 0), ("speedup of 100", 100), ("1 step", 1),
]  # fmt: skip
NOT_ONE = [
    "512:8 = 60", "12: 768/12 = 64", "768 : 12", "1:64", "3 e5", "3e5 7", "1e5e5",
    "1 or 100", "8-16", "8–16", "between 8 and 16", "8 to 16", "10 20", "n", "", "many", "512/8 = 60", "100 = 50",
    "5 apples and 7 pears", "12 heads of 64", "1/0", "9^9^9^9", "two or three", "(", "64/", "1..2", "7" * 500,
    "one hundred and twenty", "two thousand and forty-eight",
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), ONE_NUMBER)
def test_one_number_is_read_by_its_value(text: str, value: float) -> None:
    found = read_number(text)
    assert isinstance(found, Number), found
    assert agrees(found, value)


@pytest.mark.parametrize("text", NOT_ONE)
def test_two_numbers_or_none_go_to_a_person(text: str) -> None:
    found = read_number(text)
    assert isinstance(found, Unclear)
    assert found.reason.endswith(".")


def test_what_stands_beside_the_number_is_kept() -> None:
    assert read_number("about 3.5 days") == Number(3.5, "about days")
    assert read_number("100 times") == Number(100.0)
    assert read_number("50 %") == Number(0.5)


@pytest.mark.parametrize(
    ("text", "value"),
    [("quarante-huit", 48), ("cent", 100), ("ochenta", 80), ("une étape", 1),
     ("sechsundneunzig", 96), ("neunundneunzig", 99), ("ninety-six", 96)],
)  # fmt: skip
def test_number_words_of_other_languages_are_read(text: str, value: float) -> None:
    found = read_number(text)
    assert isinstance(found, Number)
    assert found.value == value


@given(st.integers(0, 10**6))
def test_an_integer_is_read_back_however_it_is_grouped(number: int) -> None:
    for text in (
        str(number),
        f"{number:,}",
        f"{number:,}".replace(",", " "),
        f"= {number}",
        f"${number}$",
        f"{number} steps",
    ):
        assert read_number(text) == read_number(text.strip())
        found = read_number(text)
        assert isinstance(found, Number)
        assert found.value == number


@given(st.integers(1, 999), st.integers(1, 99))
def test_a_decimal_is_read_with_point_and_with_comma(whole: int, part: int) -> None:
    value = float(f"{whole}.{part:02d}")
    for text in (f"{whole}.{part:02d}", f"{whole},{part:02d}"):
        found = read_number(text)
        assert isinstance(found, Number)
        assert math.isclose(found.value, value)


@given(st.integers(1, 500), st.integers(1, 500))
def test_a_quotient_is_worked_out(top: int, bottom: int) -> None:
    for text in (f"{top}/{bottom}", f"{top} ÷ {bottom}", rf"\frac{{{top}}}{{{bottom}}}"):
        found = read_number(text)
        assert isinstance(found, Number)
        assert math.isclose(found.value, top / bottom)


@given(st.text(max_size=80) | st.text(alphabet="0123456789.,+-*/^()=%x× abfrac{}\\sqrt", max_size=60))
@settings(max_examples=400)
def test_random_text_never_raises(text: str) -> None:
    found = read_number(text)
    assert isinstance(found, Unclear) or math.isfinite(found.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.234,5", 1234.5), ("0,1", 0.1), ("12,5 %", 0.125), ("eine", 1), ("eine GPU", 1), ("genau eine", 1),
        ("zwölf", 12), ("siebzehn", 17), ("achtundvierzig", 48), ("hundert Schritte", 100),
        ("100-fach", 100), ("hundertfach", 100), ("50-mal so schnell", 50),
        ("etwa 100", 100), ("1,5 Mrd.", 1.5e9), ("1,5 Milliarden", 1.5e9), ("175 Milliarden", 175e9),
        ("110 Mio", 110e6), ("zwei Millionen", 2e6),
    ],
)  # fmt: skip
def test_german_numbers_are_read(text: str, value: float) -> None:
    found = read_number(text)
    assert isinstance(found, Number)
    assert found.value == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    ["hundert oder eins", "hunderte", "einige", "keine", "zwei bis drei", "2 Wörter und 3 mehr", "eine von 12",
     "48 in einer Schicht", "zweitausendachtundvierzig",
     "nur eine, die anderen elf warten", "only a single one, the other eleven wait"],
)  # fmt: skip
def test_german_words_that_are_no_single_number_are_unclear(text: str) -> None:
    assert isinstance(read_number(text), Unclear)


@pytest.mark.parametrize(
    ("value", "answer", "verdict"),
    [("2048", "2.048", "passed"), ("2048", "2,048", "passed"), ("1", "1.000", "undetermined"), ("1", "1,0", "passed"),
     ("1000", "1.000", "passed"), ("0.5", "0,5", "passed"), ("100", "1.000", "failed")],
)  # fmt: skip
def test_thousands_and_decimals_are_told_apart_by_what_is_asked(value: str, answer: str, verdict: str) -> None:
    key = NumberKey(id="x", title="x", kind="number", value=value)
    assert judge_number(key, Written(answer)).verdict.value == verdict
