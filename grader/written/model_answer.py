"""Right answers by a key: for its generated test, and one for the person who reads an answer that waits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
