"""Answers to one question that say the same in (almost) the same words, so that one decision serves them all."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from grader.review.queue import Item

CLOSE = 0.9
"""Likeness from which on two answers are shown together; a person still decides for each group."""
_ARTICLES = frozenset({"the", "a", "an", "der", "die", "das", "ein", "eine"})
_DENIAL = re.compile(r"\b(?:not|no|never|cannot|can't|without|nicht|kein\w*)\b|n't\b")


def groups(items: Sequence[Item]) -> tuple[tuple[Item, ...], ...]:
    """Return the items in groups of alike answers, the largest group of each check first.

    Answers are alike that have the same words, or nearly so, with as many denials and the same numbers.
    """
    found: list[list[Item]] = []
    by_check: dict[str, list[Item]] = {}
    for item in items:
        by_check.setdefault(item.check, []).append(item)
    for own in by_check.values():
        found += _grouped(own)
    return tuple(tuple(group) for group in found)


def _grouped(items: Sequence[Item]) -> list[list[Item]]:
    same: dict[str, list[Item]] = {}
    for item in items:
        same.setdefault(words_of(item), []).append(item)
    merged: list[tuple[str, list[Item]]] = []
    for words, members in same.items():
        home = next((group for first, group in merged if words and near(first, words)), None)
        if home is None:
            merged.append((words, list(members)))
        else:
            home += members
    return sorted((group for _, group in merged), key=lambda group: (-len(group), group[0].key))


def words_of(item: Item) -> str:
    """Return an answer for comparison; one without text is like no other."""
    found = re.findall(r"\w+|[=+*/^<>√²-]", item.answer.text.lower())
    words = " ".join([word for word in found if word not in _ARTICLES] or found)
    return words or f"\0{item.key}"


def near(first: str, second: str) -> bool:
    """Whether two answers are nearly the same: few other letters, the same numbers, as many denials."""
    if re.findall(r"\d+", first) != re.findall(r"\d+", second):
        return False
    if len(_DENIAL.findall(first)) != len(_DENIAL.findall(second)):
        return False
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.real_quick_ratio() >= CLOSE and matcher.quick_ratio() >= CLOSE and matcher.ratio() >= CLOSE
