"""A function is learned by trying: each setting that its course may have settled, and then the best one further.

What it answers is asked once; settings that say what is right, and not how it is called, cost no further call.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader import components as catalogue
from grader.components import forms
from grader.judging.function import Function
from grader.learning import draft, instances, models
from grader.learning.definitions import Definition
from grader.learning.lesson import CURES, Field, Lesson, Question
from grader.learning.manners import MEANINGS, Around
from grader.learning.trial import Trial, changed, complaints
from grader.model import Interface, Outcome, Verdict
from grader.model.assignment import BESIDE, ONE

UNANSWERED = frozenset({Verdict.ERROR, Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASHED})
MOST_STEPS = 5
RANKS = ([2], [3], [4], [1, 2], [2, 3], [1])
"""Numbers of axes that a hand-out may promise alone; with vectors alone many a mistake does not show."""
NARROWER: Mapping[str, Sequence[Any]] = {
    "odd": (False,),
    "narrow": (False,),
    "no_smoothing": (False,),
    "whole_numbers": (False,),
    "same_length": (True,),
    "same_width": (True,),
    "masks": ("full",),
    "mask_axes": ([2], [4], [3], [2, 4]),
}
"""What else a hand-out may promise less of than all, the most usual first."""
OF_MASKS = frozenset({"mask", "mask_type", "mask_hides"})
"""What parts that take masks have in common."""
MASKED: Sequence[tuple[str, Any, Mapping[str, Any]]] = (
    ("mask_required", True, {}),
    ("mask_heads", False, {"ranks": [4]}),
)
"""What may be settled of masks where it raises, with the domain in which that shows."""
MOST_TOGETHER = 128
"""Settings together that are tried where neither one nor two of them help."""
AT_MOST = 14
"""Settings that are tried in all pairs where no single one helps."""


@dataclass(frozen=True, slots=True)
class Move:
    """One setting that a course may have settled."""

    field: Field
    value: Any
    rare: bool = False
    narrows: bool = False

    def made(self, interface: Interface) -> Interface:
        """The interface with it."""
        if self.field == ("returns",):
            return replace(interface, returns=self.value)
        if self.field[0] == "domain":
            return replace(interface, domain={**interface.domain, self.field[1]: self.value})
        return changed(interface, conventions={self.field[1]: self.value})


@dataclass(frozen=True, slots=True)
class Tried:
    """An interface, and what came of it: the checks lost, the share of cases that came out right, the cases asked."""

    interface: Interface
    moves: tuple[Move, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def lost(self) -> int:
        """How many checks are not passed."""
        return sum(outcome.verdict is not Verdict.PASSED for outcome in self.outcomes)

    @property
    def share(self) -> float:
        """The mean share of cases passed."""
        return sum(outcome.fraction for outcome in self.outcomes) / max(len(self.outcomes), 1)

    @property
    def verdicts(self) -> tuple[tuple[str, int], ...]:
        """How many cases of each check came out right."""
        return tuple((outcome.check, outcome.passed) for outcome in self.outcomes)

    @property
    def cases(self) -> tuple[int, int]:
        """Cases that came out right, and cases asked."""
        return sum(outcome.passed for outcome in self.outcomes), sum(outcome.asked for outcome in self.outcomes)

    @property
    def rank(self) -> tuple[float, ...]:
        """Smaller is better: what is lost, then the less that has to be said."""
        narrowing = sum(move.narrows for move in self.moves)
        return self.lost, -round(self.share, 6), narrowing, sum(move.rare for move in self.moves), len(self.moves)


def learn(trial: Trial, component: str, one: Definition, around: Around, *, torch: bool) -> Lesson:
    """Learn one function; what other parts keep is tried first, ``torch`` says whether its file speaks of torch."""
    usual = around.usual
    part = catalogue.function(component)
    base = Interface(component, one.name, conventions={"form": "function"} if len(forms(component)) > 1 else {})
    constants = {s.key: s.convention.default for s in part.settled if s.number is not None}
    several = one.kind == "function" and draft.returns_masks(one)
    if one.kind == "class":
        starts = list(instances.starts(base, one, part.given, around.known))
    elif several:
        starts = list(instances.of_ids(base, one, around.known))
    else:
        starts = list(models.starts(base, one, around.known)) if "step_fn" in part.given else []
        starts += instances.of_ids(base, one, around.known)
        starts += instances.told_more(base, one, part.given, _defaults(part), around.known, part.returns)
        starts += [changed(base, **called) for called in draft.calls(one, part.given, constants)]
    backends: list[dict[str, Any]] = [{}, {"backend": "torch"}] if torch else [{}]
    ways = [
        interface
        for start, backend in itertools.product(starts, backends)
        for manner in (_meanings(part, start) if several else _manners(part, start, usual))
        if not complaints(interface := changed(start, conventions={**_told(part, one), **manner, **backend}))
    ]
    tried = [_tried(trial, one, interface, ()) for interface in ways]
    if tried and _best(tried).lost and not several:
        names = part.returns or (ONE,)
        orders, ran = list(_orders(names, one)), [each for each in tried if not _unanswered([each])]
        placed = [replace(each.interface, returns=order) for each in ran for order in orders]
        again = [_tried(trial, one, interface, ()) for interface in placed]
        tried = (
            [*tried, *again] if _is_whole(names, one) else [*again, *tried]
        )  # of those that are right alike the first
        order = _best(tried).interface.returns
        ways = [interface for interface in (*ways, *placed) if interface.returns == order]
    for key, value, domain in MASKED if _raises(tried) else ():
        masked = [
            changed(interface, conventions={key: value}, domain=domain)
            for interface in ways
            if "mask" in interface.parameters and key in {settled.key for settled in part.conventions}
        ]
        ways += masked
        tried += [_tried(trial, one, interface, ()) for interface in masked]
    for domains in _narrower(part):  # where it raises on some inputs, those that it takes may be what is promised
        if several or not _raises(tried):
            break
        narrow = [replace(interface, domain=domain) for interface in ways for domain in domains]
        tried += [each for interface in narrow if (each := _tried(trial, one, interface, ())).outcomes]
    if _unanswered(tried):
        draft_of = tried[0].interface if tried else base
        return Lesson(one, draft_of, {}, (_uncalled(part, one, tried),), judged=False)
    best = _best(tried)
    first, moves = best, list(_moves(part, one, best.interface))
    if several:  # what they mean is tried with each
        moves = [move for move in moves if move.field[-1] not in OF_MASKS and not move.narrows]
    for _ in range(MOST_STEPS):
        better = _step(trial, one, first, best, moves) if best.lost else None
        if better is None:
            break
        best = better
    if best.lost and any(move.narrows for move in best.moves):  # what hides a mistake is not what the course promises
        best = _tried(trial, one, _made(first.interface, kept := _widest(best)), kept)
    best = _without_idle(trial, one, first, best)
    if several and best.lost:
        return Lesson(one, best.interface, {}, (Question(SEVERAL.format(", ".join(one.names_returned))),), judged=False)
    return _lesson(trial, one, first, best)


def _manners(part: Function, start: Interface, usual: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
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


def _meanings(part: Function, start: Interface) -> Iterator[dict[str, Any]]:
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


def _narrower(part: Function) -> Iterator[list[dict[str, Any]]]:
    """Domains in which what raises elsewhere may answer: one number of axes, then one length or one width, too."""
    known = _domain(part)
    ranks: list[dict[str, Any]] = [{"ranks": at} for at in ([2], [3], [4])] if "ranks" in known else []
    yield ranks
    for same in (key for key in ("same_length", "same_width") if key in known):
        yield [{**domain, same: True} for domain in ({}, *ranks)]


def _best(tried: Sequence[Tried]) -> Tried:
    """The one that loses the smallest part of what it is asked: narrower promises are asked less."""
    return min(tried, key=lambda each: (each.lost / max(len(each.outcomes), 1), -each.share))


def _raises(tried: Sequence[Tried]) -> bool:
    """Whether the best of them raises somewhere, and most checks are lost."""
    if not tried:
        return False
    best = _best(tried)
    return any(outcome.verdict is Verdict.ERROR for outcome in best.outcomes) and 2 * best.lost > len(best.outcomes)


def _unanswered(tried: Sequence[Tried]) -> bool:
    return all(outcome.verdict in UNANSWERED for each in tried for outcome in each.outcomes)


def _widest(tried: Tried) -> tuple[Move, ...]:
    return tuple(move for move in tried.moves if not move.narrows)


SEVERAL = (
    "returns several masks ({}), and no call with ids gave those of the paper among them. "
    "Say in adapter.py which they are: call(work, ids, pad_id) and make_tgt_mask(work, ids, pad_id)."
)


def _uncalled(part: Function, one: Definition, tried: Sequence[Tried]) -> Question:
    """Why a function could not be called in any way that was tried."""
    theirs, ours = ", ".join(taken.name for taken in one.called), ", ".join(part.given)
    first = next((outcome for each in tried for outcome in each.outcomes), None)
    why = f": {first.message}" if first is not None else ""
    raised = first.raised.type if first is not None else ""
    cure = CURES.get(raised, "Say what stands for what (parameters), or write adapter.py.")
    return Question(f"takes ({theirs}), and could not be called as {part.name}({ours}){why}. {cure}")


def _defaults(part: Function) -> dict[str, Any]:
    """What the oracle takes where a case does not pass a number."""
    import numpy as np

    always = set.intersection(*(set(case.inputs) for case in part.ladder(np.random.default_rng(0), {})))
    numbers = {name: one.default for name, one in part.taken().items() if isinstance(one.default, int | float)}
    return {name: default for name, default in numbers.items() if name not in always}


UNLESS_PASSED = frozenset({"alpha"})
"""Numbers that a convention says only where no argument does; of other arguments it is the default."""


def _told(part: Function, one: Definition) -> dict[str, Any]:
    """Numbers that a default says: of arguments that stand for a convention."""
    known = {one.key: one for one in part.settled if one.number is not None and one.key not in UNLESS_PASSED}
    said = {}
    for taken in one.called:
        settled = known.get(taken.name)
        number = isinstance(taken.default, int | float) and not isinstance(taken.default, bool)
        if settled is not None and number and taken.default != settled.convention.default:
            said[settled.key] = taken.default
    return said


def _moves(part: Function, one: Definition, interface: Interface) -> Iterator[Move]:
    """Every setting that could explain how the solution differs."""
    for settled in part.conventions:
        key, convention = settled.key, settled.convention
        if key in {"form", "backend", "gradient"}:
            continue
        listed = list(settled.values) or list(convention.values)
        for value in listed:
            if value != interface.conventions.get(key, convention.default):
                yield Move(("conventions", key), value, rare=convention.is_rare(value, one.name))
        if settled.number is not None and not (key in UNLESS_PASSED and key in interface.parameters):
            yield from (
                Move(("conventions", key), number, rare=convention.is_rare(number))
                for number in one.numbers
                if number != convention.default
            )
    names = part.returns
    if len(names) > 1 and not one.returned:
        orders = [order for count in range(1, len(names) + 1) for order in itertools.permutations(names, count)]
        yield from (Move(("returns",), order) for order in sorted(orders, key=len, reverse=True) if order != names)
    if part.ranked or "ranks" in _domain(part):
        yield from (Move(("domain", "ranks"), ranks, rare=ranks == [1], narrows=True) for ranks in RANKS)
    known = _domain(part)
    for key, values in NARROWER.items():
        yield from (Move(("domain", key), value, narrows=True) for value in values if key in known)


def _domain(part: Function) -> set[str]:
    """The keys of the domain that its cases look at."""
    import numpy as np

    from grader.judging import promised
    from grader.judging.declared import _Watched

    watched = _Watched({})
    list(promised.cases(part, part.ladder, np.random.default_rng(0), watched))
    return watched.asked


def _tried(trial: Trial, one: Definition, interface: Interface, moves: tuple[Move, ...]) -> Tried:
    return Tried(interface, moves, trial.outcomes(interface, one.module))


def _step(trial: Trial, one: Definition, first: Tried, now: Tried, moves: Sequence[Move]) -> Tried | None:
    """The best of what one further setting makes of it; of two together where no single one is better.

    What leaves inputs unasked mends whatever it hides: it comes after all else.
    """
    for narrows in (False, True):
        telling = [move for move in moves if move not in now.moves and (narrows or not move.narrows)]
        for many in (1, 2):
            found = [
                _tried(trial, one, interface, chosen)
                for together in itertools.combinations(telling, many)
                if (chosen := _chosen(now, together)) is not None
                and not complaints(interface := _made(first.interface, chosen))
            ]
            best = min(found, key=lambda each: each.rank, default=now)
            if best.rank[:2] < now.rank[:2]:
                return best
            # In pairs, those that change an answer's verdict at all.
            touched = [each.moves[-1] for each in found if each.verdicts != now.verdicts]
            telling = touched[:AT_MOST] if many == 1 else telling
        best = _together(trial, one, first, moves) if not now.moves and not narrows else now
        if best.rank[:2] < now.rank[:2]:
            return best
    return None


def _together(trial: Trial, one: Definition, first: Tried, moves: Sequence[Move]) -> Tried:
    """The best of all that can be settled together, where neither one nor two settings help; what has many has none."""
    fields: dict[Field, list[Move]] = {}
    for move in moves:
        if not move.narrows:
            fields.setdefault(move.field, []).append(move)
    choices = [[None, *those] for those in fields.values()]
    if math.prod(map(len, choices)) > MOST_TOGETHER:
        return first
    picks = [tuple(move for move in pick if move is not None) for pick in itertools.product(*choices)]
    found = [
        _tried(trial, one, interface, chosen)
        for chosen in picks
        if not complaints(interface := _made(first.interface, chosen))
    ]
    return min(found, key=lambda each: each.rank, default=first)


def _chosen(now: Tried, together: Sequence[Move]) -> tuple[Move, ...] | None:
    """The settings with further ones, each in the place of another of its field; None where two are of one field."""
    fields = {move.field for move in together}
    kept = (move for move in now.moves if move.field not in fields)
    return (*kept, *together) if len(fields) == len(together) else None


def _made(interface: Interface, moves: Sequence[Move]) -> Interface:
    for move in moves:
        interface = move.made(interface)
    return interface


def _without_idle(trial: Trial, one: Definition, first: Tried, best: Tried) -> Tried:
    """The same without settings that change nothing any more."""
    for move in best.moves:
        rest = tuple(other for other in best.moves if other is not move)
        without = _tried(trial, one, _made(first.interface, rest), rest)
        if without.rank[:2] <= best.rank[:2]:
            best = without
    return best


def _lesson(trial: Trial, one: Definition, first: Tried, best: Tried) -> Lesson:
    """What is right for it, with what was seen; what is rare stays a question."""
    interface, seen, questions = best.interface, dict[Field, str](), []
    part = catalogue.function(interface.component)
    conventions = {settled.key: settled.convention for settled in part.conventions}
    taken: tuple[Move, ...] = ()
    for move in best.moves:
        rest = [other for other in best.moves if other is not move]
        without = _tried(trial, one, _made(first.interface, rest), ())
        asked = move.rare or not _explains(best, without)
        taken += () if asked else (move,)
        told = _evidence(best, without)
        if move.field[0] == "conventions":
            told = f"{conventions[move.field[1]].meaning(move.value)}; {told}"
        elif move.field[0] == "domain":
            told = f"all that the solution takes: {told}"
        if not asked:
            seen[move.field] = told
        elif move.field != ("returns",):
            questions.append(Question(told, *_asked(move)))
    for key, value in first.interface.conventions.items():
        if key != "form" and ("conventions", key) not in seen:
            seen["conventions", key] = f"{conventions[key].meaning(value)}{HOW.get(key, '; its own default')}"
    if first.interface.returns:
        without = _tried(trial, one, replace(_made(first.interface, taken), returns=()), ())
        beside = "; what stands for _ is not judged" if BESIDE in first.interface.returns else ""
        seen["returns",] = f"{_evidence(best, without)}{beside}"
    for key in first.interface.domain:
        seen["domain", key] = "all that the solution takes: it raises on what is beyond"
    seen["parameters",] = "our names, in the order of the solution"
    return Lesson(one, _made(first.interface, taken), seen, tuple(questions))


HOW = {
    "backend": "",
    "affine": "; by its arguments",
    "biases": "; by its arguments",
    "mask": "; as its other parts have it",
    "mask_type": "; as its other parts have it",
    "mask_hides": "; as its own masks have it",
    "mask_required": ": without one it raises",
    "mask_heads": ": with one it raises, or answers in another shape",
}
"""How it is known what is settled from the beginning."""


def _asked(move: Move) -> tuple[str, Any]:
    """The line that is asked for."""
    return ("domain", {move.field[1]: move.value}) if move.field[0] == "domain" else (move.field[1], move.value)


MUCH = 0.1
"""The share of all answers that a setting makes right at least, to be more than a coincidence."""


def _explains(best: Tried, without: Tried) -> bool:
    """Whether a setting is a fact: with it nothing is lost, half of what is wrong is right, or a good part of all."""
    (right, asked), (before, asked_before) = best.cases, without.cases
    wrong, wrong_before = 1 - right / max(asked, 1), 1 - before / max(asked_before, 1)
    return not best.lost or 2 * wrong <= wrong_before or wrong_before - wrong >= MUCH


def _evidence(best: Tried, without: Tried) -> str:
    right, asked = best.cases
    return f"{right} of {asked} answers right, {without.cases[0]} of {without.cases[1]} without it"
