"""⟨x⟩ as an expected value in the argument on variances; ⟨q, k⟩ with a comma stays the inner product."""

import pytest

from grader.written.formula.judge import examine


@pytest.mark.parametrize(
    "source",
    [
        r"\langle \mathbf{q}\cdot\mathbf{k}\rangle=0,\qquad \langle(\mathbf{q}\cdot\mathbf{k})^2\rangle=\sum_{j=1}^{d_k}\langle q_j^2\rangle\langle k_j^2\rangle=d_k\ \Rightarrow\ \mathrm{Var}(\mathbf{q}\cdot\mathbf{k})=d_k",  # noqa: E501 - one formula
        "Var(q·k) = ⟨(q·k)²⟩ − ⟨q·k⟩² = d_k − 0 = d_k",
        r"\operatorname{Var}(q\cdot k)=\left\langle (q\cdot k)^2\right\rangle=\sum_{i=1}^{d_k}\langle q_i^2\rangle\langle k_i^2\rangle=d_k",  # noqa: E501 - one formula
        r"\langle q_i^2\rangle = \langle k_i^2\rangle = 1,\quad \operatorname{Var}(q\cdot k)=\sum_{i=1}^{d_k}\langle q_i^2 k_i^2\rangle=d_k",  # noqa: E501 - one formula
        r"\operatorname{Var}(\langle q, k\rangle)=\sum_{i=1}^{d_k}\operatorname{Var}(q_ik_i)=d_k",
        "Var(⟨q,k⟩) = d_k, ⟨q_i²⟩ = 1",
        "Var(⟨q·k⟩) = d_k",
        r"s=\langle q\cdot k\rangle,\ \mathbb{E}[s]=0,\ \operatorname{Var}(s)=d_k",
    ],
)
def test_angle_brackets_are_read_as_they_are_meant(source: str) -> None:
    assert examine("variance", source).verdict == "equal"


@pytest.mark.parametrize(
    "source",
    [
        "s = ⟨q·k⟩, ⟨q_i²⟩ = 1, Var(s) = d_k",
        r"\operatorname{Var}\left(\langle q\cdot k\rangle\right)=d_k,\ \langle q_i^2\rangle=1",
    ],
)
def test_a_product_in_angle_brackets_is_not_called_wrong(source: str) -> None:
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
