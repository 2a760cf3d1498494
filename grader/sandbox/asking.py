"""One ``ask``: which child gets which program, what is asked again, and when enough is enough."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Protocol

from . import shapes, wire
from .exchange import Child, Ended, now
from .plain import Answers, Failure, Limits, Loaded, Program, Reply, Source, Status

TIMEOUTS_PER_GROUP = 2
SHARE, SOON = 0.4, 1.0  # a first try ends after this part of the limit, but not within so many seconds
LOSSES = 3  # times that a zygote may die under one ask before its programs are given up
QUEUED = 256 << 10  # bytes kept ready for the child, so that it never waits for the next question
STATUSES = frozenset({"value", "error", "memory", "missing"})
ARMING_SECONDS = 30.0
MAX_KEPT = 32 << 20  # bytes of arrays that the answers of one ask may hold together
MAX_PARTS = 32 << 20  # bytes of all else: lists, texts, numbers
_MALFORMED = (
    wire.ProtocolError,
    KeyError,
    TypeError,
    ValueError,
    AttributeError,
    OverflowError,
    RecursionError,
)


class Children(Protocol):
    """Where children come from."""

    def child(self, limits: Limits) -> Child:
        """Return a fresh child."""


Programs = tuple[Program, ...] | Callable[[Loaded], tuple[Program, ...]]
Further = Callable[[tuple[Reply, ...]], tuple[Program, ...]]
"""Takes the replies and gives what is asked next; nothing ends it."""


class Lost(Exception):
    """The child went away through no fault of student code: its zygote died, or it could not be confined."""


class Asking:
    """The state of one ``ask``: replies so far, time-outs by group, and the deadline of all."""

    def __init__(
        self, children: Children, source: Source, programs: Programs, limits: Limits, further: Further | None = None
    ) -> None:
        self.later = programs if callable(programs) else None
        self.children, self.limits, self.further = children, limits, further
        self.programs: tuple[Program, ...] = () if callable(programs) else programs
        self.modules = [[m.name, [[c.code, c.filename, c.tolerate] for c in m.chunks]] for m in source.modules]
        self.end = now() + limits.total_wall
        self.replies: list[Reply | None] = [None] * len(self.programs)
        self.timeouts: dict[str, int] = {}
        self.slow = False
        self.losses = 0
        self.kept = self.parts = 0
        self.killed = False
        self.loaded: Loaded | None = None
        self.child: Child | None = None

    def run(self) -> Answers:
        """Ask until every program has its reply."""
        try:
            first = last = self._answers()
            if first.loaded.status == "value" and self.further is not None:
                while programs := self.further(last.replies):
                    self._begin(programs)
                    last = self._answers()
        finally:
            if self.child is not None:
                self.child.dismiss()
        return Answers(first.loaded, last.replies)

    def _begin(self, programs: tuple[Program, ...]) -> None:
        """Ask further programs of the child that is there, under limits of their own."""
        self.programs, self.replies = programs, [None] * len(programs)
        self.end = now() + self.limits.total_wall
        self.losses = self.kept = self.parts = 0

    def _answers(self) -> Answers:
        while self._goes_on():
            try:
                self._round()
            except Lost:
                self._close()
                self.losses += 1
        loaded = self.loaded or Loaded("crashed", Failure("Crash", "the process was killed again and again"))
        rest = self._rest(loaded)
        return Answers(loaded, tuple(reply or rest for reply in self.replies))

    def _goes_on(self) -> bool:
        if self.loaded is None:
            return self.losses < LOSSES
        return self.loaded.status == "value" and bool(self._pending()) and now() < self.end and self.losses < LOSSES

    def _rest(self, loaded: Loaded) -> Reply:
        """The reply of programs that were not asked."""
        if loaded.status != "value":
            return Reply(loaded.status, (), loaded.failure)
        if self.losses >= LOSSES:
            return Reply("crashed", (), Failure("Crash", "the process was killed again and again"))
        return Reply("timeout", (), Failure("TimeLimit", f"the {self.limits.total_wall:g} s for all were used up"))

    def _pending(self) -> list[int]:
        """Return the programs without a reply; those of a group that ran out of time twice get theirs here."""
        for at, program in enumerate(self.programs):
            if self.replies[at] is None and self.timeouts.get(program.group, 0) >= TIMEOUTS_PER_GROUP:
                failure = Failure("TimeLimit", "not asked: two others of its group ran out of time")
                self.replies[at] = Reply("timeout", (), failure)
        return [at for at, reply in enumerate(self.replies) if reply is None]

    def _round(self) -> None:
        """Ask one child the pending programs until it fails or all are answered."""
        fresh = self.child is None
        if self.child is None:
            self.child = self._fresh()
        if self.child is None:
            return
        if self.later is not None and self.loaded is not None:
            self.programs, self.later = self.later(self.loaded), None
            self.replies = [None] * len(self.programs)
        queue, nonces = self._pending(), {}
        first = queue[0] if fresh and queue else -1
        for at in list(queue):
            while queue and (queue[0] == at or len(self.child.queue) < QUEUED):
                following = queue.pop(0)
                nonces[following] = self._send(following, self.child)
            group = self.programs[at].group
            # Where one of the group has run out of all its time, the next that is first in its child counts at once.
            last = at == first and self.timeouts.get(group, 0) > 0
            reply = self._receive(at, nonces[at], self.child, in_full=last or self.slow)
            if reply.status == "timeout" and now() < self.end:
                self.replies[at] = self._out_of_time(group, reply) if last else self._again_alone(at)
                return
            self.replies[at] = reply
            if not self.child.open:
                self.child = None
                return

    def _fresh(self) -> Child | None:
        """Return a child with the source loaded; None, with ``loaded`` saying why, where it does not load."""
        child = self.children.child(self.limits)
        try:
            loaded = self._load(child)
        except BaseException:
            child.close()
            raise
        if loaded.failure is not None and loaded.failure.type == "MemoryLimit" and not self.killed:
            # The system killed it, perhaps for what others took; a second time it counts.
            self.killed = True
            raise Lost
        if self.loaded is None or loaded.status != "value":
            self.loaded = loaded
        if loaded.status == "value":
            return child
        child.close()
        return None

    def _load(self, child: Child) -> Loaded:
        try:
            armed, _ = child.receive(now() + ARMING_SECONDS)
        except Ended:
            raise Lost from None
        if armed != {"armed": True}:
            raise Lost
        nonce = os.urandom(8).hex()
        wall = min(self.limits.load_wall, max(self.end - now(), 0.1))
        child.send(wire.pack({"n": nonce, "modules": self.modules, "wall": wall}))
        try:
            tree, _ = child.receive(now() + wall)
            return _loaded(tree, nonce, child)
        except Ended as ended:
            if child.lost:
                raise Lost from None
            return Loaded(ended.status, ended.failure, output=child.printed(None))

    def _send(self, at: int, child: Child) -> str:
        nonce, program = os.urandom(8).hex(), self.programs[at]
        steps, blob = _kept(program) if program.shared else _encoded(program)
        child.send(wire.frame(f'{{"n":"{nonce}","steps":{steps}}}', blob))
        return nonce

    def _receive(self, at: int, nonce: str, child: Child, *, in_full: bool = True) -> Reply:
        start, limit = now(), self.limits.call_wall
        if not in_full:  # what takes this long mostly never ends: the second try tells
            limit = min(limit, max(limit * SHARE, SOON))
        try:
            tree, blob = child.receive(min(start + limit, self.end))
            self.kept += len(blob)
            if self.kept > MAX_KEPT:
                return _too_much(f"more than {MAX_KEPT >> 20} MiB", child, now() - start)
            reply, weight = _answered(tree, blob, nonce, child, now() - start)
            self.parts += weight
            if self.parts > MAX_PARTS:
                return _too_much("too many lists and texts", child, now() - start)
            if not _fits(reply, self.programs[at].steps):
                raise child.protocol()
        except Ended as ended:
            if child.lost:
                raise Lost from None
            return Reply(ended.status, (), ended.failure, child.printed(None), now() - start)
        return reply

    def _again_alone(self, at: int) -> Reply:
        """Ask a program that ran out of time once more, with a fresh child to itself."""
        self._close()
        self.child = self._fresh()
        if self.child is None:
            return Reply("timeout", (), Failure("TimeLimit", "no answer within the time limit"))
        reply = self._receive(at, self._send(at, self.child), self.child)
        if reply.status == "timeout":
            return self._out_of_time(self.programs[at].group, reply)
        self.slow = True
        if not self.child.open:
            self.child = None
        return reply

    def _out_of_time(self, group: str, reply: Reply) -> Reply:
        self.timeouts[group] = self.timeouts.get(group, 0) + 1
        self.child = None  # it ended with its time
        return reply

    def _close(self) -> None:
        if self.child is not None:
            self.child.close()
            self.child = None


def _encoded(program: Program) -> tuple[str, bytes]:
    """The steps as JSON, and the bytes of their arrays."""
    writer = wire.Writer()
    return wire.text(writer.encode(list(program.steps))), writer.blob()


_kept = lru_cache(maxsize=1024)(_encoded)


def _too_much(what: str, child: Child, seconds: float) -> Reply:
    child.close()
    failure = Failure("Unsendable", f"returned {what} in all")
    return Reply("error", (), failure, child.printed(None), seconds)


def _fits(reply: Reply, steps: tuple[dict[str, Any], ...]) -> bool:
    """Tell whether a reply has a value of the right form for every step, or for those before the one that failed."""
    count = len(steps)
    if reply.failure is None:
        whole = reply.status == "value" and len(reply.values) == count
    else:
        step = reply.failure.step
        whole = reply.status != "value" and len(reply.values) <= count and -1 <= step < max(count, 1)
    return whole and shapes.fit(steps, reply.values)


def _failure(tree: Any) -> Failure | None:
    if tree is None:
        return None
    frames = tuple((str(file)[:200], int(line), str(name)[:80]) for file, line, name in tree["frames"][:20])
    mro = tuple(str(name)[:80] for name in tree["mro"][:20])
    return Failure(str(tree["type"])[:80], str(tree["message"])[:2000], frames, int(tree["step"]), mro)


def _status(tree: Any, nonce: str) -> Status:
    if tree["n"] != nonce or tree["s"] not in STATUSES:
        raise wire.ProtocolError("not the answer to this question")
    status: Status = tree["s"]
    return status


def _loaded(tree: Any, nonce: str, child: Child) -> Loaded:
    try:
        status = _status(tree, nonce)
        names = tuple((str(module), str(name), str(kind)) for module, name, kind in tree["names"][:2000])
        notes = tuple(str(note)[:400] for note in tree["notes"][:100])
        failure = _failure(tree["f"])
        upto = int(tree["o"])
    except _MALFORMED:
        raise child.protocol() from None
    return Loaded(status, failure, names, notes, child.printed(upto))


def _answered(tree: Any, blob: memoryview, nonce: str, child: Child, seconds: float) -> tuple[Reply, int]:
    """Return the reply that a frame holds and about how many bytes its values take beside arrays. Raises Ended."""
    try:
        status = _status(tree, nonce)
        reader = wire.Reader(blob)
        if type(tree["v"]) is not list:
            raise wire.ProtocolError("values that are no list")
        values = tuple(reader.decode(value) for value in tree["v"])
        failure = _failure(tree["f"])
        upto = int(tree["o"])
    except _MALFORMED:
        raise child.protocol() from None
    return Reply(status, values, failure, child.printed(upto), seconds), reader.weight
