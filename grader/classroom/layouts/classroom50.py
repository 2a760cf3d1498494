"""Classroom 50: ``<classroom>-<assignment>_submissions_<time>/<classroom>-<assignment>-<username>/``.

Its own ``scores.csv`` lies beside the folders.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from grader.classroom.entry import Entry, FileRef, safe_key
from grader.classroom.tree import Tree, text_of

_NAME = re.compile(r"^(?P<slug>.+)_submissions_(?P<time>[\dTZ:._-]+)$")

OWN = re.compile(r"scores\.csv|[^/]+/results?\.json")


def recognise(tree: Tree) -> bool:
    """The folder is named as Classroom 50 names it."""
    return bool(_NAME.match(tree.name))


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a repository; results of an earlier run are not part of the hand-in, but say whose it is and when."""
    found = _NAME.match(tree.name)
    slug = found["slug"] if found else ""
    for name, inside in tree.parts().items():
        if name.endswith("/"):
            folder = name.rstrip("/")
            user = folder.removeprefix(f"{slug}-")
            files = tuple(file for file in inside if file.name not in {"result.json", "results.json"})
            about = _result(inside)
            listed = about.get("usernames")
            people = tuple(name for name in listed if isinstance(name, str)) if isinstance(listed, list) else ()
            # Whoever may write the file names nobody to a hand-in that is not their own.
            group = people if len(people) > 1 and user in people else ()
            yield Entry(
                safe_key(user), user, files, (user, folder, *(name for name in group if name != user)), members=group,
                member_ids=tuple((name,) for name in group), submitted_at=str(about.get("datetime") or ""),
            )  # fmt: skip


def _result(files: Iterable[FileRef]) -> dict[str, Any]:
    text = next((text_of(file, 1 << 20) for file in files if file.name == "result.json"), None)
    try:
        found: Any = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
