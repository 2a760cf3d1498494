"""The ledger: what the grader finds in everything that is known, a line of JSON an outcome.

It is the net under a change of the engine: where nothing was meant to change, no line does. Its subjects are every
rehearsal (a known mistake, handed in by the grader's own numpy), every hand-in and sample of the repository, and the
collections of formulas. ``make ledger`` renews the files beside this one; read the difference before you commit it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from grader.auditing.audit import Rehearsal, Subject, _header, known_files, rehearsals
from grader.catalog import assignment_file, load_assignment, load_rubric, rubric_beside
from grader.model.outcome import Outcome, Verdict
from grader.model.report import Settings
from tests import corpus

HERE = Path(__file__).parent
TESTS = HERE.parent
BUNDLED = assignment_file(corpus.ASSIGNMENT).parent / "samples"
CODE = ("attention-numpy", "attention-mechanics", "transformer-from-scratch")
PARTS = 8
"""How many files hold the bundled samples."""


def lines(subject: str, outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Return a line for each outcome that is no plain pass, and one that counts those that are, with their cases."""
    passed = [outcome for outcome in outcomes if outcome.verdict is Verdict.PASSED]
    cases = sum(outcome.asked for outcome in passed)
    yield json.dumps({"subject": subject, "passed": len(passed), "cases": cases}, ensure_ascii=False)
    for outcome in (outcome for outcome in outcomes if outcome.verdict is not Verdict.PASSED):
        diagnosis = outcome.diagnosis
        told: dict[str, Any] = {
            "check": outcome.check,
            "verdict": str(outcome.verdict),
            "passed": outcome.passed,
            "asked": outcome.asked,
            "ids": [*diagnosis.ids] if diagnosis else [],
            "by": diagnosis.by.name.lower() if diagnosis and diagnosis.by else "",
            "reason": str(outcome.reason),
        }
        yield json.dumps({name: value for name, value in told.items() if value}, ensure_ascii=False)


def told(played: Iterable[Rehearsal]) -> list[str]:
    """Return the lines of what was played."""
    return [line for subject, outcomes in played for line in lines(subject.name, outcomes)]


def kept(name: str) -> list[str]:
    """Return the lines of a file of the ledger."""
    return (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()


def asked() -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the pairs of assignment and component whose rehearsals each file holds.

    What several assignments ask for in the same way is rehearsed once: other names and forbidden calls change nothing.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for assignment_id in CODE:
        for one in load_assignment(assignment_id).interfaces:
            alike = repr(replace(one, aliases=(), forbidden=()))
            found.setdefault(alike, []).append((assignment_id, one.component))
    return {".".join(pairs[0]): tuple(pairs) for pairs in found.values()}


def rehearsed(assignment_id: str, component: str) -> Iterator[Rehearsal]:
    """Every known mistake of a component, handed in by the grader itself under one assignment."""
    with np.errstate(all="ignore"):
        yield from rehearsals(load_assignment(assignment_id), (component,))


def handed_in(assignment_id: str) -> Iterator[Rehearsal]:
    """Every hand-in of the repository to an assignment, graded by its own rubric."""
    from grader.intake.loading import load
    from grader.pipeline import grade, prepared
    from grader.sandbox.parent import Sandbox
    from grader.score import select
    from tests.styles.test_right_styles import expectation, laid_out

    assignment = load_assignment(assignment_id)
    whole = load_rubric(rubric_beside(assignment_id), assignment)
    with Sandbox(level="auto", torch=assignment.needs_torch) as sandbox, tempfile.TemporaryDirectory() as scratch:
        for case in sorted(path for path in (TESTS / "submissions" / assignment_id).iterdir() if _is_hand_in(path)):
            expected = expectation(case)
            chosen = tuple(expected.get("components", ()))
            place = Path(scratch, case.name)
            place.mkdir()
            path = laid_out(case, expected, place) if (case / "expected.yaml").exists() else case
            settings = Settings(assignment, select(whole, chosen), "auto", 0, chosen)
            report = grade(prepared(load(path), assignment), settings, sandbox)
            yield Subject(case.name, "", faulty=False), [outcome for mark in report.marks for outcome in mark.outcomes]


def _is_hand_in(path: Path) -> bool:
    """Whether a folder is one hand-in, and no collection of files."""
    return (path / "expected.yaml").exists() or any(path.glob("*.ipynb"))


def sampled(folder: Path, part: int, parts: int) -> Iterator[Rehearsal]:
    """Every ``parts``-th sample file of a folder, right and wrong, graded for the component that it names."""
    from grader.intake.loading import load
    from grader.pipeline import grade
    from grader.sandbox.parent import Sandbox
    from grader.score import select

    assignment = load_assignment(corpus.ASSIGNMENT)
    whole = load_rubric(rubric_beside(corpus.ASSIGNMENT), assignment)
    with Sandbox(level="auto", torch=True) as sandbox:
        for path, faulty in sorted(known_files(folder))[part::parts]:
            mistake, component = _header(load(path))
            settings = Settings(assignment, select(whole, (component,)), "auto", 0, (component,))
            report = grade(corpus.submission(corpus.Sample(path, component, mistake)), settings, sandbox)
            outcomes = [outcome for mark in report.marks for outcome in mark.outcomes]
            yield Subject(path.stem, component, faulty, mistake), outcomes


def formulas(name: str, start: int = 0, end: int | None = None) -> Iterator[str]:
    """The formulas of a collection, from one number to another."""
    from grader.written.formula.judge import examine
    from tests.written.test_formula_collections import collection

    for number, (kind, right, source) in [*enumerate(collection(name))][start:end]:
        found = examine(kind, source)
        told = {"subject": f"{name} {number}", "right": right, "verdict": found.verdict, "slip": found.slip}
        yield json.dumps({key: value for key, value in told.items() if value})


def played() -> dict[str, Callable[[], Iterable[Rehearsal]]]:
    """Return what each file of outcomes holds."""
    found: dict[str, Callable[[], Iterable[Rehearsal]]] = {}
    for name, pairs in asked().items():
        found[name] = partial(rehearsed, *pairs[0])
    for folder in sorted(path for path in (TESTS / "submissions").glob("*/") if not path.name.startswith("_")):
        found[f"handed_in.{folder.name}"] = partial(handed_in, folder.name)
    for part in range(PARTS):
        found[f"samples.{part}"] = partial(sampled, BUNDLED, part, PARTS)
    found["samples.own"] = partial(sampled, TESTS / "samples", 0, 1)
    return found


def renewed(name: str) -> list[str]:
    """Return the lines that a file would have today."""
    if name == "formulas":
        from tests.written.test_formula_collections import NAMES

        return [line for collection in NAMES for line in formulas(collection)]
    return told(played()[name]())


def _renew(name: str) -> None:
    (HERE / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in renewed(name)), encoding="utf-8")


if __name__ == "__main__":
    every = ("formulas", *played())
    if unknown := set(sys.argv[1:]) - set(every):
        sys.exit(f"no file of the ledger: {' '.join(sorted(unknown))}. There are: {' '.join(every)}")
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(_renew, sys.argv[1:] or every))
