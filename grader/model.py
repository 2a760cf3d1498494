"""Every noun that travels: frozen, picklable data and nothing else.

``grade(submission, settings) -> Report`` takes and returns these, so that the command line, CI, a class and a
cluster are the same code.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any, Literal, Self

_LINE_END = re.compile(r"\r\n|\r|\n")


class StudentText(str):
    """Text that came from a submission, cleaned when built so that no renderer can forget to.

    Control characters, bidirectional overrides and lone surrogates become visible marks; newlines and tabs stay.
    """

    __slots__ = ()

    def __new__(cls, raw: str, limit: int = 4000) -> Self:
        """Clean ``raw``, cut to ``limit`` characters."""
        text = raw if len(raw) <= limit else raw[: limit - 1] + "…"
        plain = text.isascii() and text.replace("\n", " ").replace("\t", " ").isprintable()  # as most texts are
        return super().__new__(cls, text if plain else "".join(map(_visible, text)))


_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _visible(character: str) -> str:
    if character in "\n\t" or " " <= character <= "~":
        return character
    if character in _BIDI or unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
        return f"⟨{ord(character):02X}⟩"
    return character


def mask_addresses(text: str) -> str:
    """Replace memory addresses such as ``0x7f3a…`` so that the same submission gives the same bytes."""
    return re.sub(r"0x[0-9a-fA-F]{6,}", "0x…", text)


Level = Literal["strict", "standard", "auto", "none"]


class Verdict(StrEnum):
    """What was found; see the design for what each means."""

    PASSED = "passed"
    FAILED = "failed"
    MISSING = "missing"
    ERROR = "error"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASHED = "crashed"
    SKIPPED = "skipped"
    UNDETERMINED = "undetermined"
    FAULT = "fault"
    UNREADABLE = "unreadable"

    @property
    def pending(self) -> bool:
        """Whether the points wait for a person: neither given nor taken."""
        return self in {Verdict.UNDETERMINED, Verdict.FAULT}


class Audience(StrEnum):
    """Who may see a check: ``staff`` checks are hidden from the student's view."""

    STUDENT = "student"
    STAFF = "staff"


# ------------------------------------------------------------------------------------------- the submission


@dataclass(frozen=True, slots=True)
class CodeChunk:
    """A source file, or one notebook cell; ``filename`` is what a traceback shows, ``cell`` counts from 1."""

    code: str
    filename: str
    cell: int | None = None
    tolerate: bool = False

    @property
    def lines(self) -> list[str]:
        """Its lines as Python counts them: a form feed or U+2028 within one does not end it."""
        return _LINE_END.split(self.code)


@dataclass(frozen=True, slots=True)
class CodeModule:
    """One importable module of the submission, by value."""

    name: str
    chunks: tuple[CodeChunk, ...]

    @property
    def source(self) -> str:
        """All chunks as one text."""
        return "\n".join(chunk.code for chunk in self.chunks)


@dataclass(frozen=True, slots=True)
class Document:
    """A file that is not code (worksheet, report, diagram), by value; of a picture only the digest."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Submission:
    """Who handed in what, when; files by value.

    ``sha256`` is over the names and bytes of all files. ``notes`` are the reader's remarks for the report
    ("byte-order mark removed"), one sentence each.
    """

    id: str
    path: str
    modules: tuple[CodeModule, ...] = ()
    documents: tuple[Document, ...] = ()
    submitter: str = ""
    submitted_at: str = ""
    late: bool = False
    sha256: str = ""
    notes: tuple[str, ...] = ()


# ------------------------------------------------------------------------------- the assignment and the rubric


@dataclass(frozen=True, slots=True)
class Interface:
    """How one component is called in this assignment.

    ``callable`` is the name asked for, ``aliases`` other accepted names; ``parameters`` are the oracle's
    parameter names in the order in which the hand-out takes them (one that is left out is never passed);
    ``returns`` names the returned values in order (empty: a single value). ``names`` gives the hand-out's own
    names of further callables that the component needs (``make_tgt_mask``). ``domain`` narrows the inputs to
    what the hand-out promises; ``conventions`` holds mask meaning, norm position and the like.
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
class Limits:
    """Seconds and bytes that a submission may use."""

    load_s: float = 10.0
    call_s: float = 5.0
    total_s: float = 120.0
    cpu_s: int = 60
    memory_bytes: int = 2 << 30
    output_bytes: int = 64 << 10


@dataclass(frozen=True, slots=True)
class Assignment:
    """What is set: the interface of each component, the sections of what is written, and the limits."""

    id: str
    version: str
    title: str
    interfaces: tuple[Interface, ...]
    needs_torch: bool = False
    parts: tuple[str, ...] = ("code",)
    limits: Limits = field(default_factory=Limits)
    sha256: str = ""
    sections: tuple[Section, ...] = ()

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


