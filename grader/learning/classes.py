"""A class is learned in three steps: how it is made and called, what it computes, which masks it takes.

The settings that its course may have settled are tried as the settings of mistakes are: the paper in numpy, turned
until it gives the answers of the class. No setting costs a call of its own but those that say how it is called.
"""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from grader import components as catalogue
from grader.blocks.settled import free_under
from grader.component.calls import Case
from grader.component.convention import Settled, declared, right_knobs
from grader.learning import calls, manners, masks, pads, unnamed
from grader.learning.around import Around, inside
from grader.learning.definitions import Definition
from grader.learning.lesson import Field, Lesson, Question
from grader.learning.trial import Trial, changed
from grader.model.assignment import Interface
from grader.paper.sublayers import Knobs

if TYPE_CHECKING:
    from grader.blocks.examine import Block
    from grader.blocks.search import Reading
    from grader.blocks.subject import Subject

MOST_CHANGES, MOST_SETTINGS, AT_FIRST = 4, 6_000, 40
"""Settings changed together; settings tried in all, and of every manner to call it."""
MOST_STARTED, MOST_MANNERS, MOST_OF_UNREAD = 12, 4, 2
"""Manners to call it that are tried, the likeliest first; those that get all settings; those of what holds unread."""
MOST_MASKED = 6
"""Masks that hide nothing and are given to a model that runs without."""
TRIES = 6_000
NUMBERS: Mapping[str, tuple[int, ...]] = {"pad_id": (0, 1), "first_position": (1,)}
"""Of what can be any number, those that courses choose."""
SMALL_NUMBERS = (5e-5, 5e-3)
"""Between which a number that is written in a class may be the eps of a norm, large enough to show."""
STRANGE = "runs, and returns nothing of a shape that the paper has. Say how: constructor and parameters, or adapter.py."
Setting = tuple[dict[str, Any], Knobs]
"""What is said to be settled, and the knobs that are right under it."""
Started: TypeAlias = "tuple[Interface, Subject, list[Setting]]"
FEW, MANY = 3, 60
"""Readings of the weights that are tried for each setting, at first and at last."""


def learn(trial: Trial, component: str, one: Definition, around: Around) -> Lesson:
    """Learn one class; what other parts of the solution keep is tried first."""
    parameters = [name for way in catalogue.block(component).ways for name in way]

    def told(meant: Definition) -> tuple[Lesson, float]:
        lesson = _told(trial, component, meant, around)
        shapes = lesson.interface.conventions.get("mask_shapes")
        return lesson, -len(shapes) if isinstance(shapes, Mapping) else -bool(shapes)

    return unnamed.learned(one, parameters, told)


def _told(trial: Trial, component: str, one: Definition, around: Around) -> Lesson:
    """The lesson of a class."""
    block = catalogue.block(component)
    running: list[Started] = []
    strange: list[Interface] = []
    # What no setting explains in a part does not explain what is made of it.
    unread = around.holds_unread(one, component)
    most = MOST_OF_UNREAD if unread else MOST_STARTED
    for interface, subject, settings in itertools.islice(_started(trial, block, one, around), most):
        if not settings:
            strange.append(interface)
        elif found := _read(subject, settings[:AT_FIRST], FEW):
            return _learned(trial, block, one, around, interface, subject, *found)
        else:
            running.append((interface, subject, settings))
    for interface, subject, settings in _given_masks(trial, block, one, around, running[:1]) if not unread else ():
        if found := _read(subject, settings[:AT_FIRST], FEW):
            return _learned(trial, block, one, around, interface, subject, *found)
    for interface, subject, settings in [] if unread else running[:MOST_MANNERS]:
        if found := _read(subject, settings, FEW) or _read(subject, settings[:AT_FIRST], MANY):
            return _learned(trial, block, one, around, interface, subject, *found)
    if running:  # it runs, and is the paper under no convention
        interface, _, settings = running[0]
        return _unread(trial, block, one, around, changed(interface, conventions=settings[0][0]), settings[0][0])
    if strange:
        return Lesson(one, strange[0], {}, (Question(STRANGE),), judged=False)
    first = next(manners.made(block, one, around), Interface(component, one.name))
    return Lesson(one, first, {}, (manners.unrun(trial, block, one, around),), judged=False)


def _unread(
    trial: Trial, block: Block, one: Definition, around: Around, interface: Interface, said: Mapping[str, Any]
) -> Lesson:
    """The lesson of what runs and is the paper under no convention: a mistake beside ``said``, as other parts have."""
    meant = {each.key: each.convention.meaning(said[each.key]) for each in block.settled if each.key in said}
    kept: dict[Field, str] = {
        ("conventions", key): f"{meaning}; as its other parts have it" for key, meaning in meant.items()
    }
    about, seen = masks.taken(trial, one, interface, around.usual)
    interface = changed(interface, conventions=about)
    return Lesson(one, interface, {**kept, **manners.told(interface), **seen}, read=False)


