"""What a formula's sizes are said to be never makes a wrong formula right; what is returned beside it is compared."""

import pytest

from grader.written.formula.judge import examine

_LRATE = "lrate = {} * min(step^-0.5, step * {}^-1.5)"
_ATTEND = "def attention(Q, K, V):\n    w = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))\n    return w @ V, {}"


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        # A size of one hides what is missing.
        ("attention", "d_k = 1\nsoftmax(Q @ K.T) @ V"),
        ("attention", "softmax(Q K^T) V, d_k = 1"),
        ("attention", "d_k = 1\nsoftmax(Q @ K.T / d_k) @ V"),
        ("attention", "d_k = 0.25\nsoftmax(2 Q @ K.T) @ V"),
        ("noam", "d_model = 1\nlrate = min(step^-0.5, step * warmup^-1.5)"),
        ("noam", "d_model = 1\n" + _LRATE.format("d_model^0.5", "warmup")),
        ("noam", "warmup = 1\nlrate = d_model^-0.5 * min(step^-0.5, step)"),
        ("pe_sin", "d_model = 1\nsin(pos / 10000^(2i))"),
        ("pe_sin", "d_model = 2\nsin(pos / 10000^i)"),
        # So few columns that all further ones are next to nothing.
        ("pe_sin", "d_model = 8\nsin(pos / 10000^(3i/8))"),
        ("pe_sin", "d_model = 16\nsin(pos / 10000^(i/4))"),
        ("pe_cos", "d_model = 8\ncos(pos / 1000^(2i/8)) + 1"),
        ("pe_sin", "d_model = 4\nsin(pos / 10000^(i*d_model/8))"),
        ("pe_sin", "d_model = 4\nsin(pos / 10000^(i^2/2))"),
        # So long a warm-up, or so short a one, that one of the two terms never counts.
        ("noam", "warmup = 100000\nlrate = d_model^-0.5 * step * 100000^-1.5"),
        ("noam", "warmup = 100000\nlrate = d_model^-0.5 * step * warmup^-1.5"),
        ("noam", "warmup = 3\nd_model = 512\nlrate = 512^-0.5 * step^-0.5"),
        # The number happens to fit, the formula with the name does not.
        ("attention", "d_k = 64\nsoftmax(8 Q K^T / d_k) V"),
        ("attention", "d_k = 4\nscores = 2 * Q @ K.T / d_k\nout = softmax(scores) @ V"),
        # Two sizes are told to be alike.
        ("attention", "d_k = 64, d_model = 64\nsoftmax(Q @ K.T / sqrt(d_model)) @ V"),
        ("attention", "d_k = 64\nd_model = 64\nscores = Q @ K.T / np.sqrt(d_model)\nout = softmax(scores) @ V"),
        ("attention", "d_k = d_model\nsoftmax(Q @ K.T / sqrt(d_model)) @ V"),
        ("noam", "d_model = 512\nwarmup = 512\n" + _LRATE.format("d_model^-0.5", "d_model")),
        ("noam", "d_model = 512\nwarmup = 512\n" + _LRATE.format("warmup^-0.5", "warmup")),
        ("multi_head", "h = 1\nsum([attention(Q @ WQ[i], K @ WK[i], V @ WV[i]) for i in range(h)]) @ WO"),
        # A bare d is the size of the model.
        ("attention", "d = d_model\nsoftmax(Q @ K.T / sqrt(d)) @ V"),
        ("attention", "d = 512\nsoftmax(Q @ K.T / sqrt(d)) @ V"),
        ("attention", "d = 512\nscores = Q @ K.T / np.sqrt(d)\nout = softmax(scores, axis=-1) @ V"),
        ("attention", "hidden = 64\nd_k = 64\nattn = softmax(Q @ K.T / hidden**0.5)\nout = attn @ V"),
        ("attention", "embed_dim = 64\nsoftmax(Q @ K.T / sqrt(embed_dim)) @ V"),
        ("attention", "D = 512\nsoftmax(Q @ K.T / sqrt(D)) @ V"),
        ("attention", r"\mathrm{softmax}\left(\frac{QK^T}{\sqrt{d}}\right)V, d = 512"),
        ("attention", "def attention(Q, K, V, d=512):\n    return softmax(Q @ K.T / np.sqrt(d)) @ V"),
    ],
)
def test_a_wrong_formula_is_not_right_for_the_sizes_that_are_told(kind: str, source: str) -> None:
    assert examine(kind, source).verdict in {"different", "review"}


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("attention", "d_k = 64\nsoftmax(Q @ K.T / 8) @ V"),
        ("attention", "d_k = 64\nsoftmax(Q K^T / sqrt(64)) V"),
        ("attention", "softmax(QK^T / d_k^{1/2}) V, d_k = 1"),
        ("attention", "d_model = 512, h = 8\nsoftmax(Q K^T / sqrt(d_model / h)) V"),
        ("attention", "d_model = 512\nsoftmax(Q K^T / sqrt(d_model / 8)) V"),
        ("attention", "softmax(Q K^T / sqrt(d)) V"),
        ("attention", "d = 64\nscores = Q @ K.T / np.sqrt(d)\nout = softmax(scores, axis=-1) @ V"),
        ("noam", "d_model = 512\n" + _LRATE.format("d_model^-0.5", "warmup")),
        ("noam", "d_model = 512\nwarmup = 4000\n" + _LRATE.format("d_model^-0.5", "warmup")),
        ("noam", "d_model = 512; warmup = 4000\n" + _LRATE.format("512^-0.5", "4000")),
        ("pe_sin", "d_model = 4\nsin(pos / 10000^(2i/d_model))"),
        ("pe_sin", "d = 512\nsin(pos / 10000^(2i/d))"),
    ],
)
def test_sizes_that_are_told_do_no_harm_to_a_right_formula(kind: str, source: str) -> None:
    assert examine(kind, source).verdict == "equal"


