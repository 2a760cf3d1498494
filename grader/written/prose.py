"""Short answers against their concept lists."""

from __future__ import annotations

from dataclasses import replace

from grader.written.judged import Judged, read_by_a_person, right
from grader.written.key import TextKey
from grader.written.sheet import Written
from grader.written.short_answer import concept_list, judge_short


def judge_text(key: TextKey, answer: Written) -> Judged:
    """Give full marks where every concept is found and nothing speaks against it; the rest goes to a person.

    What is missing is told to that person and not to the student: it would be half the answer.
    """
    found = judge_short(concept_list(key.held), answer.text, translated=answer.translated)
    if found.verdict == "full":
        return right(spans=found.spans)
    # An answer in which nothing was recognised may be right in words of its own: then nothing is suggested.
    waiting = read_by_a_person(answer.text, found.suggested or None, found.spans)
    return replace(waiting, why=" ".join(found.reasons))
