"""Under which key a hand-in is kept: whoever has results already keeps the key that they lie under.

Keys follow from names, and names change with the roster that is given. Decisions, comments and the history belong to
keys, so that a roster given later, sorted anew or grown by somebody of the same name must not move them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from grader.classroom.entry import Entry, free
from grader.classroom.names import differ, folded, name_form

Rows = Mapping[str, Mapping[str, Any]]


def settled(entries: Iterable[Entry], rows: Rows) -> tuple[Entry, ...]:
    """Return the entries, each under the key that its student has in ``rows`` of an index.

    An id in common tells, and where no ids speak for or against it, the key or the name. Attempts of one person stay
    together. Nobody is put under the key of somebody else.
    """
    entries = tuple(entries)
    if not rows:
        return entries
    new: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        new[entry.key].append(entry)
    ids = {key: folded(known for entry in some for known in entry.ids) for key, some in new.items()}
    old: dict[str, set[str]] = defaultdict(set)
    names: dict[str, str] = {}
    told: dict[str, set[str]] = {}
    for key, row in rows.items():
        base = key.partition(".")[0]
        old[base] |= folded(row.get("ids", ()))
        names.setdefault(base, row["name"])
        told[base] = _told(old[base], row.get("member_ids", ()))
    groups = {key for key, some in new.items() if some[0].members}
    found = _by_ids({key: (mine | _told(mine, [mine]) if key in groups else mine) for key, mine in ids.items()}, told)
    _by_name({key: some[0].name for key, some in new.items()}, names, ids, old, found)
    taken = {*old, *found.values()}
    for key in new:
        if key not in found:
            found[key] = free(key, taken)
            taken.add(found[key])
    return tuple(replace(entry, key=found[entry.key]) for entry in entries)


def _told(ids: set[str], members: Iterable[Iterable[str]]) -> set[str]:
    """The ids by which others tell somebody: those of a group's members tell the group to groups alone."""
    theirs = folded(known for one in members for known in one)
    return (ids - theirs) | {f"member {known}" for known in theirs}


def _by_ids(new: Mapping[str, set[str]], old: Mapping[str, set[str]]) -> dict[str, str]:
    """The old key of each new one by the ids that they share, the most first; each is given once."""
    owners: dict[str, list[str]] = defaultdict(list)
    for key, ids in old.items():
        for known in ids:
            owners[known].append(key)
    pairs = {(key, before) for key, ids in new.items() for known in ids for before in owners.get(known, ())}
    found: dict[str, str] = {}
    given: set[str] = set()
    for key, before in sorted(pairs, key=lambda pair: (-len(new[pair[0]] & old[pair[1]]), pair[0] != pair[1], pair)):
        if key not in found and before not in given:
            found[key] = before
            given.add(before)
    return found


def _by_name(
    new: Mapping[str, str], old: Mapping[str, str], ids: Mapping[str, set[str]], old_ids: Mapping[str, set[str]],
    found: dict[str, str],
) -> None:  # fmt: skip
    """The same by the key, then by a name that only one of each side has, where no ids speak against it."""
    free = {key for key in old if key not in found.values()}
    for key in [key for key in new if key not in found and key in free and not differ(ids[key], old_ids[key])]:
        found[key] = key
        free.remove(key)
    called: dict[str, list[str]] = defaultdict(list)
    for key in free:
        called[name_form(old[key])].append(key)
    wanted: dict[str, list[str]] = defaultdict(list)
    for key in new:
        if key not in found:
            wanted[name_form(new[key])].append(key)
    for form, keys in wanted.items():
        before = called.get(form, [])
        if len(keys) == len(before) == 1 and not differ(ids[keys[0]], old_ids[before[0]]):
            found[keys[0]] = before[0]
