"""What a reader of a CI page needs, in plain lines: a finding as a whole, a component's points, what was decided."""

from collections.abc import Iterable, Iterator
from decimal import Decimal

from grader.catalog.worth import gained, worth
from grader.model.assignment import HintLevel
from grader.model.outcome import Outcome, Verdict, joined
from grader.model.report import Mark, Report
from grader.report import values
from grader.report.findings import Finding
from grader.report.view import Seen, as_seen
from grader.report.words import explain, in_points, points, sentence


def spelled(finding: Finding, *, titled: bool = True) -> Iterator[str]:
    """Yield everything that is said of a finding under its heading, a line each: points, example, help.

    The check's title is among it if ``titled``.
    """
    lead, known = finding.lead, finding.diagnosis
    yield from (text for text in finding.said(titled=titled) if text)
    if lead.counterexample:
        yield finding.lead_in()
        yield from (f"  {line}" for line in _example(finding))
    yield from (f"Hint: {hint}" for hint in finding.hints())
    if known and known.reread:
        yield f"Reread {sentence(known.reread)}"
    if known and explain(known):
        yield f"Read on: {explain(known)}"
    if also := finding.also():
        yield also
    if not finding.everything:
        yield criterion_score(finding.mark)


def help_rows(finding: Finding) -> list[tuple[str, str]]:
    """Return the help under a label each: hints, what to read again, what else it may be, the command that explains."""
    known, hints = finding.diagnosis, finding.hints()
    explained = finding.level is HintLevel.EXPLANATION and known and known.hints.get("explanation") and hints[1:]
    rows = [("hint", text) for text in hints]
    rows[-1:] = [("why", hints[-1])] if explained else rows[-1:]
    if known and known.reread:
        rows.append(("reread", known.reread))
    if known and known.family:
        rows.append(("or", f"{', '.join(map(joined, known.family))} (no input tells these apart)"))
    return [*rows, ("read on", explain(known))] if known and explain(known) else rows


def mark_row(mark: Mark, became: str) -> tuple[str, str, str]:
    """Return a criterion's title with its marks, what ``became`` of its checks, and its points."""
    extra = (" (bonus)" if mark.criterion.bonus else "") + (" (staff)" if mark.criterion.audience == "staff" else "")
    done = became + (" checks" if became[0].isdigit() else "")
    waiting = f" +{points(mark.pending)}?" if mark.pending else ""
    return mark.criterion.title + extra, done, f"{points(mark.points)}{waiting} / {points(mark.criterion.points)}"


def ran_with(seen: Seen) -> str:
    """Return what staff need to have the same report again; for a student what held the code, if it was not all."""
    report, held = seen.report, seen.report.isolation
    if seen.view == "staff":
        missing = f", missing {', '.join(held.missing)}" if held.missing else ""
        return f"grader {report.grader_version}, seed {report.seed}, isolation {held.applied or 'not needed'}{missing}"
    return "" if held.applied in {"strict", ""} else f"Run with isolation {held.applied}."


def criterion_score(mark: Mark) -> str:
    """Return the points of a criterion in a sentence."""
    waiting = f", {points(mark.pending)} more wait for a person" if mark.pending else ""
    return f"{mark.criterion.title}: {_of(mark.points, mark.criterion.points)}{waiting}."


def _example(finding: Finding) -> Iterator[str]:
    example = finding.lead.counterexample
    if example is None:
        return
    yield from (values.assigned(name, text) for name, text in example.inputs.items())
    for label, text in (("expected", example.expected), ("got", example.got)):
        if text and text != values.NOT_ASKED_FOR:
            yield f"{label} {values.named(example, text)}"
    if example.max_error is not None:
        yield f"difference {values.difference(example)}"


def _of(got: Decimal, most: Decimal) -> str:
    return f"{points(got)} of {in_points(most)}"


def component_score(judged: Iterable[tuple[Mark, Outcome]]) -> str:
    """Return the points of one component: what its checks earned of what they are worth.

    A criterion that spans components, and has to be right as a whole, gives each its share or nothing.
    """
    by_mark: dict[str, tuple[Mark, list[Outcome]]] = {}
    for mark, outcome in judged:
        by_mark.setdefault(mark.criterion.id, (mark, []))[1].append(outcome)
    shares = [(mark.criterion.bonus, *_share(mark, outcomes)) for mark, outcomes in by_mark.values()]
    only = all(bonus for bonus, _, _ in shares)  # elsewhere bonus adds to the points and not to their maximum
    got = sum((mine for _, mine, _ in shares), Decimal(0))
    most = sum((whole for bonus, _, whole in shares if only or not bonus), Decimal(0))
    return _of(got, most) + (" (bonus)" if only else "")


def _share(mark: Mark, outcomes: list[Outcome]) -> tuple[Decimal, Decimal]:
    criterion, shares = mark.criterion, worth(mark.criterion)
    if len(outcomes) == len(mark.outcomes):
        return mark.points, criterion.points
    most = sum((shares[outcome.check] for outcome in outcomes), Decimal(0))
    if criterion.credit == "all":
        return (most if mark.points == criterion.points else Decimal(0)), most
    got, _ = gained(criterion, outcomes)
    return (got if mark.points else Decimal(0)), most


def decision(report: Report, needed: str, *, reached: bool, hidden: bool = False) -> str:
    """Return whether the score that is needed is reached, and by which points.

    ``needed`` says the points that were asked for; empty where everything that was judged has to be right. What hidden
    checks gave is said only where ``hidden`` asks for it: a student could try out answers against it.
    """
    if report.verdict is Verdict.FAULT:
        return "Not decided: the grader itself failed at a part of it. Please report that; it is no fault of the work."
    seen = as_seen(report, "student")
    word = "Reached" if reached else "Not reached"
    shown = _of(seen.report.score, seen.report.max_score)
    told = report if hidden else seen.report
    if seen.hidden and not hidden:
        said = [
            f"{word}: {needed} of {in_points(report.max_score)} needed." if needed else f"{word}: {_ALL}.",
            f"The report shows {shown}; hidden checks count too, and are not told.",
        ]
    else:
        asked = f"{needed} needed" if needed else f"and {_ALL}"
        said = [f"{word}: {_of(report.score, report.max_score)}, {asked}."]
    if seen.hidden and hidden:
        gave = _of(report.score - seen.report.score, seen.hidden)
        said.append(f"The report shows {shown}; the hidden checks gave {gave}.")
    if told.pending:
        waits = "waits" if told.pending == 1 else "wait"
        said.append(f"{points(told.pending)} more {waits} until a person decides.")
    return " ".join(said)


_ALL = "everything that is judged has to be right"
