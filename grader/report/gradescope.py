"""The report as Gradescope's results.json: a test per criterion with its points, what a student sees as Markdown.

Fields: https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

import json
from typing import Any

from grader.model.assignment import HintLevel
from grader.model.report import Mark, Report
from grader.report.absent import told
from grader.report.findings import findings
from grader.report.markdown import inline, of_finding
from grader.report.view import Seen, View, as_seen
from grader.report.whole import headline, not_judged, remarks

HIDDEN = "after_published"
"""When students see what hidden checks gave, as the platform names it."""


def render(report: Report, view: View = "student", *, level: HintLevel | None = None, hidden: str | None = None) -> str:
    """Return results.json.

    For staff the points of hidden checks are tests of their own, which students see ``hidden`` says when; for a
    student they are left out.
    """
    seen = as_seen(report, "student", level)
    whole = as_seen(report, view, level).report
    tests = [_test(seen, mark) for mark in seen.report.marks]
    shown = {mark.criterion.id: mark for mark in seen.report.marks}
    for mark in whole.marks:
        test = _hidden(mark, shown.get(mark.criterion.id), hidden or HIDDEN)
        if test["max_score"]:
            tests.append(test)
    data = {
        "score": float(whole.score),
        "output": "\n\n".join(_output(seen)),
        "output_format": "md",
        "test_output_format": "md",
        "stdout_visibility": "hidden",
        "execution_time": round(sum(report.seconds.values())),
        "tests": tests,
        "extra_data": {"grader_version": report.grader_version, "sha256": report.submission.sha256},
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _output(seen: Seen) -> list[str]:
    report = seen.report
    if report.unreadable:
        return [f"**This submission cannot be read, so nothing was judged.** {inline(report.unreadable)}"]
    said = [f"**{headline(seen)}**", *(inline(text) for text in (*remarks(seen), *report.notes))]
    said += [f"Not written yet: {inline(one.text)}" for one in told(report)]
    return said + [f"Not judged: {inline(text)}" for text in not_judged(seen)]


def _test(seen: Seen, mark: Mark) -> dict[str, Any]:
    own = [finding for finding in findings(seen) if finding.mark.criterion.id == mark.criterion.id]
    lines = [line for finding in own for line in of_finding(seen, finding)]
    waiting = [f"{mark.pending} more wait for a person."] if mark.pending else []
    right = mark.points >= mark.criterion.points
    return {
        "name": str(mark.criterion.title),
        "score": float(mark.points),
        "max_score": 0.0 if mark.criterion.bonus else float(mark.criterion.points),
        "status": "passed" if right else "failed",
        "output": "\n".join((*lines, *waiting)).strip(),
        "visibility": "visible",
    }


def _hidden(mark: Mark, shown: Mark | None, visibility: str) -> dict[str, Any]:
    points = mark.points - (shown.points if shown else 0)
    most = mark.criterion.points - (shown.criterion.points if shown else 0)
    return {
        "name": f"{mark.criterion.title}: hidden checks",
        "score": float(points),
        "max_score": float(most),
        "status": "passed" if points >= most else "failed",
        "output": "",
        "visibility": visibility,
    }
