"""What a solution loses under what was learned of it, judged as a student's work is; what that settles further.

How a class is handed in is mended where that is all; what nothing explains is not asked for.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from grader import components as catalogue
from grader.component.convention import recorded
from grader.learning.around import inside, named_in
from grader.learning.definitions import Definition
from grader.learning.judging import Judging
from grader.learning.lesson import CUT_SHORT, Learned, Lesson, Question
from grader.learning.settling import Asking, comparing, settled
from grader.learning.trial import changed
from grader.model.assignment import Interface
from grader.model.outcome import Outcome


def in_one_order(learned: Learned, judging: Judging) -> Learned:
    """The same with positions first in all parts where they are so in one: to some either order is the same."""
    orders = {one.interface.conventions.get("batch") for one in learned.judged} - {None}
    others = [one for one in learned.judged if one.of_class and "batch" not in one.interface.conventions]
    if len(orders) != 1 or not others:
        return learned
    order = orders.pop()
    turned = {one.component: changed(one.interface, conventions={"batch": order}) for one in others}
    before = judging.lost([one.interface for one in others])
    after = judging.lost(list(turned.values()))
    told = f"{recorded('batch').meaning(order)}; as its other parts have it"
    lessons = (
        one.settled({"batch": (order, told)})
        if one in others and len(after.get(one.component, ())) <= len(before.get(one.component, ()))
        else one
        for one in learned.lessons
    )
    return replace(learned, lessons=tuple(lessons))


def without_unknown(learned: Learned, judging: Judging) -> Learned:
    """The same without what no known mistake explains, nor what is made of it, for which nobody need look.

    Of parts that are the paper under no convention those are judged that hold no other, with the functions beside them;
    what no mistake explains may be one where the norm comes first, or that is causal by itself.
    """
    known = learned.known
    lessons = {one.definition.name: one for one in learned.judged if not one.read}
    parts = {name: _made_of(one, known) for name, one in lessons.items()}
    inner = {name: one for name, one in lessons.items() if not parts[name] & lessons.keys()}
    lost = _lost(learned, judging, inner)
    named: dict[str, Mapping[str, Any]] = {}
    for said in TURNED:
        others = {name: other for name in lost.keys() - named if (other := _turned(inner[name], said)) is not None}
        named |= dict.fromkeys(others.keys() - _lost(learned, judging, others).keys(), said)
    for name, one in lessons.items():
        if name in lost and name not in named:
            lessons[name] = _something_else(one, lost[name])
        elif strange := ", ".join(sorted(parts[name] & lost.keys() - named.keys())):
            lessons[name] = _left_out(one, UNKNOWN_INSIDE.format(strange))
        elif held := ({name} | parts[name]) & named.keys():
            lessons[name] = _turned(one, named[min(held)]) or one
    return replace(learned, lessons=tuple(lessons.get(one.definition.name, one) for one in learned.lessons))


def _lost(learned: Learned, judging: Judging, lessons: Mapping[str, Lesson]) -> dict[str, tuple[Outcome, ...]]:
    """The checks that are lost by what no known mistake explains, by name."""
    beside = [one.interface for one in learned.judged if one.read and not one.of_class] if lessons else []
    outcomes = judging.lost([*beside, *(one.interface for one in lessons.values())])
    found = {name: outcomes.get(one.component, ()) for name, one in lessons.items()}
    return {name: lost for name, lost in found.items() if _unexplained(lessons[name], lost)}


def _unexplained(lesson: Lesson, lost: Sequence[Outcome]) -> bool:
    """Whether no known mistake explains what is answered; of a class that of a check beside is no explanation."""
    compared = comparing(lesson.component) if lesson.of_class else set()
    telling = [outcome for outcome in lost if outcome.check in compared] or lost
    return bool(telling) and not any(outcome.diagnosis for outcome in telling)


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
    return lesson.settled({key: (value, known[key].meaning(value)) for key, value in said.items()})


def _made_of(lesson: Lesson, known: Mapping[str, Definition]) -> set[str]:
    """What a class is made of and given, wherever it leads."""
    adapter = lesson.interface.adapter
    given = named_in(adapter.source) if adapter is not None else ()
    every = (lesson.definition, *(known[name] for name in given if name in known))
    return {inner.name for one in every for inner in inside(one, known)} - {lesson.definition.name}


def judged(learned: Learned, judging: Judging) -> Learned:
    """The same with what the solution loses under it; how a class is handed in is mended where that is all.

    What is right in one part is not excused in another any more: it is judged until nothing changes.
    """
    while True:
        found = _judged(learned, judging)
        before, after = (tuple(one.interface for one in those.judged) for those in (learned, found))
        if before == after:
            late = judging.late()
            return replace(found, lessons=tuple(_unsettled(one) if late else one for one in found.lessons))
        learned = found


def _judged(learned: Learned, judging: Judging) -> Learned:
    lost = judging.lost([lesson.interface for lesson in learned.judged])
    losing = [lesson for lesson in learned.judged if lesson.component in lost]
    lessons, known = [], learned.known
    unknown = {lesson.definition.name for lesson in learned.lessons if not (lesson.judged or lesson.read)}
    for lesson in learned.lessons:
        now = replace(lesson, mistakes=lost.get(lesson.component, ()))
        if not lesson.judged:
            lessons.append(lesson)
        elif not lesson.read and _unexplained(lesson, now.mistakes):
            lessons.append(_something_else(lesson, now.mistakes))
        elif (strange := unknown & _made_of(lesson, known)) and _unexplained(lesson, now.mistakes):
            lessons.append(_left_out(lesson, UNKNOWN_INSIDE.format(", ".join(sorted(strange)))))
        else:
            lessons.append(settled(Asking(judging, _inside(now, losing, known)), now))
    return replace(learned, lessons=tuple(_completed(lesson, lessons, known) for lesson in lessons))


UNKNOWN_INSIDE = "is made of {}, which is not the paper's as far as is known"
"""Why a part is left out that would be the paper's if what stands in it were."""


