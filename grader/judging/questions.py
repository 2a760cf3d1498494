"""What is asked of a component: the cases of its ladder, and the calls that its checks make of them, each once."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from grader.component.calls import Call, Case
from grader.component.checks import Check
from grader.component.component import Component
from grader.judging import promised

VISIBLE_SEED = 2017
"""The visible cases are the same for everybody and in every run."""


Key = tuple[Any, ...]
Plan = Mapping[str, Sequence[tuple[Case, Sequence["Question"]]]]
"""By check, what it asks of each case."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A call with the case it belongs to; questions of an equal ``key`` are asked once."""

    case: Case
    call: Call
    key: Key


def planned(component: Component, domain: Mapping[str, Any], seed: int) -> Plan:
    """What each check of ``component`` asks; a check that the hand-out rules out asks nothing and is left out."""
    cases, told = ladder(component, domain, seed), _Domain(domain)
    plan = {check.name: _plan(check, cases, component, told) for check in component.checks}
    return {name: asked for name, asked in plan.items() if asked}


def questions_in(plan: Plan) -> list[Question]:
    """All that a plan asks, smallest first."""
    return [question for asked in plan.values() for _, questions in asked for question in questions]


def _plan(
    check: Check, cases: Sequence[Case], component: Component, domain: _Domain
) -> list[tuple[Case, list[Question]]]:
    plan: list[tuple[Case, list[Question]]] = []
    for at, case in enumerate(cases):
        if check.most and len(plan) == check.most:
            break
        if check.on(case):
            asked = (
                questions_of(check, case, component, domain.said)
                if case.hidden
                else _kept(check, at, component, domain)
            )
            plan += [(case, asked)] if asked is not None else []
    return plan


def asked_of(component: Component, domain: Mapping[str, Any]) -> frozenset[str]:
    """The names of the checks that the hand-out does not rule out: the others are neither judged nor counted."""
    told = _Domain(domain)
    cases = _visible(component, told)
    return frozenset(check.name for check in component.checks if _plan(check, cases, component, told))


def ladder(component: Component, domain: Mapping[str, Any], seed: int) -> tuple[Case, ...]:
    """The visible rungs, then the hidden ones drawn from the submission's ``seed``."""
    rng = np.random.default_rng([seed, zlib.crc32(component.name.encode())])
    drawn = promised.cases(component, component.ladder, rng, domain)
    hidden = [replace(case, hidden=True) for case in drawn if not case.fixed]
    return _visible(component, _Domain(domain)) + tuple(hidden)


@dataclass(frozen=True, slots=True)
class _Domain:
    """What an assignment narrows the ladder to; equal where it says the same."""

    said: Mapping[str, Any]

    def __hash__(self) -> int:
        return hash(frozenset(self.said))


@lru_cache(maxsize=64)
def _visible(component: Component, domain: _Domain) -> tuple[Case, ...]:
    return tuple(promised.cases(component, component.ladder, np.random.default_rng(VISIBLE_SEED), domain.said))


@lru_cache(maxsize=4096)
def _kept(check: Check, at: int, component: Component, domain: _Domain) -> list[Question] | None:
    """What a check asks of the visible rung ``at``: the same of everybody."""
    return questions_of(check, _visible(component, domain)[at], component, domain.said)


def questions_of(check: Check, case: Case, component: Component, domain: Mapping[str, Any]) -> list[Question] | None:
    """What a check asks of a case; None where the hand-out does not promise one of its calls."""
    found = []
    for call in check.ask(**case.inputs):
        asked = call if call.target else replace(call, target=case.target)
        form = promised.fitted(component, asked, domain)
        if form is None:
            return None
        found.append(replace(question_of(case, asked), call=form))
    return found


def question_of(case: Case, call: Call) -> Question:
    """The question that ``call`` puts about ``case``."""
    inputs = tuple(
        (name, id(value) if isinstance(value, np.ndarray) else repr(value)) for name, value in call.inputs.items()
    )
    return Question(case, call, _key(case, call, watch=call.watch, inputs=inputs))


def unwatched(question: Question) -> Key:
    """The key of the same question without the watching."""
    return _key(question.case, question.call, watch=False, inputs=question.key[-1])


def _key(case: Case, call: Call, *, watch: bool, inputs: Any) -> Key:
    return (id(case), call.target, watch, call.repeat, call.gradient, call.may_raise, inputs)
