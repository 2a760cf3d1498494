"""Where programs ran out of all their time: whatever comes to the same place is not waited for again."""

from itertools import takewhile

from .plain import Reply

Place = tuple[tuple[str, str], ...]
"""Files and qualified names of the student's functions that are at work, from the outside."""


class Stuck:
    """The places known of one submission; empty until something has used up its limit."""

    def __init__(self) -> None:
        self.places: set[Place] = set()

    def __bool__(self) -> bool:
        return bool(self.places)

    def note(self, reply: Reply, before: Reply) -> None:
        """Keep what was at work both times that a program ran out of time, or the one time of which it is known."""
        both = zip(place(reply) or place(before), place(before) or place(reply), strict=False)
        self.places.add(tuple(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], both)))
        self.places.discard(())

    def holds(self, reply: Reply) -> bool:
        """Whether a program was at such a place, called from wherever, or on its way in there or out."""
        names = place(reply)
        return any(
            all(one == other for one, other in zip(names[at:], known, strict=False))
            for known in self.places
            for at in range(len(names))
        )


def place(reply: Reply) -> Place:
    """What was at work when the time of a program was up; empty where the child could not say."""
    return tuple((file, name) for file, _, name in reply.failure.frames) if reply.failure else ()
