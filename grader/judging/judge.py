"""A component that is handed in as a function: asked call by call, judged, explained."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from grader.component.calls import Answered, Case, live
from grader.component.checks import Check, Evidence, Found
from grader.component.component import Component
from grader.component.context import Context, Rounds
from grader.component.part import Answers
from grader.judging import diagnose, earlier_calls, grounds, promised, relations, smaller, wording
from grader.judging.asking import ask, ask_calls
from grader.judging.direct import Direct
from grader.judging.examples import called, counterexample, drawn, shown, shown_after, with_examples
from grader.judging.outcomes import PASSED, finding, of_check
from grader.judging.prediction import remembering
from grader.judging.questions import Key, Plan, Question, planned, questions_in, questions_of
from grader.model.outcome import Counterexample, Diagnosis, Outcome, Reason, Tells, Verdict
from grader.properties import Comparison, as_array
from grader.sandbox.plain import Program, Reply

_LOST = Verdict.FAILED
LEAST_SEEN = 0.05
"""A difference that an example shows at a glance."""
_UNEXPLAINED = frozenset({Verdict.PASSED, Verdict.FAULT})
"""What no mistake of the student's explains."""


def read(component: Component, context: Context) -> Generator[Sequence[Program], Sequence[Reply], Called]:
    """Ask a function what every check asks of every case, in one round beyond a retry by keyword."""
    plan = planned(component, context.interface.domain, context.seed)
    answered = yield from ask(component, context, questions_in(plan), {})
    return Called(component, context, plan, answered)


@dataclass(slots=True)
class Called(Answers):
    """A function's calls as the checks of a component see them."""

    component: Component
    context: Context
    plan: Plan
    answered: Mapping[Key, Answered]

    @property
    def checks(self) -> list[Check]:
        """The checks that ask something."""
        return [check for check in self.component.checks if check.name in self.plan]

    def judged(self) -> Rounds:
        """The outcome of each check, with the mistake that explains what failed."""
        component, context, answers = self.component, self.context, tuple(self.answered.values())
        outcomes = tuple(self.outcome(check, self.answered) for check in self.checks)
        if all(outcome.verdict in _UNEXPLAINED for outcome in outcomes):
            return outcomes
        if grounds.unwritten(answers):
            return grounds.told_unwritten(outcomes)
        if grounds.returns_nothing(answers):
            return grounds.told_of_all(outcomes, grounds.NOTHING, Tells.DID)
        if kind := grounds.other_kind(component, answers):
            wanted = _values_asked(component, context)
            return grounds.told_of_all(outcomes, f"returned {kind} in every call; expected {wanted}", Tells.DID)
        explained = partial(self._explained, outcomes)
        while (left := context.left_open(outcomes, explained)) is None:
            yield ()
        return outcomes if left else (yield from explained())

    def outcome(self, check: Check, answered: Mapping[Key, Answered]) -> Outcome:
        """The outcome of a check by these answers."""
        found = of_check(partial(self._found, check, answered), self.component.name, check)
        empty = self.component.own and found.verdict is Verdict.PASSED and self._passed_by_a_constant(check)
        return replace(found, manner=True) if empty else found

    def _explained(self, outcomes: tuple[Outcome, ...]) -> Rounds:
        """Say which mistake it is, and judge again where it is a convention that the student keeps."""
        component, context, answers = self.component, self.context, tuple(self.answered.values())
        lost = frozenset(one.check.partition(".")[2] for one in outcomes if one.verdict is not Verdict.PASSED)
        domain = context.interface.domain
        evidence = Evidence(answers, lost, context.submission.modules, context.function, domain)
        matches, by = yield from diagnose.explain(Direct(component, evidence, partial(ask_calls, component, context)))
        if grounds.idle(component, answers):
            outcomes = grounds.told_idle(outcomes)
        elif any(grounds.idle(component, answers, place) for place in _returned(component, context)):
            outcomes = tuple(self._unearned(check, one) for check, one in zip(self.checks, outcomes, strict=True))
        outcomes = with_examples(outcomes)
        if not matches:
            return outcomes
        found = matches[0].diagnosis(by, tuple(m.ids for m in matches[1:]))
        outcomes = _attach(outcomes, found)
        if found.id in earlier_calls.KEPT and (kept := earlier_calls.kept_from(component, answers)) is not None:
            outcomes = shown_after(component, context, outcomes, *kept)
        reading = _reading_of(component, found)
        return (yield from self._reread(outcomes, reading, found)) if reading else outcomes

    def _found(self, check: Check, answered: Mapping[Key, Answered]) -> Outcome:
        component, context, asked = self.component, self.context, self.plan[check.name]
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

    def _unearned(self, check: Check, outcome: Outcome) -> Outcome:
        """Fail what a constant passes as well: a value that is returned follows from nothing that was passed."""
        if outcome.verdict is not Verdict.PASSED or not self._passed_by_a_constant(check):
            return outcome
        return grounds.told_of_all((outcome,), grounds.IDLE_PART)[0]

    def _passed_by_a_constant(self, check: Check) -> bool:
        """Whether an answer passes a check that looks at the sizes of the arguments only."""
        answers = {key: grounds.constant(self.component, answer) for key, answer in self.answered.items()}
        given = ((case, [answers[question.key] for question in questions]) for case, questions in self.plan[check.name])
        with np.errstate(all="ignore"):
            return all(_judge(self.component, check, *one)[0] is Verdict.PASSED for one in given)

    def _reread(self, outcomes: tuple[Outcome, ...], reading: Mapping[str, Any], found: Diagnosis) -> Rounds:
        """Judge again under the convention that the student keeps: one slip is paid for once."""
        answered = yield from ask(self.component, self.context, questions_in(self.plan), reading)
        again = {check.name: self.outcome(check, answered) for check in self.checks}
        kept = []
        mended = {c.name for c, one in zip(self.checks, outcomes, strict=True) if one.verdict is not Verdict.PASSED}
        mended = {name for name in mended if again[name].verdict is Verdict.PASSED}
        paid = any(check.convention in reading and check.name in mended for check in self.checks)
        first = next((check.name for check in self.checks if check.name in mended and not paid), "")
        for check, outcome in zip(self.checks, outcomes, strict=True):
            later = again[check.name]
            if check.name not in mended or check.convention in reading or check.name == first:
                kept.append(outcome)
            else:
                note = f"Judged under the convention that you keep ({found.title.rstrip('.')})"
                kept.append(replace(later, notes=(*later.notes, note)))
        return tuple(kept)

    def smaller(self, outcomes: tuple[Outcome, ...]) -> Rounds:
        """The outcomes with a smaller example for each cause, where smaller inputs with shorter numbers fail too."""
        failing, causes = self.context.failing, dict[tuple[str, ...], list[Outcome]]()
        for one in outcomes if not self.component.random else ():
            judged = one.verdict in {Verdict.FAILED, Verdict.ERROR} and one.reason is Reason.JUDGED
            if judged and one.check in failing and not _stateful(one):
                causes.setdefault(one.diagnosis.ids if one.diagnosis else (one.check,), []).append(one)
        found: dict[str, Outcome] = {}
        for alike in causes.values():
            least = min(alike, key=lambda one: smaller.size_of(failing[one.check].case.inputs))
            case = failing[least.check].case
            if not (case.hidden or case.fixed or smaller.is_plain(case.inputs)):
                found[least.check] = yield from self._smallest(least)
        return tuple(found.get(one.check, one) for one in outcomes)

    def _smallest(self, outcome: Outcome) -> Generator[Sequence[Program], Sequence[Reply], Outcome]:
        """The outcome with the smallest version of its case that fails in the same way, by a difference to be seen."""
        component, context, before = self.component, self.context, self.context.failing[outcome.check]
        check = next(one for one in component.checks if outcome.check == f"{component.name}.{one.name}")
        case = before.case
        asked: list[tuple[Case, list[Question]]] = []
        for inputs in smaller.versions(case.inputs):
            version = replace(case, inputs=inputs, why=f"{case.why}, made smaller", fixed=True)
            if check.on(version) and _has_an_answer(component, version):
                questions = questions_of(check, version, component, context.interface.domain)
                asked += [(version, questions)] if questions else []
        answered = yield from ask(component, context, [q for _, qs in asked for q in qs], {})
        best: tuple[Outcome, Case, Answered] | None = None
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
                    example = found.counterexample
                    if example is not None and _differs_alike(example, outcome.counterexample):
                        seen = example.max_error is None or example.max_error >= LEAST_SEEN
                        best = (found, version, told[0]) if best is None or seen else best
                        if seen:
                            break
        if best is None:
            return outcome
        found, version, answer = best
        self._draw_too(outcome.check, version, answer)
        return _with_example(outcome, found)

    def _draw_too(self, check: str, version: Case, answer: Answered) -> None:
        """Let the example that is shown be drawn, where no larger one shows more."""
        if before := self.context.shown.get(check):
            self.context.shown[check] = (shown(self.component, version, answer, tuple(before[0].answers)), *before)

    def drawn(self, outcome: Outcome) -> Outcome:
        """The outcome with what a drawing of its example shows, where the component has a picture of it."""
        return drawn(self.component, outcome, self.context)


