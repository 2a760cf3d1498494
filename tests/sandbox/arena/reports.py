"""An attack handed in as homework: what its report says, in every format."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

from grader.sandbox.parent import Sandbox

ASSIGNMENT, COMPONENT = "attention-numpy", "softmax"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
ACTIVE = re.compile(r"<(?:script|img|iframe|a|svg|form|td|tr|table)\b|\]\(\s*(?:javascript|data):", re.IGNORECASE)
COMMAND = re.compile(r"::(?:error|warning|notice)(?: |::)")


def unsafe(code: str, sandbox: Sandbox, secret: str) -> list[str]:
    """Grade ``code`` for its softmax and return what is wrong with the score or with a rendered report."""
    from grader import intake, pipeline
    from grader.catalog import load_assignment, load_rubric
    from grader.errors import GraderError
    from grader.model import Settings
    from grader.report import FORMATS, annotations, render

    assignment = load_assignment(ASSIGNMENT)
    assignment = replace(assignment, limits=replace(assignment.limits, load_s=2.0, call_s=0.5, total_s=6.0))
    settings = Settings(assignment, load_rubric(ASSIGNMENT, assignment), components=(COMPONENT,))
    try:
        submission = pipeline.prepared(intake.load_bytes("hw.py", code.encode()), assignment)
    except GraderError:
        return []  # refused before anything ran
    report = pipeline.grade(submission, settings, sandbox)
    found = []
    for mark in report.marks:
        judged = [outcome for outcome in mark.outcomes if outcome.component == COMPONENT]
        if judged and mark.points >= mark.criterion.points:
            found.append(f"full marks for {mark.criterion.id}")
    for form in FORMATS:
        text = render(report, form, "student")
        found += [f"{form}: {what}" for what in _in_text(text, secret)]
    found += _in_markdown(render(report, "markdown", "student"))
    ET.fromstring(render(report, "junit", "student"))
    lines = annotations.render(report, "student").splitlines()
    found += ["CI: a line that is no command of ours" for line in lines if not COMMAND.match(line)]
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
