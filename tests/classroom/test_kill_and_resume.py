"""kill -9 at random moments, then resume: the results are those of a run that nothing disturbed."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from .conftest import BROKEN, NO_SCALE, NO_SHIFT, RIGHT, bytes_of, write

COUNT = 16
Undisturbed = tuple[Path, dict[str, bytes], float]


def start(klass: Path, folder: Path) -> subprocess.Popen[bytes]:
    words = ["grade", str(klass), "-a", "attention-numpy", "--isolation", "standard", "-o", str(folder), "--jobs", "2"]
    command = [sys.executable, "-c", "from grader.cli import script; script()", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """The class, what its results are, and how long they take."""
    tmp_path = tmp_path_factory.mktemp("quiet")
    kinds = (RIGHT, NO_SCALE, NO_SHIFT, BROKEN)
    klass = write(tmp_path / "class", {f"s{n:02}.py": f"{kinds[n % 4]}\nmark = {n}\n" for n in range(COUNT)})
    began = time.monotonic()
    assert start(klass, tmp_path / "quiet").wait() == 0
    return klass, bytes_of(tmp_path / "quiet"), time.monotonic() - began


def killed_again_and_again(undisturbed: Undisturbed, tmp_path: Path, kills: int, seed: int) -> None:
    klass, wanted, seconds = undisturbed
    rng = np.random.default_rng(seed)
    done, folder = 0, 0
    while done < kills:
        results = tmp_path / f"killed{folder}"
        folder += 1
        while True:
            run = start(klass, results)
            try:
                run.wait(float(rng.uniform(0.2, 1.0) * seconds))
            except subprocess.TimeoutExpired:
                run.kill()
                run.wait()
                done += 1
                if done < kills:
                    continue
            assert run.returncode in {0, -9}
            break
        assert start(klass, results).wait() == 0
        assert bytes_of(results) == wanted


@pytest.mark.slow
def test_results_are_the_same_after_two_kills(undisturbed: Undisturbed, tmp_path: Path) -> None:
    killed_again_and_again(undisturbed, tmp_path, 2, seed=1)


@pytest.mark.slow
@pytest.mark.timeout(1800)  # the moments follow the speed of the machine
def test_results_are_the_same_after_fifty_kills(undisturbed: Undisturbed, tmp_path: Path) -> None:
    killed_again_and_again(undisturbed, tmp_path, 50, seed=2)


@pytest.mark.slow
def test_of_two_graders_started_at_once_one_works_and_the_other_is_told(
    undisturbed: Undisturbed, tmp_path: Path
) -> None:
    klass, wanted, _ = undisturbed
    both = [start(klass, tmp_path / "both") for _ in range(2)]
    codes = sorted(run.wait() for run in both)
    assert codes in ([0, 2], [0, 0]), "the second may have begun after the first was done"
    assert bytes_of(tmp_path / "both") == wanted
