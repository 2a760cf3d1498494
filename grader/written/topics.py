"""The topics of a report: found by their words, said in sentences that are the student's own."""

from __future__ import annotations

import re
from functools import lru_cache

from grader.written.judged import Judged, for_a_person, right
from grader.written.key import Names, TopicKey
from grader.written.paper import Paper

COPIED = 12
"""Words in a row that stand in the course's texts: what is said in them is not said by the student."""


def pattern(words: Names) -> re.Pattern[str]:
    """Return an expression for any of the words; a star stands for any ending, a space for a gap or a hyphen."""
    spelled = [re.escape(word.lower()).replace(r"\*", r"\w*").replace(r"\ ", r"[\s-]+") for word in words]
    return re.compile(r"(?<!\w)(?:" + "|".join(spelled) + r")(?!\w)")


def judge_topic(key: TopicKey, paper: Paper) -> tuple[Judged, str]:
    """Say whether a topic is treated, and name what was not found of it."""
    formulas = "\n".join(paper.formulas)
    text = f"{paper.text}\n{formulas}"
    spans, missing = _words_of(key, text)
    if missing:
        share = len(spans) / len(key.words)
        named = ", ".join(missing)
        waiting = for_a_person(f"Not found here: {named}. A person looks for it.{pages_not_read(paper)}", share)
        return waiting, _around(text, min(spans)) if spans else ""
    around = _around(text, min(spans))
    own = without_course(paper.text)
    if _words_of(key, f"{own}\n{formulas}")[1]:
        why = "Its words stand only in passages of the course's texts; a person looks for more."
        return for_a_person(why), around
    texts = [block.text for block in paper.blocks if block.kind == "text"]
    said = "\n".join(text for text in texts if is_prose(text) or "=" in text)  # a formula may be typed as text
    if 2 * len(_words_of(key, f"{said}\n{formulas}")[0]) < len(key.words):
        return for_a_person(
            "Its words stand in headings or lists and in no sentences; a person looks for more."
        ), around
    return right(), around


_SMALL = re.compile(
    r"\b(?:the|an?|of|to|in|is|are|was|it|its|that|this|which|and|or|for|with|by|on|as|at|so|we|i|not|be|from|because"
    r"|der|die|das|den|dem|ein\w{0,2}|und|oder|ist|sind|wird|zu|von|mit|in|im|auf|für|als|so|nicht|wir|ich|es|sie)\b",
    re.IGNORECASE,
)
FEWEST_WORDS, MOST_BETWEEN = 6, 12


def is_prose(text: str) -> bool:
    """Whether a text is sentences and no list of words: there the small words of a language are missing."""
    count = len(text.split())
    return count >= FEWEST_WORDS and MOST_BETWEEN * len(_SMALL.findall(text)) >= count


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


def _around(text: str, at: int) -> str:
    """Return the paragraph that a place lies in."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[start : end if end > 0 else len(text)][:1500]
