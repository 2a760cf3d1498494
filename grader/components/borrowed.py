"""What a forbidden library call computes is not the student's work: the component that it stands in for earns nothing.

Where the call does the work on some ways through the code only, or where that cannot be read, a person decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from grader import components as catalogue
from grader import source
from grader.model import (
    READ_IN_SOURCE,
    Assignment,
    Diagnosis,
    Interface,
    Location,
    Outcome,
    StudentText,
    Submission,
    Verdict,
)

FORBIDDEN = (
    "torch.nn.MultiheadAttention",
    "torch.nn.functional.multi_head_attention_forward",
    "torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.Transformer*",
)
"""Library calls that stand for a whole exercise; an assignment's own list takes their place."""

HONESTY, CHECK, MISTAKE = "integrity", "uses_no_forbidden_call", "integrity-forbidden-call"


def said(use: source.Use, function: str) -> str:
    """Return what is not allowed where."""
    return f"{use.name} is not allowed in {function}"


def at(text: str, place: Location | None) -> str:
    """Return a sentence with the line that it speaks of."""
    return text + (f" ({place.file}, line {place.line})" if place else "")


def disallowed(interface: Interface, everywhere: Sequence[str]) -> tuple[str, ...]:
    """Return all that the hand-out forbids in a component."""
    return tuple(dict.fromkeys((*everywhere, *interface.forbidden)))


def without_borrowed(
    outcomes: Sequence[Outcome], submission: Submission, assignment: Assignment, defined: Collection[str]
) -> tuple[Outcome, ...]:
    """Fail what passes because a forbidden call does it; ``defined`` are the functions and classes handed in.

    Needs no reading where the component of honest computation was asked and found none.
    """
    asked = (o for o in outcomes if o.check == f"{HONESTY}.{CHECK}")
    clean = any(o.verdict is Verdict.PASSED and not o.staff_note for o in asked)
    if clean or not any(interface.forbidden or interface.component == HONESTY for interface in assignment.interfaces):
        return tuple(outcomes)
    judged = {outcome.component for outcome in outcomes if _counts(outcome)}
    origins = dict(_origins(judged, submission, assignment, defined))
    return tuple(_told(outcome, origins) for outcome in outcomes)


def _counts(outcome: Outcome) -> bool:
    return outcome.component != HONESTY and outcome.verdict in {Verdict.PASSED, Verdict.UNDETERMINED}


def _origins(
    judged: Collection[str], submission: Submission, assignment: Assignment, defined: Collection[str]
) -> Iterator[tuple[str, tuple[str, source.Origin]]]:
    """Yield each component that a call stands in for, with the function's name and the calls."""
    asked = {one.component: _names(one, defined) for one in assignment.interfaces}
    apart = {name for names in asked.values() for name in names}
    own = [one for one in assignment.interfaces if one.component == HONESTY]
    everywhere = (own[0].forbidden or FORBIDDEN) if own else ()
    for interface in assignment.interfaces:
        names, listed = asked[interface.component], disallowed(interface, everywhere)
        if interface.component not in judged or not names or not listed:
            continue
        found = source.origin(submission.modules, names, listed, apart)
        if found.uses or found.guesses:
            yield interface.component, (names[0], found)


def _names(interface: Interface, defined: Collection[str]) -> tuple[str, ...]:
    """The callables of a component that are handed in: the one asked for or its first alias, and its further ones."""
    wanted = (interface.callable, *interface.aliases)
    first = [name for name in wanted if name in defined][:1]
    return tuple(dict.fromkeys((*first, *(name for name in interface.names.values() if name in defined))))


def _told(outcome: Outcome, origins: Mapping[str, tuple[str, source.Origin]]) -> Outcome:
    if outcome.component not in origins or not _counts(outcome):
        return outcome
    function, found = origins[outcome.component]
    use = (*found.uses, *found.guesses)[0]
    if found.sure:
        return replace(
            outcome,
            verdict=Verdict.FAILED,
            passed=0,
            message=StudentText(at(said(use, function), use.location)),
            location=use.location,
            counterexample=None,
            diagnosis=diagnosis(),
        )
    text = f"whether {use.name} does the work of {function}, where it is not allowed, is for a person to see"
    return replace(
        outcome, verdict=Verdict.UNDETERMINED, passed=0, message=StudentText(at(text, use.location)), location=None
    )  # fmt: skip


def diagnosis() -> Diagnosis:
    """Return the mistake by its name."""
    known = next(one for one in catalogue.get(HONESTY).misconceptions if one.id == MISTAKE)
    return Diagnosis(known.id, known.title, (), READ_IN_SOURCE, known.hints, "")
