"""What all relations are made of: the arrays of an answer and of the right one, and the catalogue's record of each."""

from collections.abc import Callable, Sequence
from typing import Any

from grader import mistakes
from grader.component.calls import Answered, Inputs
from grader.component.checks import Misconception
from grader.judging.agreement import predict
from grader.model.outcome import Raised
from grader.properties import Array, as_array

Function = Callable[..., Any]
ANY_FUNCTION = "any_function"
"""The file of the catalogue that has the relations: they belong to no component."""


def named(id: str, words: str = "", *, of: str = "") -> Misconception:
    """The relation of that id; ``of`` what it is seen in, ``words`` say it more closely."""
    known = next(one for one in mistakes.of(ANY_FUNCTION) if one.id == id)
    title = f"{known.title.rstrip('.')}{of}{': ' * bool(words)}{words}."
    return Misconception(id, title, known.hints, "", "")


def arrays_of(value: Any) -> list[Array]:
    """The arrays of an answer, of several values or of one."""
    parts = value if isinstance(value, tuple | list) and not _plain_list(value) else (value,)
    arrays = [as_array(part) for part in parts]
    return [array for array in arrays if array is not None and array.dtype.kind in "fiub"]


def _plain_list(value: Sequence[Any]) -> bool:
    return all(isinstance(entry, int | float) for entry in value)


def right_arrays(oracle: Function, inputs: Inputs) -> list[Array]:
    """The right answer's arrays; none where the right answer is an exception."""
    value, _ = predict(oracle, inputs)
    return [] if isinstance(value, Raised) else arrays_of(value)


def value_of(answer: Answered) -> Any:
    """What a call returned."""
    return getattr(answer.value, "value", answer.value)
