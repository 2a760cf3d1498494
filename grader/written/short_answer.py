"""Short answers judged by concept lists: full marks only where everything is found and nothing speaks against it.

A file of answers says which ideas a full answer holds, each in many wordings, and which ideas
are known to be wrong. Everything that is not a clear full mark goes to a person, pre-sorted, with the places marked;
no answer is ever given zero here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from grader.model import Span
from grader.written.addressed import speaks_to_the_grader
from grader.written.concepts import ConceptList, Idea, Pattern, concept_list
from grader.written.statements import Account, account, folded, statements
from grader.written.word_lists import small_words

MAX_LENGTH = 1500
MIN_WORDS = 4
STUFFED_SHARE = 0.2
"""An answer with fewer function words than this share is a heap of keywords, not a sentence."""

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|neither|nor|without|cannot|can't|cant|won't|n't|isn't|aren't|doesn't|don't"
    r"|didn't|wasn't|wouldn't|couldn't|shouldn't|hardly|unrelated|irrelevant|unnecessary|wrong|false|myth"
    r"|instead of|rather than)\b",
)
_HARMLESS = re.compile(
    r"\b(?:not only|not just|no matter|not to mention|if not|or not|why not)\b"
    r"|\bwithout\b(?=.*\b(?:would|could|might|may|can|becomes?|gets?|grows?)\b)"
    r"|\bwithout (?:it|this|that|them|these|scaling|dividing"
    r"|the (?:scal\w+|masks?|encodings?|root|residuals?|division|factor))\b",
)
_BLOCKING = re.compile(
    _NEGATION.pattern[:-3]
    + r"|prevent\w*|stop\w*|hide\w*|hid|hidden from|block\w*|forbid\w*|avoid\w*|mask\w*|blind|ignor\w*|keep\w*"
    r"|restrict\w*|only|unable|disallow\w*|limit\w*|remov\w*|cut\w* off|peek\w*|cheat\w*)\b",
)
_BREAK = re.compile(r"[,.;:()→⇒+=]|->")
_SENTENCE = re.compile(r"[.!?](?=\s|$)|[;\n]")
_CLAUSE = re.compile(
    r"[,:\n]|(?<=\s)\(|\b(?:while|whereas|but|(?<!not )because|since|although|though|which|so that|however|and then"
    r"|then|so)\b",
)


@dataclass(frozen=True, slots=True)
class ShortVerdict:
    """What was found in an answer.

    verdict: "full" or "review", never less. suggested: the share of the ideas that are found, from 0 to 1; None where
    anything speaks against the answer, or is not known to be right. found, missing and against hold ids; spans mark
    each hit in the answer; reasons say why it is not a clear full mark.
    """

    verdict: Literal["full", "review"]
    suggested: float | None
    found: tuple[str, ...]
    missing: tuple[str, ...]
    against: tuple[str, ...]
    spans: tuple[Span, ...]
    reasons: tuple[str, ...]


# ----------------------------------------------------------------------------------------------------- matching


@dataclass(frozen=True, slots=True)
class _Hit:
    start: int
    end: int
    denied: bool


def _windows(text: str, cut: re.Pattern[str], start: int, end: int) -> list[tuple[int, int]]:
    edges = [start, *(match.end() for match in cut.finditer(text, start, end)), end]
    return [(a, b) for a, b in pairwise(edges) if text[a:b].strip()]


def _denied(text: str, clauses: Sequence[tuple[int, int]], match: re.Match[str]) -> bool:
    """Say whether the clause of a hit denies it before it comes."""
    start, end = max(((a, b) for a, b in clauses if a <= match.start()), default=(0, len(text)))
    clause = _HARMLESS.sub(lambda found: " " * len(found.group()), text[start:end])
    return bool(_NEGATION.search(clause[: match.start() - start]))


def _hits(pattern: Pattern, text: str) -> Iterable[_Hit]:
    for sentence in _windows(text, _SENTENCE, 0, len(text)):
        clauses = _windows(text, _CLAUSE, *sentence)
        # a match within one clause says more than one across the sentence, whose words may belong to different claims
        for start, end in clauses if pattern.clause else [*clauses, sentence]:
            if pattern.without is not None and pattern.without.search(text, start, end):
                continue
            matches = _ordered(pattern, text, start, end) if pattern.ordered else _anywhere(pattern, text, start, end)
            if not matches:
                continue
            first, last = min(m.start() for m in matches), max(m.end() for m in matches)
            if pattern.negated:
                if _BLOCKING.search(text, start, last):
                    yield _Hit(first, last, denied=False)
            else:
                itself = pattern.either or any(_NEGATION.search(match.group()) for match in matches)
                denied = any(_denied(text, clauses, match) for match in matches)
                yield _Hit(first, last, not itself and denied)


def _anywhere(pattern: Pattern, text: str, start: int, end: int) -> list[re.Match[str]]:
    """Find one place for each slot; a word serves one slot only."""
    taken: list[re.Match[str]] = []
    for slot in pattern.slots:
        free = (
            m
            for m in slot.finditer(text, start, end)
            if all(m.end() <= t.start() or m.start() >= t.end() for t in taken)
        )
        match = next(free, None)
        if match is None:
            return []
        taken.append(match)
    return taken


def _ordered(pattern: Pattern, text: str, start: int, end: int) -> list[re.Match[str]]:
    for first in pattern.slots[0].finditer(text, start, end):
        found = [first]
        for slot in pattern.slots[1:]:
            match = slot.search(text, found[-1].end(), min(end, found[-1].end() + pattern.gap))
            if match is None:
                break
            found.append(match)
        if len(found) == len(pattern.slots):
            return found
    return []


def is_stuffed(answer: str) -> bool:
    """Say whether an answer is a heap of keywords: hardly any function words among six or more."""
    words = re.findall(r"[a-z']+", folded(answer))
    small, _ = small_words()
    if len(words) < 6:  # noqa: PLR2004 - too short to tell
        return False
    return sum(word in small for word in words) < STUFFED_SHARE * len(words)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What of a concept list was met in an answer."""

    found: list[Idea]
    denied: list[Idea]
    against: list[Idea]
    doubtful: list[Span]
    spans: list[Span]


