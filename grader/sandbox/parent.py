"""The sandbox as the grader sees it: ask a submission programs, get plain values and verdicts back.

Nothing here runs, imports or unpickles what a student wrote; numpy is loaded when the first array is met.
"""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any

from . import wire
from .control import Control, ZygoteDied
from .exchange import Child, Ended, now
from .plain import (
    Answers,
    Chunk,
    Failure,
    Isolation,
    IsolationError,
    Level,
    Limits,
    Loaded,
    Module,
    Program,
    Reply,
    Source,
    Status,
)

__all__ = [
    "Answers",
    "Chunk",
    "Failure",
    "Isolation",
    "IsolationError",
    "Limits",
    "Loaded",
    "Module",
    "Program",
    "Reply",
    "Sandbox",
    "Source",
]

TIMEOUTS_PER_GROUP = 2
QUEUED = 256 << 10  # bytes kept ready for the child, so that it never waits for the next question
STATUSES = frozenset({"value", "error", "memory", "missing"})
ZYGOTE_TRIES = 3


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

    def __enter__(self) -> Sandbox:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def start(self) -> None:
        """Start the zygote and return without waiting for it."""
        if self._control is None:
            self._control = Control(self.level, self.torch, self.without)

    def warm_torch(self) -> None:
        """Make torch available to student code. The zygote starts anew, again without waiting."""
        if not self.torch:
            self.torch = True
            if self._control is not None:
                self.close()
                self.start()

    def close(self) -> None:
        """End the zygote and whatever still runs under it."""
        if self._control is not None:
            self._control.close()
            self._control = None

    @property
    def isolation(self) -> Isolation:
        """What is in force; waits until the zygote is ready. Raises IsolationError."""
        state = self._ready().ready()
        return Isolation(self.level, state["applied"], tuple(state["mechanisms"]), tuple(state["missing"]))

    def ask(self, source: Source, programs: tuple[Program, ...], limits: Limits = Limits()) -> Answers:
        """Load the source in a fresh child, run the programs, and return one reply for each, in order.

        A hang or a crash costs one program: a new child loads the source again and goes on with the next. A
        program that ran out of time is asked once more alone; after two such programs in a group the rest of the
        group gets "timeout" unasked. Raises IsolationError, and ZygoteDied when no zygote can be kept alive.
        """
        return _Asking(self, source, programs, limits).run()

    def child(self, limits: Limits) -> Child:
        """Return a fresh child; the zygote is started again where it died. Raises IsolationError, ZygoteDied."""
        for _ in range(ZYGOTE_TRIES):
            control = self._ready()
            try:
                return Child(control, limits)
            except ZygoteDied as error:
                died = error
                self.close()
        raise died

    def _ready(self) -> Control:
        self.start()
        assert self._control is not None
        state = self._control.ready()
        if not state["ready"]:
            self.close()
            raise IsolationError(self.level, tuple(state["missing"]))
        return self._control


