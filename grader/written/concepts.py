"""Concept lists: what a full short answer holds, in many wordings, kept as data in written/keys/*.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from grader.errors import GraderError
from grader.written.relations import Claim, Comparison
from grader.written.slots import Slot, slot_of


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

    id: str
    question: str
    concepts: tuple[Idea, ...]
    misconceptions: tuple[Idea, ...]
    doubts: tuple[Pattern, ...] = ()  # words that belong to another topic: a person should look
    vocabulary: frozenset[str] = frozenset()  # words that this list speaks of; others may say something else
    claims: tuple[Claim, ...] = ()  # wrong relations between the right words
    compare: Comparison | None = None

    def knows(self, word: str) -> bool:
        """Say whether a word is plain, or one of this list's (an ending more or less)."""
        if word in plain_words() or word in self.vocabulary:
            return True
        if any(f"{word[:cut]}*" in self.vocabulary for cut in range(3, len(word) + 1)):
            return True
        stems = {word[:cut] for cut in range(max(4, len(word) - 4), len(word))}
        stems |= {f"{word.removesuffix(ending)}e" for ending in ("ing", "ed") if word.endswith(ending)}
        return any(stem in self.vocabulary or stem in plain_words() for stem in stems)


@lru_cache(maxsize=1)
def plain_words() -> frozenset[str]:
    """Return the words that say nothing about a topic."""
    return _words_of("plain_words.txt")


@lru_cache(maxsize=1)
def field_words() -> frozenset[str]:
    """Return the nouns of the field: a blank may hold them whatever its question is."""
    return _words_of("field_words.txt")


def _words_of(name: str) -> frozenset[str]:
    text = (files("grader.written") / "keys" / name).read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


def concept_names() -> tuple[str, ...]:
    """Return the names of the concept lists at hand."""
    folder = files("grader.written") / "keys"
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".yaml")))


@lru_cache(maxsize=64)
def concept_list(name: str) -> ConceptList:
    """Return the concept list called `name`; raises GraderError where there is none."""
    import yaml

    path = files("grader.written") / "keys" / f"{name}.yaml"
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or not path.is_file():
        raise GraderError(f"There is no concept list {name!r}; there are {', '.join(concept_names())}.")
    return build_list(name, yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader))


def build_list(name: str, data: dict[str, Any]) -> ConceptList:
    """Build a concept list from the data of its file; weights are made to sum to one."""
    concepts = data["concepts"]
    total = sum(float(entry.get("weight", 1)) for entry in concepts)
    return ConceptList(
        name,
        str(data["question"]),
        tuple(_idea(entry, float(entry.get("weight", 1)) / total) for entry in concepts),
        tuple(_idea(entry, 0.0) for entry in data.get("misconceptions", ())),
        tuple(_pattern(wording) for wording in data.get("doubts", ())),
        frozenset(_spoken_of(data)),
        tuple(_claim(entry) for entry in data.get("claims", ())),
        _comparison(data["compare"]) if "compare" in data else None,
    )


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


def _spoken_of(data: dict[str, Any]) -> Iterator[str]:
    """Yield the words of the question, of the concepts' wordings, and those the list adds as ``words``."""
    yield from _letters(str(data["question"]))
    yield from _letters(str(data.get("words", "")))
    for entry in data["concepts"]:
        yield from _letters(str(entry["title"]))
        yield from _letters(" ".join(re.sub(r"\\[a-zA-Z]", " ", wording) for wording in entry.get("strict", ())))
        for wording in entry["any"]:
            slots = [wording] if isinstance(wording, str) else [*wording.get("all", ()), *wording.get("order", ())]
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
    patterns = tuple(_pattern(wording) for wording in entry["any"])
    strict = tuple(str(wording) for wording in entry.get("strict", ()))
    not_of = slot_of(entry["not_of"]) if "not_of" in entry else None
    return Idea(str(entry["id"]), str(entry["title"]), weight, patterns, str(entry.get("hint", "")), not_of, strict)


def _pattern(wording: dict[str, Any] | str) -> Pattern:
    if isinstance(wording, str):
        return Pattern((slot_of(wording),))
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
