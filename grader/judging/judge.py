"""Ask, judge and diagnose one function component.

:func:`examine` is a generator: it yields programs for the child and receives their replies, so that all components
of a submission share one child a round. It ends with the component's outcomes.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from grader.component import Answered, Case, Check, Component, Evidence, Found, live
from grader.judging import diagnose, grounds, promised, relations, smaller, wording
from grader.judging.asking import ask, ask_calls
from grader.judging.context import Context, Rounds
from grader.judging.examples import (
    called,
    counterexample,
    drawn,
    shown,
    shown_after,
    smaller_where_possible,
    with_examples,
)
from grader.judging.outcomes import PASSED, finding, of_call, of_check
from grader.judging.prediction import remembering
from grader.judging.questions import Key, Plan, Question, planned, questions_of
from grader.model import Diagnosis, Outcome, Reason, Verdict
from grader.properties import Comparison, as_array
from grader.sandbox.parent import Program, Reply

_LOST = Verdict.FAILED
_UNEXPLAINED = frozenset({Verdict.PASSED, Verdict.FAULT})
"""What no mistake of the student's explains."""


def examine(component: Component, context: Context) -> Rounds:
    """Judge every check of ``component``; two rounds at most beyond a retry by keyword."""
    outcomes = yield from _examined(component, context)
    if not component.random:
        outcomes = yield from smaller_where_possible(
            _exemplified(component, context, outcomes), outcomes, component.name
        )
    return tuple(drawn(component, outcome, context) for outcome in outcomes) if component.picture else outcomes


def _exemplified(component: Component, context: Context, outcomes: tuple[Outcome, ...]) -> Rounds:
    """The outcomes with a smaller example for each cause, where smaller inputs with shorter numbers fail as well."""
    checks = {f"{component.name}.{check.name}": check for check in component.checks}
    kept = dict.fromkeys(one.check for one in outcomes)
    causes: dict[tuple[str, ...], list[Outcome]] = {}
    for one in outcomes:
        judged = one.verdict in {Verdict.FAILED, Verdict.ERROR} and one.reason is Reason.JUDGED
        if judged and one.check in context.failing and not _stateful(one):
            causes.setdefault(one.diagnosis.ids if one.diagnosis else (one.check,), []).append(one)
    found: dict[str, Outcome] = {}
    for alike in causes.values():
        least = min(alike, key=lambda one: smaller.size_of(context.failing[one.check].case.inputs))
        case = context.failing[least.check].case
        if not (case.hidden or case.fixed or smaller.is_plain(case.inputs)):
            found[least.check] = yield from _smallest(component, checks[least.check], least, context)
    return tuple(found.get(check, one) for check, one in zip(kept, outcomes, strict=True))


def _stateful(outcome: Outcome) -> bool:
    return outcome.diagnosis is not None and (outcome.diagnosis.id in relations.KEPT or bool(outcome.notes))


def _smallest(
    component: Component, check: Check, outcome: Outcome, context: Context
) -> Generator[Sequence[Program], Sequence[Reply], Outcome]:
    """The outcome with the smallest version of its case that fails in the same way."""
    before = context.failing[outcome.check]
    case = before.case
    asked: list[tuple[Case, list[Question]]] = []
    for inputs in smaller.versions(case.inputs):
        version = replace(case, inputs=inputs, why=f"{case.why}, made smaller", fixed=True)
        if _has_an_answer(component, version):
            questions = questions_of(check, version, component, context.interface.domain)
            asked += [(version, questions)] if questions else []
    answered = yield from ask(component, context, [q for _, qs in asked for q in qs], {})
    for version, questions in asked:
        answers = [answered[question.key] for question in questions]
        with np.errstate(all="ignore"):
            try:
                if _judge(component, check, version, [grounds.right(component, a) for a in answers])[0] is _LOST:
                    continue  # too small for the judge
                verdict, compared, told = _judge(component, check, version, answers)
            except (ValueError, IndexError, TypeError, ArithmeticError):
                continue
            if verdict is outcome.verdict and _kind(told[0]) == _kind(before):
                found = _finding(component, version, verdict, compared, told, context)
                return replace(
                    outcome, message=found.message, location=found.location, counterexample=found.counterexample
                )
    return outcome


def _kind(answer: Answered) -> str:
    return "" if answer.status == "value" or answer.failure is None else answer.failure.type


