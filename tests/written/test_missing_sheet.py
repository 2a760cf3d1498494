"""Homework with a worksheet that is not there: nothing handed in loses its points, what may be the sheet waits."""

import pytest

from grader.catalog import load_assignment
from grader.model.outcome import Verdict
from grader.model.submission import Document, Submission
from grader.written.parts import assess_written
from grader.written.printed import blank_sheet
from tests.written.worksheets import cell, notebook

WEEK = load_assignment("attention-week").sections
SHEET = tuple(section for section in WEEK if section.part == "worksheet")
CODE = cell("def softmax(x):\n    return x", kind="code")
STORY = cell("# Softmax\n\nI subtract the maximum: large scores would overflow. Note: the axis is the last one.")
POINTS = cell("\n".join(f"{at}. {said}" for at, said in enumerate(("64", "100", "n x m", "see above", "cos"), 1)))
REPORT = ("report.md", b"# Attention\n\nQueries ask, keys answer, values are what is mixed by the weights of it.\n")
PICTURE = ("scan.jpg", b"\xff\xd8\xff")


def of_sheet(*documents: tuple[str, bytes], report: bool = False) -> set[tuple[Verdict, str]]:
    files = tuple(Document(*document) for document in documents)
    found, _ = assess_written(Submission("work", "work", documents=files), WEEK if report else SHEET, code=True)
    ids = {section.id for section in SHEET}
    told = {(o.verdict, o.message) for o in found if o.component in ids}
    return {(verdict, message if verdict is Verdict.MISSING else "") for verdict, message in told}


MISSING = {(Verdict.MISSING, "No worksheet was handed in.")}
WAITS = {(Verdict.UNDETERMINED, "")}


@pytest.mark.parametrize("report", [False, True], ids=["code and sheet", "and a report"])
@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ([], MISSING),
        ([("homework.ipynb", notebook(CODE))], MISSING),
        ([("homework.ipynb", notebook(STORY, CODE))], MISSING),
        ([("README.md", b"How to run it."), ("requirements.txt", b"numpy")], MISSING),
        ([("homework.ipynb", notebook(CODE, POINTS))], WAITS),
        ([("Arbeitsblatt_final.docx", b"no Word file")], WAITS),
        ([("my answers.txt", b"sixty-four and a hundred")], WAITS),
        ([PICTURE, ("homework.ipynb", notebook(STORY, CODE))], WAITS),
    ],
)
def test_an_absent_sheet_loses_and_what_may_be_one_waits(
    documents: list[tuple[str, bytes]], expected: set[tuple[Verdict, str]], report: bool
) -> None:
    assert of_sheet(*documents, report=report) == expected
    if report:
        assert of_sheet(*documents, REPORT, report=report) == expected


def test_files_of_the_report_are_no_sheet() -> None:
    drawn = ("report.md", REPORT[1] + b"\n![the layer](figures/layer.png)\n")
    assert of_sheet(drawn, ("figures/layer.png", b"picture"), report=True) == MISSING
    points = "".join(f"\n{at}) of course\n" for at in range(1, 9)).encode()
    assert of_sheet(("report.md", REPORT[1] + points), report=True) == WAITS


def test_a_sheet_whose_answers_are_read_is_there() -> None:
    empty = of_sheet(("worksheet.md", blank_sheet("", SHEET).encode()))
    assert empty == {(Verdict.MISSING, "This was left empty.")}
    question = cell(f"{SHEET[0].questions[0].title}\n\nsixty-four")
    read = of_sheet(("homework.ipynb", notebook(CODE, question)))
    assert read == {(Verdict.MISSING, "This was left empty."), (Verdict.PASSED, "")}
