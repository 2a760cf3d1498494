"""One ``ask``: which child gets which program, what is asked again, and when enough is enough."""

import math
import os
from functools import lru_cache
from itertools import groupby, islice
from typing import Protocol

from . import wire
from .exchange import TOGETHER, Child, Ended, now, overdue
from .plain import LESSON, Answers, Failure, Further, Limits, Loaded, Program, Programs, Reply, Source
from .returned import TooMuch, fits, read_loaded, read_replies
from .stuck import Stuck, place

TIMEOUTS_PER_GROUP = 2
SHARE, SOON = 0.4, 1.0  # a first try ends after this part of the limit, but not within so many seconds
AGAIN = 0.1  # and after this part where something is stuck that it may come to
LOSSES = 3  # times that a zygote may die under one ask before its programs are given up
LONG = frozenset({"train_copy", "copy_scores", "decode_copies"})  # steps that train, or use what was trained
QUEUED = 256 << 10  # bytes kept ready for the child, so that it never waits for the next question
ARMING_SECONDS = 30.0
MAX_KEPT = 32 << 20  # bytes of arrays that the answers of one ask may hold together
MAX_PARTS = 32 << 20  # bytes of all else: lists, texts, numbers


class Children(Protocol):
    """Where children come from."""

    def child(self, limits: Limits) -> Child:
        """Return a fresh child."""


Question = tuple[int, ...]
"""The programs, by number, that go over in one frame."""


class Lost(Exception):
    """The child went away through no fault of student code: its zygote died, or it could not be confined."""


