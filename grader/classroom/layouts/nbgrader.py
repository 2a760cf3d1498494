"""nbgrader: a course's ``submitted/<user>/<assignment>/…`` with timestamp.txt, or the folder ``submitted`` itself.

Source: jupyter/nbgrader, its configuration's directory structure.
"""

import re
from collections.abc import Iterable

from grader.classroom.entry import Entry, FileRef, safe_key
from grader.classroom.tree import Tree, text_of
from grader.errors import GraderError

_STAMP = "timestamp.txt"
_OTHERS = r"source|release|autograded|feedback|autograded_\w+|header\.ipynb|gradebook\.db\S*|nbgrader_config\.py"
OWN = re.compile(rf"(?:({_OTHERS})(/.*)?|(submitted/)?[^/]+/[^/]+/{_STAMP.replace('.', '[.]')}|[^/]+\.log)")


def recognise(tree: Tree) -> bool:
    """A folder ``submitted`` beside what nbgrader makes, or times of collection two folders deep."""
    submitted = _submitted(tree)
    deep = [file.name.count("/") for file in submitted.files]
    if any(file.name.endswith(f"/{_STAMP}") and file.name.count("/") == 2 for file in submitted.files):  # noqa: PLR2004
        return True
    beside = any(re.fullmatch(_OTHERS, name.rstrip("/")) for name in tree.top)
    return submitted is not tree and beside and bool(deep) and min(deep) > 1


def _submitted(tree: Tree) -> Tree:
    return tree.inside("submitted/") if "submitted/" in tree.top else tree


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a user. Raises GraderError where the tree holds several assignments."""
    people: dict[str, list[tuple[str, FileRef]]] = {}
    for file in _submitted(tree).files:
        user, _, rest = file.name.partition("/")
        assignment, slash, path = rest.partition("/")
        if slash:
            people.setdefault(user, []).append((assignment, file.called(path)))
    names = sorted({assignment for found in people.values() for assignment, _ in found})
    if len(names) > 1:
        what = f"holds {len(names)} assignments: {', '.join(names[:8])}"
        cure = f"Take one of them: --pattern '(?P<user>[^/]+)/{re.escape(names[0])}/(?P<file>.+)'."
        raise GraderError(what, str(tree.root), cure)
    for user, found in sorted(people.items()):
        stamp = next((text_of(file, 200) for _, file in found if file.name == _STAMP), "") or ""
        files = tuple(file for _, file in found if file.name != _STAMP)
        yield Entry(safe_key(user), user, files, (user,), submitted_at=stamp.strip()[:100])
