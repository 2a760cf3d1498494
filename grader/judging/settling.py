"""A component as an assignment sets it: what the hand-out settles is right, and what it settles otherwise a mistake."""

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from inspect import signature
from typing import Any, TypeVar, cast

import numpy as np

from grader.component.calls import Case, Ladder
from grader.component.checks import Misconception
from grader.component.component import Component
from grader.component.convention import Settled, declared, mistake_id, rewording, right_knobs, told_apart
from grader.model.assignment import Interface

Known = TypeVar("Known", bound=Component)


@dataclass(frozen=True, slots=True)
class _Course:
    """What an assignment says of a component beyond the paper; equal where it is written alike.

    ``left_out`` are parameters of the oracle that the hand-out does not take, ``constants`` what it always passes.
    """

    written: str
    kept: Mapping[str, Any] = field(compare=False)
    left_out: frozenset[str] = field(compare=False)
    constants: Mapping[str, Any] = field(compare=False)


def under(component: Known, interface: Interface) -> Known:
    """Return ``component`` as ``interface`` sets it; the component itself where that is as the paper has it.

    The oracle is the workshop turned by the declared conventions; a misconception that is one of them is not known any
    more, and the paper's own setting is one; cases, checks and texts follow.
    """
    course = _course(component, interface)
    return component if course is None else cast("Known", _under(component, course))


def _course(component: Component, interface: Interface) -> _Course | None:
    settled = declared(component.settled, interface.conventions)
    kept = {one.key: value for one, value in settled if value != one.convention.default}
    torch = interface.conventions.get("backend") == "torch"
    kept |= {"backend": "torch"} if torch else {}
    kept |= {"float64": False} if interface.conventions.get("float64") is False else {}
    if component.returns and interface.judged not in ((), component.returns):
        kept["returns"] = ", ".join(interface.judged)
    left_out = _left_out(component, interface)
    taken = signature(component.oracle()).parameters
    free = taken.keys() - kept.keys()
    constants = {one.name: one.value for one in interface.arguments if one.constant and one.name in free}
    if not (kept or left_out):
        return None
    written = repr((sorted(kept.items(), key=repr), sorted(left_out), sorted(constants.items(), key=repr)))
    return _Course(written, kept, left_out, constants)


