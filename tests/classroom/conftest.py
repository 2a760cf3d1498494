"""Classes in small, and the command as a shell would see it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.executors import Workforce
from grader.cli.judging import settings_for
from grader.model.report import Settings

RIGHT = """import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def self_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return weights @ V, weights
"""
NO_SCALE = RIGHT.replace(" / np.sqrt(Q.shape[-1])", "")
NO_SHIFT = RIGHT.replace(" - np.max(x, axis=-1, keepdims=True)", "")
BROKEN = "def softmax(x:\n    return x\n"


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def klass(tmp_path: Path) -> Path:
    """Four hand-ins: right, without the scale, without the shift, and no Python."""
    files = {"ann.py": RIGHT, "bob.py": NO_SCALE, "cyd.py": NO_SHIFT, "dan.py": BROKEN}
    return write(tmp_path / "class", files)


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Path, Callable[[], None]], None]:
    """Call it with a name, a folder and how to fill the folder: it is filled anew once, and then with copies."""
    kept: dict[str, Path] = {}

    def fill(name: str, folder: Path, make: Callable[[], None]) -> None:
        if name in kept:
            shutil.copytree(kept[name], folder, dirs_exist_ok=True)
            return
        make()
        kept[name] = shutil.copytree(folder, tmp_path_factory.mktemp("once") / "copy")

    return fill


@pytest.fixture(scope="session")
def settings() -> Settings:
    """Settings that grade attention-numpy as on every machine."""
    return settings_for("attention-numpy", isolation="standard")


def bytes_of(results: Path) -> dict[str, bytes]:
    """Every file of a results folder by name."""
    return {
        path.relative_to(results).as_posix(): path.read_bytes() for path in sorted(results.rglob("*")) if path.is_file()
    }


class Inline(Executor):
    """Works in this process: what a class comes to, without waiting for workers to start."""

    def submit(self, call: Callable[..., Any], *arguments: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(call(*arguments))
        return future


@pytest.fixture
def inline() -> Workforce:
    return Workforce(Inline, 1, lambda pool, call, *rest: pool.submit(call, *rest), lambda _: None)
