"""What naming mistakes costs beside judging, in processor time, over a folder of faulty samples.

Goal: diagnosis takes at most as much again as judging. Judging is what the grader spends without the search for a
name, and what the submission spends.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

from benchmarks.transformer import ASSIGNMENT, ROOT, measured
from grader.blocks import explain
from grader.catalog import load_assignment, load_rubric, rubric_beside
from grader.judging import diagnose
from grader.model.report import Settings
from grader.pipeline import grade
from grader.sandbox.parent import Sandbox
from grader.score import select
from tests.corpus import samples, submission

SAMPLES = ROOT / "tests" / "samples"


def clocked(act: Callable[..., Any], clock: list[float]) -> Callable[..., Any]:
    """``act`` with its processor seconds added to ``clock``."""

    def run(*args: Any) -> Any:
        began = time.process_time()
        try:
            return act(*args)
        finally:
            clock[0] += time.process_time() - began

    return run


def clocked_rounds(act: Callable[..., Any], clock: list[float]) -> Callable[..., Any]:
    """The same for a generator: only its own steps count, and not what happens between them."""

    def run(*args: Any) -> Generator[Any, Any, Any]:
        rounds, reply = act(*args), None
        while True:
            began = time.process_time()
            try:
                asked = rounds.send(reply)
            except StopIteration as end:
                return end.value
            finally:
                clock[0] += time.process_time() - began
            reply = yield asked

    return run


def main() -> None:
    """Measure and print by component."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", nargs="?", type=Path, default=SAMPLES)
    asked = options.parse_args()
    clock = [0.0]
    diagnose.explain = clocked_rounds(diagnose.explain, clock)
    explain.read = clocked(explain.read, clock)
    assignment = load_assignment(ASSIGNMENT)
    rubric = load_rubric(rubric_beside(ASSIGNMENT), assignment)
    judged: dict[str, list[float]] = defaultdict(list)
    named: dict[str, list[float]] = defaultdict(list)
    with Sandbox(level="auto", torch=True) as sandbox:
        _ = sandbox.isolation
        for sample in samples(asked.folder):
            if not sample.misconception:
                continue
            work, only = submission(sample), (sample.component,)
            settings = Settings(assignment, select(rubric, only), "auto", 0, only)
            clock[0] = 0.0
            _, here, below = measured(lambda work=work, settings=settings: grade(work, settings, sandbox))
            judged[sample.component].append(here + below - clock[0])
            named[sample.component].append(clock[0])
    print(f"{'component':32}{'files':>6}{'judging':>9}{'naming':>9}{'worst':>9}")
    rows = [*sorted(judged), "all"]
    judged["all"] = [seconds for component in judged.values() for seconds in component]
    named["all"] = [seconds for component in named.values() for seconds in component]
    for row in rows:
        files = len(judged[row])
        print(f"{row:32}{files:6}{sum(judged[row]) / files:9.3f}{sum(named[row]) / files:9.3f}{max(named[row]):9.3f}")


if __name__ == "__main__":
    main()
