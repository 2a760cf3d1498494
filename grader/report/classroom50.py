"""The report as a result of Classroom 50, ``classroom50/result/v1``, whose points are whole numbers.

Fields: https://github.com/foundation50/classroom50/wiki/Advanced-Autograding
"""

import json
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal

from grader.model.assignment import HintLevel
from grader.model.report import Mark, Report
from grader.report.view import View, as_seen

GIVEN = {
    "classroom": "CLASSROOM", "assignment": "ASSIGNMENT", "assignment_type": "ASSIGNMENT_TYPE", "owner": "OWNER",
    "submission": "SUBMISSION_TAG", "commit": "COMMIT_URL", "release": "RELEASE_URL", "review": "REVIEW_URL",
}  # fmt: skip
"""What the platform's runner says of the submission: the field, and the variable of its environment."""


def render(
    report: Report, view: View = "student", *, level: HintLevel | None = None, given: Mapping[str, str] | None = None,
    when: str = "",
) -> str:  # fmt: skip
    """Return result.json; ``given`` is the environment of the platform's runner and ``when`` the time in UTC.

    A test is a criterion, its points rounded to a whole number, of which the score is the sum; for a student hidden
    checks are left out.
    """
    marks = as_seen(report, view, level).report.marks
    tests = [
        {
            "test-name": str(mark.criterion.title),
            "passed": mark.points >= mark.criterion.points,
            "score": _whole(mark.points),
            "max-score": 0 if mark.criterion.bonus else _whole(mark.criterion.points),
        }
        for mark in marks
    ]
    told = {field: (given or {}).get(variable, "") for field, variable in GIVEN.items()}
    told["owner"] = told["owner"] or (given or {}).get("USERNAME", "")
    told["assignment_type"] = told["assignment_type"] or "individual"
    told["review"] = told["review"] or told["commit"]
    data = {
        "schema": "classroom50/result/v1",
        **told,
        "datetime": when,
        "score": sum(_whole(mark.points) for mark in marks),
        "max-score": sum(_whole(mark.criterion.points) for mark in marks if not mark.criterion.bonus),
        "tests": tests,
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _whole(points: Decimal) -> int:
    return int(points.to_integral_value(ROUND_HALF_UP))


def summary(report: Report, view: View = "student") -> str:
    """Return the points in a line, as the platform shows them."""
    marks: tuple[Mark, ...] = as_seen(report, view).report.marks
    if report.unreadable:
        return "cannot be read"
    most = sum(_whole(mark.criterion.points) for mark in marks if not mark.criterion.bonus)
    return f"{sum(_whole(mark.points) for mark in marks)}/{most}"