def _started(trial: Trial, block: Block, one: Definition, around: Around) -> Iterator[Started]:
    """The manners that run, each answer once, with the settings whose answers have its shape; none where it is odd."""
    answers: dict[Any, bool] = {}
    odd: list[object] = []
    ways = manners.manners(trial, block, one, around)
    taken = next(ways, None)
    while taken is not None:
        interface, subject = taken
        answer, shaped = _answer(subject), False
        otherwise = any(key in interface.conventions for key in calls.RETURNED)
        called = (interface.parameters, interface.adapter, {**interface.conventions, "sizes": {}})
        if answer in answers and not otherwise:
            shaped = answers[answer]
        elif not (any(answers.values()) and otherwise) and called not in odd:  # odd are they whatever its sizes
            settings = _fitting(subject, _settings(block.settled_for(interface), around, one))
            shaped = bool(settings)
            odd += [] if shaped else [called]
            yield interface, subject, settings
        answers.setdefault(answer, shaped)
        taken = _next(ways, shaped)


def _given_masks(
    trial: Trial, block: Block, one: Definition, around: Around, running: Sequence[Started]
) -> Iterator[Started]:
    """What runs without masks, with some that hide nothing: a model that hides the future by these alone."""
    for interface, *_ in running if "tgt_mask" in block.parameters else ():
        ways = calls.ways(interface, one, ({},), around.usual)
        for said in [said for said in ways if "mask_shapes" in said][:MOST_MASKED]:
            way = changed(interface, conventions=said)
            subject = trial.subject(way, one.module)
            if subject.scout.status == "value":
                yield way, subject, _fitting(subject, _settings(block.settled_for(way), around, one))


def _next(ways: manners.Manners, shaped: bool) -> tuple[Interface, Subject] | None:
    """The next way, where the answer to the last one was ``shaped`` as the paper's or not; None behind the last."""
    try:
        return ways.send(shaped)
    except StopIteration:
        return None


def _learned(
    trial: Trial,
    block: Block,
    one: Definition,
    around: Around,
    interface: Interface,
    subject: Subject,
    reading: Reading,
    said: Mapping[str, Any],
) -> Lesson:
    """The lesson of a class that reads as the paper where ``said`` is settled."""
    interface = changed(interface, conventions=said)
    seen = manners.told(interface)
    for key, value, why in _noticed(subject, reading):
        if any(one.key == key for one in block.settled):
            interface = changed(interface, conventions={key: value})
            seen["conventions", key] = why
            said = {other: at for other, at in said.items() if other != key}
    padding = pads.learned(trial, one, interface, reading)
    if "pad_id" in said:  # which sides are hidden stands beside it
        padding = {"pad_hidden": "both"}
    for key, value in padding.items():
        interface = changed(interface, conventions={key: value})
        meaning = next(each.convention.meaning(value) for each in block.settled_for(interface) if each.key == key)
        seen["conventions", key] = meaning
    right = _agreeing(subject, reading, reading.knobs)
    for key, value in said.items():
        rest = {other: at for other, at in said.items() if other != key}
        meaning = next(settled.convention.meaning(value) for settled in block.settled if settled.key == key)
        without = _agreeing(subject, reading, right_knobs(block.settled, rest))
        seen["conventions", key] = f"{meaning}; {right} of {len(_unmasked(subject))} inputs right so, {without} without"
    if any("mask" in name for name in interface.parameters):
        about, worked = masks.masks(trial, one, interface, reading, around.usual)
        told: dict[Field, str] = dict(list(masks.seen(block, about, worked)))
        if not worked:
            about, told = masks.taken(trial, one, interface, around.usual)
        interface, seen = changed(interface, conventions=about), {**seen, **told}
    return _asking(block, Lesson(one, interface, seen), around)


def _noticed(subject: Subject, reading: Reading) -> Iterator[tuple[str, Any, str]]:
    """What answers alone do not show, with what does: what norms learn, and that a pre-norm stack ends with one."""
    norms = [one for one in subject.material.operations if one.kind == "N"]
    if norms and all(one.gain and one.gain.size == 1 for one in norms):
        yield "affine", "scalar", "gain and shift of each norm are single numbers"
    elif norms and all(one.gain and not one.shift for one in norms):
        yield "affine", "gain", "no norm learns a shift"
    last = {knob: setting for knob, setting in reading.knobs.items() if knob.endswith(".final_norm")}
    if last and all(last.values()) and reading.knobs.get("stack.norm") == "pre":
        yield "last_norm", True, "layers that begin with their norm, and a norm of what the last one gives"


