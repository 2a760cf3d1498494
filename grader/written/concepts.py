"""Files of answers: what a full answer to one question holds, what contradicts it, kept beside the key."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from grader.written.statements import Statements, statements
from grader.written.wording import end_of


class Stretch(NamedTuple):
    """Where a text says a slot."""

    start: int
    end: int


class Slot(NamedTuple):
    """Words of an idea, `dot product*|score*`: alternatives, `*` for any ending.

    `re:` makes an alternative, or a whole slot that begins with it, a plain expression. Most alternatives have no word
    in a given answer, and are not read any further.
    """

    alternatives: tuple[str, ...]

    def may_stand(self, text: str) -> bool:
        """Say whether a text has the first letters of an alternative: most patterns need no closer look."""
        return any(said.startswith("re:") or _letters(said) in text for said in self.alternatives)

    def places(self, text: str, start: int, end: int) -> list[Stretch]:
        """Find every place in ``text[start:end]``, in their order."""
        found: list[Stretch] = []
        for said in self.alternatives:
            if said.startswith("re:"):
                found += [Stretch(*match.span()) for match in _compiled(said[3:]).finditer(text, start, end)]
                continue
            letters = _letters(said)
            at = text.find(letters, start, end)
            while at >= 0:
                within = at > start and (text[at - 1].isalnum() or text[at - 1] in "_-")
                stop = 0 if within else end_of(said, text, at)
                found += [Stretch(at, stop)] if stop and stop <= end else []
                at = text.find(letters, at + 1, end)
        return sorted(found, key=lambda place: (place.start, -place.end))


def _letters(form: str) -> str:
    """Return the first letters of a form."""
    return form.split(maxsplit=1)[0].rstrip("*")


def slot_of(text: str) -> Slot:
    """Read a slot as a concept list writes it; raises nothing, a wrong expression is told at its first use."""
    return Slot((text,) if text.startswith("re:") else tuple(part.strip() for part in _alternatives(text)))


_compiled = cache(re.compile)


def _alternatives(text: str) -> list[str]:
    """Cut at the bars outside brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if char == "|" and depth <= 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


class Pattern(NamedTuple):
    """One wording of an idea: `slots` found in one window (a sentence, or a clause), in order or not.

    `either` patterns count whether denied or not ("no recurrence"). `negated` patterns need a word that denies; the
    others must not have one before a slot. `without` must not occur in the window.
    """

    slots: tuple[Slot, ...]
    ordered: bool = False
    clause: bool = False
    negated: bool = False
    either: bool = False
    without: Slot | None = None


class Idea(NamedTuple):
    """A concept with its weight, or a misconception with weight zero."""

    id: str
    title: str
    weight: float
    patterns: tuple[Pattern, ...]


class ConceptList(NamedTuple):
    """What a full answer to one question holds, and what it must not hold."""

    question: str
    concepts: tuple[Idea, ...]
    misconceptions: tuple[Idea, ...]
    statements: str = ""  # what an answer may consist of


class AnswersFile(BaseModel):
    """What a teacher writes about one question: a model answer, its ideas with synonyms, and what contradicts them.

    ``statements`` are what an answer may consist of (see grader.written.statements): where there are none, a person
    reads every answer, and the ideas that were found are marked.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: str = ""
    model: str = ""
    ideas: list[dict[str, Any]] = []
    contradictions: list[dict[str, Any]] = []
    doubts: list[dict[str, Any] | str] = []
    statements: str = ""


@lru_cache(maxsize=64)
def answers_file(text: str) -> AnswersFile:
    """Read the text of a file of answers. Raises ValueError where it is none."""
    import yaml

    try:
        return AnswersFile.model_validate(yaml.load(text, yaml.CSafeLoader) or {})
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None


@lru_cache(maxsize=64)
def concept_list(text: str) -> ConceptList:
    """Build the ideas of a file of answers from its text; weights are made to sum to one. Raises ValueError."""
    data = answers_file(text)
    total = sum(float(entry.get("weight", 1)) for entry in data.ideas)
    return ConceptList(
        data.question,
        tuple(_idea(entry, float(entry.get("weight", 1)) / total) for entry in data.ideas),
        (
            *(_idea(entry, 0.0) for entry in data.contradictions),
            *(Idea("", "this may belong to another topic", 0.0, (_either(wording),)) for wording in data.doubts),
        ),
        data.statements,
    )


def statements_of(text: str) -> Statements | None:
    """Return the right statements of a file of answers by its text; None where it holds none."""
    return statements(answers_file(text).statements)


def _idea(entry: dict[str, Any], weight: float) -> Idea:
    patterns = tuple(_pattern(wording) for wording in entry.get("any", ()))
    return Idea(str(entry.get("id", "")), str(entry["title"]), weight, patterns)


def _either(wording: dict[str, Any] | str) -> Pattern:
    return _pattern(wording)._replace(either=True)


def _pattern(wording: dict[str, Any] | str) -> Pattern:
    if isinstance(wording, str):
        return Pattern(tuple(slot_of(slot) for slot in wording.split(" + ")))
    slots = wording.get("all") or wording.get("order") or []
    without = wording.get("without")
    return Pattern(
        tuple(slot_of(slot) for slot in slots),
        ordered="order" in wording,
        clause=bool(wording.get("clause", False)),
        negated=bool(wording.get("negated", False)),
        either=bool(wording.get("either", False)),
        without=slot_of(without) if without else None,
    )