def _has_an_answer(component: Component, case: Case) -> bool:
    """Whether the right answer to a case is numbers: cut too far, some have none."""
    with np.errstate(all="ignore"):
        try:
            right = component.oracle(case.target)(**live(case.inputs))
        except Exception:  # noqa: BLE001 - what it raises says that nothing is to be asked
            return False
    parts = [as_array(part) for part in (right if isinstance(right, tuple | list) else (right,))]
    return all(part is None or part.dtype.kind not in "fc" or np.isfinite(part).all() for part in parts)


def _examined(component: Component, context: Context) -> Rounds:
    plan = planned(component, context.interface.domain, context.seed)
    checks = tuple(check for check in component.checks if check.name in plan)
    answered = yield from ask(component, context, [q for asked in plan.values() for _, qs in asked for q in qs], {})
    outcomes = tuple(_outcome(component, check, plan, answered, context) for check in checks)
    if all(outcome.verdict in _UNEXPLAINED for outcome in outcomes):
        return outcomes
    if grounds.unwritten(tuple(answered.values())):
        return grounds.told_unwritten(outcomes)
    if grounds.returns_nothing(tuple(answered.values())):
        return grounds.told_of_all(outcomes, grounds.NOTHING)
    if kind := grounds.other_kind(component, tuple(answered.values())):
        wanted = _values_asked(component, context)
        return grounds.told_of_all(outcomes, f"returned {kind} in every call; expected {wanted}")
    explained = partial(_explained, component, context, plan, answered, outcomes)
    while (left := context.left_open(outcomes, explained)) is None:
        yield ()
    return outcomes if left else (yield from explained())


def _values_asked(component: Component, context: Context) -> str:
    """What the hand-out's function returns, in words."""
    asked = context.interface.returns or component.returns
    return f"the values themselves: return {', '.join(asked)}" if len(asked) > 1 else "the value itself"


def _explained(
    component: Component, context: Context, plan: Plan, answered: Mapping[Key, Answered], outcomes: tuple[Outcome, ...]
) -> Rounds:
    """Say which mistake it is, and judge again where it is a convention that the student keeps."""
    answers = tuple(answered.values())
    failed = frozenset(outcome.check.partition(".")[2] for outcome in outcomes if outcome.verdict is not Verdict.PASSED)
    domain = context.interface.domain
    evidence = Evidence(answers, failed, context.submission.modules, context.function, domain)
    found = yield from diagnose.explain(component, evidence, lambda calls: ask_calls(component, context, calls))
    if grounds.idle(component, answers):
        outcomes = grounds.told_idle(outcomes)
    elif any(grounds.idle(component, answers, place) for place in _returned(component, context)):
        constant = {key: grounds.constant(component, answer) for key, answer in answered.items()}
        outcomes = tuple(
            _unearned(component, check, plan[check.name], constant, outcome)
            for check, outcome in zip((c for c in component.checks if c.name in plan), outcomes, strict=True)
        )
    outcomes = with_examples(outcomes)
    if found is None:
        return outcomes
    outcomes = _attach(outcomes, found)
    if found.id in relations.KEPT and (kept := relations.kept_from(component, answers)) is not None:
        outcomes = shown_after(component, context, outcomes, *kept)
    reading = _reading_of(component, found)
    if reading:
        outcomes = yield from _reread(component, context, plan, outcomes, reading, found)
    return outcomes


def _returned(component: Component, context: Context) -> list[int]:
    """The places of the values that the hand-out has returned."""
    asked = context.interface.returns or component.returns
    return [place for place, name in enumerate(component.returns) if name in asked]


def _outcome(
    component: Component, check: Check, plan: Plan, answered: Mapping[Key, Answered], context: Context
) -> Outcome:
    """The outcome of a check of ``plan``."""
    found = partial(_found, component, check, plan[check.name], answered, context)
    return of_check(found, component.name, check)


def _found(
    component: Component,
    check: Check,
    asked: Sequence[tuple[Case, Sequence[Question]]],
    answered: Mapping[Key, Answered],
    context: Context,
) -> Outcome:
    passed, first = 0, None
    failing: list[tuple[Case, Answered]] = []
    with np.errstate(all="ignore"):  # a student's NaN and infinities are findings, not our warnings
        for case, questions in asked:
            answers = [answered[question.key] for question in questions]
            verdict, found, told = _judge(component, check, case, answers)
            if verdict is Verdict.PASSED:
                passed += 1
                continue
            if verdict in {Verdict.FAILED, Verdict.ERROR}:
                failing.append((case, told[0]))
            if first is None or (first[0].hidden and not case.hidden):
                first = (case, verdict, found, told)
    if first is None:
        return replace(PASSED, passed=passed, asked=len(asked))
    case, _, _, told = first
    name = f"{component.name}.{check.name}"
    context.failing[name] = replace(told[0], case=case)
    if component.picture is not None:
        every = tuple(answered.values())
        open_ones = [one for one in failing if one[0] is case or not one[0].hidden]
        context.shown[name] = tuple(shown(component, *one, every) for one in open_ones)
    return replace(_finding(component, *first, context), passed=passed, asked=len(asked))


