"""Pictures that are handed in as files of their own: nothing reads them, a person is told their names."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.catalog import load_assignment, load_rubric
from grader.catalog.places import rubric_beside
from grader.intake.loading import load
from grader.model.outcome import Outcome, Verdict
from grader.model.report import Settings
from grader.model.submission import Document, Submission
from grader.pipeline import grade

PERSON, FAILED, PASSED = Verdict.UNDETERMINED, Verdict.FAILED, Verdict.PASSED
REPORT = b"# Attention\n\nQueries, keys and values.\n"
RIGHT = """```mermaid
flowchart TD
  t[Token embeddings] --> s((+))
  p[Positional encoding] --> s
  s --> a[Multi-head self-attention] --> n1[Add & Norm]
  s --> n1
  n1 --> f[Feed forward] --> n2[Add & Norm]
  n1 --> n2
  m[Padding mask] --> a
```
"""
NO_RESIDUAL = RIGHT.replace("  s --> n1\n", "")


def diagram(*documents: tuple[str, bytes]) -> Outcome:
    loaded = load_assignment("rederive-report")
    settings = Settings(loaded, load_rubric(rubric_beside("rederive-report"), loaded), components=("diagram",))
    files = tuple(Document(name, data) for name, data in documents)
    report = grade(Submission("work", "work", documents=files), settings)
    return next(outcome for mark in report.marks for outcome in mark.outcomes if outcome.check == "diagram.layer")


@pytest.mark.parametrize("name", ["layer.png", "Figure 1.JPG", "img/layer.jpeg", "photo.heic", "layer.svg"])
def test_a_picture_beside_the_report_goes_to_a_person_and_is_named(name: str) -> None:
    found = diagram(("report.md", REPORT), (name, b"picture"))
    assert found.verdict is PERSON
    assert found.message == f"{name} is a picture; a person looks whether it is the diagram."
    assert found.answer is not None
    assert name in found.answer.text


def test_another_picture_of_the_same_name_is_another_answer() -> None:
    one, other = (diagram(("report.md", REPORT), ("layer.png", data)).answer for data in (b"one", b"two"))
    assert one is not None
    assert other is not None
    assert one.text != other.text


def test_a_diagram_that_is_nowhere_is_looked_for_where_there_is_something() -> None:
    assert diagram(("report.md", REPORT)).message.endswith("a person looks for one in the report.")


def test_a_diagram_that_may_stand_in_the_pdf_is_shown_by_its_pages() -> None:
    pytest.importorskip("pypdfium2")
    pdf = (Path(__file__).parents[1] / "submissions" / "attention-week" / "good" / "report.pdf").read_bytes()
    shown = diagram(("report.pdf", pdf), ("report.md", REPORT)).answer
    assert shown is not None
    pages = [place.page for place in shown.places]
    assert pages == sorted({*pages}) != []
    assert all(place.picture for place in shown.places)


def test_a_right_diagram_as_text_needs_no_picture() -> None:
    assert diagram(("report.md", REPORT + RIGHT.encode()), ("layer.png", b"picture")).verdict is PASSED


def test_a_mistake_in_the_text_is_looked_at_where_a_picture_was_handed_in_as_well() -> None:
    assert diagram(("report.md", REPORT + NO_RESIDUAL.encode())).verdict is FAILED
    found = diagram(("report.md", REPORT + NO_RESIDUAL.encode()), ("layer.png", b"picture"))
    assert found.verdict is PERSON
    assert "layer.png was handed in as well" in found.message
    assert found.answer is not None
    assert found.answer.suggested is not None
    assert found.answer.suggested < 1


def test_a_picture_in_a_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "report.md").write_bytes(REPORT)
    (tmp_path / "layer.png").write_bytes(b"\x89PNG")
    loaded = load_assignment("rederive-report")
    settings = Settings(loaded, load_rubric(rubric_beside("rederive-report"), loaded))
    report = grade(load(tmp_path), settings)
    found = next(o for mark in report.marks for o in mark.outcomes if o.check == "diagram.layer")
    assert "layer.png is a picture" in found.message


def test_a_photographed_worksheet_waits_for_a_person(judge: Callable[..., dict[str, Any]]) -> None:
    found = judge("discovery-worksheet", "sheet.jpg", b"\xff\xd8")
    assert {outcome.verdict for outcome in found.values()} == {PERSON}
    assert found["rnn_gpus"].message == "Nothing was read from sheet.jpg: it is a picture. A person looks at it."
