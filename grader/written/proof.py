"""The generated test of a key: its answers are right, its slips wrong and named, in every spelling that it lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from grader.model.assignment import Question, Section
from grader.model.outcome import Verdict
from grader.written.answers import judge_answer
from grader.written.judged import quoted
from grader.written.key import ChoiceKey
from grader.written.model_answer import right_answers
from grader.written.sheet import Written


def problems(sections: Iterable[Section]) -> Iterator[str]:
    """Yield one sentence for each answer of a key that is not judged as the key says."""
    for section in sections:
        for question in section.questions:
            yield from _problems(question)


def _problems(question: Question) -> Iterator[str]:
    key = question.key
    for answer in right_answers(key):
        found = judge_answer(key, answer)
        if found.verdict is not Verdict.PASSED:
            yield f"{question.id}: its own answer {quoted(_said(answer))} is judged {found.verdict} ({found.message})"
    yield from _slips(question)
    for printed in key.handout:
        for text in printed.values:
            found = judge_answer(key, Written(text.removesuffix(f" {getattr(key, 'then', '')}")))
            if found.verdict is not Verdict.PASSED or not found.notes:
                yield f"{question.id}: the hand-out's own {quoted(text)} is judged {found.verdict} without a remark"
    yield from _concepts(question)


def _slips(question: Question) -> Iterator[str]:
    for slip in question.key.slips:
        for text in slip_answers(question.key, slip.values):
            found = judge_answer(question.key, Written(text))
            if found.verdict is not Verdict.FAILED or found.slip is not slip:
                yield f"{question.id}: the slip {quoted(text)} is judged {found.verdict} and not named “{slip.title}”"


def _concepts(question: Question) -> Iterator[str]:
    from grader.written.concepts import concept_list, statements_of

    held = getattr(question.key, "held", "")
    try:
        known = concept_list(held).concepts if held and getattr(question.key, "concepts", "") else ()
        statements_of(held)
    except (ValueError, KeyError) as error:
        yield f"{question.id}: its file of answers cannot be used: {error}"
        return
    if getattr(question.key, "concepts", "") and not known:
        yield f"{question.id}: its file of answers holds no ideas"


def _said(answer: Written) -> str:
    return answer.text or str(answer.data)


def slip_answers(key: Any, values: Iterable[str]) -> Iterator[str]:
    """Yield the spellings of a slip; a choice's slips name options."""
    for value in values:
        if isinstance(key, ChoiceKey):
            yield from key.options.get(value, (value,))
        else:
            yield value
