"""ILIAS: ``<Last>_<First>_<login>_<number>/<file>``, inside ``<Title>/Submissions`` (``Abgaben``), with tables beside.

Teams have a folder of their own around those of their members: ``Team_<number>/…``. Files may begin with the time of
the upload (``20260901102000_hw.py``): of one name, the newest counts.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from grader.classroom.entry import OLDER, Entry, FileRef, safe_key
from grader.classroom.tree import Tree

_PERSON = re.compile(r"^(?P<last>[^_/]+)_(?P<first>[^_/]+)_(?P<login>[^/]+)_(?P<number>\d+)$")
_TEAM = re.compile(r"^Team[ _-]?\d+$", re.IGNORECASE)
_STAMP = re.compile(r"^(?P<when>(?:19|20)\d{12})_(?P<file>.+)$")
_MOST_AROUND = 3
OWN = re.compile(r"([^/]+/)*[^/]+\.(xlsx?|csv)")


@dataclass(slots=True)
class _Found:
    people: dict[str, re.Match[str]] = field(default_factory=dict)
    files: list[FileRef] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Newest:
    """Files that count, those of the same names that do not, when the last came, and whether one replaced another."""

    files: tuple[FileRef, ...]
    others: tuple[FileRef, ...]
    when: str
    replaced: bool


def recognise(tree: Tree) -> bool:
    """Nearly all files lie in folders of people, all of them in one place."""
    placed = [_placed(file.name) for file in tree.files if not OWN.fullmatch(file.name)]
    known = [one for one in placed if one]
    return bool(known) and len(known) >= 0.8 * len(placed) and len({around for around, *_ in known}) == 1


def _placed(path: str) -> tuple[str, str, re.Match[str], str] | None:
    """What lies around the folders of people, the team, the person, and the file's own path."""
    parts = path.split("/")
    for n, part in enumerate(parts[:-1]):
        if found := _PERSON.match(part):
            team = parts[n - 1] if n and _TEAM.match(parts[n - 1]) else ""
            around = parts[: n - bool(team)]
            return ("/".join(around), team, found, "/".join(parts[n + 1 :])) if len(around) <= _MOST_AROUND else None
    return None


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a person, or a team with its members."""
    units: dict[str, _Found] = defaultdict(_Found)
    for file in tree.files:
        if placed := _placed(file.name):
            _, team, person, path = placed
            unit = units[team or person[0]]
            unit.people[person[0]] = person
            unit.files.append(file.called(path))
    for top, unit in sorted(units.items()):
        people = [unit.people[folder] for folder in sorted(unit.people)]
        names = tuple(f"{one['first']} {one['last']}" for one in people)
        each = tuple((one["login"], one["number"]) for one in people)
        newest = _newest(unit.files)
        mates = len(people) > 1
        ids = tuple(known for one in each for known in one)
        yield Entry(
            safe_key(top if mates else f"{names[0]}-{each[0][0]}"), ", ".join(names), newest.files, ids,
            submitted_at=newest.when,
            members=names if mates else (), member_ids=each if mates else (), notes=(OLDER,) if newest.replaced else (),
            passed_over=newest.others,
        )  # fmt: skip


def _newest(files: Iterable[FileRef]) -> _Newest:
    """The files under their own names; the same file in the folders of all members of a team is one."""
    kept: dict[str, FileRef] = {}
    stamps: dict[str, str] = {}
    older: list[FileRef] = []
    last, newer = "", False
    for file in sorted(files, key=lambda file: file.name):
        folder, slash, name = file.name.rpartition("/")
        if stamped := _STAMP.match(name):
            last = max(last, stamped["when"])
        name = stamped["file"] if stamped else name
        own, stamp = f"{folder}{slash}{name}", stamped["when"] if stamped else ""
        replaced = own in kept
        older += [kept[own]] if replaced else []
        newer |= replaced and stamps[own] != stamp
        kept[own], stamps[own] = file.called(own), stamp
    return _Newest(tuple(kept.values()), tuple(older), last, newer)
