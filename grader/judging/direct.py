"""How a function answers mistakes: each is predicted for the inputs that were asked, many at once, and compared.

Two knobs of a component's workshop may be turned together.
"""

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from grader.component.calls import Answered, Call, Inputs
from grader.component.checks import Evidence, Misconception, together
from grader.component.component import Component
from grader.judging import promised, relations
from grader.judging.agreement import (
    Asked,
    agrees,
    apart,
    asked_of,
    function_of,
    numbers_of,
    plausible,
    predict,
    target_of,
)
from grader.judging.diagnose import Asking, Explained
from grader.judging.prediction import plain
from grader.properties import COARSE, near

Ask = Callable[[Sequence[Call]], Generator[Any, Any, list[Answered]]]
MOST_PAIRS = 10_000
"""Pairs that are looked at closely."""
MOST_FITTED = 400
"""Mistakes with a constant that was read from answers of which it is remembered what they give on an input."""
FEW = 60
"""Settings of a workshop that are tried in all pairs."""


_SINGLE_NAMED = re.compile(r"float32|\.single\b|[\"'][<>=]?f4[\"']")


@dataclass(slots=True)
class Direct(Explained):
    """The answers of a function; ``ask`` asks it for more."""

    component: Component
    evidence: Evidence
    ask: Ask

    @property
    def source(self) -> Evidence:
        """All that is known of the function."""
        return self.evidence

    @property
    def judged(self) -> Component:
        """The component as its answers are compared."""
        return _as_coarse(self.component, self.evidence)

    @property
    def whole(self) -> bool:
        """Whether every call ended with a value or an exception."""
        return all(answer.status in {"value", "error"} for answer in self._answers())

    def _answers(self) -> list[Answered]:
        return [answer for answer in self.evidence.answers if answer.call.repeat == 1]

    def stages(self) -> Iterator[list[Misconception]]:
        """One misconception, of the component or a part inside, or else two together; none where all is right."""
        component, evidence = self.judged, self.evidence
        if component.random or not self.whole:
            return
        asked = [asked_of(component, answer) for answer in self._answers()]
        wrong = [one for one in asked if not agrees(component, one.answer, component.oracle(one.target), one.known)]
        if not wrong:
            return
        # The answers that tell quickly come first: that leaves few for a closer look at the others.
        order = sorted(asked, key=lambda one: (not one.quick, all(one is not other for other in wrong)))
        candidates = _candidates(component, component.misconceptions, evidence)
        yield _simplest(_reproducing(component, plausible(component, candidates, order), order))
        inner = _candidates(component, component.inner, evidence)
        yield _simplest(_reproducing(component, plausible(component, inner, order), order))
        for screened in (True, False):
            two = _pairs(component, candidates, wrong, screened=screened)
            yield _simplest(_reproducing(component, two, order))

    def told_apart(self, matches: list[Misconception]) -> Asking:
        """Look for inputs on which the candidates differ, ask the student's code, keep those that still agree."""
        component = self.judged
        calls = _telling(component, matches, self.evidence.domain)
        if not calls:
            return matches
        answers = yield from self.ask(calls)
        usable = [answer for answer in answers if answer.status in {"value", "error"}]
        return [
            m
            for m in matches
            if all(agrees(component, one, function_of(component, m, target_of(component, one))) for one in usable)
        ]

    def signs(self) -> list[Misconception]:
        """The one sign that is seen; else how the answers stand to the right ones."""
        component, evidence = self.component, self.evidence
        signs = {m.id: m for m in component.misconceptions if m.sign is not None and m.sign(evidence)}
        if len(signs) == 1:
            return [*signs.values()]
        asked = [asked_of(component, answer) for answer in self._answers()] if self.whole else []
        related = relations.explain(component, evidence, asked)
        return [] if related is None else [replace(related, reread=component.reread, component=component.name)]


