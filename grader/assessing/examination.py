"""All components of a submission on their way, one child a round: what is found, what it asks, what is finished."""

import hashlib
import itertools
import logging
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from grader import components as catalogue
from grader import source
from grader.assessing.second_look import Seen
from grader.component.context import Context, Rounds
from grader.component.part import examine
from grader.judging import outcomes, wording
from grader.model.assignment import Assignment, Interface
from grader.model.outcome import Location, Outcome, Reason, Tells, Verdict
from grader.model.submission import Submission
from grader.model.text import StudentText
from grader.sandbox.plain import Loaded, Program, Reply

_log = logging.getLogger("grader")


@dataclass(slots=True)
class Examination:
    """All components of a submission on their way, one child a round: what runs, what it asks, what is finished.

    The mistakes of those in ``left`` are looked for around working parts, in the second look that ``seen`` is for;
    kept is what would look for them as they are. ``seconds`` are those that each was waited for.
    """

    seen: Seen | None
    running: dict[str, Rounds] = field(default_factory=dict)
    waiting: dict[str, Sequence[Program]] = field(default_factory=dict)
    done: dict[str, tuple[Outcome, ...]] = field(default_factory=dict)
    left: dict[str, Callable[[], Rounds]] = field(default_factory=dict)
    titles: dict[str, Mapping[str, str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def programs(self) -> tuple[Program, ...]:
        """What all components ask in this round."""
        return tuple(program for programs in self.waiting.values() for program in programs)

    def receive(self, replies: Sequence[Reply]) -> None:
        """Hand every component its replies."""
        shared = self.shared(replies)
        self.waiting.clear()
        for name, mine in shared:
            self.seconds[name] = self.seconds.get(name, 0.0) + sum(reply.seconds for reply in mine)
            self.advance(name, mine)
        if self.waiting and not self.programs():
            self.receive(())

    def shared(self, replies: Sequence[Reply]) -> list[tuple[str, list[Reply]]]:
        """The replies of each component that waits for some."""
        left = iter(replies)
        return [(name, list(itertools.islice(left, len(programs)))) for name, programs in self.waiting.items()]

    def leave_open(self, block: str, outcomes: tuple[Outcome, ...], explained: Callable[[], Rounds]) -> bool | None:
        """Whether a block's mistakes are left to the second look; None while its parts are not through."""
        if self.seen is None:
            return False
        if any(part in self.running and part not in self.done for part in catalogue.PARTS.get(block, ())):
            return None
        if self.seen.better_around(block, {**self.done, block: outcomes}):
            self.left[block] = explained
        return block in self.left

    def take_up(self, blocks: Iterable[str]) -> None:
        """Look for the mistakes of blocks that were left, as they are."""
        for block in blocks:
            self.running[block] = self.left[block]()
            self.advance(block, None)

    def advance(self, name: str, replies: Sequence[Reply] | None) -> None:
        """Let a component go on with its replies, or begin; an exception of ours becomes a fault of its checks."""
        rounds = self.running[name]
        try:
            self.waiting[name] = next(rounds) if replies is None else rounds.send(replies)
        except StopIteration as end:
            self.done[name] = end.value
        except Exception:  # noqa: BLE001 - an exception inside a judge is ours, never the student's
            _log.exception("fault while examining %s", name)
            self.done[name] = _faults(name, self.titles[name], traceback.format_exc())


def open_examination(
    submission: Submission,
    assignment: Assignment,
    components: Sequence[str],
    drawn: int,
    loaded: Loaded,
    seen: Seen | None = None,
) -> Examination:
    """Find each component's function among the names that were loaded, and begin to examine it."""
    found = Examination(seen)
    for name in components:
        interface = assignment.interface(name)
        handed = _handed_in(interface, loaded)
        function, module, form = handed[0]
        component = catalogue.of(interface, form)
        nothing = not function and component.needs_function
        broke_off = nothing and loaded.failure is not None and interface.callable in _written(submission)
        there = loaded.status == "value" and not broke_off
        if there and nothing:
            found.done[name] = missing(name, form, assignment, loaded, submission)
            continue
        if not there:
            found.done[name] = not_loaded(assignment, name, loaded, submission)
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
        found.titles[name] = {check.name: check.title for check in component.checks}
        if len(handed) > 1:
            alone = replace(context, left_open=lambda *_: False)
            found.running[name] = together([_examined(interface, alone, *one) for one in handed])
        else:
            found.running[name] = examine(component, context)
        found.advance(name, None)
    return found


def _examined(interface: Interface, context: Context, function: str, module: str, form: str) -> Rounds:
    """A component in one of the forms in which it was handed in."""
    named = replace(context, interface=replace(interface, callable=function), function=function, module=module)
    return examine(catalogue.of(interface, form), named)


def together(several: Sequence[Rounds]) -> Rounds:
    """Examine one component in all forms in which it was handed in; a check of both is passed where both pass it."""
    waiting: dict[int, Sequence[Program]] = {}
    done: dict[int, tuple[Outcome, ...]] = {}

    def advance(at: int, replies: Sequence[Reply] | None) -> None:
        try:
            waiting[at] = next(several[at]) if replies is None else several[at].send(replies)
        except StopIteration as end:
            waiting.pop(at, None)
            done[at] = end.value

    for at in range(len(several)):
        advance(at, None)
    while waiting:
        replies = iter((yield [program for programs in waiting.values() for program in programs]))
        for at, programs in list(waiting.items()):
            advance(at, list(itertools.islice(replies, len(programs))))
    found: dict[str, Outcome] = {}
    for outcome in (one for at in sorted(done) for one in done[at]):
        known = found.get(outcome.check)
        if known is None or (known.verdict is Verdict.PASSED and outcome.verdict is not Verdict.PASSED):
            found[outcome.check] = outcome
    return tuple(found.values())


def _handed_in(interface: Interface, loaded: Loaded) -> list[tuple[str, str, str]]:
    """Name, module and form of all that was handed in for a component: the first of each form that it has.

    What the assignment asks for in one form is looked for in that form alone.
    """
    function, module, kind = locate(interface, loaded)
    first = (function, module, _form(interface, function, kind))
    if not function or interface.conventions.get("form") or len(catalogue.forms_of(interface)) == 1:
        return [first]
    others = [name for name in interface.accepted if name != function]
    found = [locate(replace(interface, callable=name, aliases=(), names={}), loaded) for name in others]
    formed = [(name, home, _form(interface, name, kind)) for name, home, kind in found if name]
    return [first, *[one for one in formed if one[2] != first[2]][:1]]


def case_seed(seed: int, submission: Submission) -> int:
    """The seed of a submission's hidden cases: follows from the instructor's secret ``seed`` and the files."""
    digest = hashlib.blake2b(f"{seed}:{submission.sha256}".encode(), digest_size=6).digest()
    return int.from_bytes(digest, "little")


def _faults(name: str, titles: Mapping[str, str], trace: str) -> tuple[Outcome, ...]:
    found = outcomes.fault(trace)
    return tuple(
        replace(found, check=f"{name}.{check}", component=name, title=title) for check, title in titles.items()
    )


def locate(interface: Interface, loaded: Loaded) -> tuple[str, str, str]:
    """The name under which the submission defines the component, the module that does, and whether it is a class.

    All empty where nothing is found. A component of several callables counts as found when any of them is defined.
    """
    wanted = (interface.callable, *interface.aliases, *interface.names.values())
    for name in wanted:
        for module, defined, kind in loaded.names:
            if defined == name and kind != "value":
                helper = name in interface.names.values() and name != interface.callable
                return (interface.callable if helper and kind == "function" else defined), module, kind
    if interface.adapter is not None and loaded.names:  # its lines know what to look for
        return interface.callable, loaded.names[0][0], str(interface.conventions.get("form", "class"))
    return "", "", ""


def _form(interface: Interface, name: str, kind: str) -> str:
    """How the component is judged: as the hand-out says, else as its name says or as it is defined.

    A function or ``partial`` that makes a module stands for its class.
    """
    declared = str(interface.conventions.get("form", ""))
    return declared or ("class" if name[:1].isupper() else kind)


def missing(
    name: str, form: str, assignment: Assignment, loaded: Loaded, submission: Submission
) -> tuple[Outcome, ...]:
    """The outcomes of a component that is not there, with what may be meant by it."""
    interface = assignment.interface(name)
    callables = [defined for _, defined, kind in loaded.names if kind != "value"]
    taken = {known for other in assignment.interfaces for known in other.accepted}
    close = source.suggest(interface.callable, callables, taken)
    wanted = interface.callable
    text, place = f"{wanted} is not defined", None
    if close:
        text, place = f"{text} (found `{close}`: is that it?)", source.definition(submission.modules, close)
    reason = Reason.JUDGED
    if any(defined == wanted for _, defined, _ in loaded.names):
        text = f"{wanted} is a value here; expected a function or a class"
    elif around := source.nested_in(wanted, submission):
        text = f"{wanted} is defined inside {around} only: move it out, so that it stands on its own"
        place = source.definition(submission.modules, wanted)
    elif origin := source.imported_from(wanted, submission):
        text = f"{wanted} is imported from {origin}, and that is not handed in"
    elif stopped := _stopped(at := source.definition(submission.modules, wanted), loaded):
        text, place = f"{wanted} is not defined: what defines it did not run ({stopped})", at
    elif not close:
        reason = Reason.UNDEFINED
    lost = partial(Outcome, verdict=Verdict.MISSING, message=StudentText(text), location=place, reason=reason)
    return _for_each(partial(lost, tells=Tells.NAMED), name, form, interface)


def _stopped(place: Location | None, loaded: Loaded) -> str:
    """What the cell at ``place`` failed of, as the notes have it; empty where it ran."""
    noted = (note.partition(": ") for note in loaded.notes)
    return next((what for file, _, what in noted if place is not None and file == place.file), "")


def _written(submission: Submission) -> frozenset[str]:
    """The names that stand in the code as defined, whether or not it comes to that."""
    return frozenset(name for module in submission.modules for name in source.defined_names(module))


def not_loaded(assignment: Assignment, name: str, loaded: Loaded, submission: Submission) -> tuple[Outcome, ...]:
    """The outcomes of a component of a source that did not load."""
    status = "error" if loaded.status == "value" else loaded.status  # it broke off before this was defined
    reason, raised = Reason.FILE, wording.raised(status, loaded.failure)
    text, place, tells = wording.told(status, loaded.failure, submission, assignment.limits, loading=True)
    lost = partial(Outcome, verdict=wording.VERDICTS[status], message=text, location=place, reason=reason)
    return _for_each(partial(lost, raised=raised, tells=tells), name, "", assignment.interface(name))


def _for_each(
    lost: Callable[[str, str, str], Outcome], name: str, form: str, interface: Interface
) -> tuple[Outcome, ...]:
    """What every check comes to that would have been judged, had there been something to judge."""
    component = catalogue.of(interface, form)
    asked = component.asked(interface)
    return tuple(lost(f"{name}.{each.name}", name, each.title) for each in component.checks if each.name in asked)
