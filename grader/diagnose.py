"""Name the mistake: the one misconception that reproduces what the student's code does.

A misconception explains a submission when it reproduces every answer that was given, right and wrong ones alike,
and differs from the oracle on at least one wrong one. When several do, an input that tells them apart is looked
for and asked; when none exists, the source decides, or they are reported as a family. Two knobs of a component's
workshop may be turned together. "Unexplained" is an honest answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from grader.component import (
    Answered,
    Call,
    Component,
    Differentiated,
    Evidence,
    Inputs,
    Misconception,
    Refused,
    Watched,
    live,
)
from grader.model import Diagnosis
from grader.prediction import (
    UNLIKE,
    Forecasts,
    beyond,
    clearly_apart,
    flat,
    forecasts,
    inputs_key,
    remembered,
    without,
)
from grader.properties import NOT_ASKED, near

Asking = Generator[Any, Any, Any]
Ask = Callable[[Sequence[Call]], Asking]

MOST_TWINS = 3
FEW = 60
"""Settings of a workshop that are tried in all pairs."""
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
    "unpack": ("to unpack",),
    "truth": ("truth value", "boolean value"),
    "index": ("out of bounds", "index"),
    "zero": ("division by zero", "negative power"),
    "dtype": ("cast", "dtype", "data type", "overflow"),
}


_SINGLE = np.dtype(np.float32)
_SINGLE_NAMED = re.compile(r"float32|\.single\b|[\"'][<>=]?f4[\"']")


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
    matches: list[Misconception] = []
    if not component.random and all(answer.status in {"value", "error"} for answer in answers):
        judged = _as_coarse(component, evidence)
        matches = _simplest(_matching(judged, evidence, [_asked(judged, answer) for answer in answers]))
        if len(matches) > 1:
            matches = yield from _separate(judged, matches, evidence.domain, ask)
        if len(matches) > 1:
            matches = _by_source(matches, evidence)
    by_sign = not matches
    if by_sign:
        signs = {m.id: m for m in component.misconceptions if m.sign is not None and m.sign(evidence)}
        matches = list(signs.values()) if len(signs) == 1 else []
    return _diagnosis(matches, by_sign=by_sign)


def _as_coarse(component: Component, evidence: Evidence) -> Component:
    """The component with answers compared in single precision, where the code speaks of it.

    A constant of float32 among numbers of float64 gives float64, and blurs it: a right answer is then nearly right.
    """
    if not component.compares_all or not _names_single(evidence):
        return component
    coarse = copy(component)
    coarse.compare = lambda got, expected, **_: near(got, expected, dtype=_SINGLE)
    return coarse


def _names_single(evidence: Evidence) -> bool:
    """Whether the code names single precision anywhere."""
    return any(_SINGLE_NAMED.search(chunk.code) for module in evidence.modules for chunk in module.chunks)


@dataclass(frozen=True, slots=True)
class _Asked:
    """An answer that is to be reproduced, and what is known of its inputs where every submission is asked them.

    ``got`` is the answer as :class:`~grader.prediction.Rows` compare it, ``far`` what no tolerance reaches; ``quick``
    says whether they can. ``parts`` says which of several values are asked for; empty where all are.
    """

    answer: Answered
    target: str
    known: Hashable | None
    forecasts: Forecasts
    got: Any
    far: float
    quick: bool
    parts: tuple[bool, ...] = ()

    def told(self, predicted: Any) -> Any:
        """What was asked for of a prediction, as the rows hold it."""
        if isinstance(predicted, Raised):
            return predicted.kind
        if not self.parts:
            return predicted
        if not isinstance(predicted, tuple) or len(predicted) != len(self.parts):
            return UNLIKE
        return tuple(part for part, asked in zip(predicted, self.parts, strict=True) if asked)


def _asked(component: Component, answer: Answered) -> _Asked:
    target, known = _target(component, answer), _key(answer)
    value, raised = _value(answer), _raised(answer)
    got = raised if raised is not None else None if value is None else without(value) or flat(value)
    parts = tuple(part is not NOT_ASKED for part in value) if isinstance(value, tuple) else ()
    parts = () if all(parts) else parts
    quick = known is not None and component.compares_all and not answer.call.may_raise
    quick = quick and (got is not None or (value is None and answer.status == "value"))
    oracle, listed = component.oracle(target), component.misconceptions
    kept = Forecasts() if known is None else forecasts((known, parts), listed, oracle)
    return _Asked(answer, target, known, kept, got, beyond(value), quick, parts)


def _matching(component: Component, evidence: Evidence, asked: Sequence[_Asked]) -> list[Misconception]:
    """What reproduces all that is ``asked``, one misconception or else two together; none where all is right."""
    wrong = [one for one in asked if not _agrees(component, one.answer, component.oracle(one.target), one.known)]
    if not wrong:
        return []
    # The answers that tell quickly come first: that leaves few for a closer look at the others.
    order = sorted(asked, key=lambda one: (not one.quick, all(one is not other for other in wrong)))
    candidates = _candidates(component, evidence)
    found = _reproducing(component, _possible(component, candidates, order), order)
    for screened in (True, False):
        found = found or _reproducing(component, _pairs(component, candidates, wrong, screened=screened), order)
    return found


def _possible(component: Component, candidates: list[Misconception], asked: Sequence[_Asked]) -> list[Misconception]:
    """Leave out the listed candidates that are far from one of the answers."""
    numbers = _numbers(component)
    left = np.array([number for number, m in enumerate(component.misconceptions) if m.variant is not None], dtype=int)
    for one in asked:
        if one.quick:
            left = left[one.forecasts.singles.near(left.tolist(), partial(_single, component, one), one.got, one.far)]
    kept = set(left.tolist())
    return [m for m in candidates if id(m) not in numbers or numbers[id(m)] in kept]


def _numbers(component: Component) -> Mapping[int, int]:
    """The places of the listed misconceptions by their identity: what is fitted to an answer has none."""
    return {id(m): number for number, m in enumerate(component.misconceptions)}


def _single(component: Component, one: _Asked, number: int) -> Any:
    function = _function(component, component.misconceptions[number], one.target)
    return one.told(remembered(lambda: _predict(function, one.answer.call.inputs), one.known, function)[0])


def _target(component: Component, answer: Answered) -> str:
    return answer.call.target or answer.case.target or component.target


def _value(answer: Answered) -> Any:
    return answer.value.value if isinstance(answer.value, Watched | Differentiated) else answer.value


def _candidates(component: Component, evidence: Evidence) -> list[Misconception]:
    """All that is listed and can be made here; with a constant, too, where one can be read from the answers."""
    found = []
    asked = [answer.call.inputs for answer in evidence.answers]
    for misconception in component.misconceptions:
        if misconception.applies is not None and not misconception.applies(asked):
            continue
        for knobs in _fitted(misconception, evidence):
            variants = {target: component.turned(target, knobs) for target in misconception.variants}
            variant = component.turned(misconception.target, knobs)
            title = misconception.told.format(**knobs) if misconception.told else misconception.title
            found.append(replace(misconception, title=title, knobs=knobs, variant=variant, variants=variants))
        found.append(misconception)
    return found


def _fitted(misconception: Misconception, evidence: Evidence) -> list[Mapping[str, Any]]:
    if misconception.fit is None:
        return []
    try:
        with np.errstate(all="ignore"):
            return list(misconception.fit(evidence))
    except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError):
        return []  # what came back is not of the kind that the constant could be read from


def _function(component: Component, candidate: Misconception, target: str) -> Callable[..., Any]:
    return candidate.by_target(component.target).get(target) or component.oracle(target)


def _predict(function: Callable[..., Any], inputs: Inputs) -> tuple[Any, Inputs]:
    """What ``function`` returns (or Raised), and its arguments as they are afterwards."""
    given = live(inputs)
    try:
        with np.errstate(all="ignore"):
            return function(**given), given
    except Exception as error:  # noqa: BLE001 - a misconception may raise whatever the mistaken code raises
        return Raised(kind_of(type(error).__name__, str(error))), given


def _key(answer: Answered) -> Hashable | None:
    """The inputs of a visible case, which every submission is asked; None for a hidden one."""
    return None if answer.case.hidden else inputs_key(answer.call.inputs)


def _agrees(
    component: Component, answer: Answered, function: Callable[..., Any], known: Hashable | None = None
) -> bool:
    inputs = answer.call.inputs
    predicted, after = remembered(lambda: _predict(function, inputs), known or _key(answer), function)
    raised = _raised(answer)
    if isinstance(predicted, Raised) or raised is not None:
        both = isinstance(predicted, Raised) and raised is not None
        return both and (answer.call.may_raise or raised == predicted.kind)
    if answer.status != "value":
        return False
    return bool(_same(component, _value(answer), predicted, answer.call.inputs)) and _leaves(answer, after)


def _raised(answer: Answered) -> str | None:
    """The kind of the exception that came instead of an answer."""
    if isinstance(answer.value, Refused):
        return kind_of(answer.value.type, answer.value.message)
    return kind_of(answer.failure.type, answer.failure.message) if answer.status == "error" else None


def _leaves(answer: Answered, after: Inputs) -> bool:
    """Whether the arguments are left as ``after`` says: a slip in place is part of what is reproduced."""
    if not isinstance(answer.value, Watched):
        return True
    seen = answer.value.after
    arrays = [name for name in seen if isinstance(after.get(name), np.ndarray)]
    return all(bool(near(*_finite(seen[name], after[name]))) for name in arrays)


def _same(component: Component, got: Any, predicted: Any, inputs: Inputs) -> bool:
    """Equal up to tolerance, where a value that is not finite equals the same value that is not finite."""
    with np.errstate(all="ignore"):
        if component.compares_all and clearly_apart(got, predicted):
            return False
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
    if isinstance(predicted, float) and isinstance(mine, float | np.ndarray):
        mine, predicted = np.asarray(mine), np.asarray(predicted)
    if not isinstance(mine, np.ndarray) or not isinstance(predicted, np.ndarray) or mine.shape != predicted.shape:
        return got, predicted
    if mine.dtype.kind != "f" or predicted.dtype.kind != "f":
        return got, predicted
    with np.errstate(all="ignore"):
        if np.isfinite(np.add.reduce(predicted, axis=None)):  # then every entry is
            return got, predicted
    shared = (np.isnan(mine) & np.isnan(predicted)) | (~np.isfinite(mine) & (mine == predicted))
    return np.where(shared, 0.0, mine), np.where(shared, 0.0, predicted)


def _reproducing(
    component: Component, candidates: Iterable[Misconception], asked: Sequence[_Asked]
) -> list[Misconception]:
    found: dict[str, Misconception] = {}
    for candidate in candidates:
        if candidate.variant is None or candidate.id in found:
            continue
        if all(_agrees(component, o.answer, _function(component, candidate, o.target), o.known) for o in asked):
            found[candidate.id] = candidate
    return list(found.values())


def _pairs(
    component: Component, candidates: Sequence[Misconception], wrong: Sequence[_Asked], *, screened: bool
) -> Iterable[Misconception]:
    """Two faults together: settings of the workshop that turn different knobs, or slips in two callables.

    Unscreened only where there are few, since that takes its time.
    """
    seen = [one for one in wrong if one.quick] or wrong
    probes = (seen[0], seen[len(seen) // 2])
    turned = [m for m in candidates if m.knobs]
    possible = np.full((len(turned), len(turned)), len(turned) <= FEW)
    if screened:
        fits, touches = _screened(component, turned, probes)
        # A fault that does nothing to an answer seldom mends what the other one alone gets wrong there; it can where
        # one of them makes room for the other, as a sentence that goes on shows that it goes on for too long.
        possible = (fits | touches.T) & (fits.T | touches) == (1 << len(probes)) - 1
    pairs = np.argwhere(np.triu(possible, 1))
    for one in probes:
        pairs = _not_far(component, turned, pairs, one)
    for first, second in ((turned[i], turned[j]) for i, j in pairs):
        variants = _together(component, first, second)
        if not variants or (first.id == second.id and len(variants) == 1):
            continue
        functions = [variants.get(one.target) or component.oracle(one.target) for one in probes]
        if all(_agrees(component, o.answer, f, o.known) for o, f in zip(probes, functions, strict=True)):
            yield _pair(component, first, second, variants)


def _not_far(
    component: Component, turned: Sequence[Misconception], pairs: np.ndarray[Any, Any], one: _Asked
) -> np.ndarray[Any, Any]:
    """Leave out the pairs, two places in ``turned`` each, that are far from one answer: all at once, and remembered."""
    if not one.quick:
        return pairs
    count = len(component.misconceptions)
    places = _numbers(component)
    numbers = np.array([places.get(id(m), -1) for m in turned], dtype=int)
    firsts, seconds = numbers[pairs[:, 0]], numbers[pairs[:, 1]]

    def compute(number: int) -> Any:
        first, second = component.misconceptions[number // count], component.misconceptions[number % count]
        function = _together(component, first, second).get(one.target) or component.oracle(one.target)
        return one.told(_predict(function, one.answer.call.inputs)[0])

    kept = (firsts < 0) | (seconds < 0)  # what has no number stays
    numbered = ~kept
    named = (firsts * count + seconds)[numbered].tolist()
    kept[numbered] = one.forecasts.pairs.near(named, compute, one.got, one.far)
    near_enough: np.ndarray[Any, Any] = pairs[kept]
    return near_enough


def _screened(
    component: Component, candidates: Sequence[Misconception], probes: Sequence[_Asked]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A bit for each probe: whether each candidate alone gives it, and whether it differs from the oracle there."""
    fits, touches = np.zeros((len(candidates), 1), dtype=int), np.zeros((len(candidates), 1), dtype=int)
    numbers = _numbers(component)
    for bit, one in enumerate(probes):
        near = {id(m) for m in _possible(component, list(candidates), (one,))}
        known = one.forecasts.touches
        for row, candidate in enumerate(candidates):
            if id(candidate) in near:
                function = _function(component, candidate, one.target)
                fits[row] |= _agrees(component, one.answer, function, one.known) << bit
            number = numbers.get(id(candidate))
            changes = None if number is None else known.get(number)
            if changes is None:
                function, oracle = _function(component, candidate, one.target), component.oracle(one.target)
                changes = function is not oracle and _apart(component, function, oracle, one.answer.call.inputs)
                if number is not None:
                    known[number] = changes
            touches[row] |= changes << bit
    return fits, touches


