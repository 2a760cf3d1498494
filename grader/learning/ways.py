"""The ways to call a function that are tried first: its arguments, then what it returns, masks and a domain for it.

What other parts of the solution keep comes first.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from grader import components as catalogue
from grader.component.component import Component
from grader.components import forms
from grader.judging.declared import domain_of
from grader.learning import draft, instances, models, schedules, words
from grader.learning.around import Around
from grader.learning.calls import MEANINGS
from grader.learning.definitions import REQUIRED, Definition
from grader.learning.search import UNLESS_PASSED, Tried, attempt, best_of
from grader.learning.trial import Trial, changed, complaints
from grader.model.assignment import BESIDE, ONE, Interface
from grader.model.outcome import Verdict

UNANSWERED = frozenset({Verdict.ERROR, Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASHED})
OF_MASKS = frozenset({"mask", "mask_type", "mask_hides"})
"""What parts that take masks have in common."""
MASKED: Sequence[tuple[str, Any, Mapping[str, Any]]] = (
    ("mask_required", True, {}),
    ("mask_heads", False, {"ranks": [4]}),
)
"""What may be settled of masks where it raises, with the domain in which that shows."""


def begun(component: str, one: Definition) -> Interface:
    """What is said of a function before anything is tried."""
    return Interface(component, one.name, conventions={"form": "function"} if len(forms(component)) > 1 else {})


def ways(component: str, one: Definition, around: Around, *, torch: bool) -> list[Interface]:
    """The ways to call it that its signature leaves, likeliest first; with ``torch`` tensors may be passed."""
    part, base, known = catalogue.function(component), begun(component, one), around.known
    constants = {s.key: s.convention.default for s in part.settled if s.number is not None}
    several = draft.returns_masks(one)
    if component == "noam_lr" and schedules.wraps(one):
        starts = list(schedules.starts(base, one))
    elif one.kind == "class":
        starts = list(instances.starts(base, one, part.given, known))
    elif several:
        starts = list(instances.of_ids(base, one, known))
    else:
        starts = list(models.starts(base, one, known)) if "step_fn" in part.given else []
        starts += instances.of_ids(base, one, known)
        starts += instances.told_more(base, one, part.given, _defaults(part), known, part.returns)
        starts += [changed(base, **called) for called in draft.calls(one, part.given, constants)]
        starts += _unsaid(part, base, one, constants)
    backends: list[dict[str, Any]] = [{}, {"backend": "torch"}] if torch else [{}]
    return [
        interface
        for start, backend in itertools.product(starts, backends)
        for manner in (_meanings(part, start) if several else _manners(part, start, around.usual))
        if not complaints(interface := changed(start, conventions={**_told(part, one), **manner, **backend}))
    ]


def _unsaid(part: Component, base: Interface, one: Definition, constants: Mapping[str, Any]) -> Iterator[Interface]:
    """The ways to call it that say what it leaves to the caller, None by default, and the paper has a number for."""
    usual = _defaults(part)
    unsaid = [at for at in one.called if at.default is None]
    said = {at: names[0] for at in unsaid if (names := words.standing_for(at.name, words.ARGUMENTS, usual))}
    if said:
        told = replace(one, called=tuple(replace(at, default=REQUIRED) if at in said else at for at in one.called))
        given = [name for name in part.given if name not in said.values()]
        every = {**constants, **{name: usual[name] for name in said.values()}}
        yield from (changed(base, **called) for called in draft.calls(told, given, every))


def tried(trial: Trial, component: str, one: Definition, ways: Sequence[Interface]) -> list[Tried]:
    """What came of the ways, and of further ones where none of them is right: of those right alike the first is meant.

    Values that are returned in another order, masks that have to be given, and inputs that it takes alone.
    """
    part = catalogue.function(component)
    found = [attempt(trial, one, interface, ()) for interface in ways]
    if not found or not best_of(found).lost or draft.returns_masks(one):
        return found
    found = _in_orders(trial, part, one, found)
    if _raises(found):
        coarse = [each.interface for each in found if each.interface.conventions.get("backend") == "torch"]
        coarse = [changed(interface, conventions={"float64": False}) for interface in coarse]
        found += [attempt(trial, one, interface, ()) for interface in coarse]
    order = best_of(found).interface.returns
    ways = [each.interface for each in found if each.interface.returns == order]
    for key, value, domain in MASKED if _raises(found) else ():
        masked = [
            changed(interface, conventions={key: value}, domain=domain)
            for interface in ways
            if "mask" in interface.parameters and key in {settled.key for settled in part.conventions}
        ]
        ways += masked
        found += [attempt(trial, one, interface, ()) for interface in masked]
    for domains in _narrower(part):  # where it raises on some inputs, those that it takes may be what is promised
        if not _raises(found):
            break
        narrow = [replace(interface, domain=domain) for interface in ways for domain in domains]
        found += [each for interface in narrow if (each := attempt(trial, one, interface, ())).outcomes]
    return found


def _in_orders(trial: Trial, part: Component, one: Definition, found: Sequence[Tried]) -> list[Tried]:
    """The same, and with the values that are returned together in every order."""
    names = part.returns or (ONE,)
    orders, ran = list(_orders(names, one)), [each for each in found if not part.returns or not unanswered([each])]
    placed = [replace(each.interface, returns=order) for each in ran for order in orders]
    again = [attempt(trial, one, interface, ()) for interface in placed]
    if not part.returns and again:  # several values are never the one that is asked for
        return again
    return [*found, *again] if _is_whole(names, one) else [*again, *found]


def _manners(part: Component, start: Interface, usual: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What is settled from the beginning: by what the arguments leave out, and of masks as other parts have it."""
    given = {name for taken in start.parameters for name in (taken, *part.bundles.get(taken, ()))}
    left: dict[str, Any] = {}
    for settled in part.settled if start.parameters else ():
        fits = [(len(names), value) for value, names in settled.unused.items() if not given & {*names}]
        left.update((settled.key, value) for _, value in sorted(fits, key=lambda fit: fit[0]))  # of several the widest
    known = {settled.key for settled in part.conventions}
    masked = part.returns_mask or any("mask" in name for name in start.parameters)
    masks = {key: value for key, value in usual.items() if masked and key in OF_MASKS and key in known}
    if masks:
        yield {**left, **masks}
    yield left


