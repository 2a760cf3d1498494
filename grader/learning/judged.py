"""What a solution loses under what was learned of it, judged as a student's work is; what that settles further.

How a class is handed in is mended where that is all; what nothing explains is not asked for.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from grader import components as catalogue
from grader.assessing.assess import assess
from grader.component.convention import Settled, mistake_id, recorded
from grader.learning.around import inside, named_in
from grader.learning.definitions import Definition
from grader.learning.lesson import Field, Learned, Lesson, Question
from grader.learning.trial import changed
from grader.model.assignment import Assignment, Interface
from grader.model.outcome import Outcome, Verdict
from grader.sandbox.parent import Sandbox

if TYPE_CHECKING:
    from grader.blocks.examine import Block


def in_one_order(learned: Learned, sandbox: Sandbox) -> Learned:
    """The same with positions first in all parts where they are so in one: to some either order is the same."""
    orders = {one.interface.conventions.get("batch") for one in learned.judged} - {None}
    others = [one for one in learned.judged if one.of_class and "batch" not in one.interface.conventions]
    if len(orders) != 1 or not others:
        return learned
    order = orders.pop()
    turned = {one.component: changed(one.interface, conventions={"batch": order}) for one in others}
    before = _outcomes(learned, sandbox, [one.interface for one in others])
    after = _outcomes(learned, sandbox, list(turned.values()))
    meaning = recorded("batch").meaning(order)
    told: dict[Field, str] = {("conventions", "batch"): f"{meaning}; as its other parts have it"}
    lessons = (
        replace(one, interface=turned[one.component], seen={**one.seen, **told})
        if one in others and len(after.get(one.component, ())) <= len(before.get(one.component, ()))
        else one
        for one in learned.lessons
    )
    return replace(learned, lessons=tuple(lessons))


def without_unknown(learned: Learned, sandbox: Sandbox) -> Learned:
    """The same without what no known mistake explains, nor what is made of it, for which nobody need look.

    Of parts that are the paper under no convention those are judged that hold no other, with the functions beside them;
    what no mistake explains may be one where the norm comes first, or that is causal by itself.
    """
    known = learned.known
    lessons = {one.definition.name: one for one in learned.judged if not one.read}
    parts = {name: _made_of(one, known) for name, one in lessons.items()}
    inner = {name: one for name, one in lessons.items() if not parts[name] & lessons.keys()}
    lost = _lost(learned, sandbox, inner)
    named: dict[str, Mapping[str, Any]] = {}
    for said in TURNED:
        others = {name: other for name in lost.keys() - named if (other := _turned(inner[name], said)) is not None}
        named |= dict.fromkeys(others.keys() - _lost(learned, sandbox, others).keys(), said)
    for name, one in lessons.items():
        if name in lost and name not in named:
            lessons[name] = _something_else(one, lost[name])
        elif made_of := ", ".join(sorted(parts[name] & lost.keys() - named.keys())):
            lessons[name] = _left_out(one, UNKNOWN_INSIDE.format(made_of))
        elif held := ({name} | parts[name]) & named.keys():
            lessons[name] = _turned(one, named[min(held)]) or one
    return replace(learned, lessons=tuple(lessons.get(one.definition.name, one) for one in learned.lessons))


def _lost(learned: Learned, sandbox: Sandbox, lessons: Mapping[str, Lesson]) -> dict[str, tuple[Outcome, ...]]:
    """The checks that are lost by what no known mistake explains, by name."""
    beside = [one.interface for one in learned.judged if one.read and not one.of_class] if lessons else []
    outcomes = _outcomes(learned, sandbox, [*beside, *(one.interface for one in lessons.values())])
    found = {name: outcomes.get(one.component, ()) for name, one in lessons.items()}
    return {name: lost for name, lost in found.items() if _unexplained(lessons[name], lost)}


def _unexplained(lesson: Lesson, lost: Sequence[Outcome]) -> bool:
    """Whether no known mistake explains what is answered; of a class that of a check beside is no explanation."""
    compared = _compared(catalogue.block(lesson.component)) if lesson.of_class else set()
    telling = [outcome for outcome in lost if outcome.check in compared] or lost
    return bool(telling) and not any(outcome.diagnosis for outcome in telling)


def _compared(block: Block) -> set[str]:
    """The checks of a part that compare its answers."""
    return {f"{block.name}.{check.name}" for check in block.checks if check.keys}


TURNED: Sequence[Mapping[str, Any]] = tuple(
    dict(together)
    for count in (1, 2)
    for together in itertools.combinations((("norm", "pre"), ("causal", True)), count)
)
"""What courses settle so often that a mistake may stand beside it, alone and together."""


def _turned(lesson: Lesson, said: Mapping[str, Any]) -> Lesson | None:
    """The lesson where this is settled, too; None where it cannot be, is so already, or where masks hide the future."""
    interface = lesson.interface
    if not lesson.of_class:
        return None
    known = {one.key: one.convention for one in catalogue.block(lesson.component).settled_for(interface)}
    masked = "causal" in said and any("mask" in name for name in interface.parameters)
    if masked or not said.keys() <= known.keys() or said.keys() & interface.conventions.keys():
        return None
    told: dict[Field, str] = {("conventions", key): known[key].meaning(value) for key, value in said.items()}
    return replace(lesson, interface=changed(interface, conventions=said), seen={**lesson.seen, **told})


def _causal_by_itself(asking: _Asking, lesson: Lesson) -> Lesson:
    """The lesson of a decoder that hides the future by itself, where one that does not would be right, too."""
    key = "causal"
    if not lesson.of_class or key in lesson.interface.conventions:
        return lesson
    free = catalogue.block(lesson.component).under(lesson.interface).free
    turned = changed(lesson.interface, conventions={key: True})
    if not any("forced_causal" in knob for knobs in free for knob in knobs) or asking.lost(turned):
        return lesson
    told: dict[Field, str] = {("conventions", key): recorded("causal").meaning(True)}
    return replace(lesson, interface=turned, seen={**lesson.seen, **told})


def _made_of(lesson: Lesson, known: Mapping[str, Definition]) -> set[str]:
    """What a class is made of and given, wherever it leads."""
    adapter = lesson.interface.adapter
    given = named_in(adapter.source) if adapter is not None else ()
    every = (lesson.definition, *(known[name] for name in given if name in known))
    return {inner.name for one in every for inner in inside(one, known)} - {lesson.definition.name}


@dataclass(frozen=True, slots=True)
class _Asking:
    """A solution that can be judged again: ``losing`` are its parts that lose checks, whose slips show in others.

    What may be settled otherwise is tried until ``end``, in seconds of the monotonic clock.
    """

    learned: Learned
    sandbox: Sandbox
    losing: Mapping[str, Interface]
    end: float

    @property
    def late(self) -> bool:
        """Whether nothing further is tried: each try judges all parts that lose checks again."""
        return time.monotonic() > self.end

    def lost(self, interface: Interface) -> tuple[Outcome, ...]:
        """The checks that a part loses under another interface."""
        every = {**self.losing, interface.component: interface}
        return _outcomes(self.learned, self.sandbox, list(every.values())).get(interface.component, ())


UNKNOWN_INSIDE = "is made of {}, which is not the paper's as far as is known"
"""Why a part is left out that would be the paper's if what stands in it were."""
MOST_SECONDS = 60.0
"""Seconds in which what a solution loses is tried under other conventions."""


