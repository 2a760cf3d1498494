"""Right layers drawn by hand in ways that are seldom seen; none of them may fail."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.model.outcome import Verdict
from grader.written.diagram.found import judge_diagram
from grader.written.paper import Block, Paper

DRAWN = sorted((Path(__file__).parent / "diagrams").iterdir())
WAITING = {"mask_in_label_chain", "edges_to_subgraph"}
"""Attention as the chain of its steps, arrows at a group: a person looks."""
RESIDUAL = re.compile(r"residual|^\s*(?:s|X|x|I|Emb) --+>.*(?:a1|n1|A1|AN1|AddNorm1)")


def judged(text: str) -> Verdict:
    return judge_diagram(Paper(None, drawings=(Block("diagram", text, "mermaid"),)))[0].verdict


@pytest.mark.parametrize("path", DRAWN, ids=lambda path: path.stem)
def test_a_right_layer_drawn_by_hand_passes(path: Path) -> None:
    expected = Verdict.UNDETERMINED if path.stem in WAITING else Verdict.PASSED
    assert judged(path.read_text(encoding="utf-8")) is expected


@pytest.mark.parametrize("path", DRAWN, ids=lambda path: path.stem)
def test_without_its_residual_it_never_passes(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")
    bare = [line for line in lines if not RESIDUAL.search(line)]
    assert len(bare) < len(lines)
    assert judged("\n".join(bare)) is not Verdict.PASSED
