"""What a reader of a CI page is told: each suite its own points, each failure as a whole, what decided."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from xml.etree import ElementTree as ET

import pytest
import reports

from grader.model.outcome import Diagnosis, Verdict
from grader.model.report import Report
from grader.report import annotations, junit, markdown
from grader.report.spelled import decision
from grader.report.words import explain

MADE = [reports.no_scale, reports.of_every_kind, reports.exception, reports.with_hidden, reports.all_right]


def suites(report: Report) -> dict[str, ET.Element]:
    root = ET.fromstring(junit.render(report))  # noqa: S314 - our own text
    return {suite.get("name", ""): suite for suite in root}


def told(suite: ET.Element, name: str) -> str:
    return next(one.get("value", "") for one in suite.iter("property") if one.get("name") == name)


@pytest.mark.parametrize("made", MADE)
def test_the_points_of_the_suites_add_up_to_the_total(made: object) -> None:
    found = suites(made())  # type: ignore[operator]
    totals = {told(suite, "total") for suite in found.values()}
    assert len(totals) == 1
    total = totals.pop().split()
    scores = [told(suite, "score") for suite in found.values()]
    assert sum((Decimal(score.split()[0]) for score in scores), Decimal(0)) == Decimal(total[0])
    most = [Decimal(score.split()[2]) for score in scores if not score.endswith("(bonus)")]
    assert sum(most, Decimal(0)) == Decimal(total[2])


@pytest.mark.parametrize("made", MADE)
def test_readers_find_the_properties_of_a_suite_in_front(made: object) -> None:
    for suite in suites(made()).values():  # type: ignore[operator]
        assert next(part.tag for part in suite) == "properties"
        assert {part.tag for part in suite} == {"properties", "testcase"}


@pytest.mark.parametrize("made", [reports.no_scale, reports.exception])
def test_a_failure_is_told_as_a_whole_wherever_a_page_shows_it(made: object) -> None:
    report: Report = made()  # type: ignore[operator]
    failures = [part.text for suite in suites(report).values() for case in suite for part in case if part.text]
    (command, *_) = [line for line in annotations.render(report).splitlines() if line.startswith("::error")]
    annotated = command.rpartition("::")[2].replace("%0A", "\n").replace("%25", "%").splitlines()
    elsewhere = "Fails? for the same reason|The same stops|While judging: |What should hold: "
    lines = [line for line in annotated if not re.match(elsewhere, line)]
    body = next(text.splitlines() for text in failures if set(lines) <= set(text.splitlines()))
    for told_twice in (body, annotated):
        assert [line.split()[0] for line in told_twice if re.match("  (expected|got) ", line)] == ["expected", "got"]
        assert re.fullmatch(r".+: [\d.]+ of [\d.]+ points\.", told_twice[-1])
    hints = [line for line in body if line.startswith("Hint: ")]
    assert bool(hints) == (made is reports.no_scale)
    assert ("Read on: grader explain sdpa-no-scale" in body) == (made is reports.no_scale)


def test_what_is_hidden_is_in_no_line_of_a_ci_page_but_the_sum() -> None:
    report = reports.with_hidden()
    text = junit.render(report) + annotations.render(report)
    secret = [check for mark in report.marks for check in mark.criterion.checks if check.audience == "staff"]
    titles = [o.title for mark in report.marks for o in mark.outcomes if o.check in {check.id for check in secret}]
    assert titles
    assert not any(title.rstrip(".") in text for title in titles)


def test_a_decision_says_what_waits_and_a_fault_decides_nothing() -> None:
    report = reports.of_every_kind()
    assert report.pending
    assert report.verdict is Verdict.FAULT
    assert decision(report, "3", reached=False).startswith("Not decided: the grader itself failed")
    marks = tuple(
        replace(mark, verdict=Verdict.UNDETERMINED) if mark.verdict is Verdict.FAULT else mark for mark in report.marks
    )
    assert decision(replace(report, marks=marks), "3", reached=True).endswith(" more wait until a person decides.")


def test_what_is_not_written_yet_is_a_sentence_and_no_exception() -> None:
    cases = [case for suite in suites(reports.untouched()).values() for case in suite if case.tag == "testcase"]
    parts = [part for case in cases for part in case if part.tag != "skipped"]
    told_of = {(part.tag, part.get("type"), part.get("message")) for part in parts}
    assert told_of
    assert all(tag == "failure" and kind == "missing" for tag, kind, _ in told_of)
    assert all(re.fullmatch(r"\w+ is (not defined|not written yet \(.+, line \d+\))\.", str(m)) for *_, m in told_of)
    assert all(re.fullmatch(r".+: 0 of [\d.]+ points\.", part.text or "") for part in parts)


@pytest.mark.parametrize("made", MADE)
def test_a_summary_says_each_score_once(made: object) -> None:
    report: Report = made()  # type: ignore[operator]
    text = markdown.render(report, decided=decision(report, "3", reached=False))
    head = text.partition("| | criterion")[0]
    assert head.count("**") == 2
    assert head.count(" shown\n") == (made is reports.with_hidden)


def test_what_the_hand_out_settles_has_no_page_to_read_on() -> None:
    known = Diagnosis(("course-first-step-1",), "Steps count from 1 where this course counts from 0.", hints={})
    assert explain(known) == ""
    assert explain(replace(known, ids=("sdpa-no-scale",))) == "grader explain sdpa-no-scale"
