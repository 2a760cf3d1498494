"""Formulas as students type them: numbers for known sizes, HTML, Word, German, programs, and sentences around them."""

import pytest

from grader.written.formula.judge import examine


@pytest.mark.parametrize("size", [16, 64, 100])
def test_numbers_that_follow_from_a_stated_size_hold(size: int) -> None:
    root = f"{size**0.5:g}"
    for source in (
        f"With d_k = {size}, Var(q·k) = d_k = {size}, so the standard deviation is {root}.",
        f"d_k = {size}: Var(q·k) = {size}, Var(q·k/√d_k) = d_k/{size} = 1",
        rf"$d_k = {size}$, $\mathrm{{Var}}(q \cdot k) = d_k = {size}$",
    ):
        assert examine("variance", source).verdict == "equal", source


@pytest.mark.parametrize(
    "claim", ["Var(q·k) = 1", "Var(q·k) = d_k^2", "Var(q·k) = 64^2", "Var(q·k) = 8", "Var(q·k) = d_k = 8"]
)
def test_a_stated_size_excuses_no_other_number(claim: str) -> None:
    assert examine("variance", f"d_k = 64, {claim}").verdict != "equal"


@pytest.mark.parametrize(
    "words", ["Erst auf 2048, dann zurück auf 512: ", "First we widen it to 2048 units, then back: ", ""]
)
@pytest.mark.parametrize("end", [".", "", " .", ". So it is."])
def test_a_sentence_around_a_right_formula_never_makes_it_wrong(words: str, end: str) -> None:
    assert examine("ffn", f"{words}FFN(x) = max(0, x W1 + b1) W2 + b2{end}").verdict in {"equal", "review"}
