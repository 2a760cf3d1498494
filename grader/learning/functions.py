"""A function is learned by trying: the ways to call it, and each setting that its course may have settled.

What it answers is asked once; settings that say what is right, and not how it is called, cost no further call.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from grader import components as catalogue
from grader.judging.function import Function
from grader.learning import draft, unnamed
from grader.learning.around import Around
from grader.learning.definitions import Definition
from grader.learning.lesson import CURES, Field, Lesson, Question
from grader.learning.search import Move, Tried, attempt, best_of, further, made, moves_of
from grader.learning.trial import Trial
from grader.learning.ways import OF_MASKS, begun, tried, unanswered, ways
from grader.model.assignment import BESIDE


def learn(trial: Trial, component: str, one: Definition, around: Around) -> Lesson:
    """Learn one function; what other parts keep is tried first."""
    given = catalogue.function(component).given

    def told(meant: Definition) -> tuple[Lesson, float]:
        return _told(trial, component, meant, around)

    return unnamed.learned(one, given, told)


def _told(trial: Trial, component: str, one: Definition, around: Around) -> tuple[Lesson, float]:
    """The lesson of a function, and what it loses under it; with as much lost, more arguments are better."""
    part = catalogue.function(component)
    found = tried(trial, component, one, ways(component, one, around, torch=around.torch))
    if unanswered(found):
        draft_of = found[0].interface if found else begun(component, one)
        return Lesson(one, draft_of, {}, (_uncalled(part, one, found),), judged=False), math.inf
    several, first = draft.returns_masks(one), best_of(found)
    moves = list(moves_of(part, one, first.interface))
    if several:  # what they mean is tried with each
        moves = [move for move in moves if move.field[-1] not in OF_MASKS and not move.narrows]
    best = further(trial, one, first, moves)
    if several and best.lost:
        which = Question(SEVERAL.format(", ".join(one.names_returned)))
        return Lesson(one, best.interface, {}, (which,), judged=False), math.inf
    right, asked = best.cases
    read = right >= HARDLY * asked and 2 * best.lost < len(best.outcomes)
    lesson = replace(_lesson(trial, one, first, best), read=read)
    return lesson, best.lost - len(best.interface.parameters) / MANY


SEVERAL = (
    "returns several masks ({}), and no call with ids gave those of the paper among them. "
    "Say in adapter.py which they are: call(work, ids, pad_id) and make_tgt_mask(work, ids, pad_id)."
)


def _uncalled(part: Function, one: Definition, tried: Sequence[Tried]) -> Question:
    """Why a function could not be called in any way that was tried."""
    theirs, ours = ", ".join(taken.name for taken in one.called), ", ".join(part.given)
    first = next((outcome for each in tried for outcome in each.outcomes), None)
    why = f": {first.message}" if first is not None else ""
    raised = first.raised.type if first is not None else ""
    cure = CURES.get(raised, "Say what stands for what (parameters), or write adapter.py.")
    return Question(f"takes ({theirs}), and could not be called as {part.name}({ours}){why}. {cure}")


def _lesson(trial: Trial, one: Definition, first: Tried, best: Tried) -> Lesson:
    """What is right for it, with what was seen; what is rare stays a question."""
    interface, seen, questions = best.interface, dict[Field, str](), []
    part = catalogue.function(interface.component)
    conventions = {settled.key: settled.convention for settled in part.conventions}
    taken: tuple[Move, ...] = ()
    for move in best.moves:
        rest = [other for other in best.moves if other is not move]
        without = attempt(trial, one, made(first.interface, rest), ())
        asked = move.rare or not _explains(best, without)
        taken += () if asked else (move,)
        told = _evidence(best, without)
        if move.field[0] == "conventions":
            told = f"{conventions[move.field[1]].meaning(move.value)}; {told}"
        elif move.field[0] == "domain":
            told = f"all that the solution takes: {told}"
        if not asked:
            seen[move.field] = told
        elif move.field != ("returns",):
            questions.append(Question(told, *_asked(move)))
    for key, value in first.interface.conventions.items():
        if key != "form" and ("conventions", key) not in seen:
            seen["conventions", key] = f"{conventions[key].meaning(value)}{HOW.get(key, '; its own default')}"
    if first.interface.returns:
        without = attempt(trial, one, replace(made(first.interface, taken), returns=()), ())
        beside = "; what stands for _ is not judged" if BESIDE in first.interface.returns else ""
        seen["returns",] = f"{_evidence(best, without)}{beside}"
    for key in first.interface.domain:
        seen["domain", key] = "all that the solution takes: it raises on what is beyond"
    seen["parameters",] = "our names, in the order of the solution"
    return Lesson(one, made(first.interface, taken), seen, tuple(questions))


HOW = {
    "backend": "",
    "float64": "; with numbers of float64 it raises",
    "affine": "; by its arguments",
    "biases": "; by its arguments",
    "mask": "; as its other parts have it",
    "mask_type": "; as its other parts have it",
    "mask_hides": "; as its own masks have it",
    "mask_required": ": without one it raises",
    "mask_heads": ": with one it raises, or answers in another shape",
}
"""How it is known what is settled from the beginning."""


def _asked(move: Move) -> tuple[str, Any]:
    """The line that is asked for."""
    return ("domain", {move.field[1]: move.value}) if move.field[0] == "domain" else (move.field[1], move.value)


HARDLY = 0.25
"""The share of all answers below which a function has little but its name of a part of the paper.

So it has where half of the checks are lost: what passes the others, too, is a table that begins with zeros, or a mask.
"""
MANY = 100
"""More arguments than a function takes."""
MUCH = 0.1
"""The share of all answers that a setting makes right at least, to be more than a coincidence."""


def _explains(best: Tried, without: Tried) -> bool:
    """Whether a setting is a fact: with it nothing is lost, half of what is wrong is right, or a good part of all."""
    (right, asked), (before, asked_before) = best.cases, without.cases
    wrong, wrong_before = 1 - right / max(asked, 1), 1 - before / max(asked_before, 1)
    return not best.lost or 2 * wrong <= wrong_before or wrong_before - wrong >= MUCH


def _evidence(best: Tried, without: Tried) -> str:
    right, asked = best.cases
    return f"{right} of {asked} answers right, {without.cases[0]} of {without.cases[1]} without it"
