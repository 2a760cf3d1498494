"""The file formats: assignment.yaml, rubrics and grader.yaml, as pydantic models that forbid what they do not know."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from grader.errors import nearest
from grader.model.assignment import Audience, HintLevel

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$", max_length=80)]
Line = Annotated[str, Field(min_length=1, max_length=200)]


def _number(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError("decimal_type", "expected a number")
    return str(value) if isinstance(value, float) else value


Points = Annotated[Decimal, BeforeValidator(_number), Field(ge=0, le=100_000, decimal_places=4)]
Seconds = Annotated[float, Field(gt=0, le=3600)]


class Strict(BaseModel):
    """A mapping whose fields are all known; an unknown one is named, with its nearest neighbour."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _known_fields_only(cls, data: Any) -> Any:
        if isinstance(data, dict):
            known = tuple(field.alias or name for name, field in cls.model_fields.items())
            for key in data:
                if key not in known:
                    cure = nearest(str(key), known)
                    message = "unknown field. " + cure.replace("{", "{{").replace("}", "}}")
                    raise PydanticCustomError("unknown_field", message, {"key": str(key)})
        return data


class LimitsFile(Strict):
    """What a submission may use; what is left out keeps its usual value."""

    load_s: Seconds = 10.0
    call_s: Seconds = 5.0
    total_s: Seconds = 120.0
    cpu_s: Annotated[int, Field(gt=0, le=3600)] = 60
    memory_bytes: Annotated[int, Field(ge=64 << 20)] = 2 << 30
    output_bytes: Annotated[int, Field(ge=0)] = 64 << 10


Scalar = str | bool | int | float | None
Named = Annotated[dict[str, Scalar], Field(min_length=1, max_length=1)]


class InterfaceFile(Strict):
    """How one component is called; ``callable`` defaults to the component's own name.

    ``parameters`` are our names in the hand-out's order; an entry ``{theirs: ours}`` gives the hand-out's own name, one
    with a number, true, false or null a constant. A mapping instead of a list is passed by keyword.
    """

    callable: str = ""
    aliases: tuple[str, ...] = ()
    parameters: tuple[Scalar | Named, ...] | dict[str, Scalar] = ()
    returns: tuple[str, ...] = ()
    names: dict[str, str] = {}
    domain: dict[str, Any] = {}
    conventions: dict[str, Any] = {}
    forbidden: tuple[str, ...] = ()


class AssignmentFile(Strict):
    """assignment.yaml; ``adapter: submission`` where students hand in adapters of their own."""

    format: Literal["grader/assignment/v1"] = Field(alias="schema")
    id: Name
    version: str
    title: Line
    needs: tuple[Literal["numpy", "torch"], ...] = ("numpy",)
    parts: tuple[Literal["code", "worksheet", "report"], ...] = Field(("code",), min_length=1)
    file: Annotated[str, Field(pattern=r"^[^/\\]+\.(py|ipynb)$")] | None = None
    limits: LimitsFile = LimitsFile()
    adapter: Literal["submission"] | None = None
    components: dict[Name, InterfaceFile] = {}


class CheckFile(Strict):
    """One check of a criterion, or ``component.*`` for all of a component's."""

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*\.([a-z][a-z0-9_]*|\*)$")]
    weight: Points = Decimal(1)
    audience: Audience | None = None
    requires: tuple[str, ...] = ()
    hint: str = ""


def _entry(value: object) -> object:
    return {"id": value} if isinstance(value, str) else value


class CriterionFile(Strict):
    """Points for one or more checks."""

    id: Name
    title: Line
    points: Points
    checks: tuple[Annotated[CheckFile, BeforeValidator(_entry)], ...] = Field(min_length=1)
    without: tuple[str, ...] = ()
    credit: Literal["all", "steps", "cases"] = "steps"
    requires: tuple[str, ...] = ()
    bonus: bool = False
    audience: Audience = Audience.STUDENT
    hint: str = ""


class HintsFile(Strict):
    """How much help is given at first, and at most."""

    level: HintLevel = HintLevel.HINT
    cap: HintLevel = HintLevel.EXPLANATION


class RubricFile(Strict):
    """A rubric."""

    format: Literal["grader/rubric/v1"] = Field(alias="schema")
    id: Name
    assignment: Name
    version: str
    title: Line
    hints: HintsFile = HintsFile()
    criteria: tuple[CriterionFile, ...] = Field(min_length=1)


def _min_score(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


class ProjectFile(Strict):
    """grader.yaml, beside the work: what is graded, and what a CI run demands."""

    assignment: str
    rubric: str | None = None
    path: str = "."
    min_score: Annotated[str, BeforeValidator(_min_score), Field(pattern=r"^\d+(\.\d{1,4})?%?$")] | None = None
    isolation: Literal["strict", "standard", "none"] = "strict"
    junit: str = "grader-junit.xml"
    show_hidden: bool = False
