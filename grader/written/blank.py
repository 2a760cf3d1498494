"""The blank sheet of a key, as Markdown: what ``grader new`` writes, and what is no part of anybody's answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grader.model.assignment import Question, Section

HOW = (
    "Write each answer behind its mark, such as **[name]**, or in the lines below it. Leave the marks where they are.",
    "Numbers may have a decimal point or a decimal comma; formulas may be LaTeX or plain text.",
)


def blank_sheet(title: str, sections: Sequence[Section]) -> str:
    """Return the sheet with all questions of ``sections`` and room for the answers."""
    return "\n".join(_lines(title, sections)) + "\n"


def _lines(title: str, sections: Iterable[Section]) -> Iterator[str]:
    if title:
        yield from (f"# {title}", "", *HOW, "")
    for section in sections:
        yield from (f"## {section.title}", "")
        if section.text:
            yield from (section.text.strip(), "")
        for question in section.questions:
            yield from (*question.key.ask.strip().splitlines(), "") if question.key.ask else (question.title, "")
            yield f"**[{question.id}]** "
            yield from _room(question)
            yield ""


def _room(question: Question) -> Iterator[str]:
    """Yield what an answer of this kind is written into."""
    key = question.key
    if question.kind == "list":
        yield from ("", *(f"{number}. " for number in range(1, len(key.items) + 1)))
    elif question.kind == "set":
        yield from ("", *("- " for _ in range(key.at_least or len(key.items))))
    elif question.kind == "rows":
        yield from ("", "| | step | answer |", "| --- | --- | --- |")
        yield from (f"| {label} | {number} | |" for number, label in enumerate(key.rows, key.first))
    elif question.kind == "table":
        yield from ("", f"| from ↓ to → | {' | '.join(key.columns)} |", "| --- " * (len(key.columns) + 1) + "|")
        for row in key.rows:
            given = key.given.get(row, {})
            yield f"| {row} | {' | '.join(f'{given[c]:g}' if c in given else ' ' for c in key.columns)} |"