class Asking:
    """The state of one ``ask``: replies so far, time-outs by group, and the deadline of all."""

    def __init__(
        self,
        children: Children,
        source: Source,
        programs: Programs,
        limits: Limits,
        further: Further | None = None,
        used: Child | None = None,
        before: Loaded | None = None,
        last: float = math.inf,
        stuck: Stuck | None = None,
    ) -> None:
        self.later = programs if callable(programs) else None
        self.children, self.limits, self.further = children, limits, further
        self.programs: tuple[Program, ...] = () if callable(programs) else programs
        self.modules = [[m.name, [[c.code, c.filename, c.tolerate] for c in m.chunks]] for m in source.modules]
        self.last = last  # when all has an end, whatever is asked further
        self.end = min(now() + limits.total_s, last)
        self.replies: list[Reply | None] = [None] * len(self.programs)
        self.timeouts: dict[str, int] = {}
        self.endless = source.endless
        self.stuck = Stuck() if stuck is None else stuck
        self.apart: set[str] = set()  # groups whose programs are asked one by one
        self.hung: dict[str, Reply] = {}  # those of them that ran out of time together, and where they were
        self.slow = False
        self.losses = 0
        self.kept = self.parts = 0
        self.killed = False
        self.loaded: Loaded | None = None
        self.child: Child | None = None
        self.used, self.before = used, before  # a child of an earlier ask, and what the submission was then
        self.at, self.since = "", now()  # the group whose answers are waited for; none while the source loads

    def run(self) -> Answers:
        """Ask until every program has its reply. ``child`` is the one that may be asked more then, if there is one."""
        first = last = self._answers()
        if first.loaded.status == "value" and self.further is not None:
            while programs := self.further(last.replies):
                self._begin(programs)
                last = self._answers()
        return Answers(first.loaded, last.replies)

    def _begin(self, programs: tuple[Program, ...]) -> None:
        """Ask further programs of the child that is there, under limits of their own."""
        self.programs, self.replies = programs, [None] * len(programs)
        self.end = min(now() + self.limits.total_s, self.last)
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
        return Reply("timeout", (), Failure("TotalTime", f"the {self.limits.total_s:g} s for all were used up"))

    def _pending(self) -> list[int]:
        """Return the programs without a reply; those of a group that ran out of time twice get theirs here."""
        for at, program in enumerate(self.programs):
            if self.replies[at] is None and self.timeouts.get(program.group, 0) >= TIMEOUTS_PER_GROUP:
                failure = Failure("NotAsked", "not asked: two others of its group ran out of time")
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
        queue, nonces = self._questions(), {}
        first = queue[0] if fresh and queue else ()
        for question in list(queue):
            while queue and (queue[0] == question or len(self.child.queue) < QUEUED):
                following = queue.pop(0)
                nonces[following] = self._send(following, self.child)
            if len(question) > 1:
                self._together(question, nonces[question], self.child)
                if not self.child.open:
                    self.child = None
                    return
                continue
            (at,) = question
            group = self.programs[at].group
            before = self.hung.pop(group, None) if question == first else None
            reply = self._receive(at, nonces[question], self.child, in_full=before is not None or self.slow)
            if reply.status == "timeout":
                self.replies[at] = self._late(at, reply, before, first=question == first)
                return
            self.replies[at] = reply
            if not self.child.open:
                self.child = None
                return

    def _questions(self) -> list[Question]:
        """The pending programs as they are sent: those of a group together, until something is wrong with them."""

        def company(at: int) -> tuple[str, int]:
            program = self.programs[at]
            alone = self.stuck or program.group in self.apart or _is_long(program)
            return program.group, at if alone else -1

        found: list[Question] = []
        for _, together in groupby(self._pending(), key=company):
            while question := tuple(islice(together, TOGETHER)):
                found.append(question)
        return found

    def _together(self, question: Question, nonce: str, child: Child) -> None:
        """Take the answers of several programs; where they do not come as expected, these are asked one by one."""
        group = self.programs[question[0]].group
        try:
            replies = self._answered(question, nonce, child, self._soon(question))
        except TooMuch:
            self.apart.add(group)
        except Ended as ended:
            if child.lost:
                raise Lost from None
            self.apart.add(group)
            if ended.status == "timeout":
                self.hung[group] = Reply("timeout", (), ended.failure)
        else:
            for at, reply in zip(question, replies, strict=False):
                self.replies[at] = reply
            at, late = question[len(replies) - 1], replies[-1]
            if late.status == "timeout":
                child.close()
                self.apart.add(group)
                if self._known(late):
                    self._out_of_time(group, late, late)
                else:
                    self.replies[at], self.hung[group] = None, late

    def _fresh(self) -> Child | None:
        """Return a child with the source loaded; None, with ``loaded`` saying why, where it does not load."""
        if (used := self._used_again()) is not None:
            return used
        child = self.children.child(self.limits)
        try:
            self._armed(child)
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

    def _used_again(self) -> Child | None:
        """Return the child of an earlier ask with this source loaded; None where a fresh one has to say what is so."""
        child, self.used = self.used, None
        if child is None or not child.open:
            return None
        try:
            loaded = self._load(child)
        except Lost:
            return None
        if loaded.status != "value" or not self._as_before(loaded):
            child.close()
            return None
        self.loaded = self.loaded or loaded
        return child

    def _as_before(self, loaded: Loaded) -> bool:
        """Tell whether all is there that was, and nothing went wrong that did not: some work loads once only."""
        before = self.before or loaded
        names = [{(module, name) for module, name, _ in each.names} for each in (before, loaded)]
        return (loaded.failure, loaded.notes) == (before.failure, before.notes) and names[0] <= names[1]

    def _armed(self, child: Child) -> None:
        """Wait until the child is confined. Raises Lost."""
        try:
            armed, _ = child.receive(now() + ARMING_SECONDS)
        except Ended:
            raise Lost from None
        if armed != {"armed": True}:
            raise Lost

    def _load(self, child: Child) -> Loaded:
        nonce = os.urandom(8).hex()
        wall = min(self.limits.load_s, max(self.end - now(), 0.1))
        child.send(wire.pack({"n": nonce, "modules": self.modules, "wall": wall}))
        try:
            tree, _ = child.receive(now() + wall)
            return read_loaded(tree, nonce, child)
        except Ended as ended:
            if child.lost:
                raise Lost from None
            return Loaded(ended.status, ended.failure, output=child.printed(None))

    def _send(self, question: Question, child: Child) -> str:
        nonce, blobs, written, start = os.urandom(8).hex(), [], [], 0
        for program in (self.programs[at] for at in question):
            steps, blob = _kept(program) if program.shared else _encoded(program)
            written.append(f"[{start},{steps}]")
            blobs.append(blob)
            start += len(blob)
        child.send(wire.frame(f'{{"n":"{nonce}","p":[{",".join(written)}]}}', b"".join(blobs)))
        return nonce

    def _soon(self, question: Question) -> float:
        """The seconds of a first try: what takes this long mostly never ends, and the second try tells."""
        full = self._full(question)
        share = AGAIN if self.stuck and full == self.limits.call_s else SHARE
        return min(full, max(full * share, SOON * share / SHARE))

    def _full(self, question: Question) -> float:
        """The seconds that there are at most."""
        return self.limits.call_s * (LESSON if any(_is_long(self.programs[at]) for at in question) else 1)

    def _receive(self, at: int, nonce: str, child: Child, *, in_full: bool = True) -> Reply:
        start = now()
        limit = self._full((at,)) if in_full else self._soon((at,))
        try:
            replies = self._answered((at,), nonce, child, limit)
        except Ended as ended:
            if child.lost:
                raise Lost from None
            return Reply(ended.status, (), ended.failure, child.printed(None), now() - start)
        except TooMuch as much:
            child.close()
            failure = Failure("Unsendable", f"returned {much} in all")
            return Reply("error", (), failure, much.printed, now() - start)
        return replies[0]

    def _answered(self, question: Question, nonce: str, child: Child, limit: float) -> tuple[Reply, ...]:
        """Return a reply for each program of a question. Raises Ended, and TooMuch where they cannot be kept."""
        start, group = now(), self.programs[question[0]].group
        if group != self.at:
            self.at, self.since = group, start
        tree, blob = child.receive(min(start + limit, self.end), told=True)
        replies, weight = read_replies(tree, blob, nonce, child, now() - start, len(question))
        if self.kept + len(blob) > MAX_KEPT:
            raise TooMuch(f"more than {MAX_KEPT >> 20} MiB", replies[0].output)
        if self.parts + weight > MAX_PARTS:
            raise TooMuch("too many lists and texts", replies[0].output)
        if not all(fits(r, self.programs[at].steps) for at, r in zip(question, replies, strict=False)):
            raise child.protocol()
        self.kept += len(blob)
        self.parts += weight
        return replies

    def _late(self, at: int, reply: Reply, before: Reply | None, *, first: bool) -> Reply | None:
        """Return the reply of a program that ran out of time; it is asked again where that may be another's fault.

        ``before`` is how it ran out of time with others, ``first`` that it was the first in its child.
        """
        group = self.programs[at].group
        self._close()  # it said where it was, and has said all that it will
        if now() >= self.end:
            return reply
        if before is not None or self.slow:
            return self._out_of_time(group, reply, before or reply)
        # Where nothing is known of places, and one of the group has run out of all its time, the next counts at once.
        unseen = first and not place(reply) and self.timeouts.get(group, 0) > 0
        if unseen or self._known(reply):
            return self._out_of_time(group, reply, reply)
        self.child = self._fresh()
        if self.child is None:
            gone = overdue()
            return Reply(gone.status, (), gone.failure)
        again = self._receive(at, self._send((at,), self.child), self.child)
        if again.status == "timeout":
            self._close()
            return self._out_of_time(group, again, reply)
        self.slow = True
        if not self.child.open:
            self.child = None
        return again

    def _known(self, reply: Reply) -> bool:
        """Whether a program that ran out of time is in a loop without an end, or where another one was stuck."""
        frames = reply.failure.frames if reply.failure else ()
        endless = (start <= line <= end for own, line, _ in frames for file, start, end in self.endless if file == own)
        return any(endless) or self.stuck.holds(reply)

    def _out_of_time(self, group: str, reply: Reply, before: Reply) -> Reply:
        """Count a program that ran out of time now and ``before``."""
        self.timeouts[group] = self.timeouts.get(group, 0) + 1
        self.stuck.note(reply, before)
        return reply

    def _close(self) -> None:
        if self.child is not None:
            self.child.close()
            self.child = None


def _is_long(program: Program) -> bool:
    return any(step["do"] in LONG for step in program.steps)


def _encoded(program: Program) -> tuple[str, bytes]:
    """The steps as JSON, and the bytes of their arrays."""
    writer = wire.Writer()
    return wire.text(writer.encode(list(program.steps))), writer.blob()


_kept = lru_cache(maxsize=1024)(_encoded)
