"""An instructor's own pattern over file names, for exports that no layout knows."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from grader.classroom.entry import Entry, FileRef, safe_key
from grader.classroom.tree import Tree
from grader.errors import GraderError


def entries(tree: Tree, pattern: str) -> Iterable[Entry]:
    """One entry for each value of the groups ``name`` and ``user``. Raises GraderError."""
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise GraderError(f"is no regular expression ({error})", "--pattern", "Check its brackets.") from error
    groups = wanted.groupindex
    if not {"name", "user"} & groups.keys():
        raise GraderError("names nobody", "--pattern", "Give it a group (?P<name>…) or (?P<user>…).")
    people: dict[tuple[str, str], list[tuple[re.Match[str], FileRef]]] = defaultdict(list)
    for file in tree.files:
        if found := wanted.search(file.name):
            people[_group(found, "name"), _group(found, "user")].append((found, file))
    if not people:
        raise GraderError("matches no file of the export", "--pattern", f"A file name there: {tree.files[0].name!r}.")
    for (name, user), files in sorted(people.items()):
        kept = tuple(
            FileRef(f.path, _group(found, "file") or f.name.rpartition("/")[2], f.member) for found, f in files
        )
        late = any(_group(found, "late") for found, _ in files)
        yield Entry(safe_key(f"{name}-{user}".strip("-")), name or user, kept, tuple(filter(None, (user,))), late=late)


def _group(found: re.Match[str], name: str) -> str:
    return (found[name] or "") if name in found.re.groupindex else ""
