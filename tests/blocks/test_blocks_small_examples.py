"""What is shown of a module that is wrong can be read, pasted and seen to be wrong: every number of it is printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from block_samples import ROOT, STACKS, Judge, header, samples

pytestmark = pytest.mark.torch
OPEN = ROOT / "tests" / "samples" / "open"
NO_NUMBERS = {
    "dropout_in_training",  # what is random is no one number
    "learns_gain_and_shift",  # the paper needs weights that are not there
    "parameters_are_registered",
    "own_parameters",
    "rejects_indivisible_heads",
    "repeats_itself",
    "shares_one_parameter",
    "table_is_fixed",
    "table_moves_along",
}
"""Checks that no answer to one input shows."""
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


def numbers(text: str) -> list[float]:
    return [float(found) for found in _NUMBER.findall(text)]


def test_an_example_of_a_module_is_small_whole_numbers_with_lines_to_paste(judged: Judge) -> None:
    (outcome,) = judged("feed_forward", (OPEN / "ffn_missing_activation.py").read_text()).lost.values()
    example = outcome.counterexample
    assert example is not None
    assert max(map(len, example.inputs.values())) < 120
    assert all(number == round(number) for number in numbers(example.inputs["x"]))
    assert "PositionwiseFeedForward(4, 3, 0.0).eval()" in example.snippet
    assert "for i, p in enumerate(module.parameters()):" in example.snippet


@pytest.mark.slow
@pytest.mark.parametrize("whole", [False, True], ids=["parts", "layers"])
def test_an_example_is_small_and_its_lines_print_what_it_shows(judged: Judge, tmp_path: Path, whole: bool) -> None:
    pasted: list[tuple[str, str]] = []
    for path in samples(OPEN):
        component, mistake = header(path)
        if not mistake or (component in STACKS) is not whole:
            continue
        (tmp_path / path.name).write_text(path.read_text())
        for check, outcome in judged(component, path.read_text()).lost.items():
            example = outcome.counterexample
            if check in NO_NUMBERS or example is None:
                continue
            if "whole numbers" not in example.why:
                assert mistake == "ln-eps-outside-sqrt", (path.stem, check)  # seen beside tiny numbers only
                continue
            assert "array of shape" not in example.got, (path.stem, check)
            if example.snippet:
                pasted.append((example.snippet.replace("from student import", f"from {path.stem} import"), example.got))
    assert len(pasted) > 8
    text = "\nprint('---')\n".join(lines for lines, _ in pasted)
    ran = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=True)
    for (lines, got), told in zip(pasted, ran.stdout.split("---\n"), strict=True):
        shown = re.sub(r"dtype=torch\.\w+|grad_fn=<\w+>", "", told)
        wanted = numbers(got)
        assert np.allclose(numbers(shown)[-len(wanted) :], wanted, rtol=1e-2, atol=2e-3), f"{lines}\n{told}\n{got}"
