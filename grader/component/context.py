"""What a component is examined in, and how asking goes on in rounds."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from grader.component.calls import Answered, Shown
from grader.model.assignment import Interface
from grader.model.outcome import Outcome
from grader.model.submission import Submission
from grader.sandbox.plain import Limits, Program, Reply

Key = TypeVar("Key")
Rounds = Generator[Sequence[Program], Sequence[Reply], tuple[Outcome, ...]]
"""Yields programs for the child, is sent their replies, and ends with outcomes."""


def replies_to(programs: Mapping[Key, Program]) -> Generator[Sequence[Program], Sequence[Reply], dict[Key, Reply]]:
    """Ask all programs in one round; return their replies by the same keys."""
    replies = yield list(programs.values())
    return dict(zip(programs, replies, strict=True))


@dataclass(frozen=True, slots=True)
class Context:
    """What a component is examined in: the assignment's interface, the submission, the seed of its hidden cases.

    ``interfaces`` are all that the assignment sets and ``names`` all that the submission defines, (module, name,
    kind) each: a component about the whole submission looks at them. ``left_open`` takes outcomes, and what would
    explain them, and says whether what failed is not to be explained now, since it will be asked again around working
    parts; None: not known yet. ``shown`` takes the failing cases of each check, to be drawn when all is known, and
    ``failing`` the answer that its example shows.
    """

    interface: Interface
    submission: Submission
    seed: int
    function: str
    module: str
    interfaces: tuple[Interface, ...] = ()
    names: tuple[tuple[str, str, str], ...] = ()
    limits: Limits = field(default_factory=Limits)
    left_open: Callable[[tuple[Outcome, ...], Callable[[], Rounds]], bool | None] = lambda *_: False
    shown: dict[str, tuple[Shown, ...]] = field(default_factory=dict)
    failing: dict[str, Answered] = field(default_factory=dict)
