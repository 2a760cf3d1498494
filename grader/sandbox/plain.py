"""The nouns that cross the sandbox's border: frozen, made of plain data, without numpy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

Level = Literal["strict", "standard", "auto", "none"]
Status = Literal["value", "error", "timeout", "memory", "crashed", "protocol", "missing"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of source: a file, or one cell of a notebook (filename ``work.ipynb[cell 3]``).

    A chunk with ``tolerate`` that raises is noted, and the next one runs.
    """

    code: str
    filename: str
    tolerate: bool = False


@dataclass(frozen=True, slots=True)
class Module:
    """One importable module; its chunks run in one namespace, in order."""

    name: str
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A submission's code by value. The first module is the entry; all are executed, each once.

    ``endless`` are loops without an end, as file, first and last line: what is in one never comes back.
    """

    modules: tuple[Module, ...]
    endless: frozenset[tuple[str, int, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds of wall clock, seconds of processor time of one child, and bytes that a submission may use.

    ``memory_bytes`` is what student code may add to a fresh child. ``output_bytes`` are kept for each program and
    for loading. ``total_s`` bounds one ``ask``, replacements of a child included.
    """

    load_s: float = 10.0
    call_s: float = 5.0
    total_s: float = 120.0
    cpu_s: int = 60
    memory_bytes: int = 2 << 30
    output_bytes: int = 64 << 10

    def stretched(self, pace: int) -> Limits:
        """Return the limits with ``pace`` times the seconds, for a machine that much slower."""
        return replace(
            self,
            load_s=self.load_s * pace,
            call_s=self.call_s * pace,
            cpu_s=self.cpu_s * pace,
            total_s=self.total_s * pace,
        )


LESSON = 3
"""How many times the seconds of a call there are for a program that trains."""


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """One case: steps that share a table of stored values. ``group`` names the component it belongs to.

    One that is ``shared`` is asked of many submissions: what goes over the wire is kept. Equal to itself alone.
    """

    steps: tuple[dict[str, Any], ...]
    group: str = ""
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong in student code.

    ``frames`` are (filename, line, qualified name) of the student's own frames, innermost last. ``step`` is the
    index of the failing step, or -1 while loading. ``mro`` holds the names of the exception's classes.
    The texts come from the child: whoever shows them cleans them first.
    """

    type: str
    message: str
    frames: tuple[tuple[str, int, str], ...] = ()
    step: int = -1
    mro: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Use:
    """A library call of ``roads.py`` that student code led to: its name, and file and line of the innermost frame.

    ``names`` are the student's functions and classes on the way, from the inside; ``file`` is empty where none is.
    """

    name: str
    file: str
    line: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """The outcome of one program; ``uses`` says which library calls of the list did some of its work.

    ``values`` has one entry for each step that ran (None where a step reports nothing); on "error" the
    entries before the failing step. ``seconds`` is how long it was waited for; programs that were answered together
    have equal shares.
    """

    status: Status
    values: tuple[Any, ...] = ()
    failure: Failure | None = None
    output: str = ""
    seconds: float = 0.0
    uses: tuple[Use, ...] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """The outcome of loading a source. ``names`` are (module, name, "function" | "class" | "value").

    A "value" with a ``failure`` is a file that breaks off: what it has defined above that line is there.
    """

    status: Status
    failure: Failure | None = None
    names: tuple[tuple[str, str, str], ...] = ()
    notes: tuple[str, ...] = ()
    output: str = ""


Programs = tuple[Program, ...] | Callable[[Loaded], tuple[Program, ...]]
"""What is asked: programs, or what gives them once the source is loaded."""
Further = Callable[[tuple[Reply, ...]], tuple[Program, ...]]
"""Takes the replies and gives what is asked next; nothing ends it."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a sandbox waits for: a group's answers, for so many seconds now; the group is empty while a file loads."""

    group: str
    seconds: float
    limits: Limits


@dataclass(frozen=True, slots=True)
class Answers:
    """One reply for each program asked, in order."""

    loaded: Loaded
    replies: tuple[Reply, ...]


@dataclass(frozen=True, slots=True)
class Isolation:
    """Which level was asked for, which is in force, by what mechanisms, and which of them are not to be had."""

    requested: str
    applied: str
    mechanisms: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class IsolationError(Exception):
    """The isolation asked for is not to be had here; ``missing`` names what lacks."""

    def __init__(self, requested: str, missing: tuple[str, ...]) -> None:
        super().__init__(f"isolation {requested!r} is not available here: {', '.join(missing)}")
        self.requested = requested
        self.missing = missing
