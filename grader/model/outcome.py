"""What was found, and what a drawing of an example shows, as plain numbers: words and colours are the renderer's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

Cells = tuple[tuple[float | None, ...], ...]
"""Rows of numbers; None for one that is not finite."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Two tables of one shape: what is right and what came back.

    ``kind``: ``weights`` (shares of attention), ``mask`` (1 where a query may look), ``table`` (signed numbers by
    position and feature), ``seen`` (1 where an output depends on an input). ``axes`` name rows and columns, ``first``
    is the index of the corner where a part of a larger table is shown, ``at`` the index of the matrix in an array of
    more axes. ``blocked`` are the cells, by row and column within the part, that a mask hides. ``why`` says which case
    is drawn where that is another one than the example's. ``labels`` name rows and columns in the place of numbers.
    """

    kind: Literal["weights", "mask", "table", "seen"]
    expected: Cells
    got: Cells
    axes: tuple[str, str]
    first: tuple[int, int] = (0, 0)
    at: str = ""
    blocked: tuple[tuple[int, int], ...] = ()
    why: str = ""
    labels: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


@dataclass(frozen=True, slots=True)
class Curve:
    """Two curves over the same places: ``along`` names what grows to the right, ``up`` what grows upwards.

    ``why`` says for which other arguments.
    """

    kind: Literal["curve"]
    along: str
    up: str
    places: tuple[float, ...]
    expected: tuple[float | None, ...]
    got: tuple[float | None, ...]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Branch:
    """A beginning of a sentence that a search looked at.

    ``score`` is the sum of its log-probabilities; ``kept`` says whether it stayed in the beam.
    """

    tokens: tuple[int, ...]
    score: float
    kept: bool


@dataclass(frozen=True, slots=True)
class Beams:
    """A search as a tree: every beginning that was compared, the sentence that is right and the one that came back.

    ``end`` is the token that ends a sentence.
    """

    kind: Literal["beams"]
    branches: tuple[Branch, ...]
    expected: tuple[int, ...]
    got: tuple[int, ...]
    end: int


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of a computation with the shape that it should have, and the one it has where that is known."""

    name: str
    expected: str
    got: str = ""


@dataclass(frozen=True, slots=True)
class Shapes:
    """A computation as the shapes that it goes through, in order."""

    kind: Literal["shapes"]
    stages: tuple[Stage, ...]


Picture = Grid | Curve | Beams | Shapes


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


@dataclass(frozen=True, slots=True)
class Counterexample:
    """The smallest input found that shows a failure, as text ready to print.

    ``inputs`` maps argument names to Python expressions; ``snippet`` is a few lines that reproduce the failure
    in the student's own session. ``hidden`` marks a case drawn from the secret seed. ``part`` names the one of several
    returned values that ``expected`` and ``got`` show; empty where they are the whole answer. ``picture`` is what a
    drawing of it shows, where the component has one. ``function`` is what was called, where the component has several.
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
    picture: Picture | None = None
    function: str = ""


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the student's own files; ``cell`` counts from 1 in a notebook."""

    file: str
    line: int
    cell: int | None = None

    def __str__(self) -> str:
        """The place as read: ``attention.py, line 14`` or ``work.ipynb, cell 3, line 2``."""
        cell = f", cell {self.cell}" if self.cell else ""
        return f"{' '.join(self.file.partition('[cell ')[0].split())}{cell}, line {self.line}"


class By(StrEnum):
    """By what a mistake was singled out; the value is what staff read of it."""

    ANSWERS = "reproduces every answer of this code"
    MODEL = "reproduces what this model computes"
    SIGN = "recognised by its sign"
    RAISED = "predicts this exception"
    EXCEPTION = "its exception says so"
    RUN = "seen where it runs"
    SHARED = "the parameters are the same objects"
    KEY = ""


class Reason(StrEnum):
    """Why an outcome is what it is where that is no judgement of one answer: what is told once, and how."""

    JUDGED = ""
    FILE = "file"  # it did not load, so nothing in it could be asked
    UNDEFINED = "undefined"  # nothing has the name that is asked for
    UNWRITTEN = "unwritten"  # it raises where the student's own lines belong
    NOT_RUN = "not run"  # the time was used up before
    PACKAGE = "package"  # it needs a package that the homework does not use
    EVERY_CALL = "every call"  # what holds for whatever it is called with
    UNREAD = "unread"  # a document of which no program can read anything


class Tells(StrEnum):
    """What a message tells, which says how a report makes a sentence of it."""

    FOUND = ""  # what was found, in our words
    DID = "did"  # what the function did that was judged: its name goes in front
    NAMED = "named"  # it begins with a name, of the student's or of Python's, which keeps its case
    OFF = "off"  # how far an answer is off, which the example shows as well