def _in_single(ladder: Ladder) -> Ladder:
    """The cases with numbers that single precision holds, so that no rounding stands between question and answer."""

    def rounded(value: Any) -> Any:
        floating = isinstance(value, np.ndarray) and value.dtype.kind == "f"
        return value.astype(np.float32).astype(value.dtype) if floating else value

    def asked(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterator[Case]:
        for case in ladder(rng, domain):
            yield replace(case, inputs={name: rounded(value) for name, value in case.inputs.items()})

    return asked


def _left_out(component: Component, interface: Interface) -> frozenset[str]:
    """The oracle's parameters that the hand-out does not take; where it lists none, those that have to be listed."""
    if not interface.parameters:
        return frozenset(component.only_listed)
    bundled = {part for name in interface.parameters for part in component.bundles.get(name, {}).values()}
    return frozenset(component.taken().keys() - bundled - set(interface.parameters))


@lru_cache(maxsize=256)
def _under(component: Component, course: _Course) -> Component:
    kept, settled = course.kept, component.settled
    turned = copy(component)
    knobs = right_knobs(settled, kept)
    turned.settings = {**component.settings, **knobs, **course.constants}
    turned.read_as = tuple((one.reads, value) for one, value in declared(settled, kept) if one.reads is not None)
    if turned.settings:
        turned.oracles = {target: turned.turned(target, {}) for target in component.oracles}
    turned.unused = frozenset(name for one, value in declared(settled, kept) for name in one.unused.get(value, ()))
    turned.left_out = course.left_out - turned.unused
    turned.mask_required = kept.get("mask_required") is True
    turned.whole_numbers = kept.get("backend") != "torch"
    turned.gradients = not turned.whole_numbers  # arrays of numpy have none
    narrowed = {key: said for one, value in declared(settled, kept) for key, said in one.narrows(value).items()}
    if narrowed:
        turned.ladder = lambda rng, domain: component.ladder(rng, _both(narrowed, domain))
        probes = component.probes or component.ladder
        turned.probes = lambda rng, domain: probes(rng, _both(narrowed, domain))
    if kept.get("float64") is False:
        turned.ladder, turned.probes = _in_single(turned.ladder), _in_single(turned.probes or turned.ladder)
    turned.say = say = rewording(settled, kept)
    turned.checks = component.checks_told(say)
    for kept_there in ("misconceptions", "inner"):
        turned.__dict__.pop(kept_there, None)  # those of the component itself
    turned.listed = partial(_mistakes, component, turned, kept)
    return turned


def _both(narrowed: Mapping[str, Any], domain: Mapping[str, Any]) -> Mapping[str, Any]:
    """What conventions say of the domain, before what the hand-out says, which sees what is asked of it."""
    return ChainMap(dict(narrowed), cast("dict[str, Any]", domain))


def _mistakes(component: Component, turned: Component, kept: Mapping[str, Any]) -> tuple[Misconception, ...]:
    """What is known to be wrong under the declared conventions: other conventions, then the component's own."""
    shops = component.workshop if isinstance(component.workshop, Mapping) else {}
    others, left = mistakes_under(component.name, component.misconceptions, component.settled, kept)
    shown = [
        replace(
            one,
            variant=turned.turned("", one.knobs),
            variants={target: turned.turned(target, one.knobs) for target in shops},
        )
        for one in others
    ]
    return (*shown, *(_under_conventions(one, turned, kept) for one in left))


def _under_conventions(m: Misconception, turned: Component, kept: Mapping[str, Any]) -> Misconception:
    """A mistake of the component's own, made beside what is declared and told in its words."""
    defaults = {one.key: one.convention.default for one in turned.settled}
    # Who keeps to the opposite of what is declared keeps to the paper.
    reading = {key: defaults.get(key) if kept.get(key) == value else value for key, value in m.reading.items()}
    said = replace(reworded(m, turned.say), reading=reading)
    if m.variant is None:
        return said
    variants = {name: turned.turned(name, m.knobs) for name in m.variants}
    return replace(said, variant=turned.turned(m.target, m.knobs), variants=variants)


def mistakes_under(
    component: str, known: Sequence[Misconception], settled: tuple[Settled, ...], said: Mapping[str, Any]
) -> tuple[list[Misconception], list[Misconception]]:
    """The mistakes under what is declared: keeping to another convention, and what of the ``known`` ones is left.

    One of which every setting is declared right is none. Where some are, it is left if its name still says what is
    wrong, and if no other says that alone: d - 1 beside a lost eps is a lost eps where d - 1 is right.
    """
    right, dropped = right_knobs(settled, said), dropped_under(settled, said)
    others = [one for one in _of_others(component, settled, said) if one.id not in dropped]
    told = [one.knobs for one in others]
    left = [one for one in known if one.id not in dropped and one.knobs not in told]
    return others, [one for one in left if not one.knobs or _wrong_under(one, right, told, left)]


def _wrong_under(
    one: Misconception, right: Mapping[str, Any], told: Sequence[Mapping[str, Any]], known: Sequence[Misconception]
) -> bool:
    """Whether a mistake is one, and its name true, where ``right`` settings are declared."""
    wrong = dict(knob for knob in one.knobs.items() if knob not in right.items())
    if len(wrong) == len(one.knobs):
        return True
    plain = [o.knobs for o in known if o.id == one.id and o.knobs]
    if not wrong or any(knobs.items() <= one.knobs.items() - wrong.items() for knobs in plain):
        return False
    return wrong not in told and not any(wrong == o.knobs and o.target == one.target for o in known)


def _of_others(component: str, settled: tuple[Settled, ...], said: Mapping[str, Any]) -> Iterator[Misconception]:
    """Keeping to another value than a course settles on, for each convention that it settles otherwise than the paper.

    What leaves a choice is neither wrong nor does it make another value wrong.
    """
    for one, right in declared(settled, said):
        if right in (one.convention.default, *_EITHER):
            continue
        for value, knobs in one.others(right):
            if value in _EITHER:
                continue
            title, hints = told_apart(one.convention, right, value)
            yield Misconception(
                mistake_id(one.key, value),
                title,
                hints,
                "what the hand-out settles",
                component,
                knobs=knobs,
                reading={one.key: value} if one.reads is not None else {},
            )


_EITHER = ("either", "free")


def dropped_under(settled: tuple[Settled, ...], said: Mapping[str, Any]) -> frozenset[str]:
    """The ids of the mistakes that mean nothing under what is declared."""
    return frozenset(name for one, value in declared(settled, said) for name in one.drops.get(value, ()))


def reworded(known: Misconception, say: Callable[[str], str]) -> Misconception:
    """The mistake as ``say`` tells it under what is declared."""
    texts = {level: say(text) for level, text in known.hints.items()}
    title, told = say(known.title), say(known.told)
    return replace(known, title=title, told=told, hints=texts)
