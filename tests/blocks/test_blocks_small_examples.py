"""What is shown of a module that is wrong can be read, pasted and seen to be wrong: every number of it is printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from block_samples import ROOT, STACKS, Judge, header, samples

from grader.model.assignment import Argument

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


COURSES = {
    "a blocking mask": ("q, k, v, mask=None", {"mask": "block"}, ("query", "key", "value", "mask")),
    "positions first": ("q, k, v, mask=None", {"batch": "second"}, ("query", "key", "value", "mask")),
    "a mask that is added": ("q, k, v, mask=None", {"mask": "additive"}, ("query", "key", "value", "mask")),
}
"""A signature, what the course settles, and the parameters of the assignment."""
CONFIG = "@dataclass\nclass Sizes:\n    width: int\n    heads: int\n    place: str = 'cpu'\n"
HEADS = """
from dataclasses import dataclass
import torch
from torch import nn

{config}

class MultiHeadAttention(nn.Module):
    def __init__(self, {made}):
        super().__init__()
        self.heads = {heads}
        self.maps = nn.ModuleList([nn.Linear({width}, {width}) for _ in range(4)])

    def forward(self, {taken}):
        order = {first}
        q, k, v = (m(x.transpose(0, 1) if order else x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for m, x in zip(self.maps, (q, k, v)))
        scores = q @ k.transpose(-1, -2)
        if mask is not None:
            mask = mask[:, None] if mask.ndim == 3 else mask
            scores = {hidden}
        out = self.maps[3]((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
        return out.transpose(0, 1) if order else out
"""
HIDDEN = {
    "block": "scores.masked_fill(mask, -1e9)",
    "additive": "scores + mask",
    "attend": "scores.masked_fill(~mask, -1e9)",
}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["by place", "by name", "config"])
@pytest.mark.parametrize("course", COURSES)
def test_lines_to_paste_follow_the_conventions_of_the_course(
    judged: Judge, tmp_path: Path, course: str, form: str
) -> None:
    taken, settled, parameters = COURSES[course]
    config = form == "config"
    by_name = {"arguments": tuple(map(Argument, parameters, ("q", "k", "v", "mask"))), "by_keyword": True}
    code = HEADS.format(
        config=CONFIG if config else "", made="sizes" if config else "width, heads",
        width="sizes.width" if config else "width", heads="sizes.heads" if config else "heads", taken=taken,
        first=settled.get("batch") == "second", hidden=HIDDEN[settled.get("mask", "attend")],
    )  # fmt: skip
    made = {"config": {"width": "d_model", "heads": "num_heads", "place": "cpu"}, "config_class": "Sizes"}
    conventions = {**settled, **(made if config else {"constructor": ["d_model", "num_heads"]})}
    found = judged("multi_head_attention", code, conventions={"form": "class", **conventions}, parameters=parameters,
                   **(by_name if form == "by name" else {}))  # fmt: skip
    (tmp_path / "student.py").write_text(code)
    example = found.lost["attends_to_itself"].counterexample
    assert example is not None
    assert example.snippet
    ran = subprocess.run(
        [sys.executable, "-c", example.snippet], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    wanted = numbers(example.got)
    assert np.allclose(numbers(re.sub(r"grad_fn=<\w+>", "", ran.stdout))[-len(wanted) :], wanted, rtol=1e-2, atol=2e-3)
