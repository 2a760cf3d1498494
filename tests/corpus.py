"""Grade a folder of sample submissions and print what was caught, missed and named, by component.

The folder holds ``open/`` or ``faulty/`` and ``correct/`` files whose first line names the component and, for faulty
ones, the misconception. Comments and docstrings are removed before grading, because they give the mistake away.

    python -m tests.corpus [DIR] [--component C] [--verbose]
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grader.model.outcome import Verdict, joined
from grader.model.report import Settings
from grader.model.submission import CodeChunk, CodeModule, Submission

DEFAULT = Path(__file__).resolve().parent / "samples"
ASSIGNMENT = "transformer-from-scratch"
HEADER = re.compile(r"#\s*(?:misconception:\s*(?P<id>\S+)|correct)\s+component:\s*(?P<component>\w+)")
KEEPS_POINTS = {
    "mha-heads-interleaved": "any consistent order of columns is right",
    "noam-step-zero-crash": "step 0 is not asked",
    "mha-half-precision-mask-constant": "a note only",
    "state-prints-to-stdout": "a note only",
}


@dataclass(frozen=True, slots=True)
class Sample:
    """One file: where it is, its component, and the misconception it holds (empty: right)."""

    path: Path
    component: str
    misconception: str


@dataclass(frozen=True, slots=True)
class Result:
    """What the grader said: share of the points, the verdict, names given, failed checks."""

    sample: Sample
    earned: float
    verdict: str
    named: tuple[str, ...]
    failed: tuple[str, ...]
    seconds: float

    @property
    def right_points(self) -> bool:
        """Whether the points are as they must be."""
        wants_full = not self.sample.misconception or self.sample.misconception in KEEPS_POINTS
        return (self.earned == 1.0) == wants_full

    @property
    def naming(self) -> str:
        """``right``, ``wrong``, ``none``: the name given first, a family counting when it holds the mistake."""
        if not self.named:
            return "none"
        return "right" if self.sample.misconception in self.named else "wrong"


def samples(folder: Path) -> Iterable[Sample]:
    """All headed files in ``open/``, ``faulty/`` and ``correct/`` below ``folder``."""
    for path in sorted(path for kind in ("open", "faulty", "correct") for path in folder.glob(f"{kind}/*.py")):
        head = "\n".join(path.read_text(encoding="utf-8").splitlines()[:3])
        if found := HEADER.search(head):
            yield Sample(path, found["component"], found["id"] or "")


def stripped(source: str) -> str:
    """The program without comments and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        holds_text = isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and isinstance(body, list) and body
        if holds_text and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            node.body = body[1:] or [ast.Pass()]
    return ast.unparse(tree) + "\n"


def submission(sample: Sample) -> Submission:
    """The sample as a hand-in, without what gives its mistake away."""
    code = stripped(sample.path.read_text(encoding="utf-8"))
    digest = hashlib.sha256(code.encode()).hexdigest()
    return Submission("sample", "work.py", (CodeModule("work", (CodeChunk(code, "work.py"),)),), sha256=digest)


_sandboxes: list[object] = []


def run(sample: Sample, assignment_id: str = ASSIGNMENT) -> Result:
    """Grade one sample; each worker process keeps one sandbox."""
    import time

    from grader.catalog import load_assignment, load_rubric, rubric_beside
    from grader.pipeline import grade
    from grader.sandbox.parent import Sandbox
    from grader.score import select

    assignment = load_assignment(assignment_id)
    rubric = select(load_rubric(rubric_beside(assignment_id), assignment), (sample.component,))
    if not _sandboxes:
        _sandboxes.append(Sandbox(level="auto", torch=True))
        _sandboxes[0].start()
    begun = time.perf_counter()
    report = grade(submission(sample), Settings(assignment, rubric, "auto", 0, (sample.component,)), _sandboxes[0])
    seconds = time.perf_counter() - begun
    mark = next(mark for mark in report.marks if mark.criterion.id == sample.component)
    bad = [outcome for outcome in mark.outcomes if outcome.verdict is not Verdict.PASSED]
    first = next((outcome.diagnosis for outcome in bad if outcome.diagnosis), None)
    named = (first.id, *map(joined, first.family)) if first else ()
    return Result(
        sample,
        float(mark.points / mark.criterion.points),
        str(mark.verdict),
        named,
        tuple(f"{o.check.partition('.')[2]}:{o.verdict}" for o in bad),
        seconds,
    )


def table(results: list[Result]) -> str:
    """The table by component, then every sample that is not as it must be."""
    rows = defaultdict(list)
    for result in results:
        rows[result.sample.component].append(result)
    heads = ("faulty", "caught", "named", "wrong", "unnamed", "right", "full", "s/file")
    lines = [f"{'component':32}" + "".join(f"{head:>8}" for head in heads)]
    for component, mine in [*sorted(rows.items()), ("all", results)]:
        faulty = [r for r in mine if r.sample.misconception and r.sample.misconception not in KEEPS_POINTS]
        right = [r for r in mine if not r.sample.misconception or r.sample.misconception in KEEPS_POINTS]
        naming = [r.naming for r in faulty]
        counts = (
            len(faulty), sum(r.right_points for r in faulty), *(naming.count(n) for n in ("right", "wrong", "none")),
            len(right), sum(r.right_points for r in right),
        )  # fmt: skip
        seconds = sum(r.seconds for r in mine) / max(1, len(mine))
        lines.append(f"{component:32}" + "".join(f"{count:8}" for count in counts) + f"{seconds:8.2f}")
    for result in results:
        wants_name = result.sample.misconception and result.sample.misconception not in KEEPS_POINTS
        odd_name = result.naming != "right" if wants_name else (bool(result.named) and not result.sample.misconception)
        if not result.right_points or odd_name:
            lines.append(
                f"  {result.sample.path.name}: earned {result.earned:.2f}, {result.verdict}, named "
                f"{', '.join(result.named) or '-'}; {', '.join(result.failed)[:200]}"
            )
    return "\n".join(lines)


def main() -> int:
    """Run the table; exit 1 when points are not as they must be or a mistake is named wrongly."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--component", default="")
    parser.add_argument("--assignment", default=ASSIGNMENT)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if not options.folder.is_dir():
        print(f"no samples at {options.folder}: skipped")
        return 0
    chosen = [s for s in samples(options.folder) if options.component in {"", s.component}]
    if options.jobs == 1:
        results = [run(sample, options.assignment) for sample in chosen]
    else:
        with ProcessPoolExecutor(options.jobs) as pool:
            results = list(pool.map(partial(run, assignment_id=options.assignment), chosen))
    print(table(results))
    return int(
        not all(r.right_points for r in results) or any(r.naming == "wrong" for r in results if r.sample.misconception)
    )


if __name__ == "__main__":
    sys.exit(main())
