"""What went wrong, told once: failures that have one cause are one finding, led by the smallest example."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from grader import exceptions
from grader.components import PARTS
from grader.model.assignment import HintLevel
from grader.model.outcome import By, Diagnosis, Location, Outcome, Reason, Tells, Verdict
from grader.model.report import Mark
from grader.model.text import StudentText
from grader.report.absent import absences
from grader.report.view import ORDER, Seen
from grader.report.words import capital, sentence

_WRONG = frozenset({Verdict.FAILED, Verdict.ERROR})
MOST_TITLES = 4
"""Checks that are listed by their titles where several fail for one reason."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One idea that is wrong: the outcome that shows it best, the others that fail with it, and its mark.

    ``function`` is the name that the hand-out gives to what was judged, ``defined`` where the work defines it: of a
    class that gave a wrong value, where the ``method`` begins that computes it. ``upstream`` are the titles of parts
    of what was judged that are wrong too, where nothing else explains it.
    """

    mark: Mark
    lead: Outcome
    others: tuple[Outcome, ...]
    level: HintLevel
    function: str = ""
    defined: Location | None = None
    method: str = ""
    upstream: tuple[str, ...] = ()

    @property
    def everything(self) -> bool:
        """Whether it stopped the whole work, such as a syntax error: more than one component fails for it."""
        named = {outcome.component for outcome in (self.lead, *self.others)}
        return len(named) > 1 and self.lead.diagnosis is None and self.lead.verdict is not Verdict.FAILED

    @property
    def title(self) -> str:
        """Return what it is told under: its criterion, or what is more than one."""
        if not self.everything:
            return self.mark.criterion.title
        return "Not read" if self.lead.reason is Reason.UNREAD else "The whole work"

    @property
    def diagnosis(self) -> Diagnosis | None:
        """The named mistake, where the level of help allows to name it."""
        return self.lead.diagnosis if at_least(self.level, HintLevel.HINT) else None

    @property
    def heading(self) -> str:
        """Return the idea in one line: the mistake by name, what went wrong, or what does not hold."""
        lead = self.lead
        if self.diagnosis:
            return sentence(self.diagnosis.title)
        if lead.verdict is Verdict.FAULT:
            return "The grader itself failed here. This is not your mistake."
        if lead.reason is Reason.EVERY_CALL:
            return self._message()
        if not self.waits_together and (lead.verdict in {Verdict.FAILED, Verdict.UNDETERMINED} or not lead.message):
            return sentence(lead.marked)
        return self._message()

    @property
    def waits_together(self) -> bool:
        """Whether several answers wait for a person for the very same reason."""
        return self.lead.verdict is Verdict.UNDETERMINED and bool(self.others)

    def _message(self) -> str:
        """The message as a sentence of its own: what a function did gets its subject."""
        message, tells = sentence(self.lead.message), self.lead.tells
        if tells is Tells.DID and self.function:
            return f"{self.function} {message}"
        return message if tells is Tells.NAMED else capital(message)

    def said(self, *, titled: bool = True) -> tuple[str, ...]:
        """Return what is to be said under the heading, a sentence each; the check's title among it if ``titled``."""
        lead = self.lead
        title = (f"While judging: {sentence(lead.marked)}",) if titled else ()
        if lead.verdict is Verdict.FAULT:
            return title
        message = self._message()
        if self.diagnosis:
            return tuple(self._said_of_the_named(message, titled=titled))
        if lead.verdict is Verdict.MISSING or self.everything or self.waits_together:
            return ()
        if lead.verdict in {Verdict.FAILED, Verdict.UNDETERMINED} and lead.reason is not Reason.EVERY_CALL:
            return (message,) if message else ()
        return title

    def _said_of_the_named(self, message: str, *, titled: bool) -> Iterator[str]:
        """What should hold, and what was found where that says more than the mistake's name and the example do."""
        lead = self.lead
        wanted = sentence(lead.marked)
        if lead.answer:
            yield from (text for text in (wanted, message) if text)
            return
        if _in_source(lead) and self.others:  # not one of the many says what should hold
            yield message
            return
        if message and lead.verdict is not Verdict.FAILED:
            yield message
        if titled:
            yield f"What should hold: {wanted}"
        if message and lead.verdict is Verdict.FAILED and self._adds():
            yield f"Found: {sentence(lead.message)}"

    def _adds(self) -> bool:
        """Whether what was found says more than the mistake's name and the example do."""
        said = self.lead.message
        if not said or sentence(said) == self.heading:
            return False
        return not (self.lead.tells is Tells.OFF and self.lead.counterexample)

    @property
    def place(self) -> Location | None:
        """The line to look at: the one that failed, else the one where the function begins."""
        return self.lead.location or self.defined or self.lead.begins

    def about(self) -> str:
        """Return that line as read, with the function's name where it is its first; empty where the text has it.

        What ended a call is told with its line; what was found, or is not there, is told without.
        """
        if self.lead.location:
            return str(self.lead.location) if self.lead.verdict in {Verdict.FAILED, Verdict.MISSING} else ""
        named = f"{self.function}.{self.method}" if self.method else self.function
        return f"{named}: {self.defined}" if self.defined else ""

    def lead_in(self) -> str:
        """Return the sentence that introduces the example."""
        lead, example = self.lead, self.lead.counterexample
        why = f" ({sentence(example.why)[:-1]})" if example and example.why else ""
        hidden = ", a hidden case" if example and example.hidden else ""
        if not lead.passed and lead.asked > 1:
            return f"None of {lead.asked} cases is right. The smallest{hidden}{why}:"
        if lead.asked <= 1:
            return f"On this input{hidden}{why}:"
        verb = "is" if lead.passed == 1 else "are"
        return f"{lead.passed} of {lead.asked} cases {verb} right. The smallest that is not{hidden}{why}:"

    def also(self) -> str:
        """Return what else fails for the same reason, and what all of it may come from."""
        titles = " and ".join(self.upstream)
        follows = f"It may follow from what is wrong in {titles}: mend that first." if titles else ""
        return f"{self._also()} {follows}".strip()

    def _also(self) -> str:
        count = len(self.others)
        partly = self.lead.verdict is Verdict.MISSING and not self.everything and not wholly_missing(self.mark)
        if partly or self.waits_together:
            return self._concerns()
        if not count:
            return ""
        if self.lead.verdict is Verdict.MISSING or self.everything:
            return f"So none of the {count + 1} checks could be judged."
        of_all = self.lead.verdict is not Verdict.FAILED or self.lead.reason is Reason.EVERY_CALL
        if of_all and not self.diagnosis:
            return f"The same stops {count} more check{'' if count == 1 else 's'}."
        if _in_source(self.lead):
            return f"{count + 1} checks count nothing for it."
        titles = [outcome.marked.rstrip(".") for outcome in self.others[:MOST_TITLES]]
        more = f"; and {count - MOST_TITLES} more" if count > MOST_TITLES else ""
        return f"{'Fails' if count == 1 else 'Fail'} for the same reason: {'; '.join(titles)}{more}."

    def _concerns(self) -> str:
        """Return the questions that wait or are empty together; of a hand-in that nobody could read, their number."""
        if self.lead.reason is Reason.UNREAD:
            return f"This concerns all {len(self.others) + 1} questions." if self.everything else ""
        return f"This concerns: {'; '.join(outcome.marked.rstrip('.') for outcome in (self.lead, *self.others))}."

    def hints(self) -> tuple[str, ...]:
        """Return the help to print, in order: the instructor's own first."""
        if self.level is HintLevel.NONE:
            return ()
        own = [check.hint for check in self.mark.criterion.checks if check.id == self.lead.check and check.hint]
        texts = [*own, *([self.mark.criterion.hint] if self.mark.criterion.hint else [])]
        if self.lead.diagnosis:
            known = self.lead.diagnosis.hints
            wanted = {
                HintLevel.NUDGE: ("nudge",),
                HintLevel.HINT: ("hint",),
                HintLevel.EXPLANATION: ("hint", "explanation"),
            }[self.level]
            found = [known[key] for key in wanted if known.get(key)]
            texts += found or [known[key] for key in ("nudge",) if known.get(key)]
        return tuple(dict.fromkeys(sentence(text) for text in texts))


