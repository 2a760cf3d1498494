"""The search among what a course may have settled of a function: one setting further, two, or several at once.

What leaves inputs unasked mends whatever it hides, so that it comes after all else.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from grader.component.component import Component
from grader.judging.declared import domain_of
from grader.learning.definitions import Definition
from grader.learning.lesson import Field
from grader.learning.trial import MOST_TRIES, Trial, changed, complaints
from grader.model.assignment import Interface
from grader.model.outcome import Outcome, Verdict

MOST_STEPS = 5
"""Settings that are added one behind another."""
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
MOST_TOGETHER = 128
"""Settings together that are tried where neither one nor two of them help."""
AT_MOST = 14
"""Settings that are tried in all pairs where no single one helps."""
UNLESS_PASSED = frozenset({"alpha"})
"""Numbers that a convention says only where no argument does; of other arguments it is the default."""

Going: TypeAlias = Callable[[], bool]
"""Whether something further is tried."""


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


def best_of(tried: Sequence[Tried]) -> Tried:
    """The one that loses the smallest part of what it is asked: narrower promises are asked less."""
    return min(tried, key=lambda each: (each.lost / max(len(each.outcomes), 1), -each.share))


def moves_of(part: Component, one: Definition, interface: Interface) -> Iterator[Move]:
    """Every setting that could explain how the solution differs."""
    for settled in part.conventions:
        key, convention = settled.key, settled.convention
        if key in {"form", "backend", "gradient", "float64"}:
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
    known = domain_of(part)
    if part.ranked or "ranks" in known:
        yield from (Move(("domain", "ranks"), ranks, rare=ranks == [1], narrows=True) for ranks in RANKS)
    for key, values in NARROWER.items():
        yield from (Move(("domain", key), value, narrows=True) for value in values if key in known)


def attempt(trial: Trial, one: Definition, interface: Interface, moves: tuple[Move, ...]) -> Tried:
    """What comes of an interface, in which the ``moves`` are made."""
    return Tried(interface, moves, trial.outcomes(interface, one.module))


def further(trial: Trial, one: Definition, first: Tried, moves: Sequence[Move]) -> Tried:
    """The best that ``moves`` make of the ``first`` way to call it, without those that change nothing in the end."""
    best, going = first, trial.budget(MOST_TRIES)
    for _ in range(MOST_STEPS):
        better = _step(trial, one, first, best, moves, going) if best.lost and going() else None
        if better is None:
            break
        best = better
    if best.lost and any(move.narrows for move in best.moves):  # what hides a mistake is not what the course promises
        kept = tuple(move for move in best.moves if not move.narrows)
        best = attempt(trial, one, made(first.interface, kept), kept)
    return _without_idle(trial, one, first, best)


def _step(trial: Trial, one: Definition, first: Tried, now: Tried, moves: Sequence[Move], going: Going) -> Tried | None:
    """The best of what one further setting makes of it; of two together where no single one is better.

    What leaves inputs unasked mends whatever it hides: it comes after all else. Where it is not ``going`` on, what was
    tried counts.
    """
    for narrows in (False, True):
        telling = [move for move in moves if move not in now.moves and (narrows or not move.narrows)]
        for many in (1, 2):
            every = (_chosen(now, together) for together in itertools.combinations(telling, many))
            found = _attempts(trial, one, first, (chosen for chosen in every if chosen is not None), going)
            best = min(found, key=lambda each: each.rank, default=now)
            if best.rank[:2] < now.rank[:2]:
                return best
            # In pairs, those that change an answer's verdict at all.
            touched = [each.moves[-1] for each in found if each.verdicts != now.verdicts]
            telling = touched[:AT_MOST] if many == 1 else telling
        best = _together(trial, one, first, moves, going) if not now.moves and not narrows else now
        if best.rank[:2] < now.rank[:2]:
            return best
    return None


def _attempts(
    trial: Trial, one: Definition, first: Tried, choices: Iterable[tuple[Move, ...]], going: Going
) -> list[Tried]:
    """What comes of each choice of moves that the component knows, as long as it is ``going`` on."""
    in_time = itertools.takewhile(lambda _: going(), choices)
    interfaces = ((chosen, made(first.interface, chosen)) for chosen in in_time)
    return [attempt(trial, one, each, chosen) for chosen, each in interfaces if not complaints(each)]


def _together(trial: Trial, one: Definition, first: Tried, moves: Sequence[Move], going: Going) -> Tried:
    """The best of all that can be settled together, where neither one nor two settings help; what has many has none."""
    fields: dict[Field, list[Move]] = {}
    for move in moves:
        if not move.narrows:
            fields.setdefault(move.field, []).append(move)
    choices = [[None, *those] for those in fields.values()]
    if math.prod(map(len, choices)) > MOST_TOGETHER:
        return first
    picks = (tuple(move for move in pick if move is not None) for pick in itertools.product(*choices))
    found = _attempts(trial, one, first, picks, going)
    return min(found, key=lambda each: each.rank, default=first)


def _chosen(now: Tried, together: Sequence[Move]) -> tuple[Move, ...] | None:
    """The settings with further ones, each in the place of another of its field; None where two are of one field."""
    fields = {move.field for move in together}
    kept = (move for move in now.moves if move.field not in fields)
    return (*kept, *together) if len(fields) == len(together) else None


def made(interface: Interface, moves: Sequence[Move]) -> Interface:
    """The interface with all of them."""
    for move in moves:
        interface = move.made(interface)
    return interface


def _without_idle(trial: Trial, one: Definition, first: Tried, best: Tried) -> Tried:
    """The same without settings that change nothing any more."""
    for move in best.moves:
        rest = tuple(other for other in best.moves if other is not move)
        without = attempt(trial, one, made(first.interface, rest), rest)
        if without.rank[:2] <= best.rank[:2]:
            best = without
    return best
