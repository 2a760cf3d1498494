"""The key of written work: key.yaml of a worksheet, report.yaml of a report; one model a kind of answer.

A key says what is right, which wrong answers are known (slips), and which wrong values stand in the hand-out itself.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from grader.model.assignment import Question, Section

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]


def _text(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Value = Annotated[str, BeforeValidator(_text)]
"""An answer as a student would write it: a number, a word, an expression."""

Names = tuple[Value, ...]
"""One item in all the spellings that are taken for it, the best one first."""


class KeyPart(BaseModel):
    """A mapping whose fields are all known."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Slip(KeyPart):
    """A known wrong answer: its spellings or values, what it is, and what helps."""

    values: Names
    title: str
    hint: str = ""
    id: str = ""


class Handout(KeyPart):
    """Wrong values that the hand-out itself prints; copied ones are remarked on and not failed."""

    values: Names
    note: str


class QuestionFile(KeyPart):
    """What every question has: ``title`` for the report, ``ask`` for the blank sheet (the title where left out).

    ``model`` is a right answer in full, for the person who reads those that wait; where it is left out, the key's
    values stand in for it.
    """

    id: Id
    title: Annotated[str, Field(min_length=1, max_length=200)]
    ask: str = ""
    model: str = ""
    slips: tuple[Slip, ...] = ()
    handout: tuple[Handout, ...] = ()


class NumberKey(QuestionFile):
    """A number: ``value``, one of ``also``, or all that lies ``between``; ``tolerance`` is relative."""

    kind: Literal["number"]
    value: Value
    also: Names = ()
    between: tuple[float, float] | None = None
    tolerance: Annotated[float, Field(ge=0, le=0.5)] = 0.0
    unit: Names = ()


class ExpressionKey(QuestionFile):
    """An expression in ``variables``, compared by value at several points; ``names`` are what these are called.

    ``words`` may stand beside it.
    """

    kind: Literal["expression"]
    variables: tuple[str, ...]
    names: dict[str, Names] = {}
    words: Names = ()
    value: Value
    also: Names = ()


class ChoiceKey(QuestionFile):
    """One of ``options``; each maps to the words that mean it. Those ``beside`` may be named together with another.

    A long right answer may hold the words of the question, of its option, plain ones and ``words``; others may say
    anything, and a person reads them. Where ``statements`` names a file of answers, one that consists of its
    statements is right as well; ``held`` is the text of that file.
    """

    kind: Literal["choice"]
    value: str | tuple[str, ...]
    options: dict[str, Names]
    beside: tuple[str, ...] = ()
    words: Names = ()
    statements: str = ""
    held: str = ""

    @property
    def right(self) -> tuple[str, ...]:
        """The options that are taken."""
        return (self.value,) if isinstance(self.value, str) else self.value


class RowsKey(QuestionFile):
    """A choice a row; ``rows`` maps a label to its option. With ``earlier`` a step named has to come before the row's.

    The rows are numbered from ``first`` on, as the sheet does.
    """

    kind: Literal["rows"]
    rows: dict[str, str]
    options: dict[str, Names]
    first: int = 1
    earlier: bool = False


class ListKey(QuestionFile):
    """Items in order; each position counts."""

    kind: Literal["list"]
    items: Annotated[tuple[Names, ...], Field(min_length=2)]


class SetKey(QuestionFile):
    """Items in any order; ``at_least`` of them are asked for (all where left out). ``words`` may stand beside them."""

    kind: Literal["set"]
    items: tuple[Names, ...]
    at_least: int | None = None
    words: Names = ()


class TableKey(QuestionFile):
    """Weights by row and column: each row sums to ``row_sum``, each entry lies in ``between``; ``given`` ones stand."""

    kind: Literal["table"]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    given: dict[str, dict[str, float]] = {}
    row_sum: float = 1.0
    tolerance: float = 0.011
    between: tuple[float, float] = (0.0, 1.0)


class ShapeKey(QuestionFile):
    """A shape: per axis the names that are taken for it."""

    kind: Literal["shape"]
    axes: Annotated[tuple[Names, ...], Field(min_length=1)]


class FormulaKey(QuestionFile):
    """A formula of the paper, by its kind (see grader.written.formula); ``then`` completes one asked in part."""

    kind: Literal["formula"]
    formula: Literal["attention", "multi_head", "pe_sin", "pe_cos", "ffn", "add_norm", "noam", "variance"]
    then: str = ""


