"""Classroom 50: ``<classroom>-<assignment>_submissions_<time>/<classroom>-<assignment>-<username>/``.

Its own ``scores.csv`` lies beside the folders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from grader.classroom.entry import Entry, safe_key
from grader.classroom.tree import Tree

_NAME = re.compile(r"^(?P<slug>.+)_submissions_(?P<time>[\dTZ:._-]+)$")


def recognise(tree: Tree) -> bool:
    """The folder is named as Classroom 50 names it."""
    return bool(_NAME.match(tree.name))


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a repository; results of an earlier run are not part of the hand-in."""
    found = _NAME.match(tree.name)
    slug = found["slug"] if found else ""
    for name in tree.top:
        if name.endswith("/"):
            folder = name.rstrip("/")
            user = folder.removeprefix(f"{slug}-")
            files = tuple(file for file in tree.below(folder) if file.name not in {"result.json", "results.json"})
            yield Entry(safe_key(user), user, files, (user, folder))