# ------------------------------------------------------------------------------------------------- the outcome


@dataclass(frozen=True, slots=True)
class Counterexample:
    """The smallest input found that shows a failure, as text ready to print.

    ``inputs`` maps argument names to Python expressions; ``snippet`` is a few lines that reproduce the failure
    in the student's own session. ``hidden`` marks a case drawn from the secret seed. ``part`` names the one of several
    returned values that ``expected`` and ``got`` show; empty where they are the whole answer.
    """

    inputs: Mapping[str, str]
    expected: str
    got: str
    max_error: float | None = None
    where: str | None = None
    snippet: str = ""
    why: str = ""
    hidden: bool = False
    part: str = ""


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the student's own files; ``cell`` counts from 1 in a notebook."""

    file: str
    line: int
    cell: int | None = None


READ_IN_SOURCE = "read in the source"
"""The evidence of a mistake that a line shows and no answer does."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A named misconception.

    ``family`` holds the other ids that no input can tell apart from this one; ``ids`` of two faults found
    together are joined by `` + `` in ``id``. ``evidence`` says what singled it out. ``component`` is the one that the
    mistake belongs to, where that is a part of the component in which it was found.
    """

    id: str
    title: str
    family: tuple[str, ...] = ()
    evidence: str = ""
    hints: Mapping[str, str] = field(default_factory=dict)
    reread: str = ""
    component: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of an answer, as character offsets, and what was seen in it.

    ``kind`` is ``found`` (speaks for the answer), ``against`` (contradicts it) or ``doubt`` (a person should look).
    """

    start: int
    end: int
    label: str
    kind: str = "found"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the student wrote to one question, with the evidence found in it.

    ``suggested`` is the share of the points, in [0, 1], that the grader would propose to a person; None where it has no
    opinion. It is never given on its own account.
    """

    text: str
    spans: tuple[Span, ...] = ()
    suggested: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one check found; it knows nothing of points.

    ``judged`` is what was found before a prerequisite set the outcome aside, so that a rubric without that prerequisite
    can be applied later.
    """

    check: str
    component: str
    title: str
    verdict: Verdict
    passed: int = 0
    asked: int = 0
    message: str = ""
    counterexample: Counterexample | None = None
    diagnosis: Diagnosis | None = None
    location: Location | None = None
    staff_note: str = ""
    notes: tuple[str, ...] = ()
    duration_s: float = 0.0
    answer: Answer | None = None
    judged: Outcome | None = None

    @property
    def fraction(self) -> float:
        """Share of the cases passed, in [0, 1]."""
        if self.verdict is Verdict.PASSED:
            return 1.0
        return self.passed / self.asked if self.asked else 0.0


# -------------------------------------------------------------------------------------------------- the report


@dataclass(frozen=True, slots=True)
class Mark:
    """Points for one criterion. ``pending`` points are neither given nor taken until a person decides."""

    criterion: Criterion
    verdict: Verdict
    points: Decimal
    pending: Decimal
    outcomes: tuple[Outcome, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Isolation:
    """What held the student's code: level asked for and applied, mechanisms armed and missing."""

    requested: str
    applied: str
    mechanisms: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The judgement of one submission. The total is computed from the marks, never stored apart.

    ``unscored`` are outcomes that no criterion asks for: another rubric may.
    """

    assignment: Assignment
    rubric: Rubric
    submission: Submission
    marks: tuple[Mark, ...]
    isolation: Isolation
    seed: int
    grader_version: str
    versions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unreadable: str = ""
    unscored: tuple[Outcome, ...] = ()

    @property
    def score(self) -> Decimal:
        """Points earned, bonus included; always the sum of what is shown."""
        return sum((mark.points for mark in self.marks), Decimal(0))

    @property
    def max_score(self) -> Decimal:
        """Points to be had, bonus left out."""
        return sum((mark.criterion.points for mark in self.marks if not mark.criterion.bonus), Decimal(0))

    @property
    def pending(self) -> Decimal:
        """Points that wait for a person."""
        return sum((mark.pending for mark in self.marks), Decimal(0))

    @property
    def verdict(self) -> Verdict:
        """The worst that was found: fault, undetermined, failed or passed."""
        if self.unreadable:
            return Verdict.UNREADABLE
        found = {mark.verdict for mark in self.marks}
        for verdict in (Verdict.FAULT, Verdict.FAILED, Verdict.UNDETERMINED):
            if verdict in found:
                return verdict
        return Verdict.PASSED if found <= {Verdict.PASSED} else Verdict.FAILED


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything besides the submission that a report depends on."""

    assignment: Assignment
    rubric: Rubric
    isolation: Level = "strict"
    seed: int = 0
    components: tuple[str, ...] = ()
