"""One answer against its key, by kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from grader.model.outcome import Verdict
from grader.written.addressed import speaks_to_the_grader
from grader.written.choices import judge_choice
from grader.written.expressions import judge_expression
from grader.written.german import in_english, spelt_out
from grader.written.items import judge_list, judge_set
from grader.written.judged import Judged, as_known, for_a_person, quoted, read_by_a_person, right, wrong
from grader.written.key import FormulaKey, FreeKey, Names, ReorderedKey, Slip
from grader.written.neutral import denies, strange
from grader.written.quantities import judge_number
from grader.written.shapes import judge_shape
from grader.written.sheet import Written
from grader.written.short_answer import judge_text
from grader.written.tables import judge_rows, judge_table
from grader.written.word_lists import listed, small_words

LONGEST_CHOICE, LONGEST_SHORT = 30, 3
MOST_CHOSEN = 3
"""Who names more is listing words."""
_REASON = re.compile(r"[,;.]\s*(?:since|because|but)\s+(?:\w+\W+){2}.*", re.IGNORECASE | re.DOTALL)
LONGEST_BLANK, MOST_LETTERS = 60, 1000
"""Words and letters: what is longer is no filled blank, and a person reads it."""
LARGEST_TABLE = 3000
"""Letters: the same for a table in words."""
LONGEST_SAID = 2000
"""Letters of what is read in English words as well: longer ones a person reads anyhow, and they take long."""
_PICTURE = re.compile(r"(?:\s*!\[[^\]\n]*\]\([^)\n]*\)\s*)+")
_POINT = re.compile(r"\s*[-–−*•+]\s+(\S.*)")
"""The only point of a list, or a minus."""
_RUN = re.compile(r"([^\w\n-])\1{3,}")
"""A long run of one sign says nothing, and expressions take long over it."""


def judge_answer(key: Any, answer: Written) -> Judged:
    """Judge ``answer`` by ``key``; what cannot be decided is ``undetermined``, never wrong."""
    if _PICTURE.fullmatch(answer.text):
        return for_a_person("The answer is a picture; a person looks at it.")
    short = key.kind in {"number", "choice", "expression", "shape"}
    if short and (len(answer.text.split()) > LONGEST_BLANK or len(answer.text) > MOST_LETTERS):
        return for_a_person(f"{quoted(answer.text)} is longer than a blank takes.")
    if key.kind in {"rows", "table"} and len(answer.text) > LARGEST_TABLE:
        return for_a_person(f"{quoted(answer.text)} is longer than a table takes.")
    if key.kind not in {"formula", "text"}:
        answer = replace(answer, text=_RUN.sub(r"\1\1\1", answer.text))
    found = _JUDGES[key.kind](key, answer)
    told = found.verdict is Verdict.UNDETERMINED and key.kind in _IN_WORDS and len(answer.text) <= LONGEST_SAID
    if told and (said := _in_english(answer)) != answer:
        read = _JUDGES[key.kind](key, said)
        known = tuple(span for span in found.spans if span.kind != "doubt")  # of a foreign word nothing is known there
        waiting = replace(found, suggested=found.suggested or read.suggested, spans=known, why=read.why or found.why)
        return right() if read.verdict is Verdict.PASSED else waiting
    if found.verdict is Verdict.FAILED and (point := _POINT.fullmatch(answer.text)):
        read = _JUDGES[key.kind](key, replace(answer, text=point[1]))
        if read.verdict is Verdict.PASSED:
            return for_a_person(f"{quoted(answer.text)}: a person says whether that is a minus.")
    return found


_IN_WORDS = frozenset({"choice", "text", "set", "list", "free"})
"""Answers that are known by their words, in whatever language."""


def _in_english(answer: Written) -> Written:
    """Return an answer in the English words of the field, as far as they are known."""
    items = answer.data if isinstance(answer.data, list) else None
    said = [in_english(item) or item if isinstance(item, str) else item for item in items] if items else answer.data
    return replace(answer, text=in_english(answer.text) or answer.text, data=said)


def judge_formula_answer(key: FormulaKey, answer: Written) -> Judged:
    """Judge a formula by value; an error copied from the hand-out is remarked on and not failed."""
    from grader.written.formula import judge_formula

    source = _formula_in(answer.text)
    asked = _with(source, key.then)
    found = judge_formula(key.formula, asked)
    if found.verdict == "equal" and key.then and asked == source:
        return for_a_person(f"{quoted(answer.text)} is the whole formula; asked for is a part of it.")
    if found.verdict == "equal":
        reason = _REASON.search(source)
        return for_a_person(f"The formula is right; {quoted(reason[0])} was not judged.") if reason else right()
    head, closed, words = source.rpartition(")")
    alone = head + closed
    said = re.search(r"[^\W\d_]{3,} ", words)
    if closed and said and judge_formula(key.formula, _with(alone, key.then)).verdict == "equal":
        return for_a_person(f"{quoted(alone)} is right; the words behind it were not judged.")
    if found.verdict == "different":
        known = as_known(key, answer.text, lambda texts: found.slip in _slips_of(key, texts))
        if known:
            return known
        slip = (
            Slip(values=(), title=found.title, hint=found.hint or "", id=f"formula_{found.slip}")
            if found.title
            else None
        )
        return wrong(f"Read as {quoted(found.reading, 120)}. {found.reason}", slip=slip)
    return for_a_person(f"{quoted(answer.text)}: {found.reason}")


def _slips_of(key: FormulaKey, texts: Names) -> set[str | None]:
    from grader.written.formula import judge_formula

    return {judge_formula(key.formula, text).slip for text in texts} - {None}


def _with(source: str, then: str) -> str:
    """Return a formula with what follows the part that is asked for, where it does not stand there already."""
    if not then or re.search(rf"\)\s*(?:\\?[a-z]+\s*)?{then}\s*\.?$", source.strip()):
        return source
    if closing := re.search(r"(?:\$\$?|\\\]|\\\))(?=[^$]*\Z)", source):
        return f"{source[: closing.start()]} {then} {source[closing.start() :]}"
    return f"{source.strip().rstrip('.')} {then}"


def _formula_in(text: str) -> str:
    """Return the formula of an answer that is nothing else without what sets it apart, else the answer."""
    inner = re.fullmatch(r"\s*(?:\$\$([^$]+)\$\$|\\\[(.+?)\\\]|\$([^$]+)\$)[\s.]*", text, re.DOTALL)
    return next(group for group in inner.groups() if group) if inner else text


def judge_reordered(key: ReorderedKey, answer: Written) -> Judged:
    """Judge two sentences of the same words in another order; whether the meaning changes, the words themselves say."""
    sentences = _sentences(answer)
    if len(sentences) != 2:  # noqa: PLR2004 - two are asked for
        return for_a_person(f"Two sentences are asked for, {len(sentences)} found in {quoted(answer.text)}.")
    first, second = (re.findall(r"[^\W_]+(?:'[^\W_]+)?", sentence.lower()) for sentence in sentences)
    if first == second:
        return wrong("Both sentences have the same words in the same order.")
    if any(first[at:] + first[:at] == second for at in range(len(first))):
        return for_a_person("The second sentence is the first with another beginning; a person says what it means.")
    if Counter(first) != Counter(second):
        other = sorted(((Counter(first) - Counter(second)) + (Counter(second) - Counter(first))).elements())
        return for_a_person(f"The sentences differ in {', '.join(other[:4])}.", suggested=0.5)
    if len(first) < key.words:
        return for_a_person(f"{quoted(answer.text)} is very short.")
    return right()


def _sentences(answer: Written) -> list[str]:
    if isinstance(answer.data, dict | list):
        given = answer.data.values() if isinstance(answer.data, dict) else answer.data
        return [str(item) for item in given if str(item or "").strip()]
    lines = [re.sub(r"^\s*(?:(?:\d+|[ab])[.)]|[-*+•])\s*", "", line).strip() for line in answer.text.splitlines()]
    lines = [line for line in lines if line]
    parts = _BETWEEN.split(lines[0]) if len(lines) == 1 else lines
    return [part for part in parts if re.search(r"\w\W+\w", part)]


_BETWEEN = re.compile(r"[.!?;/“”„\"|≠→]|!=|<?->|\bvs\b|\bund\b|\bversus\b|\d[.)]|(?:^|(?<=\s))[ab]\)|\s[–—-]\s|↔")
"""What stands between two sentences on one line."""


def chosen(key: FreeKey, text: str) -> tuple[int, ...]:
    """Return which of the known choices a text names, by their places."""
    flat = " ".join(("", *re.findall(r"\w+", spelt_out(text)), ""))
    return tuple(
        place
        for place, names in enumerate(key.known)
        if any(f" {spelt_out(name)}{ending} " in flat for name in names for ending in ("", "s", "es"))
    )


def judge_free(key: FreeKey, answer: Written) -> Judged:
    """Take a short answer that names what is known; leave other free text to a person, with what to look for."""
    named = chosen(key, answer.text)
    heap = len(named) > MOST_CHOSEN or len(answer.text.split()) > LONGEST_CHOICE
    clear = not heap and not denies(answer.text) and not speaks_to_the_grader(answer.text)
    if named and clear and not _elsewhere(key, answer.text):
        return right()
    found = read_by_a_person(answer.text)
    return replace(found, staff_note=f"Look for: {key.look_for.rstrip('.')}." if key.look_for else "")


def _elsewhere(key: FreeKey, text: str) -> bool:
    """Say whether a text holds a word that is neither plain nor of the field nor the question's: of something else."""
    names = (name for of in key.known for name in of)
    known = " ".join((key.look_for, *names, *listed("plain_words"), *listed("field_words")))
    return any(len(word) > LONGEST_SHORT for word in strange(text, key, known, but=small_words()[1]))


_JUDGES: Mapping[str, Callable[[Any, Written], Judged]] = {
    "number": judge_number,
    "expression": judge_expression,
    "choice": judge_choice,
    "rows": judge_rows,
    "list": judge_list,
    "set": judge_set,
    "table": judge_table,
    "shape": judge_shape,
    "formula": judge_formula_answer,
    "reordered": judge_reordered,
    "text": judge_text,
    "free": judge_free,
}
