"""How much of a submission is read at most, and what a file is by its name."""

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from grader.errors import UnreadableError
from grader.model.text import StudentText

Kind = Literal["python", "notebook", "document", "picture", "archive", "other"]

MEGABYTE = 1 << 20
CODE_BYTES = 10 * MEGABYTE
NOTEBOOK_BYTES = 50 * MEGABYTE  # outputs, pictures above all, weigh more than the code
DOCUMENT_BYTES = 25 * MEGABYTE
ARCHIVE_BYTES = 64 * MEGABYTE
TOTAL_BYTES = 64 * MEGABYTE
FILES = 1000  # files that are read
INNER_ARCHIVES = 10  # archives in one hand-in that are opened
INNER_DEPTH = 2  # archives inside each other
ENTRIES = 20_000  # files and folders that are looked at
STREAMS = 100  # gzip streams one after the other; tools write one
CELLS = 5000
JSON_OBJECTS = 200_000
JSON_ITEMS = 2_000_000
DEPTH = 16  # folders inside each other
NAME_LENGTH = 400
RATIO = 200  # unpacked bytes for each packed one
RATIO_FROM = 4 * MEGABYTE  # small files may pack as well as they like

DOCUMENTS = frozenset({
    ".md", ".markdown", ".rst", ".txt", ".pdf", ".yaml", ".yml", ".json", ".csv", ".tex", ".docx", ".odt", ".html",
    ".htm", ".drawio", ".mmd", ".mermaid", ".dot", ".gv", ".svg", ".xml", ".puml",
})  # fmt: skip
PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".heic", ".tif", ".tiff"})
"""No program reads them; their names tell a person what to open."""
MOST_PICTURES = 40
ARCHIVES = (".zip", ".tar.gz", ".tgz", ".tar")
FOREIGN_ARCHIVES = (".rar", ".7z", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".gz", ".bz2", ".xz")
_LITTER_NAMES = frozenset({".ds_store", "thumbs.db", "desktop.ini"})
_LITTER_FOLDERS = frozenset(
    {"__macosx", "__pycache__", "node_modules", "site-packages", "dist-packages", "venv", "virtualenv"}
)


@dataclass(frozen=True, slots=True)
class Gathered:
    """Files by value under their paths with ``/``, sorted, and the reader's remarks."""

    files: tuple[tuple[str, bytes], ...]
    notes: tuple[str, ...] = ()


def kind_of(name: str) -> Kind:
    """Say what the file ``name`` is read as; ``.py.txt`` and ``.ipynb.txt`` are what they were before a browser."""
    lowered = name.lower()
    if lowered.endswith((".py", ".pyw", ".py.txt")):
        return "python"
    if lowered.endswith((".ipynb", ".ipynb.txt", ".ipynb.json")):
        return "notebook"
    if lowered.endswith(ARCHIVES + FOREIGN_ARCHIVES):
        return "archive"
    suffix = PurePosixPath(lowered).suffix
    return "document" if suffix in DOCUMENTS else "picture" if suffix in PICTURES else "other"


def cap_of(kind: Kind) -> int:
    """Return the bytes that a file of this kind may have."""
    return {"python": CODE_BYTES, "notebook": NOTEBOOK_BYTES, "archive": ARCHIVE_BYTES}.get(kind, DOCUMENT_BYTES)


def of_pictures(names: list[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return which of the pictures are named to a person, and a remark where there are too many."""
    found = [name for name in names if kind_of(name) == "picture"]
    if len(found) <= MOST_PICTURES:
        return frozenset(found), ()
    return frozenset(found[:MOST_PICTURES]), (f"{len(found)} pictures; only the first {MOST_PICTURES} are listed.",)


def too_large(name: str, size: int) -> UnreadableError:
    """Return the error for a file above the cap of its kind."""
    what = f"the file has {megabytes(size)}, more than the {megabytes(cap_of(kind_of(name)))} that are read"
    return UnreadableError(what, shown(name), "Hand in the code without data, models and outputs.")


def too_much_code(where: str) -> UnreadableError:
    """Return the error for more code than is looked into."""
    what = "it holds more code than homework has (some 8,000 lines are read)"
    return UnreadableError(what, where, "Hand in your own files without generated code and data.")


def is_litter(path: str) -> bool:
    """Whether systems and tools left this file: hidden files and folders, caches, environments, ``__MACOSX``."""
    *folders, name = path.split("/")
    if any(folder.startswith(".") or folder.lower() in _LITTER_FOLDERS for folder in folders):
        return True
    return name.startswith((".", "~$")) or name.lower() in _LITTER_NAMES


def environments(paths: list[str]) -> tuple[str, ...]:
    """Return the folders, with a closing ``/``, that hold a virtual environment: they have a ``pyvenv.cfg``."""
    mark = "pyvenv.cfg"
    return tuple(path.removesuffix(mark) for path in paths if path.endswith("/" + mark))


def shown(name: str) -> str:
    """Return a file's name fit for a message: no control characters, no lone surrogates."""
    return str(StudentText(name, limit=NAME_LENGTH))


def megabytes(size: int) -> str:
    """Write a size for people."""
    return f"{size / MEGABYTE:.0f} MB" if size >= MEGABYTE else f"{max(1, size // 1024)} KB"
