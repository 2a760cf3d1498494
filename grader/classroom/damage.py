"""Which file of a results folder was damaged by hand, asked only once something went wrong over it.

Reading stays quick: a class of thousands is not validated at every command.
"""

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from grader.classroom.results import CHECKS, EXCUSED, Results
from grader.errors import GraderError
from grader.report.schema import ReportFile

Points = Annotated[Decimal, Field(strict=False, allow_inf_nan=False)]
_Ids = tuple[str, ...]


class _Row(BaseModel):
    """A line of the index."""

    model_config = ConfigDict(extra="allow")

    name: str
    ids: _Ids
    members: _Ids
    max_score: Points
    score: Points
    pending: Points
    verdict: str
    criteria: dict[str, tuple[Points, Points, Points]]
    attempt: int = 1
    member_ids: tuple[_Ids, ...] = ()
    submitted_at: str = ""
    late: bool = False
    notes: _Ids = ()
    feedback: str = ""
    settings: str = ""
    sha256: str = ""
    isolation: str = ""
    mistakes: _Ids = ()


class _Absentee(BaseModel):
    key: str
    name: str
    ids: _Ids


class _Index(BaseModel):
    """index.json."""

    assignment: str
    rubric: str = ""
    settings: dict[str, dict[str, str]]
    students: dict[str, _Row]
    attempt: str = "latest"
    assignment_source: str = ""
    layout: str | None = None
    pattern: str = ""
    absent: _Ids = ()
    absentees: tuple[_Absentee, ...] = ()
    ignored: _Ids = ()


class _Excuse(BaseModel):
    """An excuse."""

    reason: str
    by: str
    when: str


class _Given(BaseModel):
    """What was given for one answer of a criterion."""

    points: Points
    most: Points
    reason: str


class _Decision(_Excuse):
    """Points by hand, for a criterion or an answer."""

    points: Points
    answers: dict[str, str] = {}
    each: dict[str, _Given] = {}
    answer: str = ""
    submission: str = ""


def _sorted_out(found: Any) -> Any:
    """The decisions by what they are about: criteria, answers, excuses."""
    if not isinstance(found, dict) or not all(isinstance(own, dict) for own in found.values()):
        return found
    students = {key: own for key, own in found.items() if key != CHECKS}
    return {
        "criteria": {key: {n: one for n, one in own.items() if n != EXCUSED} for key, own in students.items()},
        "excuses": {key: own[EXCUSED] for key, own in students.items() if EXCUSED in own},
        "answers": found.get(CHECKS, {}),
    }


class _Decisions(BaseModel):
    """overrides.json."""

    criteria: dict[str, dict[str, _Decision]]
    excuses: dict[str, _Excuse]
    answers: dict[str, dict[str, _Decision]]


_FILES: Mapping[str, Any] = {
    "index.json": _Index,
    "overrides.json": Annotated[_Decisions, BeforeValidator(_sorted_out)],
    "comments.json": dict[str, str],
    "alike.json": dict[str, Any],
}
_CURE = "Restore it from a copy; a report alone may be removed, and is made again by grading."


def damaged(folder: Path) -> GraderError | None:
    """The first file of a results folder that does not say what it should, as the error to tell; None where all do."""
    try:
        return next(_found(folder), None)
    except (GraderError, OSError) as error:
        return error if isinstance(error, GraderError) else None


def _found(folder: Path) -> Iterator[GraderError]:
    results = Results(folder)
    results.index()  # the journal is part of it
    for name, shape in _FILES.items():
        yield from _wrong(folder / name, shape)
    for path in sorted(results.reports.glob("*.json")):
        yield from _wrong(path, ReportFile)


def _wrong(path: Path, shape: Any) -> Iterator[GraderError]:
    try:
        TypeAdapter(shape).validate_python(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        yield GraderError(f"was damaged ({field}: {first['msg'][:1].lower()}{first['msg'][1:]})", str(path), _CURE)
    except (ValueError, RecursionError, OSError) as error:
        yield GraderError(f"cannot be read ({type(error).__name__})", str(path), _CURE)
