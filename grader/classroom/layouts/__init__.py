"""Exports of learning platforms, one file a layout, each with ``recognise(tree)`` and ``entries(tree)``.

They are tried from the most telling to the plainest; ``--layout`` names one.
"""

from collections.abc import Collection
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from grader.classroom import LAYOUTS
from grader.classroom.entry import Entry, distinct, single
from grader.classroom.tree import Tree, common_folder, inner_tree, open_tree, tar_tree
from grader.errors import GraderError

*PLATFORMS, _, SINGLE = LAYOUTS


@dataclass(frozen=True, slots=True)
class Detected:
    """What a source was found to be: a layout, or ``single`` for one submission.

    ``doubt`` says why that may be wrong; it is empty where it is plain to see.
    """

    layout: str
    tree: Tree
    doubt: str = ""

    @property
    def is_class(self) -> bool:
        """Whether this is a class rather than one submission."""
        return self.layout != SINGLE


def detect(source: Path, layout: str = "", pattern: str = "") -> Detected:
    """Say what ``source`` is; ``layout`` and ``pattern`` settle it. Raises GraderError."""
    if layout and layout not in LAYOUTS:
        raise GraderError(f"there is no layout {layout!r}", "--layout", f"Known: {', '.join(LAYOUTS)}.")
    alone = Tree(source, source.stem, ())
    if layout == SINGLE:
        return Detected(SINGLE, alone)
    if source.suffix.lower() == ".csv" and source.is_file():
        return Detected("form", alone)
    packed = source.is_file() and source.suffix.lower() != ".zip"
    tree = tar_tree(source) if packed else open_tree(source)
    if tree is None:
        if layout or pattern:
            what = "is one file, not the export of a class"
            raise GraderError(what, str(source), "Leave --layout and --pattern out, or give a folder or a zip.")
        return Detected(SINGLE, alone)
    if pattern or layout:
        return Detected("own" if pattern else layout, tree if pattern else _matching(layout, tree) or tree)
    return _recognised(tree)


def _recognised(tree: Tree) -> Detected:
    for name in PLATFORMS:
        if found := _matching(name, tree):
            return Detected(name, found)
    from grader.classroom.layouts import plain

    inside = inner_tree(tree)
    several, doubt = plain.judged(inside)
    return Detected("plain" if several else SINGLE, inside, doubt)


def _matching(layout: str, tree: Tree) -> Tree | None:
    """The tree, or the one inside a folder around everything, that ``layout`` recognises."""
    recognise = import_module(f"grader.classroom.layouts.{layout}").recognise
    return next((found for found in (tree, inner_tree(tree)) if recognise(found)), None)


def entries_in(source: Path, found: Detected, pattern: str = "") -> tuple[Entry, ...]:
    """Return the entries of a source that was detected. Raises GraderError."""
    if found.layout == SINGLE:
        return (single(source),)
    if found.layout == "form":
        from grader.classroom import form

        return distinct(form.entries(source))
    if found.layout == "own":
        from grader.classroom.layouts import own

        return distinct(own.entries(found.tree, pattern))
    return distinct(import_module(f"grader.classroom.layouts.{found.layout}").entries(found.tree))


def ignored_in(found: Detected, entries: Collection[Entry]) -> tuple[str, ...]:
    """The files of a class that are in nobody's hand-in, and no table or note of the platform either.

    So are folders with nothing in them, at the top and beside those of the students; they end in a slash.
    """
    if not found.is_class:
        return ()
    used = {(file.path, file.member) for entry in entries for file in (*entry.files, *entry.passed_over)}
    own = import_module(f"grader.classroom.layouts.{found.layout}").OWN if found.layout not in {"form", "own"} else None
    rest = [file.name for file in found.tree.files if (file.path, file.member) not in used]
    taken = [file.name for file in found.tree.files if (file.path, file.member) in used]
    above = common_folder(taken) if len(entries) > 1 else ""
    rest += {*found.tree.empty_in(""), *found.tree.empty_in(above)}
    return (*sorted(name for name in rest if not (own and own.fullmatch(name))), *found.tree.left_out)
