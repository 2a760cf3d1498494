"""Keys of the queue in a terminal: full, zero, undo; a page shows what a person needs, and the evidence once."""

from decimal import Decimal
from pathlib import Path

import pytest

from grader.classroom.results import Results
from grader.model.outcome import Answer, Place, Span
from grader.review.queue import Item
from grader.review.terminal import Session, page, run

ITEM = Item(
    "ada", "Ada", "a.b", "a", "Why scores are scaled [why]",
    Answer(
        "They get large.", (Span(0, 4, "the scores"),), 0.5, "Why are the scores divided?", "Their variance is d_k.",
        "Not found: the remedy.", (Place("report.pdf", 2),),
    ),
    Decimal(4),
)  # fmt: skip


def test_a_page_shows_question_model_answer_evidence_once_reason_and_place() -> None:
    shown = page(Session(Results(Path()), "me", print, input, width=78), ITEM, 0)
    for text in ("Why are the scores divided?", "Their variance is d_k.", "page 2 of report.pdf", "Not found: the"):
        assert shown.count(text) == 1
    assert shown.count("the scores\n") == 1
    assert shown.index("Why are the scores divided?") < shown.index("Their variance") < shown.index("get large")


@pytest.mark.parametrize(("key", "points"), [("f", "4"), ("z", "0"), ("a", "2.00"), ("c 1", "1")])
def test_each_key_gives_its_points(key: str, points: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Decimal] = []
    monkeypatch.setattr("grader.review.terminal.decide", lambda _r, _i, p, *_: given.append(p) or ())
    answers = iter([key])
    run(Session(Results(Path()), "me", lambda _: None, lambda _: next(answers)), [ITEM])
    assert [str(each) for each in given] == [points]
