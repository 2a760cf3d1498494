"""A diagram as boxes and arrows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

MOST_BOXES, MOST_ARROWS = 400, 2000


class UnreadableDiagramError(Exception):
    """The text is no diagram that is read; its text says why."""


class Arrow(NamedTuple):
    """An arrow from one box to another, with what is written on it."""

    start: str
    end: str
    label: str = ""


@dataclass(slots=True)
class Graph:
    """Boxes by id with their labels, and arrows."""

    labels: dict[str, str] = field(default_factory=dict)
    arrows: list[Arrow] = field(default_factory=list)

    def box(self, name: str, label: str = "") -> str:
        """Add a box, or its label to one that is known; returns its id. Raises UnreadableDiagramError for too many."""
        if name not in self.labels and len(self.labels) >= MOST_BOXES:
            raise UnreadableDiagramError("it has more boxes than one layer needs")
        if label or name not in self.labels:
            self.labels[name] = " ".join(label.split()) or name
        return name

    def arrow(self, start: str, end: str, label: str = "") -> None:
        """Add an arrow between boxes; raises UnreadableDiagramError where there are too many."""
        if len(self.arrows) >= MOST_ARROWS:
            raise UnreadableDiagramError("it has more arrows than one layer needs")
        self.arrows.append(Arrow(start, end, " ".join(label.split())))

    def after(self, name: str) -> list[str]:
        """Return where arrows from a box lead."""
        return [arrow.end for arrow in self.arrows if arrow.start == name]

    def before(self, name: str) -> list[str]:
        """Return where arrows into a box come from."""
        return [arrow.start for arrow in self.arrows if arrow.end == name]

    def walk(
        self, starts: Iterable[str], through: Callable[[str], object], *, backwards: bool = False
    ) -> Iterator[str]:
        """Yield every box that arrows lead to from ``starts``, the nearest first, and on ``through`` some of them."""
        step = self.before if backwards else self.after
        waiting = [end for start in starts for end in step(start)]
        seen: set[str] = set()
        for name in waiting:
            if name not in seen:
                seen.add(name)
                yield name
                waiting += step(name) if through(name) else []

    def reached(self, starts: Iterable[str], *, backwards: bool = False, without: Iterable[str] = ()) -> set[str]:
        """Return every box that arrows lead to from ``starts``, which are left out unless a circle leads back."""
        closed = set(without)
        return {*self.walk(starts, lambda name: name not in closed, backwards=backwards)} - closed
