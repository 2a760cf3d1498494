"""Right answers by a key: for its generated test, and one for the person who reads an answer that waits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from grader.model.assignment import Question, Section
from grader.model.outcome import Verdict
from grader.written.answers import judge_answer
from grader.written.judged import quoted
from grader.written.key import (
    ChoiceKey,
    ExpressionKey,
    FormulaKey,
    FreeKey,
    ListKey,
    NumberKey,
    RowsKey,
    SetKey,
    ShapeKey,
    StatedKey,
    TableKey,
)
from grader.written.plain_data import flat
from grader.written.sheet import Written


def model_answer(key: Any) -> str:
    """Return the key's own model answer, else one in its best spelling; empty where the key holds none."""
    if own := key.model.strip():
        return str(own)
    if held := getattr(key, "held", ""):
        from grader.written.concepts import answers_file

        if said := answers_file(held).model.strip():
            return said
    if isinstance(key, SetKey):
        return (f"{key.at_least} of: " if key.at_least else "") + ", ".join(names[0] for names in key.items)
    if isinstance(key, ChoiceKey):
        return " or ".join(key.options[name][0] if key.options[name] else name for name in key.right)
    if isinstance(key, FreeKey | StatedKey):
        return key.look_for if isinstance(key, FreeKey) else _formula(key)
    first = next(right_answers(key), None) if not isinstance(key, TableKey) else None
    return (first.text or flat(first.data)) if first else ""


def right_answers(key: Any) -> Iterator[Written]:
    """Yield answers that a key calls right, the best first."""
    match key:
        case NumberKey() | ExpressionKey():
            yield from (Written(text) for text in (key.value, *key.also))
        case ChoiceKey():
            yield from (Written(word) for name in key.right for word in key.options[name])
        case RowsKey():
            yield Written("", {label: key.options[wanted][0] for label, wanted in key.rows.items()})
        case ListKey():
            best = [names[0] for names in key.items]
            yield Written("", best)
            spelt = ((place, name) for place, names in enumerate(key.items) for name in names[1:])
            yield from (Written("", [*best[:place], name, *best[place + 1 :]]) for place, name in spelt)
        case SetKey():
            yield from (Written("", [names[0]]) for names in key.items if key.at_least == 1)
            yield Written("", [names[0] for names in key.items[: key.at_least or len(key.items)]])
        case TableKey():
            yield Written("", {row: _row(key, row) for row in key.rows})
        case ShapeKey():
            yield Written(" × ".join(names[0] for names in key.axes))
        case FormulaKey():
            yield Written(_formula(key).removesuffix(f" {key.then}"))


def _formula(key: FormulaKey | StatedKey) -> str:
    from grader.written.formula.kinds import key_text

    return key_text(key.formula).replace("#", "Sublayer")


def _row(key: TableKey, row: str) -> dict[str, str]:
    given = key.given.get(row, {})
    share = (key.row_sum - sum(given.values())) / max(1, len(key.columns) - len(given))
    return {column: f"{given.get(column, share):.4f}" for column in key.columns}


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
