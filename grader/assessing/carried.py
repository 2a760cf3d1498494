"""Error carried forward: a block is judged apart from the parts that it uses.

A block that is right but for a mistake that one of its parts was already found to have is right, given that part.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from grader import mistakes
from grader.components import PARTS
from grader.model import By, Outcome, StudentText, Verdict


def carry_forward(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """Return the outcomes with what a part already pays for turned into passed, and a note that says so.

    Only a mistake that reproduces all of a block's answers is carried: then the block is equal to the paper's around
    the very part that the student has.
    """
    found = {
        component: _mistakes([one for one in outcomes if one.component == component])
        for component in {one.component for one in outcomes}
    }
    return tuple(_carried(outcome, found) for outcome in outcomes)


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


def _carried(outcome: Outcome, found: Mapping[str, frozenset[str]]) -> Outcome:
    if outcome.diagnosis is None or not _lost(outcome):
        return outcome
    parts = [part for part in PARTS.get(outcome.component, ()) if part in found]
    lost = outcome.diagnosis
    family = tuple(itertools.chain(*lost.family)) if len(lost.ids) == 1 else ()
    single = [_names((name, *family)) for name in lost.ids]
    homes = [next((part for part in parts if names & found[part]), "") for names in single]
    if not homes or not all(homes):
        return outcome
    if outcome.verdict is Verdict.ERROR and outcome.diagnosis.by is By.EXCEPTION:
        where = homes[0].replace("_", " ")
        return replace(
            outcome,
            verdict=Verdict.UNDETERMINED,
            message=f"cannot be judged while your {where} raises; {outcome.message}",
        )
    given = " and ".join(dict.fromkeys(home.replace("_", " ") for home in homes))
    return replace(
        outcome,
        verdict=Verdict.PASSED,
        passed=max(outcome.asked, 1),
        asked=max(outcome.asked, 1),
        message="",
        counterexample=None,
        diagnosis=None,
        notes=(*outcome.notes, f"right, given your {given}"),
    )


NO_NUMBER = "answer-not-a-number"


def follow(outcomes: Sequence[Outcome], built_on: Callable[[str, str], bool]) -> tuple[Outcome, ...]:
    """Return the outcomes in which a block waits of which nothing can be told, since a part of it is wrong itself.

    That is so where no mistake explains the block and none the values of its part, and where the block gives no numbers
    and its part loses points. ``built_on(block, part)`` says whether the part's values enter the block, and no working
    part can take its place. What the part is worth stays.
    """
    groups = {name: [one for one in outcomes if one.component == name] for name in {o.component for o in outcomes}}
    unknown = {name for name, group in groups.items() if _unexplained(group[0])}
    lost = {name for name, group in groups.items() if any(map(_lost, group))}
    waits: dict[str, str] = {}
    for name, group in groups.items():
        if name in unknown:
            guilty = lost if any(map(_without_numbers, group)) else unknown
            parts = [part for part in PARTS.get(name, ()) if part in guilty and built_on(name, part)]
            waits |= {name: parts[0].replace("_", " ")} if parts else {}
    return tuple(_waiting(one, waits[one.component]) if one.component in waits else one for one in outcomes)


def _unexplained(outcome: Outcome) -> bool:
    """Whether a wrong answer has no name, or none that says more than that it is no number."""
    return outcome.verdict is Verdict.FAILED and (outcome.diagnosis is None or _without_numbers(outcome))


def _without_numbers(outcome: Outcome) -> bool:
    return outcome.diagnosis is not None and outcome.diagnosis.id == NO_NUMBER


def _waiting(outcome: Outcome, part: str) -> Outcome:
    if not (_unexplained(outcome) or outcome.verdict is Verdict.SKIPPED):
        return outcome
    said = f"cannot be judged while your {part} is wrong; {outcome.message}"
    return replace(outcome, verdict=Verdict.UNDETERMINED, message=StudentText(said), diagnosis=None)
