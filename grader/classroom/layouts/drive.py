"""Google Drive or Classroom: a flat folder of files, ``<Name> - <title>.<ending>`` or ``<title> - <Name>.<ending>``.

No written rule exists for the names, so a roster or an own pattern may be needed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from grader.classroom.entry import Entry, FileRef, safe_key
from grader.classroom.layouts.plain import HAND_INS
from grader.classroom.tree import Tree

_NAME = re.compile(r"^(?:Copy of |Kopie von )?(?P<one>[^_]{2,60}?) - (?P<two>.+?)(?P<ending>(?:\.[A-Za-z0-9]+)+)$")
_COPY = re.compile(r" ?\((?P<number>\d+)\)$")


def recognise(tree: Tree) -> bool:
    """Most of the flat files carry a name, a hyphen between spaces and a title."""
    flat = _hand_ins(tree)
    named = sum(bool(_NAME.match(file.name)) for file in flat)
    return len(flat) > 1 and not any("/" in file.name for file in tree.files) and named >= 0.8 * len(flat)


def _hand_ins(tree: Tree) -> list[FileRef]:
    return [file for file in tree.files if "." + file.name.rpartition(".")[2].lower() in HAND_INS | {".html", ".txt"}]


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a person; a file that carries no name is an entry of its own with a remark.

    The side of the hyphen on which everybody has the same is the title.
    """
    found = [(file, match) for file in _hand_ins(tree) if (match := _NAME.match(file.name))]
    titles = {_COPY.sub("", match["two"]) for _, match in found}
    turned = len(found) > 1 and len({match["one"] for _, match in found}) == 1 and len(titles) > 1
    people: dict[str, dict[str, list[tuple[int, FileRef]]]] = defaultdict(lambda: defaultdict(list))
    for file, match in found:
        copy = _COPY.search(match["two"])
        number, title = int(copy["number"]) if copy else 0, _COPY.sub("", match["two"])
        name, title = (title, match["one"]) if turned else (match["one"], title)
        people[name.strip()][title + match["ending"]].append((number, file))
    for name, files in sorted(people.items()):
        latest = {title: max(copies, key=lambda pair: pair[0])[1] for title, copies in files.items()}
        notes = tuple(f"{latest[t].name} replaces the older copies" for t, copies in files.items() if len(copies) > 1)
        kept = tuple(FileRef(file.path, title, file.member) for title, file in latest.items())
        yield Entry(safe_key(name), name, kept, notes=notes)
    known = {file.name for file, _ in found}
    for file in _hand_ins(tree):
        if file.name not in known:
            yield Entry(safe_key(file.name), file.name, (file,), notes=("the file name does not say whose it is",))
