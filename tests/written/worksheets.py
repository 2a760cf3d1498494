"""Sheets as tests hand them in, and what came of each question."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from grader.catalog import load_assignment, load_rubric, rubric_beside
from grader.model.outcome import Outcome, Verdict
from grader.model.report import Report, Settings
from grader.model.submission import Document, Submission
from grader.pipeline import grade

Answers = dict[str, Any]
Fill = Callable[[str, Mapping[str, Any]], str]
Judge = Callable[[str, str, str | bytes], dict[str, Outcome]]
WORKSHEET = "discovery-worksheet"


def graded(assignment: str, *documents: tuple[str, str | bytes]) -> Report:
    loaded = load_assignment(assignment)
    files = tuple(Document(name, data if isinstance(data, bytes) else data.encode()) for name, data in documents)
    settings = Settings(loaded, load_rubric(rubric_beside(assignment), loaded))
    return grade(Submission("work", "work", documents=files), settings)


def verdicts(outcomes: dict[str, Outcome]) -> dict[str, Verdict]:
    return {name: outcome.verdict for name, outcome in outcomes.items()}


def notebook(*cells: dict[str, Any]) -> bytes:
    whole = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole).encode()


def cell(text: str, *tags: str, kind: str = "markdown") -> dict[str, Any]:
    extra = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {"tags": list(tags)}, "source": text, **extra}


def form(fields: Mapping[str, str]) -> bytes:
    """A PDF with one page and text fields, as a form filler saves it."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [%s] >> >>"
        % b" ".join(b"%d 0 R" % number for number in range(4, 4 + len(fields))),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>",
    ]
    for name, value in fields.items():
        text = value.encode("utf-16-be").hex().encode()
        objects.append(b"<< /FT /Tx /T (%s) /V <feff%s> /Rect [0 0 9 9] /Subtype /Widget >>" % (name.encode(), text))
    out, places = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    tail = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table) + tail
