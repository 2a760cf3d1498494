"""The error tree and the exit codes of the command.

Three faults have three homes. The student's fault is a verdict, never an exception. The user's fault is a
:class:`GraderError`: one line with what, where and the cure. Everything else is ours, caught once per check
and turned into the verdict ``fault``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path


class Exit(IntEnum):
    """Exit codes of every ``grader`` command."""

    OK = 0
    POINTS_LOST = 1
    USAGE = 2
    ISOLATION = 3
    FAULT = 4
    INTERRUPTED = 130


class GraderError(Exception):
    """Something that the user can mend; printed as one line without a traceback.

    ``what`` says what is wrong, ``where`` names the file or field, ``cure`` says what to do.
    """

    exit_code: Exit = Exit.USAGE

    def __init__(self, what: str, where: str = "", cure: str = "") -> None:
        super().__init__(what, where, cure)
        self.what, self.where, self.cure = what, where, cure

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        stop = "" if head.endswith(("?", "!", ".")) else "."
        return f"{head}{stop} {self.cure}" if self.cure else head


class UnreadableError(GraderError):
    """The submission itself cannot be read; in a class this becomes that student's report."""


class UnavailableIsolationError(GraderError):
    """The isolation asked for is not to be had on this machine; ``weaker`` says that a weaker one may be."""

    exit_code = Exit.ISOLATION
    weaker = False


@contextmanager
def system_errors(path: Path | str, cure: str = "", what: str = "written") -> Iterator[None]:
    """Turn the system's refusal into the user's error: ``path`` cannot be ``what``, and why."""
    try:
        yield
    except OSError as error:
        raise GraderError(f"cannot be {what} ({error.strerror})", str(path), cure) from error


def nearest(wrong: str, known: tuple[str, ...], *, every: bool = False) -> str:
    """Return the cure for an unknown name: the nearest one, or all of them; with ``every`` both."""
    from difflib import get_close_matches

    close = get_close_matches(wrong.lower(), known, n=1, cutoff=0.5)
    near = f"Did you mean {close[0]!r}?" if close else ""
    told = f"Known: {', '.join(known)}." if known and (every or not near) else ""
    return " ".join(filter(None, (near, told)))
