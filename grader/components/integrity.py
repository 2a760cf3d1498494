"""Honest computation: what the source says, and how the functions behave when values, seeds and order change.

A component without a callable of its own. It asks whatever else the submission defines of the assignment; a submission
that defines one function is judged on that function and on its source.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from grader import mistakes, source
from grader.component.checks import Check, Misconception
from grader.component.context import Context, Rounds
from grader.component.part import Answers, Asking, Complaint, Part
from grader.components import integrity_probes as probing
from grader.components.integrity_probes import Seen, Subject
from grader.intake.syntax import SyntaxFault, parse
from grader.judging import snippet, wording
from grader.judging.snippet import Tried
from grader.model.assignment import Interface
from grader.model.outcome import By, Counterexample, Diagnosis, Location, Outcome, Tells, Verdict
from grader.model.submission import Submission
from grader.model.text import StudentText
from grader.properties import as_array

OLD_NUMPY_NAMES = frozenset({"float", "int", "bool", "object", "complex", "str"})
"""``np.float = float`` keeps old code alive and harms nobody."""

CHECKS = (
    ("computes_its_answers", "The answers are computed and not looked up."),
    ("answers_follow_the_values", "Other values of the same shape get another answer."),
    ("keeps_no_state", "The same call gives the same answer, whatever was called before."),
    ("returns_plain_values", "The results are plain numbers and arrays."),
    ("leaves_libraries_alone", "Nothing of numpy, torch or Python itself is replaced."),
    ("needs_its_arguments_only", "The functions look at their arguments, not at their callers."),
    ("leaves_random_numbers_alone", "Random numbers are not made the same at every call."),
    ("uses_no_forbidden_call", "No library call stands in for the exercise."),
)


@dataclass(frozen=True, slots=True)
class Found:
    """What one check found: ``loss`` where points are lost, else a note. ``id`` names the mistake.

    Without an id it is for the teacher, who may want to look.
    """

    check: str
    id: str
    message: str
    location: Location | None = None
    counterexample: Counterexample | None = None
    loss: bool = True


class Integrity(Part):
    """The component: its checks and named mistakes, and how a submission is examined."""

    name, title, reread, needs_function = "integrity", "Honest computation", "", False

    def __init__(self) -> None:
        self.checks = tuple(Check(*one, lambda **_: (), lambda *_, **__: None) for one in CHECKS)

    @property
    def misconceptions(self) -> tuple[Misconception, ...]:
        """The mistakes that are known by name."""
        known = mistakes.of(self.name)
        return tuple(Misconception(one.id, one.title, one.hints, "", self.name) for one in known)

    def complaints(self, interface: Interface) -> Iterator[Complaint]:
        """It has no conventions, and no domain."""
        yield from super().complaints(interface)
        if interface.domain:
            yield ("domain",), "unknown field: nothing is asked of its own"

    def read(self, context: Context) -> Asking:
        """Ask the functions once."""
        subjects = probing.subjects(context)
        probes = probing.probes(context, subjects)
        replies = (yield [probe.program for probe in probes]) if probes else ()
        seen = [probing.read(probe, reply) for probe, reply in zip(probes, replies, strict=True)]
        return Honesty(self, context, subjects, seen)

    def outcome(self, name: str, title: str, found: Sequence[Found]) -> Outcome:
        """What one check comes to by all that was found."""
        mine = [one for one in found if one.check == name]
        suspicions = dict.fromkeys(_sentence(one) for one in mine if not one.id)
        mine = [one for one in mine if one.id]
        losses = [one for one in mine if one.loss]
        notes = dict.fromkeys(_sentence(one) for one in mine if not one.loss)
        lead = next(iter(losses), next(iter(mine), None))
        diagnosis = self._diagnosis(lead.id) if lead else None
        verdict = Verdict.FAILED if losses else Verdict.PASSED
        first = losses[0] if losses else None
        return Outcome(
            f"{self.name}.{name}",
            self.name,
            title,
            verdict,
            0 if losses else 1,
            1,
            message=StudentText(first.message) if first else "",
            tells=Tells.NAMED,
            location=first.location if first else None,
            counterexample=first.counterexample if first else None,
            diagnosis=diagnosis,
            notes=tuple(StudentText(note) for note in notes),
            staff_note=StudentText("; ".join(suspicions)),
        )

    def _diagnosis(self, id: str) -> Diagnosis:
        known = next(one for one in self.misconceptions if one.id == id)
        return Diagnosis((id,), known.title, (), By.SIGN, known.hints, "")


@dataclass(frozen=True, slots=True)
class Honesty(Answers):
    """What the functions of a submission answered, beside its source."""

    part: Integrity
    context: Context
    subjects: Sequence[Subject]
    seen: Sequence[Seen]

    def judged(self) -> Rounds:
        """One outcome for each check."""
        yield from ()
        found = [
            *_of_source(self.context, self.subjects),
            *_of_behaviour(self.context, self.seen),
            *_of_both(self.context, self.subjects, self.seen),
        ]
        return tuple(self.part.outcome(name, title, found) for name, title in CHECKS)


def _sentence(found: Found) -> str:
    return found.message + (f" ({found.location})" if found.location else "")


def _of_source(context: Context, subjects: Sequence[Subject]) -> Iterable[Found]:
    """What the syntax tree shows."""
    modules = context.submission.modules
    for use in source.patches_foreign_attributes(modules):
        if use.name.rpartition(".")[2] not in OLD_NUMPY_NAMES:
            yield Found(
                "leaves_libraries_alone", "integrity-patches-comparator", f"{use.name} is replaced", use.location
            )
    for use in source.uses_inspect_frames(modules, [subject.function for subject in subjects]):
        text = f"{use.name.lstrip('.')} looks at the callers"
        yield Found("needs_its_arguments_only", "integrity-reads-expected-from-caller", text, use.location)
    for use in source.defines_equal_anything(modules):
        text = f"A class defines {use.name} so that it agrees with everything"
        yield Found("returns_plain_values", "integrity-always-equal-object", text, use.location)
    for name, place in _array_impostors(context.submission):
        text = f"A class defines {name}, which answers for numpy"
        yield Found("returns_plain_values", "integrity-always-equal-object", text, place)


def _array_impostors(submission: Submission) -> Iterable[tuple[str, Location]]:
    """Classes that take over what numpy does with them."""
    for module in submission.modules:
        for chunk in module.chunks:
            tree = parse(chunk.code)
            for node in () if isinstance(tree, SyntaxFault) else ast.walk(tree):  # the loader has said so already
                if isinstance(node, ast.FunctionDef) and node.name in {"__array_ufunc__", "__array_function__"}:
                    yield node.name, Location(chunk.filename, node.lineno, chunk.cell)


def _of_behaviour(context: Context, seen: Sequence[Seen]) -> Iterable[Found]:
    """What the answers show, whatever the source looks like."""
    drawing = {one.probe.subject.function for one in seen if probing.draws(one)}
    for one in seen:
        subject = one.probe.subject
        if one.output.strip():
            module = next((m for m in context.submission.modules if m.name == subject.module), None)
            places = source.prints_in(module, subject.function) if module else ()
            text = f"{subject.function} prints to the terminal; this costs nothing"
            place = places[0] if places else None
            yield Found("returns_plain_values", "state-prints-to-stdout", text, place, loss=False)
        if not one.values or _is_random(subject) or subject.function in drawing:
            continue
        if one.probe.kind == "again":
            yield from _again(context, one)
        elif one.probe.kind == "neighbours" and probing.jumps(one):
            text = f"{subject.function} is right at one input and far off when its numbers change by a hundredth"
            example = _example(context, one, 1, "the numbers of a right case, changed by a hundredth")
            yield Found("computes_its_answers", "integrity-hardcoded-visible-case", text, None, example)


def _is_random(subject: Subject) -> bool:
    return subject.component is not None and subject.component.random


def _again(context: Context, one: Seen) -> Iterable[Found]:
    """Call, another call, and the first call again."""
    function = one.probe.subject.function
    if probing.differs(one, 0, 2):
        text = f"{function} gives another answer when it is called again with the same arguments"
        yield Found(
            "keeps_no_state", "integrity-state-between-calls", text, None, _example(context, one, 2, "called again")
        )
    stuck = probing.alike(one, 0, 1) and not probing.right(one, 1)
    if stuck and probing.right(one, 0):
        text = f"{function} gives the answer of an earlier call with the same shape"
        example = _example(context, one, 1, "other values of the same shape")
        yield Found("answers_follow_the_values", "integrity-answers-cached-by-shape", text, None, example)


def _example(context: Context, one: Seen, place: int, why: str) -> Counterexample:
    want, subject = probing.expected(one, place), one.probe.subject
    home = snippet.home(subject.module, context.submission)
    before = one.probe.calls[:place] if one.probe.kind == "again" else ()
    tried = Tried(subject.function, home, (*before, one.probe.calls[place]))
    shown = wording.counterexample(
        replace(tried, calls=tried.calls[-1:]), None, one.values[place], want, why, hidden=False
    )
    return replace(shown, snippet=snippet.snippet(tried))


def _of_both(context: Context, subjects: Sequence[Subject], seen: Sequence[Seen]) -> Iterable[Found]:
    """What the source suggests and the answers confirm: alone, each may be innocent."""
    modules = context.submission.modules
    for subject in subjects:
        mine = [one for one in seen if one.probe.subject == subject]
        for use in source.returns_constant_for_equal_input(modules, (subject.function,)):
            wrong = not subject.component or any(
                not probing.right(one, place)
                for one in mine
                for place in range(len(one.values))
                if not _is_random(subject)
            )
            text = f"{subject.function} compares its input with a written-down case and returns a written-down answer"
            yield Found("computes_its_answers", "integrity-hardcoded-visible-case", text, use.location, loss=wrong)
        for use in source.global_seed_calls(modules, (subject.function,)):
            spoilt = _is_random(subject) and any(_masks_repeat(one) for one in mine if one.probe.kind == "reseed")
            text = f"{subject.function} calls {use.name}" + (", so that every call draws the same" if spoilt else "")
            yield Found("leaves_random_numbers_alone", "state-reseeds-global-rng", text, use.location, loss=spoilt)
    named = {
        one.probe.subject.function
        for one in seen
        for _ in source.global_seed_calls(modules, (one.probe.subject.function,))
    }
    for one in seen:
        subject = one.probe.subject
        if one.probe.kind == "reseed" and subject.function not in named and _restarts(one):
            spoilt = _is_random(subject) and _masks_repeat(one)
            text = f"{subject.function} restarts the global random numbers"
            yield Found("leaves_random_numbers_alone", "state-reseeds-global-rng", text, None, loss=spoilt)


def _restarts(one: Seen) -> bool:
    """After two different seeds the generators stand at the same place: the function set them."""
    return len(one.digests) > 1 and one.digests[0] == one.digests[1]


def _masks_repeat(one: Seen) -> bool:
    """Whether two calls under different seeds dropped the same entries."""
    if len(one.values) < 2:
        return False
    first = as_array(one.values[0])
    return first is not None and bool((first == 0).any()) and probing.alike(one, 0, 1)


component = Integrity()