def _inside(lesson: Lesson, losing: Sequence[Lesson], known: Mapping[str, Definition]) -> tuple[Interface, ...]:
    """The parts that lose checks and are called in another one, whose slips show there."""
    names = _made_of(lesson, known)
    return tuple(one.interface for one in losing if not one.of_class or one.definition.name in names)


def _unsettled(lesson: Lesson) -> Lesson:
    """The lesson where the time was up: what is lost may be a convention, and is told as no mistake."""
    if not lesson.mistakes:
        return lesson
    checks = ", ".join(outcome.check for outcome in lesson.mistakes)
    asked = Question(f"{checks}: not right under these lines. {CUT_SHORT.format(lesson.component)}")
    return replace(lesson, mistakes=(), questions=(*lesson.questions, asked))


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
        now = now.settled({asked.key: (asked.value, told)})
    return replace(now, questions=questions)


def _settles(lesson: Lesson, key: str) -> bool:
    """Whether a convention is declared or asked about in a lesson."""
    return key in lesson.interface.conventions or any(question.key == key for question in lesson.questions)


def _something_else(lesson: Lesson, lost: Sequence[Outcome]) -> Lesson:
    """The lesson of what runs and is not known: another schedule, a model for another task."""
    checks = ", ".join(outcome.check for outcome in lost)
    runs = "runs" if lesson.of_class else f"looks like {lesson.component} by its name alone"
    return _left_out(lesson, f"{runs}, and computes what no convention and no known mistake explains ({checks})")


def _left_out(lesson: Lesson, why: str) -> Lesson:
    cure = "Mend it if it is meant to be the paper's; else leave it out, or write checks.py."
    return replace(lesson, questions=(Question(f"{why}. {cure}"),), judged=False)
