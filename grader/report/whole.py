"""What is said of a report as a whole, beside its findings: the score, what waits, what was not judged."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from grader.model.outcome import Verdict
from grader.model.report import Mark, Report
from grader.report.absent import absences
from grader.report.findings import wholly_missing
from grader.report.view import Seen
from grader.report.words import WORDS, counted, in_points, points, sentence


def not_judged(seen: Seen) -> tuple[str, ...]:
    """Return one sentence for each reason why checks were not judged; what is not there needs none."""
    absent = {item.mark.criterion.id for item in absences(seen.report) if item.whole}
    skipped = [
        (outcome.message or "a prerequisite did not pass", mark)
        for mark in seen.report.marks
        if mark.criterion.id not in absent
        for outcome in mark.outcomes
        if outcome.verdict is Verdict.SKIPPED
    ]
    return tuple(f"{told}: {sentence(reason)}" for reason, told in _by_reason(skipped).items())


def asides(seen: Seen) -> tuple[str, ...]:
    """Return what is to be said of checks that passed: right around a part that is not, or for another's mistake."""
    said = [
        (note, mark)
        for mark in seen.report.marks
        for outcome in mark.outcomes
        if outcome.verdict is Verdict.PASSED
        for note in outcome.notes
    ]
    return tuple(f"{told}: {note[:1].lower()}{note[1:]}" for note, told in _by_reason(said).items())


def _by_reason(found: Iterable[tuple[str, Mark]]) -> dict[str, str]:
    """The criteria of each reason in words, with the number of their checks."""
    reasons: dict[str, dict[str, int]] = {}
    for reason, mark in found:
        counts = reasons.setdefault(reason, {})
        counts[mark.criterion.title] = counts.get(mark.criterion.title, 0) + 1
    return {
        why: ", ".join(f"{t} ({counted(n, 'check')})" for t, n in counts.items()) for why, counts in reasons.items()
    }


def headline(seen: Seen) -> str:
    """Return the score in words: ``14.5 of 20 points``."""
    report = seen.report
    return f"{points(report.score)} of {points(report.max_score)} points"


def remarks(seen: Seen) -> tuple[str, ...]:
    """Return what must be said about the points besides the score."""
    said = []
    waiting, hidden = seen.report.pending, seen.hidden
    if waiting:
        verb = "waits" if waiting == 1 else "wait"
        said.append(f"{in_points(waiting)} {verb} until a person decides: neither given nor taken.")
    if hidden:
        verb = "is" if hidden == 1 else "are"
        said.append(f"{points(hidden)} of the {points(seen.of)} points {verb} for hidden checks, which are not shown.")
    if any(mark.criterion.bonus for mark in seen.report.marks):
        bonus = sum((mark.points for mark in seen.report.marks if mark.criterion.bonus), Decimal(0))
        said.append(f"{in_points(bonus)} of bonus {'is' if bonus == 1 else 'are'} in the score.")
    if seen.report.isolation.applied == "none":
        said.append("Run without isolation: for debugging only, this is no grade.")
    return tuple(said)


def invitation(report: Report) -> str:
    """Return what introduces the lines to paste: a notebook's functions are there already, below its cells."""
    chunks = report.submission.chunks
    if chunks and all(chunk.cell for chunk in chunks):
        return "Try it yourself, in a new cell at the end"
    return "Try it yourself"


def count_passed(mark: Mark) -> str:
    """Return how many checks passed: ``5 of 8``."""
    passed = sum(outcome.verdict is Verdict.PASSED for outcome in mark.outcomes)
    return f"{passed} of {len(mark.outcomes)}"


def states(seen: Seen) -> Mapping[str, str]:
    """Return what became of each criterion's checks: ``5 of 8``, or a word where nothing of it was judged."""
    absent = {item.mark.criterion.id: item.word for item in absences(seen.report) if item.whole}
    return {mark.criterion.id: absent.get(mark.criterion.id) or _state(mark) for mark in seen.report.marks}


def _state(mark: Mark) -> str:
    if mark.verdict is Verdict.SKIPPED or (mark.verdict is Verdict.MISSING and wholly_missing(mark)):
        return WORDS[mark.verdict]
    return count_passed(mark)
