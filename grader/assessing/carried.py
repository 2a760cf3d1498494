"""Error carried forward: a block is judged apart from the parts that it uses.

A block that is right but for a mistake that one of its parts was already found to have is right, given that part.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from grader import mistakes
from grader.components import PARTS
from grader.model.outcome import By, Outcome, Tells, Verdict

NO_NUMBER = "answer-not-a-number"
"""What is said of NaN, whatever made it: a block that has it too is not shown to be right."""

_OWN = frozenset({NO_NUMBER, "answer-in-whole-numbers"})
"""What a part's having it too does not excuse: the same may have been made twice."""


def _unsure(outcome: Outcome, by: By, given: str) -> str:
    """Why nobody knows whether a block is right around its part; empty where its answers are reproduced."""
    if outcome.verdict is Verdict.ERROR and by is By.EXCEPTION:
        return f"cannot be judged while your {given} raises"
    return f"cannot be judged beside the mistake of your {given}" if by is By.SIGN and not outcome.manner else ""


def carry_forward(outcomes: Sequence[Outcome], rests_on: Callable[[str, str], bool]) -> tuple[Outcome, ...]:
    """Return the outcomes with what a part already pays for turned into passed, and a note that says so.

    Only a mistake that reproduces all of a block's answers is carried: then the block is equal to the paper's around
    the very part that the student has. ``rests_on`` says whether a block uses what was written for a part: a mistake
    that was made again in code of its own is paid for again.
    """
    found = {
        component: _mistakes([one for one in outcomes if one.component == component])
        for component in {one.component for one in outcomes}
    }
    return tuple(_carried(outcome, found, rests_on) for outcome in outcomes)


def _mistakes(outcomes: Sequence[Outcome]) -> frozenset[str]:
    """The mistakes that a component loses points for."""
    named = [outcome.diagnosis for outcome in outcomes if outcome.diagnosis is not None and _lost(outcome)]
    return frozenset(name for found in named for name in _names((*found.ids, *itertools.chain(*found.family))))


def _lost(outcome: Outcome) -> bool:
    return outcome.verdict in {Verdict.FAILED, Verdict.ERROR}


def _names(single: Iterable[str]) -> frozenset[str]:
    """The names with those that the mistakes have in the parts where they are made first."""
    found, left = set[str](), list(single)
    while left:
        name = left.pop()
        left += [] if name in found else mistakes.same_as(name)
        found.add(name)
    return frozenset(map(_anywhere, found))


def _anywhere(name: str) -> str:
    """A name that layers of both stacks share, and the softmax of attention with the function."""
    name = name.removeprefix("sdpa-") if name.startswith("sdpa-softmax-") else name
    return name.removeprefix("dec-") if name.startswith("dec-") else name.removeprefix("enc-")


def _carried(outcome: Outcome, found: Mapping[str, frozenset[str]], rests_on: Callable[[str, str], bool]) -> Outcome:
    if outcome.diagnosis is None or not _lost(outcome) or _OWN & {*outcome.diagnosis.ids}:
        return outcome
    parts = [part for part in PARTS.get(outcome.component, ()) if part in found]
    lost = outcome.diagnosis
    family = tuple(itertools.chain(*lost.family)) if len(lost.ids) == 1 else ()
    single = [_names((name, *family)) for name in lost.ids]
    homes = [
        next((part for part in parts if names & found[part] and rests_on(outcome.component, part)), "")
        for names in single
    ]
    if not any(homes):
        return outcome
    given = " and ".join(dict.fromkeys(home.replace("_", " ") for home in homes if home))
    if not all(homes):
        left = tuple(name for name, home in zip(lost.ids, homes, strict=True) if not home)
        own = next((one for one in lost.each if one.ids == left), lost)
        return replace(outcome, diagnosis=own, notes=(*outcome.notes, f"The rest is right, given your {given}"))
    if unsure := _unsure(outcome, lost.by, given):
        return replace(outcome, verdict=Verdict.UNDETERMINED, message=f"{unsure}; {outcome.message}", tells=Tells.FOUND)
    return replace(
        outcome,
        verdict=Verdict.PASSED,
        passed=max(outcome.asked, 1),
        asked=max(outcome.asked, 1),
        message="",
        counterexample=None,
        diagnosis=None,
        notes=(*outcome.notes, f"Right, given your {given}"),
    )
