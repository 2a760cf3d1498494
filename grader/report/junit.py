"""The report as JUnit XML: a suite per component, a test case per check."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree as ET

from grader.model import HintLevel, Mark, Outcome, Report, Verdict
from grader.report.absent import Absent, absences
from grader.report.findings import Finding, finding_of, headline
from grader.report.spelled import component_score, criterion_score, spelled
from grader.report.view import Seen, View, as_seen
from grader.report.words import place, sentence, storable

ERRORS = {Verdict.ERROR, Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASHED}
OF_THE_TITLE = ("While judging: ", "What should hold: ")
"""How lines begin that repeat the name of the test."""
SKIPS = {Verdict.SKIPPED, Verdict.UNDETERMINED, Verdict.FAULT}


def render(report: Report, view: View = "student", *, level: HintLevel | None = None) -> str:
    """Return the report as JUnit XML. What waits for a person is skipped, never failed."""
    seen = as_seen(report, view, level)
    shown = seen.report
    root = ET.Element("testsuites", name=storable(shown.assignment.id))
    components: dict[str, list[tuple[Mark, Outcome]]] = {}
    for mark in shown.marks:
        for outcome in mark.outcomes:
            components.setdefault(outcome.component, []).append((mark, outcome))
    if shown.unreadable:
        _unreadable(root, shown)
    absent = {outcome.check: one for one in absences(shown) for outcome in one.outcomes}
    for component, judged in components.items():
        _suite(root, seen, component, judged, absent)
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _unreadable(root: ET.Element, report: Report) -> None:
    suite = ET.SubElement(root, "testsuite", name="submission", tests="1", failures="0", errors="1", skipped="0")
    case = ET.SubElement(suite, "testcase", name="can be read", classname=storable(report.assignment.id))
    ET.SubElement(case, "error", message=storable(report.unreadable), type="unreadable")


def _suite(
    root: ET.Element, seen: Seen, component: str, judged: list[tuple[Mark, Outcome]], absent: Mapping[str, Absent]
) -> None:
    suite = ET.SubElement(root, "testsuite", name=storable(component))
    properties = ET.SubElement(suite, "properties")  # readers expect them in front
    ET.SubElement(properties, "property", name="score", value=component_score(judged))
    ET.SubElement(properties, "property", name="total", value=headline(seen))
    counts = {"tests": len(judged), "failures": 0, "errors": 0, "skipped": 0}
    for mark, outcome in judged:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=f"{storable(seen.report.assignment.id)}.{storable(component)}",
            name=storable(outcome.title.rstrip(".")),
            time=f"{outcome.duration_s:.3f}",
        )
        if outcome.location:
            case.set("file", storable(outcome.location.file))
            case.set("line", str(outcome.location.line))
        if outcome.verdict is Verdict.PASSED:
            continue
        if outcome.check in absent:
            counts["failures"] += 1
            _not_there(case, absent[outcome.check])
            continue
        kind, tag = _kind(outcome.verdict)
        counts[kind] += 1
        finding = finding_of(mark, outcome, seen)
        found = ET.SubElement(case, tag, message=storable(_message(finding)))
        if tag != "skipped":
            found.set("type", str(outcome.verdict))
            found.text = storable(_details(finding))
    for key, count in counts.items():
        suite.set(key, str(count))


def _not_there(case: ET.Element, one: Absent) -> None:
    """What is still to be written is no exception: one sentence with the place, and the points."""
    name = one.function or one.mark.criterion.title
    at = f" ({place(one.location)})" if one.location else ""
    word = "is not defined" if one.function and one.lead.verdict is Verdict.MISSING else f"is {one.word}"
    found = ET.SubElement(case, "failure", message=storable(f"{name} {word}{at}."), type="missing")
    found.text = storable(criterion_score(one.mark))


def _kind(verdict: Verdict) -> tuple[str, str]:
    if verdict in ERRORS:
        return "errors", "error"
    return ("skipped", "skipped") if verdict in SKIPS else ("failures", "failure")


def _message(finding: Finding) -> str:
    outcome = finding.lead
    if outcome.verdict is Verdict.FAULT:
        return "fault of the grader: the points wait for a person"
    if outcome.verdict is Verdict.UNDETERMINED:
        return sentence(f"for a person to decide: {outcome.message}")
    # the test's name says already what should hold
    said = finding.said() if finding.heading == sentence(outcome.title) else ()
    return said[0] if said else finding.heading


def _details(finding: Finding) -> str:
    about = finding.about()
    said = (line for line in spelled(finding) if not line.startswith(OF_THE_TITLE))
    return "\n".join((*((sentence(about),) if about else ()), *said))
