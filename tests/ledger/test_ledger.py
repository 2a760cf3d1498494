"""Nothing that the grader finds in what is known changes unseen, and all of it is caught, shown, named and paid for.

What is known is played once; everything that must hold of it is looked at in what came of that.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

import pytest

from grader import components
from grader.auditing.audit import Audit, Rehearsal, row
from grader.catalog import load_assignment, load_rubric, rubric_beside
from grader.model.assignment import Assignment, Rubric
from grader.model.outcome import Verdict
from tests import corpus
from tests.ledger import entries, severity

REHEARSED = entries.asked()
QUICK = {"attention-mechanics.causal_mask", "attention-mechanics.padding_mask"}
SAMPLED = [name for name in entries.played() if name.startswith("samples.")]
WHOLE = ("attention-mechanics", "transformer-from-scratch")
"""The assignments whose domain shows every slip that an order names."""
IN_STYLES = {"handed_in.attention-mechanics", "handed_in.attention-numpy", "handed_in.transformer-from-scratch"}
"""What tests/styles compares where it grades it anyway."""


def test_every_file_of_the_ledger_is_compared() -> None:
    files = {path.stem for path in entries.HERE.glob("*.jsonl")}
    assert files == {"formulas", *entries.played()}
    assert {name for name in files if name.startswith("handed_in.")} == {*IN_STYLES, "handed_in.attention-week"}


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.timeout(900)
def test_the_bundled_hand_ins_of_a_week_are_graded_as_the_ledger_says() -> None:
    name = "handed_in.attention-week"
    assert entries.renewed(name) == entries.kept(name)


@cache
def set_by(assignment_id: str) -> tuple[Assignment, Rubric]:
    assignment = load_assignment(assignment_id)
    return assignment, load_rubric(rubric_beside(assignment_id), assignment)


def not_shown(played: Sequence[Rehearsal]) -> list[tuple[str, str]]:
    """What failed without an example, or with one in which what is expected and what came look alike."""
    lost = [(one.name, outcome) for one, found in played for outcome in found if outcome.verdict is not Verdict.PASSED]
    return [
        (name, outcome.check)
        for name, outcome in lost
        if ((example := outcome.counterexample) is None and outcome.verdict is Verdict.FAILED)
        or (example is not None and example.expected == example.got)
    ]


def audited(assignment_id: str, played: Sequence[Rehearsal]) -> dict[str, list[str]]:
    """What an audit of the assignment's own rubric would complain of."""
    rubric = set_by(assignment_id)[1]
    rows = [row(subject, outcomes, rubric) for subject, outcomes in played]
    found = Audit(assignment_id, tuple(rows), ())
    said = {"misses": found.misses, "false alarms": found.false_alarms, "misnamed": found.misnamed}
    said["unnamed"] = tuple(one for one in rows if one.subject.id and one.subject.id not in one.named)
    return {kind: [one.subject.name for one in told] for kind, told in said.items() if told}


def idle(played: Sequence[Rehearsal]) -> set[str]:
    """Checks that the transformer's rubric asks for here and that nothing known fails, here or elsewhere."""
    files = [name for name, pairs in REHEARSED.items() if corpus.ASSIGNMENT in dict(pairs)] + SAMPLED
    told = [json.loads(line) for name in files for line in entries.kept(name)]
    deciding = {one["check"] for one in told if one.get("verdict", "skipped") != "skipped"}
    judged = {outcome.check for _, outcomes in played for outcome in outcomes}
    rubric = set_by(corpus.ASSIGNMENT)[1]
    return {check.id for criterion in rubric.criteria for check in criterion.checks if check.id in judged} - deciding


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in REHEARSED]
)
def test_every_known_mistake_is_told_shown_and_paid_for_as_the_ledger_says(name: str) -> None:
    played = [*entries.played()[name]()]
    assert entries.told(played) == entries.kept(name)
    for assignment_id, component in REHEARSED[name]:
        assignment, rubric = set_by(assignment_id)
        assert audited(assignment_id, played) == {}
        assert not_shown(severity.by_form(assignment, component, played).get("function", ())) == []
        if assignment_id in WHOLE:
            assert severity.too_cheap(assignment, rubric, component, played) == []
    if corpus.ASSIGNMENT in dict(REHEARSED[name]):
        assert idle(played) == set()


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", SAMPLED)
def test_every_sample_is_caught_and_named_as_the_ledger_says(name: str) -> None:
    played = [*entries.played()[name]()]
    assert entries.told(played) == entries.kept(name)
    strict = [one for one in played if one[0].id not in corpus.KEEPS_POINTS]
    assert audited(corpus.ASSIGNMENT, strict) == {}
    assert idle(played) == set()


def test_every_component_that_can_be_compared_has_an_order() -> None:
    compared = {component for component, _ in severity.ORDERS}
    alone = {
        "integrity",
        "copy_task",
        "weight_tying",
        "teacher_forcing",
        "learned_positional_encoding",
        "language_model",
    }
    assert compared | alone == set(components.names())