def _with_example(outcome: Outcome, found: Outcome) -> Outcome:
    """The outcome with the example of another case, and what is said of it."""
    return replace(
        outcome,
        message=found.message,
        tells=found.tells,
        location=found.location,
        counterexample=found.counterexample,
    )


def _differs_alike(example: Counterexample, before: Counterexample | None) -> bool:
    """Whether an example shows a difference: one of numbers, and of no shape, where numbers differed before."""
    of_numbers = before is not None and before.max_error is not None
    return example.expected != example.got and (example.max_error is not None or not of_numbers)


def _stateful(outcome: Outcome) -> bool:
    return outcome.diagnosis is not None and (outcome.diagnosis.id in earlier_calls.KEPT or bool(outcome.notes))


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


def _values_asked(component: Component, context: Context) -> str:
    """What the hand-out's function returns, in words."""
    asked = context.interface.returns or component.returns
    return f"the values themselves: return {', '.join(asked)}" if len(asked) > 1 else "the value itself"


def _returned(component: Component, context: Context) -> list[int]:
    """The places of the values that the hand-out has returned."""
    asked = context.interface.returns or component.returns
    return [place for place, name in enumerate(component.returns) if name in asked]


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
        compared = Comparison(False) if found is None else found
        return finding(verdict, component.say(compared.message), counterexample=example, tells=compared.tells)
    name = called(component, told[0].call, context)
    return replace(wording.of_call(told[0].status, told[0].failure, name, context), counterexample=example)


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


def _reading_of(component: Component, found: Diagnosis) -> dict[str, Any]:
    """The conventions of what was found; of both where two slips were found together."""
    kept: dict[str, Any] = {}
    for part in found.ids:
        kept |= next((m.reading for m in component.misconceptions if m.id == part and m.reading), {})
    return kept


def _attach(outcomes: tuple[Outcome, ...], found: Diagnosis) -> tuple[Outcome, ...]:
    return tuple(
        outcome
        if outcome.verdict in _UNEXPLAINED or (found.id == relations.WHOLE and outcome.verdict is not _LOST)
        else replace(outcome, diagnosis=found)
        for outcome in outcomes
    )
