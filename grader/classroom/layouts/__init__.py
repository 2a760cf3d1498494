"""Exports of learning platforms, one file a layout, each with ``recognise(tree)`` and ``entries(tree)``.

They are tried from the most telling to the plainest; ``--layout`` names one.
"""

from importlib import import_module
from pathlib import Path

from grader.classroom.entry import Entry, distinct
from grader.classroom.tree import Tree, open_tree
from grader.errors import GraderError

LAYOUTS = ("gradescope", "moodle", "canvas", "classroom50", "github", "drive", "plain")


def collect(source: Path, layout: str = "", pattern: str = "") -> tuple[str, tuple[Entry, ...]]:
    """Return the layout of ``source`` and its entries, every attempt of everybody.

    ``layout`` forces one; ``pattern`` is a regular expression over file names with the groups ``name`` and, where
    there are such, ``user``, ``late``, ``file``. Raises GraderError.
    """
    if source.suffix.lower() == ".csv" and source.is_file():
        from grader.classroom import form

        return "form", distinct(form.entries(source))
    tree = open_tree(source)
    if pattern:
        from grader.classroom.layouts import own

        return "own", distinct(own.entries(tree, pattern))
    if layout and layout not in LAYOUTS:
        raise GraderError(f"there is no layout {layout!r}", "--layout", f"Known: {', '.join(LAYOUTS)}.")
    for name in (layout,) if layout else LAYOUTS:
        module = import_module(f"grader.classroom.layouts.{name}")
        if layout or module.recognise(tree):
            return name, distinct(module.entries(tree))
    raise AssertionError("the plain layout takes everything")


def is_class(source: Path) -> bool:
    """Whether ``source`` is a class rather than one submission: an export's layout, or a folder of hand-ins."""
    if source.is_file() and source.suffix.lower() == ".csv":
        return True
    if source.is_file() and source.suffix.lower() != ".zip":
        return False
    tree: Tree = open_tree(source)
    for name in LAYOUTS[:-1]:
        if import_module(f"grader.classroom.layouts.{name}").recognise(tree):
            return True
    from grader.classroom.layouts import plain

    return plain.looks_like_a_class(tree)
