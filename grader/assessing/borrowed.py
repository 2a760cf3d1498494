"""What a forbidden library call computes is not the student's work: the component that it stands in for earns nothing.

The child says which calls each program led to. Whether they do the work is tried: the programs run again in fresh
children, as they are, and with calls that give something else. Results that change with what a call gives come from it;
a comparison beside the work costs nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from grader import components as catalogue
from grader import source
from grader.assessing.session import Session
from grader.judging.grounds import HONESTY
from grader.model.assignment import Assignment, Interface
from grader.model.outcome import By, Diagnosis, Location, Outcome, Tells, Verdict
from grader.model.submission import Submission
from grader.model.text import StudentText
from grader.properties import as_array
from grader.sandbox.plain import Limits, Loaded, Program, Reply, Source, Use
from grader.sandbox.roads import SWITCHED_OFF, forbidden

CHECK, MISTAKE = "uses_no_forbidden_call", "integrity-forbidden-call"
"""The check and the mistake of honesty that come from what programs led to."""

FORBIDDEN = (
    "torch.nn.MultiheadAttention",
    "torch.nn.functional.multi_head_attention_forward",
    "torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.Transformer*",
)
"""Library calls that stand for a whole exercise; an assignment's own list takes their place."""

MOST_TRIED = 3
ENTIRELY, SLIGHTLY = 0.0, 4e-6
"""How calls are spoilt: what they give is something else, or differs by less than any comparison minds."""

_NOTICED = {ENTIRELY: 1e-6, SLIGHTLY: 2.5e-7}


@dataclass(frozen=True, slots=True)
class Borrowed:
    """A component's first use of a forbidden call. ``does`` its work or not; None where a person has to look."""

    use: Use
    does: bool | None


@dataclass(slots=True)
class Witness:
    """Hears what each program of a submission led to, and afterwards tries what it comes to.

    ``found`` are the names under which the submission defines each component.
    """

    assignment: Assignment
    found: Mapping[str, Sequence[str]]
    charged: dict[str, list[tuple[Program, Reply, Use]]] = field(default_factory=dict)

    def hear(self, component: str, programs: Sequence[Program], replies: Sequence[Reply]) -> None:
        """Take what a component asked and what came back."""
        for program, reply in zip(programs, replies, strict=True):
            for use in reply.uses:
                own = component if component != HONESTY else self._asked(program)
                if own is not None and self._charges(own, use):
                    self.charged.setdefault(own, []).append((program, reply, use))

    def _asked(self, program: Program) -> str | None:
        """The component that a program of honest computation asks."""
        targets = [step.get("target") for step in program.steps]
        return next((name for name, names in self.found.items() if any(each in names for each in targets)), None)

    def _charges(self, own: str, use: Use) -> bool:
        """Whether the component that was asked answers for a use: not where a nearer one does that may not either."""
        if use.name == SWITCHED_OFF:
            return True
        for name in use.names:
            owners = [component for component, names in self.found.items() if name in names]
            if any(use.name in self._listed(each) for each in owners):
                return own in owners
        return use.name in self._listed(own)

    def _listed(self, component: str) -> frozenset[str]:
        interface = next((one for one in self.assignment.interfaces if one.component == component), None)
        return frozenset() if interface is None else forbidden(disallowed(interface, _everywhere(self.assignment)))

    def borrowed(self, session: Session, payload: Source, limits: Limits) -> dict[str, Borrowed]:
        """Try every component that led to a forbidden call; nothing is asked where none did."""
        return {name: self._tried(led, session, payload, limits) for name, led in self.charged.items()}

    def _tried(
        self, led: Sequence[tuple[Program, Reply, Use]], session: Session, payload: Source, limits: Limits
    ) -> Borrowed:
        first = led[0][2]
        if off := next((use for _, _, use in led if use.name == SWITCHED_OFF), None):
            return Borrowed(off, does=True)
        answered = {id(program): (reply.seconds, program) for program, reply, _ in led if reply.status == "value"}
        programs = [program for _, program in sorted(answered.values(), key=lambda one: one[0])][:MOST_TRIED]
        if not programs:
            return Borrowed(first, does=False)  # what gave no answer earns nothing by itself
        names = sorted({use.name for _, _, use in led})

        def run(size: float | None) -> tuple[Reply, ...]:
            session.renew()  # no answer kept from another run
            spoiling: tuple[dict[str, Any], ...] = ()
            if size is not None:
                spoiling = ({"do": "spoil", "names": names, "size": size},)
            asked = tuple(Program((*spoiling, *program.steps), program.group) for program in programs)
            replies = session.ask(payload, asked, limits).replies
            return tuple(replace(reply, values=reply.values[len(spoiling) :]) for reply in replies)

        clean, other = run(None), run(ENTIRELY)
        verdicts = [_depends(*pair, _NOTICED[ENTIRELY]) for pair in zip(clean, other, strict=True)]
        if not any(verdicts) and None in verdicts:  # it minds: a comparison does, and so may the work
            slightly = run(SLIGHTLY)
            verdicts = [_depends(*pair, _NOTICED[SLIGHTLY]) for pair in zip(clean, slightly, strict=True)]
        return Borrowed(first, does=True if any(verdicts) else None if None in verdicts else False)


