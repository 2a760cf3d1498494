"""Name the mistake: the one misconception that reproduces what the student's code does.

A misconception explains a submission when it reproduces every answer that was given, right and wrong ones alike,
and differs from the oracle on at least one wrong one. When several do, an input that tells them apart is looked
for and asked; when none exists, the source decides, or they are reported as a family. Two knobs of a component's
workshop may be turned together. "Unexplained" is an honest answer.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from grader.component import Answered, Component, Differentiated, Evidence, Inputs, Misconception, Watched, live
from grader.model import Diagnosis

Asking = Generator[Any, Any, Any]
Ask = Callable[[Sequence[Inputs]], Asking]

MOST_TWINS = 3
_KINDS = {
    "shape": (
        "shape",
        "aligned",
        "broadcast",
        "dimension",
        "mismatch",
        "size of tensor",
        "reshape",
        "axes",
        "axis",
        "same size",
        "stride",
        "view",
    ),
    "truth": ("truth value", "boolean value"),
    "index": ("out of bounds", "index"),
    "zero": ("division by zero", "negative power"),
    "dtype": ("cast", "dtype", "data type", "overflow"),
}


@dataclass(frozen=True, slots=True)
class Raised:
    """What a misconception predicts where the mistaken code raises."""

    kind: str


def kind_of(type_name: str, message: str) -> str:
    """The kind of an exception, so that the same slip in matmul, dot and einsum counts as the same."""
    low = message.lower()
    for kind, words in _KINDS.items():
        if any(word in low for word in words):
            return kind
    return type_name


def explain(component: Component, evidence: Evidence, ask: Ask) -> Generator[Any, Any, Diagnosis | None]:
    """Return the diagnosis that the evidence singles out, or None; may ask the student's code once more."""
    answers = [answer for answer in evidence.answers if answer.call.repeat == 1]
    wrong = [
        answer for answer in answers if not _agrees(component, answer, component.oracle(_target(component, answer)))
    ]
    matches: list[Misconception] = []
    if wrong and all(answer.status in {"value", "error"} for answer in answers):
        ordered = wrong + [answer for answer in answers if not any(answer is other for other in wrong)]
        matches = list(_reproducing(component, component.misconceptions, ordered))
        if not matches:
            matches = list(_reproducing(component, _pairs(component), ordered))
        if len(matches) > 1:
            matches = yield from _separate(component, matches, ask)
        if len(matches) > 1:
            matches = _by_source(matches, evidence)
    if not matches:
        signs = [m for m in component.misconceptions if m.sign is not None and m.sign(evidence)]
        matches = signs if len(signs) == 1 else []
    return _diagnosis(matches)


def _target(component: Component, answer: Answered) -> str:
    return answer.call.target or answer.case.target or component.target


def _value(answer: Answered) -> Any:
    return answer.value.value if isinstance(answer.value, Watched | Differentiated) else answer.value


def _predict(function: Callable[..., Any], inputs: Inputs) -> Any:
    try:
        with np.errstate(all="ignore"):
            return function(**live(inputs))
    except Exception as error:  # noqa: BLE001 - a misconception may raise whatever the mistaken code raises
        return Raised(kind_of(type(error).__name__, str(error)))


def _agrees(component: Component, answer: Answered, function: Callable[..., Any]) -> bool:
    predicted = _predict(function, answer.call.inputs)
    if isinstance(predicted, Raised):
        return answer.status == "error" and kind_of(answer.failure.type, answer.failure.message) == predicted.kind
    if answer.status != "value":
        return False
    return bool(_same(component, _value(answer), predicted, answer.call.inputs))


def _same(component: Component, got: Any, predicted: Any, inputs: Inputs) -> bool:
    """Equal up to tolerance, where a value that is not finite equals the same value that is not finite."""
    if isinstance(predicted, tuple):
        return (
            isinstance(got, tuple | list)
            and len(got) == len(predicted)
            and bool(component.compare(*_finite(tuple(got), predicted), **inputs))
        )
    return bool(component.compare(*_finite(got, predicted), **inputs))


