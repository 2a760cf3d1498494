"""Scores are exact, and a pure function of rubric and outcomes."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.model.assignment import Criterion, Rubric, RubricCheck
from grader.model.outcome import Outcome, Verdict
from grader.score import score, select

FINAL = [verdict for verdict in Verdict if verdict is not Verdict.UNREADABLE]


def criterion(name: str, points: str, *checks: str | RubricCheck, **fields: object) -> Criterion:
    built = tuple(RubricCheck(check) if isinstance(check, str) else check for check in checks)
    return Criterion(name, name.title(), Decimal(points), built, **fields)  # type: ignore[arg-type]


def rubric(*criteria: Criterion) -> Rubric:
    return Rubric("r", "a", "1", "R", criteria)


def outcome(check: str, verdict: Verdict, passed: int = 0, asked: int = 4) -> Outcome:
    return Outcome(check, check.partition(".")[0], f"Title of {check}.", verdict, passed, asked)


def passed(*checks: str) -> list[Outcome]:
    return [outcome(check, Verdict.PASSED, 4) for check in checks]


def test_thirds_add_up_to_the_points() -> None:
    third = rubric(criterion("c", "10", "c.x", "c.y", "c.z"))
    (two,) = score(third, [*passed("c.x", "c.y"), outcome("c.z", Verdict.FAILED)])
    (one,) = score(third, [*passed("c.z"), outcome("c.x", Verdict.FAILED), outcome("c.y", Verdict.FAILED)])
    assert (two.points, one.points) == (Decimal("6.67"), Decimal("3.33"))
    assert two.points + one.points == 10
    assert score(third, passed("c.x", "c.y", "c.z"))[0].points == 10


def test_all_or_nothing_gives_nothing_for_all_but_one() -> None:
    every = rubric(criterion("c", "4", "c.x", "c.y", credit="all"))
    assert score(every, [*passed("c.x"), outcome("c.y", Verdict.FAILED, 3)])[0].points == 0
    assert score(every, passed("c.x", "c.y"))[0].points == 4


def test_steps_ignore_the_cases_and_cases_count_them() -> None:
    outcomes = [outcome("c.x", Verdict.FAILED, 3, 4)]
    assert score(rubric(criterion("c", "4", "c.x")), outcomes)[0].points == 0
    assert score(rubric(criterion("c", "4", "c.x", credit="cases")), outcomes)[0].points == 3


def test_a_failed_check_is_never_worth_all_of_its_points() -> None:
    nearly = [outcome("c.x", Verdict.FAILED, 9_999, 10_000)]
    assert score(rubric(criterion("c", "1", "c.x", credit="cases")), nearly)[0].points == Decimal("0.99")


def test_weights_share_the_points() -> None:
    weighted = criterion("c", "9", RubricCheck("c.x", Decimal(2)), "c.y")
    assert score(rubric(weighted), [*passed("c.x"), outcome("c.y", Verdict.FAILED)])[0].points == 6


def test_a_check_behind_a_failed_prerequisite_is_skipped_and_says_why() -> None:
    chained = criterion("c", "4", "c.x", RubricCheck("c.y", requires=("c.x",)))
    (mark,) = score(rubric(chained), [outcome("c.x", Verdict.FAILED), *passed("c.y")])
    assert [found.verdict for found in mark.outcomes] == [Verdict.FAILED, Verdict.SKIPPED]
    assert mark.outcomes[1].message == "because this did not pass: “Title of c.x”."
    assert mark.points == 0


def test_a_chain_of_prerequisites_skips_to_its_end() -> None:
    chain = criterion("c", "3", RubricCheck("c.z", requires=("c.y",)), RubricCheck("c.y", requires=("c.x",)), "c.x")
    (mark,) = score(rubric(chain), [outcome("c.x", Verdict.ERROR), *passed("c.y", "c.z")])
    assert [found.verdict for found in mark.outcomes] == [Verdict.SKIPPED, Verdict.SKIPPED, Verdict.ERROR]


def test_a_check_behind_an_undecided_prerequisite_waits() -> None:
    chained = criterion("c", "4", "c.x", RubricCheck("c.y", requires=("c.x",)))
    (mark,) = score(rubric(chained), [outcome("c.x", Verdict.UNDETERMINED), *passed("c.y")])
    assert (mark.verdict, mark.points, mark.pending) == (Verdict.UNDETERMINED, 0, 4)


def test_a_criterion_behind_a_lost_one_is_skipped() -> None:
    two = rubric(criterion("first", "2", "c.x"), criterion("second", "3", "c.y", requires=("first",)))
    marks = score(two, [outcome("c.x", Verdict.TIMEOUT), *passed("c.y")])
    assert [mark.verdict for mark in marks] == [Verdict.FAILED, Verdict.SKIPPED]
    assert marks[1].reason == "Not judged because this lost points: “First”."
    assert sum(mark.points for mark in marks) == 0


def test_a_criterion_behind_an_undecided_one_waits() -> None:
    two = rubric(criterion("first", "2", "c.x"), criterion("second", "3", "c.y", requires=("first",)))
    marks = score(two, [outcome("c.x", Verdict.FAULT), *passed("c.y")])
    assert [(mark.points, mark.pending) for mark in marks] == [(0, 2), (0, 3)]


def test_a_component_that_did_not_run_is_our_fault_and_costs_nothing_yet() -> None:
    (mark,) = score(rubric(criterion("c", "4", "c.x", "d.y")), passed("c.x"))
    assert (mark.verdict, mark.points, mark.pending) == (Verdict.FAULT, 2, 2)
    (mark,) = score(rubric(criterion("c", "4", "c.x", "c.y")), [])
    assert (mark.verdict, mark.points, mark.pending) == (Verdict.FAULT, 0, 4)


def test_a_check_that_does_not_apply_leaves_its_points_to_the_others() -> None:
    (mark,) = score(rubric(criterion("c", "4", "c.x", "c.y", "c.z")), [*passed("c.x"), outcome("c.z", Verdict.FAILED)])
    assert (mark.points, mark.pending) == (2, 0)
    assert [check.id for check in mark.criterion.checks] == ["c.x", "c.z"]


def test_a_missing_function_is_missing_and_not_merely_failed() -> None:
    (mark,) = score(rubric(criterion("c", "4", "c.x", "c.y")), [outcome(n, Verdict.MISSING) for n in ("c.x", "c.y")])
    assert mark.verdict is Verdict.MISSING


def test_requirements_in_a_circle_are_refused() -> None:
    circle = criterion("c", "1", RubricCheck("c.x", requires=("c.y",)), RubricCheck("c.y", requires=("c.x",)))
    with pytest.raises(ValueError, match="circle"):
        score(rubric(circle), passed("c.x", "c.y"))


def test_a_selection_keeps_the_points_of_its_own_checks() -> None:
    both = rubric(
        criterion("mixed", "10", "a.x", "b.x", "b.y"),
        criterion("other", "5", RubricCheck("a.z", requires=("b.x",)), requires=("mixed",)),
        criterion("gone", "5", "b.z"),
    )
    kept = select(both, ["a"])
    assert [(c.id, c.points, [check.id for check in c.checks]) for c in kept.criteria] == [
        ("mixed", Decimal("3.34"), ["a.x"]),
        ("other", 5, ["a.z"]),
    ]
    assert kept.criteria[1].checks[0].requires == ()
    assert select(both, []) == both


# ------------------------------------------------------------------------------------- what must hold for all


def numbers(places: int, least: str, most: str) -> st.SearchStrategy[Decimal]:
    """Decimals of so many places, built from whole numbers: hypothesis takes ten times as long for its own."""
    one = Decimal(10) ** -places
    return st.integers(int(Decimal(least) / one), int(Decimal(most) / one)).map(lambda count: count * one)


@st.composite
def graded(draw: st.DrawFn) -> tuple[Rubric, list[Outcome]]:
    """A rubric whose requirements point backwards, and an outcome for nearly every check."""
    criteria: list[Criterion] = []
    names: list[str] = []
    for number in range(draw(st.integers(1, 4))):
        checks = []
        for index in range(draw(st.integers(1, 5))):
            before = tuple(draw(st.lists(st.sampled_from(names), max_size=2, unique=True))) if names else ()
            weight = draw(numbers(2, "0.1", "9")) if index else Decimal(1)
            names.append(f"c{number}.k{index}")
            checks.append(RubricCheck(names[-1], weight, requires=before))
        ids = [earlier.id for earlier in criteria]
        criteria.append(
            Criterion(
                f"c{number}",
                "T",
                draw(numbers(draw(st.sampled_from([0, 1, 2, 4])), "0", "50")),
                tuple(checks),
                draw(st.sampled_from(["all", "steps", "cases"])),
                tuple(draw(st.lists(st.sampled_from(ids), max_size=1))) if ids else (),
                draw(st.booleans()),
            )
        )
    outcomes = []
    for name in names:
        asked = draw(st.integers(1, 7))
        outcomes.append(outcome(name, draw(st.sampled_from(FINAL)), draw(st.integers(0, asked)), asked))
    return rubric(*criteria), outcomes


@given(graded())
def test_points_stay_within_bounds_and_have_four_places_at_most(case: tuple[Rubric, list[Outcome]]) -> None:
    for mark in score(*case):
        assert mark.points >= 0
        assert mark.pending >= 0
        assert mark.points + mark.pending <= mark.criterion.points
        assert mark.points == mark.points.quantize(Decimal("0.0001"))
        assert mark.pending == mark.pending.quantize(Decimal("0.0001"))


@given(graded())
def test_everything_passed_is_full_marks(case: tuple[Rubric, list[Outcome]]) -> None:
    full, outcomes = case
    marks = score(full, [replace(found, verdict=Verdict.PASSED) for found in outcomes])
    assert [mark.points for mark in marks] == [mark.criterion.points for mark in marks]
    assert {mark.verdict for mark in marks} == {Verdict.PASSED}


@given(graded(), st.data())
def test_passing_one_more_check_never_lowers_the_score(case: tuple[Rubric, list[Outcome]], data: st.DataObject) -> None:
    full, outcomes = case
    index = data.draw(st.integers(0, len(outcomes) - 1))
    better = [*outcomes]
    better[index] = replace(outcomes[index], verdict=Verdict.PASSED, passed=outcomes[index].asked)
    before, after = score(full, outcomes), score(full, better)
    assert sum(mark.points for mark in after) >= sum(mark.points for mark in before)


@given(graded(), st.data())
def test_provoking_a_fault_gains_nothing(case: tuple[Rubric, list[Outcome]], data: st.DataObject) -> None:
    full, outcomes = case
    index = data.draw(st.integers(0, len(outcomes) - 1))
    provoked = [*outcomes]
    provoked[index] = replace(
        outcomes[index], verdict=data.draw(st.sampled_from([Verdict.FAULT, Verdict.UNDETERMINED]))
    )
    failing = [*outcomes]
    failing[index] = replace(outcomes[index], verdict=Verdict.FAILED, passed=0)
    given_now = sum(mark.points for mark in score(full, provoked))
    assert given_now <= sum(mark.points for mark in score(full, failing))


@given(graded(), st.randoms())
def test_the_order_of_outcomes_changes_nothing(case: tuple[Rubric, list[Outcome]], random: object) -> None:
    full, outcomes = case
    shuffled = [*outcomes]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert score(full, outcomes) == score(full, shuffled)
