"""Which masks a class takes: what stands in them, and which shapes it reads as they are meant."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.component.calls import Case
from grader.learning.calls import LENGTHS, meanings, names_of
from grader.learning.definitions import Definition
from grader.learning.lesson import Field, Lesson
from grader.learning.shapes import fitting, written
from grader.learning.trial import Trial
from grader.model.assignment import Interface
from grader.model.submission import CodeModule

if TYPE_CHECKING:
    from grader.blocks.examine import Block
    from grader.blocks.search import Reading
    from grader.blocks.subject import Subject

FOR_QUERIES = ("(n, m)", "(b, n, m)", "(b, 1, n, m)", "(1, n, m)", "(1, 1, n, m)", "(b, h, n, m)", "(b*h, n, m)")
FOR_KEYS = ("(b, 1, 1, m)", "(b, 1, m)", "(b, m)")
OF_LENGTHS = ("(b)", "(b, n)")
BATCH_LAST = ("(1, m, b)", "(n, m, b)", "(n, m, 1)")
"""Further shapes where positions are first."""
ORDERS = ((*FOR_QUERIES, *BATCH_LAST[1:]), (*FOR_KEYS, BATCH_LAST[0]), *((one,) for one in OF_LENGTHS))
"""Of those with a row for each query, of those of keys alone, and of each kind of lengths, the most usual first."""
MADE: Mapping[str, Mapping[Any, tuple[str, ...]]] = {
    "attention_masks": {4: ("(b, 1, 1, m)", "(b, 1, n, m)"), 3: ("(b, 1, m)", "(b, n, m)")},
    "padding_mask": {
        2: ("(b, m)",),
        3: ("(b, 1, m)", "(b, n, m)"),
        4: ("(b, 1, 1, m)", "(b, 1, n, m)"),
        "queries": ("(b, n, m)",),
    },
    "causal_mask": {2: ("(n, m)",), 3: ("(1, n, m)",), 4: ("(1, 1, n, m)",), "batch_last": ("(n, m, 1)",)},
}
"""The shapes of the masks that a function makes, by their axes, and of those joined with a causal one.

