"""What assessing needs of whoever runs a submission: a child beside, or this process."""

from types import TracebackType
from typing import Protocol, Self

from grader.model.submission import Submission
from grader.sandbox.plain import Answers, Chunk, Further, Limits, Module, Programs, Source


class Session(Protocol):
    """Asks about one submission, in several forms; ``pace`` is how many times the seconds of the limits apply."""

    @property
    def pace(self) -> int: ...  # noqa: D102 - the class says it

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def renew(self) -> None:
        """Let the next ask have nothing of what was told before."""

    def ask(self, source: Source, programs: Programs, limits: Limits, further: Further | None = None) -> Answers:
        """Load ``source`` and answer, as :meth:`grader.sandbox.parent.Sandbox.ask` says."""


def payload(submission: Submission) -> Source:
    """Return the code of a submission as the sandbox takes it."""
    from grader import source

    return Source(
        tuple(
            Module(module.name, tuple(Chunk(chunk.code, chunk.filename, chunk.tolerate) for chunk in module.chunks))
            for module in submission.modules
        ),
        frozenset(
            (loop.place.file, loop.place.line, loop.end) for loop in source.loops_of(submission.modules) if loop.endless
        ),
    )