class ReorderedKey(QuestionFile):
    """Two sentences of the same words (at least ``words`` of them) in another order."""

    kind: Literal["reordered"]
    words: int = 3


class TextKey(QuestionFile):
    """A short answer, judged by the file of answers ``concepts``, whose text is ``held``."""

    kind: Literal["text"]
    concepts: str
    held: str = ""


class FreeKey(QuestionFile):
    """Free text, read by a person, whom ``look_for`` tells what to look for.

    Where an answer is a matter of choice, ``known`` holds what may be chosen, in many spellings: a short answer that
    names one of them needs no person, unless the question ``other_than`` has chosen the same.
    """

    kind: Literal["free"]
    look_for: str = ""
    known: tuple[Names, ...] = ()
    other_than: str = ""


class PagesKey(QuestionFile):
    """The PDF opens, has text that can be seen, and between ``least`` and ``most`` pages."""

    kind: Literal["pages"]
    least: int = 2
    most: int = 4


class TopicKey(QuestionFile):
    """A topic is treated: the passages with one word of each group are marked, and a person reads them."""

    kind: Literal["topic"]
    words: Annotated[tuple[Names, ...], Field(min_length=1)]


class StatedKey(QuestionFile):
    """A formula of the paper stands in the source of the report, in whatever spelling."""

    kind: Literal["stated"]
    formula: Literal["attention", "multi_head", "pe_sin", "pe_cos", "ffn", "add_norm", "noam", "variance"]


class LengthKey(QuestionFile):
    """The part under a heading with one of the words has between ``sentences`` sentences."""

    kind: Literal["length"]
    look: Names
    sentences: tuple[int, int] = (5, 8)


class ReflectionKey(QuestionFile):
    """The reflection names at least ``parts`` of the topics: those are marked, and a person reads it."""

    kind: Literal["reflection"]
    look: Names
    parts: int = 2
    topics: dict[str, Names]


class AnsweredKey(QuestionFile):
    """A question of the task is answered: below a heading, or in a paragraph, with these words.

    That there is an answer below its heading is decided. With ``judged`` what it says is asked, and a person reads it.
    """

    kind: Literal["answered"]
    look: Annotated[tuple[Names, ...], Field(min_length=1)]
    judged: bool = False
    concepts: str = ""
    held: str = ""
    look_for: str = ""


class LayerDiagramKey(QuestionFile):
    """A diagram of one layer that is handed in as text is judged as a graph; a picture goes to a person."""

    kind: Literal["layer_diagram"]


class OwnWordsKey(QuestionFile):
    """Passages of ``running`` words shared with the course's texts are shown; nothing is taken for them.

    ``folder``, beside the key, holds the course's texts: with it both passages are shown, without it the student's own
    and the place of the other. ``texts`` are those texts by name; a key may also hold short ones itself.
    """

    kind: Literal["own_words"]
    running: Annotated[int, Field(ge=5)] = 12
    folder: str = ""
    texts: dict[str, str] = {}


AnyKey = Annotated[
    NumberKey
    | ExpressionKey
    | ChoiceKey
    | RowsKey
    | ListKey
    | SetKey
    | TableKey
    | ShapeKey
    | FormulaKey
    | ReorderedKey
    | TextKey
    | FreeKey
    | PagesKey
    | TopicKey
    | StatedKey
    | LengthKey
    | ReflectionKey
    | AnsweredKey
    | LayerDiagramKey
    | OwnWordsKey,
    Field(discriminator="kind"),
]


class SectionFile(KeyPart):
    """A section of the sheet; for rubrics it is a component."""

    id: Id
    title: str
    text: str = ""
    questions: Annotated[tuple[AnyKey, ...], Field(min_length=1)]


class KeyFile(KeyPart):
    """A key."""

    format: Literal["grader/key/v1"] = Field(alias="schema")
    sections: Annotated[tuple[SectionFile, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _ids_once(self) -> KeyFile:
        seen: set[str] = set()
        for section in self.sections:
            for question in section.questions:
                if question.id in seen:
                    raise ValueError(f"the question {question.id!r} is given twice")
                seen.add(question.id)
        return self


def sections(content: KeyFile, part: str) -> tuple[Section, ...]:
    """Return the sections of a key as they travel with the assignment."""
    return tuple(
        Section(
            section.id,
            section.title,
            part,
            tuple(Question(item.id, item.title, item.kind, item) for item in section.questions),
            section.text,
        )
        for section in content.sections
    )
