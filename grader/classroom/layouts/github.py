"""GitHub Classroom: ``<assignment>-submissions/<repository>/`` with repositories ``<assignment>-<username>``.

Source: github/gh-classroom. User names contain hyphens, so the assignment's slug is what all names share.
"""

import re
from collections.abc import Iterable

from grader.classroom.entry import Entry, safe_key
from grader.classroom.tree import Tree, common_parts

OWN = re.compile(r"[^/]*\.csv")


def recognise(tree: Tree) -> bool:
    """The folder is named as the command-line tool names it; a table of grades may lie beside the repositories."""
    beside = [name for name in tree.top if not name.endswith("/")]
    return (
        bool(re.search(r"-submissions$", tree.name))
        and len(beside) < len(tree.top)
        and all(name.lower().endswith((".csv", ".md", ".txt")) for name in beside)
    )


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a repository.

    Where the folder's name is not what the repositories begin with, the user name is a guess: the roster then goes by
    the end of the repository's name.
    """
    slug = tree.name.removesuffix("-submissions")
    parts = tree.parts()
    folders = [name.rstrip("/") for name in parts if name.endswith("/")]
    sure = all(folder.startswith(f"{slug}-") for folder in folders)
    prefix = f"{slug}-" if sure else common_parts(folders)
    for folder in folders:
        user = folder.removeprefix(prefix) or folder
        yield Entry(safe_key(user), user, parts[f"{folder}/"], (user, folder) if sure else (folder,))
