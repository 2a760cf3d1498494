"""What stands under a heading of a report, however it was made, and the passages on a topic, found by their words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from grader.model.outcome import Span
from grader.written.judged import Judged, for_a_person
from grader.written.key import Names, TopicKey
from grader.written.paper import Block, Paper

LONGEST = 4000
"""Characters of a section; a title above the whole report that matches is passed over for a heading inside."""
LONGEST_HEADING = 8
"""Words of a paragraph that is a heading by its looks alone."""


_LABEL = re.compile(r"\W{0,3}(?:(?:[^\W_]+\s){0,5}?[^\W_]+\s?[:–—]|[^\W_]+\.)\s+(?=\S)")
"""First words that name what follows: “What was hard for me: …”, “Reflection. …”."""


def section_text(blocks: Sequence[Block], heading: re.Pattern[str]) -> str:
    """Return the prose below a heading that matches, with what stands under its subheadings; empty where none is.

    Where no heading matches, a short paragraph on its own, or the first words of one, are taken for it.
    """
    found = [
        _below(blocks, at)
        for at, block in enumerate(blocks)
        if block.kind == "heading" and heading.search(block.text.lower())
    ]
    fitting = [text for text in found if text and len(text) <= LONGEST] or [text for text in found if text]
    return fitting[0] if fitting else _by_looks(blocks, heading)


def _below(blocks: Sequence[Block], at: int) -> str:
    """Return the prose from a heading to the next of its level; without levels, to the next."""
    level, texts = level_of(blocks[at]), []
    for block in blocks[at + 1 :]:
        if block.kind == "heading" and not (level and level_of(block) > level):
            break
        if block.kind == "text":
            texts.append(block.text)
    return "\n".join(texts)


def level_of(heading: Block) -> int:
    """Return the level of a heading, 1 for a section; 0 where nothing tells it."""
    if heading.form.isdigit():
        return int(heading.form)
    number = re.match(r"\d{1,2}((?:\.\d{1,2})*)[.)]?\s", heading.text)
    return 1 + number[1].count(".") if number else 0


def _by_looks(blocks: Sequence[Block], heading: re.Pattern[str]) -> str:
    for at, block in enumerate(blocks):
        if block.kind != "text":
            continue
        match = heading.search(block.text.lower())
        if match and _is_short(block.text):
            texts: list[str] = []
            for other in blocks[at + 1 :]:
                if other.kind == "heading" or (other.kind == "text" and _is_short(other.text)):
                    break
                texts += [other.text] if other.kind == "text" else []
            if texts:
                return "\n".join(texts)
        label = _LABEL.match(block.text)
        if label and heading.search(label[0].lower()) and len(block.text) > len(label[0]) + LONGEST_HEADING:
            return block.text[label.end() :]
    return ""


def _is_short(text: str) -> bool:
    return len(text.split()) <= LONGEST_HEADING and text[-1:] not in ".,;!?"


COPIED = 12
"""Words in a row that stand in the course's texts: what is said in them is not said by the student."""


MOST_PASSAGES = 3
"""Paragraphs that are shown of a topic."""


def pattern(words: Names) -> re.Pattern[str]:
    """Return an expression for any of the words; a star stands for any ending, a space for a gap or a hyphen."""
    spelled = [re.escape(word.lower()).replace(r"\*", r"\w*").replace(r"\ ", r"[\s-]+") for word in words]
    return re.compile(r"(?<!\w)(?:" + "|".join(spelled) + r")(?!\w)")


def judge_topic(key: TopicKey, paper: Paper) -> tuple[Judged, str]:
    """Find the passages on a topic and name what was not found of it; whether they are right, a person says."""
    formulas = "\n".join(paper.formulas)
    missing = _words_of(key, f"{paper.text}\n{formulas}")[1]
    passage, spans = _passages(key, paper)
    if missing:
        told = f"Not found here: {', '.join(missing)}. A person looks for it.{pages_not_read(paper)}"
        return for_a_person(told, spans=spans), passage
    if _words_of(key, f"{without_course(paper.text)}\n{formulas}")[1]:
        told = "Its words stand only in passages of the course's texts; a person looks for more."
        return for_a_person(told, spans=spans), passage
    why = f"Found in the text: {', '.join(words[0].rstrip('*') for words in key.words)}. Whether it is right, you say."
    return replace(for_a_person("The topic was found; a person reads what is said.", spans=spans), why=why), passage


def _passages(key: TopicKey, paper: Paper) -> tuple[str, tuple[Span, ...]]:
    """Return the paragraphs that hold most of a topic's words, in their order, and the places of the words in them."""
    looked = [(words[0].rstrip("*"), pattern(words)) for words in key.words]
    texts = [block.text for block in paper.blocks if block.kind == "text"]
    ranked = sorted(texts, key=lambda text: -sum(bool(look.search(text.lower())) for _, look in looked))
    best = frozenset(ranked[:MOST_PASSAGES])
    passage = "\n".join(text for text in dict.fromkeys(texts) if text in best)[:LONGEST]
    low = passage.lower()
    places = [Span(found.start(), found.end(), name) for name, look in looked for found in look.finditer(low)]
    return passage, tuple(sorted(places, key=lambda span: span.start))


def _words_of(key: TopicKey, text: str) -> tuple[list[int], list[str]]:
    """Return where the groups of a topic are met, and the first words of those that are not."""
    low = text.lower()
    met = [(words[0], pattern(words).search(low)) for words in key.words]
    return [match.start() for _, match in met if match], [name.rstrip("*") for name, match in met if not match]


@lru_cache(maxsize=8)
def without_course(text: str) -> str:
    """Return a text without the passages that it shares with the course's texts."""
    from grader.written.overlap import course, passages

    for passage in reversed(passages(text, course(), COPIED)):
        text = f"{text[: passage.start]} {text[passage.end :]}"
    return text


def pages_not_read(paper: Paper) -> str:
    """Say which pages show nothing but a picture, where no source tells what is on them."""
    on = paper.pages.only_pictures() if paper.pages and not paper.sources else ()
    if not on:
        return ""
    return f" Page{'s' if on[1:] else ''} {', '.join(map(str, on))} of the PDF hold a picture and no text."
