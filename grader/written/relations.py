"""Who is said to do what: claims of a clause, with their subject, their direction and whether they are denied.

The right words in the wrong relation make a wrong answer: swapped roles, a cause and its effect turned round, a
comparison the other way. A file of answers (see grader.written.concepts) says which claims are wrong (``claims``) and
which side of a comparison is ahead (``compare``). What is found here is never a zero: it only keeps an answer from
being full marks without a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise

from grader.written.slots import Slot

_CUT = re.compile(
    r"[.!?](?=\s|$)|[,;:\n]|(?<=\s)\(|\b(?:while|whereas|but|because|since|although|though"
    r"|which|so that|however|so|and then)\b"
    r"|\band (?=(?:it|they|the|an?|each|every|this|that|there|attention|transformers?|rnns?)\b)",
)
_DENIAL = re.compile(
    r"\b(?:not|no|never|cannot|neither|nor|without|hardly|avoids?|prevents?|stops?|against)\b|n't\b|\bnot$"
)
_ASIDE = re.compile(
    r"\b(?:than|unlike|like|compared (?:to|with)|in contrast to|instead of|rather than|without|replac\w+"
    r"|no|from|before|by|for|in|of|on|with|to|need(?:s|ed)?|using|use[sd]?|removed?|neither|nor|or|are)\s+(?:(?:an?|the|any|other|earlier|older"
    r"|previous|most|all|both|usual|own)\s+)*$",
)
_SMALL = re.compile(
    r"(?:a|an|the|all|any|each|every|and|or|but|so|because|since|that|while|whereas|although|though|which|if|when|for|in|with"
    r"|of|no|yes|then|also|both|only|even|most|usual|older|earlier|previous|however|s|it|is)"
)
_LINKS = re.compile(r"^\s*(?:and|or|but|so|because|since|which|that|then|also|they|it|its|their|these|this|who)\b")


@dataclass(frozen=True, slots=True)
class Claim:
    """A wrong claim: ``subject`` is said to do ``verb`` to ``thing``; denied, it is no claim. ``denied``: wrong so."""

    title: str
    subject: Slot
    verb: Slot | None
    thing: Slot
    unless: Slot | None = None
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """``ours`` is ahead of ``theirs`` in what ``ahead`` names, and behind in nothing that ``behind`` names."""

    title: str
    ours: Slot
    theirs: Slot
    ahead: Slot
    behind: Slot


@dataclass(frozen=True, slots=True)
class Found:
    """A place of the answer that says something wrong, and what."""

    start: int
    end: int
    title: str


MOST_CLAUSES = 200
"""Each clause is looked at beside all before it; no answer to one question has as many."""


@lru_cache(maxsize=8)  # asked anew for every clause of one answer
def clauses(text: str) -> tuple[tuple[int, int], ...]:
    """Return start and end of each clause of a text in lower case; of very many the last holds all the rest."""
    cuts = islice(_CUT.finditer(text), MOST_CLAUSES - 1)
    edges = [0, *(cut.start() if cut.group()[0].isalpha() else cut.end() for cut in cuts), len(text)]
    return tuple((a, b) for a, b in pairwise(edges) if text[a:b].strip(" .,;:!?()\n"))


def subject_is(text: str, place: int, wrong: Slot) -> bool:
    """Say whether the clause around ``place`` has a subject that matches ``wrong``: its first, not said as an aside.

    A clause that goes on with "it", "they", "and" has the subject of the one before, in the same sentence.
    """
    found = False
    for start, end in clauses(text):
        if start > place:
            break
        own = [m for m in wrong.finditer(text, start, min(end, place)) if not _aside(text[start : m.start()])]
        if own:
            found = _leads(text[start : own[0].start()])
        elif not (
            _LINKS.match(text[start:end]) and found and not re.search(r"[.!?]\s", text[max(0, start - 3) : start])
        ):
            found = False
    return found


def _aside(before: str) -> bool:
    """Say whether a noun only comes in beside the subject; "in RNNs" at the beginning tells what a clause is about."""
    return bool(_ASIDE.search(before)) and not re.fullmatch(
        r"\W*(?:and |but |so )?(?:in|for|with|most|all|the|an?|\s)+", before
    )


def _leads(before: str) -> bool:
    """Say whether what stands before a noun leaves it the subject: small words only."""
    return all(_SMALL.fullmatch(word) for word in re.findall(r"\w+", before))


def wrong_claims(text: str, claims: tuple[Claim, ...]) -> Iterator[Found]:
    """Yield each place where a clause makes one of the wrong claims."""
    places = clauses(text)
    for claim in claims:
        for start, end in places:
            if claim.unless is not None and claim.unless.search(text, start, end):
                continue
            for place in _claimed(claim, text, start, end):
                yield Found(*place, claim.title)


def _claimed(claim: Claim, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    subject = claim.subject.search(text, start, end)
    verb = claim.verb.search(text, subject.end(), end) if subject and claim.verb else subject
    thing = claim.thing.search(text, verb.end(), end) if verb else None
    if subject and thing and bool(_DENIAL.search(text[start : thing.start()])) == claim.denied:
        yield subject.start(), thing.end()


def wrong_comparisons(text: str, comparison: Comparison | None) -> Iterator[Found]:
    """Yield each place where a comparison goes the wrong way; what has no subject speaks of ours."""
    if comparison is None:
        return
    for start, end in clauses(text):
        than = re.search(r"\b(?:than|compared (?:to|with))\b", text[start:end])
        behind_than = text[start + than.end() : end] if than else ""
        theirs_lead = subject_is(text, start + than.start() if than else end, comparison.theirs)
        if than and _names(comparison.ours, behind_than) and not _names(comparison.theirs, behind_than):
            theirs_lead = True
        word = (comparison.ahead if theirs_lead else comparison.behind).search(text, start, end)
        if word and not _DENIAL.search(text[start : word.start()]):
            yield Found(word.start(), word.end(), comparison.title)


def _names(side: Slot, text: str) -> bool:
    return side.search(text, 0, len(text)) is not None
