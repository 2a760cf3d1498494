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
