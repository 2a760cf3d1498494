"""One child seen from the grader: a poll loop with absolute deadlines that nothing in the child can hold up."""

import contextlib
import os
import select
import signal
import socket
import time
from typing import Any

from . import wire
from .control import Control, ZygoteDied
from .failures import OVERDUE
from .plain import Failure, Limits, Status

TOGETHER = 32  # programs of a group that are asked and answered in one frame
PIPE = 1 << 16  # bytes of output that are read at a time
AT_ONCE = 1 << 16  # bytes read from a child when fewer are missing: the next answers may lie ready
LEFT = 97  # the exit status of a child whose channel is closed
ANSWERING = 0.3  # seconds in which a child says how far it is
GOING = 0.5  # seconds in which a killed process comes to its end
LEAST_WAIT = 0.05  # seconds without a processor below which a deadline stands


class Ended(Exception):
    """The child gave no answer and is gone: the verdict and what is known about it."""

    def __init__(self, status: Status, failure: Failure) -> None:
        super().__init__(status)
        self.status = status
        self.failure = failure


def overdue() -> Ended:
    """What is known of a child that does not say where it is."""
    return Ended("timeout", Failure("TimeLimit", OVERDUE))


class Child:
    """A forked child; frames go out as fast as it reads them and come back one at a time."""

    def __init__(self, control: Control, limits: Limits) -> None:
        self.control, self.limits = control, limits
        self.socket, theirs = socket.socketpair()
        self.output, out = os.pipe()
        try:
            self.pid, self.pidfd = control.spawn(theirs.fileno(), out, limits)
        except ZygoteDied:
            self.socket.close()
            os.close(self.output)
            raise
        finally:
            theirs.close()
            os.close(out)
        self.socket.setblocking(False)
        os.set_blocking(self.output, False)
        self.open = True
        self.turns = Turns(self.pidfd)
        self.lost = False  # the zygote went away before it could say how the child ended
        self.queue = bytearray()
        self.ready = bytearray()  # what came from the child and was not asked for yet
        self.text = bytearray()
        self.seen = 0  # bytes of output that earlier programs were given
        self.poll = select.poll()
        self.poll.register(self.socket, select.POLLIN)
        self.poll.register(self.output, select.POLLIN)
        if self.pidfd >= 0:
            self.poll.register(self.pidfd, select.POLLIN)

    def send(self, frame: bytes) -> None:
        """Queue a frame; it is written while answers are awaited."""
        if not self.queue:
            self.poll.modify(self.socket, select.POLLIN | select.POLLOUT)
        self.queue += frame

    def receive(self, deadline: float, *, told: bool = False) -> tuple[Any, memoryview]:
        """Return tree and blob of the next frame. Raises Ended; then the child is reaped.

        The deadline moves by the time that a busy machine kept the child from running. A child that is ``told`` when
        it is over may say once more how far it is.
        """
        self.deadline, self.told, self.over = deadline, told, False
        try:
            size, blob = wire.lengths(bytes(self._take(wire.HEADER.size)))
            body = memoryview(self._take(size + blob))
            return wire.parse(bytes(body[:size]), wire.MAX_BRACKETS), body[size:]
        except wire.ProtocolError:
            raise self.protocol() from None

    def protocol(self) -> Ended:
        """End the child for a frame that is none."""
        self.close()
        return Ended("protocol", Failure("Protocol", "the process wrote to the grader's channel by itself"))

    def printed(self, upto: int | None) -> str:
        """Return what was printed since the last call; ``upto`` is the child's own count of bytes."""
        if upto is not None and upto <= self.seen:
            return ""
        while self.open and (upto is None or len(self.text) < upto - self.seen) and self._drain():
            pass  # no further than asked: what lies behind it is of programs that are answered later
        room = len(self.text) if upto is None else min(max(upto - self.seen, 0), len(self.text))
        text = bytes(self.text[: min(room, self.limits.output_bytes)])
        del self.text[:room]
        self.seen += room
        return text.decode("utf-8", "replace")

    def close(self) -> dict[str, Any]:
        """Kill and reap the child and return how it ended. Does nothing the second time."""
        if not self.open:
            return {}
        return self._end(wait=True)

    def dismiss(self) -> None:
        """Have the child killed and reaped, without waiting for it."""
        if self.open:
            self._end(wait=False)

    def _end(self, *, wait: bool) -> dict[str, Any]:
        own: dict[str, Any] = {}
        if self.pidfd >= 0:
            own = {"own": _exited(self.pidfd)}  # looked at before the kill, or a crash would look like it
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
        try:
            if wait or not own:
                ended = self.control.reap(self.pid) | own
            else:
                self.control.reap_later(self.pid)
                ended = {}
        except ZygoteDied:
            ended, self.lost = {}, True  # its children die with it
        while self._drain():
            pass
        self.open = False
        self.socket.close()
        os.close(self.output)
        if self.pidfd >= 0:
            os.close(self.pidfd)
        return ended

    def _take(self, size: int) -> bytearray:
        """Return exactly ``size`` bytes from the child; meanwhile write what is queued and drain the output."""
        while len(self.ready) < size:
            left = self.deadline - time.monotonic()
            events = dict(self.poll.poll(left * 1000)) if left > 0 else {}
            if left <= 0 or (not events and time.monotonic() >= self.deadline):
                waited = self.turns.waited()
                if waited < LEAST_WAIT:
                    waited = self._tell()
                self.deadline += waited
                continue
            if self.output in events:
                self._drain()
            event = events.get(self.socket.fileno(), 0)
            if event & select.POLLOUT:
                self._write()
            if event & (select.POLLIN | select.POLLHUP | select.POLLERR):
                self._read(size - len(self.ready))
            elif self.pidfd in events and not event & select.POLLIN:
                raise self._gone()
        taken = self.ready[:size]
        del self.ready[:size]
        return taken

    def _tell(self) -> float:
        """Tell the child that its time is up, and return the seconds that it has to answer. Raises Ended."""
        if self.told and self.pidfd >= 0:
            self.told, self.over = False, True
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(self.pidfd, wire.TIME_IS_UP)
            return ANSWERING
        self.close()
        raise overdue()

    def _read(self, missing: int) -> None:
        """Take what is missing from the channel, and of what lies behind it as much as comes along."""
        try:
            part = self.socket.recv(min(max(missing, AT_ONCE), 1 << 20))
        except BlockingIOError:
            return
        except OSError:
            part = b""
        if not part:
            raise self._gone()
        self.ready += part

    def _write(self) -> None:
        try:
            sent = self.socket.send(memoryview(self.queue)[: 1 << 20])
        except OSError:
            return  # what became of the child shows when reading
        del self.queue[:sent]
        if not self.queue:
            self.poll.modify(self.socket, select.POLLIN)

    def _drain(self) -> bool:
        """Read once from the output pipe, and tell whether anything was kept.

        There is room for all that the programs of a frame may print, and for one read of what the next ones print
        meanwhile: past that the bytes are thrown away, and are nobody's.
        """
        try:
            part = os.read(self.output, PIPE)
        except BlockingIOError:
            return False
        if not part:
            with contextlib.suppress(KeyError):
                self.poll.unregister(self.output)
            return False
        kept = part[: max(TOGETHER * self.limits.output_bytes + PIPE - len(self.text), 0)]
        self.text += kept
        return bool(kept)

    def _gone(self) -> Ended:
        # A process that is killed loses its channel a moment before it has ended; one that closed it goes on.
        if self.pidfd >= 0:
            _exited(self.pidfd, GOING)
        ended = self.close()
        return overdue() if self.over else verdict_of(ended, self.limits)


