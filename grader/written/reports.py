"""A written report against its key: what can be decided is decided, what cannot goes to a person with the passage."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from grader.model.outcome import Span
from grader.written.judged import Judged, for_a_person, quoted, read_by_a_person, right, some_of, wrong
from grader.written.key import (
    AnsweredKey,
    LayerDiagramKey,
    LengthKey,
    Names,
    OwnWordsKey,
    PagesKey,
    ReflectionKey,
    TextKey,
)
from grader.written.paper import Pages, Paper
from grader.written.sheet import Written
from grader.written.stated import judge_stated
from grader.written.topics import judge_topic, pages_not_read, pattern, section_text, without_course

Found = tuple[Judged, str]
"""A verdict, and the passage that it is about."""

SHORTEST_PAGE = 20
"""Characters: a page number alone is no text."""
LONGEST_EXCUSE = 20
"""Words of a passage that may say nothing but that there is no answer."""
SHORTEST_PART = 3
SHORTEST_ANSWER = 6
"""Words: a question that is answered with fewer was hardly answered."""


def judge_report(key: Any, paper: Paper) -> Found:
    """Judge one question about a report."""
    return _JUDGES[key.kind](key, paper)


def nothing_read(paper: Paper) -> str:
    """Say why nothing at all can be read of a report, so that no question needs its own words; empty otherwise."""
    if paper.sources or paper.drawings:
        return ""
    if paper.pages is not None:
        return _unread(paper.pages)
    for said in paper.unread.values():
        path, _, reason = said.partition(" is not read: ")
        return f"{path}: {reason}"
    names = [name.rpartition(" [")[0] for name in paper.pictures]
    return f"{some_of(names)}: no PDF was handed in, only pictures. A person reads them." if names else ""


# ------------------------------------------------------------------------------------------------------- the PDF


def _pages(key: PagesKey, paper: Paper) -> Found:
    pages = paper.pages
    if pages is None:
        return for_a_person(f"No PDF was handed in; one of {key.least} to {key.most} pages is asked for."), ""
    unread = _unread(pages)
    if unread:
        return for_a_person(unread), ""
    if pages.hidden:
        hidden = "; ".join(f"page {number}: {quoted(text)}" for number, text in pages.hidden[:5])
        on = ", ".join(dict.fromkeys(str(number) for number, _ in pages.hidden))
        waiting = for_a_person(f"{pages.path} holds text that no reader can see, on page {on}. It was left out.")
        return replace(waiting, staff_note=f"Hidden text: {hidden}."), ""
    pictured = pages.only_pictures()
    if 2 * len(pictured) >= len(pages.texts):
        on = ", ".join(map(str, pictured))
        return for_a_person(f"{pages.path} shows pictures and no text on page {on}; a person reads them."), ""
    count = len(pages.texts)
    if key.least <= count <= key.most:
        return right(), ""
    return wrong(
        f"{pages.path} has {count} page{'' if count == 1 else 's'}; {key.least} to {key.most} are asked for."
    ), ""


def _unread(pages: Pages) -> str:
    """Say why nothing can be read in a PDF; empty where something can."""
    if pages.problem:
        return f"{pages.path}: {pages.problem}"
    if pages.scan:
        return f"{pages.path}: it holds pictures of pages and no text, a scan. A person reads it."
    if not any(len(text.strip()) > SHORTEST_PAGE for text in pages.texts):
        return f"{pages.path}: it holds no text that can be read. A person looks at it."
    return ""


# ------------------------------------------------------------------------------------------------------ reflection

_ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|fig|figs|eq|eqs|sec|cf|dr|prof|approx|resp|al|z\.B|d\.h|bzw)\.$", re.IGNORECASE
)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; abbreviations and decimals do not end one."""
    found: list[str] = []
    start = 0
    for match in re.finditer(r"[.!?…]+[\"”’)\]]*(?=\s+|$)", text):
        before, after = text[start : match.end()], text[match.end() :].lstrip()
        follows = not after or not after[0].islower()
        if follows and not _ABBREVIATION.search(before) and re.search(r"[^\W\d_]{2,}|\w\s+\w", before):
            found.append(before.strip())
            start = match.end()
    rest = text[start:].strip()
    return [*found, rest] if len(rest.split()) > 2 else found  # noqa: PLR2004 - a stray word is no sentence


def _length(key: LengthKey, paper: Paper) -> Found:
    """Count the sentences of the part under a heading: that can be decided, whatever they say."""
    text = section_text(paper.blocks, pattern(key.look))
    if len(without_course(text).split()) < SHORTEST_PART:
        return for_a_person(f"{_NO_PART}{pages_not_read(paper)}"), ""
    count = len(sentences(text))
    least, most = key.sentences
    told = f"It has {count} sentence{'' if count == 1 else 's'}; {least} to {most} are asked for."
    counts = (count, sum(len(sentences(line)) for line in text.split("\n")))  # points of a list end without a stop
    if any(least <= number <= most for number in counts):
        return right(), text
    if not _headed(paper, key.look):
        return for_a_person(f"{told} A person looks where it begins and ends."), text
    return (for_a_person(told) if least - 1 <= count <= most + 1 else wrong(told)), text


_NO_PART = "No part under a heading such as “Reflection” was found; a person looks for it."


