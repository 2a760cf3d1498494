"""Checks that compare a module with itself: other dtypes, other memory, another call, and the caller's tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.blocks import checks_state
from grader.blocks.checks import RANDOM, asks_cases, random_sign, sees_nothing
from grader.blocks.programs import Making, Steps, of_torch
from grader.blocks.returned import same, short
from grader.component.calls import Case
from grader.component.checks import Check
from grader.judging.outcomes import PASSED, finding
from grader.model.outcome import Outcome, Verdict
from grader.properties import COARSE, near, unchanged
from grader.sandbox.plain import Reply

if TYPE_CHECKING:
    from grader.blocks.subject import Subject

UNREGISTERED = replace(
    PASSED, notes=("Not judged: some of the module's layers are not registered, which another check says",)
)


BLIND = replace(PASSED, notes=("Not judged: by a mistake that another check names a query sees no key at all",))


def _first(subject: Subject) -> tuple[Case, Reply]:
    case = subject.cases[0]
    return case, subject.replies[f"case:{case.key}"]


def like_before(
    name: str,
    title: str,
    key: str,
    steps: Callable[[Subject], Steps],
    detail: str = "",
    *,
    sign: Callable[[Subject], str] | None = None,
    needs: Callable[[Making], bool] = lambda _: True,
) -> Check:
    """Another way of making the first call gives the same answer as the first did; ``sign`` names what does not."""

    def ask(subject: Subject) -> Mapping[str, Steps]:
        return {key: steps(subject), **asks_cases([subject.cases[0].key])(subject)}

    def judge(subject: Subject) -> Outcome:
        if subject.unregistered and key in {"float64", "rate"}:
            return UNREGISTERED
        found = _against_first(subject, key)
        if found.verdict is Verdict.PASSED or found.diagnosis is not None:
            return found
        if not subject.steady and found.verdict is Verdict.FAILED:
            return RANDOM
        if found.verdict is Verdict.FAILED and sees_nothing(subject, subject.cases[0]):
            return BLIND
        named = subject.block.sign(sign(subject)) if sign and _moved(found) else None
        return replace(found, diagnosis=named if subject.steady else random_sign(subject))

    return Check(name, title, ask, judge, detail, needs=needs, manner=True)


def _against_first(subject: Subject, key: str) -> Outcome:
    case, base = _first(subject)
    reply = subject.replies[key]
    if reply.status != "value" or base.status != "value":
        return subject.failure(reply if reply.status != "value" else base)
    shape = subject.shape(case)
    first = subject.output(base, shape)
    first = getattr(first, "array", first)
    if not isinstance(first, np.ndarray) or first.dtype.kind != "f":
        result = same(subject.output(base, shape), np.zeros(shape))
        return finding(Verdict.FAILED, result.message, tells=result.tells)
    if not np.isfinite(first).all():
        return replace(PASSED, notes=("Not judged: the first answer was not finite, which another check says",))
    value = subject.read(reply.values[-1], shape)
    if key == "float64" and getattr(getattr(value, "array", value), "dtype", None) == np.float32 and not short(first):
        sign = subject.block.sign("float64-not-kept")
        return finding(Verdict.FAILED, "the answer to float64 inputs is float32", diagnosis=sign)
    result = near(value, first.astype(np.float64), dtype=COARSE)
    if result:
        return PASSED
    return finding(Verdict.FAILED, result.message, counterexample=subject.shown(case, result), tells=result.tells)


def active_in_evaluation(subject: Subject) -> bool:
    """Whether a rate changed the answer in evaluation mode."""
    return subject.replies["rate"].status == "value" and _moved(_against_first(subject, "rate"))


def _moved(found: Outcome) -> bool:
    """Whether numbers differ; what is no tensor of numbers is said in another check."""
    return found.verdict is Verdict.FAILED and found.counterexample is not None


def double_precision() -> Check:
    """float64 modules and inputs work as float32 ones do; rows of a table have the table's own type."""
    return like_before(
        "works_in_float64",
        "Works in float64 as in float32",
        "float64",
        lambda subject: (
            *subject.prepared(),
            {"do": "move", "on": "module", "dtype": "float64"},
            subject.making.call(subject.cases[0].inputs, dtype="float64"),
        ),
        "Tables, masks and constants made inside the module have to follow the type of its parameters.",
        needs=lambda making: (
            of_torch(making) and making.said.get("positions") != "rows" and making.said.get("float64", True)
        ),
    )