def _pair(
    component: Component, first: Misconception, second: Misconception, variants: Mapping[str, Callable[..., Any]]
) -> Misconception:
    alike = first.id == second.id
    return Misconception(
        first.id if alike else f"{first.id} + {second.id}",
        first.title if alike else f"Two slips together: {_lower(first.title)} and {_lower(second.title)}.",
        f"{first.explanation} {second.explanation}",
        {level: f"{first.hints.get(level, '')} {second.hints.get(level, '')}".strip() for level in first.hints},
        first.reread,
        component.name,
        next(iter(variants.values())),
        target=next(iter(variants)),
        knobs={**first.knobs, **second.knobs},
        variants=variants,
        tie_break=lambda evidence: all(m.tie_break is None or m.tie_break(evidence) for m in (first, second)),
    )


def _together(component: Component, first: Misconception, second: Misconception) -> dict[str, Callable[..., Any]]:
    """The functions that show both slips; empty where they turn the same knob of one callable."""
    one, other = first.by_target(component.target), second.by_target(component.target)
    shared = set(one) & set(other)
    if shared and set(first.knobs) & set(second.knobs):
        return {}
    both = {**first.knobs, **second.knobs}
    return {**one, **other, **{target: component.turned(target, both) for target in shared}}


def _simplest(matches: list[Misconception]) -> list[Misconception]:
    """Leave out what only adds a setting without effect to another match."""

    def adds(more: Misconception, less: Misconception) -> bool:
        return bool(less.knobs) and less.knobs.items() < more.knobs.items()

    return [m for m in matches if not any(adds(m, other) for other in matches)]


