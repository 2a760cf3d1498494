"""One feedback file per student, in the folder shape that Canvas or Moodle takes back."""

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from grader.classroom.decisions import standing, typed
from grader.classroom.rescoring import rescored
from grader.classroom.results import Results, write_atomically
from grader.classroom.row import GradebookRow
from grader.errors import system_errors
from grader.model.assignment import Assignment, Rubric
from grader.model.outcome import Outcome, Reason, Verdict
from grader.model.report import Mark, Report
from grader.model.text import StudentText
from grader.report import markdown, page
from grader.report.words import points

Form = Literal["markdown", "html"]


def files(
    results: Results,
    book: Sequence[GradebookRow],
    assignment: Assignment,
    rubric: Rubric,
    comments: Mapping[str, str],
    form: Form = "markdown",
) -> Iterator[tuple[str, str]]:
    """Yield path and text of each student's feedback: the final score, how it came about, the report.

    The report is the student's view: no hidden checks, no staff notes. Raises GraderError where ``rubric`` is not the
    one by which the results were scored.
    """
    overrides, _ = standing(results)
    titles = {criterion.id: criterion.title for criterion in rubric.criteria}
    for row in book:
        key = row.report or row.key
        stored, decisions, comment = results.report(row.report), overrides.get(key, {}), comments.get(key, "")
        if stored is None and (row.report or not (decisions or comment)):
            continue  # who handed in nothing gets a file where a person has something to say
        said = (f"Score: {_score(row)}", *(step.told(titles) for step in row.score.steps))
        report = None if stored is None else decided_report(rescored(stored, assignment, rubric), decisions)
        path = _inside(row.feedback) or f"{row.key}.md"
        if form == "html":
            yield str(PurePosixPath(path).with_suffix(".html")), page.feedback(report, assignment, said, comment)
        else:
            yield path, _markdown(report, said, comment)


def _markdown(report: Report | None, said: Sequence[str], comment: str) -> str:
    lines = [f"**{said[0]}**", "", *(f"- {step}" for step in said[1:])]
    lines += ["", comment, ""] if comment else []
    text = "\n".join(lines).rstrip() + "\n"
    return text if report is None else f"{text}\n{markdown.render(report, 'student')}"


def decided_report(report: Report, decisions: Mapping[str, Any]) -> Report:
    """Return the report as people decided it: points, and what became of each answer that waited for them."""
    given = {name: decision for name, decision in decisions.items() if "points" in decision}
    return replace(report, marks=tuple(_decided(mark, given.get(mark.criterion.id)) for mark in report.marks))


def _decided(mark: Mark, decision: Mapping[str, Any] | None) -> Mark:
    if decision is None:
        return mark
    got, whole = Decimal(decision["points"]), mark.criterion.points
    alone = {"points": decision["points"], "most": f"{whole:f}", "reason": decision["reason"], "of": " for all of it"}
    each = decision.get("each", {})
    outcomes = tuple(
        _read(outcome, each.get(outcome.check, alone)) if outcome.verdict is Verdict.UNDETERMINED else outcome
        for outcome in mark.outcomes
    )
    verdict = Verdict.PASSED if got >= whole else Verdict.FAILED
    return replace(mark, verdict=verdict, points=got, pending=Decimal(0), outcomes=outcomes)


def _read(outcome: Outcome, given: Mapping[str, str]) -> Outcome:
    """An answer that waited, as a person decided it."""
    got, most = Decimal(given["points"]), Decimal(given["most"])
    said = f"A person gave {points(got)} of {points(most)} points{given.get('of', '')}"
    message = StudentText(f"{said} ({why})." if (why := typed(given["reason"])) else f"{said}.")
    verdict = Verdict.PASSED if got >= most else Verdict.FAILED
    return replace(outcome, verdict=verdict, message=message, reason=Reason.JUDGED)


def _score(row: GradebookRow) -> str:
    if row.score.points is None:
        return "excused" if row.score.excused else "none yet"
    waits = f" ({points(row.score.pending)} more wait for a person)" if row.score.pending else ""
    return f"{points(row.score.points)} of {points(row.score.maximum)} points{waits}"


def _inside(path: str) -> str:
    """The path, unless it leads out of the folder."""
    parts = PurePosixPath(path).parts
    return "" if ".." in parts or path.startswith("/") else path


def write(target: Path, found: Iterator[tuple[str, str]]) -> int:
    """Write the files into a folder, or into one zip where ``target`` ends in .zip; return how many.

    Raises GraderError where that cannot be written.
    """
    if target.suffix.lower() == ".zip":
        return _zip(target, found)
    count = 0
    for name, text in found:
        path = target / name
        with system_errors(path, "Name another folder with --feedback."):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
        count += 1
    return count


def _zip(target: Path, found: Iterator[tuple[str, str]]) -> int:
    buffer, count = io.BytesIO(), 0
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in found:
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text)
            count += 1
    with system_errors(target, "Name another file with --feedback."):
        target.write_bytes(buffer.getvalue())
    return count
