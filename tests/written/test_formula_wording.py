"""Words beside a formula: which columns an index counts, and formulas that are said rather than written."""

import pytest

from grader.written.formula.judge import examine

LEFTS = ("PE(pos,i)", "PE_{(pos,i)}", "PE_{pos,i}", "PE_{pos}^{(i)}", "PE_i(pos)", "PE[pos, i]")
PAIRS = (
    "where i is the pair index",
    "where i counts the pairs of columns",
    r"0 \le i < d/2",
    r"i = 0, \dots, d_{model}/2 - 1",
    r"0 \leq i < \frac{d_{\text{model}}}{2}",
    "for i in [0, d/2)",
)


@pytest.mark.parametrize("function", ["sin", "cos"])
@pytest.mark.parametrize("left", LEFTS)
def test_a_column_index_with_the_pairs_exponent_is_for_a_person(left: str, function: str) -> None:
    verdict = examine(f"pe_{function}", rf"{left} = \{function}(pos/10000^{{2i/d}})")
    assert verdict.verdict == "review"
    assert "pairs of columns" in verdict.reason


@pytest.mark.parametrize("function", ["sin", "cos"])
@pytest.mark.parametrize("told", PAIRS)
def test_an_index_that_is_said_to_count_pairs_is_taken_at_its_word(told: str, function: str) -> None:
    verdict = examine(f"pe_{function}", rf"PE(pos,i) = \{function}(pos/10000^{{2i/d}}), \quad {told}")
    assert verdict.verdict == "equal", verdict.reason


@pytest.mark.parametrize("told", PAIRS[:3])
def test_pairs_excuse_no_other_slip(told: str) -> None:
    verdict = examine("pe_sin", rf"PE(pos,i) = \sin(pos/1000^{{2i/d}}), \quad {told}")
    assert (verdict.verdict, verdict.slip) == ("different", "pe-base-1000")


@pytest.mark.parametrize("left", ["PE(pos,2i)", "PE_{(pos,2i)}", "PE_{2i}(pos)", "PE_{pos}^{(2i)}", "PE"])
def test_a_left_side_that_names_the_even_columns_needs_no_words(left: str) -> None:
    assert examine("pe_sin", rf"{left} = \sin(pos/10000^{{2i/d}})").verdict == "equal"


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("attention", "softmax of QK^T over root d_k, times V"),
        ("attention", "softmax of QK^T divided by the square root of d_k, multiplied by V"),
        ("attention", "softmax(QK^T over the square root of d_k) times V"),
        ("noam", "d_model to the minus half times the min of step^-0.5 and step times warmup^-1.5"),
        ("ffn", "max(0, x times W1 plus b1) times W2 plus b2"),
        ("variance", "the variance of q times k is d_k"),
    ],
)
def test_a_formula_said_in_words_is_never_called_wrong(kind: str, source: str) -> None:
    assert examine(kind, source).verdict in {"equal", "review"}


@pytest.mark.parametrize("command", ["text", "mathrm", "operatorname"])
@pytest.mark.parametrize(("first", "second"), [("_1", "_2"), ("_{1}", "_{2}")])
@pytest.mark.parametrize("name", ["Linear", "FC", "Dense"])
def test_layers_called_with_a_number_below_hold_their_bias(name: str, first: str, second: str, command: str) -> None:
    layer = rf"\{command}{{{name}}}"
    right = rf"\text{{FFN}}(x) = {layer}{second}(\text{{ReLU}}({layer}{first}(x)))"
    wrong = rf"\text{{FFN}}(x) = {layer}{second}({layer}{first}(x))"
    assert examine("ffn", right).verdict == "equal"
    assert (examine("ffn", wrong).verdict, examine("ffn", wrong).slip) == ("different", "ffn-no-relu")


@pytest.mark.parametrize("told", [r",\ \sigma=\text{ReLU}", r",\quad \sigma = \mathrm{ReLU}", "; \\sigma is ReLU"])
def test_a_letter_that_is_set_to_a_function_behind_a_comma_is_that_function(told: str) -> None:
    assert examine("ffn", r"\text{FFN}(x)=\sigma(xW_1+b_1)W_2+b_2" + told).verdict == "equal"
    tanh = examine("ffn", r"\text{FFN}(x)=\sigma(xW_1+b_1)W_2+b_2" + told.replace("ReLU", "tanh"))
    assert (tanh.verdict, tanh.slip) == ("different", "ffn-tanh")
