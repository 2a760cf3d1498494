"""The report as JUnit XML: a suite per component, a test case per check.

The seconds of a component are divided evenly among its checks: they share their cases. File and line are where a check
failed, else where the function begins, as GitLab and others read them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from grader import source
from grader.model.assignment import HintLevel
from grader.model.outcome import Location, Outcome, Verdict
from grader.model.report import Mark, Report
from grader.report.absent import Absent, absences
from grader.report.findings import Finding, finding_of
from grader.report.placed import entry, placed
from grader.report.spelled import component_score, criterion_score, spelled
from grader.report.view import Seen, View, as_seen
from grader.report.whole import headline
from grader.report.words import WORDS, sentence, storable

ERRORS = {Verdict.ERROR, Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASHED}
SKIPS = {Verdict.SKIPPED, Verdict.UNDETERMINED, Verdict.FAULT}


def render(report: Report, view: View = "student", *, level: HintLevel | None = None, root: str = "") -> str:
    """Return the report as JUnit XML. What waits for a person is skipped, never failed.

    ``root`` is the folder of the work inside the repository; files are named from there.
    """
    seen = as_seen(report, view, level)
    shown = seen.report
    top = ET.Element("testsuites", name=storable(shown.assignment.id))
    components: dict[str, list[tuple[Mark, Outcome]]] = {}
    for mark in shown.marks:
        for outcome in mark.outcomes:
            components.setdefault(outcome.component, []).append((mark, outcome))
    if shown.unreadable:
        _unreadable(top, shown)
    absent = {outcome.check: one for one in absences(shown) for outcome in one.outcomes}
    for component, judged in components.items():
        _suite(top, _Suite(seen, component, root, absent), judged)
    for key in ("tests", "failures", "errors", "skipped"):
        top.set(key, str(sum(int(suite.get(key, "0")) for suite in top)))
    top.set("time", f"{sum(float(suite.get('time', '0')) for suite in top):.3f}")
    ET.indent(top)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(top, encoding="unicode") + "\n"


def _unreadable(root: ET.Element, report: Report) -> None:
    suite = ET.SubElement(root, "testsuite", name="submission", tests="1", failures="0", errors="1", skipped="0")
    suite.set("time", "0.000")
    case = ET.SubElement(suite, "testcase", name="can be read", classname=storable(report.assignment.id), time="0.000")
    ET.SubElement(case, "error", message=storable(report.unreadable), type="unreadable")


@dataclass(frozen=True, slots=True)
class _Suite:
    seen: Seen
    component: str
    root: str
    absent: Mapping[str, Absent]

    @property
    def begins(self) -> Location | None:
        """Where the work defines what this component judges."""
        report = self.seen.report
        names = [item.callable for item in report.assignment.interfaces if item.component == self.component]
        return source.definition(report.submission.modules, names[0]) if names else None


def _suite(top: ET.Element, own: _Suite, judged: list[tuple[Mark, Outcome]]) -> None:
    report = own.seen.report
    suite = ET.SubElement(top, "testsuite", name=storable(own.component))
    properties = ET.SubElement(suite, "properties")  # readers expect them in front
    ET.SubElement(properties, "property", name="score", value=component_score(judged))
    ET.SubElement(properties, "property", name="total", value=headline(own.seen))
    counts = {"tests": len(judged), "failures": 0, "errors": 0, "skipped": 0}
    seconds, begins = report.seconds.get(own.component, 0.0), own.begins
    for mark, outcome in judged:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=f"{storable(report.assignment.id)}.{storable(own.component)}",
            name=storable(outcome.marked.rstrip(".")),
            time=f"{seconds / len(judged):.3f}",
        )
        finding = finding_of(mark, outcome, own.seen)
        _locate(case, finding.place or begins, own)
        if outcome.verdict is Verdict.PASSED:
            continue
        if outcome.check in own.absent:
            counts["failures"] += 1
            _not_there(case, own.absent[outcome.check])
            continue
        kind, tag = _kind(outcome.verdict)
        counts[kind] += 1
        found = ET.SubElement(case, tag, message=storable(_message(finding)))
        if tag != "skipped":
            found.set("type", str(outcome.verdict))
            found.text = storable(_details(finding))
    for key, count in counts.items():
        suite.set(key, str(count))
    suite.set("time", f"{seconds:.3f}")


def _locate(case: ET.Element, location: Location | None, own: _Suite) -> None:
    file, line = placed(location, own.root) if location else (entry(own.seen.report, own.root), 0)
    if file:
        case.set("file", storable(file))
    if file and line:
        case.set("line", str(line))


def _not_there(case: ET.Element, one: Absent) -> None:
    """What is still to be written is no exception: one sentence with the place, and the points."""
    name = one.function or one.mark.criterion.title
    at = f" ({one.location})" if one.location else ""
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
    if outcome.verdict in {Verdict.UNDETERMINED, Verdict.SKIPPED} and outcome.message:
        return sentence(f"{WORDS[outcome.verdict]}: {outcome.message}")
    # the test's name says already what should hold
    said = finding.said() if finding.heading == sentence(outcome.marked) else ()
    return said[0] if said else finding.heading


def _details(finding: Finding) -> str:
    about = finding.about()
    return "\n".join((*((sentence(about),) if about else ()), *spelled(finding, titled=False)))
