"""Google Drive or Classroom: a flat folder of files, ``<Name> - <title>.<ending>``.

No written rule exists for the names, so a roster or an own pattern may be needed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from grader.classroom.entry import Entry, FileRef, safe_key
from grader.classroom.tree import Tree

_NAME = re.compile(r"^(?:Copy of )?(?P<name>[^-_]{2,60}?) - (?P<file>.+)$")
_COPY = re.compile(r" ?\(\d+\)(?=\.[A-Za-z]+$)")


def recognise(tree: Tree) -> bool:
    """Most of the flat files carry a name, a hyphen between spaces and a title."""
    flat = [file.name for file in tree.files if "/" not in file.name]
    return len(flat) > 1 and len(flat) == len(tree.files) and sum(bool(_NAME.match(n)) for n in flat) >= 0.8 * len(flat)


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a person; a file that carries no name is an entry of its own with a remark."""
    people: dict[str, list[FileRef]] = defaultdict(list)
    for file in tree.files:
        found = _NAME.match(file.name)
        if found:
            people[found["name"].strip()].append(FileRef(file.path, _COPY.sub("", found["file"]), file.member))
        else:
            yield Entry(safe_key(file.name), file.name, (file,), notes=("the file name does not say whose it is",))
    for name, files in sorted(people.items()):
        yield Entry(safe_key(name), name, tuple(files))
