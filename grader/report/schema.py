"""The shape of ``grader/report/v1`` as pydantic models, exported by ``grader schema report``.

What is stored as it travels, such as an example with its picture, has its shape from ``grader.model``.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from grader.model.assignment import Audience
from grader.model.outcome import Answer, Counterexample, Reason, Tells, Verdict
from grader.sandbox.plain import Isolation

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
    counterexample: Counterexample | None
    location: LocationPart | None
    notes: list[str]
    staff_note: str | None
    duration_s: Annotated[float, Field(ge=0)]
    answer: Answer | None = None
    unimported: str = ""
    mark: str = ""


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
    isolation: Isolation
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