def _reflection(key: ReflectionKey, paper: Paper) -> Found:
    """Mark the parts of the paper that a reflection names; whether they are its difficulties, a person says."""
    text = section_text(paper.blocks, pattern(key.look))
    if len(without_course(text).split()) < SHORTEST_PART:
        return for_a_person(f"{_NO_PART}{pages_not_read(paper)}"), ""
    low = text.lower()
    found = {name: pattern(words).search(low) for name, words in key.topics.items()}
    spans = tuple(Span(match.start(), match.end(), name) for name, match in found.items() if match)
    named = ", ".join(span.label for span in spans) or "none"
    why = f"Parts of the paper that were recognised: {named}; {key.parts} or more difficult ones are asked for."
    return replace(read_by_a_person(text, spans=spans), why=why), text


def _headed(paper: Paper, look: Names) -> bool:
    """Whether a source tells where a part begins; in a PDF's text headings are guessed."""
    wanted = pattern(look)
    return bool(paper.sources) and any(b.kind == "heading" and wanted.search(b.text.lower()) for b in paper.blocks)


# --------------------------------------------------------------------------------------------------------- answers


def _answered(key: AnsweredKey, paper: Paper) -> Found:
    """Take an answer for given that stands below its own heading; a person reads what it says, and others."""
    text, headed = _passage(key, paper)
    if len(text.split()) < SHORTEST_ANSWER:
        return for_a_person(f"No answer to this was found; a person looks for it.{pages_not_read(paper)}"), text
    if len(without_course(text).split()) < SHORTEST_ANSWER:
        return for_a_person("The question stands there, and no answer to it; a person looks for one."), text
    if len(text.split()) < LONGEST_EXCUSE and _NOTHING.search(text):
        return for_a_person("It says that there is no answer; a person reads it."), text
    if key.judged and key.concepts:
        from grader.written.short_answer import judge_text

        asked = TextKey(id=key.id, title=key.title, kind="text", concepts=key.concepts, held=key.held)
        return judge_text(asked, Written(text)), text
    waiting = read_by_a_person(text)
    if key.judged:
        return replace(waiting, why=f"Look for: {key.look_for}." if key.look_for else ""), text
    return (right() if headed else waiting), text


_NOTHING = re.compile(
    r"\b(?:to ?do|tbd|n/a|no (?:idea|answer|clue)|(?:do not|don[’']t|did not|didn[’']t) (?:know|understand|find|answer)"
    r"|not sure|skipp?ed|left (?:out|blank)|keine (?:ahnung|antwort)|wei(?:ß|ss) (?:ich )?nicht)\b",
    re.IGNORECASE,
)


def _passage(key: AnsweredKey, paper: Paper) -> tuple[str, bool]:
    """Return what stands below the question's own heading, else the paragraph with its words; whether it is headed."""
    groups = [pattern(words) for words in key.look]
    blocks = paper.blocks
    for block in blocks:
        if block.kind == "heading" and groups[0].search(block.text.lower()):
            found = section_text(blocks, re.compile(re.escape(block.text.lower())))
            if found:
                return found[:2000], True
    for block in blocks:
        if block.kind == "text" and all(group.search(block.text.lower()) for group in groups):
            return _LABEL.sub("", block.text, count=1)[:2000], False
    return "", False


_LABEL = re.compile(
    r"^\s*(?:\(?[\da-eA-E]{1,2}[.)]\s*)?(?:[^\W\d_][^\s.?!:,&]{0,40}[ ,&]{1,5}){0,6}[^\s.?!:]{1,40}:\s+(?=\S)"
)
"""The name of the question before its answer: “3. Masks in drafting notes: …”."""


# --------------------------------------------------------------------------------------------------------- diagram


def _layer_diagram(key: LayerDiagramKey, paper: Paper) -> Found:  # noqa: ARG001 - one signature for all
    from grader.written.diagram.found import judge_diagram

    return judge_diagram(paper)


# ------------------------------------------------------------------------------------------------------- own words


def _own_words(key: OwnWordsKey, paper: Paper) -> Found:
    from grader.written.overlap import course, is_prose, passages, shared_with

    text = paper.text
    found = shared_with(text, key.texts, key.running) if key.texts else ()
    told = [(one.start, one.end) for one in found]
    rest = passages(text, course(), key.running)
    found += tuple(one for one in rest if not any(one.start < end and start < one.end for start, end in told))
    found = tuple(one for one in found if is_prose(text[one.start : one.end]))  # formulas are the paper's, not wording
    if not found:
        return right(), ""
    lines, spans, shown = [], [], ""
    for passage in found[:10]:
        own = text[passage.start : passage.end]
        place = f"{passage.other}, word {passage.at}"
        other = passage.other if passage.theirs else f"the {passage.other}"
        where = f"{passage.words} words in a row are those of {other}, from its word {passage.at} on"
        there = f" There: {quoted(passage.theirs, 160)}." if passage.theirs else ""
        lines.append(f"{where}: {quoted(own, 160)}.{there}")
        spans.append(Span(len(shown), len(shown) + len(own), place, "doubt"))
        shown += own + "\n"
        shown += f"  in {place}: {' '.join(passage.theirs.split())}\n" if passage.theirs else ""
    return right(notes=lines, spans=tuple(spans)), shown


_JUDGES: Mapping[str, Callable[[Any, Paper], Found]] = {
    "pages": _pages,
    "topic": judge_topic,
    "stated": judge_stated,
    "length": _length,
    "reflection": _reflection,
    "answered": _answered,
    "layer_diagram": _layer_diagram,
    "own_words": _own_words,
}
