"""Short answers: full marks only where right statements hold every idea and nothing speaks against them.

A file of answers says which ideas a full answer holds, which statements are right, and what is known to be wrong.
Everything that is not a clear full mark goes to a person, with the places marked; no answer is given zero here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import Literal

from grader.model.outcome import Span
from grader.written.addressed import speaks_to_the_grader
from grader.written.concepts import ConceptList, Idea, Pattern, Stretch, concept_list
from grader.written.judged import Judged, read_by_a_person, right
from grader.written.key import TextKey
from grader.written.sheet import Written
from grader.written.statements import Account, account, folded, statements
from grader.written.word_lists import small_words

MAX_LENGTH = 1500
MIN_WORDS = 4
STUFFED_SHARE = 0.2
"""An answer with fewer function words than this share is a heap of keywords, not a sentence."""

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|neither|nor|without|cannot|can't|cant|won't|n't|isn't|aren't|doesn't|don't"
    r"|didn't|wasn't|wouldn't|couldn't|shouldn't|hardly|unrelated|irrelevant|unnecessary|wrong|false|myth"
    r"|instead of|rather than)\b"
)
_BREAK = re.compile(r"[,.;:()→⇒+=]|->")
_SENTENCE = re.compile(r"[.!?](?=\s|$)|[;\n]")
_CLAUSE = re.compile(
    r"[,:\n]|(?<=\s)\(|\b(?:while|whereas|but|(?<!not )because|since|although|though|which|so that|however|and then"
    r"|then|so)\b"
)


def judge_text(key: TextKey, answer: Written) -> Judged:
    """Give full marks where every idea is said rightly and nothing else is; the rest goes to a person.

    What is missing is told to that person and not to the student: it would be half the answer.
    """
    return judge_short(concept_list(key.held), answer.text)


def judge_short(concepts: ConceptList, answer: str) -> Judged:
    """Judge one answer against a concept list.

    It is right with every concept in a statement that is known to be right, every word of it in such a statement
    (see grader.written.statements), no misconception, and sentences rather than keywords. Else the share of the ideas
    that its statements hold is suggested, unless anything speaks against it or is not known to be right; where nothing
    was recognised, it may be right in words of its own.
    """
    text = folded(answer[:MAX_LENGTH])
    known = statements(concepts.statements)
    told = account(known, text) if known is not None else None
    said = told.concepts if told is not None else frozenset()
    against = [span for idea in concepts.misconceptions for span in _marks(idea, text, "against")]
    beside = _beside(told, text) if told is not None else []
    form = _form_of(answer, text, told)
    missing = [idea for idea in concepts.concepts if idea.id not in said]
    if told is not None and not (missing or against or form or beside):
        return right()
    named = {idea.id: _marks(idea, text, "found") for idea in concepts.concepts}
    reasons = [
        *(f"{'Named only' if named[idea.id] else 'Not found'}: {idea.title}." for idea in missing),
        *(f"Speaks against it: {span.label}." for span in against),
        *form,
        *(["No statement on this is known to be right."] if told is None else []),
        *_told_of(beside, answer),
    ]
    marked = [span for spans in named.values() for span in spans]
    spans = [*marked, *against, *(s for s in beside if not any(_overlap(s, other) for other in against))]
    shown = tuple(sorted(spans, key=lambda span: (span.start, span.end)))
    unsure = told is None or form or against or beside
    share = round(sum(idea.weight for idea in concepts.concepts if idea.id in said), 2)
    waiting = read_by_a_person(answer, None if unsure else share or None, shown)
    return replace(waiting, why=" ".join(reasons))


def contradicted(concepts: ConceptList, answer: str) -> bool:
    """Say whether an answer says something that a file of answers knows to be wrong."""
    text = folded(answer[:MAX_LENGTH])
    return any(_marks(idea, text, "against") for idea in concepts.misconceptions)


# ----------------------------------------------------------------------------------------------------- matching


def _marks(idea: Idea, text: str, kind: Literal["found", "against"]) -> list[Span]:
    """Return the first place where a text says an idea, or nothing."""
    hits = (hit for pattern in idea.patterns for hit in _hits(pattern, text))
    return [Span(start, end, idea.title, kind) for start, end in islice(hits, 1)]


def _hits(pattern: Pattern, text: str) -> Iterator[tuple[int, int]]:
    """Yield the places where a text says what a pattern is of, and does not deny it."""
    if not all(slot.may_stand(text) for slot in pattern.slots):
        return
    for sentence in _windows(text, _SENTENCE, 0, len(text)):
        clauses = _windows(text, _CLAUSE, *sentence)
        # a match within one clause says more than one across the sentence, whose words may belong to different claims
        for start, end in clauses if pattern.clause else [*clauses, sentence]:
            if pattern.without is not None and pattern.without.places(text, start, end):
                continue
            matches = _matched(pattern, text, start, end)
            if not matches:
                continue
            first, last = min(m.start for m in matches), max(m.end for m in matches)
            if pattern.negated:
                holds = _NEGATION.search(text, start, last) is not None
            else:
                itself = pattern.either or any(_NEGATION.search(text, *match) for match in matches)
                holds = itself or not any(_denied(text, clauses, match) for match in matches)
            if holds:
                yield first, last


def _windows(text: str, cut: re.Pattern[str], start: int, end: int) -> list[tuple[int, int]]:
    edges = [start, *(match.end() for match in cut.finditer(text, start, end)), end]
    return [(a, b) for a, b in pairwise(edges) if text[a:b].strip()]


def _denied(text: str, clauses: Sequence[tuple[int, int]], match: Stretch) -> bool:
    """Say whether the clause of a hit denies it before it comes."""
    start, end = max(((a, b) for a, b in clauses if a <= match.start), default=(0, len(text)))
    return _NEGATION.search(text[start : min(end, match.start)]) is not None


def _matched(pattern: Pattern, text: str, start: int, end: int) -> list[Stretch]:
    """Find one place for each slot, in the pattern's order where it has one; a word serves one slot only."""
    taken: list[Stretch] = []
    for slot in pattern.slots:
        places = slot.places(text, taken[-1].end if pattern.ordered and taken else start, end)
        match = next((m for m in places if all(m.end <= t.start or m.start >= t.end for t in taken)), None)
        if match is None:
            return []
        taken.append(match)
    return taken


