"""A class whose answers wait for a person, one of them hostile."""

from __future__ import annotations

from pathlib import Path

from grader.catalog import load_assignment, load_rubric, rubric_beside
from grader.classroom.entry import Entry
from grader.classroom.results import Results, open_results
from grader.classroom.worker import finished
from grader.model.report import Settings
from grader.model.submission import Document, Submission
from grader.pipeline import grade

ANSWERS = {
    "ada": "It makes the softmax less extreme.",
    "bob": "it makes the softmax  less extreme",
    "cyd": "It makes the softmax not less extreme.",
    "eve": "<script>alert(1)</script><img src=x onerror='window.pwned=1'> less extreme",
}


def graded_class(folder: Path) -> Results:
    """Grade the sheets and keep their reports and lines, as a class does."""
    assignment = load_assignment("discovery-worksheet")
    settings = Settings(assignment, load_rubric(rubric_beside("discovery-worksheet"), assignment))
    results = open_results(folder)
    index = results.open_index()
    index.begin({"schema": "grader/results/v1", "assignment": assignment.id, "rubric": settings.rubric.id})
    for name, answer in ANSWERS.items():
        sheet = f"**[why_scale]** {answer}\n\n**[rnn_gpus]** 1\n\n**[head_1_focus]** @SUM(A1) verbs\n"
        work = Submission(
            name, f"{name}.md", documents=(Document("worksheet.md", sheet.encode()),), submitter=name.title()
        )
        text, row = finished(grade(work, settings), Entry(name, name.title(), ()))
        results.write_report(name, text)
        index.put(name, row)
    index.close()
    return results
