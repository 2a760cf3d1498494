"""What a reader may see: staff see everything, a student sees no hidden check, no hidden case and no staff note."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from grader.catalog.worth import gained, verdict_of, worth
from grader.model.assignment import Audience, HintLevel
from grader.model.outcome import Counterexample, Outcome, Raised, Tells, Verdict
from grader.model.report import Mark, Report
from grader.model.text import StudentText

View = Literal["student", "staff"]

ORDER = (HintLevel.NONE, HintLevel.NUDGE, HintLevel.HINT, HintLevel.EXPLANATION)

LAST_LINE = 1_000_000
"""No file that is read has more lines; a process that made one up gets this one."""

PUBLIC_SEED = 0
"""Cases drawn from this seed are no secret: everybody can draw them."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A report as one reader sees it.

    ``report`` holds what is visible, with its points; ``of`` is the maximum of the whole report; ``level`` says how
    much help is given.
    """

    report: Report
    view: View
    level: HintLevel
    of: Decimal

    @property
    def hidden(self) -> Decimal:
        """Points that are judged but not shown."""
        return self.of - self.report.max_score


def as_seen(report: Report, view: View, level: HintLevel | None = None) -> Seen:
    """Return ``report`` as ``view`` sees it, with help up to ``level`` (the rubric's own where None is given)."""
    clean = replace(
        report,
        submission=replace(
            report.submission,
            id=_line(report.submission.id),
            path=_line(report.submission.path),
            submitter=_line(report.submission.submitter),
        ),
        notes=tuple(_line(_CELL.sub(r", cell \1", note)) for note in report.notes),
        unreadable=_line(report.unreadable),
        marks=tuple(
            replace(mark, outcomes=tuple(_cleaned(outcome) for outcome in mark.outcomes)) for mark in report.marks
        ),
        unscored=tuple(_cleaned(outcome) for outcome in report.unscored),
    )
    chosen = level or report.rubric.hint_level
    if view == "staff":
        return Seen(clean, view, chosen, report.max_score)
    secret = report.seed != PUBLIC_SEED
    marks = tuple(shown for mark in clean.marks if (shown := _mark(mark, secret=secret)))
    visible = replace(clean, marks=marks, unscored=(), prints=() if secret else clean.prints)
    return Seen(visible, view, chosen, report.max_score)


_CELL = re.compile(r"\[cell (\d+)\]")
"""How a cell stands in the name of its piece of code; findings say it in words, too."""


def _line(text: str) -> StudentText:
    """Cleaned, and on one line: a name with a line break could forge a line of the report."""
    return StudentText(" ".join(text.split()))


def _cleaned(outcome: Outcome) -> Outcome:
    """Every text of an outcome that may quote the submission, cleaned: whoever wrote it may have forgotten to."""
    example, place, answer = outcome.counterexample, outcome.location, outcome.answer
    return replace(
        outcome,
        message=_safe(outcome.message),
        staff_note=_safe(outcome.staff_note),
        notes=tuple(_safe(note) for note in outcome.notes),
        counterexample=example and _cleaned_example(example),
        location=place and replace(place, file=_safe(place.file), line=min(max(place.line, 0), LAST_LINE)),
        answer=answer and replace(answer, text=_safe(answer.text)),
        judged=outcome.judged and _cleaned(outcome.judged),
    )


def _cleaned_example(example: Counterexample) -> Counterexample:
    return replace(
        example,
        inputs={name: _safe(text) for name, text in example.inputs.items()},
        expected=_safe(example.expected),
        got=_safe(example.got),
        snippet=_safe(example.snippet),
        part=_safe(example.part),
    )


def _safe(text: str) -> str:
    """Cleaned; text of printable ASCII alone, which most is, stays as it is."""
    if isinstance(text, StudentText) or (text.isascii() and text.isprintable()):
        return text
    return StudentText(text, limit=len(text))


def raised(report: Report, steps: int) -> HintLevel:
    """Return the rubric's level of help raised by ``steps``, up to the rubric's cap."""
    cap = ORDER.index(report.rubric.hint_cap)
    return ORDER[min(ORDER.index(report.rubric.hint_level) + steps, max(cap, 0))]


def _mark(mark: Mark, *, secret: bool) -> Mark | None:
    """The visible part of a mark: its visible checks and what they are worth; None where nothing is visible."""
    criterion = mark.criterion
    if criterion.audience is Audience.STAFF:
        return None
    visible = tuple(check for check in criterion.checks if check.audience is Audience.STUDENT)
    if not visible:
        return None
    names = {check.id for check in visible}
    outcomes = tuple(_outcome(outcome, secret=secret) for outcome in mark.outcomes if outcome.check in names)
    if len(visible) == len(criterion.checks):
        return replace(mark, outcomes=outcomes)
    shares = worth(criterion)
    part = replace(criterion, checks=visible, points=sum((shares[name] for name in names), Decimal(0)))
    if mark.verdict in {Verdict.SKIPPED, Verdict.UNREADABLE}:
        return replace(mark, criterion=part, outcomes=outcomes)
    points, pending = gained(criterion, outcomes)
    if mark.reason:  # the whole criterion waits for another one
        points, pending = Decimal(0), points + pending
    verdict = verdict_of(outcomes)
    verdict = Verdict.UNDETERMINED if pending and verdict is Verdict.PASSED else verdict
    return replace(mark, criterion=part, outcomes=outcomes, points=points, pending=pending, verdict=verdict)


def _outcome(outcome: Outcome, *, secret: bool) -> Outcome:
    """Without staff notes; what a secret case showed is withheld, the student's own words about it too."""
    shown = replace(outcome, staff_note="", judged=None)
    if not (secret and outcome.counterexample and outcome.counterexample.hidden):
        return shown
    said = {
        Verdict.TIMEOUT: "did not come back within the time limit on a hidden case",
        Verdict.MEMORY: "needed more memory than allowed on a hidden case",
        Verdict.CRASHED: "ended the process on a hidden case",
        Verdict.ERROR: "raised an exception on a hidden case",
    }
    message = said.get(outcome.verdict, "right on the visible cases, wrong on a hidden one")
    tells = Tells.DID if outcome.verdict in said else Tells.FOUND
    return replace(
        shown,
        counterexample=None,
        location=None,
        message=message,
        tells=tells,
        raised=Raised(),
        notes=(),
        duration_s=0.0,
    )
