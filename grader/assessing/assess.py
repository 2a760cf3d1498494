"""From a submission to outcomes: all components are examined in shared rounds, some again apart from their parts.

Outcomes are a pure function of submission, assignment, grader version and seed.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from grader.assessing import borrowed, stand_ins
from grader.assessing.carried import carry_forward
from grader.assessing.examination import Examination, case_seed, locate, missing, open_examination
from grader.assessing.prints import Prints
from grader.assessing.second_look import Looked, Seen, gives_away, look_again
from grader.assessing.session import Session, payload
from grader.judging import wording
from grader.model.assignment import Assignment
from grader.model.outcome import Outcome
from grader.model.submission import Submission
from grader.model.text import StudentText
from grader.sandbox.plain import Failure, Limits, Loaded, Program, Reply, Source


class Asking(Protocol):
    """What assess needs of a sandbox."""

    def session(self) -> Session:
        """Return a context manager that asks about one submission: its children are not shared with another."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """All outcomes of a submission, remarks that belong to no check, the seconds of each component, and its prints."""

    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...]
    seconds: Mapping[str, float] = field(default_factory=dict)
    prints: Prints = field(default_factory=Prints)


def assess(
    submission: Submission, assignment: Assignment, components: Sequence[str], seed: int, sandbox: Asking
) -> Assessment:
    """Examine ``components`` of ``submission``; the student's code runs in ``sandbox`` only."""
    if not submission.modules:
        nothing = Loaded("value", None, (), (), "")
        absent = tuple(missing(name, "", assignment, nothing, submission) for name in components)
        return Assessment(tuple(outcome for found in absent for outcome in found), _notes(submission, nothing))
    with sandbox.session() as session:
        return _assessed(submission, assignment, components, seed, session)


def _assessed(
    submission: Submission, assignment: Assignment, components: Sequence[str], seed: int, session: Session
) -> Assessment:
    code = payload(submission)
    limits, drawn = assignment.limits, case_seed(seed, submission)
    opened: list[Examination] = []
    seen: list[Seen] = []
    witness, prints = borrowed.Witness(assignment, {}), Prints()

    def begun(loaded: Loaded, again: Seen | None = None) -> Examination:
        return open_examination(submission, _here(assignment, session), components, drawn, loaded, again)

    def first(loaded: Loaded) -> tuple[Program, ...]:
        if loaded.failure and not any(locate(assignment.interface(name), loaded)[0] for name in components):
            return ()  # it broke off before anything that is asked for
        seen.append(
            Seen(submission, assignment, {each.component: locate(each, loaded)[0] for each in assignment.interfaces})
        )
        opened.append(begun(loaded, seen[0]))
        witness.found = borrowed.names_of(assignment, loaded)
        return opened[0].programs()

    def then(replies: tuple[Reply, ...]) -> tuple[Program, ...]:
        if opened:
            for name, mine in opened[0].shared(replies):
                witness.hear(name, opened[0].waiting[name], mine)
                prints.hear(name, opened[0].waiting[name], mine)
            opened[0].receive(replies)
        return opened[0].programs() if opened else ()

    loaded = session.ask(code, first, limits, then).loaded
    prints.while_loading = loaded.output
    if loaded.status != "value" or not opened:
        if loaded.status == "value" and loaded.failure:  # it broke off, above all that is asked for
            loaded = replace(loaded, status="timeout" if loaded.failure.type == "Stopped" else "error")
        outcomes = tuple(outcome for found in begun(loaded).done.values() for outcome in found)
        return Assessment(outcomes, _notes(submission, loaded), prints=prints)
    notes = (*_notes(submission, loaded), *wording.stops(loaded.failure, submission))
    rests_on = seen[0].rests_on
    carried = carry_forward([o for name in components for o in opened[0].done[name]], rests_on)
    here = _here(assignment, session)
    second = _Second(submission, code, here, limits, drawn, session, loaded, opened[0])
    results = {name: tuple(group) for name, group in itertools.groupby(carried, key=lambda one: one.component)}
    apart = look_again(results, seen[0], second.around, second.as_it_is, opened[0].left)
    # Again: blocks asked anew show more.
    own = carry_forward([o for name in components for o in apart[name]], rests_on)
    led = witness.borrowed(session, code, limits)
    outcomes = borrowed.told(own, led, assignment, submission)
    return Assessment(outcomes, notes, opened[0].seconds, prints)


@dataclass(slots=True)
class _Second:
    """A second look at a submission, after ``looked``.

    The child that was there for the first one loads each form anew, unless it was told what a block is asked for.
    """

    submission: Submission
    code: Source
    assignment: Assignment
    limits: Limits
    drawn: int
    session: Session
    loaded: Loaded
    looked: Examination
    sent: set[str] = field(default_factory=set)

    def around(self, blocks: Sequence[str], parts: Mapping[str, str], pairs: bool) -> dict[str, Looked]:
        """Examine ``blocks`` with stand-ins for ``parts``."""
        opened: list[Examination] = []
        ours: dict[str, tuple[Failure, ...]] = {}

        def first(loaded: Loaded) -> tuple[Program, ...]:
            opened.append(open_examination(self.submission, self.assignment, blocks, self.drawn, loaded))
            return opened[0].programs()

        def then(replies: tuple[Reply, ...]) -> tuple[Program, ...]:
            for block, mine in opened[0].shared(replies):
                ours[block] = ours.get(block, ()) + stand_ins.raised(mine, parts.values())
            opened[0].receive(replies)
            return opened[0].programs()

        self._renew(blocks)
        self.sent.update(parts)
        defined = [(module, name) for module, name, _ in self.loaded.names]
        around = stand_ins.in_place(self.code, parts, self.assignment, defined, pairs=pairs)
        loaded = self.session.ask(around, first, self.limits, then).loaded
        if loaded.status != "value" or not opened:
            return {}
        return {block: Looked(found, ours.get(block, ())) for block, found in opened[0].done.items()}

    def as_it_is(self, blocks: Sequence[str]) -> dict[str, tuple[Outcome, ...]]:
        """Look for the mistakes of ``blocks`` in what they answered before."""

        def then(replies: tuple[Reply, ...]) -> tuple[Program, ...]:
            self.looked.receive(replies)
            return self.looked.programs()

        self.looked.take_up(blocks)
        if programs := self.looked.programs():  # no answer so far tells what is left apart
            self._renew(blocks)
            self.session.ask(self.code, programs, self.limits, then)
        return self.looked.done

    def _renew(self, blocks: Sequence[str]) -> None:
        if gives_away(self.sent, blocks):
            self.session.renew()
            self.sent.clear()


def _here(assignment: Assignment, session: Session) -> Assignment:
    """The assignment with the seconds that apply on this machine, for the texts that name them."""
    return replace(assignment, limits=assignment.limits.stretched(session.pace))


def _notes(submission: Submission, loaded: Loaded) -> tuple[str, ...]:
    return tuple(StudentText(note) for note in (*submission.notes, *loaded.notes))
