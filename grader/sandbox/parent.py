"""The sandbox as the grader sees it: ask a submission programs, get plain values and verdicts back.

Nothing here runs, imports or unpickles what a student wrote; numpy is loaded when the first array is met.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from .asking import Asking
from .control import Control, ZygoteDied
from .exchange import Child, now
from .plain import Answers, Further, Isolation, IsolationError, Level, Limits, Loaded, Programs, Source, Waiting
from .stuck import Stuck

__all__ = ["Sandbox", "Session", "ZygoteDied"]

Kind = TypeVar("Kind")
ZYGOTE_TRIES = 3
DEFAULT = Limits()


class Sandbox:
    """A zygote and the questions to its children. A context manager; used by one thread.

    ``level`` is "strict", "standard", "auto" (the best there is) or "none". ``start`` returns at once; the first
    question waits for the zygote to be warm. Raises IsolationError from ``isolation`` and ``ask`` where strict is
    asked for and not to be had.
    """

    def __init__(self, level: Level = "strict", torch: bool = False, *, without: tuple[str, ...] = ()) -> None:
        self.level = level
        self.torch = torch
        self.without = without  # mechanisms to do without, as on a lesser machine: for tests and bug reports
        self._control: Control | None = None
        self._asking: Asking | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Start the zygote and return without waiting for it."""
        self._started()

    def _started(self) -> Control:
        if self._control is None:
            if not hasattr(os, "fork"):
                raise IsolationError(self.level, ("a system that can fork; on Windows use WSL",))
            self._control = Control(self.level, self.torch, self.without)
        return self._control

    def warm_torch(self) -> None:
        """Make torch available to student code. The zygote starts anew, again without waiting."""
        if not self.torch:
            self.torch = True
            if self._control is not None:
                self.close()
                self.start()

    def dismiss(self) -> None:
        """Promise that no question follows: the zygote ends while the grader goes on. ``close`` waits for it."""
        if self._control is not None:
            self._control.dismiss()

    def close(self) -> None:
        """End the zygote and whatever still runs under it."""
        if self._control is not None:
            self._control.close()
            self._control = None

    @property
    def isolation(self) -> Isolation:
        """What is in force; waits until the zygote is ready. Raises IsolationError."""
        state = self._ready().ready()  # kept by the zygote's end once it has answered
        return Isolation(self.level, state["applied"], tuple(state["mechanisms"]), tuple(state["missing"]))

    @property
    def pace(self) -> int:
        """How many times as long this machine gets as an ordinary one; waits like ``isolation``."""
        return int(self._ready().ready()["pace"])

    def ask(
        self, source: Source, programs: Programs, limits: Limits = DEFAULT, further: Further | None = None
    ) -> Answers:
        """Load the source in a fresh child, run the programs, and return one reply for each, in order.

        ``programs`` may be a function of what was loaded, called once: what is asked depends on the names defined.
        ``further`` takes the replies and gives programs that follow from them, which the same child is asked while it
        lives, again and again until there are none; the replies returned are the last ones.
        A hang or a crash costs one program: a new child loads the source again and goes on with the next. A program
        that ran out of time, of a part of its limit at first, is asked once more alone; after two that never ended in
        a group the rest of the group gets "timeout" unasked, and what is where another one was stuck is not waited for
        again. On a slow machine the limits in seconds are longer (see
        ``pace``). Raises IsolationError, and ZygoteDied when no zygote can be kept alive.
        """
        with self.session() as session:
            return session.ask(source, programs, limits, further)

    def session(self) -> Session:
        """Return a context manager with an ``ask`` of its own, for several sources of one submission."""
        return Session(self)

    def run(self, asking: Asking) -> Answers:
        """Answer one ask; ``waiting`` tells meanwhile what it waits for."""
        self._asking = asking
        try:
            return asking.run()
        finally:
            self._asking = None

    @property
    def waiting(self) -> Waiting | None:
        """What is waited for now; None where nothing was asked. May be looked at from another thread."""
        asking = self._asking
        return None if asking is None else Waiting(asking.at, now() - asking.since, asking.limits)

    def child(self, limits: Limits) -> Child:
        """Return a fresh child; the zygote is started again where it died. Raises IsolationError, ZygoteDied."""
        return self._with_zygote(lambda: Child(self._ready(), limits))

    def _ready(self) -> Control:
        """Return the zygote once it is warm, started again where it died. Raises IsolationError, ZygoteDied."""
        return self._with_zygote(lambda: self._accepted(self._started()))

    def _with_zygote(self, action: Callable[[], Kind]) -> Kind:
        for _ in range(ZYGOTE_TRIES - 1):
            try:
                return action()
            except ZygoteDied:
                self.close()
        return action()

    def _accepted(self, control: Control) -> Control:
        state = control.ready()
        if not state["ready"]:
            self.close()
            raise IsolationError(self.level, tuple(state["missing"]))
        return control


class Session:
    """Asks about one submission in several forms: a child that is still good loads the next one, and saves a fork.

    A child keeps what it was told, so a form that holds an answer to what is asked next needs ``renew`` between. All
    forms after the first share one ``total_s``, so that work that is slow everywhere has an end.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.child: Child | None = None
        self.loaded: Loaded | None = None
        self.last = math.inf
        self.stuck = Stuck()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.renew()

    @property
    def pace(self) -> int:
        """The sandbox's: how many times the seconds of the limits apply on this machine."""
        return self.sandbox.pace

    def renew(self) -> None:
        """Let the next ask have a fresh child."""
        if self.child is not None:
            self.child.dismiss()
            self.child = None

    def ask(
        self, source: Source, programs: Programs, limits: Limits = DEFAULT, further: Further | None = None
    ) -> Answers:
        """Like ``Sandbox.ask``, but for the child: the one of the ask before, where nothing was wrong with it."""
        limits = limits.stretched(self.pace)
        if self.loaded is not None and self.last == math.inf:
            self.last = time.monotonic() + limits.total_s
        asking = Asking(self.sandbox, source, programs, limits, further, self.child, self.loaded, self.last, self.stuck)
        self.child = None
        try:
            answers = self.sandbox.run(asking)
            self.loaded = self.loaded or answers.loaded
            return answers
        finally:
            self.child = asking.child or asking.used
