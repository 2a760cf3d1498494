"""What a letter is said to be counts: n as the number of tokens is no d_k, n as the size of a key is."""

import pytest

from grader.written.formula.judge import examine

OTHERS = (
    "{v}, where {v} is the number of tokens",
    "{v}, where {v} is the sequence length",
    r"{v},\quad {v}=\text{{length of the sequence}}",
    r"{v},\quad {v}=\text{{batch size}}",
    "{v} with {v} the number of heads",
    "{v}, where {v} = d_model is the width of the model",
    "{v} ({v} the sequence length)",
    "{v} ({v}: model dimension)",
    "{v}, wobei {v} die Länge der Folge ist",
    "{v}, wobei {v} die Anzahl der Köpfe ist",
    "{v} mit {v} = Batchgröße",
    "{v}, wobei {v} die Modelldimension ist",
    "{v}, où {v} est la longueur de la séquence",
    "{v} avec {v} = le nombre de têtes",
    "{v}, où {v} est la taille du lot",
    "{v}, où {v} est la dimension du modèle",
)
OF_A_HEAD = (
    "{v}, where {v} is the dimension of the keys",
    r"{v},\quad {v}=\text{{size of a head}}",
    "{v}, where {v} is the dimension of the query and key vectors",
    "{v} mit {v} = Dimension der Schlüssel",
    "{v}, wobei {v} die Größe eines Kopfes ist",
)


@pytest.mark.parametrize("letter", ["n", "N", "m", "T", "L", "d", "d_k"])
@pytest.mark.parametrize("told", OTHERS)
def test_a_letter_that_is_said_to_be_another_size_is_not_accepted(told: str, letter: str) -> None:
    beside = told.format(v=letter)
    attention = "softmax(QK^T/√" + letter + ")V" + beside.removeprefix(letter)
    assert examine("attention", attention).verdict != "equal"
    assert examine("variance", f"Var(q·k) = {beside}").verdict != "equal"
    assert examine("variance", f"Var(q·k) = Σ_{{j=1}}^{{{letter}}} 1 = {beside}").verdict != "equal"


@pytest.mark.parametrize("letter", ["n", "N", "d", "m"])
@pytest.mark.parametrize("told", OF_A_HEAD)
def test_a_letter_that_is_said_to_be_the_size_of_a_head_is_never_called_wrong(told: str, letter: str) -> None:
    beside = told.format(v=letter)
    assert examine("attention", "softmax(QK^T/√" + letter + ")V" + beside.removeprefix(letter)).verdict != "different"
    assert examine("variance", f"Var(q·k) = {beside}").verdict != "different"


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("attention", "softmax(QK^T/√d_k)V with Q ∈ R^{n×d_k}, n the number of tokens"),
        ("attention", "softmax(QK^T/√d_k)V, where d_k is the dimension of the keys and n the number of tokens"),
        ("variance", "Var(q·k) = d_k, d_k = d_model / h the dimension per head"),
        ("variance", "Var(q·k) = n, where n is the number of components of q"),
        ("variance", "Var(q·k) = n (n terms of variance 1)"),
        ("variance", r"q_i,k_i\sim\mathcal{N}(0,1) \text{ independent}, \operatorname{Var}(q\cdot k)=d_k"),
        ("pe_sin", "sin(pos/10000^(2i/d)), d is the embedding size"),
        ("noam", "d^{-0.5} · min(step^{-0.5}, step · warmup^{-1.5}), where d is the model dimension"),
    ],
)
def test_what_is_said_of_sizes_rightly_costs_nothing(kind: str, source: str) -> None:
    assert examine(kind, source).verdict in {"equal", "review"}


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("pe_sin", "sin(pos/10000^(2i/d)), where d is the sequence length"),
        ("pe_cos", "PE(pos,2i+1) = cos(pos/10000^(2i/d)), d = dimension of the keys"),
        ("noam", "d^{-0.5} · min(step^{-0.5}, step · warmup^{-1.5}), where d is the batch size"),
        (
            "multi_head",
            "Concat(head_1,…,head_h)W^O, head_i = softmax(QW_i^Q(KW_i^K)^T/√d)VW_i^V, d the number of heads",
        ),
        ("attention", "softmax(QK^T/√p)V, where p is the batch size"),
        ("variance", "Var(q·k) = n, the sequence length"),
        ("variance", "For a sequence of length n: Var(q·k) = n"),
        ("variance", "Für eine Folge der Länge n gilt Var(q·k) = n"),
    ],
)
def test_a_size_that_is_said_to_be_another_is_not_accepted_in_any_kind(kind: str, source: str) -> None:
    assert examine(kind, source).verdict != "equal"
