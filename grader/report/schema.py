"""The shape of ``grader/report/v1`` as pydantic models, exported by ``grader schema report``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from grader.model import Audience, Reason, Tells, Verdict

Points = Annotated[float, Field(ge=0)]
Digest = Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")]


class Part(BaseModel):
    """A part of the report; keys are only ever added, so readers may meet more than they know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class AssignmentPart(Part):
    """What was set."""

    id: str
    version: str
    title: str
    sha256: Digest


class RubricPart(Part):
    """By what it was scored."""

    id: str
    version: str
    sha256: Digest


class SubmissionPart(Part):
    """What was handed in; ``sha256`` is over the names and bytes of all files."""

    id: str
    path: str
    submitter: str
    submitted_at: str
    late: bool
    sha256: Digest


class IsolationPart(Part):
    """What held the student's code."""

    requested: str
    applied: str
    mechanisms: list[str]
    missing: list[str]


class VisiblePart(Part):
    """How many of the points this reader sees."""

    points: Points
    of: Points


class CriterionPart(Part):
    """Points for one criterion; ``pending`` ones are neither given nor taken."""

    id: str
    title: str
    points: Points
    max_points: Points
    pending: Points
    verdict: Verdict
    credit: Literal["all", "steps", "cases"]
    bonus: bool
    audience: Audience
    reason: str | None
    checks: list[str]


class MisconceptionPart(Part):
    """The named mistake; ``family`` holds others that no input tells apart from it."""

    id: str
    title: str
    family: list[str]
    ids: list[str] = []
    evidence: str
    reread: str
    component: str = ""
    hints: dict[str, str] = {}


Numbers = list[float | None]


class GridPart(Part):
    """Two tables of one shape; ``first`` is the corner where a part of a larger one is shown."""

    kind: Literal["weights", "mask", "table", "seen"]
    expected: list[Numbers]
    got: list[Numbers]
    axes: tuple[str, str]
    first: tuple[int, int]
    at: str
    blocked: list[tuple[int, int]]
    why: str
    labels: tuple[list[str], list[str]]


class CurvePart(Part):
    """Two curves over the same places."""

    kind: Literal["curve"]
    along: str
    up: str
    places: list[float]
    expected: Numbers
    got: Numbers
    why: str


class BranchPart(Part):
    """A beginning that a search looked at."""

    tokens: list[int]
    score: float
    kept: bool


class BeamsPart(Part):
    """A search as a tree."""

    kind: Literal["beams"]
    branches: list[BranchPart]
    expected: list[int]
    got: list[int]
    end: int


class StagePart(Part):
    """A step with the shape that it should have, and the one that it has."""

    name: str
    expected: str
    got: str


class ShapesPart(Part):
    """A computation as the shapes that it goes through."""

    kind: Literal["shapes"]
    stages: list[StagePart]


PicturePart = Annotated[GridPart | CurvePart | BeamsPart | ShapesPart, Field(discriminator="kind")]


class CounterexamplePart(Part):
    """The smallest failing case as text; ``snippet`` reproduces it by a call of ``function``.

    ``part`` names the returned value that is shown.
    """

    inputs: dict[str, str]
    expected: str
    got: str
    max_error: float | None
    where: str | None
    why: str
    snippet: str
    hidden: bool
    part: str = ""
    function: str = ""
    picture: PicturePart | None = None


class SpanPart(Part):
    """A stretch of a written answer, as character offsets, and what was seen in it."""

    start: int
    end: int
    label: str
    kind: str


class PlacePart(Part):
    """A region of a page: ``box`` is left, top, right, bottom in shares of ``picture``, a PNG in base64."""

    file: str
    page: int
    box: tuple[float, float, float, float]
    picture: str


class AnswerPart(Part):
    """What was written to one question; ``suggested`` is the share that a person is offered, never given by itself.

    What follows is for staff: ``question`` as it was asked, ``model`` answer, ``why`` that is suggested, ``places`` on
    pages; answers of a criterion that are ``together`` are one decision.
    """

    text: str
    spans: list[SpanPart]
    suggested: float | None
    question: str = ""
    model: str = ""
    why: str = ""
    places: list[PlacePart] = []
    together: bool = False


class LocationPart(Part):
    """A place in the student's files; ``cell`` counts from 1 in a notebook.

    ``begins`` says that no single line is at fault: it is where the function begins that gave a wrong answer.
    """

    file: str
    line: int
    cell: int | None
    begins: bool = False


class FoundPart(Part):
    """What a check found, without points; for staff, so that another rubric can be applied."""

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$")]
    component: str
    title: str
    verdict: Verdict
    passed: int
    asked: int
    message: str
    reason: Reason = Reason.JUDGED
    tells: Tells = Tells.FOUND
    misconception: MisconceptionPart | None
    counterexample: CounterexamplePart | None
    location: LocationPart | None
    notes: list[str]
    staff_note: str | None
    duration_s: Annotated[float, Field(ge=0)]
    answer: AnswerPart | None = None


class CheckPart(FoundPart):
    """What one check found and is worth. ``points`` is null where its criterion is all or nothing."""

    criterion: str
    fraction: Annotated[float, Field(ge=0, le=1)]
    points: Points | None
    max_points: Points
    hint: str | None
    audience: Audience
    judged: FoundPart | None = None


class ReportFile(Part):
    """A report on one submission. ``score`` and ``max_score`` are those of this ``view``."""

    format: Literal["grader/report/v1"] = Field(alias="schema")
    grader_version: str
    assignment: AssignmentPart
    rubric: RubricPart
    submission: SubmissionPart
    seed: int | None
    isolation: IsolationPart
    versions: dict[str, str]
    view: Literal["student", "staff"]
    score: Points
    max_score: Points
    pending: Points
    visible: VisiblePart
    verdict: Verdict
    unreadable: str | None
    notes: list[str]
    criteria: list[CriterionPart]
    checks: list[CheckPart]
    unscored: list[FoundPart] = []