def _looked_for(concepts: ConceptList, text: str) -> _Seen:
    """Look for every idea in an answer."""
    spans: list[Span] = []
    found: list[Idea] = []
    denied: list[Idea] = []
    against: list[Idea] = []
    for idea in concepts.concepts:
        hits = [hit for pattern in idea.patterns for hit in _hits(pattern, text)]
        good = [hit for hit in hits if not hit.denied]
        if good:
            found.append(idea)
            spans.append(Span(good[0].start, good[0].end, idea.title))
        elif hits:
            denied.append(idea)
            spans.append(Span(hits[0].start, hits[0].end, f"denied: {idea.title}", "against"))
    for idea in concepts.misconceptions:
        hits = [hit for pattern in idea.patterns for hit in _hits(pattern, text) if not hit.denied]
        if hits:
            against.append(idea)
            spans.append(Span(hits[0].start, hits[0].end, idea.title, "against"))
    doubtful = [
        Span(hit.start, hit.end, "belongs elsewhere?", "doubt")
        for pattern in concepts.doubts
        for hit in _hits(pattern, text)
    ]
    return _Seen(found, denied, against, doubtful, [*spans, *doubtful])


def contradicted(concepts: ConceptList, answer: str) -> bool:
    """Say whether an answer says something that a file of answers knows to be wrong."""
    seen = _looked_for(concepts, folded(answer[:MAX_LENGTH]))
    return bool(seen.against)


