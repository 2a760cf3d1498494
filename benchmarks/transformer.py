"""One submission that defines all of transformer-from-scratch: processor seconds beyond importing torch, and where.

Goal: at most 6 s of processor time, in the grader and in what runs the submission together. The submission is put
together from the right samples, a module for each component. Processor time is measured and no wall time, so that
a busy machine changes little.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from grader.catalog import load_assignment, load_rubric, rubric_beside
from grader.model.report import Report, Settings
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.pipeline import grade
from grader.sandbox.parent import Sandbox

ROOT = Path(__file__).resolve().parents[1]
ASSIGNMENT = "transformer-from-scratch"
SAMPLES = ROOT / "assignments" / ASSIGNMENT / "samples" / "correct"
HEADER = re.compile(r"component:\s*(\w+)")
GOAL = 6.0


def submission() -> Submission:
    """All components in one hand-in, each in a module of its own."""
    chosen: dict[str, Path] = {}
    for path in sorted(SAMPLES.glob("*.py")):
        if found := HEADER.search(path.read_text(encoding="utf-8")):
            chosen.setdefault(found[1], path)
    modules = []
    for path in chosen.values():
        code = path.read_text(encoding="utf-8")
        modules.append(CodeModule(path.stem, (CodeChunk(code, path.name),)))
    digest = hashlib.sha256("".join(module.name for module in modules).encode()).hexdigest()
    return Submission("all", "all", tuple(modules), sha256=digest)


def spent(pid: int) -> float:
    """Processor seconds of all processes under ``pid``, and of those that they have waited for; without its own."""
    parents, seconds = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(fields[1])
        seconds[int(stat.parent.name)] = sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
    family, more = {pid}, {pid}
    while more:
        more = {child for child, parent in parents.items() if parent in family} - family
        family |= more
    return sum(seconds[member] for member in family - {pid} if member in seconds)


def measured(act: Callable[[], Report], quiet: float = 0.05) -> tuple[Report, float, float]:
    """What ``act`` returns, and processor seconds in this process and below it."""
    before, began = spent(os.getpid()), time.process_time()
    report = act()
    here = time.process_time() - began
    time.sleep(quiet)  # the last child is waited for a moment later
    return report, here, spent(os.getpid()) - before


def torch_alone() -> float:
    """Processor seconds of importing torch, with one thread as in the sandbox."""
    before = os.times()
    quiet = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", "import torch"], check=True, env=quiet)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--isolation", default="auto")
    options.add_argument("--parts", action="store_true", help="also each component alone")
    asked = options.parse_args()
    assignment = load_assignment(ASSIGNMENT)
    rubric = load_rubric(rubric_beside(ASSIGNMENT), assignment)
    work = submission()
    base = torch_alone()
    with Sandbox(level=asked.isolation, torch=True) as sandbox:
        _ = sandbox.isolation  # torch is imported now
        whole = Settings(assignment, rubric, asked.isolation, 0, ())
        report, here, below = measured(lambda: grade(work, whole, sandbox))
        print(f"importing torch {base:.2f} s; the whole submission, torch imported:")
        print(f"  grader {here:.2f} s, submission {below:.2f} s, together {here + below:.2f} s (goal {GOAL:g})")
        print(f"  {report.score} of {report.max_score} points")
        again, here_again, below_again = measured(lambda: grade(work, whole, sandbox))
        print(f"  the same again: grader {here_again:.2f} s, submission {below_again:.2f} s, {again.score} points")
        if asked.parts:
            print(f"{'component':32}{'grader':>8}{'below':>8}")
            for name in assignment.components:
                part = Settings(assignment, rubric, asked.isolation, 0, (name,))
                _, mine, theirs = measured(lambda part=part: grade(work, part, sandbox))
                print(f"{name:32}{mine:8.2f}{theirs:8.2f}")


if __name__ == "__main__":
    main()
