"""What is not there yet: parts not written, not defined or left empty, told in a line instead of a finding each."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.model.assignment import Interface
from grader.model.outcome import Counterexample, Location, Outcome, Reason, Verdict
from grader.model.report import Mark, Report
from grader.report.words import sentence

_MOST_NAMES = 6


@dataclass(frozen=True, slots=True)
class Absent:
    """A criterion with something that is not there: ``outcomes`` are told together, ``lead`` has the best example.

    ``function`` is the name that the hand-out gives it, empty for written work; ``whole`` says that nothing else of
    the criterion was found either.
    """

    mark: Mark
    outcomes: tuple[Outcome, ...]
    lead: Outcome
    function: str
    whole: bool

    @property
    def location(self) -> Location | None:
        """Where it is to be written, if there is such a line."""
        return next((outcome.location for outcome in self.outcomes if outcome.location), None)

    @property
    def word(self) -> str:
        """What became of it, in a word or two."""
        return "missing" if self.lead.verdict is Verdict.MISSING else "not written yet"


def absences(report: Report) -> tuple[Absent, ...]:
    """Return what is not there, in the rubric's order."""
    interfaces = {item.component: item for item in report.assignment.interfaces}
    gone = {name: _outcomes_gone(found, interfaces.get(name)) for name, found in _by_component(report).items()}
    unwritten = {interfaces[name].callable for name, outcomes in gone.items() if outcomes and name in interfaces}
    return tuple(
        Absent(mark, outcomes, _lead(outcomes), _function(outcomes[0], interfaces), _nothing_else(mark, outcomes))
        for mark in report.marks
        if (outcomes := tuple(_of_mark(mark, gone, interfaces, unwritten)))
        if outcomes[0].component in interfaces or _nothing_else(mark, outcomes)
    )


@dataclass(frozen=True, slots=True)
class Told:
    """One sentence or two on what is not there, and the smallest example of what to begin with, if there is one."""

    text: str
    example: Counterexample | None = None

    @property
    def lead_in(self) -> str:
        """Return what introduces the example."""
        why = f" ({sentence(self.example.why)[:-1]})" if self.example and self.example.why else ""
        return f"The smallest case{why}:"


def told(report: Report) -> tuple[Told, ...]:
    """Return what to say of all that is not there: where to begin first."""
    items = absences(report)
    unwritten = [item for item in items if item.lead.verdict is not Verdict.MISSING]
    undefined = [item for item in items if item.lead.verdict is Verdict.MISSING and item.function]
    said = [_of_unwritten(unwritten, report)] if unwritten else []
    said += [_of_undefined(undefined)] if undefined else []
    empty: dict[str, list[str]] = {}
    for item in items:
        if item.lead.verdict is Verdict.MISSING and not item.function:
            empty.setdefault(item.lead.message.rstrip("."), []).append(item.mark.criterion.title)
    return (*said, *(Told(f"{message}: {'; '.join(titles)}.") for message, titles in empty.items()))


def _of_unwritten(items: Sequence[Absent], report: Report) -> Told:
    first, where = items[0], items[0].location
    name = (where and _enclosing(report, where)) or first.function
    at = f" ({where})" if where else ""
    if len(items) == 1:
        return Told(f"{name} is not written yet{at}.", first.lead.counterexample)
    return Told(f"{len(items)} parts are not written yet. Start with {name}{at}.", first.lead.counterexample)


def _of_undefined(items: Sequence[Absent]) -> Told:
    names = list(dict.fromkeys(item.function for item in items))
    if len(names) == 1:
        return Told(f"{names[0]} is not defined.")
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return Told(f"{len(names)} parts are not defined: {', '.join(names[:_MOST_NAMES])}{more}.")


def _enclosing(report: Report, place: Location) -> str:
    """The name of the function, with its class, that the line at ``place`` is part of; empty where there is none."""
    lines = next((chunk.lines[: place.line] for chunk in report.submission.chunks if chunk.filename == place.file), ())
    found = [match for line in lines if (match := re.match(r"(\s*)(?:async )?(def|class)\s+(\w+)", line))]
    if not found or found[-1][2] == "class":
        return ""
    around = next((match[3] for match in reversed(found) if match[2] == "class"), "")
    return f"{around}.{found[-1][3]}" if found[-1][1] and around else found[-1][3]


def _by_component(report: Report) -> dict[str, list[Outcome]]:
    found: dict[str, list[Outcome]] = {}
    for mark in report.marks:
        for outcome in mark.outcomes:
            found.setdefault(outcome.component, []).append(outcome)
    return found


def _outcomes_gone(outcomes: Iterable[Outcome], interface: Interface | None) -> frozenset[str]:
    """The checks of a component that met nothing; where they are most, in code, what fails without example as well."""
    judged = [outcome for outcome in outcomes if outcome.verdict is not Verdict.SKIPPED]
    direct = {outcome.check for outcome in judged if _is_gone(outcome, interface)}
    if interface is None or not direct or 2 * len(direct) < len(judged):
        return frozenset(direct)
    return frozenset(direct | {outcome.check for outcome in judged if _says_nothing(outcome)})


def _is_gone(outcome: Outcome, interface: Interface | None) -> bool:
    if outcome.verdict is Verdict.MISSING:
        return interface is None or outcome.reason is Reason.UNDEFINED
    return outcome.reason is Reason.UNWRITTEN


def _says_nothing(outcome: Outcome) -> bool:
    """Whether a failure follows from the part's absence: no input shows it."""
    lost = outcome.verdict in {Verdict.FAILED, Verdict.UNDETERMINED, Verdict.ERROR}
    return lost and outcome.counterexample is None


def _of_mark(
    mark: Mark, gone: Mapping[str, frozenset[str]], interfaces: Mapping[str, Interface], unwritten: set[str]
) -> Iterator[Outcome]:
    """What of a criterion is not there, and what cannot work because the same callable is not written."""
    for outcome in mark.outcomes:
        interface = interfaces.get(outcome.component)
        follows = interface is not None and interface.callable in unwritten and _says_nothing(outcome)
        if outcome.check in gone[outcome.component] or (follows and not gone[outcome.component]):
            yield outcome


def _function(outcome: Outcome, interfaces: Mapping[str, Interface]) -> str:
    interface = interfaces.get(outcome.component)
    return interface.callable if interface else ""


def _lead(outcomes: tuple[Outcome, ...]) -> Outcome:
    """The first with an example, if there is one: checks begin with what the part is for."""
    return next((outcome for outcome in outcomes if outcome.counterexample), outcomes[0])


def _nothing_else(mark: Mark, outcomes: tuple[Outcome, ...]) -> bool:
    told = {outcome.check for outcome in outcomes}
    return all(outcome.check in told or outcome.verdict is Verdict.SKIPPED for outcome in mark.outcomes)
