"""The queue as a table: it goes out, and what was decided in it comes back."""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path

import pytest

from grader.classroom.results import Results
from grader.errors import GraderError
from grader.model.outcome import Answer
from grader.review import sheet
from grader.review.queue import Item, waiting

WHY = "self_attention.why_scale"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\uff1d1+1", '=HYPERLINK("http://x")'])
def test_no_cell_is_a_formula(text: str, tmp_path: Path) -> None:
    path = tmp_path / "queue.csv"
    item = Item("ada", "Ada", "a.b", "a", "A question", Answer(text, (), 0.5), Decimal(4))
    sheet.export([item], path)
    (row,) = csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines(keepends=True))
    assert row["answer"] == f"'{text}"


def test_the_queue_goes_out_as_a_table_and_decisions_come_back(results: Results, tmp_path: Path) -> None:
    path = tmp_path / "queue.csv"
    assert sheet.export(waiting(results), path) == 8
    rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines(keepends=True)))
    assert {row["answer"] for row in rows if row["check"] == "practice.head_1_focus"} == {"'@SUM(A1) verbs"}
    for row in rows:
        row["points"] = "0,5" if row["check"] == WHY else ""
        row["comment"] = "see above" if row["check"] == WHY else ""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, sheet.COLUMNS, delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    count, settled = sheet.load(results, waiting(results), path, "prof")
    assert (count, len(settled)) == (4, 4)
    assert waiting(results, WHY) == ()
    assert len(waiting(results)) == 4


@pytest.mark.parametrize(("encoding", "separator"), [("utf-8-sig", ","), ("cp1252", ";"), ("utf-16", "\t")])
def test_a_table_is_taken_as_spreadsheets_write_it_and_again_with_more_in_it(
    results: Results, tmp_path: Path, encoding: str, separator: str
) -> None:
    path = tmp_path / "queue.csv"

    def table(points: dict[str, str]) -> None:
        lines = [separator.join((key, WHY, '"' + value + '"', "für später")) for key, value in points.items()]
        path.write_text("\r\n".join([separator.join(("key", "check", "points", "comment")), *lines]), encoding=encoding)

    table({"ada": "0,5", "bob": ""})
    assert sheet.load(results, waiting(results), path, "prof")[0] == 1
    table({"ada": "0,5", "bob": "1"})
    assert sheet.load(results, waiting(results), path, "prof")[0] == 1, "what was taken before is left alone"
    table({"ada": "0.25", "bob": "1"})
    assert sheet.load(results, waiting(results), path, "prof")[0] == 1, "what was mended is decided anew"
    given = results.overrides()["_checks"]
    assert {key: (given[key][WHY]["points"], given[key][WHY]["reason"]) for key in ("ada", "bob")} == {
        "ada": ("0.25", "für später"),
        "bob": ("1", "für später"),
    }
    assert sheet.load(results, waiting(results), path, "prof") == (0, ())


def test_a_wrong_line_of_a_table_is_named_and_nothing_is_taken(results: Results, tmp_path: Path) -> None:
    path = tmp_path / "queue.csv"
    path.write_text(f"key,check,points\nada,{WHY},1\nbob,{WHY},7\n")
    with pytest.raises(GraderError, match=r"queue.csv:3: 7 points are not between"):
        sheet.load(results, waiting(results), path, "prof")
    path.write_text("key,check,points\nnobody,x.y,1\n")
    with pytest.raises(GraderError, match=r"queue.csv:2: nothing of that key"):
        sheet.load(results, waiting(results), path, "prof")
    assert results.overrides() == {}