def judged(learned: Learned, sandbox: Sandbox, end: float | None = None) -> Learned:
    """The same with what the solution loses under it; how a class is handed in is mended where that is all.

    What is right in one part is not excused in another any more: it is judged until nothing changes. What explains a
    loss is looked for until ``end``.
    """
    end = time.monotonic() + MOST_SECONDS if end is None else end
    outcomes = _outcomes(learned, sandbox, [lesson.interface for lesson in learned.judged])
    losing = {lesson.component: lesson.interface for lesson in learned.judged if outcomes.get(lesson.component)}
    asking = _Asking(learned, sandbox, losing, end)
    lessons, known = [], learned.known
    unknown = {lesson.definition.name for lesson in learned.lessons if not (lesson.judged or lesson.read)}
    for lesson in learned.lessons:
        lost = outcomes.get(lesson.component, ())
        unexplained = _unexplained(lesson, lost)
        if not lesson.read and unexplained:
            lessons.append(_something_else(lesson, lost))
        elif unexplained and (inside_it := unknown & _made_of(lesson, known)):
            lessons.append(_left_out(lesson, UNKNOWN_INSIDE.format(", ".join(sorted(inside_it)))))
        else:
            now = replace(lesson, mistakes=lost)
            if not asking.late:
                now = _settled(asking, now) if lost else _causal_by_itself(asking, now)
            now = _unmasked(asking, now) if now.mistakes and not asking.late else now
            lessons.append(_of_one_length(asking, now) if now.mistakes and not asking.late else now)
    lessons = [_completed(lesson, lessons, known) for lesson in lessons]
    found = replace(learned, lessons=tuple(lessons))
    before, after = (tuple(one.interface for one in those.judged) for those in (learned, found))
    return found if before == after else judged(found, sandbox, end)


