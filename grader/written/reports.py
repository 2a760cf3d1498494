"""A written report against its key: what can be decided is decided, what cannot goes to a person with the passage."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from grader.model import Span
from grader.written.judged import Judged, for_a_person, quoted, read_by_a_person, right, wrong
from grader.written.key import (
    AnsweredKey,
    LayerDiagramKey,
    Names,
    OwnWordsKey,
    PagesKey,
    ReflectionKey,
    Slip,
    StatedKey,
    TopicKey,
)
from grader.written.paper import Pages, Paper, section_text
from grader.written.sheet import Written

Found = tuple[Judged, str]
"""A verdict, and the passage that it is about."""

MOST_FORMULAS = 150
SHORTEST_PAGE = 20
"""Characters: a page number alone is no text."""
SHORTEST_ANSWER = 6
"""Words: a question that is answered with fewer was hardly answered."""


def judge_report(key: Any, paper: Paper) -> Found:
    """Judge one question about a report."""
    return _JUDGES[key.kind](key, paper)


# ------------------------------------------------------------------------------------------------------- the PDF


def _pages(key: PagesKey, paper: Paper) -> Found:
    pages = paper.pages
    if pages is None:
        return for_a_person("No PDF was handed in."), ""
    unread = _unread(pages)
    if unread:
        return for_a_person(unread), ""
    if pages.hidden:
        hidden = "; ".join(f"page {number}: {quoted(text)}" for number, text in pages.hidden[:5])
        waiting = for_a_person(f"{pages.path} holds text that no reader can see. It was left out.")
        return replace(waiting, staff_note=f"Hidden text: {hidden}."), ""
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
        return f"{pages.path} holds pictures of pages and no text: a scan. A person reads it."
    if not any(len(text.strip()) > SHORTEST_PAGE for text in pages.texts):
        return f"{pages.path} holds no text that can be read. A person looks at it."
    return ""


# ---------------------------------------------------------------------------------------------- topics and formulas


def _pattern(words: Names) -> re.Pattern[str]:
    """Return an expression for any of the words; a star stands for any ending, a space for a gap or a hyphen."""
    spelled = [re.escape(word.lower()).replace(r"\*", r"\w*").replace(r"\ ", r"[\s-]+") for word in words]
    return re.compile(r"(?<!\w)(?:" + "|".join(spelled) + r")(?!\w)")


def _topic(key: TopicKey, paper: Paper) -> Found:
    text = "\n".join((paper.text, *paper.formulas))
    low = text.lower()
    spans, missing = [], []
    for words in key.words:
        match = _pattern(words).search(low)
        if match:
            spans.append((match.start(), match.end(), words[0]))
        else:
            missing.append(words[0])
    if not missing:
        first = min(start for start, _, _ in spans)
        return right(), _around(text, first)
    share = len(spans) / len(key.words)
    waiting = for_a_person("This topic was not found in full; a person looks for it.", share)
    return replace(waiting, staff_note=f"Not found: {', '.join(missing)}."), ""


def _around(text: str, at: int) -> str:
    """Return the paragraph that a place lies in."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[start : end if end > 0 else len(text)][:1500]


_SIGNS: Mapping[str, re.Pattern[str]] = {
    "attention": re.compile(r"soft\s*max", re.IGNORECASE),
    "multi_head": re.compile(r"concat|\[\s*head", re.IGNORECASE),
    "pe_sin": re.compile(r"sin", re.IGNORECASE),
    "pe_cos": re.compile(r"cos", re.IGNORECASE),
    "ffn": re.compile(r"max|relu", re.IGNORECASE),
    "add_norm": re.compile(r"norm|LN", re.IGNORECASE),
    "noam": re.compile(r"min|warm", re.IGNORECASE),
    "variance": re.compile(r"var|\bE\b|\\sigma", re.IGNORECASE),
}
"""What a formula has to hold to be an attempt at its kind."""


def _stated(key: StatedKey, paper: Paper) -> Found:
    tried = [formula for formula in _candidates(paper.formulas) if _SIGNS[key.formula].search(formula)]
    tried += [steps for steps in _in_steps(paper.formulas) if _SIGNS[key.formula].search(steps)]
    different: list[tuple[str, Any]] = []
    for formula in tried[:MOST_FORMULAS]:
        found = _formula(key.formula, formula)
        if found.verdict == "equal":
            return right(), formula
        step = "\n" in formula or found.slip in _STEPS  # a derivation passes through what would be wrong on its own
        if found.verdict == "different" and found.slip and not step and not _is_another(key.formula, formula):
            different.append((formula, found))
    if different:
        formula, found = different[0]
        slip = Slip(values=(), title=found.title or found.reason, hint=found.hint or "", id=f"formula_{found.slip}")
        return wrong(f"Read as {quoted(found.reading, 120)}. {found.reason}", slip=slip), formula
    if not paper.formulas:
        why = "Formulas are read from the source (.tex, .md, .docx, .ipynb, .html) beside the PDF, and there is none."
        return for_a_person(why), ""
    return for_a_person("This formula was not found in the source; a person looks for it."), "\n".join(tried[:3])


