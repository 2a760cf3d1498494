"""Google Drive or Classroom: a flat folder of files, ``<Name> - <title>.<ending>`` or ``<title> - <Name>.<ending>``.

No written rule exists for the names, so a roster or an own pattern may be needed.
"""

import re
from collections import defaultdict
from collections.abc import Iterable

from grader.classroom.entry import Entry, FileRef, safe_key
from grader.classroom.layouts.plain import HAND_INS
from grader.classroom.tree import Tree

_NAME = re.compile(r"^(?:Copy of |Kopie von )?(?P<one>[^_]{2,60}?) - (?P<two>.+?)(?P<ending>(?:\.[A-Za-z0-9]+)+)$")
_COPY = re.compile(r" ?\((?P<number>\d+)\)$")


OWN = re.compile(r"[^/]*\.csv")


def recognise(tree: Tree) -> bool:
    """Most of the flat files carry a name, a hyphen between spaces and a title."""
    flat = [file.name for file in tree.files if _is_hand_in(file.name)]
    named = sum(bool(_NAME.match(name)) for name in flat)
    return len(flat) > 1 and not any("/" in file.name for file in tree.files) and named >= 0.8 * len(flat)


def _is_hand_in(name: str) -> bool:
    return "." + name.rpartition(".")[2].lower() in HAND_INS | {".html", ".txt"} or bool(_NAME.match(name))


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a person and copy; a file that carries no name is an entry of its own with a remark.

    The side of the hyphen on which everybody has the same is the title. A copy, ``hw (1).py``, is a later hand-in with
    whatever else the person handed in, or somebody else's of the same name: which, a roster tells.
    """
    found = [(file, match) for file in tree.files if (match := _NAME.match(file.name))]
    titles = {_COPY.sub("", match["two"]) for _, match in found}
    turned = len(found) > 1 and len({match["one"] for _, match in found}) == 1 and len(titles) > 1
    people: dict[str, dict[str, list[tuple[int, FileRef]]]] = defaultdict(lambda: defaultdict(list))
    for file, match in found:
        copy = _COPY.search(match["two"])
        number, title = int(copy["number"]) if copy else 0, _COPY.sub("", match["two"])
        name, title = (title, match["one"]) if turned else (match["one"], title)
        people[name.strip()][title + match["ending"]].append((number, file.called(title + match["ending"])))
    for name, files in sorted(people.items()):
        copies = [[file for _, file in sorted(same, key=lambda pair: pair[0])] for same in files.values()]
        for attempt in range(1, max(map(len, copies)) + 1):
            kept = tuple(same[min(attempt, len(same)) - 1] for same in copies)
            yield Entry(safe_key(name), name, kept, attempt=attempt)
    known = {match.string for _, match in found}
    for file in tree.files:
        if file.name not in known and _is_hand_in(file.name):
            note = "the file name does not say whose it is"
            yield Entry(safe_key(file.name), file.name, (file,), notes=(note,), named=True)