def _asking(block: Block, lesson: Lesson, around: Around) -> Lesson:
    """The lesson with what is rare as a question, unless it, or another part of the solution, keeps it and says so."""
    said, usual = lesson.interface.conventions, around.usual
    name = " ".join(inner.classes for inner in inside(lesson.definition, around.known))
    rare = {
        one.key
        for one, value in declared(block.settled, said)
        if one.convention.is_rare(value, name) and usual.get(one.key) != value
    }
    questions = [Question(lesson.seen["conventions", key], key, said[key]) for key in said if key in rare]
    kept = replace(lesson.interface, conventions={key: value for key, value in said.items() if key not in rare})
    seen = {at: text for at, text in lesson.seen.items() if at[-1] not in rare}
    return replace(lesson, interface=kept, seen=seen, questions=(*lesson.questions, *questions))


def _settings(settled: Sequence[Settled], around: Around, definition: Definition) -> list[Setting]:
    """What a course can settle of what the class computes, with its knobs: the fewest and most usual first."""
    least, most = SMALL_NUMBERS
    written = {number for each in inside(definition, around.known) for number in each.numbers if least < number < most}
    numbers = {**NUMBERS, "eps": sorted(written)}
    homes: dict[str, Any] = {}
    others: dict[str, list[Any]] = {}
    for one in settled:
        if pads.is_probed(one):
            continue
        turning = [value for value, knobs in one.values.items() if knobs and one.convention.default != "free"]
        turning += numbers.get(one.key, ())
        kept = around.usual.get(one.key)
        if kept in turning:
            homes[one.key] = kept
        if turning:
            further = sorted(turning, key=one.convention.is_rare)
            others[one.key] = [value for value in (None, *further) if value != homes.get(one.key)]
    found = ({**homes, **dict(zip(keys, values, strict=True))} for keys, values in _changes(others))
    said = [{key: value for key, value in one.items() if value is not None} for one in found]
    return [(one, right_knobs(tuple(settled), one)) for one in said]


def _fitting(subject: Subject, settings: Sequence[Setting]) -> list[Setting]:
    """The settings under which the class's answer has the right shape: what is returned is told by that alone."""
    case = _unmasked(subject)[0]
    fits: dict[Any, bool] = {}
    for _, knobs in settings:
        if (returned := _returned(knobs)) not in fits:
            shape = subject.shape(case, knobs)
            reply = subject.replies[f"case:{case.key}"]
            found = subject.output(reply, shape) if reply.status == "value" else None
            fits[returned] = getattr(getattr(found, "array", None), "shape", None) == shape
    return [one for one in settings if fits[_returned(one[1])]]


def _answer(subject: Subject) -> object:
    """What it is made of and what it answers to the first plain case."""
    case = _unmasked(subject)[0]
    return pickle.dumps((subject.inventory, case.inputs, subject.replies[f"case:{case.key}"].values))


def _returned(knobs: Knobs) -> tuple[Any, ...]:
    """The knobs that say what is returned: hidden vectors, or scores of words."""
    return tuple(knobs.get(name) for name in ("stack.output", "trf.generator"))


def _changes(others: Mapping[str, Sequence[Any]]) -> Iterator[tuple[tuple[str, ...], tuple[Any, ...]]]:
    """Changes of no setting, of one, of two and so on, as the keys with their values."""
    every = (
        (keys, values)
        for count in range(MOST_CHANGES + 1)
        for keys in itertools.combinations(others, count)
        for values in itertools.product(*(others[key] for key in keys))
    )
    yield from itertools.islice(every, MOST_SETTINGS)


def _read(subject: Subject, settings: Sequence[Setting], most: int) -> tuple[Reading, dict[str, Any]] | None:
    """The reading of the class, and what is settled under it; ``most`` readings are tried for each of ``settings``."""
    from grader.blocks.explain import first_reading

    block = subject.block
    free = [(said, knobs) for said, right in settings for knobs in free_under(block.free, right)]
    reading = first_reading(subject, [knobs for _, knobs in free], most, TRIES // block.cost)
    if reading is None:
        return None
    # Of those that read the weights so, the first that is right where the plain cases are silent.
    cases = _unmasked(subject)
    right = ((said, knobs) for said, knobs in free if all(subject.agrees(case, reading, knobs) for case in cases))
    plain = (said for said, knobs in free if knobs == reading.knobs)
    said, knobs = next(right, None) or (next(plain), reading.knobs)
    return replace(reading, knobs=knobs), said


def _agreeing(subject: Subject, reading: Reading, knobs: Knobs) -> int:
    """Of the inputs without masks, how many the class answers as the paper does under ``knobs``."""
    return sum(subject.agrees(case, reading, knobs) for case in _unmasked(subject))


def _unmasked(subject: Subject) -> list[Case]:
    """The cases that were asked without a mask, or with none but those that every call has."""
    asked = [case for case in subject.cases if f"case:{case.key}" in subject.replies]
    masked = [any("mask" in name and value is not None for name, value in case.inputs.items()) for case in asked]
    return [case for case, hidden in zip(asked, masked, strict=True) if case.plain or not hidden]