def _finding(
    component: Component,
    case: Case,
    verdict: Verdict,
    found: Comparison | None,
    told: Sequence[Answered],
    context: Context,
) -> Outcome:
    """What a case that is not passed comes to."""
    example = counterexample(component, case, found, told, context)
    if verdict is Verdict.FAILED:
        return finding(verdict, component.say("" if found is None else found.message), counterexample=example)
    name = called(component, told[0].call, context)
    return replace(of_call(told[0].status, told[0].failure, name, context), counterexample=example)


def _judge(
    component: Component, check: Check, case: Case, answers: Sequence[Answered]
) -> tuple[Verdict, Comparison | None, Sequence[Answered]]:
    """The verdict on one case, what was compared, and the answers that it rests on: the one that failed, else all."""
    for answer in answers:
        if answer.status != "value":
            return wording.VERDICTS[answer.status], None, (answer,)
    right = {"oracle": remembering(component.oracle(case.target))} if check.compares else {}
    found = _comparison(
        check.judge(
            *(promised.plainly(component, case, a.call, a.value) for a in answers), **right, **live(case.inputs)
        )
    )
    return (Verdict.PASSED if found else Verdict.FAILED), found, answers


def _comparison(found: Found) -> Comparison:
    if found is None or isinstance(found, bool):
        return Comparison(found is not False)
    return Comparison(False, found) if isinstance(found, str) else found


def _unearned(
    component: Component,
    check: Check,
    asked: Sequence[tuple[Case, Sequence[Question]]],
    constant: Mapping[Key, Answered],
    outcome: Outcome,
) -> Outcome:
    """Fail what a constant passes as well: a value that is returned follows from nothing that was passed."""
    given = ((case, [constant[question.key] for question in questions]) for case, questions in asked)
    if outcome.verdict is not Verdict.PASSED or not all(
        _judge(component, check, case, answers)[0] is Verdict.PASSED for case, answers in given
    ):
        return outcome
    return grounds.told_of_all((outcome,), grounds.IDLE_PART)[0]


def _reading_of(component: Component, found: Diagnosis) -> dict[str, Any]:
    """The conventions of what was found; of both where two slips were found together."""
    kept: dict[str, Any] = {}
    for part in found.ids:
        kept |= next((m.reading for m in component.misconceptions if m.id == part and m.reading), {})
    return kept


def _attach(outcomes: tuple[Outcome, ...], found: Diagnosis) -> tuple[Outcome, ...]:
    return tuple(
        outcome if outcome.verdict in _UNEXPLAINED else replace(outcome, diagnosis=found) for outcome in outcomes
    )


def _reread(
    component: Component,
    context: Context,
    plan: Plan,
    outcomes: tuple[Outcome, ...],
    reading: Mapping[str, Any],
    found: Diagnosis,
) -> Generator[Sequence[Program], Sequence[Reply], tuple[Outcome, ...]]:
    """Judge again under the convention that the student keeps: one slip is paid for once."""
    answered = yield from ask(
        component, context, [q for asked in plan.values() for _, qs in asked for q in qs], reading
    )
    checks = tuple(check for check in component.checks if check.name in plan)
    again = {check.name: _outcome(component, check, plan, answered, context) for check in checks}
    kept = []
    mended = {c.name for c, one in zip(checks, outcomes, strict=True) if one.verdict is not Verdict.PASSED}
    mended = {name for name in mended if again[name].verdict is Verdict.PASSED}
    paid = any(check.convention in reading and check.name in mended for check in checks)
    first = next((check.name for check in checks if check.name in mended and not paid), "")
    for check, outcome in zip(checks, outcomes, strict=True):
        later = again[check.name]
        if check.name not in mended or check.convention in reading or check.name == first:
            kept.append(outcome)
        else:
            note = f"judged under the convention that you keep ({found.title.rstrip('.')})"
            kept.append(replace(later, notes=(*later.notes, note)))
    return tuple(kept)
