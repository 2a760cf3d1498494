"""Which of several attempts counts."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from grader.classroom.entry import Entry
from grader.classroom.moment import moment
from grader.classroom.standing import digest_of


def choose(entries: Iterable[Entry], which: str) -> tuple[Entry, ...]:
    """Return the entries to grade, in the order of their keys.

    ``latest`` keeps the last of each person; ``all`` and ``best`` keep every attempt under a key of its own
    (``ann``, ``ann.2``): the gradebook then takes all of them, or the best. Where which is the last cannot be told, the
    entry has a problem instead of files: nothing is picked.
    """
    people: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        people[entry.key].append(entry)
    chosen = []
    for key, attempts in sorted(people.items()):
        ordered, told = _in_order(attempts)
        if which != "latest":
            chosen += [replace(e, key=key if n == 1 else f"{key}.{n}", attempt=n) for n, e in enumerate(ordered, 1)]
        elif told:
            chosen.append(replace(ordered[-1], attempt=len(ordered)))
        else:
            chosen.append(_undecided(ordered))
    return tuple(chosen)


def _in_order(attempts: Sequence[Entry]) -> tuple[list[Entry], bool]:
    """The attempts as they came, and whether that can be told.

    Their times tell where all have one that can be compared; then the order of the sources and the platform's count.
    Where the same was handed in, the order does not matter.
    """
    if len(attempts) == 1:
        return list(attempts), True
    counted = sorted(attempts, key=lambda entry: (entry.source, entry.attempt))
    distinct = {(entry.source, entry.attempt) for entry in attempts if not entry.untold}
    times = [moment(entry.submitted_at) for entry in counted]
    known = [time for time in times if time is not None]
    if len(known) == len(counted) and len({time.tzinfo is None for time in known}) == 1:
        order = sorted(range(len(counted)), key=lambda i: (known[i], i))
        at_once = len({*known}) < len(known)
        return [counted[i] for i in order], not at_once or len(distinct) == len(counted) or _same(counted)
    return counted, len(distinct) == len(counted) or _same(counted)


def _same(attempts: Sequence[Entry]) -> bool:
    """Whether the files of all are the same."""
    return len({digest_of(replace(entry, name="", submitted_at="", late=False)) for entry in attempts}) == 1


def _undecided(attempts: Sequence[Entry]) -> Entry:
    """One entry that says what was handed in several times, for the teacher to choose."""
    said = [entry.submitted_at or entry.files[0].name for entry in attempts if entry.submitted_at or entry.files]
    problem = (
        f"handed in {len(attempts)} times, and which came last cannot be told ({'; '.join(said[:4])}). Take the others"
        " out of the source, or grade every attempt (--attempt best)"
    )
    files = tuple(
        file.called(f"attempt {number}/{file.name}") for number, entry in enumerate(attempts, 1) for file in entry.files
    )
    return replace(attempts[-1], files=files, attempt=len(attempts), problem=problem, submitted_at="", late=False)