def _completed(lesson: Lesson, lessons: Sequence[Lesson], known: Mapping[str, Definition]) -> Lesson:
    """The lesson with what is rare in it and completed by what is made of it: projections that the layer around has."""
    if not lesson.judged:
        return lesson
    read = [one for one in lessons if one.judged and one.read]
    name = lesson.definition.name
    around = [one for one in read if any(inner.name == name for inner in inside(one.definition, known)[1:])]
    now, questions, right = lesson, [], [one for one in around if not one.mistakes]
    for asked in lesson.questions:
        whole = next((one for one in right if not _settles(one, asked.key)), None)
        if not asked.key or whole is None or asked.key in now.interface.conventions:
            questions.append(asked)
            continue
        told = f"{asked.text}; {whole.definition.name}, which is made of it, is right"
        interface = changed(now.interface, conventions={asked.key: asked.value})
        now = replace(now, interface=interface, seen={**now.seen, ("conventions", asked.key): told})
    return replace(now, questions=questions)


def _settles(lesson: Lesson, key: str) -> bool:
    """Whether a convention is declared or asked about in a lesson."""
    return key in lesson.interface.conventions or any(question.key == key for question in lesson.questions)


def _unmasked(asking: _Asking, lesson: Lesson) -> Lesson:
    """The lesson without its masks, where these act in no known form and all else is right.

    What a known mistake explains is told as that; what has to be given cannot be left out.
    """
    interface, said = lesson.interface, lesson.interface.conventions
    masks = {name for name in interface.parameters if "mask" in name}
    named = any(outcome.diagnosis for outcome in lesson.mistakes)
    if named or not masks or interface.adapter is not None or said.get("mask_required") or "mask_shapes" in said:
        return lesson
    rest = replace(
        interface,
        parameters=tuple(name for name in interface.parameters if name not in masks),
        arguments=tuple(one for one in interface.arguments if one.value not in masks),
    )
    said = {one.key: one.value for one in lesson.questions if one.key and one.key != "domain"}
    if asking.lost(changed(rest, conventions=said)):  # under what is asked about, too
        return lesson
    asked = Question(
        f"{', '.join(sorted(masks))} is left out: masks act in no form that is known. Meant, or a mistake?"
    )
    lost = asking.lost(rest) if said else ()
    return replace(lesson, interface=rest, mistakes=lost, questions=(*lesson.questions, asked))


def _of_one_length(asking: _Asking, lesson: Lesson) -> Lesson:
    """The lesson with the question whether all sequences have one length, where that alone is what it takes."""
    names = {name for outcome in lesson.mistakes if outcome.diagnosis for name in outcome.diagnosis.ids}
    domain = {"same_length": True}
    if not lesson.of_class or OF_ONE_LENGTH not in names or "domain" in {one.key for one in lesson.questions}:
        return lesson
    left = {one.check for one in asking.lost(replace(lesson.interface, domain=domain))}
    passing = sorted({one.check for one in lesson.mistakes} - left)
    told = f"all sequences of a call have one length; with others {', '.join(passing)} fails"
    asked = (Question(told, "domain", domain),) if passing else ()
    return replace(lesson, questions=(*lesson.questions, *asked))


OF_ONE_LENGTH = "mha-length-of-query-for-all"


def _something_else(lesson: Lesson, lost: Sequence[Outcome]) -> Lesson:
    """The lesson of what runs and is not known: another schedule, a model for another task."""
    checks = ", ".join(outcome.check for outcome in lost)
    runs = "runs" if lesson.of_class else f"looks like {lesson.component} by its name alone"
    return _left_out(lesson, f"{runs}, and computes what no convention and no known mistake explains ({checks})")


def _left_out(lesson: Lesson, why: str) -> Lesson:
    cure = "Mend it if it is meant to be the paper's; else leave it out, or write checks.py."
    return replace(lesson, questions=(Question(f"{why}. {cure}"),), judged=False)


