"""Runs the command in this process, as a shell would see it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.catalog import assignment_file
from tests.cli.own_course import ASSIGNMENT, CHECKS, RUBRIC

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


@pytest.fixture
def course(tmp_path: Path) -> Path:
    folder = tmp_path / "course"
    folder.mkdir()
    for name, text in {"assignment.yaml": ASSIGNMENT, "rubric.yaml": RUBRIC, "checks.py": CHECKS}.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def run(grader: Callable[..., Any]) -> Callable[..., tuple[int, str]]:
    def ran(*words: object) -> tuple[int, str]:
        found = grader(*words)
        return found.code, f"{found.out}{found.err}"

    return ran


@pytest.fixture
def graded(tmp_path: Path, course: Path, run: Callable[..., tuple[int, str]]) -> Callable[..., str]:
    def of(source: str, *more: object) -> str:
        work = tmp_path / "work.py"
        work.write_text(source)
        return run("grade", work, "-a", course, "--isolation", "none", "--format", "text", *more)[1]

    return of