def names_of(assignment: Assignment, loaded: Loaded) -> dict[str, tuple[str, ...]]:
    """Return the callables of each component that are handed in: the first of its names, and its further ones."""
    defined = {name for _, name, kind in loaded.names if kind != "value"}
    found = {}
    for one in assignment.interfaces:
        first = [name for name in one.accepted if name in defined][:1]
        found[one.component] = tuple(dict.fromkeys((*first, *(n for n in one.names.values() if n in defined))))
    return found


def disallowed(interface: Interface, everywhere: Sequence[str]) -> tuple[str, ...]:
    """Return all that the hand-out forbids in a component."""
    return tuple(dict.fromkeys((*everywhere, *interface.forbidden)))


def _everywhere(assignment: Assignment) -> tuple[str, ...]:
    own = [one for one in assignment.interfaces if one.component == HONESTY]
    return (own[0].forbidden or FORBIDDEN) if own else ()


def _depends(clean: Reply, spoilt: Reply, noticed: float) -> bool | None:
    """Whether two runs gave different numbers; None where one of them ended otherwise."""
    if clean.status != "value":
        return False
    if spoilt.status != "value":
        return None
    return _differ(clean.values, spoilt.values, noticed)


def _differ(one: Any, other: Any, noticed: float) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() != other.keys() or any(_differ(one[key], other[key], noticed) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) != len(other) or any(map(_differ, one, other, [noticed] * len(one)))
    a, b = as_array(one), as_array(other)
    if a is None or b is None:
        return False
    if a.shape != b.shape:
        return True
    scale = float(np.max(np.abs(a), initial=0.0, where=np.isfinite(a)))
    same = (np.abs(a.astype(complex) - b.astype(complex)) <= noticed * scale) | (a == b) | (np.isnan(a) & np.isnan(b))
    return not bool(same.all())


def said(use: Use, function: str) -> str:
    """Return what is not allowed where."""
    return f"{use.name} is not allowed in {function}"


def told(
    outcomes: Sequence[Outcome], borrowed: Mapping[str, Borrowed], assignment: Assignment, submission: Submission
) -> tuple[Outcome, ...]:
    """Fail what a forbidden call computes; say under honest computation what was called, and where."""
    if not borrowed:
        return tuple(outcomes)
    names = {one.component: one.callable for one in assignment.interfaces}
    places = {name: _place(each.use, names[name], submission) for name, each in borrowed.items()}
    return tuple(
        _honesty(outcome, borrowed, names, places)
        if outcome.check == f"{HONESTY}.{CHECK}"
        else _told(outcome, borrowed[outcome.component], names[outcome.component], places[outcome.component])
        if outcome.component in borrowed
        else outcome
        for outcome in outcomes
    )


def _place(use: Use, function: str, submission: Submission) -> Location | None:
    """The student's line; where the library's own function stands under a name, the line that gives it this name."""
    if use.file:
        return source.place(submission.modules, use.file, use.line)
    return next(filter(None, (source.binding(module, function) for module in submission.modules)), None)


def at(text: str, place: Location | None) -> StudentText:
    """Return a sentence with the line that it speaks of."""
    return StudentText(text + (f" ({place})" if place else ""))


def _told(outcome: Outcome, borrowed: Borrowed, function: str, place: Location | None) -> Outcome:
    counts = outcome.verdict in {Verdict.PASSED, Verdict.UNDETERMINED}
    if borrowed.does is False or not counts:
        return outcome
    if borrowed.does:
        return replace(_failed(outcome, said(borrowed.use, function), place), counterexample=None)
    text = f"whether {borrowed.use.name} does the work of {function}, where it is not allowed, is for a person to see"
    return replace(
        outcome, verdict=Verdict.UNDETERMINED, passed=0, message=at(text, place), location=None, tells=Tells.FOUND
    )


def _honesty(
    outcome: Outcome, borrowed: Mapping[str, Borrowed], names: Mapping[str, str], places: Mapping[str, Location | None]
) -> Outcome:
    doing = [name for name, each in borrowed.items() if each.does]
    notes = "; ".join(dict.fromkeys(_suspicions(borrowed, names, places)))
    outcome = replace(outcome, staff_note=StudentText("; ".join(filter(None, (outcome.staff_note, notes)))))
    if not doing:
        return outcome
    first = doing[0]
    return _failed(outcome, said(borrowed[first].use, names[first]), places[first])


def _suspicions(
    borrowed: Mapping[str, Borrowed], names: Mapping[str, str], places: Mapping[str, Location | None]
) -> Iterator[str]:
    for name, each in borrowed.items():
        if each.does is None:
            yield at(f"whether {each.use.name} does the work of {names[name]} is for a person to see", places[name])
        elif not each.does:
            yield at(f"{each.use.name} is called, and does not do the work", places[name])


def _failed(outcome: Outcome, text: str, place: Location | None) -> Outcome:
    return replace(
        outcome, verdict=Verdict.FAILED, passed=0, message=StudentText(text), location=place, diagnosis=_diagnosis(),
        tells=Tells.NAMED,
    )  # fmt: skip


def _diagnosis() -> Diagnosis:
    known = next(one for one in catalogue.component(HONESTY).misconceptions if one.id == MISTAKE)
    return Diagnosis((known.id,), known.title, (), By.RUN, known.hints, "")
