"""Whether a rubric catches the known mistakes and leaves right answers alone.

The subjects are every misconception that is a function (it is handed in as if it were a submission), the project's
sample submissions, and an instructor's own known-good and known-bad files. Nothing is assumed: each is graded as a
student's work is.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from grader import components as catalogue
from grader.assessing.assess import Asking
from grader.blocks.examine import Block
from grader.errors import GraderError
from grader.judging import promised
from grader.judging.function import Function
from grader.judging.grounds import without_ground
from grader.model.assignment import Assignment, Interface, Rubric
from grader.model.outcome import Outcome, Verdict, joined
from grader.model.submission import Submission
from grader.score import score

FAULTY_FOLDERS = ("faulty", "bad", "open", "wrong")
RIGHT_FOLDERS = ("correct", "good", "right")


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing that is graded: its name, its component, and whether it is meant to be faulty.

    ``id`` is the misconception it holds, empty where it is right or unknown.
    """

    name: str
    component: str
    faulty: bool
    id: str = ""


Rehearsal = tuple[Subject, tuple[Outcome, ...]]


@dataclass(frozen=True, slots=True)
class Row:
    """What became of a subject: the checks that failed, the share of points earned, the names given."""

    subject: Subject
    judged: tuple[str, ...]
    failed: tuple[str, ...]
    earned: float
    named: tuple[str, ...]

    @property
    def slips_through(self) -> bool:
        """A faulty subject that keeps all points and is not sent to a person either."""
        return self.subject.faulty and self.earned >= 1.0 and not self.failed

    @property
    def false_alarm(self) -> bool:
        """A right subject that loses points."""
        return not self.subject.faulty and self.earned < 1.0

    @property
    def misnamed(self) -> bool:
        """A faulty subject of a known mistake that was given another name."""
        return bool(self.subject.id and self.named and self.subject.id not in self.named)


@dataclass(frozen=True, slots=True)
class Audit:
    """The detection matrix of one rubric, and what follows from it."""

    assignment: str
    rows: tuple[Row, ...]
    checks: tuple[str, ...]

    @property
    def misses(self) -> tuple[Row, ...]:
        """Mistakes that keep all points."""
        return tuple(row for row in self.rows if row.slips_through)

    @property
    def false_alarms(self) -> tuple[Row, ...]:
        """Right subjects that lose points."""
        return tuple(row for row in self.rows if row.false_alarm)

    @property
    def misnamed(self) -> tuple[Row, ...]:
        """Mistakes that were given another name."""
        return tuple(row for row in self.rows if row.misnamed)

    @property
    def idle_checks(self) -> tuple[str, ...]:
        """Checks that no faulty subject fails: they never decide anything."""
        deciding = {check for row in self.rows if row.subject.faulty for check in row.failed}
        return tuple(check for check in self.checks if check not in deciding)

    @property
    def double_charges(self) -> tuple[tuple[str, str, int], ...]:
        """Pairs of checks that fail for exactly the same mistakes, with how many: points taken twice."""
        by_check = {
            check: frozenset(row.subject.name for row in self.rows if check in row.failed) for check in self.checks
        }
        return tuple(
            (one, other, len(by_check[one]))
            for one, other in combinations(self.checks, 2)
            if one.partition(".")[0] == other.partition(".")[0]
            and len(by_check[one]) > 1
            and by_check[one] == by_check[other]
        )

    @property
    def clean(self) -> bool:
        """Whether nothing slips through and no right subject is blamed."""
        return not self.misses and not self.false_alarms


def audit(
    assignment: Assignment, rubric: Rubric, folders: Sequence[Path], components: Sequence[str], sandbox: Asking
) -> Audit:
    """Grade every subject and return the matrix.

    ``folders`` hold known-good and known-bad submissions; ``components`` are what the rubric judges. Raises
    GraderError.
    """
    rows = [row(subject, found, rubric) for subject, found in rehearsals(assignment, components)]
    for folder in folders:
        rows += _graded(folder, assignment, rubric, components, sandbox)
    return Audit(assignment.id, tuple(rows), _checks(rubric, rows))


def _checks(rubric: Rubric, rows: Sequence[Row]) -> tuple[str, ...]:
    """The rubric's checks that were judged for some subject."""
    judged = {check for row in rows for check in row.judged}
    return tuple(check.id for criterion in rubric.criteria for check in criterion.checks if check.id in judged)


def rehearsals(assignment: Assignment, names: Sequence[str]) -> Iterable[Rehearsal]:
    """Yield every misconception that the hand-out's domain can show, and the oracle itself, with their outcomes."""
    for name in names:
        interface = assignment.interface(name)
        declared = interface.conventions.get("form")
        for form in (declared,) if declared else sorted(catalogue.forms_of(interface)):
            yield from _PLAYED[form](catalogue.of(interface, form), interface)


def _of_function(component: Function, interface: Interface) -> Iterable[Rehearsal]:
    """The oracle as a submission, and each mistake that the hand-out's domain can show."""
    from grader.auditing.rehearsal import as_submitted, rehearse

    name, full = interface.component, replace(interface, domain={}, parameters=(), returns=())
    narrowed = full != interface
    whole = catalogue.function_for(full).under(full)
    functions_in_full = partial(as_submitted, whole, full)
    yield (
        Subject("the reference", name, faulty=False),
        rehearse(component, as_submitted(component, interface), interface),
    )
    asked = [
        case.inputs for case in promised.cases(component, component.ladder, np.random.default_rng(0), interface.domain)
    ]
    for misconception in component.misconceptions:
        if misconception.applies is not None and not misconception.applies(asked):
            continue  # with what this hand-out asks, it is another mistake
        if wrong := misconception.by_target(component.target):
            found = rehearse(component, as_submitted(component, interface, wrong), interface)
            if narrowed and _all_passed(found) and not _all_passed(rehearse(whole, functions_in_full(wrong), full)):
                continue  # this hand-out gives no input that shows it: here it is no mistake
            yield Subject(misconception.id, name, faulty=True, id=misconception.id), found


