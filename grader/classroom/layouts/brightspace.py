"""Brightspace (D2L): a folder an attempt, ``<user id>-<folder id> - <Name> - Sep 1, 2026 1159 PM``, and an index.html.

Older downloads are flat, with `` - <file>`` behind the time. Times are those of the site, without a zone. Groups have
the group's name in the place of a person's.
"""

import re
from collections import defaultdict
from collections.abc import Iterable

from grader.classroom.entry import Entry, FileRef, safe_key
from grader.classroom.moment import moment
from grader.classroom.tree import Tree

_NAME = re.compile(
    r"^(?P<user>\d+)-\d+ - (?P<name>.+?) - (?P<when>[^-/]*\b\d{4}\b[^-/]*?)(?:(?:/| - )(?P<file>.+)|/?)$"
)
OWN = re.compile(r"index\.html?")


def recognise(tree: Tree) -> bool:
    """Most names at the top have two numbers, a name and a time."""
    tops = [name for name in tree.top if not OWN.fullmatch(name)]
    named = sum(bool((found := _NAME.match(name)) and moment(found["when"])) for name in tops)
    return bool(named) and named >= 0.8 * len(tops)


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry an attempt; its time is as the folder's name says."""
    attempts: dict[tuple[str, str, str], list[FileRef]] = defaultdict(list)
    for file in tree.files:
        if (found := _NAME.match(file.name)) and found["file"]:
            attempts[found["user"], found["name"], found["when"].strip()].append(file.called(found["file"]))
    for (user, name, when), files in sorted(attempts.items()):
        yield Entry(safe_key(f"{name}-{user}"), name, tuple(files), (user,), submitted_at=when)
