"""A hand-in that no program can read is one item of the queue, and its points reach every criterion."""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path

import pytest

from grader.catalog import load_assignment, load_rubric, rubric_beside
from grader.classroom.entry import Entry
from grader.classroom.policy import Policy
from grader.classroom.results import Results, locked
from grader.classroom.row import rows as gradebook_rows
from grader.classroom.worker import finished
from grader.cli import main
from grader.errors import GraderError
from grader.model.report import Settings
from grader.model.submission import Document, Submission
from grader.pipeline import grade
from grader.review import sheet
from grader.review.queue import WHOLE, Item, decide, waiting
from grader.review.terminal import Session, page

BROKEN = ("worksheet.docx", b"PK\x03\x04")


def keep(results: Results, name: str, *documents: tuple[str, bytes], assignment: str = "discovery-worksheet") -> None:
    loaded = load_assignment(assignment)
    settings = Settings(loaded, load_rubric(rubric_beside(assignment), loaded), "none")
    files = tuple(Document(path, data) for path, data in documents)
    work = Submission(name, name, documents=files, submitter=name.title())
    text, row = finished(grade(work, settings), Entry(name, name.title(), ()))
    results.write_report(name, text)
    index = results.open_index()
    index.begin({"schema": "grader/results/v1", "assignment": loaded.id, "rubric": settings.rubric.id})
    index.put(name, row)
    index.close()


def whole(results: Results, only: str = "") -> Item:
    (found,) = [item for item in waiting(results, only) if item.key == "eve"]
    return found


def final(results: Results) -> tuple[Decimal | None, Decimal]:
    score = next(row.score for row in gradebook_rows(results, Policy()) if row.report == "eve")
    return score.points, score.pending


@pytest.fixture
def eve(results: Results) -> Results:
    keep(results, "eve", BROKEN)
    return results


def test_it_is_one_item_with_all_points(eve: Results) -> None:
    item = whole(eve)
    assert (item.check, item.most, len(item.parts)) == (WHOLE, 60, 55)
    assert "worksheet.docx" in item.message
    assert len(waiting(eve)) == 9, "eight answers of the others"


def test_a_section_of_it_may_be_decided_alone(eve: Results) -> None:
    with locked(eve):
        assert decide(eve, [whole(eve, "sequential")], Decimal(7), "read", "prof") == ("eve: sequential",)
    assert (whole(eve).most, len(whole(eve).parts)) == (53, 51)


@pytest.mark.parametrize("points", ["0", "60", "59.99", "41.5", "33.33", "0.01", "1"])
def test_its_points_are_spread_to_the_last_fraction_and_nothing_waits(eve: Results, points: str) -> None:
    item = whole(eve)
    with locked(eve):
        settled = decide(eve, [item], Decimal(points), "read on paper", "prof")
    assert len(settled) == 8
    assert final(eve) == (Decimal(points), 0)
    assert [found for found in waiting(eve) if found.key == "eve"] == []
    given = eve.overrides()["_checks"]["eve"]
    assert sum(Decimal(one["points"]) for one in given.values()) == Decimal(points)
    assert all(0 <= Decimal(one["points"]) <= Decimal(one["most"]) for one in given.values())


@pytest.mark.parametrize("points", ["60.0001", "-1", "NaN"])
def test_points_that_cannot_be_are_refused(eve: Results, points: str) -> None:
    with locked(eve), pytest.raises(GraderError, match="not between 0 and 60"):
        decide(eve, [whole(eve)], Decimal(points), "", "prof")
    assert whole(eve).most == 60


def test_another_file_comes_up_again(eve: Results) -> None:
    with locked(eve):
        decide(eve, [whole(eve)], Decimal(50), "read", "prof")
    keep(eve, "eve", ("worksheet.docx", b"PK\x03\x04 and more"))
    assert whole(eve).before.startswith("Answer changed since the decision")
    assert final(eve) == (0, 60)


def test_it_goes_out_as_one_row_and_comes_back(eve: Results, tmp_path: Path) -> None:
    table = tmp_path / "queue.csv"
    sheet.export(waiting(eve), table)
    rows = list(csv.DictReader(table.read_text(encoding="utf-8-sig").splitlines()))
    (row,) = (row for row in rows if row["key"] == "eve")
    assert (row["check"], Decimal(row["most"])) == (WHOLE, 60)
    row["points"] = "48"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    for count in (1, 0):  # the same table again changes nothing
        with locked(eve):
            assert sheet.load(eve, waiting(eve), table, "prof")[0] == count
        assert final(eve) == (48, 0)


@pytest.mark.parametrize("width", [80, 140])
def test_it_is_shown_with_the_reason_and_without_a_check(eve: Results, width: int) -> None:
    shown = page(Session(eve, "prof", print, input, width=width), whole(eve), 0)
    assert "What no program can read: the 55 questions about it" in shown
    assert "Nothing was read from worksheet.docx" in shown
    assert "up to 60 points" in shown
    assert "(*)" not in shown
    assert max(map(len, shown.splitlines())) <= width


def test_the_verb_counts_it_in_words(eve: Results, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["review", str(eve.folder), "--list"])
    assert "1  hand-ins that no program can read" in capsys.readouterr().out


def test_a_report_that_cannot_be_read_is_one_item_too(results: Results) -> None:
    keep(results, "eve", ("report.pdf", b"no pdf"), assignment="rederive-report")
    assert (whole(results).check, whole(results).most) == (WHOLE, 40)
    with locked(results):
        decide(results, [whole(results)], Decimal(31), "read", "prof")
    assert final(results) == (31, 0)
