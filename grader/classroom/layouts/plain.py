"""A folder of hand-ins: a subfolder, an archive or a single file each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from grader.classroom.entry import Entry, FileRef, safe_key
from grader.classroom.tree import Tree

DOCUMENTS = frozenset({".md", ".pdf", ".yaml", ".yml", ".json", ".docx", ".tex"})
HAND_INS = frozenset({".py", ".ipynb", ".zip", ".gz", ".tgz", ".md", ".pdf", ".yaml", ".yml", ".json", ".docx", ".tex"})


_TESTS = re.compile(r"(test_.*|.*_test|tests?|conftest|setup)\.py", re.IGNORECASE)
"""Files that lie beside somebody's work; they are nobody's hand-in."""


def recognise(tree: Tree) -> bool:
    """Take whatever the others leave."""
    return bool(tree.files)


def looks_like_a_class(tree: Tree) -> bool:
    """Several subfolders, or several files that are each a hand-in and do not import each other."""
    folders = [name for name in tree.top if name.endswith("/")]
    loose = [name for name in tree.top if PurePosixPath(name).suffix.lower() in HAND_INS and not name.endswith("/")]
    if len(folders) > 1 and not loose:
        return True
    code = [name for name in loose if name.endswith((".py", ".ipynb", ".zip")) and not _TESTS.fullmatch(name)]
    if not code and not folders:
        return len(_by_stem(loose)) > 1
    return len(code) > 1 and not folders and not _import_each_other(tree, code)


_OURS = frozenset({"handout", "readme", "grader"})
"""Stems of files that `grader new` writes; they are nobody's hand-in."""


def _by_stem(names: Iterable[str]) -> dict[str, list[str]]:
    """Group documents by their names without ending: bob.pdf and bob.tex are one hand-in."""
    found: dict[str, list[str]] = {}
    for name in names:
        stem = PurePosixPath(name).stem
        if stem.lower() not in _OURS:
            found.setdefault(stem, []).append(name)
    return found


def _import_each_other(tree: Tree, names: list[str]) -> bool:
    stems = {PurePosixPath(name).stem for name in names}
    wanted = re.compile(r"^\s*(?:import|from)\s+([A-Za-z_]\w*)\b", re.MULTILINE)
    for name in names:
        text = tree.text(name) if name.endswith(".py") else None
        if text and {*wanted.findall(text)} & (stems - {PurePosixPath(name).stem}):
            return True
    return False


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a subfolder and one a file at the top."""
    for name in tree.top:
        if name.endswith("/"):
            folder = name.rstrip("/")
            yield Entry(safe_key(folder), folder, tree.below(folder), (folder,))
        elif PurePosixPath(name).suffix.lower() in HAND_INS - DOCUMENTS:
            stem = PurePosixPath(name).stem.removesuffix(".tar")
            file = next(file for file in tree.files if file.name == name)
            yield Entry(safe_key(stem), stem, (FileRef(file.path, name, file.member),), (stem,))
    documents = [
        name for name in tree.top if PurePosixPath(name).suffix.lower() in DOCUMENTS and not name.endswith("/")
    ]
    for stem, names in sorted(_by_stem(documents).items()):
        files = [file for file in tree.files if file.name in names]
        yield Entry(safe_key(stem), stem, tuple(FileRef(f.path, f.name, f.member) for f in files), (stem,))