def _lower(title: str) -> str:
    text = title.strip().rstrip(".")
    if text.split(maxsplit=1)[0] in {"True", "False", "None"}:
        return text
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def _separate(
    component: Component, matches: list[Misconception], domain: Mapping[str, Any], ask: Ask
) -> Generator[Any, Any, list[Misconception]]:
    """Look for inputs on which the candidates differ, ask the student's code, keep those that still agree."""
    calls = _telling(component, matches, domain)
    if not calls:
        return matches
    answers = yield from ask(calls)
    usable = [answer for answer in answers if answer.status in {"value", "error"}]
    return [
        m
        for m in matches
        if all(_agrees(component, answer, _function(component, m, _target(component, answer))) for answer in usable)
    ]


def _telling(
    component: Component, matches: Sequence[Misconception], domain: Mapping[str, Any], most: int = 6
) -> list[Call]:
    found: list[Call] = []
    open_pairs = list(combinations(matches, 2))
    for draw in range(4):
        for case in component.probes(np.random.default_rng([7, draw]), domain):
            if not open_pairs or len(found) >= most:
                return found
            target = case.target or component.target
            told = [pair for pair in open_pairs if _differ(component, pair, target, case.inputs)]
            if told:
                found.append(Call(case.inputs, target))
                open_pairs = [pair for pair in open_pairs if pair not in told]
    return found


