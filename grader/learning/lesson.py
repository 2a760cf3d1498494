"""What was learned of one part: how assignment.yaml says it, what was seen behind each line, what stays open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.learning.definitions import Definition
from grader.model import Interface, Outcome

Field = tuple[str, ...]
"""Where a line stands below its component: ``("conventions", "mask")``."""


@dataclass(frozen=True, slots=True)
class Question:
    """What only the instructor can say: a line that is not taken unless asked for, or an observation without one."""

    text: str
    key: str = ""
    value: Any = None

    def __post_init__(self) -> None:
        """Bring the text into one line: it becomes a comment, and may tell what an exception says."""
        object.__setattr__(self, "text", " ".join(self.text.split()))


CURES = {
    "PackageNotListed": "Write it without that package, or leave the part out.",
    "NameError": "Define it in the solution, or import it there.",
}
"""What an instructor can do about an exception in the code itself, by its type."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One part of the solution.

    ``interface`` is what is right for it, ``seen`` what was observed behind its fields. ``mistakes`` are the checks
    that the solution does not pass under it. What cannot be called in any way that was tried is not ``judged``, nor is
    what is not ``read``, the paper under no convention, and no known mistake either.
    """

    definition: Definition
    interface: Interface
    seen: Mapping[Field, str] = field(default_factory=dict)
    questions: Sequence[Question] = ()
    mistakes: tuple[Outcome, ...] = ()
    others: tuple[str, ...] = ()
    judged: bool = True
    read: bool = True

    @property
    def component(self) -> str:
        """The component's id."""
        return self.interface.component