class _Asking:
    """The state of one ``ask``: replies so far, time-outs by group, and the deadline of all."""

    def __init__(self, sandbox: Sandbox, source: Source, programs: tuple[Program, ...], limits: Limits) -> None:
        self.sandbox, self.programs, self.limits = sandbox, programs, limits
        self.modules = [[m.name, [[c.code, c.filename, c.tolerate] for c in m.chunks]] for m in source.modules]
        self.end = now() + limits.total_wall
        self.replies: list[Reply | None] = [None] * len(programs)
        self.timeouts: dict[str, int] = {}
        self.loaded: Loaded | None = None
        self.child: Child | None = None

    def run(self) -> Answers:
        try:
            self._open()
            while self._pending() and self.loaded is not None and self.loaded.status == "value":
                if now() >= self.end:
                    break
                self._round(self._pending())
        finally:
            if self.child is not None:
                self.child.close()
        assert self.loaded is not None
        rest = self._rest(self.loaded)
        return Answers(self.loaded, tuple(reply or rest for reply in self.replies))

    def _rest(self, loaded: Loaded) -> Reply:
        """The reply of programs that were not asked."""
        if loaded.status != "value":
            return Reply(loaded.status, (), loaded.failure)
        return Reply("timeout", (), Failure("TimeLimit", f"the {self.limits.total_wall:g} s for all were used up"))

    def _pending(self) -> list[int]:
        for at, program in enumerate(self.programs):
            if self.replies[at] is None and self.timeouts.get(program.group, 0) >= TIMEOUTS_PER_GROUP:
                message = "not asked: others of its group ran out of time"
                self.replies[at] = Reply("timeout", (), Failure("TimeLimit", message))
        return [at for at, reply in enumerate(self.replies) if reply is None]

    def _open(self) -> None:
        """Make ``child`` a child with the source loaded; loading out of time is tried once more."""
        for attempt in range(2):
            self.child = self.sandbox.child(self.limits)
            loaded = self._load(self.child)
            if loaded.status != "value" and self.loaded is not None and self.loaded.status == "value":
                continue  # it loaded before; a second failure ends the asking below
            self.loaded = loaded
            if loaded.status != "timeout" or now() >= self.end or attempt:
                return
        if self.loaded is not None and self.loaded.status == "value":
            self.loaded = loaded

    def _load(self, child: Child) -> Loaded:
        nonce = os.urandom(8).hex()
        child.send(wire.pack({"n": nonce, "modules": self.modules}))
        try:
            tree, _ = child.receive(min(now() + self.limits.load_wall, self.end))
            return _loaded(tree, nonce, child)
        except Ended as ended:
            return Loaded(ended.status, ended.failure, output=child.printed(None))

    def _round(self, pending: list[int]) -> None:
        """Ask one child the pending programs until it fails."""
        if self.child is None:
            self._open()
            return
        queue, nonces = list(pending), {}
        for at in pending:
            while queue and (queue[0] == at or len(self.child.queue) < QUEUED):
                following = queue.pop(0)
                nonces[following] = self._send(following)
            reply = self._reply(at, nonces[at], self.child)
            if reply.status == "timeout" and now() < self.end:
                reply = self._alone(at, reply)
            self.replies[at] = reply
            if self.child is None or not self.child.open:
                self.child = None
                return

    def _send(self, at: int, child: Child | None = None) -> str:
        child = child or self.child
        assert child is not None
        nonce = os.urandom(8).hex()
        writer = wire.Writer()
        steps = writer.encode(list(self.programs[at].steps))
        child.send(writer.frame({"n": nonce, "steps": steps}))
        return nonce

    def _reply(self, at: int, nonce: str, child: Child) -> Reply:
        start = now()
        try:
            tree, blob = child.receive(min(start + self.limits.call_wall, self.end))
            return _answered(tree, blob, nonce, child, now() - start)
        except Ended as ended:
            return Reply(ended.status, (), ended.failure, child.printed(None), now() - start)

    def _alone(self, at: int, first: Reply) -> Reply:
        """Ask a program that ran out of time once more, with a child to itself."""
        self.child = None
        child = self.sandbox.child(self.limits)
        reply = first
        try:
            if self._load(child).status == "value":
                reply = self._reply(at, self._send(at, child), child)
        finally:
            if reply.status == "timeout" or not child.open:
                child.close()
            else:
                self.child = child  # it goes on with the next program
        if reply.status == "timeout":
            group = self.programs[at].group
            self.timeouts[group] = self.timeouts.get(group, 0) + 1
        return reply


def _failure(tree: Any) -> Failure | None:
    if tree is None:
        return None
    frames = tuple((str(file), int(line), str(name)) for file, line, name in tree["frames"][:20])
    mro = tuple(str(name)[:80] for name in tree["mro"][:20])
    return Failure(str(tree["type"])[:80], str(tree["message"])[:2000], frames, int(tree["step"]), mro)


def _status(tree: Any, nonce: str) -> Status:
    if tree["n"] != nonce or tree["s"] not in STATUSES:
        raise wire.ProtocolError("not the answer to this question")
    status: Status = tree["s"]
    return status


_MALFORMED = (wire.ProtocolError, KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError)


def _loaded(tree: Any, nonce: str, child: Child) -> Loaded:
    try:
        status = _status(tree, nonce)
        names = tuple((str(module), str(name), str(kind)) for module, name, kind in tree["names"][:2000])
        notes = tuple(str(note)[:400] for note in tree["notes"][:100])
        failure = _failure(tree["f"])
        upto = int(tree["o"])
    except _MALFORMED:
        raise child.protocol() from None
    loaded = Loaded(status, failure, names, notes, child.printed(upto))
    if status != "value":
        child.close()
    return loaded


def _answered(tree: Any, blob: bytes, nonce: str, child: Child, seconds: float) -> Reply:
    try:
        status = _status(tree, nonce)
        reader = wire.Reader(blob)
        values = tuple(reader.decode(value) for value in tree["v"])
        failure = _failure(tree["f"])
        upto = int(tree["o"])
    except _MALFORMED:
        raise child.protocol() from None
    if (failure is None) != (status == "value"):
        raise child.protocol()
    return Reply(status, values, failure, child.printed(upto), seconds)
