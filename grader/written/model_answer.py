"""What a right answer says, by the key: shown to the person who reads an answer that waits."""

from __future__ import annotations

from typing import Any

from grader.written.key import (
    ChoiceKey,
    ExpressionKey,
    FormulaKey,
    FreeKey,
    ListKey,
    NumberKey,
    QuestionFile,
    RowsKey,
    SetKey,
    ShapeKey,
    StatedKey,
)


def model_answer(key: Any) -> str:
    """Return the key's own model answer, else one in its best spelling; empty where the key holds none."""
    if isinstance(key, QuestionFile) and key.model:
        return key.model.strip()
    if held := getattr(key, "held", ""):
        from grader.written.concepts import answers_file

        if said := answers_file(held).model.strip():
            return said
    return _by_kind(key)


def _by_kind(key: Any) -> str:  # noqa: PLR0911 - one line a kind
    match key:
        case NumberKey() | ExpressionKey():
            return key.value
        case ChoiceKey():
            return " or ".join(key.options[name][0] if key.options[name] else name for name in key.right)
        case RowsKey():
            return "\n".join(f"{label}: {key.options[wanted][0]}" for label, wanted in key.rows.items())
        case ListKey():
            return " → ".join(names[0] for names in key.items)
        case SetKey():
            some = f"{key.at_least} of: " if key.at_least else ""
            return some + ", ".join(names[0] for names in key.items)
        case ShapeKey():
            return f"({', '.join(names[0] for names in key.axes)})"
        case FormulaKey() | StatedKey():
            from grader.written.formula.kinds import key_text

            whole = key_text(key.formula).replace("#", "Sublayer")
            return whole.removesuffix(f" {key.then}") if isinstance(key, FormulaKey) else whole
        case FreeKey():
            return key.look_for
    return ""
