"""What runs beside student code: load the submission once, run programs, write one frame for each."""

import contextlib
import io
import os
import signal
import sys
import traceback
import types
from typing import Any

from . import steps, wire
from .failures import describe, on_one_line, overdue, status_of
from .gates import Gates
from .loading import ListedFinder, Submission


class CappedOutput(io.RawIOBase):
    """Standard output: passes on at most ``cap`` bytes between two calls of ``mark`` and counts them."""

    def __init__(self, fd: int, cap: int) -> None:
        self.fd, self.cap, self.room, self.total = fd, cap, cap, 0

    def writable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the descriptor that is written to."""
        return self.fd

    def write(self, data: Any) -> int:
        """Pass on what there is room for; the rest is dropped and still counts as written."""
        kept = bytes(data[: self.room]) if self.room > 0 else b""
        while kept:
            done = os.write(self.fd, kept)
            self.room -= done
            self.total += done
            kept = kept[done:]
        return len(data)

    def mark(self) -> int:
        """Return how many bytes were passed on so far, and make room for the next program."""
        self.room = self.cap
        return self.total


class Questions:
    """The grader's frames from ``fd``: several may lie ready, and are then taken from the channel at once."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.ready = bytearray()

    def read(self) -> tuple[Any, bytes]:
        """Return tree and blob of the next frame; the process ends where there will be none."""
        size, blob = wire.lengths(self._take(wire.HEADER.size), wire.MAX_QUESTION)
        return wire.parse(self._take(size)), self._take(blob)

    def _take(self, size: int) -> bytes:
        while len(self.ready) < size:
            part = os.read(self.fd, 1 << 16)
            if not part:
                os._exit(0)
            self.ready += part
        taken = bytes(self.ready[:size])
        del self.ready[:size]
        return taken


def serve(fd: int, listed: ListedFinder, output: int, gates: Gates) -> None:
    """Answer frames from ``fd`` until it closes. Student code runs in here."""
    out = CappedOutput(1, output)
    sys.stdout = io.TextIOWrapper(out, "utf-8", "backslashreplace", write_through=True)
    sys.stderr = sys.stdout
    submission: Submission | None = None
    asked = Questions(fd)
    signal.signal(wire.TIME_IS_UP, signal.SIG_IGN)
    _write(fd, wire.pack({"armed": True}))
    while True:
        tree, blob = asked.read()
        if "modules" in tree or submission is None:
            if submission is not None:
                submission.unload()
            submission = Submission(tree["modules"])
            submission.load(listed, tree["wall"])
            with contextlib.suppress(BaseException):  # a submission may have replaced any of it
                steps.settle()
            frame = wire.pack(_loaded(submission) | {"n": tree["n"], "o": out.mark()})
        else:
            frame = _Run(fd, tree, blob, submission, out, gates).frame()
        _write(fd, frame)


def _loaded(submission: Submission) -> dict[str, Any]:
    entry = submission.order[0] if submission.order else ""
    broken = entry if entry in submission.failures else next(iter(submission.halfway), "")
    failure = submission.failures.get(broken)  # of a value: where a file breaks off, and what it has defined stands
    others = [f for name, f in submission.failures.items() if name != broken]
    notes = submission.notes + [f"{_where(f)}{on_one_line(f)}" for f in others]
    status = "value" if failure is None or broken in submission.halfway else failure["status"]
    names = submission.names()[:2000]
    return {"s": status, "f": failure, "names": names, "notes": [note[:400] for note in notes[:100]]}


def _where(failure: dict[str, Any]) -> str:
    frames = failure["frames"]
    return f"{frames[0][0]} stops at line {frames[0][1]}: " if frames else ""


class _Run:
    """The programs of a question on their way to the frame that answers them.

    Of several, only where each has an answer of its own: what is too much to send together may be little enough one by
    one, so ``"r": None`` asks for that. When the grader says ``wire.TIME_IS_UP``, the answers so far go out, with the
    place where the program that runs is, and the process ends.
    """

    def __init__(
        self, fd: int, tree: dict[str, Any], blob: bytes, submission: Submission, out: CappedOutput, gates: Gates
    ) -> None:
        self.fd, self.nonce, self.blob, self.programs = fd, tree["n"], blob, tree["p"]
        self.submission, self.out, self.gates = submission, out, gates
        self.writer = wire.Writer()
        self.replies: list[dict[str, Any]] = []

    def frame(self) -> bytes:
        """Run the programs and return the frame."""
        signal.signal(wire.TIME_IS_UP, self._give_up)
        try:
            for start, written in self.programs:
                self.gates.begin(self.submission.filenames)
                table = steps.Table(self.submission, self.gates)
                reply = self._reply(wire.trusted(written, self.blob, start), table)
                reply["u"] = self.gates.end()
                too_much = reply["s"] == "memory" or (reply["f"] or {}).get("type") == wire.Unsendable.__name__
                if too_much and len(self.programs) > 1:
                    return _one_by_one(self.nonce, self.out.mark())
                self.replies.append(reply)
        finally:
            signal.signal(wire.TIME_IS_UP, signal.SIG_IGN)
        return _framed(self.nonce, self.replies, self.writer)

    def _reply(self, program: list[dict[str, Any]], table: steps.Table) -> dict[str, Any]:
        values: list[Any] = []
        reply: dict[str, Any] = {"s": "value", "v": values, "f": None}
        submission = self.submission
        try:
            for step in program:
                values.append(self.writer.encode(steps.run(step, table)))  # noqa: PERF401 - kept till one fails
        except BaseException as error:
            reply["f"] = describe(error, submission.filenames, len(values))
            reply["s"] = status_of(error)
            _free(error)
            if reply["s"] == "missing" and submission.failures:
                # The name may be missing because the module that defines it broke off.
                reply["s"], reply["f"] = "error", next(iter(submission.failures.values())) | {"step": len(values)}
        reply["o"] = self.out.mark()
        return reply

    def _give_up(self, number: int, frame: types.FrameType | None) -> None:
        failure = overdue(frame, self.submission.filenames)
        late = {"s": "timeout", "v": [], "f": failure, "o": self.out.mark(), "u": self.gates.end()}
        _write(self.fd, _framed(self.nonce, [*self.replies, late], self.writer))
        os._exit(0)


def _one_by_one(nonce: str, printed: int) -> bytes:
    return wire.pack({"n": nonce, "r": None, "o": printed})


def _framed(nonce: str, replies: list[dict[str, Any]], writer: wire.Writer) -> bytes:
    try:
        frame = writer.frame({"n": nonce, "r": replies})
        if wire.HEADER.unpack_from(frame)[1] <= wire.MAX_TREE:
            return frame
        failure = {"type": "Unsendable", "message": "returned too much to send", "frames": [], "mro": []}
    except MemoryError:
        failure = {"type": "MemoryError", "message": "", "frames": [], "mro": ["MemoryError"]}
    reply = replies[-1]
    if len(replies) > 1:
        return _one_by_one(nonce, reply["o"])
    step = len(reply["v"]) - 1
    status = "memory" if failure["type"] == "MemoryError" else "error"
    return wire.pack({"n": nonce, "r": [reply | {"s": status, "v": [], "f": failure | {"step": step}}]})


def _free(error: BaseException) -> None:
    """Let go of what the frames of a failed call hold: after a MemoryError the answer needs room."""
    with contextlib.suppress(BaseException):  # a finaliser of student code may raise anything
        traceback.clear_frames(error.__traceback__)


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
