"""A folder of hand-ins: a subfolder, an archive or a single file each; and whether it is one at all."""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from grader.classroom.entry import Entry, FileRef, safe_key
from grader.classroom.tree import Tree, text_of
from grader.classroom.words import FILES
from grader.intake import caps

DOCUMENTS = caps.DOCUMENTS - {".csv", ".txt", ".rst"}  # lists and notes lie beside the work of a class
CODE = frozenset({".py", ".ipynb"})
ARCHIVES = frozenset({*caps.ARCHIVES, *caps.FOREIGN_ARCHIVES, ".gz"})
HAND_INS = CODE | ARCHIVES | DOCUMENTS

_TESTS = re.compile(r"(test_.*|.*_test|tests?|conftest|setup)\.py", re.IGNORECASE)
"""Files that lie beside somebody's work; they are nobody's hand-in."""
_OURS, _PROJECT = FILES["ours"], FILES["project"]
_SECTION = re.compile(
    r"(answers?|appendix|derivations?|diagrams?|essay|exercises?|figures?|formulas?|hw|homework|notes|part|problems?|"
    r"proofs?|questions?|reflection|report|sheet|solutions?|summary|tables?|task|worksheet|write-?up|q|ex)"
    r"[-_ ]?\w{0,2}",
    re.IGNORECASE,
)
"""Stems of documents that belong to one piece of work: nobody is called so."""
_DEFINED = re.compile(r"(?:^|\"|\\n)(?:async\s+)?(?:def|class)\s+([A-Za-z_]\w*)", re.MULTILINE)
_IMPORTED = re.compile(r"(?:^|\"|\\n)[ \t]*+(?:import|from)\s+([A-Za-z_]\w*)", re.MULTILINE)
_EVERYWHERE = frozenset({"main", "setup", "run", "test", "demo"})
_LIBRARIES = frozenset({*sys.stdlib_module_names, "numpy", "torch", "scipy", "matplotlib", "pandas", "sklearn"})
_LOOKED_AT = 40
_READ = 256 << 10
_FEW, _SEVERAL = 4, 12


OWN = re.compile(rf"\..*|[^/]*\.csv|(?i:{'|'.join(sorted(_OURS))})\.[^/]*")
"""Lists and hand-outs beside the work."""


def recognise(tree: Tree) -> bool:
    """Take whatever the others leave."""
    return bool(tree.files)


def judged(tree: Tree) -> tuple[bool, str]:
    """Say whether ``tree`` is a class rather than one submission, and why that is doubtful; empty where it is plain.

    Hand-ins of a class define the same names, for all answer the same questions; the files of one piece of work define
    different ones or import each other.
    """
    units = dict(list(_units(tree).items())[: _LOOKED_AT + 1])
    if len(units) <= 1:
        return False, ""
    archives = [name for name, files in units.items() if all(_suffix(f.name) in ARCHIVES for f in files)]
    texts = {name: _code(files) for name, files in units.items()}
    coded = {name: text for name, text in texts.items() if text}
    if len(coded) + len(archives) <= 1:
        defined = {name for text in coded.values() for name in _definitions(text)}
        written = not coded or (not defined and len(units) > _FEW)  # a notebook may hold a sheet's answers
        return _documents(list(units)) if written else (False, "")
    if _import_each_other(coded):
        return False, ""
    alike = len(archives) + _sharing({name: _definitions(text) for name, text in coded.items()})
    share = alike / (len(coded) + len(archives))
    count = f"{len(units)} hand-ins" if len(units) <= _LOOKED_AT else f"more than {_LOOKED_AT} hand-ins"
    if share >= 0.5:  # noqa: PLR2004 - most of them
        doubt = f"{count} that answer the same" if len(units) == 2 and not archives else ""  # noqa: PLR2004 - a pair
        return True, doubt
    if len(units) > (_FEW if alike else _SEVERAL) or _same_files(units):
        return True, f"{count}, and few of them define the same names"
    return False, f"{len(units)} files or folders that define different names"


def _documents(names: Sequence[str]) -> tuple[bool, str]:
    """The same where there is no code at all: worksheets and reports are told by what they are called."""
    if all(_SECTION.fullmatch(name.rstrip("/")) for name in names):
        return False, ""
    return True, "documents under several names" if len(names) <= _FEW else ""


def _units(tree: Tree) -> dict[str, list[FileRef]]:
    """What may be a hand-in each: folders (with a slash at the end), and files by their name without ending."""
    found: dict[str, list[FileRef]] = {}
    for file in tree.files:
        top, _, below = file.name.partition("/")
        if top.startswith(".") or _suffix(file.name) not in HAND_INS:
            continue
        name = f"{top}/" if below else _stem(top)
        if name.rstrip("/").lower() in (_PROJECT if below else _OURS) or (not below and _TESTS.fullmatch(top)):
            continue
        found.setdefault(name, []).append(file)
    return found


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def _stem(name: str) -> str:
    return PurePosixPath(name).stem.removesuffix(".tar")


def _code(files: Iterable[FileRef]) -> str:
    code = [file for file in files if _suffix(file.name) in CODE and not _TESTS.fullmatch(file.name.rpartition("/")[2])]
    return "\n".join(text_of(file, _READ) or "" for file in code[:10])


def _definitions(text: str) -> set[str]:
    return {name for name in _DEFINED.findall(text) if not name.startswith(("_", "test_"))} - _EVERYWHERE


def _sharing(defined: Mapping[str, set[str]]) -> int:
    """How many of them define a name that another one defines too."""
    owners = Counter(name for names in defined.values() for name in names)
    return sum(any(owners[name] > 1 for name in names) for names in defined.values())


def _same_files(units: Mapping[str, Sequence[FileRef]]) -> bool:
    """Most are folders that hold files of the same names."""
    held = {name: {file.name.partition("/")[2] for file in files} for name, files in units.items() if name[-1] == "/"}
    return _sharing(held) > len(units) / 2


def _import_each_other(coded: Mapping[str, str]) -> bool:
    names = {name.rstrip("/") for name in coded} - _LIBRARIES
    return any({*_IMPORTED.findall(text)} & (names - {name.rstrip("/")}) for name, text in coded.items())


def entries(tree: Tree) -> Iterable[Entry]:
    """One entry a subfolder and one a name of files at the top: bob.py, bob.pdf and bob.tex are one hand-in."""
    loose: dict[str, list[FileRef]] = {}
    for name, files in tree.parts().items():
        if name.startswith("."):
            continue
        if name.endswith("/"):
            folder = name.rstrip("/")
            yield Entry(safe_key(folder), folder, files, (folder,), named=True)
        elif _suffix(name) in HAND_INS and (_stem(name).lower() not in _OURS or _suffix(name) in ARCHIVES):
            loose.setdefault(_stem(name), []).extend(files)
    for stem, same in loose.items():
        yield Entry(safe_key(stem), stem, tuple(same), (stem,), named=True)
