"""Cases, the calls that are made of them, and what came back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Inputs = Mapping[str, Any]
Ladder = Callable[[np.random.Generator, Mapping[str, Any]], Iterable["Case"]]


@dataclass(frozen=True, slots=True)
class Case:
    """One rung of the ladder: canonical inputs by the oracle's parameter names, and why it is asked.

    ``tags`` say what it exercises (``mask``, ``batch``, ``large``); ``fixed`` cases do not depend on the
    generator and are asked once. ``target`` names the callable where the component has several.

    Of a module ``key`` is its name, and it is ``plain`` where the paper reads its weights alike with any other such.
    ``blocked`` are the same inputs with what the mask hides changed, ``kept`` with something changed that it shows,
    each with the positions ``(batch, n)`` at which the output must then stay, or move. ``changes`` replace arguments
    of the constructor. What the hand-out leaves open ``may_be_refused``: an exception is no wrong answer.
    """

    inputs: Inputs
    why: str
    tags: frozenset[str] = frozenset()
    fixed: bool = False
    hidden: bool = False
    target: str = ""
    key: str = ""
    plain: bool = True
    blocked: tuple[Inputs, np.ndarray[Any, Any]] | None = None
    kept: tuple[Inputs, np.ndarray[Any, Any]] | None = None
    changes: Inputs = field(default_factory=dict)
    may_be_refused: bool = False


Wanted = str | tuple[str, ...] | Callable[[Case], bool]
"""Which cases: those with a tag, or with one of several, or what a function of the case says."""


def tagged(wanted: Wanted) -> Callable[[Case], bool]:
    """Say whether a case is wanted."""
    if callable(wanted):
        return wanted
    tags = (wanted,) if isinstance(wanted, str) else wanted
    return lambda case: not case.tags.isdisjoint(tags)


@dataclass(frozen=True, slots=True)
class Call:
    """A call to make, in canonical terms.

    ``watch`` also brings back the arguments as they are afterwards, and the state of the global generators before
    and after; ``repeat`` makes the same call again in the same process (the answer is then a
    list of values). ``gradient`` names an array argument by which the (scalar) result is differentiated in torch; the
    answer is then :class:`Differentiated`. ``may_raise`` hands an exception to the judge, as :class:`Refused`.
    ``lifted`` axes of size 1 stand in front of the arrays, since the hand-out promises no fewer.
    """

    inputs: Inputs
    target: str = ""
    watch: bool = False
    repeat: int = 1
    gradient: str = ""
    may_raise: bool = False
    lifted: int = 0


@dataclass(frozen=True, slots=True)
class NoValue:
    """What stands for a value that there is not: the exception's type, or else what became of the call."""

    raised: str = ""
    became: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """What a call with ``may_raise`` brings back where the student's code raises."""

    type: str
    message: str


@dataclass(frozen=True, slots=True)
class Watched:
    """What a watched call brings back."""

    value: Any
    after: Inputs
    random_before: str
    random_after: str


@dataclass(frozen=True, slots=True)
class Differentiated:
    """What a call with ``gradient`` brings back.

    ``gradient`` is None where the result does not depend on the argument in a way that torch could follow.
    """

    value: Any
    gradient: Any


class Rng:
    """An ``rng`` argument: a seed that the child rebuilds as a numpy Generator."""

    __slots__ = ("seed",)

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def live(self) -> np.random.Generator:
        """A fresh generator from the seed, for the oracle."""
        return np.random.default_rng(self.seed)

    def node(self) -> dict[str, Any]:
        """How the child is told."""
        return {"$": "rng", "seed": self.seed}


class StepFn:
    """A ``step_fn`` argument: log-probabilities of the next token from a table, ``(vocab,)``.

    ``rows`` are found by the whole prefix (``"1,4,2"``), else ``last`` by its last token, else ``default``.
    """

    __slots__ = ("default", "last", "rows")

    def __init__(
        self, rows: Mapping[str, Sequence[float]], last: Mapping[str, Sequence[float]], default: Sequence[float]
    ) -> None:
        self.rows, self.last, self.default = dict(rows), dict(last), list(default)

    def __call__(self, prefix: Sequence[int]) -> np.ndarray[Any, Any]:
        """Return the log-probabilities of the next token after ``prefix``."""
        key = ",".join(str(int(token)) for token in prefix)
        row = self.rows.get(key) or self.last.get(key.rpartition(",")[2]) or self.default
        return np.array(row, dtype=np.float64)

    def live(self) -> StepFn:
        """The table itself is the function, for the oracle."""
        return self

    def node(self) -> dict[str, Any]:
        """How the child is told."""
        return {"$": "step_fn", "rows": self.rows, "last": self.last, "default": self.default}


def live(inputs: Inputs) -> dict[str, Any]:
    """Inputs as the oracle takes them: seeds become generators, arrays are copied."""
    return {
        name: value.live()
        if isinstance(value, Rng | StepFn)
        else value.copy()
        if isinstance(value, np.ndarray)
        else value
        for name, value in inputs.items()
    }


@dataclass(frozen=True, slots=True)
class Answered:
    """One call with its answer: ``status`` as the child gave it, ``value`` in canonical terms when it is ``value``.

    ``returned`` is the value as it came, of a plain call that is made once.
    """

    case: Case
    call: Call
    status: str
    value: Any = None
    failure: Any = None
    returned: Any = None


def _nothing(*_: Any, **__: Any) -> Any:
    """A component without an oracle of its own."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A failing case in canonical terms: its inputs, both answers, and all that the component was asked.

    ``oracle`` is what is right under what the assignment settles, ``turned`` the workshop with knobs turned, and
    ``knobs`` are those that make the mistake, where one was found.
    """

    inputs: Inputs
    expected: Any
    got: Any
    why: str = ""
    answers: Sequence[Answered] = ()
    oracle: Callable[..., Any] = _nothing
    turned: Callable[[Mapping[str, Any]], Callable[..., Any]] = _nothing
    knobs: Mapping[str, Any] | None = None