def _differ(component: Component, pair: tuple[Misconception, Misconception], target: str, inputs: Inputs) -> bool:
    one, other = (_function(component, m, target) for m in pair)
    return _apart(component, one, other, inputs)


def _apart(component: Component, one: Callable[..., Any], other: Callable[..., Any], inputs: Inputs) -> bool:
    """Whether two functions give different answers, or leave their arguments differently."""
    (mine, after), (theirs, left) = _predict(one, inputs), _predict(other, inputs)
    if isinstance(mine, Raised) or isinstance(theirs, Raised):
        return not (isinstance(mine, Raised) and isinstance(theirs, Raised) and mine.kind == theirs.kind)
    arrays = [name for name, value in left.items() if isinstance(value, np.ndarray)]
    moved = any(not np.array_equal(after[name], left[name]) for name in arrays)
    return moved or not _same(component, mine, theirs, inputs)


def _by_source(matches: list[Misconception], evidence: Evidence) -> list[Misconception]:
    """Use the syntax tree where values cannot decide; silence leaves the family as it is."""
    told = [m for m in matches if m.tie_break is not None and m.tie_break(evidence)]
    return told if len(told) == 1 else matches


def _diagnosis(matches: Sequence[Misconception], *, by_sign: bool) -> Diagnosis | None:
    if not matches or len(matches) > MOST_TWINS:
        return None
    first = matches[0]
    evidence = "recognised by its sign" if by_sign else "reproduces every answer of this code"
    family = tuple(m.id for m in matches[1:])
    return Diagnosis(first.id, first.title, family, evidence, first.hints, first.reread)
