"""What a child sends back, as nouns of the sandbox: every field is held to its form, for student code may write it."""

from typing import Any

from . import shapes, wire
from .exchange import Child
from .plain import Failure, Loaded, Reply, Status, Use

MOST_USES = 32
STATUSES = frozenset({"value", "error", "memory", "missing", "timeout"})
"""What a child says itself; of what takes too long it knows the line."""
_MALFORMED = (wire.ProtocolError, KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)


class TooMuch(Exception):
    """Answers that cannot be kept, together or with those before; the message says what there is too much of.

    ``printed`` is what the first of their programs printed, told apart from what the child prints ahead.
    """

    def __init__(self, what: str, printed: str) -> None:
        super().__init__(what)
        self.printed = printed


def fits(reply: Reply, steps: tuple[dict[str, Any], ...]) -> bool:
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


def _status(tree: Any) -> Status:
    if tree["s"] not in STATUSES:
        raise wire.ProtocolError("no status")
    status: Status = tree["s"]
    return status


def read_loaded(tree: Any, nonce: str, child: Child) -> Loaded:
    """Return how a source was loaded. Raises Ended."""
    try:
        if tree["n"] != nonce:
            raise wire.ProtocolError("not the answer to this question")
        status = _status(tree)
        names = tuple((str(module), str(name), str(kind)) for module, name, kind in tree["names"][:2000])
        notes = tuple(str(note)[:400] for note in tree["notes"][:100])
        failure = _failure(tree["f"])
        upto = int(tree["o"])
    except _MALFORMED:
        raise child.protocol() from None
    return Loaded(status, failure, names, notes, child.printed(upto))


def read_replies(
    tree: Any, blob: memoryview, nonce: str, child: Child, seconds: float, count: int
) -> tuple[tuple[Reply, ...], int]:
    """Return the replies that a frame holds and about how many bytes their values take beside arrays.

    They end with the one whose time was up. Raises Ended, and TooMuch where the child wants to be asked for one program
    at a time.
    """
    try:
        if tree["n"] != nonce:
            raise wire.ProtocolError("not the answer to this question")
        reader = wire.Reader(blob)
        if tree["r"] is None and count > 1:
            raise TooMuch("too much for one frame", child.printed(int(tree["o"])))
        if type(tree["r"]) is not list or not 0 < len(tree["r"]) <= count:
            raise wire.ProtocolError("not an answer for every program")
        late = [each["s"] == "timeout" for each in tree["r"]]
        if any(late[:-1]) or (len(late) < count and not late[-1]):
            raise wire.ProtocolError("not an answer for every program")
        share = seconds / count
        return tuple(
            [reply_of(each, reader, child.printed(int(each["o"])), share) for each in tree["r"]]
        ), reader.weight
    except _MALFORMED:
        raise child.protocol() from None


def reply_of(tree: Any, reader: wire.Reader, printed: str, seconds: float) -> Reply:
    """Return the reply that a tree holds. Raises what malformed trees raise."""
    if type(tree["v"]) is not list:
        raise wire.ProtocolError("values that are no list")
    values = tuple([reader.decode(value) for value in tree["v"]])
    uses = tuple(_use(*each) for each in tree["u"][:MOST_USES])
    return Reply(_status(tree), values, _failure(tree["f"]), printed, seconds, uses)


def _use(name: Any, file: Any, line: Any, names: Any) -> Use:
    return Use(str(name)[:80], str(file)[:200], int(line), tuple(str(each)[:80] for each in names[:MOST_USES]))
