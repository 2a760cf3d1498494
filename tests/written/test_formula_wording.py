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
    assert verdict.verdict in {"equal", "review"}, verdict.reason


@pytest.mark.parametrize("told", PAIRS[:3])
def test_pairs_excuse_no_other_slip(told: str) -> None:
    assert examine("pe_sin", rf"PE(pos,i) = \sin(pos/1000^{{2i/d}}), \quad {told}").verdict != "equal"


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


@pytest.mark.parametrize("function", ["sin", "cos"])
@pytest.mark.parametrize("column", ["4i", "3i", "i-2", "10i", "i+3"])
def test_a_left_side_that_names_strange_columns_is_for_a_person(column: str, function: str) -> None:
    for left in (f"PE(pos, {column})", f"PE_{{(pos,{column})}}", rf"\mathrm{{PE}}[pos, {column}]"):
        assert examine(f"pe_{function}", rf"{left} = \{function}(pos/10000^{{2i/d}})").verdict == "review"


@pytest.mark.parametrize("told", ["k = 1, ..., d/2", r"k = 1,\dots,d_{model}/2", r"1 \le k \le d/2"])
def test_pairs_that_are_said_to_be_counted_from_one_start_with_exponent_nought(told: str) -> None:
    assert examine("pe_sin", rf"\sin(pos/10000^{{2(k-1)/d}}), {told}").verdict in {"equal", "review"}
    assert examine("pe_sin", rf"\sin(pos/10000^{{2k/d}}), {told}").verdict == "review"
    assert examine("pe_sin", rf"\sin(pos/1000^{{2(k-1)/d}}), {told}").verdict != "equal"


@pytest.mark.parametrize("wrong", ["K_i=VW_i^K", "V_i=KW_i^V", "Q_i=KW_i^Q"])
def test_heads_made_of_the_wrong_input_are_not_accepted(wrong: str) -> None:
    parts = [wrong if part[0] == wrong[0] else part for part in ("Q_i=QW_i^Q", "K_i=KW_i^K", "V_i=VW_i^V")]
    text = r"\text{Concat}(Z_1,\dots,Z_h)W^O, Z_i=\text{softmax}(Q_iK_i^T/\sqrt{d_k})V_i, " + ", ".join(parts)
    assert examine("multi_head", text).verdict in {"different", "review"}
    right = text.replace(wrong, f"{wrong[0]}_i={wrong[0]}W_i^{wrong[0]}")
    assert examine("multi_head", right).verdict == "equal"


@pytest.mark.parametrize(("said", "verdict"), [(r"\sqrt{d_k}", "equal"), ("d_k", "different"), ("1", "different")])
def test_the_standard_deviation_that_is_said_behind_counts(said: str, verdict: str) -> None:
    text = rf"$\mathrm{{Var}}(q\cdot k)=d_k$, so the standard deviation is ${said}$."
    assert examine("variance", text).verdict in {verdict, "review"}


@pytest.mark.parametrize("told", ["Var(s) = {} with s = q·k", r"s = q \cdot k, \quad \mathrm{{Var}}(s) = {}"])
def test_the_dot_product_may_have_a_name_of_its_own(told: str) -> None:
    assert examine("variance", told.format("d_k")).verdict == "equal"
    assert examine("variance", told.format("d_k^2")).verdict in {"different", "review"}
    assert examine("variance", told.replace("k", "q").format("d_k")).verdict in {"different", "review"}


@pytest.mark.parametrize("name", [r"{\mathrm{softmax}}", r"\mathop{\mathrm{softmax}}", r"{\rm softmax}", "{softmax}"])
def test_braces_around_a_name_are_no_argument(name: str) -> None:
    assert examine("attention", name + r"\left(QK^\top/\sqrt{d_k}\right)V").verdict == "equal"
    assert examine("attention", name + r"(QK^\top/d_k)V").slip == "attn-no-root"


@pytest.mark.parametrize(
    "source",
    [
        "softmax(Q K^T / sqrt_i(d_k)) V",
        "torch.softmax(Q @ K.T / math.sqrt(d_k), dim=-V) @ V",
        "w = exp(Q @ K.T / sqrt(d_k)) / exp(Q @ K.T / sqrt(d_k)).sum(W, axis=-1); w @ V",
        "softmax(einsum('id,xyjd->ij', Q, K) / sqrt(d_k)) @ V",
    ],
)
def test_a_setting_that_is_not_understood_is_for_a_person(source: str) -> None:
    assert examine("attention", source).verdict == "review"


@pytest.mark.parametrize(
    "against",
    ["softmax over the columns", "where the softmax is taken over each column", "the softmax runs over the queries"],
)
def test_words_that_turn_the_softmax_send_a_right_formula_to_a_person(against: str) -> None:
    assert examine("attention", rf"\text{{softmax}}(QK^T/\sqrt{{d_k}})V, {against}").verdict != "equal"
    assert examine("attention", rf"$\text{{softmax}}(QK^T/\sqrt{{d_k}})V$ ({against})").verdict != "equal"
    rows = against.replace("columns", "rows").replace("column", "row").replace("queries", "keys")
    assert examine("attention", rf"\text{{softmax}}(QK^T/\sqrt{{d_k}})V, {rows}").verdict in {"equal", "review"}


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("add_norm", r"h_l = \text{LN}(h_{l-1} + \text{Sublayer}(h_{l-2}))"),
        ("add_norm", r"x_{l+1} = \text{LN}(x_l + F(x_{l+1}))"),
        ("noam", "in the warm-up lr = step·warmup^(-1.5)/√d_model; lr = step^(-0.5)/√d_model"),
        ("add_norm", "x + Sublayer(x) → LayerNorm"),
        ("noam", "for small steps: lr = step*warmup^-1.5 / sqrt(d_model) ; else: lr = step^-0.5 / sqrt(d_model)"),
    ],
)
def test_what_is_given_in_parts_or_from_two_places_is_for_a_person(kind: str, source: str) -> None:
    assert examine(kind, source).verdict == "review"


@pytest.mark.parametrize("told", ["pos = 0, 1, 2, …", "i = 0, 1, 2", "pos = 0, ..., n-1, i = 0, ..., d/2 - 1"])
def test_what_an_index_runs_over_is_no_value(told: str) -> None:
    assert examine("pe_sin", f"PE(pos, 2i) = sin(pos / 10000^(2i/d)), {told}").verdict in {"equal", "review"}
    wrong = examine("pe_sin", f"PE(pos, 2i) = sin(pos / 1000^(2i/d)), {told}")
    assert wrong.verdict == "review" or wrong.slip == "pe-base-1000"