def test_weights_returned_beside_the_output_are_right_ones() -> None:
    assert examine("attention", _ATTEND.format("w")).verdict in {"equal", "review"}


@pytest.mark.parametrize("beside", ["Q @ K.T", "softmax(Q @ K.T)", "w.T", "w / 2", "V", "w @ V"])
def test_wrong_values_returned_beside_the_output_are_not_accepted(beside: str) -> None:
    assert examine("attention", _ATTEND.format(beside)).verdict != "equal"


@pytest.mark.parametrize(
    "source",
    ["Var(q·k) = d_k = 64, so Var(q·k/8) = 64/64 = 1", "Var(q·k) = d_k = 64, Var(q·k/sqrt(d_k)) = 1",
     "Var(q·k) = d_k = 64, so after dividing by sqrt(64) = 8: Var(q·k/8) = 64/64 = 1",
     "Var(q.k) = d_k = 512/8 = 64 and Var(q.k/sqrt(64)) = 1"],
)  # fmt: skip
def test_a_size_told_within_the_argument_holds(source: str) -> None:
    assert examine("variance", source).verdict in {"equal", "review"}


@pytest.mark.parametrize(
    "source",
    ["Var(q·k) = d_k = 64, so Var(q·k/8) = 64/8 = 8", "Var(q·k) = d_k = 1", "Var(q·k) = d_k = 64, Var(q·k/64) = 1",
     "Var(q·k) = d_k^2 = 4096"],
)  # fmt: skip
def test_a_size_told_within_the_argument_makes_no_wrong_one_right(source: str) -> None:
    assert examine("variance", source).verdict in {"different", "review"}


@pytest.mark.parametrize(
    "source",
    [r"D^{-1} \exp(QK^T/\sqrt{d_k}) V, D = diag(\exp(QK^T/\sqrt{d_k}) 1)",
     "D^-1 A V, A = exp(QK^T/sqrt(d_k)), D = diag(A 1)", "softmax(QK^T/sqrt(d_k)) V, d = exp(QK^T)"],
)  # fmt: skip
def test_a_size_that_is_computed_of_scores_is_none_and_condemns_nothing(source: str) -> None:
    assert examine("attention", source).verdict == "review"


FORWARD = "FFN(x) = max(0, xW_1 + b_1)W_2 + b_2"
SHAPES = [
    "{f}, mit W1 ∈ ℝ^{{{1}×{2}}} und W2 ∈ ℝ^{{{2}×{1}}}",
    "{f}, with W_2 ∈ R^({2}×{1})",
    r"${f}$ where $W_1 \in \mathbb{{R}}^{{{1} \times {2}}}$",
    "{f}, W₂ ∈ ℝ^{{{2}, {1}}}",
]
SIZES = [("512", "2048"), ("d_{model}", "d_{ff}"), (r"d_{\text{model}}", r"d_{\text{ff}}")]


@pytest.mark.parametrize("said", SHAPES)
@pytest.mark.parametrize(("outer", "inner"), SIZES)
def test_a_weight_with_the_shape_of_the_other_waits_beside_a_right_formula(said: str, outer: str, inner: str) -> None:
    assert examine("ffn", said.format("", outer, inner, f=FORWARD)).verdict == "equal"
    assert examine("ffn", said.format("", inner, outer, f=FORWARD)).verdict == "review"
    assert examine("ffn", said.format("", outer, outer, f=FORWARD)).verdict == "review"
