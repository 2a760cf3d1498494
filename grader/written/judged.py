"""What judging one answer gives, before it becomes an outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.model.outcome import Place, Reason, Span, Verdict
from grader.written.key import Names, QuestionFile, Slip


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict on one answer, with what was seen in it. ``passed`` of ``asked`` parts are right.

    ``why`` tells the person who decides what a suggestion rests on; ``places`` are where the answer stands on a page.
    """

    verdict: Verdict
    message: str = ""
    passed: int = 0
    asked: int = 1
    slip: Slip | None = None
    spans: tuple[Span, ...] = ()
    suggested: float | None = None
    notes: tuple[str, ...] = ()
    staff_note: str = ""
    why: str = ""
    places: tuple[Place, ...] = ()
    reason: Reason = Reason.JUDGED


def right(asked: int = 1, notes: Sequence[str] = (), spans: tuple[Span, ...] = ()) -> Judged:
    """Everything asked is right."""
    return Judged(Verdict.PASSED, "", asked, asked, spans=spans, notes=tuple(notes))


def wrong(message: str, passed: int = 0, asked: int = 1, slip: Slip | None = None) -> Judged:
    """It can be decided, and it is not right (in full)."""
    return Judged(Verdict.FAILED, message, passed, asked, slip)


def for_a_person(message: str, suggested: float | None = None, spans: tuple[Span, ...] = ()) -> Judged:
    """It cannot be decided here; nothing is given and nothing is taken."""
    return Judged(Verdict.UNDETERMINED, message, 0, 1, None, spans, suggested)


def unread(what: str) -> Judged:
    """Leave a whole hand-in to a person, which no program can read: it is told once, and decided once."""
    return Judged(Verdict.UNDETERMINED, f"Nothing was read from {what}", reason=Reason.UNREAD)


def read_by_a_person(text: str, suggested: float | None = None, spans: tuple[Span, ...] = ()) -> Judged:
    """Leave a text to a person, and say how long it is."""
    words = len(text.split())
    return for_a_person(f"A person reads this ({words} word{'' if words == 1 else 's'}).", suggested, spans)


def some_of(names: Sequence[str], most: int = 5) -> str:
    """Return the first of many names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def quoted(text: str, longest: int = 80) -> str:
    """Return an answer on one line, in quotes, cut to ``longest``."""
    flat = " ".join(text.split())
    return f"“{flat if len(flat) <= longest else flat[: longest - 1] + '…'}”"


def as_known(key: QuestionFile, text: str, meets: Callable[[Names], bool]) -> Judged | None:
    """Return what a key says of a wrong value: one that the hand-out prints is remarked on, and a slip is named."""
    for printed in key.handout:
        if meets(printed.values):
            return right(notes=(f"As in the hand-out: {printed.note}",))
    slip = next((slip for slip in key.slips if meets(slip.values)), None)
    return wrong(f"You wrote {quoted(text)}.", slip=slip) if slip else None