_STEPS = frozenset({"attn-no-value", "mh-no-output", "noam-no-d-model"})
"""Slips that are steps on the way to the formula."""


def _in_steps(formulas: Sequence[str]) -> Iterable[str]:
    """Yield two and three formulas in a row as one: A = softmax(…), then O = AV."""
    for count in (2, 3):
        yield from ("\n".join(formulas[at : at + count]) for at in range(len(formulas) - count + 1))


def _candidates(formulas: Iterable[str]) -> Iterable[str]:
    """Yield every formula, and the rows (or what stands side by side in one) of those that have several."""
    for formula in dict.fromkeys(formulas):
        yield formula
        pieces = re.split(r"\\\\(?:\[[^\]]*\])?|\n|[,;]?\s*\\q?quad(?![A-Za-z])", formula)
        rows = [piece.replace("&", " ").strip(" ,;") for piece in pieces]
        if len(rows) > 1:
            yield from (row for row in rows if row)


@lru_cache(maxsize=4096)
def _formula(kind: str, source: str) -> Any:
    from grader.written.formula import judge_formula

    return judge_formula(kind, source)


def _is_another(kind: str, formula: str) -> bool:
    return any(other != kind and sign.search(formula) and _formula(other, formula).verdict == "equal"
               for other, sign in _SIGNS.items())  # fmt: skip


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


def _reflection(key: ReflectionKey, paper: Paper) -> Found:
    text = section_text(paper.blocks, _pattern(key.look))
    if not text:
        return for_a_person("No part under a heading such as “Reflection” was found; a person looks for it."), ""
    count = len(sentences(text))
    low = text.lower()
    named = [name for name, words in key.topics.items() if _pattern(words).search(low)]
    least, most = key.sentences
    if not least <= count <= most:
        message = f"The reflection has {count} sentences; {least} to {most} are asked for."
        near = least - 1 <= count <= most + 1
        return (for_a_person(message, 0.8) if near else wrong(message)), text
    if len(named) < key.parts:
        waiting = for_a_person(f"{count} sentences. A person reads which parts were difficult.", 0.7)
        return replace(waiting, staff_note=f"Named: {', '.join(named) or 'none of the known parts'}."), text
    return right(), text


# --------------------------------------------------------------------------------------------------------- answers


def _answered(key: AnsweredKey, paper: Paper) -> Found:
    text = _passage(key, paper)
    if len(text.split()) < SHORTEST_ANSWER:
        return for_a_person("No answer to this was found; a person looks for it."), text
    if not key.judged:
        return right(), text
    if key.concepts:
        from grader.written.key import TextKey
        from grader.written.prose import judge_text

        asked = TextKey(id=key.id, title=key.title, kind="text", concepts=key.concepts)
        return judge_text(asked, Written(text)), text
    waiting = read_by_a_person(text)
    return replace(waiting, staff_note=f"Look for: {key.look_for}." if key.look_for else ""), text


def _passage(key: AnsweredKey, paper: Paper) -> str:
    """Return what stands below the heading that has a word of every group, else the paragraph that has."""
    groups = [_pattern(words) for words in key.look]
    blocks = paper.blocks
    for block in blocks:
        if block.kind == "heading" and groups[0].search(block.text.lower()):
            found = section_text(blocks, re.compile(re.escape(block.text.lower())))
            if found:
                return found[:2000]
    for block in blocks:
        if block.kind == "text" and all(group.search(block.text.lower()) for group in groups):
            return block.text[:2000]
    return ""


# --------------------------------------------------------------------------------------------------------- diagram


def _layer_diagram(key: LayerDiagramKey, paper: Paper) -> Found:  # noqa: ARG001 - one signature for all
    from grader.written.diagram.found import judge_diagram

    return judge_diagram(paper)


# ------------------------------------------------------------------------------------------------------- own words


def _own_words(key: OwnWordsKey, paper: Paper) -> Found:
    from grader.written.overlap import course, passages, shared_with

    text = paper.text
    found = shared_with(text, key.texts, key.running) if key.texts else ()
    told = [(one.start, one.end) for one in found]
    rest = passages(text, course(), key.running)
    found += tuple(one for one in rest if not any(one.start < end and start < one.end for start, end in told))
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
    "topic": _topic,
    "stated": _stated,
    "reflection": _reflection,
    "answered": _answered,
    "layer_diagram": _layer_diagram,
    "own_words": _own_words,
}
