"""Runs the command in this process, as a shell would see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.catalog import assignment_file
from grader.cli import main

RIGHT = """import numpy as np


def softmax(x):
    exp_x = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return exp_x / np.sum(exp_x, axis=-1, keepdims=True)


def self_attention(Q, K, V):
    d_k = Q.shape[1]
    scores = np.dot(Q, K.T)
    scores = scores / np.sqrt(d_k)
    weights = softmax(scores)
    output = np.dot(weights, V)
    return output, weights
"""

NO_SCALE = RIGHT.replace("    scores = scores / np.sqrt(d_k)\n", "")


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture
def grader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Call it with words: it runs `grader …` in an empty folder, `tmp_path`."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE", "GRADER_SEED", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: object) -> Ran:
        with pytest.raises(SystemExit) as caught:
            main([str(word) for word in words])
        captured = capfd.readouterr()
        return Ran(int(str(caught.value.code)), captured.out, captured.err)

    return run


@pytest.fixture
def right(tmp_path: Path) -> Path:
    path = tmp_path / "attention.py"
    path.write_text(RIGHT)
    return path


@pytest.fixture
def no_scale(tmp_path: Path) -> Path:
    path = tmp_path / "unscaled.py"
    path.write_text(NO_SCALE)
    return path


@pytest.fixture
def hurried(tmp_path: Path) -> Callable[[float], str]:
    """Call it with seconds: it returns the path of attention-numpy with that limit for a call."""

    def copied(seconds: float) -> str:
        path = tmp_path / "hurried" / "attention-numpy" / "assignment.yaml"
        path.parent.mkdir(parents=True)
        text = assignment_file("attention-numpy").read_text(encoding="utf-8")
        path.write_text(f"{text.rstrip()}\nlimits: {{call_s: {seconds}}}\n", encoding="utf-8")
        return str(path)

    return copied
