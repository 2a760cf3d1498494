"""From a submission to outcomes: find each component's function, examine all of them in shared rounds, explain.

Outcomes are a pure function of submission, assignment, grader version and seed.
"""

from __future__ import annotations

import hashlib
import itertools
import logging
import traceback
from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from grader import components as catalogue
from grader import judge, source, stand_ins, wording
from grader.blocks.carried import PARTS, carry_forward
from grader.component import Component
from grader.components.borrowed import without_borrowed
from grader.grounds import without_ground
from grader.judge import Context
from grader.model import Assignment, Interface, Limits, Outcome, StudentText, Submission, Verdict
from grader.questions import asked_of
from grader.sandbox import parent
from grader.sandbox.parent import Failure, Loaded, Program, Reply, Source
from grader.second_look import Looked, Seen, gives_away, look_again

_log = logging.getLogger("grader")
_LOAD = {
    "error": Verdict.ERROR,
    "timeout": Verdict.TIMEOUT,
    "memory": Verdict.MEMORY,
    "crashed": Verdict.CRASHED,
    "protocol": Verdict.CRASHED,
    "value": Verdict.FAILED,
}
Rounds = Generator[Sequence[Program], Sequence[Reply], tuple[Outcome, ...]]


class Asking(Protocol):
    """What assess needs of a sandbox."""

    def session(self) -> parent.Session:
        """Return a context manager that asks about one submission: its children are not shared with another."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """All outcomes of a submission, with remarks that belong to no check."""

    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...]


def assess(
    submission: Submission, assignment: Assignment, components: Sequence[str], seed: int, sandbox: Asking
) -> Assessment:
    """Examine ``components`` of ``submission``; the student's code runs in ``sandbox`` only."""
    if not submission.modules:
        nothing = Loaded("value", None, (), (), "")
        absent = tuple(_missing(name, "", assignment, nothing, submission) for name in components)
        return Assessment(tuple(outcome for found in absent for outcome in found), _notes(submission, nothing))
    with sandbox.session() as session:
        return _assessed(submission, assignment, components, seed, session)


def _assessed(
    submission: Submission, assignment: Assignment, components: Sequence[str], seed: int, session: parent.Session
) -> Assessment:
    payload = _payload(submission)
    limits = _limits(assignment.limits)
    opened: list[_Examination] = []

    def first(loaded: Loaded) -> tuple[Program, ...]:
        if loaded.failure and not any(_locate(assignment.interface(name), loaded)[0] for name in components):
            return ()  # it broke off before anything that is asked for
        seen = Seen(submission, assignment, {one.component: _locate(one, loaded)[0] for one in assignment.interfaces})
        here, drawn = _here(assignment, session), case_seed(seed, submission)
        opened.append(_open(submission, here, components, drawn, loaded, seen))
        return opened[0].programs()

    def then(replies: tuple[Reply, ...]) -> tuple[Program, ...]:
        if opened:
            opened[0].receive(replies)
        return opened[0].programs() if opened else ()

    loaded = session.ask(payload, first, limits, then).loaded
    if loaded.status != "value" or not opened:
        here = _here(assignment, session)
        loaded = replace(loaded, status="error") if loaded.status == "value" and loaded.failure else loaded
        outcomes = tuple(o for name in components for o in _not_loaded(here, name, loaded, submission))
        return Assessment(outcomes, _notes(submission, loaded))
    carried = carry_forward([o for name in components for o in opened[0].done[name]])
    apart = _apart_from_parts(carried, submission, assignment, seed, session, loaded, opened[0].left)
    own = carry_forward([o for name in components for o in apart[name]])
    defined = {name for _, name, kind in loaded.names if kind != "value"}
    outcomes = without_ground(without_borrowed(own, submission, assignment, defined))
    return Assessment(outcomes, (*_notes(submission, loaded), *wording.stops(loaded.failure, submission)))