def _finite(got: Any, predicted: Any) -> tuple[Any, Any]:
    """Replace NaN and infinities that both sides share by marks, so that they compare equal."""
    if isinstance(predicted, tuple):
        pairs = [_finite(mine, theirs) for mine, theirs in zip(got, predicted, strict=True)]
        return tuple(mine for mine, _ in pairs), tuple(theirs for _, theirs in pairs)
    mine = getattr(got, "array", got)
    if not isinstance(mine, np.ndarray) or not isinstance(predicted, np.ndarray) or mine.shape != predicted.shape:
        return got, predicted
    if mine.dtype.kind != "f" or predicted.dtype.kind != "f" or np.isfinite(predicted).all():
        return got, predicted
    shared = (np.isnan(mine) & np.isnan(predicted)) | (~np.isfinite(mine) & (mine == predicted))
    return np.where(shared, 0.0, mine), np.where(shared, 0.0, predicted)


def _reproducing(
    component: Component, candidates: Iterable[Misconception], answers: Sequence[Answered]
) -> Iterable[Misconception]:
    seen: set[str] = set()
    for candidate in candidates:
        if candidate.variant is None or candidate.id in seen:
            continue
        target = candidate.target or component.target
        if all(
            _agrees(
                component,
                answer,
                candidate.variant
                if _target(component, answer) == target
                else component.oracle(_target(component, answer)),
            )
            for answer in answers
        ):
            seen.add(candidate.id)
            yield candidate


def _pairs(component: Component) -> Iterable[Misconception]:
    """Two faults together: settings of the workshop that turn different knobs."""
    turned = [m for m in component.misconceptions if m.knobs]
    for first, second in combinations(turned, 2):
        if first.id == second.id or set(first.knobs) & set(second.knobs) or first.target != second.target:
            continue
        knobs = {**first.knobs, **second.knobs}
        yield Misconception(
            f"{first.id} + {second.id}",
            f"Two slips together: {_lower(first.title)} and {_lower(second.title)}.",
            f"{first.explanation} {second.explanation}",
            {level: f"{first.hints.get(level, '')} {second.hints.get(level, '')}".strip() for level in first.hints},
            first.reread,
            component.name,
            _turned(component, knobs),
            target=first.target,
            knobs=knobs,
        )


def _turned(component: Component, knobs: dict[str, Any]) -> Callable[..., Any]:
    workshop = component.workshop
    assert workshop is not None  # noqa: S101 - a misconception has knobs only where there is a workshop
    return lambda **inputs: workshop(**inputs, **knobs)


def _lower(title: str) -> str:
    text = title.strip().rstrip(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def _separate(component: Component, matches: list[Misconception], ask: Ask) -> Generator[Any, Any, list[Misconception]]:
    """Look for inputs on which the candidates differ, ask the student's code, keep those that still agree."""
    inputs = _telling(component, matches)
    if not inputs:
        return matches
    answers = yield from ask(inputs)
    usable = [answer for answer in answers if answer.status in {"value", "error"}]
    kept = [
        m for m in matches if m.variant is not None and all(_agrees(component, answer, m.variant) for answer in usable)
    ]
    return kept or []


def _telling(component: Component, matches: Sequence[Misconception], most: int = 6) -> list[Inputs]:
    found: list[Inputs] = []
    if any((m.target or component.target) != component.target for m in matches):
        return found
    open_pairs = list(combinations(matches, 2))
    for draw in range(4):
        for case in component.probes(np.random.default_rng([7, draw]), {}):
            if (case.target or component.target) != component.target or not open_pairs or len(found) >= most:
                continue
            told = [pair for pair in open_pairs if _differ(component, pair, case.inputs)]
            if told:
                found.append(case.inputs)
                open_pairs = [pair for pair in open_pairs if pair not in told]
    return found


def _differ(component: Component, pair: tuple[Misconception, Misconception], inputs: Inputs) -> bool:
    one, other = (_predict(m.variant, inputs) for m in pair if m.variant is not None)
    if isinstance(one, Raised) or isinstance(other, Raised):
        return bool(one != other)
    return not _same(component, one, other, inputs)


def _by_source(matches: list[Misconception], evidence: Evidence) -> list[Misconception]:
    """Use the syntax tree where values cannot decide; silence leaves the family as it is."""
    told = [m for m in matches if m.tie_break is not None and m.tie_break(evidence)]
    return told if len(told) == 1 else matches


def _diagnosis(matches: Sequence[Misconception]) -> Diagnosis | None:
    if not matches or len(matches) > MOST_TWINS:
        return None
    first = matches[0]
    evidence = "reproduces every answer of this code" if first.variant is not None else "recognised by its sign"
    return Diagnosis(first.id, first.title, tuple(m.id for m in matches[1:]), evidence, first.hints, first.reread)