def _meanings(part: Component, start: Interface) -> Iterator[dict[str, Any]]:
    """What masks can mean that are returned together: which of them is which shows under the right meaning alone."""
    left = next(_manners(part, start, {}))
    yield from ({**left, **meaning} for meaning in MEANINGS)


def _is_whole(names: Sequence[str], one: Definition) -> bool:
    """Whether as many values are returned as the part has, and all can be judged."""
    return len(one.returned) == len(names) and not one.beside


def _orders(names: Sequence[str], one: Definition) -> Iterator[tuple[str, ...]]:
    """What each of the values can be that are returned together, most judged first; the first name is among them.

    What is no array is not judged; of as many values as the part has each is.
    """
    count = len(one.returned)
    for many in range(len(names), len(names) - 1 if _is_whole(names, one) else 0, -1):
        for kept, places in itertools.product(
            itertools.combinations(names, many), itertools.permutations(range(count), many)
        ):
            order = dict(zip(places, kept, strict=True))
            found = tuple(order.get(at, BESIDE) for at in range(count))
            if kept[0] == names[0] and found != names and not one.beside & order.keys():
                yield found


def _narrower(part: Component) -> Iterator[list[dict[str, Any]]]:
    """Domains in which what raises elsewhere may answer: one number of axes, then one length or one width, too."""
    known = domain_of(part)
    ranks: list[dict[str, Any]] = [{"ranks": at} for at in ([2], [3], [4])] if "ranks" in known else []
    yield ranks
    for same in (key for key in ("same_length", "same_width") if key in known):
        yield [{**domain, same: True} for domain in ({}, *ranks)]


def _raises(tried: Sequence[Tried]) -> bool:
    """Whether the best of them raises somewhere, and most checks are lost."""
    if not tried:
        return False
    best = best_of(tried)
    return any(outcome.verdict is Verdict.ERROR for outcome in best.outcomes) and 2 * best.lost > len(best.outcomes)


def unanswered(tried: Sequence[Tried]) -> bool:
    """Whether it has answered no question in any of them."""
    return all(outcome.verdict in UNANSWERED for each in tried for outcome in each.outcomes)


def _defaults(part: Component) -> dict[str, Any]:
    """What the oracle takes where a case does not pass a number."""
    import numpy as np

    always = set.intersection(*(set(case.inputs) for case in part.ladder(np.random.default_rng(0), {})))
    numbers = {name: one.default for name, one in part.taken().items() if isinstance(one.default, int | float)}
    return {name: default for name, default in numbers.items() if name not in always}


def _told(part: Component, one: Definition) -> dict[str, Any]:
    """Numbers that a default says: of arguments that stand for a convention."""
    known = {one.key: one for one in part.settled if one.number is not None and one.key not in UNLESS_PASSED}
    said = {}
    for taken in one.called:
        settled = known.get(taken.name)
        number = isinstance(taken.default, int | float) and not isinstance(taken.default, bool)
        if settled is not None and number and taken.default != settled.convention.default:
            said[settled.key] = taken.default
    return said