def judge_short(concepts: ConceptList, answer: str, *, translated: bool = False) -> ShortVerdict:
    """Judge one answer against a concept list.

    "full" needs every concept, no misconception, no hedge, sentences rather than keywords, and nothing beside: every
    word of the answer belongs to a statement that is known to be right (see grader.written.statements). Of a
    ``translated`` answer, whose words stand in another order, the statements have to hold the concepts.
    """
    text = folded(answer[:MAX_LENGTH])
    known = statements(concepts.statements)
    told = account(known, text) if known is not None else None
    seen = _settled(_looked_for(concepts, text), concepts, told)
    if translated and told is not None:
        seen = replace(seen, found=[idea for idea in seen.found if idea.id in told.concepts])
    missing = [idea for idea in concepts.concepts if idea not in seen.found]
    sure = told is not None and not told.left
    notes = sure and bool(_BREAK.search(text.strip(" .!")))  # notes have stops, heaps have none
    form = [reason for reason in _form_of(answer, text) if not (notes and reason == _HEAP)]
    reasons = [*_reasons(seen, missing, answer), *form]
    beside = _beside(told, text) if told is not None else []
    against = [span for span in seen.spans if span.kind == "against"]
    spans = [*seen.spans, *(span for span in beside if not any(_overlap(span, other) for other in against))]
    reasons += ["No statement on this is known to be right."] if told is None else []
    reasons += _told_of(beside, answer)
    doubt = told is None or bool(form) or any(span.kind != "found" for span in spans)
    share = round(sum(idea.weight for idea in seen.found), 2)
    return ShortVerdict(
        "review" if reasons else "full",
        None if doubt else share,
        tuple(idea.id for idea in seen.found),
        tuple(idea.id for idea in missing),
        tuple(idea.id for idea in [*seen.against, *seen.denied]),
        tuple(sorted(spans, key=lambda span: (span.start, span.end))),
        tuple(reasons),
    )


def _settled(seen: _Seen, concepts: ConceptList, told: Account | None) -> _Seen:
    """Return what was seen, with what the statements say of it: they know who does what, and what is denied."""
    if told is None or told.left:
        return seen
    sure = [idea for idea in concepts.concepts if idea.id in told.concepts]
    return replace(
        seen,
        found=[idea for idea in concepts.concepts if idea in seen.found or idea in sure],
        denied=[idea for idea in seen.denied if idea not in sure],
        spans=[span for span in seen.spans if span.label not in {f"denied: {idea.title}" for idea in sure}],
    )


def _reasons(seen: _Seen, missing: list[Idea], answer: str) -> list[str]:
    """Return what keeps the ideas of an answer from being all there, said rightly, and nothing else."""
    return [
        *(f"Not found: {idea.title}." for idea in missing if idea not in seen.denied),
        *(f"Denied: {idea.title}." for idea in seen.denied),
        *(f"Speaks against it: {idea.title}." for idea in seen.against),
        *(f"“{answer[hit.start : hit.end]}” may belong to another topic." for hit in seen.doubtful),
    ]


_HEAP = "Keywords rather than sentences."
_ADDRESSED = "It speaks to whoever grades."


def _form_of(answer: str, text: str) -> list[str]:
    """Return what the form of an answer leaves open, whatever it says."""
    form = {
        _HEAP: is_stuffed(answer),
        "The answer is unusually long.": len(answer) > MAX_LENGTH,
        "The answer is very short.": len(text.split()) < MIN_WORDS,
        _ADDRESSED: speaks_to_the_grader(answer),
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


def _told_of(beside: list[Span], answer: str) -> list[str]:
    """Say which words are unknown, or where the first statement begins that is not known to be right."""
    words = list(dict.fromkeys(answer[span.start : span.end] for span in beside))
    if not words:
        return []
    if beside[0].label == "not known here":
        return [f"Not known here: {', '.join(words[:5])}."]
    return [f"Not known to be right: “{words[0]}”."]


__all__ = ["ConceptList", "ShortVerdict", "concept_list", "is_stuffed", "judge_short"]