def _as_coarse(component: Component, evidence: Evidence) -> Component:
    """The component with answers compared in single precision, where the code speaks of it.

    A constant of float32 among numbers of float64 gives float64, and blurs it: a right answer is then nearly right.
    """
    if not component.compares_all or not _names_single(evidence):
        return component
    coarse = copy(component)
    coarse.compare = lambda got, expected, **_: near(got, expected, dtype=COARSE)
    return coarse


def _names_single(evidence: Evidence) -> bool:
    """Whether the code names single precision anywhere."""
    return any(_SINGLE_NAMED.search(chunk.code) for module in evidence.modules for chunk in module.chunks)


def _candidates(component: Component, listed: Iterable[Misconception], evidence: Evidence) -> list[Misconception]:
    """All that is listed and can be made here; with a constant, too, where one can be read from the answers."""
    found = []
    asked = [answer.call.inputs for answer in evidence.answers]
    for misconception in listed:
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


def _reproducing(
    component: Component, candidates: Iterable[Misconception], asked: Sequence[Asked]
) -> list[Misconception]:
    found: dict[str, Misconception] = {}
    for candidate in candidates:
        if candidate.variant is None or candidate.id in found:
            continue
        if all(agrees(component, o.answer, function_of(component, candidate, o.target), o.known) for o in asked):
            found[candidate.id] = candidate
    return list(found.values())


