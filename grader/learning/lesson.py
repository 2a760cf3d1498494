"""What was learned of one part: how assignment.yaml says it, what was seen behind each line, what stays open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from grader.learning.definitions import Definition, definitions
from grader.learning.trial import changed
from grader.model.assignment import Assignment, Interface
from grader.model.outcome import Outcome
from grader.model.submission import Submission

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


CUT_SHORT = "The time was up before all that could be settled was tried: learn it by itself (--components {})."
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
    what is not ``read``: the paper under no convention, or in hardly an answer, and no known mistake either.
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

    @property
    def of_class(self) -> bool:
        """Whether it is handed in as a class."""
        return self.interface.conventions.get("form") == "class"

    def settled(self, told: Mapping[str, tuple[Any, str]]) -> Self:
        """The lesson with conventions, each with its value and with what was seen of it."""
        said = {key: value for key, (value, _) in told.items()}
        seen: dict[Field, str] = {("conventions", key): why for key, (_, why) in told.items()}
        return replace(self, interface=changed(self.interface, conventions=said), seen={**self.seen, **seen})

    @property
    def answered(self) -> tuple[Interface, ...]:
        """What becomes of its interface where one of the questions is answered with yes."""
        said = [(one.key, one.value) for one in self.questions if one.key]
        return tuple(
            replace(self.interface, domain={**self.interface.domain, **value})
            if key == "domain"
            else changed(self.interface, conventions={key: value})
            for key, value in said
        )


@dataclass(frozen=True, slots=True)
class Learned:
    """What a solution has taught: a lesson for each part, and the names that are no part of the paper.

    ``broken`` are the lines that do not run here, such as those that read data: the rest is learned without them.
    ``run`` is what of the solution was run.
    """

    submission: Submission
    run: Submission
    lessons: tuple[Lesson, ...]
    unknown: tuple[str, ...]
    torch: bool
    broken: tuple[str, ...] = ()

    @property
    def judged(self) -> tuple[Lesson, ...]:
        """The parts that an assignment can ask for."""
        return tuple(lesson for lesson in self.lessons if lesson.judged)

    @property
    def asked(self) -> tuple[str, ...]:
        """The names that students define."""
        return tuple(name for lesson in self.judged for name in lesson.interface.accepted)

    @property
    def known(self) -> Mapping[str, Definition]:
        """The solution's definitions by name."""
        return definitions(self.submission.modules)

    def assignment(self, id: str, title: str = "") -> Assignment:
        """The assignment that asks for them."""
        interfaces = tuple(lesson.interface for lesson in self.judged)
        return Assignment(id, "1", title or id, interfaces, needs_torch=self.torch)