They are the strongest evidence of what the solution's classes are given.
"""
MOST = 400
"""Readings of the weights that are tried with each mask."""
Worked = Mapping[str, Sequence[str]]
"""The shapes that worked, by the mask."""


def masks(
    trial: Trial, one: Definition, interface: Interface, reading: Reading, usual: Mapping[str, Any]
) -> tuple[dict[str, Any], Worked]:
    """The conventions of the class's masks and the shapes that worked; nothing where none acts as it is meant to.

    What ``usual`` says of masks is tried first.
    """
    from grader.blocks.explain import first_reading

    names = [name for name in interface.parameters if "mask" in name]
    said = interface.conventions
    best: tuple[dict[str, Any], dict[str, list[str]]] = ({}, {})
    given = {key: said[key] for key in ("mask", "mask_type") if key in said}
    required = {"mask_required": True} if said.get("mask_required") else {}
    others = _by_name(said.get("mask_shapes", []), names) if required else {}
    meant = meanings(interface, one)
    kept = {key: usual[key] for key in ("mask", "mask_type", "mask_hides") if key in usual}
    if required:
        hidden = "mask_hides" in usual and given.get("mask") == "additive"
        kept = {**given, **({"mask_hides": usual["mask_hides"]} if hidden else {})}
    further = BATCH_LAST if said.get("batch") == "second" else ()
    kept = LENGTHS[0] if meant is LENGTHS else kept
    shapes = OF_LENGTHS if meant is LENGTHS else (*_shapes(interface), *further)
    every = list(itertools.product(names, shapes))
    wrong: set[tuple[str, str, str]] = set()  # booleans of that shape and meaning: numbers would say the same
    for meaning in (kept, *(one for one in meant if one != kept)):  # what is added may hide nothing as a boolean too
        worked: dict[str, list[str]] = {}
        means = str(meaning.get("mask"))
        left = [at for at in every if (*at, means) not in wrong]
        said_of = [{**meaning, **required, "mask_shapes": {**others, name: [shape]}} for name, shape in left]
        subjects = trial.subjects([_with(interface, masks_said) for masks_said in said_of], one.module)
        for (name, shape), subject in zip(left, subjects, strict=True):
            cases = [case for case in subject.cases if _alone(case, name, names)]
            if not cases or not all(_answered(subject, case.key) for case in cases):
                continue
            read = first_reading(subject, (reading.knobs,), MOST, MOST)
            ways = (reading.knobs, *subject.block.free)  # without a mask some of these say the same
            if read is not None and any(all(subject.agrees(case, read, way) for case in cases) for way in ways):
                worked.setdefault(name, []).append(shape)
            elif "mask_type" not in meaning:
                wrong.add((name, shape, means))
        if sum(map(len, worked.values())) > sum(map(len, best[1].values())):
            best = ({**meaning, **required}, worked)
        if {*worked} == {*names}:
            break
    meaning, worked = best
    if not worked:
        return {}, worked
    promised = _promised(_as_written(trial, one, interface, worked), names, usual.get("shapes_made", ()))
    # What has to be given, and never alone hides anything, keeps the shape with which the class runs.
    return {**meaning, "mask_shapes": {**others, **promised} if len(names) > 1 else promised}, worked


def taken(
    trial: Trial, one: Definition, interface: Interface, usual: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[Field, str]]:
    """The masks that a class takes though they act in no known form, or it is no paper's, and what was seen of them.

    Their shapes are promised, so that a mistake is told by what they do.
    """
    names = [name for name in interface.parameters if "mask" in name]
    said = interface.conventions
    if not names or meanings(interface, one) is LENGTHS or {"mask_shapes", "mask_required"} & said.keys():
        return {}, {}
    kept = {key: usual[key] for key in ("mask", "mask_type", "mask_hides") if key in usual}
    every = [(name, shape) for name in names for shape in _shapes(interface)]
    ways = [_with(interface, {**kept, "mask_shapes": {name: [shape]}}) for name, shape in every]
    ran: dict[str, list[str]] = {}
    for (name, shape), subject in zip(every, trial.subjects(ways, one.module), strict=True):
        cases = [case for case in subject.cases if _alone(case, name, names)]
        if cases and all(_answered(subject, case.key) for case in cases):
            ran.setdefault(name, []).append(shape)
    if not ran:
        return {}, {}
    promised = _promised(_as_written(trial, one, interface, ran), names, usual.get("shapes_made", ()))
    about = {**kept, "mask_shapes": promised}
    return about, {("conventions", key): TAKEN for key in about}


def _shapes(interface: Interface) -> tuple[str, ...]:
    """The shapes that masks may have; without an axis for samples the first alone."""
    return FOR_QUERIES[:1] if interface.conventions.get("batch") == "none" else (*FOR_KEYS, *FOR_QUERIES)


TAKEN = "masks of this shape are taken, and act in no known way"


def _as_written(trial: Trial, one: Definition, interface: Interface, worked: Worked) -> dict[str, Sequence[str]]:
    """Of the shapes of each mask those that the solution writes beside it; all where it writes none."""
    theirs, modules = names_of(interface, one), trial.submission.modules
    return {name: fitting(each, written(one, theirs.get(name, name), modules)) for name, each in worked.items()}


def _with(interface: Interface, masks_said: Mapping[str, Any]) -> Interface:
    plain = {key: value for key, value in interface.conventions.items() if not key.startswith("mask")}
    return replace(interface, conventions={**plain, **masks_said})


def _by_name(shapes: Any, names: Sequence[str]) -> dict[str, list[str]]:
    return dict(shapes) if isinstance(shapes, Mapping) else {name: list(shapes) for name in names}


def _alone(case: Case, name: str, names: Sequence[str]) -> bool:
    """Whether a mask is the only one of a call that hides anything."""
    given = {other: case.inputs.get(other) for other in names}
    hiding = [other for other, mask in given.items() if mask is not None and not np.all(mask)]
    return not case.plain and not case.changes and hiding == [name]


def _answered(subject: Subject, key: str) -> bool:
    reply = subject.replies.get(f"case:{key}")
    return reply is not None and reply.status == "value"


def told(lesson: Lesson, modules: Sequence[CodeModule]) -> tuple[str, ...]:
    """The shapes of a class's masks, where the solution writes them beside it: other parts are given the same."""
    said, theirs = lesson.interface.conventions.get("mask_shapes", []), names_of(lesson.interface, lesson.definition)
    masked = [name for name in lesson.interface.parameters if "mask" in name]
    groups = _by_name(said, masked)
    beside = [name for name in masked if written(lesson.definition, theirs.get(name, name), modules)]
    return tuple(shape for name in beside for shape in groups.get(name, ()))


def made(interface: Interface) -> tuple[str, ...]:
    """The shapes of the masks that a function of the solution makes; none where it makes no masks."""
    known = MADE.get(interface.component, {})
    return known.get(interface.conventions.get("mask_axes", next(iter(known), None)), ())


def _promised(worked: Worked, names: Sequence[str], own: Sequence[str]) -> Any:
    """Of the shapes that work those that the solution makes itself, else the most usual.

    One with a row for each query, one of keys alone.
    """
    chosen: dict[str, list[str]] = {}
    for name, shapes in worked.items():
        orders = ((*(shape for shape in own if shape in order), *order) for order in ORDERS)
        usual = [next((shape for shape in order if shape in shapes), None) for order in orders]
        chosen[name] = [shape for shape in usual if shape is not None]
    return chosen[names[0]] if len(names) == 1 else chosen


def seen(block: Block, said: Mapping[str, Any], worked: Worked) -> Iterator[tuple[tuple[str, str], str]]:
    """What was seen behind the conventions of masks."""
    every = list(dict.fromkeys(shape for shapes in worked.values() for shape in shapes))
    for key, value in said.items():
        if key == "mask_shapes":
            lists = list(value.values()) if isinstance(value, Mapping) else [value]
            rest = [shape for shape in every if not any(shape in shapes for shapes in lists)]
            more = f"; {', '.join(rest)} worked too, to be promised where students are given such" if rest else ""
            yield ("conventions", key), f"b samples, h heads, n queries, m keys{more}"
        elif key != "mask_required":
            meaning = next(one.convention.meaning(value) for one in block.conventions if one.key == key)
            yield ("conventions", key), f"{meaning}; {len(every)} shape{'s' * (len(every) > 1)} acted so"
