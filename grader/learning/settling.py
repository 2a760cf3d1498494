"""What is settled by what a part loses: conventions that no answer shows, and masks that act in no known form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader import components as catalogue
from grader.component.convention import Settled, mistake_id, recorded
from grader.learning.judging import Judging
from grader.learning.lesson import Lesson, Question
from grader.learning.masks import TAKEN
from grader.learning.trial import changed
from grader.model.assignment import Interface
from grader.model.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Asking:
    """One part that can be judged again, with those ``inside`` it that lose checks: their slips are no matter of it."""

    judging: Judging
    inside: tuple[Interface, ...]

    def lost(self, interface: Interface) -> tuple[Outcome, ...]:
        """The checks that the part loses under another interface."""
        others = [one for one in self.inside if one.component != interface.component]
        return self.judging.lost([*others, interface]).get(interface.component, ())


def settled(asking: Asking, lesson: Lesson) -> Lesson:
    """The lesson of a part with what its losses settle, as long as there is time."""
    if asking.judging.late():
        return lesson
    now = _explained(asking, lesson) if lesson.mistakes else _causal_by_itself(asking, lesson)
    for further in (_unmasked, _of_one_length):
        now = further(asking, now) if now.mistakes and not asking.judging.late() else now
    return now


def _explained(asking: Asking, lesson: Lesson) -> Lesson:
    """The lesson with what explains a check that is lost, though no answer shows it."""
    now = _explained_together(asking, lesson)
    for settled, value in (*_named(lesson), *_silent(lesson)):
        if asking.judging.late() or any(question.key == settled.key for question in now.questions):
            continue
        other = changed(now.interface, conventions={settled.key: value})
        again = asking.lost(other)
        before, after = ({outcome.check for outcome in lost} for lost in (now.mistakes, again))
        if not after < before:
            continue
        told = f"{settled.convention.meaning(value)}; with the paper's own {', '.join(sorted(before - after))} fails"
        # Told not to train, nothing drops.
        told_so = settled.key == "dropout_place" and any(one.constant for one in now.interface.arguments)
        if settled.convention.is_rare(value, lesson.definition.name) and not told_so:
            now = replace(now, questions=(*now.questions, Question(told, settled.key, value)))
        else:
            gone = [one for one in now.mistakes if one.check not in after]
            questions = (*now.questions, *_doubts(settled, value, gone))
            now = replace(now.settled({settled.key: (value, told)}), questions=questions, mistakes=again)
    return now


def _explained_together(asking: Asking, lesson: Lesson) -> Lesson:
    """The lesson with what its mistakes are together, where all of these are what other courses settle."""
    named = {settled.key: (settled.convention, value) for settled, value in _named(lesson)}
    said = {key: value for key, (_, value) in named.items()}
    if len(said) < 2 or any(each.is_rare(value, lesson.definition.name) for each, value in named.values()):  # noqa: PLR2004
        return lesson
    other = changed(lesson.interface, conventions=said)
    lost = asking.lost(other)
    if not {one.check for one in lost} < {one.check for one in lesson.mistakes}:
        return lesson
    told = {key: (value, f"{one.meaning(value)}; all else is right with it") for key, (one, value) in named.items()}
    return replace(lesson.settled(told), mistakes=lost)


def _doubts(settled: Settled, value: Any, excused: Sequence[Outcome]) -> Iterator[Question]:
    """What is taken as a convention though it has the name of a mistake, which the instructor may have made."""
    titles = {one.diagnosis.title.rstrip(".") for one in excused if one.diagnosis is not None}
    for title in sorted(titles) if value in settled.convention.doubtful else ():
        yield Question(f"{title}: {settled.key} is {value} for that. Meant, or a mistake?")


def _causal_by_itself(asking: Asking, lesson: Lesson) -> Lesson:
    """The lesson of a decoder that hides the future by itself, where one that does not would be right, too."""
    key = "causal"
    if not lesson.of_class or key in lesson.interface.conventions or asking.inside:  # whose slips hide what it does
        return lesson
    free = catalogue.block(lesson.component).under(lesson.interface).free
    turned = changed(lesson.interface, conventions={key: True})
    if not any("forced_causal" in knob for knobs in free for knob in knobs) or asking.lost(turned):
        return lesson
    return lesson.settled({key: (True, recorded(key).meaning(True))})


def _unmasked(asking: Asking, lesson: Lesson) -> Lesson:
    """The lesson without its masks, where these act in no known form and all else is right.

    What a known mistake explains is told as that; what has to be given cannot be left out.
    """
    interface, said = lesson.interface, lesson.interface.conventions
    masks = {name for name in interface.parameters if "mask" in name}
    named = any(outcome.diagnosis for outcome in lesson.mistakes)
    acting = "mask_shapes" in said and lesson.seen.get(("conventions", "mask_shapes")) != TAKEN
    if named or not masks or interface.adapter is not None or said.get("mask_required") or acting:
        return lesson
    rest = replace(
        interface,
        conventions={key: value for key, value in said.items() if not key.startswith("mask")},
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


def _of_one_length(asking: Asking, lesson: Lesson) -> Lesson:
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


def comparing(component: str) -> set[str]:
    """The checks of a part that is a class which compare its answers."""
    return {f"{component}.{check.name}" for check in catalogue.block(component).checks if check.keys}


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
    if all(outcome.check in comparing(lesson.component) for outcome in lesson.mistakes):
        return  # answers do show it
    known = [one for one in block.settled_for(lesson.interface) if one in block.settled or one.key == "float64"]
    for settled in known:
        if settled.key not in asked and (settled.key == "affine" or not any(settled.values.values())):
            known_otherwise = (settled.convention.default, "scalar")  # a single number has been seen
            values = settled.values or settled.convention.values
            yield from ((settled, value) for value in values if value not in known_otherwise)
