"""Canvas: a flat zip of ``<name>[_LATE]_<user id>_<attachment id>_<file>`` (instructure/canvas-lms, content_zipper.rb).

Resubmissions may add ``-1`` before the ending. Anonymous: ``[LATE_]anon_<id>_<attachment>_<file>``. Text entries end in
``_text.html``, links in ``_link.html``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from grader.classroom.entry import Entry, FileRef, safe_key
from grader.classroom.tree import Tree

_NAME = re.compile(
    r"^(?:(?P<name>.+?)_)??(?:(?P<late>LATE)_)?(?:anon_(?P<anon>[^_]+)|(?P<user>\d+))"
    r"_(?:(?P<attachment>\d+)_(?P<file>.+)|(?P<kind>text|link)\.html)$"
)
_AGAIN = re.compile(r"-\d+(?=\.[A-Za-z.]+$)")


def recognise(tree: Tree) -> bool:
    """Most files at the top follow the pattern, and there are no folders."""
    flat = [file.name for file in tree.files if "/" not in file.name]
    matching = sum(bool(_NAME.match(name)) for name in flat)
    return bool(flat) and len(flat) == len(tree.files) and matching >= max(1, round(0.8 * len(flat)))


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a person or group; several files of one hand-in stay together."""
    people: dict[tuple[str, str], list[tuple[re.Match[str], FileRef]]] = defaultdict(list)
    for file in tree.files:
        if found := _NAME.match(file.name):
            people[found["name"] or "", found["anon"] or found["user"]].append((found, file))
    for (name, user), files in sorted(people.items()):
        notes = [
            f"{'a text entry' if match['kind'] == 'text' else 'a link'} was handed in beside the files"
            for match, _ in files
            if match["kind"]
        ]
        kept = tuple(FileRef(file.path, _AGAIN.sub("", match["file"]), file.member) for match, file in _latest(files))
        yield Entry(
            key=safe_key(f"{name}-{user}" if name else f"anon-{user}"), name=name or f"anonymous {user}", files=kept,
            ids=(user,), late=any(bool(match["late"]) for match, _ in files), notes=tuple(notes),
            feedback=_feedback(files),
        )  # fmt: skip


def _feedback(files: list[tuple[re.Match[str], FileRef]]) -> str:
    """The name of a file that Canvas attaches as a comment: it looks for the numbers of user and attachment in it."""
    named = [match for match, _ in files if match["file"]]
    if not named:
        return ""
    last = max(named, key=lambda match: int(match["attachment"]))
    return f"{last.string[: last.start('file')]}feedback.md"


def _latest(files: list[tuple[re.Match[str], FileRef]]) -> list[tuple[re.Match[str], FileRef]]:
    """Of files with the same name after the resubmission mark, the one with the highest attachment number."""
    by_name: dict[str, tuple[re.Match[str], FileRef]] = {}
    for match, file in sorted((pair for pair in files if pair[0]["file"]), key=lambda pair: int(pair[0]["attachment"])):
        by_name[_AGAIN.sub("", match["file"])] = (match, file)
    return [by_name[name] for name in sorted(by_name)]
