"""One thread a process, and the same examples for all: the tests say the same on every machine, however busy it is."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from grader.sandbox.parent import Sandbox

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # two pools on one core wait for each other
    os.environ.setdefault(name, "1")

settings.register_profile("suite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

gc.disable()  # until all is collected: ten thousand tests stay to the end, and are not to be looked at again and again


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the parameters of a test that is sampled, all but each n-th are slow."""
    places: Counter[str] = Counter()
    for item in items:
        sampled = item.get_closest_marker("sampled")
        if sampled is None or item.get_closest_marker("slow"):
            continue
        test = item.nodeid.partition("[")[0]
        if places[test] % sampled.args[0]:
            item.add_marker("slow")
        places[test] += 1


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def numpy_sandbox() -> Iterator[Sandbox]:
    from grader.sandbox.parent import Sandbox

    with Sandbox("standard") as started:
        yield started


@pytest.fixture(scope="session")
def torch_sandbox() -> Iterator[Sandbox]:
    """One start of torch for all that ask modules."""
    pytest.importorskip("torch")
    from grader.sandbox.parent import Sandbox

    with Sandbox("standard", torch=True) as started:
        yield started


@pytest.fixture
def grader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Call it with words: it runs `grader …` in an empty folder, `tmp_path`."""
    from grader.cli import main

    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE", "GRADER_SEED", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: object) -> Ran:
        with pytest.raises(SystemExit) as caught:
            main([str(word) for word in words])
        captured = capfd.readouterr()
        return Ran(int(str(caught.value.code)), captured.out, captured.err)

    return run