class Turns:
    """How long a process was ready to run while others had the processors; Linux tells, elsewhere it is 0."""

    def __init__(self, pidfd: int) -> None:
        self.pidfd = pidfd
        self.looked, self.used, self.ready = time.monotonic(), 0.0, 0.0

    def waited(self) -> float:
        """Return the seconds since the last look in which the machine kept the process waiting."""
        folder = f"/proc/{_number(self.pidfd)}"
        try:
            with open(f"{folder}/schedstat") as file:
                ready = int(file.read().split()[1]) / 1e9
            with open(f"{folder}/stat") as file:
                ticks = file.read().rpartition(")")[2].split()[11:13]
        except (OSError, ValueError, IndexError):
            return 0.0
        now, used = time.monotonic(), sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
        waited = kept_waiting(ready - self.ready, now - self.looked, used - self.used)
        self.looked, self.used, self.ready = now, used, ready
        return waited


def kept_waiting(ready: float, passed: float, used: float) -> float:
    """Return how much of the seconds passed others took from a process whose first thread was ready for ``ready``.

    What its own threads used, they took from each other: however many there are, a process has no more processor time
    than its limit before the deadline comes.
    """
    return max(0.0, min(ready, passed - used))


def _number(pidfd: int) -> str:
    """Return the number of a process as this process sees it; "" where that is not to be had."""
    try:
        with open(f"/proc/self/fdinfo/{pidfd}") as file:
            return next((line.split()[1] for line in file if line.startswith("Pid:")), "")
    except OSError:
        return ""


def _exited(pidfd: int, seconds: float = 0.0) -> bool:
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def verdict_of(ended: dict[str, Any], limits: Limits) -> Ended:
    """Tell a processor time limit, a lack of memory and a crash apart by how a child ended."""
    code, own, cpu = ended.get("code", 0), ended.get("own", False), ended.get("cpu", 0.0)
    if not ended:
        return Ended("crashed", Failure("Crash", "the process and its parent were killed"))
    if code in (-signal.SIGXCPU, -signal.SIGKILL) and cpu >= limits.cpu_s - 0.5:
        return Ended("timeout", Failure("ProcessorTime", f"used {limits.cpu_s} s of processor time"))
    if code == -signal.SIGKILL and own:
        return Ended("memory", Failure("MemoryLimit", "killed by the system, most likely for lack of memory"))
    if code in (-signal.SIGKILL, LEFT):
        return Ended("crashed", Failure("Crash", "the process closed its channel to the grader"))
    if code < 0:
        return Ended("crashed", Failure("Signal", _signal_name(-code)))
    return Ended("crashed", Failure("Exit", f"exit status {code}"))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def now() -> float:
    """The clock that deadlines are measured by."""
    return time.monotonic()
