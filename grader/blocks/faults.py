"""The record of a known mistake in a block: its knobs, its words, the component it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.component import Misconception
from grader.model import By, Diagnosis, joined


@dataclass(frozen=True, slots=True)
class Fault:
    """A mistake made by turning knobs of ``parts`` and ``stacks``, or, without knobs, recognised by a sign.

    ``component`` owns it: a block that contains the component is right but for this. ``twin_told`` looks at the source
    where no value can tell it from its twin. ``parts`` are the mistakes that were made together.
    """

    id: str
    title: str
    component: str
    nudge: str
    hint: str
    explanation: str
    reread: str
    knobs: Mapping[str, Any] = field(default_factory=dict)
    twin_told: Callable[[str], bool] | None = None
    parts: tuple[Fault, ...] = ()

    @property
    def hints(self) -> dict[str, str]:
        """Help at three levels."""
        return {"nudge": self.nudge, "hint": self.hint, "explanation": self.explanation}

    @property
    def ids(self) -> tuple[str, ...]:
        """The mistakes that this one is made of, or its own id."""
        return tuple(part.id for part in self.parts) or (self.id,)

    def diagnosis(self, by: By, family: tuple[tuple[str, ...], ...] = ()) -> Diagnosis:
        """Return the mistake as an outcome carries it."""
        return Diagnosis(self.ids, self.title, family, by, self.hints, self.reread, self.component)

    def misconception(self) -> Misconception:
        """Return the mistake as the catalogue lists it."""
        return Misconception(
            self.id, self.title, self.explanation, self.hints, self.reread, self.component, knobs=self.knobs
        )


def together(first: Fault, second: Fault) -> Fault:
    """Return two mistakes as one."""
    return Fault(
        joined((first.id, second.id)),
        f"Two slips together: {_lower(first.title)}; and {_lower(second.title)}.",
        joined(dict.fromkeys((first.component, second.component))),
        f"{first.nudge} {second.nudge}",
        f"{first.hint} {second.hint}",
        f"{first.explanation} {second.explanation}",
        first.reread if first.reread == second.reread else f"{first.reread}; {second.reread}",
        {**first.knobs, **second.knobs},
        parts=(first, second),
    )


def _lower(title: str) -> str:
    text = title.strip().rstrip(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def family(component: str, reread: str) -> Callable[..., Fault]:
    """Return a maker of the mistakes of one component."""

    def make(
        id: str,
        title: str,
        nudge: str,
        hint: str,
        explanation: str,
        *,
        twin_told: Callable[[str], bool] | None = None,
        **knobs: Any,
    ) -> Fault:
        turned = {name.replace("__", "."): setting for name, setting in knobs.items()}
        return Fault(id, title, component, nudge, hint, explanation, reread, turned, twin_told)

    return make