def _apart_from_parts(
    outcomes: Sequence[Outcome],
    submission: Submission,
    assignment: Assignment,
    seed: int,
    session: parent.Session,
    loaded: Loaded,
    left: Collection[str],
) -> dict[str, tuple[Outcome, ...]]:
    """Outcomes by component; blocks whose parts do not work are asked again around stand-ins.

    The child that was there for the first look loads each form anew, unless it was told what a block is asked for.
    """
    payload, limits = _payload(submission), _limits(assignment.limits)
    sent: set[str] = set()
    defined = [(module, name) for module, name, _ in loaded.names]

    def again(blocks: Sequence[str], parts: Mapping[str, str], pairs: bool) -> dict[str, Looked]:
        opened: list[_Examination] = []
        ours: dict[str, tuple[Failure, ...]] = {}

        def first(loaded: Loaded) -> tuple[Program, ...]:
            opened.append(_open(submission, _here(assignment, session), blocks, case_seed(seed, submission), loaded))
            return opened[0].programs()

        def then(replies: tuple[Reply, ...]) -> tuple[Program, ...]:
            for block, mine in opened[0].shared(replies):
                ours[block] = ours.get(block, ()) + stand_ins.raised(mine, parts.values())
            opened[0].receive(replies)
            return opened[0].programs()

        if gives_away(sent, blocks):
            session.renew()
            sent.clear()
        sent.update(parts)
        source = stand_ins.in_place(payload, parts, defined, pairs=pairs)
        loaded = session.ask(source, first, limits, then).loaded
        if loaded.status != "value" or not opened:
            return {}
        return {block: Looked(found, ours.get(block, ())) for block, found in opened[0].done.items()}

    seen = Seen(submission, assignment, {one.component: _locate(one, loaded)[0] for one in assignment.interfaces})
    results = {name: tuple(group) for name, group in itertools.groupby(outcomes, key=lambda one: one.component)}
    return look_again(results, seen, again, left)


@dataclass(slots=True)
class _Examination:
    """All components of a submission on their way, one child a round: what runs, what it asks, what is finished.

    The mistakes of those in ``left`` are looked for around working parts, in the second look that ``seen`` is for.
    """

    seen: Seen | None
    running: dict[str, Rounds] = field(default_factory=dict)
    waiting: dict[str, Sequence[Program]] = field(default_factory=dict)
    done: dict[str, tuple[Outcome, ...]] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)

    def programs(self) -> tuple[Program, ...]:
        """What all components ask in this round."""
        return tuple(program for programs in self.waiting.values() for program in programs)

    def receive(self, replies: Sequence[Reply]) -> None:
        """Hand every component its replies."""
        shared = self.shared(replies)
        self.waiting.clear()
        for name, mine in shared:
            _advance(name, self.running[name], mine, self.waiting, self.done)
        if self.waiting and not self.programs():
            self.receive(())

    def shared(self, replies: Sequence[Reply]) -> list[tuple[str, list[Reply]]]:
        """The replies of each component that waits for some."""
        left = iter(replies)
        return [(name, list(itertools.islice(left, len(programs)))) for name, programs in self.waiting.items()]

    def leave_open(self, block: str, outcomes: tuple[Outcome, ...]) -> bool | None:
        """Whether a block's mistakes are left to the second look; None while its parts are not through."""
        if self.seen is None:
            return False
        if any(part in self.running and part not in self.done for part in PARTS.get(block, ())):
            return None
        if self.seen.better_around(block, {**self.done, block: outcomes}):
            self.left.add(block)
        return block in self.left


def _open(
    submission: Submission,
    assignment: Assignment,
    components: Sequence[str],
    drawn: int,
    loaded: Loaded,
    seen: Seen | None = None,
) -> _Examination:
    """Find each component's function among the names that were loaded, and begin to examine it."""
    found = _Examination(seen)
    for name in components:
        interface = assignment.interface(name)
        function, module, form = _locate(interface, loaded)
        form = _form(interface, function, form)
        component = catalogue.get(name, form)
        if not function and getattr(component, "needs_function", True):
            never_ran = loaded.failure is not None and interface.callable in _written(submission)
            broken = replace(loaded, status="error")
            found.done[name] = (
                _not_loaded(assignment, name, broken, submission)
                if never_ran
                else _missing(name, form, assignment, loaded, submission)
            )
            continue
        context = Context(
            replace(interface, callable=function or interface.callable),
            submission,
            drawn,
            function,
            module,
            interfaces=assignment.interfaces,
            names=loaded.names,
            limits=assignment.limits,
            left_open=partial(found.leave_open, name),
        )
        found.running[name] = _rounds(component, context)
        _advance(name, found.running[name], None, found.waiting, found.done)
    return found


def case_seed(seed: int, submission: Submission) -> int:
    """The seed of a submission's hidden cases: follows from the instructor's secret ``seed`` and the files."""
    digest = hashlib.blake2b(f"{seed}:{submission.sha256}".encode(), digest_size=6).digest()
    return int.from_bytes(digest, "little")


def _rounds(component: Any, context: Context) -> Rounds:
    return judge.examine(component, context) if isinstance(component, Component) else component.examine(context)


