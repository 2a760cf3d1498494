"""Ask, judge and diagnose one function component.

:func:`examine` is a generator: it yields programs for the child and receives their replies, so that all components
of a submission share one child a round. It ends with the component's outcomes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from grader.component import Answered, Call, Case, Check, Component, Evidence, Found, Refused, Watched, live, pictures
from grader.component.pictures import Shown
from grader.judging import adapt, diagnose, grounds, promised, relations, smaller, snippet, wording
from grader.judging.prediction import remembering
from grader.judging.questions import Key, Plan, Question, planned, question_of, questions_of, unwatched
from grader.judging.snippet import Tried
from grader.model import Counterexample, Diagnosis, Interface, Limits, Location, Outcome, Reason, Submission, Verdict
from grader.properties import Comparison, as_array
from grader.sandbox.parent import Program, Reply

Rounds = Generator[Sequence[Program], Sequence[Reply], tuple[Outcome, ...]]

_log = logging.getLogger("grader")
_LOST = Verdict.FAILED
_STATUS = {
    "error": Verdict.ERROR,
    "timeout": Verdict.TIMEOUT,
    "memory": Verdict.MEMORY,
    "crashed": Verdict.CRASHED,
    "protocol": Verdict.CRASHED,
    "missing": Verdict.MISSING,
}


@dataclass(frozen=True, slots=True)
class Context:
    """What a component is examined in: the assignment's interface, the submission, the seed of its hidden cases.

    ``interfaces`` are all that the assignment sets and ``names`` all that the submission defines, (module, name,
    kind) each: a component about the whole submission looks at them. ``left_open`` takes outcomes, and what would
    explain them, and says whether what failed is not to be explained now, since it will be asked again around working
    parts; None: not known yet. ``shown`` takes the failing cases of each check, to be drawn when all is known, and
    ``failing`` the answer that its example shows.
    """

    interface: Interface
    submission: Submission
    seed: int
    function: str
    module: str
    interfaces: tuple[Interface, ...] = ()
    names: tuple[tuple[str, str, str], ...] = ()
    limits: Limits = field(default_factory=Limits)
    left_open: Callable[[tuple[Outcome, ...], Callable[[], Rounds]], bool | None] = lambda *_: False
    shown: dict[str, tuple[Shown, ...]] = field(default_factory=dict)
    failing: dict[str, Answered] = field(default_factory=dict)


def examine(component: Component, context: Context) -> Rounds:
    """Judge every check of ``component``; two rounds at most beyond a retry by keyword."""
    outcomes = yield from _examined(component, context)
    if not component.random:
        try:
            outcomes = yield from _exemplified(component, context, outcomes)
        except Exception:  # noqa: BLE001 - what is shown takes no part in what is judged
            _log.exception("no smaller example of %s", component.name)
    return tuple(_drawn(component, outcome, context) for outcome in outcomes) if component.picture else outcomes


def _drawn(component: Component, outcome: Outcome, context: Context) -> Outcome:
    """The outcome with what a drawing of its example shows, where the component has a picture of it."""
    failing, example = context.shown.get(outcome.check, ()), outcome.counterexample
    if component.picture is None or not failing or example is None:
        return outcome
    knobs = _knobs_of(component, outcome.diagnosis) if outcome.diagnosis else None
    with np.errstate(all="ignore"):
        picture = pictures.best(component.picture, [replace(shown, knobs=knobs) for shown in failing])
    return replace(outcome, counterexample=replace(example, picture=picture))


def _knobs_of(component: Component, found: Diagnosis) -> Mapping[str, Any] | None:
    """What all ways to make the mistake that was found have in common, of both where two were found together.

    None where that is nothing.
    """
    known: dict[str, Any] = {}
    for part in found.ids:
        ways = [m.knobs for m in component.misconceptions if m.id == part and m.knobs]
        shared = (
            {name: value for name, value in ways[0].items() if all(w.get(name) == value for w in ways)} if ways else {}
        )
        if not shared:
            return None
        known |= shared
    return known


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
    answered = yield from _ask(component, context, [q for _, qs in asked for q in qs], {})
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
                message, place = _message(verdict, compared, told[0], context)
                message = component.say(message) if verdict is Verdict.FAILED else message
                example = _counterexample(component, version, compared, told, context)
                return replace(outcome, message=message, location=place, counterexample=example)
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
    answered = yield from _ask(component, context, [q for asked in plan.values() for _, qs in asked for q in qs], {})
    outcomes = tuple(_outcome(component, check, plan[check.name], answered, context) for check in checks)
    if all(outcome.verdict is Verdict.PASSED for outcome in outcomes):
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
    found = yield from diagnose.explain(component, evidence, lambda calls: _ask_calls(component, context, calls))
    if grounds.idle(component, answers):
        outcomes = grounds.told_idle(outcomes)
    elif any(grounds.idle(component, answers, place) for place in _returned(component, context)):
        constant = {key: grounds.constant(component, answer) for key, answer in answered.items()}
        outcomes = tuple(
            _unearned(component, check, plan[check.name], constant, outcome)
            for check, outcome in zip((c for c in component.checks if c.name in plan), outcomes, strict=True)
        )
    outcomes = _with_examples(outcomes)
    if found is None:
        return outcomes
    outcomes = _attach(outcomes, found)
    if found.id in relations.KEPT and (kept := relations.kept_from(component, answers)) is not None:
        outcomes = _shown_after(component, context, outcomes, *kept)
    reading = _reading_of(component, found)
    if reading:
        outcomes = yield from _reread(component, context, plan, outcomes, reading, found)
    return outcomes


def _returned(component: Component, context: Context) -> list[int]:
    """The places of the values that the hand-out has returned."""
    asked = context.interface.returns or component.returns
    return [place for place, name in enumerate(component.returns) if name in asked]


def _ask(
    component: Component, context: Context, questions: Sequence[Question], reading: Mapping[str, Any]
) -> Generator[Sequence[Program], Sequence[Reply], dict[tuple[Any, ...], Answered]]:
    unique = {question.key: question for question in questions}
    watched = _brought_by_watched(component, context, unique)
    ordered = [(key, unique[key]) for key in dict.fromkeys(watched.get(key, key) for key in unique)]  # smallest first
    manner = _Manner(repr(context.interface), context.interface)
    programs = [_program(component, manner, question, reading) for _, question in ordered]
    replies = list((yield programs))
    refused = [i for i, reply in enumerate(replies) if _never_entered(reply, context.function)]
    if refused:
        again = yield [_program(component, manner, ordered[i][1], reading, by_keyword=True) for i in refused]
        for i, reply in zip(refused, again, strict=True):
            if not _never_entered(reply, context.function):
                replies[i] = reply
    found = {
        key: _answered(component, context, question, reply, reading)
        for (key, question), reply in zip(ordered, replies, strict=True)
    }
    return {key: _unwatched(found[watched[key]], unique[key]) if key in watched else found[key] for key in unique}


def _brought_by_watched(component: Component, context: Context, questions: Mapping[Key, Question]) -> dict[Key, Key]:
    """The questions that a watched call of the same inputs answers too, with the keys of those calls."""
    if component.random or context.interface.conventions.get("gradient"):
        return {}
    plain = {unwatched(q): key for key, q in questions.items() if q.call.watch}
    return {key: watching for key, watching in plain.items() if key in questions}


def _unwatched(watched: Answered, question: Question) -> Answered:
    value = watched.value.value if isinstance(watched.value, Watched) else watched.value
    return replace(watched, call=question.call, value=value)


def _never_entered(reply: Reply, function: str) -> bool:
    """The call itself was refused: a TypeError with none of the student's lines in it, or with a decorator's alone."""
    failure = reply.failure
    if reply.status != "error" or failure is None or failure.type != "TypeError":
        return False
    return not failure.frames or f"{function}() " in failure.message


@dataclass(frozen=True, slots=True)
class _Manner:
    """How an assignment asks for a component; equal where it is written alike."""

    written: str
    interface: Interface = field(compare=False)


def _program(
    component: Component,
    manner: _Manner,
    question: Question,
    reading: Mapping[str, Any],
    *,
    by_keyword: bool = False,
) -> Program:
    if not (question.case.hidden or reading or by_keyword):
        return _shared(component, manner, question)
    steps = adapt.steps_of(question.call, component, manner.interface, reading, by_keyword=by_keyword)
    return Program(steps, component.name)


@lru_cache(maxsize=1024)
def _shared(component: Component, manner: _Manner, question: Question) -> Program:
    """What is asked of everybody, as most of them are asked: by position, in the conventions of the hand-out."""
    return Program(adapt.steps_of(question.call, component, manner.interface, {}), component.name, shared=True)


def _ask_calls(
    component: Component, context: Context, calls: Sequence[Call]
) -> Generator[Sequence[Program], Sequence[Reply], list[Answered]]:
    questions = [question_of(Case(call.inputs, "", hidden=True, target=call.target), call) for call in calls]
    answers = yield from _ask(component, context, questions, {})
    return list(answers.values())


def _answered(
    component: Component, context: Context, question: Question, reply: Reply, reading: Mapping[str, Any]
) -> Answered:
    value, status, failure = None, reply.status, reply.failure
    if failure is not None and status == "error" and adapt.refused_to_differentiate(question.call, failure.step):
        status, failure = "value", None
    if status == "value":
        value = adapt.answer_of(question.call, reply.values, reply.output, component, context.interface, reading)
    if status == "error" and failure is not None and question.call.may_raise:
        refused = Refused(failure.type, failure.message, failure.mro)
        return Answered(question.case, question.call, "value", refused, None, reply.output)
    return Answered(question.case, question.call, status, value, failure, reply.output)


def _outcome(
    component: Component,
    check: Check,
    asked: Sequence[tuple[Case, Sequence[Question]]],
    answered: Mapping[tuple[Any, ...], Answered],
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
    base = Outcome(f"{component.name}.{check.name}", component.name, check.title, Verdict.PASSED, passed, len(asked))
    if first is None:
        return base
    case, verdict, found, told = first
    context.failing[base.check] = replace(told[0], case=case)
    message, place = _message(verdict, found, told[0], context)
    message = component.say(message) if verdict is Verdict.FAILED else message
    if component.picture is not None:
        every = tuple(answered.values())
        open_ones = [one for one in failing if one[0] is case or not one[0].hidden]
        context.shown[base.check] = tuple(_shown(component, *one, every) for one in open_ones)
    failed = told[0] if verdict is not Verdict.FAILED else None
    return replace(
        base,
        verdict=verdict,
        message=message,
        location=place,
        reason=wording.reason_of(failed.status, failed.failure) if failed else Reason.JUDGED,
        counterexample=_counterexample(component, case, found, told, context),
    )


def _judge(
    component: Component, check: Check, case: Case, answers: Sequence[Answered]
) -> tuple[Verdict, Comparison | None, Sequence[Answered]]:
    """The verdict on one case, what was compared, and the answers that it rests on: the one that failed, else all."""
    for answer in answers:
        if answer.status != "value":
            return _STATUS[answer.status], None, (answer,)
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


def _message(
    verdict: Verdict, found: Comparison | None, answer: Answered, context: Context
) -> tuple[str, Location | None]:
    if verdict is Verdict.FAILED:
        return ("" if found is None else found.message), None
    if answer.status == "missing":
        return f"{context.function} is not defined", None
    called = (context.function, *context.interface.names.values())
    return wording.told(answer.status, answer.failure, context.submission, context.limits, called=called)


def _counterexample(
    component: Component, case: Case, found: Comparison | None, told: Sequence[Answered], context: Context
) -> Counterexample:
    answer, call, interface = told[0], told[0].call, context.interface
    oracle = component.oracle(call.target or case.target)
    expected = found.expected if found is not None and found.expected is not None else None
    got = found.got if found is not None and found.got is not None else answer.value
    if expected is None or _undefined(expected):  # nothing is compared with a NaN of one's own
        expected, got = _expected(oracle, call), got if expected is None else answer.value
    if answer.status != "value":
        raised = answer.status == "error" and answer.failure is not None
        got = f"({answer.failure.type})" if raised and answer.failure is not None else f"({answer.status})"
    return wording.counterexample(
        _tried(component, told, context),
        found,
        adapt.as_returned(got, component, interface),
        adapt.as_returned(expected, component, interface),
        component.say(case.why),
        hidden=case.hidden,
        part=found.part if found is not None and found.part else _part(component, expected, call, oracle, context),
    )


def _with_examples(outcomes: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """The outcomes where what counts nothing, though nothing in it is wrong, shows the example of what is wrong."""
    example = next((one.counterexample for one in outcomes if one.counterexample is not None), None)
    return tuple(
        replace(one, counterexample=example)
        if one.verdict is Verdict.FAILED and one.reason is Reason.EVERY_CALL and one.counterexample is None
        else one
        for one in outcomes
    )


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


def _shown_after(
    component: Component, context: Context, outcomes: tuple[Outcome, ...], earlier: Answered, wrong: Answered
) -> tuple[Outcome, ...]:
    """The outcomes with a wrong answer that only comes after an earlier call, and lines that make both calls."""
    example = _counterexample(component, wrong.case, None, (wrong,), context)
    both = snippet.snippet(_tried(component, (earlier, wrong), context))
    return tuple(
        outcome
        if outcome.verdict is Verdict.PASSED
        else replace(outcome, counterexample=replace(example, snippet=both))
        for outcome in outcomes
    )


def _shown(component: Component, case: Case, answer: Answered, answers: tuple[Answered, ...]) -> Shown:
    call, value = answer.call, answer.value
    oracle = component.oracle(call.target)
    return Shown(
        live(call.inputs),
        _expected(oracle, call),
        value.value if isinstance(value, Watched) else value,
        case.why,
        answers,
        oracle,
        partial(component.turned, call.target),
    )


def _undefined(expected: Any) -> bool:
    """Whether what an answer was compared with holds a NaN: another answer of the same code."""
    return isinstance(expected, np.ndarray) and expected.dtype.kind == "f" and bool(np.isnan(expected).any())


def _part(component: Component, expected: Any, call: Call, oracle: Callable[..., Any], context: Context) -> str:
    """The name of the one returned value that ``expected`` is, where several are asked for; else empty."""
    asked = context.interface.returns or component.returns
    if len(asked) < 2 or (call.target or component.target) != component.target:  # noqa: PLR2004 - one value is the answer
        return ""
    whole = _expected(oracle, call)
    if not isinstance(expected, np.ndarray) or not isinstance(whole, tuple):
        return ""
    same = [name for name, value in zip(component.returns, whole, strict=False) if np.array_equal(value, expected)]
    return same[0] if len(same) == 1 and same[0] in asked else ""


def _tried(component: Component, told: Sequence[Answered], context: Context) -> Tried:
    """The calls that a check rests on, as the student can make them at home."""
    call, interface = told[0].call, context.interface
    name = context.function
    if (call.target or component.target) != component.target:
        name = interface.names.get(call.target, call.target)
    same = [answer for answer in told if answer.call.target == call.target]
    return Tried(
        name,
        snippet.home(context.module, context.submission),
        tuple(adapt.as_passed(answer.call, component, interface) for answer in same),
        torch=interface.conventions.get("backend") == "torch",
        gradient=call.gradient,
        changed=_changed(told[0]),
        repeat=call.repeat,
    )


def _changed(answer: Answered) -> tuple[str, ...]:
    """The arguments that a watched call wrote into."""
    after = answer.value.after if isinstance(answer.value, Watched) else {}
    return tuple(name for name, value in after.items() if not np.array_equal(value, answer.call.inputs[name]))


def _expected(oracle: Callable[..., Any], call: Call) -> Any:
    try:
        with np.errstate(all="ignore"):
            return oracle(**live(call.inputs))
    except ValueError as error:
        if not call.may_raise:
            raise
        return f"({type(error).__name__})"


def _reading_of(component: Component, found: Diagnosis) -> dict[str, Any]:
    """The conventions of what was found; of both where two slips were found together."""
    kept: dict[str, Any] = {}
    for part in found.ids:
        kept |= next((m.reading for m in component.misconceptions if m.id == part and m.reading), {})
    return kept


def _attach(outcomes: tuple[Outcome, ...], found: Diagnosis) -> tuple[Outcome, ...]:
    return tuple(
        outcome if outcome.verdict is Verdict.PASSED else replace(outcome, diagnosis=found) for outcome in outcomes
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
    answered = yield from _ask(
        component, context, [q for asked in plan.values() for _, qs in asked for q in qs], reading
    )
    checks = tuple(check for check in component.checks if check.name in plan)
    again = {check.name: _outcome(component, check, plan[check.name], answered, context) for check in checks}
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