def _pairs(
    component: Component, candidates: Sequence[Misconception], wrong: Sequence[Asked], *, screened: bool
) -> Iterable[Misconception]:
    """Two faults together: settings of the workshop that turn different knobs, or slips in two callables.

    Unscreened only where there are few, since that takes its time.
    """
    turned = [m for m in candidates if m.knobs]
    if not screened and len(turned) > FEW:
        return
    seen = [one for one in wrong if one.quick] or wrong
    probes = (seen[0], seen[len(seen) // 2])
    possible = np.ones((len(turned), len(turned)), dtype=bool)
    if screened:
        fits, touches = _screened(component, turned, probes)
        # A fault that does nothing to an answer seldom mends what the other one alone gets wrong there; it can where
        # one of them makes room for the other, as a sentence that goes on shows that it goes on for too long.
        possible = (fits | touches.T) & (fits.T | touches) == (1 << len(probes)) - 1
    pairs = np.argwhere(np.triu(possible, 1))
    for one in probes:
        pairs = _not_far(component, turned, pairs, one)
    # Where all that is known is an exception, nearly every pair may be meant, and none of them is told.
    for first, second in ((turned[i], turned[j]) for i, j in pairs[:MOST_PAIRS]):
        variants = _together(component, first, second)
        if not variants or (first.id == second.id and len(variants) == 1):
            continue
        functions = [variants.get(one.target) or component.oracle(one.target) for one in probes]
        if all(agrees(component, o.answer, f, o.known) for o, f in zip(probes, functions, strict=True)):
            yield _pair(first, second, variants)


def _not_far(
    component: Component, turned: Sequence[Misconception], pairs: np.ndarray[Any, Any], one: Asked
) -> np.ndarray[Any, Any]:
    """Leave out the pairs, two places in ``turned`` each, that are far from one answer: all at once, and remembered."""
    if not one.quick:
        return pairs
    numbers = _numbers(component, turned, one)
    by_number, most = dict(zip(numbers, turned, strict=True)), len(component.misconceptions) + MOST_FITTED
    firsts, seconds = np.array(numbers, dtype=int)[pairs].T

    def compute(number: int) -> Any:
        first, second = by_number[number // most], by_number[number % most]
        function = _together(component, first, second).get(one.target) or component.oracle(one.target)
        return one.told(predict(function, one.answer.call.inputs)[0])

    kept = (firsts < 0) | (seconds < 0)  # what has no number stays
    numbered = ~kept
    named = (firsts * most + seconds)[numbered]
    kept[numbered] = one.forecasts.pairs.near(named, compute, one.got, one.far)
    near_enough: np.ndarray[Any, Any] = pairs[kept]
    return near_enough


def _screened(
    component: Component, candidates: Sequence[Misconception], probes: Sequence[Asked]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A bit for each probe: whether each candidate alone gives it, and whether it differs from the oracle there."""
    fits, touches = np.zeros((len(candidates), 1), dtype=int), np.zeros((len(candidates), 1), dtype=int)
    for bit, one in enumerate(probes):
        near = {id(m) for m in plausible(component, list(candidates), (one,))}
        known = one.forecasts.touches
        for row, (candidate, number) in enumerate(zip(candidates, _numbers(component, candidates, one), strict=True)):
            if id(candidate) in near:
                function = function_of(component, candidate, one.target)
                fits[row] |= agrees(component, one.answer, function, one.known) << bit
            changes = known.get(number)
            if changes is None:
                function, oracle = function_of(component, candidate, one.target), component.oracle(one.target)
                changes = function is not oracle and apart(
                    component, function, oracle, one.answer.call.inputs, one.known
                )
                if number >= 0:
                    known[number] = changes
            touches[row] |= changes << bit
    return fits, touches


def _numbers(component: Component, candidates: Sequence[Misconception], one: Asked) -> list[int]:
    """The numbers by which it is remembered what the candidates give on the inputs of ``one``; -1 where it is not.

    What is not listed has the number of its settings, where they are plain values: students write the same constants.
    """
    listed, fitted = numbers_of(component), one.forecasts.fitted
    numbers = []
    for m in candidates:
        number = listed.get(id(m), -1)
        if number < 0 and plain(tuple(m.knobs.values())):
            name = f"{m.id} {m.target} {sorted(m.knobs.items())}"
            if name in fitted or len(fitted) < MOST_FITTED:
                number = len(listed) + fitted.setdefault(name, len(fitted))
        numbers.append(number)
    return numbers


def _pair(first: Misconception, second: Misconception, variants: Mapping[str, Callable[..., Any]]) -> Misconception:
    return together(
        first,
        second,
        variant=next(iter(variants.values())),
        target=next(iter(variants)),
        variants=variants,
        tie_break=lambda evidence: all(m.tie_break is None or m.tie_break(evidence) for m in (first, second)),
    )


def _together(component: Component, first: Misconception, second: Misconception) -> dict[str, Callable[..., Any]]:
    """The functions that show both slips; empty where they turn the same knob of one callable."""
    one, other = first.by_target(component.target), second.by_target(component.target)
    shared = set(one) & set(other)
    if shared and not first.apart_from(second):
        return {}
    both = {**first.knobs, **second.knobs}
    return {**one, **other, **{target: component.turned(target, both) for target in shared}}


def _simplest(matches: list[Misconception]) -> list[Misconception]:
    """Leave out what only adds a setting without effect to another match."""

    def adds(more: Misconception, less: Misconception) -> bool:
        return bool(less.knobs) and less.knobs.items() < more.knobs.items()

    return [m for m in matches if not any(adds(m, other) for other in matches)]


def _telling(
    component: Component, matches: Sequence[Misconception], domain: Mapping[str, Any], most: int = 6
) -> list[Call]:
    found: list[Call] = []
    open_pairs, probes = list(combinations(matches, 2)), component.probes or component.ladder
    for draw in range(4):
        for case in promised.cases(component, probes, np.random.default_rng([7, draw]), domain):
            if not open_pairs or len(found) >= most:
                return found
            target = case.target or component.target
            call = promised.fitted(component, Call(case.inputs, target), domain)
            told = [pair for pair in open_pairs if call and _differ(component, pair, target, call.inputs)]
            if call and told:
                found.append(call)
                open_pairs = [pair for pair in open_pairs if pair not in told]
    return found


def _differ(component: Component, pair: tuple[Misconception, Misconception], target: str, inputs: Inputs) -> bool:
    one, other = (function_of(component, m, target) for m in pair)
    return apart(component, one, other, inputs)
