"""Rendered reports are as they were read and approved; `make golden` renews them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import reports

from grader.model.assignment import HintLevel
from grader.model.report import Report
from grader.report import junit, markdown, page, terminal
from grader.report.annotations import render as annotations
from grader.report.json_report import render as json_report

GOLDEN = Path(__file__).resolve().parents[1] / "golden"

RENDERED = {
    "no_scale-60.txt": lambda: terminal.render(reports.no_scale(), width=60),
    "no_scale-80.txt": lambda: terminal.render(reports.no_scale(), width=80),
    "no_scale-140.txt": lambda: terminal.render(reports.no_scale(), width=140),
    "no_scale-colour.txt": lambda: terminal.render(reports.no_scale(), width=80, colour=True),
    "no_scale-plain.txt": lambda: terminal.render(reports.no_scale(), width=80, plain=True),
    "no_scale-explanation.txt": lambda: terminal.render(reports.no_scale(), level=HintLevel.EXPLANATION),
    "no_scale-nudge.txt": lambda: terminal.render(reports.no_scale(), level=HintLevel.NUDGE),
    "no_scale-none.txt": lambda: terminal.render(reports.no_scale(), level=HintLevel.NONE),
    "exception.txt": lambda: terminal.render(reports.exception()),
    "of_every_kind.txt": lambda: terminal.render(reports.of_every_kind()),
    "of_every_kind-staff.txt": lambda: terminal.render(reports.of_every_kind(), "staff"),
    "starter.txt": lambda: terminal.render(reports.starter()),
    "starter.md": lambda: markdown.render(reports.starter()),
    "starter.commands": lambda: annotations(reports.starter()),
    "untouched.txt": lambda: terminal.render(reports.untouched()),
    "untouched-60.txt": lambda: terminal.render(reports.untouched(), width=60),
    "all_right.txt": lambda: terminal.render(reports.all_right()),
    "unreadable.txt": lambda: terminal.render(reports.unreadable()),
    "with_hidden.txt": lambda: terminal.render(reports.with_hidden()),
    "hostile.txt": lambda: terminal.render(reports.hostile(), "staff"),
    "no_scale.md": lambda: markdown.render(reports.no_scale()),
    "of_every_kind.md": lambda: markdown.render(reports.of_every_kind(), "staff"),
    "hostile.md": lambda: markdown.render(reports.hostile(), "staff"),
    "no_scale.html": lambda: page.render(reports.no_scale()),
    "of_every_kind.html": lambda: page.render(reports.of_every_kind(), "staff"),
    "untouched.html": lambda: page.render(reports.untouched()),
    "hostile.html": lambda: page.render(reports.hostile(), "staff"),
    "no_scale.json": lambda: json_report(reports.no_scale(), "student"),
    "of_every_kind.xml": lambda: junit.render(reports.of_every_kind()),
    "exception.commands": lambda: annotations(reports.exception(), root="homework"),
    "hostile.commands": lambda: annotations(reports.hostile()),
}


@pytest.mark.parametrize("name", RENDERED)
def test_the_rendered_report_is_the_approved_one(name: str) -> None:
    text = RENDERED[name]()
    if os.environ.get("RENEW_GOLDEN"):
        (GOLDEN / name).write_text(text, encoding="utf-8")
    assert text == (GOLDEN / name).read_text(encoding="utf-8")


def test_no_golden_is_left_over() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == set(RENDERED)


@pytest.mark.parametrize("width", [60, 80, 140])
@pytest.mark.parametrize("made", [reports.no_scale, reports.of_every_kind, reports.hostile, reports.with_hidden])
def test_no_line_is_wider_than_the_terminal(made: object, width: int) -> None:
    report: Report = made()  # type: ignore[operator]
    found = [outcome.counterexample for mark in report.marks for outcome in mark.outcomes]
    code = {line for example in found if example for line in example.snippet.splitlines()}  # is pasted, so never cut
    lines = terminal.render(report, width=width).splitlines()
    cut = [line for line in lines if line not in code and not line.startswith("grader check ")]
    assert max(len(line) for line in cut) <= width