def _settled(asking: _Asking, lesson: Lesson) -> Lesson:
    """The lesson with what explains a check that is lost, though no answer shows it."""
    now = _settled_together(asking, lesson)
    for settled, value in (*_named(lesson), *_silent(lesson)):
        if asking.late or any(question.key == settled.key for question in now.questions):
            continue
        other = changed(now.interface, conventions={settled.key: value})
        again = asking.lost(other)
        before, after = ({outcome.check for outcome in lost} for lost in (now.mistakes, again))
        if not after < before:
            continue
        told = f"{settled.convention.meaning(value)}; with the paper's own {', '.join(sorted(before - after))} fails"
        told_so = settled.key == "dropout_place" and any(one.constant for one in now.interface.arguments)
        if (
            settled.convention.is_rare(value, lesson.definition.name) and not told_so
        ):  # told not to train, nothing drops
            now = replace(now, questions=(*now.questions, Question(told, settled.key, value)))
        else:
            seen = {**now.seen, ("conventions", settled.key): told}
            gone = [one for one in now.mistakes if one.check not in after]
            questions = (*now.questions, *_doubts(settled, value, gone))
            now = replace(now, interface=other, seen=seen, questions=questions, mistakes=again)
    return now


def _settled_together(asking: _Asking, lesson: Lesson) -> Lesson:
    """The lesson with what its mistakes are together, where all of these are what other courses settle."""
    named = {settled.key: (settled.convention, value) for settled, value in _named(lesson)}
    said = {key: value for key, (_, value) in named.items()}
    if len(said) < 2 or any(each.is_rare(value, lesson.definition.name) for each, value in named.values()):  # noqa: PLR2004
        return lesson
    other = changed(lesson.interface, conventions=said)
    lost = asking.lost(other)
    if not {one.check for one in lost} < {one.check for one in lesson.mistakes}:
        return lesson
    told: dict[Field, str] = {
        ("conventions", key): f"{convention.meaning(value)}; all else is right with it"
        for key, (convention, value) in named.items()
    }
    return replace(lesson, interface=other, seen={**lesson.seen, **told}, mistakes=lost)


def _doubts(settled: Settled, value: Any, excused: Sequence[Outcome]) -> Iterator[Question]:
    """What is taken as a convention though it has the name of a mistake, which the instructor may have made."""
    titles = {one.diagnosis.title.rstrip(".") for one in excused if one.diagnosis is not None}
    for title in sorted(titles) if value in settled.convention.doubtful else ():
        yield Question(f"{title}: {settled.key} is {value} for that. Meant, or a mistake?")


def _outcomes(learned: Learned, sandbox: Sandbox, interfaces: Sequence[Interface]) -> dict[str, tuple[Outcome, ...]]:
    """The checks that are not passed, by component."""
    if not interfaces:
        return {}
    assignment = Assignment("learned", "1", "learned", tuple(interfaces), needs_torch=learned.torch)
    found = assess(learned.run, assignment, assignment.components, 0, sandbox).outcomes
    lost: dict[str, tuple[Outcome, ...]] = {}
    for outcome in found:
        if outcome.verdict is not Verdict.PASSED:
            lost[outcome.component] = (*lost.get(outcome.component, ()), outcome)
    return lost


def _named(lesson: Lesson) -> Iterator[tuple[Settled, Any]]:
    """What its mistakes are, where these are what other courses settle: values so near that answers did not tell.

    A mistake is what a course settles, too, where it turns the same settings.
    """
    if not lesson.of_class:
        return
    block = catalogue.block(lesson.component)
    names = {name for outcome in lesson.mistakes if outcome.diagnosis for name in outcome.diagnosis.ids}
    faults = block.under(lesson.interface).faults if names else ()
    made = [fault.knobs for fault in faults if fault.knobs and fault.id in names]
    for settled in block.settled_for(lesson.interface):
        for value in settled.values or settled.convention.values:
            called = {mistake_id(settled.key, value), *settled.drops.get(value, ())}
            if names & called or settled.knobs(value) in made:
                yield settled, value


def _silent(lesson: Lesson) -> Iterator[tuple[Settled, Any]]:
    """What can be settled of a class and no answer shows: what it refuses, a norm that learns no shift."""
    if not lesson.of_class:
        return
    asked = {question.key for question in lesson.questions} | lesson.interface.conventions.keys()
    block = catalogue.block(lesson.component)
    if all(outcome.check in _compared(block) for outcome in lesson.mistakes):
        return  # answers do show it
    known = [one for one in block.settled_for(lesson.interface) if one in block.settled or one.key == "float64"]
    for settled in known:
        if settled.key not in asked and (settled.key == "affine" or not any(settled.values.values())):
            known_otherwise = (settled.convention.default, "scalar")  # a single number has been seen
            values = settled.values or settled.convention.values
            yield from ((settled, value) for value in values if value not in known_otherwise)
