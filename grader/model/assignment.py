"""What is asked for, and what it is worth."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

from grader.sandbox.plain import Limits

BESIDE, ONE = "_", "output"
"""Among ``returns``: a value that nobody judges, as a cache for the backward pass; the only one that a part has."""


class Audience(StrEnum):
    """Who may see a check: ``staff`` checks are hidden from the student's view."""

    STUDENT = "student"
    STAFF = "staff"


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call: ``value`` is one of our names, or what is passed in every call where it is ``constant``.

    ``name`` is the hand-out's own name of it; empty where the place alone tells.
    """

    value: Any
    name: str = ""
    constant: bool = False


@dataclass(frozen=True, slots=True)
class Adapter:
    """Lines that build and call what is handed in: a class of the component's name in ``source``, which the child runs.

    Where ``source`` is empty the submission defines that class itself. ``further`` are the callables beside the first
    that its lines call, too (``make_tgt_mask``).
    """

    component: str
    source: str = ""
    further: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Interface:
    """How one component is called in this assignment.

    ``callable`` is the name asked for, ``aliases`` other accepted names; ``parameters`` are the oracle's
    parameter names in the order in which the hand-out takes them (one that is left out is never passed);
    ``returns`` names the returned values in order (empty: a single value), ``_`` one that is not judged. ``names``
    gives the hand-out's own names of further callables that the component needs (``make_tgt_mask``). ``domain``
    narrows the inputs to what the hand-out promises; ``conventions`` holds mask meaning, norm position and the like.
    ``arguments`` say more of the call than the names in ``parameters``: the hand-out's own names, and constants; given
    ``by_keyword`` where the hand-out calls so. Empty where the names are all that is said. ``own`` is the path of the
    course's own checks.
    """

    component: str
    callable: str
    aliases: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    domain: Mapping[str, Any] = field(default_factory=dict)
    conventions: Mapping[str, Any] = field(default_factory=dict)
    forbidden: tuple[str, ...] = ()
    arguments: tuple[Argument, ...] = ()
    by_keyword: bool = False
    adapter: Adapter | None = None
    own: str = ""

    @property
    def accepted(self) -> tuple[str, ...]:
        """The names under which it may be handed in, the one that is asked for first."""
        return (self.callable, *self.aliases)

    @property
    def judged(self) -> tuple[str, ...]:
        """The names of the returned values that are judged."""
        return tuple(name for name in self.returns if name != BESIDE)


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a written part; its check is ``section.id``.

    ``key`` is the validated key of its ``kind`` (see grader.written.key): what is right, known slips, the text that the
    blank sheet prints.
    """

    id: str
    title: str
    kind: str
    key: Any


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the written work: for rubrics and reports it is what a component is for code.

    ``part`` is ``worksheet`` or ``report``.
    """

    id: str
    title: str
    part: str
    questions: tuple[Question, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Assignment:
    """What is set: the interface of each component, the sections of what is written, and the limits.

    ``file`` is the name that the hand-out gives the file of code; of several that could be meant it is judged.
    """

    id: str
    version: str
    title: str
    interfaces: tuple[Interface, ...]
    needs_torch: bool = False
    parts: tuple[str, ...] = ("code",)
    limits: Limits = field(default_factory=Limits)
    sha256: str = ""
    sections: tuple[Section, ...] = ()
    file: str = ""

    @property
    def components(self) -> tuple[str, ...]:
        """The names that rubrics and ``--component`` use: components of code, then sections of written work."""
        return (*(item.component for item in self.interfaces), *(section.id for section in self.sections))

    def interface(self, component: str) -> Interface:
        """Return the interface of ``component``; KeyError where the assignment does not set it."""
        for interface in self.interfaces:
            if interface.component == component:
                return interface
        raise KeyError(component)


class HintLevel(StrEnum):
    """How much help a failed check gives, from nothing to the whole explanation."""

    NONE = "none"
    NUDGE = "nudge"
    HINT = "hint"
    EXPLANATION = "explanation"


@dataclass(frozen=True, slots=True)
class RubricCheck:
    """One check inside a criterion: its share of the points, who sees it, what must pass first."""

    id: str
    weight: Decimal = Decimal(1)
    audience: Audience = Audience.STUDENT
    requires: tuple[str, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Criterion:
    """Points for one or more checks.

    ``credit``: ``all`` (every check or nothing), ``steps`` (each check earns its weight when passed in full) or
    ``cases`` (each check earns its weight times its fraction of cases passed). ``requires`` names criteria whose
    failure makes this one ``skipped``. ``bonus`` points add to the score and not to the maximum.
    """

    id: str
    title: str
    points: Decimal
    checks: tuple[RubricCheck, ...]
    credit: str = "steps"
    requires: tuple[str, ...] = ()
    bonus: bool = False
    audience: Audience = Audience.STUDENT
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Rubric:
    """Points over checks; says nothing of how a check works."""

    id: str
    assignment: str
    version: str
    title: str
    criteria: tuple[Criterion, ...]
    hint_level: HintLevel = HintLevel.HINT
    hint_cap: HintLevel = HintLevel.EXPLANATION
    sha256: str = ""

    @property
    def checks(self) -> frozenset[str]:
        """The ids of all checks that earn points."""
        return frozenset(check.id for criterion in self.criteria for check in criterion.checks)
