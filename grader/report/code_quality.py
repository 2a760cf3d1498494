"""The report as GitLab's code quality report: what is wrong, on its line of the merge request.

Fields: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from grader.model.assignment import HintLevel
from grader.model.report import Report
from grader.report.absent import absences
from grader.report.findings import findings
from grader.report.placed import entry, placed
from grader.report.view import View, as_seen


def render(report: Report, view: View = "student", *, level: HintLevel | None = None, root: str = "") -> str:
    """Return the report as a JSON array of issues; what stands in no file is left out, for GitLab shows none such.

    ``root`` is the folder of the work inside the repository; files are named from there.
    """
    told: Counter[tuple[str, ...]] = Counter()
    issues = list(_issues(report, view, level, root))
    for issue in issues:
        about = (
            issue["check_name"],
            issue["location"]["path"],
            issue["description"],
        )  # without the line: edits move it
        issue["fingerprint"] = hashlib.sha256("\0".join((*about, str(told[about]))).encode()).hexdigest()
        told[about] += 1
    return json.dumps(issues, ensure_ascii=False, indent=2) + "\n"


def _issues(report: Report, view: View, level: HintLevel | None, root: str) -> Iterator[dict[str, Any]]:
    seen = as_seen(report, view, level)
    if seen.report.unreadable:
        if file := entry(seen.report, root) or seen.report.submission.path:
            yield _issue("unreadable", seen.report.unreadable, "blocker", (file, 1))
        return
    somewhere = (entry(seen.report, root), 0)
    for finding in findings(seen):
        name = finding.diagnosis.id if finding.diagnosis else finding.lead.check
        severity = "info" if finding.lead.verdict.pending else "major"
        hints = " ".join((finding.heading, *finding.hints()))
        yield from _placed(name, hints, severity, placed(finding.place, root) if finding.place else somewhere)
    for absent in absences(seen.report):
        text = f"{absent.function or absent.mark.criterion.title} is {absent.word}."
        place = placed(absent.location, root) if absent.location else somewhere
        yield from _placed(absent.lead.component, text, "minor", place)


def _placed(name: str, text: str, severity: str, place: tuple[str, int]) -> Iterator[dict[str, Any]]:
    if place[0]:
        yield _issue(name, text, severity, place)


def _issue(name: str, text: str, severity: str, place: tuple[str, int]) -> dict[str, Any]:
    file, line = place
    return {
        "description": text,
        "check_name": name,
        "severity": severity,
        "location": {"path": file, "lines": {"begin": max(line, 1)}},
    }
