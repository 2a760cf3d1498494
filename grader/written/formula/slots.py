"""A form as slots that can be filled rightly or wrongly; `@` stands for the next slot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Slip:
    """One wrong filling: the slot it sits in, other slots it fills along, and what to tell the student."""

    id: str
    slot: str
    text: str
    title: str
    hint: str
    also: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Form:
    """The slots of the right form, outermost first, and the slips."""

    slots: Mapping[str, str]
    slips: tuple[Slip, ...]


def fill(form: Form, *slips: Slip) -> str:
    """Return the form's text with the slips in their slots."""
    filled = dict(form.slots)
    for slip in slips:
        filled.update(slip.also)
        filled[slip.slot] = slip.text
    text = "@"
    for part in filled.values():
        text = text.replace("@", part, 1)
    return text
