"""An instructor's own pattern over file names, for exports that no layout knows.

Groups ``name`` or ``user`` tell whose a file is; ``file``, its name as it was handed in; ``late``, a mark; ``when`` and
``attempt``, which of several hand-ins it belongs to.
"""

import re
from collections.abc import Iterable
from datetime import datetime

from grader.classroom.entry import Entry, FileRef, safe_key
from grader.classroom.moment import moment
from grader.classroom.tree import Tree
from grader.errors import GraderError


def entries(tree: Tree, pattern: str) -> Iterable[Entry]:
    """One entry for each hand-in of each ``name`` and ``user``, the attempts in order. Raises GraderError."""
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise GraderError(f"is no regular expression ({error})", "--pattern", "Check its brackets.") from error
    groups = wanted.groupindex
    if not {"name", "user"} & groups.keys():
        raise GraderError("names nobody", "--pattern", "Give it a group (?P<name>…) or (?P<user>…).")
    people: dict[tuple[str, str], dict[tuple[str, str], list[tuple[re.Match[str], FileRef]]]] = {}
    for file in tree.files:
        if found := wanted.search(file.name):
            attempts = people.setdefault((_group(found, "name"), _group(found, "user")), {})
            attempts.setdefault((_group(found, "when"), _group(found, "attempt")), []).append((found, file))
    if not people:
        raise GraderError("matches no file of the export", "--pattern", f"A file name there: {tree.files[0].name!r}.")
    marked = "late" in groups
    for (name, user), attempts in sorted(people.items()):
        for number, (when, attempt) in enumerate(sorted(attempts, key=_in_order), 1):
            files = attempts[when, attempt]
            kept = tuple(f.called(_group(found, "file") or f.name.rpartition("/")[2]) for found, f in files)
            late = any(_group(found, "late") for found, _ in files)
            key = safe_key(f"{name}-{user}".strip("-"))
            yield Entry(
                key, name or user, kept, tuple(filter(None, (user,))), (), when, late, number,
                marked=marked, untold=not _number(attempt),
            )  # fmt: skip


def _in_order(attempt: tuple[str, str]) -> tuple[datetime, int, str, str]:
    """By the time where it can be read, then by the number; whether that tells an order, whoever chooses one asks."""
    when, number = attempt
    read = moment(when) or datetime.min  # noqa: DTZ901 - only to sort by
    return read.replace(tzinfo=None), _number(number), when, number


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _group(found: re.Match[str], name: str) -> str:
    return (found[name] or "") if name in found.re.groupindex else ""