def joined(ids: Iterable[str]) -> str:
    """Mistakes that were made together, as one name for people and for tables."""
    return " + ".join(ids)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A named misconception, or several that were made together.

    ``family`` holds what no input can tell apart from it: other ids, those made together as one tuple. ``by`` says what
    singled it out. ``component`` is the one that the mistake belongs to, which may be a part of that in which it was
    found. ``each`` are those that were made together, told one by one.
    """

    ids: tuple[str, ...]
    title: str
    family: tuple[tuple[str, ...], ...] = ()
    by: By = By.KEY
    hints: Mapping[str, str] = field(default_factory=dict)
    reread: str = ""
    component: str = ""
    each: tuple[Diagnosis, ...] = ()

    @property
    def id(self) -> str:
        """The ids as one name."""
        return joined(self.ids)


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
class Place:
    """Where an answer stands on a page of a document that is no text, such as a PDF.

    ``page`` counts from 1. ``picture`` is a strip of that page as PNG in base64, empty where none could be made;
    ``box`` is the region to mark in it: left, top, right, bottom as shares of the picture's width and height.
    """

    file: str
    page: int
    box: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    picture: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the student wrote to one question, with all that a person needs to decide on it, however it is shown.

    ``text`` is the answer as it was read and ``spans`` the evidence in it. ``suggested`` is the share of the points, in
    [0, 1], that the grader would propose to a person; None where it has no opinion. It is never given on its own
    account; ``why`` says what it rests on, and what is missing. ``question`` is what the sheet or the task asks,
    ``model`` what a right answer says: both by the key, for whoever decides. ``places`` show it on the page. Answers of
    one criterion that belong ``together`` are one decision.
    """

    text: str
    spans: tuple[Span, ...] = ()
    suggested: float | None = None
    question: str = ""
    model: str = ""
    why: str = ""
    places: tuple[Place, ...] = ()
    together: bool = False


_FAMILIES = {
    "shape": (
        "shape", "aligned", "broadcast", "dimension", "mismatch", "size of tensor", "reshape", "axes", "axis",
        "same size", "stride", "view",
    ),
    "unpack": ("to unpack",),
    "truth": ("truth value", "boolean value"),
    "index": ("out of bounds", "index"),
    "zero": ("division by zero", "negative power"),
    "dtype": ("cast", "dtype", "data type", "overflow"),
}  # fmt: skip
_REFUSING = re.compile(r"([\w.<>]+)\(\) (?:got|missing|takes)\b")
_LACKING = re.compile(r"'(\w+)' object has no attribute")
_UNDEFINED = re.compile(r"name '(\w+)' is not defined")


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception of student code, both parts empty where none was raised; as text it is as Python writes it."""

    type: str = ""
    message: str = ""

    def __str__(self) -> str:
        return f"{self.type}: {self.message}" if self.type else ""

    @property
    def family(self) -> str:
        """What it is about, so that the same slip in matmul, dot and einsum counts as the same."""
        low = self.message.lower()
        return next((name for name, words in _FAMILIES.items() if any(word in low for word in words)), self.type)

    @property
    def refusing(self) -> str:
        """The qualified name of what does not take the arguments that a TypeError speaks of; empty for others.

        >>> Raised("TypeError", "Layer.forward() missing 1 required positional argument: 'x'").refusing
        'Layer.forward'
        """
        found = _REFUSING.match(self.message) if self.type == "TypeError" else None
        return found[1] if found else ""

    @property
    def lacking(self) -> str:
        """The class whose object lacks the attribute that an AttributeError speaks of; empty for others."""
        found = _LACKING.match(self.message) if self.type == "AttributeError" else None
        return found[1] if found else ""

    @property
    def undefined(self) -> str:
        """The name that Python says is not defined; empty for another exception."""
        found = _UNDEFINED.search(self.message) if self.type == "NameError" else None
        return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one check found; it knows nothing of points.

    ``judged`` is what was found before a prerequisite set the outcome aside, so that a rubric without that prerequisite
    can be applied later. ``begins`` is where a stored report says that what was judged begins, whose files are gone.
    ``raised`` is the exception that ended the call; a stored report holds it in the message alone.
    ``unimported`` is the package that the code uses and does not import. A ``manner`` is what empty code does as well.
    ``mark`` is what the question stands behind on its sheet.
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
    reason: Reason = Reason.JUDGED
    begins: Location | None = None
    raised: Raised = Raised()
    unimported: str = ""
    manner: bool = False
    tells: Tells = Tells.FOUND
    mark: str = ""

    @property
    def marked(self) -> str:
        """The title with the question's mark, so that it is found on its sheet."""
        return f"{self.title.rstrip('.')} [{self.mark}]" if self.mark else self.title

    @property
    def fraction(self) -> float:
        """Share of the cases passed, in [0, 1]."""
        if self.verdict is Verdict.PASSED:
            return 1.0
        return self.passed / self.asked if self.asked else 0.0
