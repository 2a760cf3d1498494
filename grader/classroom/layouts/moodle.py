"""Moodle: folders ``<Full name>_<participant id>_assignsubmission_file[_]`` or flat files with that beginning.

Source: moodle/moodle, mod/assign/classes/downloader.php. Online text comes as ``…_assignsubmission_onlinetext``. There
is no late mark: that is in the grading worksheet. Feedback goes back as a zip with the same folders.
"""

import re
from collections import defaultdict
from collections.abc import Iterable

from grader.classroom.entry import Entry, FileRef, safe_key
from grader.classroom.tree import Tree

_NAME = re.compile(r"^(?P<name>.+)_(?P<id>\d+)_assignsubmission_(?P<kind>file|onlinetext)(?:_(?P<file>.*))?$")
OWN = re.compile(r"[^/]*\.csv")
"""Tables of grades that were put beside the work."""


def recognise(tree: Tree) -> bool:
    """Something at the top carries Moodle's mark."""
    return any(_NAME.match(name.rstrip("/")) for name in tree.top)


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a participant (or group)."""
    people: dict[tuple[str, str], list[FileRef]] = defaultdict(list)
    online: dict[tuple[str, str], FileRef] = {}
    folders: dict[tuple[str, str], str] = {}
    for file in tree.files:
        first, _, rest = file.name.partition("/")
        found = _NAME.match(first)
        if not found:
            continue
        name = found["name"].replace("_", " ").strip()
        person = (f"{name} {found['id']}" if name == "Participant" else name, found["id"])
        if found["kind"] == "file":
            folders.setdefault(person, f"{first}/feedback.md" if rest else f"{first[: found.start('file')]}feedback.md")
        if found["kind"] == "onlinetext":
            online[person] = file.called(rest or found["file"] or "onlinetext.html")
            people.setdefault(person, [])
        else:
            people[person].append(file.called(rest or found["file"] or first))
    for (name, number), files in sorted(people.items()):
        text = online.get((name, number))
        notes = ("a text was written online beside the files",) if text and files else ()
        kept = files or ([text] if text else [])
        ids = (number, f"Participant {number}")
        yield Entry(
            safe_key(f"{name.removesuffix(number).strip()}-{number}"),
            name,
            tuple(kept),
            ids,
            notes=notes,
            passed_over=(text,) if text else (),
            feedback=folders.get((name, number), ""),
        )
