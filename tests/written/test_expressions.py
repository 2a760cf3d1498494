"""Expressions in every usual spelling: products without a sign, any letters, letters that nobody asked for."""

from itertools import product

import pytest

from grader.model.outcome import Verdict
from grader.written.expressions import judge_expression
from grader.written.key import ExpressionKey
from grader.written.sheet import Written

SIGNS = ("*", " * ", "·", " × ", r" \cdot ", " ", "")


def judged(answer: str, value: str, *variables: str, **names: tuple[str, ...]) -> Verdict:
    key = ExpressionKey(id="q", title="Size", kind="expression", variables=variables, value=value, names=names)
    return judge_expression(key, Written(answer)).verdict


@pytest.mark.parametrize(("times", "between"), list(product(SIGNS, SIGNS)))
def test_a_product_with_or_without_a_sign_is_the_same(times: str, between: str) -> None:
    assert judged(f"2{times}d{between}f + d + f", "2*d*f + f + d", "d", "f") is Verdict.PASSED
    assert judged(f"f{times}(2{between}d + 1) + d", "2*d*f + f + d", "d", "f") is Verdict.PASSED
    assert judged(f"2{times}d{between}f + 2{times}f", "2*d*f + f + d", "d", "f") is Verdict.FAILED


@pytest.mark.parametrize(
    "text",
    [
        "4d(d+1)",
        "d(4d + 4)",
        "4dd + 4d",
        "4d^2+4d",
        "4d² + 4d",
        "$4d^{2} + 4d$",
        "4(d^2 + d)",
        "(4d)(d + 1)",
        "P = 4d(1+d)",
    ],
)
def test_powers_and_brackets_are_read_beside_a_letter(text: str) -> None:
    assert judged(text, "4*d*d + 4*d", "d") is Verdict.PASSED


@pytest.mark.parametrize("text", ["2d_model d_ff + d_model + d_ff", "$2 d_{model} d_{ff} + d_{ff} + d_{model}$"])
def test_names_of_variables_are_read_behind_a_number(text: str) -> None:
    assert judged(text, "2*d*f + f + d", "d", "f", d=("d_model",), f=("d_ff",)) is Verdict.PASSED


@pytest.mark.parametrize("text", ["ND", "n d", "N*D", r"$N \cdot D$"])
def test_a_key_may_name_its_variables_in_capitals(text: str) -> None:
    assert judged(text, "N*D", "N", "D") is Verdict.PASSED


@pytest.mark.parametrize(("text", "value"), [("d/2h", "d/(2*h)"), ("d/2h", "d/2*h"), (r"\frac{d}{2h}", "d/(2*h)")])
def test_a_product_below_a_line_may_bind_closer_than_it(text: str, value: str) -> None:
    assert judged(text, value, "d", "h") is Verdict.PASSED


@pytest.mark.parametrize("text", ["2mf + d + f", "2df + d + f + k", "2dfk + d + f", "d2*f + d + f", "2df + d + f - x"])
def test_a_letter_that_is_no_variable_keeps_points_waiting(text: str) -> None:
    assert judged(text, "2*d*f + f + d", "d", "f") is Verdict.UNDETERMINED


@pytest.mark.parametrize("value", ["d**2", "4*d**2", "2*d"])
@pytest.mark.parametrize("text", ["d2", "4d2", "4 d2", "4·d2", "= d2"])
def test_a_number_right_behind_a_variable_may_be_an_exponent(text: str, value: str) -> None:
    assert judged(text, value, "d") is Verdict.UNDETERMINED