def _advance(
    name: str,
    rounds: Rounds,
    replies: Sequence[Reply] | None,
    waiting: dict[str, Sequence[Program]],
    done: dict[str, tuple[Outcome, ...]],
) -> None:
    try:
        waiting[name] = next(rounds) if replies is None else rounds.send(replies)
    except StopIteration as end:
        done[name] = end.value
    except Exception:  # noqa: BLE001 - an exception inside a judge is ours, never the student's: it becomes a fault
        _log.exception("fault while examining %s", name)
        done[name] = tuple(
            Outcome(
                f"{name}.{check}",
                name,
                title,
                Verdict.FAULT,
                message="the grader itself failed here",
                staff_note=traceback.format_exc(),
            )
            for check, title in catalogue.checks_of(name)
        )


def _payload(submission: Submission) -> Source:
    return Source(
        tuple(
            parent.Module(
                module.name,
                tuple(parent.Chunk(chunk.code, chunk.filename, chunk.tolerate) for chunk in module.chunks),
            )
            for module in submission.modules
        )
    )


def _here(assignment: Assignment, session: parent.Session) -> Assignment:
    """The assignment with the seconds that apply on this machine, for the texts that name them."""
    limits, pace = assignment.limits, session.pace
    stretched = replace(limits, load_s=limits.load_s * pace, call_s=limits.call_s * pace, total_s=limits.total_s * pace)
    return replace(assignment, limits=stretched)


def _limits(limits: Limits) -> parent.Limits:
    return parent.Limits(
        load_wall=limits.load_s,
        call_wall=limits.call_s,
        cpu=limits.cpu_s,
        memory=limits.memory_bytes,
        output=limits.output_bytes,
        total_wall=limits.total_s,
    )


def _locate(interface: Interface, loaded: Loaded) -> tuple[str, str, str]:
    """The name under which the submission defines the component, the module that does, and whether it is a class.

    All empty where nothing is found. A component of several callables counts as found when any of them is defined.
    """
    wanted = (interface.callable, *interface.aliases, *interface.names.values())
    for name in wanted:
        for module, defined, kind in loaded.names:
            if defined == name and kind != "value":
                helper = name in interface.names.values() and name != interface.callable
                return (interface.callable if helper and kind == "function" else defined), module, kind
    return "", "", ""


def _form(interface: Interface, name: str, kind: str) -> str:
    """How the component is judged: as the hand-out says, else as its name says or as it is defined.

    A function or ``partial`` that makes a module stands for its class.
    """
    declared = str(interface.conventions.get("form", ""))
    return declared or ("class" if name[:1].isupper() else kind)


def _missing(
    name: str, form: str, assignment: Assignment, loaded: Loaded, submission: Submission
) -> tuple[Outcome, ...]:
    interface = assignment.interface(name)
    callables = [defined for _, defined, kind in loaded.names if kind != "value"]
    taken = {known for other in assignment.interfaces for known in (other.callable, *other.aliases)}
    close = source.suggest(interface.callable, callables, taken)
    wanted = interface.callable
    text = f"{wanted} is not defined" + (f" (found `{close}`: is that it?)" if close else "")
    if any(defined == wanted for _, defined, _ in loaded.names):
        text = f"{wanted} is a value here; expected a function or a class"
    elif around := source.nested_in(wanted, submission):
        text = f"{wanted} is defined inside {around} only: move it out, so that it stands on its own"
    elif origin := source.imported_from(wanted, submission):
        text = f"{wanted} is imported from {origin}, and that is not handed in"
    return tuple(
        Outcome(f"{name}.{check}", name, title, Verdict.MISSING, message=StudentText(text))
        for check, title in _checks(name, form, interface)
    )


def _written(submission: Submission) -> frozenset[str]:
    """The names that stand in the code as defined, whether or not it comes to that."""
    return frozenset(name for module in submission.modules for name in source.defined_names(module))


def _not_loaded(assignment: Assignment, name: str, loaded: Loaded, submission: Submission) -> tuple[Outcome, ...]:
    interface = assignment.interface(name)
    text, place = wording.told(loaded.status, loaded.failure, submission, assignment.limits, loading=True)
    return tuple(
        Outcome(f"{name}.{check}", name, title, _LOAD[loaded.status], message=text, location=place)
        for check, title in _checks(name, str(interface.conventions.get("form", "")), interface)
    )


def _checks(name: str, form: str, interface: Interface) -> tuple[tuple[str, str], ...]:
    """Name and title of each check that would have been judged, had there been something to judge."""
    component = catalogue.get(name, form)
    asked = asked_of(component, interface.domain) if isinstance(component, Component) else None
    return tuple(pair for pair in catalogue.checks_of(name, form) if asked is None or pair[0] in asked)


def _notes(submission: Submission, loaded: Loaded) -> tuple[str, ...]:
    return tuple(StudentText(note) for note in (*submission.notes, *loaded.notes))
