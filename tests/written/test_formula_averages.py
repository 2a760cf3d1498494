"""⟨q, k⟩ is an inner product; without a comma the brackets may be a mean too, and a person reads them."""

import pytest

from grader.written.formula.judge import examine


def test_an_inner_product_in_angle_brackets_is_read() -> None:
    source = r"\operatorname{Var}(\langle q, k\rangle)=\sum_{i=1}^{d_k}\operatorname{Var}(q_ik_i)=d_k"
    assert examine("variance", source).verdict == "equal"


@pytest.mark.parametrize(
    "source",
    [
        r"\langle \mathbf{q}\cdot\mathbf{k}\rangle=0,\qquad \langle(\mathbf{q}\cdot\mathbf{k})^2\rangle=\sum_{j=1}^{d_k}\langle q_j^2\rangle\langle k_j^2\rangle=d_k\ \Rightarrow\ \mathrm{Var}(\mathbf{q}\cdot\mathbf{k})=d_k",  # noqa: E501 - one formula
        "Var(q·k) = ⟨(q·k)²⟩ − ⟨q·k⟩² = d_k − 0 = d_k",
        r"\operatorname{Var}(q\cdot k)=\left\langle (q\cdot k)^2\right\rangle=\sum_{i=1}^{d_k}\langle q_i^2\rangle\langle k_i^2\rangle=d_k",  # noqa: E501 - one formula
        r"\langle q_i^2\rangle = \langle k_i^2\rangle = 1,\quad \operatorname{Var}(q\cdot k)=\sum_{i=1}^{d_k}\langle q_i^2 k_i^2\rangle=d_k",  # noqa: E501 - one formula
        "Var(⟨q,k⟩) = d_k, ⟨q_i²⟩ = 1",
        "Var(⟨q·k⟩) = d_k",
        r"s=\langle q\cdot k\rangle,\ \mathbb{E}[s]=0,\ \operatorname{Var}(s)=d_k",
        "s = ⟨q·k⟩, ⟨q_i²⟩ = 1, Var(s) = d_k",
    ],
)
def test_a_right_argument_in_angle_brackets_is_not_called_wrong(source: str) -> None:
    assert examine("variance", source).verdict != "different"


@pytest.mark.parametrize(
    "source",
    [
        "⟨q·k⟩ = 0, Var(q·k) = ⟨(q·k)²⟩ = d_k²",
        "Var(q·k) = ⟨(q·k)²⟩ − ⟨q·k⟩² = √d_k",
        r"\langle(q\cdot k)^2\rangle=\sum_{j=1}^{d_k}\langle q_j^2\rangle+\langle k_j^2\rangle=2d_k",
        "⟨q·k⟩ = d_k, ⟨(q·k)²⟩ = d_k ⇒ Var(q·k) = d_k",
        r"\operatorname{Var}(q\cdot k)=\langle q\cdot k\rangle^2=d_k,\ \langle q_i^2\rangle=1",
    ],
)
def test_a_wrong_argument_in_angle_brackets_is_not_accepted(source: str) -> None:
    assert examine("variance", source).verdict != "equal"