def strided() -> Check:
    """Inputs whose memory lies in another order work."""
    return like_before(
        "takes_any_memory_order",
        "Takes inputs that are not contiguous in memory",
        "strided",
        lambda subject: (*subject.prepared(), subject.making.call(subject.cases[0].inputs, contiguous=False)),
        "A transposed tensor is not contiguous; view() refuses it, reshape() does not.",
    )


def repeatable() -> Check:
    """Two calls in evaluation mode agree."""

    def ask(subject: Subject) -> Mapping[str, Steps]:
        call = subject.making.call(subject.cases[0].inputs)
        again = (*subject.prepared(), call, call, subject.making.call(_reversed(subject)))
        return {"again": again, **checks_state.asked(subject)}

    def judge(subject: Subject) -> Outcome:
        reply = subject.replies["again"]
        if reply.status != "value":
            return subject.failure(reply)
        if subject.repeats(reply):
            return checks_state.kept(subject) or PASSED
        return finding(
            Verdict.FAILED,
            "two calls with one input give different answers in eval mode",
            diagnosis=random_sign(subject),
        )

    return Check("repeats_itself", "Gives the same answer twice in evaluation mode", ask, judge, manner=True)


def _reversed(subject: Subject) -> dict[str, Any]:
    """The first case with its samples in reverse order."""
    given = subject.cases[0].inputs
    return {
        name: np.ascontiguousarray(value[::-1]) if isinstance(value, np.ndarray) and value.dtype.kind != "b" else value
        for name, value in given.items()
    }


def inputs_alone() -> Check:
    """The caller's tensors are the same after the call."""

    def ask(subject: Subject) -> Mapping[str, Steps]:
        making, case = subject.making, subject.cases[0]
        arrays = [
            name for name, value in case.inputs.items() if isinstance(value, np.ndarray) and name in making.parameters
        ]
        lets = tuple({"do": "let", "as": f"in_{name}", "value": making.node(case.inputs[name])} for name in arrays)
        call = making.call(case.inputs, stored={name: f"in_{name}" for name in arrays}, quiet=True)
        gets = tuple({"do": "get", "name": f"in_{name}"} for name in arrays)
        return {"watched": (*subject.prepared(), *lets, call, *gets)}

    def judge(subject: Subject) -> Outcome:
        reply, case = subject.replies["watched"], subject.cases[0]
        if reply.status != "value":
            return subject.failure(reply)
        arrays = [
            name
            for name, value in case.inputs.items()
            if isinstance(value, np.ndarray) and name in subject.making.parameters
        ]
        for name, after in zip(arrays, reply.values[-len(arrays) :], strict=True):
            before = subject.making.node(case.inputs[name])["array"]
            result = unchanged(after, before, name)
            if not result:
                return finding(
                    Verdict.FAILED,
                    result.message,
                    counterexample=subject.shown(case, result, changed=name),
                    diagnosis=subject.block.sign("encoder-inplace-residual")
                    if name in {"x", "src", "tgt"}
                    else subject.block.sign("sdpa-scales-query-in-place")
                    if name == "query"
                    else None,
                )
        return PASSED

    return Check(
        "leaves_inputs_alone",
        "Leaves the caller's tensors as they were",
        ask,
        judge,
        "An in-place operator such as += on an argument changes the caller's tensor, and may break the backward pass.",
        manner=True,
    )


def manners(*, any_memory: bool = True) -> tuple[Check, ...]:
    """What holds of a module whatever it computes; ``any_memory`` where inputs can be strided."""
    return (double_precision(), *([strided()] if any_memory else []), inputs_alone(), repeatable())
