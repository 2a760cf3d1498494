"""The report as PrairieLearn's results.json for an external grader.

Fields: https://prairielearn.readthedocs.io/en/latest/externalGrading/#grading-results
"""

import json
from typing import Any

from grader.model.assignment import HintLevel
from grader.model.report import Report
from grader.report.absent import told
from grader.report.findings import findings
from grader.report.spelled import spelled
from grader.report.view import View, as_seen
from grader.report.whole import headline, not_judged, remarks

LARGEST = 1_000_000
"""Bytes that the platform takes."""


def render(report: Report, view: View = "student", *, level: HintLevel | None = None) -> str:
    """Return results.json: the share of all points, and a test per criterion that a student may see.

    Work that cannot be read is not gradable, which costs no attempt.
    """
    seen = as_seen(report, "student", level)
    if seen.report.unreadable:
        return _written(
            {"gradable": False, "message": seen.report.unreadable, "format_errors": [seen.report.unreadable]}
        )
    counted = as_seen(report, view, level).report
    share = counted.score / counted.max_score if counted.max_score else 1
    said = [f"{headline(seen)}.", *remarks(seen), *seen.report.notes]
    said += [one.text for one in told(seen.report)] + list(not_judged(seen))
    tests = []
    for mark in seen.report.marks:
        own = [finding for finding in findings(seen) if finding.mark.criterion.id == mark.criterion.id]
        tests.append(
            {
                "name": str(mark.criterion.title),
                "description": "",
                "points": float(mark.points),
                "max_points": float(mark.criterion.points),
                "message": " ".join(finding.heading for finding in own),
                "output": "\n".join(line for finding in own for line in spelled(finding)),
            }
        )
    return _written(
        {"gradable": True, "score": round(float(min(max(share, 0), 1)), 6), "message": " ".join(said), "tests": tests}
    )


def _written(data: dict[str, Any]) -> str:
    """As JSON; where that is too much, without the outputs."""
    text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    if len(text.encode()) <= LARGEST:
        return text
    short = [{**test, "output": ""} for test in data.get("tests", ())]
    return json.dumps({**data, "tests": short}, ensure_ascii=False, indent=2) + "\n"
