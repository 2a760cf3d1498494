"""GitHub Classroom: ``<assignment>-submissions/<repository>/`` with repositories ``<assignment>-<username>``.

Source: github/gh-classroom. User names contain hyphens, so the assignment's slug is what all names share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from grader.classroom.entry import Entry, safe_key
from grader.classroom.tree import Tree, common_parts


def recognise(tree: Tree) -> bool:
    """The folder is named as the command-line tool names it."""
    return bool(re.search(r"-submissions$", tree.name)) and bool(tree.top) and all(n.endswith("/") for n in tree.top)


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a repository."""
    slug = tree.name.removesuffix("-submissions")
    folders = [name.rstrip("/") for name in tree.top if name.endswith("/")]
    prefix = f"{slug}-" if all(folder.startswith(f"{slug}-") for folder in folders) else common_parts(folders)
    for folder in folders:
        user = folder.removeprefix(prefix) or folder
        yield Entry(safe_key(user), user, tree.below(folder), (user, folder))
