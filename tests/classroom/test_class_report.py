"""The class report: mistakes that cost something, and by name whoever a person has to look at."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import statistics
from grader.classroom.entry import Entry
from grader.classroom.results import Results, open_results
from grader.classroom.worker import finished, unreadable
from grader.cli.reporting import _lines as lines
from grader.cli.reporting import _named as noted
from grader.cli.results import tallied
from grader.model.outcome import Diagnosis, Outcome, Verdict
from grader.model.report import Mark, Report, Settings
from grader.model.submission import Submission
from grader.sandbox.plain import Isolation

from .conftest import RIGHT, write

CHECK = "softmax.matches_reference"


def outcome(verdict: Verdict, mistake: str = "", **more: Any) -> Outcome:
    named = Diagnosis((mistake,), f"Title of {mistake}.") if mistake else None
    return Outcome(CHECK, "softmax", "Matches.", verdict, int(verdict is Verdict.PASSED), 1, diagnosis=named, **more)


def keep(results: Results, settings: Settings, key: str, found: Outcome, points: int) -> dict[str, Any]:
    """Put one report into the results as a worker would, and return its line of the index."""
    criterion = replace(settings.rubric.criteria[0], checks=settings.rubric.criteria[0].checks[:1])
    check = replace(criterion.checks[0], id=CHECK)
    mark = Mark(replace(criterion, checks=(check,)), found.verdict, Decimal(points), Decimal(0), (found,))
    report = Report(
        settings.assignment, settings.rubric, Submission(key, key, submitter=key.title()), (mark,),
        Isolation("standard", "standard"), 0, "0", {},
    )  # fmt: skip
    text, row = finished(report, Entry(key, key.title(), ()))
    put(results, key, text, row)
    return row


def put(results: Results, key: str, text: str, row: dict[str, Any]) -> None:
    results.write_report(key, text)
    index = results.open_index()
    index.begin({"schema": "grader/results/v1"})
    index.put(key, row)
    index.close()


@pytest.mark.parametrize(
    ("verdict", "judged", "counts"),
    [
        (Verdict.FAILED, None, True),
        (Verdict.ERROR, None, True),
        (Verdict.TIMEOUT, None, True),
        (Verdict.SKIPPED, Verdict.FAILED, True),
        (Verdict.SKIPPED, Verdict.PASSED, False),
        (Verdict.PASSED, None, False),
        (Verdict.UNDETERMINED, None, False),
        (Verdict.FAULT, None, False),
    ],
)
def test_a_mistake_counts_where_its_check_failed_and_a_remark_on_right_work_does_not(
    tmp_path: Path, settings: Settings, verdict: Verdict, judged: Verdict | None, counts: bool
) -> None:
    results = open_results(tmp_path / "r")
    found = outcome(verdict, "" if judged else "softmax-axis")
    if judged:
        found = replace(found, judged=outcome(judged, "softmax-axis"))
    row = keep(results, settings, "ann", found, 0)
    expected = ["softmax-axis"] if counts else []
    assert row["mistakes"] == expected
    assert [mistake.id for mistake in statistics.of(results).mistakes] == expected


def test_who_has_to_be_looked_at_is_named_with_the_part_it_is_about(tmp_path: Path, settings: Settings) -> None:
    results = open_results(tmp_path / "r")
    for name in ("passed", "failed", "timeout", "memory", "crashed", "missing", "undetermined", "fault"):
        keep(results, settings, name, outcome(Verdict(name)), 0)
    put(results, "unread", *unreadable(Entry("unread", "Una Read", ()), settings, "no zip"))
    index = results.open_index()
    index.begin({"absent": ["Ned Nobody", "Failed"]})
    index.close()
    found = statistics.of(results)
    assert {kind: [(who.name, who.parts) for who in people] for kind, people in found.noted.items()} == {
        "absent": [("Ned Nobody", ())],
        "unreadable": [("Una Read", ())],
        "fault": [("Fault", ("softmax",))],
        "undetermined": [("Undetermined", ("softmax",))],
        "timeout": [("Timeout", ("softmax",))],
        "memory": [("Memory", ("softmax",))],
        "crashed": [("Crashed", ("softmax",))],
        "missing": [("Missing", ("softmax",))],
    }
    assert found.verdicts["unreadable"] == 1


def test_nobody_who_lost_a_point_is_said_to_have_failed(grader: Callable[..., Any], klass: Path) -> None:
    write(klass, {"eve.py": RIGHT[: RIGHT.index("def self_attention")]})
    (klass / "gus.zip").write_bytes(b"no zip")
    Path("roster.csv").write_text("name,id\nAnn,ann\nBob,bob\nCyd,cyd\nDan,dan\nEve,eve\nGus,gus\nNed,ned\n")
    ran = grader(
        "grade", klass, "-a", "attention-numpy", "--isolation", "standard", "-o", "r", "--roster", "roster.csv"
    )
    assert ran.code == 0
    assert ": 1 full marks, 4 lost points, 1 unreadable." in ran.out
    assert "failed" not in ran.out + ran.err
    said = grader("report", "r").out
    assert said.startswith("6 submissions: 1 full marks, 4 lost points, 1 unreadable\n")
    for line in (
        "  nothing handed in (1): Ned",
        "  cannot be read (1): Gus",
        "  nothing of it runs (1): Dan",
        "  a part is missing (1): Eve (scaled_dot_product_attention)",
    ):
        assert line in said.splitlines()
    assert json.loads(grader("report", "r", "--format", "json").out)["noted"]["missing"][0]["key"] == "eve"


def test_tallies_are_in_words_and_in_one_order() -> None:
    assert tallied({"fault": 1, "missing": 2, "failed": 3, "passed": 4, "undetermined": 5, "unreadable": 6}) == (
        "4 full marks, 5 lost points, 6 unreadable, 5 waiting for a person, 1 at which the grader failed"
    )


@pytest.mark.parametrize(("students", "named"), [(10, True), (11, False)])
def test_who_waits_is_named_in_a_small_class_and_counted_by_part_in_a_large_one(
    tmp_path: Path, settings: Settings, students: int, named: bool
) -> None:
    results = open_results(tmp_path / "r")
    for number in range(students):
        keep(results, settings, f"s{number}", outcome(Verdict.UNDETERMINED), 0)
    told = " ".join(" ".join(lines(statistics.of(results))).split())
    assert (f"a person decides ({students}): S0 (softmax); S1 (softmax)" in told) is named
    assert (f"a person decides ({students}): softmax {students} (grader review)" in told) is not named


def test_a_student_without_most_parts_is_told_by_their_number() -> None:
    few, many = statistics.Noted("a", "Ada", ("one", "two")), statistics.Noted("b", "Bob", tuple("abcde"))
    assert [noted(each) for each in (few, many)] == ["Ada (one, two)", "Bob (5 parts)"]


@pytest.mark.slow
def test_no_name_is_a_command_to_a_runner_or_turns_a_line_around(grader: Callable[..., Any], klass: Path) -> None:
    names = ("##vso[task.complete]a", "##[error]b", "::error::c", "\x1b[2Jd", "\u202ee", "f\x9b1m")
    write(klass, {f"{name}/hw.py": RIGHT for name in names})
    write(klass, {f"{name}g.zip/hw.zip": "no zip" for name in names})
    ran = grader("grade", klass, "-a", "attention-numpy", "--isolation", "standard", "-o", "r")
    told = [grader("report", "r").out, grader("similar", "r", "--source", klass).out]
    told += [grader("similar", "r", "--source", klass).err, grader("export", "r").err]
    shown = [line for text in (ran.out, ran.err, *told) for line in text.splitlines()]
    assert any("# #vso[task.complete]" in line for line in shown)
    for line in shown:
        assert not re.search(r"##\w*\[|^\s*::|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", line), line
