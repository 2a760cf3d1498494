"""Which id a stack that is given ids takes for padding, and hides by itself: asked with each in the place of words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grader.component.convention import Settled
from grader.learning import words
from grader.learning.definitions import Definition
from grader.learning.trial import Trial, changed
from grader.model.assignment import Interface

if TYPE_CHECKING:
    from grader.blocks.search import Reading
    from grader.blocks.subject import Subject

KEYS = ("pad_id", "pad_hidden")
USUAL = (0, 1)
"""The ids that courses choose."""
MOST = 60
"""Readings of the weights that are tried with each id."""


def is_probed(settled: Settled) -> bool:
    """Whether it is learned here: no other answer shows it."""
    return settled.key in KEYS and bool(settled.passing)


def learned(trial: Trial, one: Definition, interface: Interface, reading: Reading) -> dict[str, Any]:
    """What is settled of the padding that a stack hides by itself; nothing where it hides none."""
    if "ids" not in interface.parameters:
        return {}
    sides: tuple[dict[str, Any], ...] = ({},)
    if "src" in interface.parameters:
        sides = ({"pad_hidden": "both"}, {"pad_hidden": "source"})
    every = [{"pad_id": pad, **side} for pad in ids_of(one) for side in sides]
    subjects = trial.subjects([changed(interface, conventions=said) for said in every], one.module)
    return next((said for said, subject in zip(every, subjects, strict=True) if _hides(subject, reading)), {})


def ids_of(one: Definition) -> tuple[int, ...]:
    """The ids that a class may take for padding: the values of what it, and its files, call so, and the usual ones."""
    named = [*one.constants.items(), *((each.name, each.default) for each in one.made)]
    said = [value for name, value in named if words.says(name, "pads")]
    return tuple(dict.fromkeys(value for value in (*said, *USUAL) if type(value) is int and value >= 0))


def _hides(subject: Subject, reading: Reading) -> bool:
    """Whether every case with padding is answered as the paper does that hides it."""
    from grader.blocks.explain import first_reading

    cases = [case for case in subject.cases if case.key.endswith(":padding")]
    replies = [subject.replies.get(f"case:{case.key}") for case in cases]
    if not cases or any(reply is None or reply.status != "value" for reply in replies):
        return False
    read = first_reading(subject, (reading.knobs,), MOST, MOST)
    # What is causal by itself, whatever else is hidden, shows here alone.
    ways = ({**reading.knobs, **free} for free in subject.block.free)
    return read is not None and any(all(subject.agrees(case, read, way) for case in cases) for way in ways)