def _of_block(block: Block, interface: Interface) -> Iterable[Rehearsal]:
    """The block's own numpy as a module, right and with each mistake of its own; a part's are tried on the part.

    Nothing where a block is judged by training it, which a rehearsal cannot do: the sample submissions stand for it.
    """
    from grader.auditing.manners import bad_manners
    from grader.auditing.modules import mistakes, rehearse

    if block.trained:
        return
    yield Subject("the reference", block.name, faulty=False), rehearse(block, None, interface)
    sizes = [one for one in block.constructor if one not in {"eps", "dropout"}]
    sizes_alone = Interface(block.name, block.target, conventions={"form": "class", "constructor": sizes})
    for fault in (fault for fault in mistakes(block) if fault.component == block.name):
        found = rehearse(block, fault, interface)
        if _all_passed(found) and not all(_all_passed(rehearse(block, fault, one)) for one in (None, sizes_alone)):
            continue  # as this course has it nothing shows it: here it is no mistake
        yield Subject(fault.id, block.name, faulty=True, id=fault.id), found
    for name, fault in bad_manners(block, block.asked(interface)):
        said = f"a module that {fault.knobs['manner']}"
        yield Subject(said, block.name, faulty=True, id=name), rehearse(block, fault, interface)


_PLAYED: Mapping[str, Callable[[Any, Interface], Iterable[Rehearsal]]] = {
    "function": _of_function,
    "class": _of_block,
    "work": lambda *_: (),
}
"""How the known mistakes of a component are handed in, by the form in which it is."""


def _all_passed(outcomes: Sequence[Outcome]) -> bool:
    return all(outcome.verdict is Verdict.PASSED for outcome in outcomes)


def _graded(
    folder: Path, assignment: Assignment, rubric: Rubric, names: Sequence[str], sandbox: Asking
) -> Iterable[Row]:
    """Every known file, graded for the components that it defines."""
    from grader.assessing.assess import assess
    from grader.intake.loading import load

    for path, faulty in known_files(folder):
        submission = load(path)
        known, component = _header(submission)
        chosen = [name for name in ((component,) if component else defined(submission, assignment)) if name in names]
        for name in chosen:
            found = assess(submission, assignment, (name,), 0, sandbox)
            outcomes = without_ground(found.outcomes, rubric.checks, {*filter(catalogue.is_own, (name,))})
            yield row(Subject(path.name, name, faulty, known), outcomes, rubric)


_HEADER = re.compile(r"#\s*(?:misconception:\s*(?P<id>\S+)\s+)?.*?component:\s*(?P<component>\w+)")


def _header(submission: Submission) -> tuple[str, str]:
    """The misconception and the component that a sample's first line names, where it does."""
    first = submission.modules[0].source.split("\n", 1)[0] if submission.modules else ""
    found = _HEADER.match(first)
    return (found["id"] or "", found["component"]) if found else ("", "")


def row(subject: Subject, outcomes: Sequence[Outcome], rubric: Rubric) -> Row:
    """Score the subject's outcomes under the criteria of its component only."""
    marks = [mark for mark in score(rubric, outcomes) if mark.outcomes]
    possible = sum((mark.criterion.points for mark in marks), Decimal(0))
    earned = sum((mark.points + mark.pending for mark in marks), Decimal(0))
    bad = [outcome for outcome in outcomes if outcome.verdict not in {Verdict.PASSED, Verdict.SKIPPED}]
    first = next((outcome.diagnosis for outcome in bad if outcome.diagnosis), None)
    return Row(
        subject,
        tuple(outcome.check for outcome in outcomes),
        tuple(outcome.check for outcome in bad),
        float(earned / possible) if possible else 1.0,
        (first.id, *map(joined, first.family)) if first else (),
    )


def known_files(folder: Path) -> Iterable[tuple[Path, bool]]:
    """Files in the folder's known-good and known-bad subfolders, with whether each is meant to be faulty.

    Raises GraderError where the folder has neither.
    """
    found = [
        (path, faulty)
        for names, faulty in ((RIGHT_FOLDERS, False), (FAULTY_FOLDERS, True))
        for name in names
        for path in sorted((folder / name).glob("*"))
        if path.suffix in {".py", ".ipynb", ".zip"} or path.is_dir()
    ]
    if not found:
        raise GraderError(
            "no known-good or known-bad submissions found",
            str(folder),
            "Put right ones into correct/ and wrong ones into faulty/.",
        )
    return found


def defined(submission: Submission, assignment: Assignment) -> tuple[str, ...]:
    """Components of the assignment that the submission defines a callable for, by its syntax tree."""
    from grader import source

    present = {name for module in submission.modules for name in source.defined_names(module)}
    return tuple(
        interface.component
        for interface in assignment.interfaces
        if present & {interface.callable, *interface.aliases, *interface.names.values()}
    )


def matrix(audit: Audit) -> Mapping[str, Mapping[str, bool]]:
    """Mistake by check: whether the check fails for it."""
    return {
        f"{row.subject.component}: {row.subject.name}": {check: check in row.failed for check in audit.checks}
        for row in audit.rows
        if row.subject.faulty
    }
