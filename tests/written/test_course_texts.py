"""Wording shared with the course's texts: with the instructor's folder of texts both passages are shown."""

import shutil
from pathlib import Path

import pytest

from grader.catalog import assignment_file, load_assignment, load_rubric
from grader.errors import GraderError
from grader.model.outcome import Outcome, Verdict
from grader.model.report import Settings
from grader.model.submission import Document, Submission
from grader.pipeline import grade
from grader.written.printed import blank_sheet
from grader.written.sheet import read_sheet

TEXT = (
    "Attention lets every position of a sequence look at every other position in one single step, whereas a recurrent "
    "network has to pass what it knows along from neighbour to neighbour until it arrives."
)
COPIED = TEXT[TEXT.index("look at every") : TEXT.index(" until")]
OWN = "My notes say that a word can reach any other word at once; nothing has to be handed on."


@pytest.fixture
def assignment(tmp_path: Path) -> Path:
    """A copy of the report assignment that names a folder of the course's texts."""
    folder = tmp_path / "own-report"
    (folder / "course" / "week 5").mkdir(parents=True)
    bundled = assignment_file("rederive-report").parent
    shutil.copytree(bundled / "answers", folder / "answers")
    (folder / "assignment.yaml").write_text((bundled / "assignment.yaml").read_text(encoding="utf-8"))
    key = (bundled / "report.yaml").read_text(encoding="utf-8")
    key = key.replace("kind: own_words}", "kind: own_words, folder: course}")
    (folder / "report.yaml").write_text(key, encoding="utf-8")
    (folder / "course" / "week 5" / "notes.txt").write_text(f"Opening words.\n\n{TEXT}\n", encoding="utf-8")
    return folder


def own_words(assignment: Path, text: str) -> Outcome:
    loaded = load_assignment(assignment)
    settings = Settings(loaded, load_rubric("rederive-report", loaded), components=("document",))
    submission = Submission("work", "work", documents=(Document("report.md", f"# Report\n\n{text}\n".encode()),))
    report = grade(submission, settings)
    return next(o for mark in report.marks for o in mark.outcomes if o.check == "document.own_words")


def test_both_passages_are_shown_with_their_places_and_cost_nothing(assignment: Path) -> None:
    found = own_words(assignment, f"First a sentence of mine. I {COPIED} by and by.")
    assert found.verdict is Verdict.PASSED
    (note,) = found.notes
    assert note.startswith("24 words in a row are those of week 5/notes.txt, from its word 10 on: “look at every other")
    assert note.count("look at every other position in one single step") == 2
    assert found.answer is not None
    assert f"  in week 5/notes.txt, word 10: {COPIED}" in found.answer.text
    span = found.answer.spans[0]
    assert found.answer.text[span.start : span.end] == COPIED


def test_own_words_and_quotations_are_not_shown(assignment: Path) -> None:
    assert own_words(assignment, OWN).notes == ()
    assert own_words(assignment, f"The notes put it so: “{COPIED}”, and I agree.").notes == ()


def test_other_texts_make_it_another_assignment(assignment: Path) -> None:
    before = load_assignment(assignment).sha256
    (assignment / "course" / "more.md").write_text(OWN, encoding="utf-8")
    assert load_assignment(assignment).sha256 != before


def test_a_folder_that_is_not_there_or_empty_is_said(assignment: Path) -> None:
    (assignment / "course" / "week 5" / "notes.txt").unlink()
    with pytest.raises(GraderError, match="holds no text that is read"):
        load_assignment(assignment)
    (assignment / "course" / "week 5").rmdir()
    (assignment / "course").rmdir()
    with pytest.raises(GraderError, match="no such folder of course texts"):
        load_assignment(assignment)


def test_a_text_that_cannot_be_read_is_not_passed_over(assignment: Path) -> None:
    (assignment / "course" / "slides.pdf").write_bytes(b"%PDF-1.4 broken")
    with pytest.raises(GraderError, match="cannot be read as a course text"):
        load_assignment(assignment)


ASSIGNMENT = 'schema: grader/assignment/v1\nid: hw\nversion: "1"\ntitle: Hw\nparts: [worksheet]\n'
KEY = """schema: grader/key/v1
sections:
  - id: sizes
    title: Sizes
    questions:
      - {id: width, title: Width, kind: number, value: 64}
      - {id: table, title: Table, kind: number, value: 512}
"""
SHEET = """# Hw

1. 768 in 12 heads: how wide
is one?

**[width]**

2. Rows of a table for 512 words?

**[table]**
"""


def test_a_question_without_words_in_the_key_is_asked_as_on_the_sheet_in_starter(tmp_path: Path) -> None:
    (tmp_path / "starter").mkdir()
    (tmp_path / "assignment.yaml").write_text(ASSIGNMENT)
    (tmp_path / "key.yaml").write_text(KEY)
    without = load_assignment(tmp_path)
    (tmp_path / "starter" / "sheet.md").write_text(SHEET)
    loaded = load_assignment(tmp_path)
    asked = [question.key.ask for question in loaded.sections[0].questions]
    assert asked == ["1. 768 in 12 heads: how wide\nis one?", "2. Rows of a table for 512 words?"]
    assert loaded.sha256 != without.sha256, "nothing that was judged before is taken over"
    filled = Document("worksheet.md", SHEET.replace("[width]**", "[width]** 64").encode())
    assert read_sheet([filled], loaded.sections, blank_sheet("", loaded.sections)).answers["width"].text == "64"
