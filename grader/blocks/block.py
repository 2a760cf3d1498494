"""A part of the paper that is handed in as a torch module, as a declaration."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from grader.blocks import faults, settled
from grader.blocks.calling import complaints, making_of
from grader.blocks.pasted import whole_numbers
from grader.blocks.programs import Making
from grader.blocks.settled import declarable
from grader.blocks.sizes import Sizes
from grader.component.calls import Case
from grader.component.checks import Check, Misconception
from grader.component.convention import Settled, rewording, right_knobs
from grader.component.part import Complaint, Part
from grader.judging.settling import dropped_under, reworded
from grader.model.assignment import Interface
from grader.model.outcome import By, Diagnosis
from grader.paper.sublayers import Knobs
from grader.paper.weights import Array, Roles


@dataclass(frozen=True, slots=True)
class Declaration(Part):
    """A component of the paper that is handed in as a torch module.

    ``compute`` is the block in numpy with knobs, ``shapes`` the arrays that it reads, ``cases`` the calls by which
    a module is compared with it, the smallest first. ``free`` are settings of knobs that are all right. ``faults``
    are the known mistakes of the block and of its parts, ``of_ids`` those of a stack that embeds ids itself, ``signs``
    the ids of those that values cannot show.
    ``cost`` says how many times dearer than attention one evaluation is. With ``fixed_positions`` a table of
    positions among the parameters is filled with the paper's, and need not be trained. ``causal_alone``: it makes a
    mask where none is given. ``only`` are the checks that an example in small sizes is looked for: then nothing
    else is asked. ``settled`` is what a course can settle, ``said`` what one has, which makes the knobs of
    ``right`` the right ones. ``trained``: it is judged by training it.
    """

    of_torch: ClassVar[bool] = True
    name: str
    title: str
    reread: str
    target: str
    constructor: tuple[str, ...]
    parameters: tuple[str, ...]
    compute: Callable[[Roles, Mapping[str, Any], Sizes, Knobs], Array]
    shapes: Callable[[Sizes], Mapping[str, tuple[int, ...]]]
    cases: Callable[[np.random.Generator, Making], tuple[Case, ...]]
    checks: tuple[Check, ...]
    faults: Sequence[Misconception]
    signs: tuple[str, ...] = ()
    free: tuple[Knobs, ...] = ({},)
    of_ids: Sequence[Misconception] = ()
    cost: int = 1
    fixed_positions: bool = False
    causal_alone: bool = False
    settled: tuple[Settled, ...] = ()
    said: Mapping[str, Any] | None = None
    right: Knobs = field(default_factory=dict)
    sizes: Sizes = Sizes()  # noqa: RUF009 - frozen
    only: frozenset[str] = frozenset()
    otherwise: tuple[tuple[str, ...], ...] = ()
    trained: bool = False

    @property
    def misconceptions(self) -> tuple[Misconception, ...]:
        """The mistakes that belong to this block itself."""
        signs = [faults.sign(name) for name in self.signs]
        own = [one for one in (*self.faults, *signs) if one.component == self.name or one.id in faults.OF_STACKS]
        return tuple({one.id: one for one in reversed(own)}.values())[::-1]

    def under(self, interface: Interface) -> Self:
        """The block as an assignment sets it: what it settles is right, and what it settles otherwise a mistake."""
        said = {one.key: interface.conventions[one.key] for one in self.settled if one.key in interface.conventions}
        usual = {one.key: one.convention.default for one in self.settled}
        if "ids" in interface.parameters and self.of_ids:
            return replace(self, faults=faults.chained(self.faults, self.of_ids), of_ids=()).under(interface)
        if self.said is not None or all(usual[key] == value for key, value in said.items()):
            return self._told(interface)
        right, told = right_knobs(self.settled, said), self._told(interface)
        beside = right_knobs(tuple(one for one in self.settled if one.beside), said)
        return replace(
            told,
            said=said,
            right={name: setting for name, setting in right.items() if setting is not False},
            compute=partial(_turned_back, self.compute),
            free=settled.free_under(self.free, right, beside),
            faults=faults.Later(lambda: settled.faults_under(self.name, told.faults, self.settled, said)),
        )

    def _told(self, interface: Interface) -> Self:
        """The block as an assignment sets it: its texts as they read, and no mistake that means nothing then."""
        said, passed = interface.conventions, ("", *(interface.parameters or self.parameters))
        say = rewording(self.conventions, said)
        title, checks = say(self.title), self.checks_told(say)
        told = self if (title, checks) == (self.title, self.checks) else replace(self, title=title, checks=checks)
        dropped = dropped_under(tuple(one for one in self.conventions if one.drops and one.drops_with in passed), said)
        if dropped:
            told = replace(told, faults=faults.among(self.faults, lambda one: one.id not in dropped))
        if said.get("batch", "first") in {"first", "batch_first"}:
            return told
        return replace(told, faults=faults.Later(lambda: [reworded(fault, say) for fault in told.faults]))

    @property
    def conventions(self) -> tuple[Settled, ...]:
        """All conventions that an assignment can declare for it."""
        return (*declarable(self.parameters), *self.settled)

    def asked(self, interface: Interface) -> frozenset[str]:
        """The checks that have something to ask under what the assignment promises."""
        making = self.making(interface, interface.callable)
        cases = self.cases_for(np.random.default_rng(0), making)
        return frozenset(check.name for check in self.checks_for(making, cases))

    def checks_for(self, making: Making, cases: Iterable[Case]) -> list[Check]:
        """The checks that have something to ask; with ``only``, those of them that cases are asked for."""
        keys = [case.key for case in cases]
        found = [one for one in self.checks if one.needs(making) and (not one.keys or keys_of(one.keys, keys))]
        return [one for one in found if one.keys or one.name in self.only] if self.only else found

    def sign(self, id: str, by: By = By.SIGN) -> Diagnosis | None:
        """Return the diagnosis of that id, or None where the block does not know it."""
        if id not in self.signs and all(one.id != id for one in self.faults):
            return None
        return reworded(faults.sign(id), rewording(self.settled, self.said or {})).diagnosis(by)

    def making(self, interface: Interface, target: str) -> Making:
        """How the class ``target`` is made and called under an assignment's interface."""
        return making_of(
            interface,
            target,
            self.constructor,
            self.ways,
            self.sizes,
            causal_alone=self.causal_alone,
            roles=self.shapes,
        )

    def takes(self, interface: Interface, name: str) -> bool:
        """Whether the constructor is handed that size, or rate."""
        return self.making(interface, interface.callable).takes(name)

    def signature(self, interface: Interface, given: Sequence[str] = ()) -> str:
        """How the class is made, and its ``forward`` called."""
        making = self.making(interface, interface.callable)
        taken, made, method = given or (making.told(call=True), making.told(call=False), "forward")
        return f"{interface.callable}({made}) with {method}({taken})"

    def complaints(self, interface: Interface) -> Iterator[Complaint]:
        """Yield field and complaint for what an assignment says of the class and the block does not know."""
        yield from Part.complaints(self, interface)
        yield from complaints(interface, self.constructor, self.given)

    @property
    def ways(self) -> tuple[tuple[str, ...], ...]:
        """The parameters that a call can have, the usual ones first."""
        return (self.parameters, *self.otherwise)

    @property
    def given(self) -> tuple[str, ...]:
        """What a call can be given."""
        return tuple(dict.fromkeys(itertools.chain(*self.ways)))

    def cases_for(self, rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
        """What can be asked in a call that passes what the assignment says."""
        asked = (case for case in self.cases(rng, making) if making.asks(case))
        cases = (replace(case, inputs=making.filled(case.inputs)) for case in asked)
        return tuple(map(_whole, cases)) if self.only else tuple(cases)


def _whole(case: Case) -> Case:
    changed = [None if one is None else (whole_numbers(one[0]), one[1]) for one in (case.blocked, case.kept)]
    return replace(case, inputs=whole_numbers(case.inputs), blocked=changed[0], kept=changed[1])


def keys_of(wanted: Sequence[str], there: Iterable[str]) -> tuple[str, ...]:
    """Those of the keys that are there; of masks in further shapes also what is called ``name:shape``."""
    keys = list(there)
    return tuple(key for name in wanted for key in keys if key == name or key.startswith(f"{name}:"))


def _turned_back(
    compute: Callable[[Roles, Mapping[str, Any], Sizes, Knobs], Array],
    weights: Roles,
    inputs: Mapping[str, Any],
    sizes: Sizes,
    knobs: Knobs,
) -> Array:
    """The block where None among the knobs stands for the paper's setting, whatever is declared."""
    return compute(weights, inputs, sizes, {name: setting for name, setting in knobs.items() if setting is not None})
