"""An attack handed in as homework: what its report says, in every format."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.sandbox.parent import Sandbox

if TYPE_CHECKING:
    from grader.model.report import Report
    from grader.model.submission import Submission
    from grader.report.view import View

ASSIGNMENT, COMPONENT = "attention-numpy", "softmax"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
ACTIVE = re.compile(r"<(?:script|img|iframe|a|svg|form|td|tr|table)\b|\]\(\s*(?:javascript|data):", re.IGNORECASE)
COMMAND = re.compile(r"::(?:error|warning|notice)(?: |::)")
OBEYED = re.compile(r"^\s*::|##\w*\[")
FORMULA = re.compile(r"\s*[=+@|%\t\r]|\s*-(?![\d.]+$)")
VIEWS: tuple[View, ...] = ("student", "staff")


def unsafe(code: str, sandbox: Sandbox, secret: str) -> list[str]:
    """Grade ``code`` for its softmax and return what is wrong with the score or with a rendered report."""
    from grader.intake.loading import load_bytes

    return _handed_in(lambda: load_bytes("hw.py", code.encode("utf-8", "surrogatepass")), sandbox, secret)


def unsafe_file(path: Path, sandbox: Sandbox, secret: str) -> list[str]:
    """The same for a file as handed in; one that is refused gets a report that says so."""
    from grader.intake.loading import load

    return _handed_in(lambda: load(path), sandbox, secret)


def _handed_in(load: Callable[[], Submission], sandbox: Sandbox, secret: str) -> list[str]:
    from grader import pipeline
    from grader.catalog import load_assignment, load_rubric
    from grader.errors import GraderError
    from grader.model.report import Report, Settings
    from grader.model.submission import Submission
    from grader.sandbox.plain import Isolation

    assignment = load_assignment(ASSIGNMENT)
    assignment = replace(assignment, limits=replace(assignment.limits, load_s=2.0, call_s=0.5, total_s=6.0))
    rubric = load_rubric(ASSIGNMENT, assignment)
    settings = Settings(assignment, rubric, components=(COMPONENT,))
    try:
        report = pipeline.grade(pipeline.prepared(load(), assignment), settings, sandbox)
    except GraderError as error:
        report = Report(
            assignment, rubric, Submission("work", "work"), (), Isolation("strict", ""), 0, "0", unreadable=str(error)
        )
    found = []
    for mark in report.marks:
        judged = [outcome for outcome in mark.outcomes if outcome.component == COMPONENT]
        if judged and mark.points >= mark.criterion.points:
            found.append(f"full marks for {mark.criterion.id}")
        found += [f"a fault: {outcome.staff_note[-300:]}" for outcome in judged if outcome.verdict == "fault"]
    return found + [what for view in VIEWS for what in _rendered(report, view, secret)]


def _rendered(report: Report, view: View, secret: str) -> list[str]:
    from grader.classroom import gradebook
    from grader.report import FORMATS, annotations, render

    made = {form: render(report, form, view) for form in FORMATS}
    found = [f"{form}: {what}" for form, text in made.items() for what in _in_text(text, secret)]
    found += _in_markdown(made["markdown"])
    ET.fromstring(made["junit"])
    json.loads(made["json"])
    lines = annotations.render(report, view).splitlines()
    found += ["CI: a line that is no command of ours" for line in lines if not COMMAND.match(line)]
    found += ["text: a line that CI obeys" for line in made["text"].splitlines() if OBEYED.search(line)]
    quoted = [*report.notes, report.unreadable, *(o.message for mark in report.marks for o in mark.outcomes)]
    found += ["a formula in a cell" for text in quoted if FORMULA.match(gradebook.safe_cell(text))]
    return found


def _in_text(text: str, secret: str) -> list[str]:
    found = ["control characters"] if CONTROLS.search(text) else []
    return [*found, "the canary"] if secret in text else found


def _in_markdown(text: str) -> list[str]:
    """Tags and links count outside code only, where a renderer takes them for what they are."""
    bare = re.sub(r"(?ms)^(`{3,})[^\n]*\n.*?^\1`*\s*$", "", text)
    bare = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", bare, flags=re.DOTALL)
    bare = re.sub(r"\\[<>\[\]()]", "", bare)
    return ["markdown: an active element outside code"] if ACTIVE.search(bare) else []