def pointers(seen: Seen, finding: Finding) -> tuple[str, ...]:
    """Return the line to look at, if there is one to be told, and for staff the check's id."""
    where, check = finding.about(), finding.lead.check if seen.view == "staff" else ""
    return tuple(text for text in (where, check) if text)


def at_least(level: HintLevel, other: HintLevel) -> bool:
    """Whether ``level`` gives as much help as ``other``."""
    return ORDER.index(level) >= ORDER.index(other)


def findings(seen: Seen) -> tuple[Finding, ...]:
    """Return what went wrong, in the rubric's order; a cause that spans criteria is told at the first of them.

    What is not there yet is no finding: see :mod:`grader.report.absent`.
    """
    groups: dict[tuple[str, ...], tuple[Mark, list[Outcome]]] = {}
    absent = {outcome.check for item in absences(seen.report) for outcome in item.outcomes}
    wrong = {o.component: m.criterion.title for m in seen.report.marks for o in m.outcomes if o.verdict in _WRONG}
    for mark in seen.report.marks:
        for outcome in mark.outcomes:
            if outcome.verdict in {Verdict.PASSED, Verdict.SKIPPED} or outcome.check in absent:
                continue
            follows = outcome.verdict is Verdict.FAILED and _upstream(outcome, wrong)
            cause = ("follows", outcome.component) if follows else _cause(outcome)
            groups.setdefault(cause, (mark, []))[1].append(outcome)
    found = (_finding(mark, outcomes, seen) for mark, outcomes in groups.values())
    return tuple(replace(one, upstream=_upstream(one.lead, wrong)) for one in found)


