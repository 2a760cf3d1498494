"""An exception of student code as plain data, however badly the exception behaves."""

import types
from collections.abc import Mapping
from typing import Any

MAX_MESSAGE = 2000
MAX_NAME = 80
MAX_FRAMES = 20


class Missing(Exception):
    """A step asked for a name that the submission does not define."""


def describe(error: BaseException, filenames: frozenset[str], step: int) -> dict[str, Any]:
    """Return type, message, the student's own frames, step and base classes of an exception.

    Everything is cut to a fixed length; an exception whose ``__str__`` fails gives a note of that.
    """
    kind = type(error)
    return {
        "type": _name(kind),
        "message": _message(error),
        "frames": _frames(error, filenames),
        "step": step,
        "mro": [_name(base) for base in type.__getattribute__(kind, "__mro__")[:20]],
    }


def on_one_line(failure: Mapping[str, Any]) -> str:
    """Type and message of a described failure; the type alone where nothing is said."""
    return ": ".join(filter(None, (failure["type"], failure["message"][:200].strip())))


def status_of(error: BaseException) -> str:
    """Return the verdict that an exception stands for: "memory", "missing" or "error"."""
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, Missing):
        return "missing"
    if isinstance(error, RuntimeError) and "can't allocate memory" in _message(error):
        return "memory"  # torch's allocator has no exception class of its own
    return "error"


def _name(kind: type) -> str:
    return str.__str__(type.__dict__["__name__"].__get__(kind))[:MAX_NAME]


def _message(error: BaseException) -> str:
    try:
        text = str(error)
        return text[:MAX_MESSAGE] if type(text) is str else "(a message that is not text)"
    except BaseException:
        return "(this exception has no readable message)"


OVERDUE = "no answer within the time limit"


def overdue(frame: types.FrameType | None, filenames: frozenset[str]) -> dict[str, Any]:
    """Return where a call is that took too long, in the form of an exception; ``frame`` is the innermost."""
    frames = []
    while frame is not None:
        frames += _own(frame.f_code, frame.f_lineno, filenames)
        frame = frame.f_back
    return {"type": "TimeLimit", "message": OVERDUE, "frames": _few(frames[::-1]), "step": -1, "mro": []}


def _frames(error: BaseException, filenames: frozenset[str]) -> list[list[Any]]:
    frames: list[list[Any]] = []
    trace = error.__traceback__
    while trace is not None:
        frames += _own(trace.tb_frame.f_code, trace.tb_lineno, filenames)
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and type(error.filename) is str and error.filename in filenames:
        frames.append([error.filename[:200], error.lineno if type(error.lineno) is int else 0, "<module>"])
    return _few(frames)


def _own(code: types.CodeType, line: int | None, filenames: frozenset[str]) -> list[list[Any]]:
    """A frame as it is told; nothing where it is not the student's."""
    own = code.co_filename in filenames
    return [[code.co_filename[:200], line or 0, code.co_qualname[:MAX_NAME]]] if own else []


def _few(frames: list[list[Any]]) -> list[list[Any]]:
    return frames if len(frames) <= MAX_FRAMES else frames[:1] + frames[1 - MAX_FRAMES :]
