"""Sheets as students fill them in, and their judgement by check id."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.catalog import load_assignment
from grader.model.outcome import Outcome
from grader.model.submission import Document, Submission
from grader.written.parts import assess_written
from grader.written.printed import blank_sheet

HERE = Path(__file__).parent
Answers = Mapping[str, Any]


def on_paper(assignment: str, answers: Answers) -> str:
    """Write answers into the blank sheet, where a student would."""
    loaded = load_assignment(assignment)
    lines: list[str] = []
    table: Any = None
    for line in blank_sheet(loaded.title, loaded.sections).splitlines():
        if line.startswith("**["):
            answer = answers.get(line[3:].partition("]")[0], "")
            table = answer if isinstance(answer, Mapping) else None
            text = "" if table else str(answer)
            lines.append(f"{line}\n\n{text}" if "\n" in text else line + text)
        elif table and line.startswith("|") and (label := line.split("|")[1].strip()) in table:
            row = table[label]
            cells = list(row.values()) if isinstance(row, Mapping) else [line.split("|")[2].strip(), row]
            lines.append(f"| {label} | {' | '.join(cells)} |")
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def judged(assignment: str, name: str, data: str | bytes) -> dict[str, Outcome]:
    """Judge one document; outcomes by the question's id."""
    content = data if isinstance(data, bytes) else data.encode()
    submission = Submission("work", name, documents=(Document(name, content),))
    outcomes, _ = assess_written(submission, load_assignment(assignment).sections)
    return {outcome.check.partition(".")[2]: outcome for outcome in outcomes}


@pytest.fixture(scope="session")
def good() -> dict[str, Any]:
    """The answers of a good student to the discovery worksheet."""
    content = yaml.safe_load((HERE / "sheets" / "good.yaml").read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


@pytest.fixture(scope="session")
def walk() -> dict[str, Any]:
    """The answers of a good student to the paper walk-through."""
    content = yaml.safe_load((HERE / "sheets" / "walk.yaml").read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


@pytest.fixture(scope="session")
def fill() -> Callable[[str, Answers], str]:
    return on_paper


@pytest.fixture(scope="session")
def judge() -> Callable[[str, str, str | bytes], dict[str, Outcome]]:
    return judged