def _upstream(outcome: Outcome, wrong: Mapping[str, str]) -> tuple[str, ...]:
    """The titles of the wrong parts that a wrong value may come from, where no mistake explains it."""
    if outcome.verdict not in _WRONG or outcome.diagnosis is not None:
        return ()
    return tuple(dict.fromkeys(wrong[part] for part in PARTS.get(outcome.component, ()) if part in wrong))


def finding_of(mark: Mark, outcome: Outcome, seen: Seen) -> Finding:
    """Return one outcome as a finding of its own, for formats that list checks."""
    return _finding(mark, [outcome], seen)


def _cause(outcome: Outcome) -> tuple[str, ...]:
    """What outcomes that are told together have in common."""
    verdict, reason, message = outcome.verdict, outcome.reason, outcome.message
    if outcome.diagnosis:
        found, where = outcome.diagnosis, (message, str(outcome.location)) if _in_source(outcome) else ()
        return ("diagnosis", found.id, found.component, *where)
    if verdict is Verdict.UNDETERMINED and message and not (outcome.notes or outcome.counterexample):
        return ("waits", "" if reason is Reason.UNREAD else outcome.component, message, outcome.staff_note or "")
    of_all = {Reason.PACKAGE: (reason,), Reason.FILE: (verdict, message)}
    of_all[Reason.EVERY_CALL] = (reason, outcome.component, message)
    if reason in of_all:
        return of_all[reason]
    if verdict is Verdict.FAILED and outcome.counterexample is not None:  # one wrong answer is told once
        example = outcome.counterexample
        return ("answer", outcome.component, example.got, *(f"{k}={v}" for k, v in example.inputs.items()))
    if verdict in {Verdict.FAILED, Verdict.UNDETERMINED}:
        return ("check", outcome.check)
    return _where_it_ended(outcome)


def _where_it_ended(outcome: Outcome) -> tuple[str, ...]:
    if outcome.verdict is Verdict.TIMEOUT:  # what was not run for it has the same cause
        return (outcome.verdict, outcome.component)
    at = outcome.location
    if at is None:
        refusing = outcome.raised.refusing  # one signature, whatever the calls pass to it
        said = f"{refusing}: {exceptions.kind(outcome.raised.message)}" if refusing else outcome.message
        return (outcome.verdict, said, outcome.component)
    if outcome.unimported:  # whatever needs it
        return (outcome.verdict, outcome.unimported, at.file)
    # one line that raises, whatever the sizes that it names
    said = outcome.raised.type if outcome.verdict is Verdict.ERROR else outcome.message
    return (outcome.verdict, said, f"{at.file}:{at.cell}:{at.line}")


def _in_source(outcome: Outcome) -> bool:
    """Whether a line of the source shows the mistake, and no answer does: each such line is told."""
    return outcome.diagnosis is not None and outcome.diagnosis.by is By.RUN


def _finding(mark: Mark, outcomes: list[Outcome], seen: Seen) -> Finding:
    lead = min(outcomes, key=_size)
    others = tuple(outcome for outcome in outcomes if outcome is not lead)
    interface = next((item for item in seen.report.assignment.interfaces if item.component == lead.component), None)
    if interface is None or lead.verdict in {Verdict.FAULT, Verdict.MISSING}:
        return Finding(mark, lead, others, seen.level, interface.callable if interface else "")
    asked = lead.counterexample.function if lead.counterexample else ""
    name = asked or interface.callable
    known = lead.reason is not Reason.FILE and (asked or not interface.names)
    from grader import source  # only code needs it

    defined, method = (source.definition(seen.report.submission.modules, name) if known else None), ""
    if defined and lead.counterexample:
        computing = source.method_of_class(seen.report.submission.modules, name, ("forward", "__call__"))
        if computing is not None:
            method, at = computing
            defined = replace(at, file=StudentText(at.file))
    return Finding(mark, lead, others, seen.level, name, defined, method)


def _size(outcome: Outcome) -> tuple[bool | int, ...]:
    """What was run and the smallest example first; a wrong value shows more than an exception without a line."""
    example, idle = outcome.counterexample, outcome.reason is Reason.NOT_RUN
    if example is None:
        return (idle, True, outcome.location is None, 0)
    if example.expected == example.got:  # it shows nothing by itself
        return (idle, False, True, 0)
    written = example.inputs.values()
    return (idle, False, example.hidden, not example.snippet, sum(map(len, written)))


def wholly_missing(mark: Mark) -> bool:
    """Whether nothing of the criterion was there to be judged: an empty section is told apart from one empty line."""
    return all(outcome.verdict is Verdict.MISSING for outcome in mark.outcomes)