# ------------------------------------------------------------------------------------------- what keeps it from full


def is_stuffed(answer: str) -> bool:
    """Say whether an answer is a heap of keywords: hardly any function words among six or more."""
    words = re.findall(r"[a-z']+", folded(answer))
    small, _ = small_words()
    if len(words) < 6:  # noqa: PLR2004 - too short to tell
        return False
    return sum(word in small for word in words) < STUFFED_SHARE * len(words)


def _form_of(answer: str, text: str, told: Account | None) -> list[str]:
    """Return what the form of an answer leaves open, whatever it says; notes have stops, heaps have none."""
    notes = told is not None and not told.left and _BREAK.search(text.strip(" .!"))
    form = {
        "Keywords rather than sentences.": not notes and is_stuffed(answer),
        "The answer is unusually long.": len(answer) > MAX_LENGTH,
        "The answer is very short.": len(text.split()) < MIN_WORDS,
        "It speaks to whoever grades.": speaks_to_the_grader(answer),
    }
    return [reason for reason, holds in form.items() if holds]


def _beside(told: Account, text: str) -> list[Span]:
    """Mark what no right statement accounts for."""
    label = {True: "not known here", False: "not a statement that is known to be right"}
    return [
        Span(left.start, left.start + len(text[left.start : left.end].rstrip(" .,;:")), label[left.unknown], "doubt")
        for left in told.left
    ]


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _told_of(beside: Sequence[Span], answer: str) -> list[str]:
    """Say which words are unknown, or where the first statement begins that is not known to be right."""
    words = list(dict.fromkeys(answer[span.start : span.end] for span in beside))
    if not words:
        return []
    if beside[0].label == "not known here":
        return [f"Not known here: {', '.join(words[:5])}."]
    return [f"Not known to be right: “{words[0]}”."]
