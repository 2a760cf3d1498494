"""Files of answers: what a full answer to one question holds, what contradicts it, kept beside the key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from grader.written.relations import Claim, Comparison
from grader.written.slots import Slot, slot_of
from grader.written.statements import Statements, statements
from grader.written.word_lists import plain_words


@dataclass(frozen=True, slots=True)
class Pattern:
    """One wording of an idea: `slots` found in one window (a sentence, or a clause), in order or not.

    `either` patterns count whether denied or not ("no recurrence"). `negated` patterns need a word that denies or
    blocks; the others must not have one before a slot. `without` must not occur in the window. In order, the slots
    stand at most `gap` characters apart.
    """

    slots: tuple[Slot, ...]
    ordered: bool = False
    clause: bool = False
    negated: bool = False
    either: bool = False
    without: Slot | None = None
    gap: int = 90


@dataclass(frozen=True, slots=True)
class Idea:
    """A concept with its weight, or a misconception with weight zero and a hint."""

    id: str
    title: str
    weight: float
    patterns: tuple[Pattern, ...]
    hint: str = ""
    not_of: Slot | None = None  # subjects it would be wrong to say this of
    strict: tuple[str, ...] = ()  # relations within a clause, one of which full marks need


@dataclass(frozen=True, slots=True)
class ConceptList:
    """What a full answer to one question holds, and what it must not hold."""

    question: str
    concepts: tuple[Idea, ...]
    misconceptions: tuple[Idea, ...]
    doubts: tuple[Pattern, ...] = ()  # words that belong to another topic: a person should look
    vocabulary: frozenset[str] = frozenset()  # words that this list speaks of; others may say something else
    claims: tuple[Claim, ...] = ()  # wrong relations between the right words
    compare: Comparison | None = None
    statements: str = ""  # what an answer may consist of

    def knows(self, word: str) -> bool:
        """Say whether a word is plain, or one of this list's (an ending more or less)."""
        if word in plain_words() or word in self.vocabulary:
            return True
        if any(f"{word[:cut]}*" in self.vocabulary for cut in range(3, len(word) + 1)):
            return True
        stems = {word[:cut] for cut in range(max(4, len(word) - 4), len(word))}
        stems |= {f"{word.removesuffix(ending)}e" for ending in ("ing", "ed") if word.endswith(ending)}
        return any(stem in self.vocabulary or stem in plain_words() for stem in stems)


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
    claims: list[dict[str, Any]] = []
    compare: dict[str, str] | None = None
    words: str = ""
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
        tuple(_idea(entry, 0.0) for entry in data.contradictions),
        tuple(_pattern(wording) for wording in data.doubts),
        frozenset(_spoken_of(data)),
        tuple(_claim(entry) for entry in data.claims),
        _comparison(data.compare) if data.compare else None,
        data.statements,
    )


def statements_of(text: str) -> Statements | None:
    """Return the right statements of a file of answers by its text; None where it holds none."""
    return statements(answers_file(text).statements)


def _claim(entry: dict[str, Any]) -> Claim:
    return Claim(
        str(entry["title"]),
        slot_of(entry["subject"]),
        slot_of(entry["verb"]) if "verb" in entry else None,
        slot_of(entry["thing"]),
        slot_of(entry["unless"]) if "unless" in entry else None,
        bool(entry.get("denied", False)),
    )


def _comparison(entry: dict[str, str]) -> Comparison:
    ours, theirs, ahead, behind = (slot_of(entry[name]) for name in ("ours", "theirs", "ahead", "behind"))
    return Comparison(entry["title"], ours, theirs, ahead, behind)


def _spoken_of(data: AnswersFile) -> Iterator[str]:
    """Yield the words of the question, of the concepts' wordings, and those the list adds as ``words``."""
    yield from _letters(data.question)
    yield from _letters(data.words)
    for entry in data.ideas:
        yield from _letters(str(entry["title"]))
        yield from _letters(" ".join(re.sub(r"\\[a-zA-Z]", " ", wording) for wording in entry.get("strict", ())))
        for wording in entry.get("any", ()):
            slots = (
                wording.split(" + ")
                if isinstance(wording, str)
                else [*wording.get("all", ()), *wording.get("order", ())]
            )
            for slot in slots:
                yield from _letters(re.sub(r"\\[a-zA-Z]", " ", slot))


def _letters(text: str) -> Iterator[str]:
    """Yield words in lower case; of `learn*` and of an expression's fragments what stands there."""
    for word in re.findall(r"[^\W\d_]+(?:['-][^\W\d_]+)*\*?", text.lower()):
        yield word
        if word.endswith("*"):
            yield word[:-1]
        yield from word.split("-") if "-" in word else ()


def _idea(entry: dict[str, Any], weight: float) -> Idea:
    patterns = tuple(_pattern(wording) for wording in entry.get("any", ()))
    strict = tuple(str(wording) for wording in entry.get("strict", ()))
    not_of = slot_of(entry["not_of"]) if "not_of" in entry else None
    return Idea(
        str(entry.get("id", "")), str(entry["title"]), weight, patterns, str(entry.get("hint", "")), not_of, strict
    )


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
        gap=int(wording.get("gap", 90)),
    )
