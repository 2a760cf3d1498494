"""Which of several attempts counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from grader.classroom.entry import Entry
from grader.classroom.moment import moment
from grader.errors import GraderError

CHOICES = ("latest", "best", "all")


def choose(entries: Iterable[Entry], which: str) -> tuple[Entry, ...]:
    """Return the entries to grade, in the order of their keys.

    ``latest`` keeps the last of each person; ``all`` and ``best`` keep every attempt under a key of its own
    (``ann``, ``ann.2``): the gradebook then takes all of them, or the best. Raises GraderError.
    """
    if which not in CHOICES:
        raise GraderError(f"there is no choice {which!r}", "--attempt", f"Known: {', '.join(CHOICES)}.")
    people: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        people[entry.key].append(entry)
    chosen = []
    for key, attempts in sorted(people.items()):
        ordered = _in_time(attempts)
        if which == "latest":
            chosen.append(replace(ordered[-1], attempt=len(ordered)))
        else:
            chosen += [replace(e, key=key if n == 1 else f"{key}.{n}", attempt=n) for n, e in enumerate(ordered, 1)]
    return tuple(chosen)


def _in_time(attempts: Sequence[Entry]) -> list[Entry]:
    """The attempts by their times where all have one that can be compared, else in the order of the export."""
    times = [moment(entry.submitted_at) for entry in attempts]
    known = [time for time in times if time is not None]
    if len(known) < len(attempts) or len({time.tzinfo is None for time in known}) > 1:
        return sorted(attempts, key=lambda entry: entry.attempt)
    order = sorted(range(len(attempts)), key=lambda i: (known[i], attempts[i].attempt))
    return [attempts[i] for i in order]
