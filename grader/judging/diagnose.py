"""Name the mistake: the one misconception that reproduces what the student's code does.

A misconception explains a submission when it reproduces every answer that was given, right and wrong ones alike,
and differs from the oracle on at least one wrong one. When several do, an input that tells them apart is looked
for and asked; when none exists, the source decides, or they are reported as a family. Two knobs of a component's
workshop may be turned together. "Unexplained" is an honest answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from grader.component import Call, Component, Evidence, Inputs, Misconception, together
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
from grader.model import By, Diagnosis
from grader.properties import near

Asking = Generator[Any, Any, Any]
Ask = Callable[[Sequence[Call]], Asking]

MOST_TWINS = 3
MOST_PAIRS = 10_000
"""Pairs that are looked at closely."""
FEW = 60
"""Settings of a workshop that are tried in all pairs."""


_SINGLE = np.dtype(np.float32)
_SINGLE_NAMED = re.compile(r"float32|\.single\b|[\"'][<>=]?f4[\"']")


def explain(component: Component, evidence: Evidence, ask: Ask) -> Generator[Any, Any, Diagnosis | None]:
    """Return the diagnosis that the evidence singles out, or None; may ask the student's code once more."""
    answers = [answer for answer in evidence.answers if answer.call.repeat == 1]
    matches: list[Misconception] = []
    if not component.random and all(answer.status in {"value", "error"} for answer in answers):
        judged = _as_coarse(component, evidence)
        matches = _simplest(_matching(judged, evidence, [asked_of(judged, answer) for answer in answers]))
        if len(matches) > 1:
            matches = yield from _separate(judged, matches, evidence.domain, ask)
    by_sign = not matches
    if by_sign:
        signs = {m.id: m for m in component.misconceptions if m.sign is not None and m.sign(evidence)}
        matches = list(signs.values()) if len(signs) == 1 else []
    if not matches:
        # How the answers stand to the right ones, where nothing that is listed explains them.
        whole = all(answer.status in {"value", "error"} for answer in answers)
        related = relations.explain(component, evidence, [asked_of(component, a) for a in answers] if whole else [])
        matches = [] if related is None else [replace(related, reread=component.reread, component=component.name)]
    return _diagnosis(singled_out(matches, evidence), by_sign=by_sign)


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


def _matching(component: Component, evidence: Evidence, asked: Sequence[Asked]) -> list[Misconception]:
    """What reproduces all that is ``asked``, one misconception or else two together; none where all is right."""
    wrong = [one for one in asked if not agrees(component, one.answer, component.oracle(one.target), one.known)]
    if not wrong:
        return []
    # The answers that tell quickly come first: that leaves few for a closer look at the others.
    order = sorted(asked, key=lambda one: (not one.quick, all(one is not other for other in wrong)))
    candidates = _candidates(component, evidence)
    found = _reproducing(component, plausible(component, candidates, order), order)
    for screened in (True, False):
        found = found or _reproducing(component, _pairs(component, candidates, wrong, screened=screened), order)
    return found


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
    count = len(component.misconceptions)
    places = numbers_of(component)
    numbers = np.array([places.get(id(m), -1) for m in turned], dtype=int)
    firsts, seconds = numbers[pairs[:, 0]], numbers[pairs[:, 1]]

    def compute(number: int) -> Any:
        first, second = component.misconceptions[number // count], component.misconceptions[number % count]
        function = _together(component, first, second).get(one.target) or component.oracle(one.target)
        return one.told(predict(function, one.answer.call.inputs)[0])

    kept = (firsts < 0) | (seconds < 0)  # what has no number stays
    numbered = ~kept
    named = (firsts * count + seconds)[numbered].tolist()
    kept[numbered] = one.forecasts.pairs.near(named, compute, one.got, one.far)
    near_enough: np.ndarray[Any, Any] = pairs[kept]
    return near_enough


def _screened(
    component: Component, candidates: Sequence[Misconception], probes: Sequence[Asked]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A bit for each probe: whether each candidate alone gives it, and whether it differs from the oracle there."""
    fits, touches = np.zeros((len(candidates), 1), dtype=int), np.zeros((len(candidates), 1), dtype=int)
    numbers = numbers_of(component)
    for bit, one in enumerate(probes):
        near = {id(m) for m in plausible(component, list(candidates), (one,))}
        known = one.forecasts.touches
        for row, candidate in enumerate(candidates):
            if id(candidate) in near:
                function = function_of(component, candidate, one.target)
                fits[row] |= agrees(component, one.answer, function, one.known) << bit
            number = numbers.get(id(candidate))
            changes = None if number is None else known.get(number)
            if changes is None:
                function, oracle = function_of(component, candidate, one.target), component.oracle(one.target)
                changes = function is not oracle and apart(component, function, oracle, one.answer.call.inputs)
                if number is not None:
                    known[number] = changes
            touches[row] |= changes << bit
    return fits, touches


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
        if all(agrees(component, answer, function_of(component, m, target_of(component, answer))) for answer in usable)
    ]


def _telling(
    component: Component, matches: Sequence[Misconception], domain: Mapping[str, Any], most: int = 6
) -> list[Call]:
    found: list[Call] = []
    open_pairs = list(combinations(matches, 2))
    for draw in range(4):
        for case in promised.cases(component, component.probes, np.random.default_rng([7, draw]), domain):
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


def singled_out(matches: Iterable[Misconception], source: Any) -> list[Misconception]:
    """Of mistakes that all explain it the one that ``source`` tells, else all; none where they are too many to be told.

    The source is the evidence of a function, the text of a module. It decides where values cannot, and its silence
    leaves the family as it is.
    """
    found = list({one.id: one for one in reversed([*matches])}.values())[::-1]
    told = [one for one in found if source and one.tie_break is not None and one.tie_break(source)]
    found = told if len(told) == 1 else found
    return found if len(found) <= MOST_TWINS else []


def _diagnosis(matches: Sequence[Misconception], *, by_sign: bool) -> Diagnosis | None:
    if not matches:
        return None
    return matches[0].diagnosis(By.SIGN if by_sign else By.ANSWERS, tuple(m.ids for m in matches[1:]))
