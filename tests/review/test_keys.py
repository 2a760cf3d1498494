"""Keys of the queue in a terminal: full, zero, undo; a page shows what a person needs, and the evidence once."""

import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from grader.classroom.results import Results
from grader.model.outcome import Answer, Place, Span
from grader.review.queue import Item, _folded
from grader.review.terminal import Session, marked, page, run

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


def test_evidence_is_marked_in_colour_and_without() -> None:
    evidence = (Span(0, 8, "denied", "against"), Span(10, 22, "scores grow"))
    found = replace(ITEM, answer=Answer("no scale, large scores", evidence, 0.5))
    assert marked(found, colour=False) == "[- no scale], [+ large scores]"
    assert "\x1b[" in marked(found, colour=True)


@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_page_fits_the_terminal(results: Results, width: int, colour: bool) -> None:
    shown: list[str] = []
    words = iter(["?", "x", "c", "c 9", "q"])
    session = Session(results, "me", shown.append, lambda _: next(words), colour=colour, width=width)
    answer = Answer("A long answer that goes on and on. " * 20, (Span(2, 13, "found it", "found"),), 0.5)
    long = replace(ITEM, answer=answer)
    run(session, [long])
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for text in shown for line in text.splitlines()]
    assert max(map(len, lines)) <= width
    assert "Ada · 1 of 1" in lines
    text = " ".join(" ".join(lines).split())
    assert text.count("a accept · f full") == 3  # the page, the question mark, a key that is none


def test_evidence_of_answers_that_are_decided_together_stays_on_its_words() -> None:
    answers = [Answer(f"{before}large scores\n", (Span(len(before), len(before) + 5, "grow"),), 0.5, together=True)
               for before in ("", "  ", "\n\n")]  # fmt: skip
    (whole,) = _folded([replace(ITEM, check=f"a.{at}", answer=answer) for at, answer in enumerate(answers)])
    assert whole.evidence == [("found", "grow", "large")]
