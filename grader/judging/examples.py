"""What is shown of a failure: the input, what was expected, lines to run at home, and a picture."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from grader import source
from grader.component import pictures
from grader.component.calls import Answered, Call, Case, NoValue, Shown, Watched, live
from grader.component.component import Component, as_written
from grader.component.context import Context
from grader.judging import adapt, snippet, wording
from grader.judging.snippet import Tried
from grader.model.assignment import Interface
from grader.model.outcome import Counterexample, Diagnosis, Outcome, Reason, Verdict
from grader.properties import Comparison, as_array


def drawn(component: Component, outcome: Outcome, context: Context) -> Outcome:
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


def counterexample(
    component: Component, case: Case, found: Comparison | None, told: Sequence[Answered], context: Context
) -> Counterexample:
    """Return what is shown of a failing case: what was compared where anything was, else the whole answer."""
    answer, call, interface = told[0], told[0].call, _in_form(context)
    oracle = component.oracle(call.target or case.target)
    expected = found.expected if found is not None and found.expected is not None else None
    got = found.got if found is not None and found.got is not None else answer.value
    if expected is None or _undefined(expected):  # nothing is compared with a NaN of one's own
        expected, got = _expected(oracle, call), got if expected is None else answer.value
    whole = answer.status != "value" or (answer.returned is not None and _same(got, answer.value))
    if component.read_as and whole and _same(expected, _expected(oracle, call)):
        expected, got = _expected(as_written(oracle), call), answer.returned
    if answer.status != "value":
        raised = answer.failure.type if answer.status == "error" and answer.failure is not None else ""
        got = NoValue(raised, answer.status)
    return wording.counterexample(
        _tried(component, told, context),
        found,
        adapt.as_returned(got, component, interface),
        adapt.as_returned(expected, component, interface),
        component.say(case.why),
        hidden=case.hidden,
        part=component.say(found.part)
        if found is not None and found.part
        else _part(component, expected, call, oracle, context),
    )


def _of_one_shape(*values: Any) -> bool:
    """Whether all are arrays of the same shape."""
    shapes = {getattr(as_array(value), "shape", None) for value in values}
    return len(shapes) == 1 and None not in shapes


def _same(value: Any, other: Any) -> bool:
    """Whether both are the same array or list of numbers."""
    one, two = as_array(value), as_array(other)
    return one is not None and two is not None and np.array_equal(one, two)


def _in_form(context: Context) -> Interface:
    """The interface, with what hides a key as the parts that take masks have it."""
    said = [one.conventions["mask_hides"] for one in context.interfaces if "mask_hides" in one.conventions]
    interface = context.interface
    return replace(interface, conventions={"mask_hides": said[0], **interface.conventions}) if said else interface


def with_examples(outcomes: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """The outcomes where what counts nothing, though nothing in it is wrong, shows the example of what is wrong."""
    example = next((one.counterexample for one in outcomes if one.counterexample is not None), None)
    return tuple(
        replace(one, counterexample=example)
        if one.verdict is Verdict.FAILED and one.reason is Reason.EVERY_CALL and one.counterexample is None
        else one
        for one in outcomes
    )


def shown_after(
    component: Component, context: Context, outcomes: tuple[Outcome, ...], earlier: Answered, wrong: Answered
) -> tuple[Outcome, ...]:
    """The outcomes with a wrong answer that only comes after an earlier call, and lines that make both calls."""
    example = counterexample(component, wrong.case, None, (wrong,), context)
    both = snippet.snippet(_tried(component, (earlier, wrong), context))
    return tuple(
        outcome
        if outcome.verdict is Verdict.PASSED
        else replace(outcome, counterexample=replace(example, snippet=both))
        for outcome in outcomes
    )


def shown(component: Component, case: Case, answer: Answered, answers: tuple[Answered, ...]) -> Shown:
    """Return a failing case as a picture of it needs it; ``answers`` are all that the submission gave."""
    call, value = answer.call, answer.value
    oracle = component.oracle(call.target)
    expected, got = _expected(oracle, call), value.value if isinstance(value, Watched) else value
    if component.read_as and _of_one_shape(answer.returned, expected, got):
        expected, got = _expected(as_written(oracle), call), answer.returned
    return Shown(live(call.inputs), expected, got, case.why, answers, oracle, partial(component.turned, call.target))


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
    same = [answer for answer in told if answer.call.target == call.target]
    name, made, entry = _thing(component, call, context)
    return Tried(
        name,
        snippet.home(context.module, context.submission),
        tuple(adapt.as_passed(answer.call, component, interface) for answer in same),
        torch=interface.conventions.get("backend") == "torch",
        gradient=call.gradient,
        changed=_changed(told[0]),
        repeat=call.repeat,
        made=made,
        entry=entry,
    )


def _thing(component: Component, call: Call, context: Context) -> tuple[str, tuple[str, ...], str]:
    """What is called in lines to paste, the lines that make it, and its method; no name where an adapter does more."""
    name, adapter = called(component, call, context), context.interface.adapter
    if (call.target or component.target) != component.target:
        return "" if adapter is not None and call.target in adapter.further else name, (), ""
    found = source.method_of_class(context.submission.modules, name, ("__call__", "forward"))
    if adapter is not None and (found is None or f"work.{context.interface.callable}()" not in adapter.source):
        return "", (), ""
    if found is None:
        return name, (), ""
    return name, (f"module = {name}()",), f".{found[0]}" if found[0] == "forward" else ""


def called(component: Component, call: Call, context: Context) -> str:
    """The name of what a call is made of, as the submission has it."""
    if (call.target or component.target) == component.target:
        return context.function
    return context.interface.names.get(call.target, call.target)


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
        return NoValue(type(error).__name__)
