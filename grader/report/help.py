"""Whether more help would say more: a step that adds nothing is not offered, and is told where it was asked for."""

from dataclasses import replace

from grader.model.assignment import HintLevel
from grader.model.outcome import Diagnosis
from grader.model.report import Report
from grader.report.findings import findings
from grader.report.view import ORDER, Seen, as_seen, raised

Said = list[tuple[tuple[str, ...], Diagnosis | None]]


def more_from(seen: Seen) -> HintLevel | None:
    """Return the next level, up to the rubric's cap, that would say more on some finding; None where none would."""
    levels = ORDER[ORDER.index(seen.level) + 1 : ORDER.index(seen.report.rubric.hint_cap) + 1]
    shown = _said(seen, seen.level)
    return next((level for level in levels if _said(seen, level) != shown), None)


def says_more(report: Report, steps: int) -> bool:
    """Say whether the last of ``steps`` beyond the rubric's level says anything that the one before does not."""
    seen = as_seen(report, "student")
    return _said(seen, raised(report, steps)) != _said(seen, raised(report, steps - 1))


def _said(seen: Seen, level: HintLevel) -> Said:
    found = [replace(finding, level=level) for finding in findings(seen)]
    return [(finding.hints(), finding.diagnosis) for finding in found]
