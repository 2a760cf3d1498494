"""An export as a list of files, whether it is a folder, a zip or a tar; nothing is unpacked to disk."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.classroom.entry import FileRef
from grader.errors import GraderError, UnreadableError
from grader.intake import caps
from grader.intake.archive import DAMAGED, gather
from grader.intake.caps import shown
from grader.intake.member import written_name

MOST_FILES = 200_000
_LITTER = re.compile(
    r"(^|/)(__MACOSX/|\._|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\.git/|__pycache__/|\.ipynb_checkpoints/)"
)


@dataclass(frozen=True, slots=True)
class Tree:
    """Files of an export by their path inside it, sorted; ``name`` is the folder's or the archive's own name.

    ``left_out`` names what is in the archive and cannot be anybody's: paths that lead out of it. ``folders`` are those
    that are listed, whether anything is in them or not, with a slash at the end.
    """

    root: Path
    name: str
    files: tuple[FileRef, ...]
    left_out: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()

    @property
    def top(self) -> tuple[str, ...]:
        """Names at the top: folders with a slash at the end, then files as they are."""
        names = {file.name.split("/", 1)[0] + ("/" if "/" in file.name else "") for file in self.files}
        return tuple(sorted(names))

    def empty_in(self, place: str) -> tuple[str, ...]:
        """Folders with nothing in them that lie in the folder ``place``: somebody's who handed in nothing, perhaps."""
        level = place.count("/") + 1
        filled = {"/".join(file.name.split("/")[:level]) + "/" for file in self.files}
        inside = [name for name in self.folders if name.startswith(place) and name != place]
        return tuple(sorted({"/".join(name.split("/")[:level]) + "/" for name in inside} - filled))

    def below(self, folder: str) -> tuple[FileRef, ...]:
        """Files below a top folder, named relative to it."""
        prefix = folder.rstrip("/") + "/"
        return tuple(f.called(f.name.removeprefix(prefix)) for f in self.files if f.name.startswith(prefix))

    def inside(self, folder: str) -> Tree:
        """The tree below a top folder."""
        prefix = folder.rstrip("/") + "/"
        folders = tuple(
            name.removeprefix(prefix) for name in self.folders if name.startswith(prefix) and name != prefix
        )
        return replace(self, name=folder.rstrip("/"), files=self.below(folder), folders=folders)

    def parts(self) -> dict[str, tuple[FileRef, ...]]:
        """What lies at each name of :attr:`top`, in one pass: files of a folder are named relative to it."""
        found: dict[str, list[FileRef]] = {}
        for file in self.files:
            top, slash, rest = file.name.partition("/")
            found.setdefault(top + slash, []).append(file.called(rest) if slash else file)
        return {name: tuple(found[name]) for name in sorted(found)}

    def text(self, name: str) -> str | None:
        """The text of a file of the export, such as its metadata; None where there is none that can be read."""
        return next((text_of(file) for file in self.files if file.name == name), None)


def text_of(file: FileRef, most: int = 64 << 20) -> str | None:
    """The text of a file as well as it can be read; None where it cannot be at all."""
    try:
        return file.read(most).decode("utf-8-sig", "replace")
    except UnreadableError:
        return None


def open_tree(source: Path) -> Tree:
    """List the files of a folder or zip, litter left out, a single folder around everything unwrapped.

    Raises GraderError where there is nothing, and UnreadableError where the zip cannot be listed.
    """
    if not source.exists():
        raise GraderError("there is no such file or folder", str(source), "Check the path.")
    left_out: list[str] = []
    folders: list[str] = []
    listed = _members(source, left_out, folders) if source.is_file() else _on_disk(source, folders)
    files = tuple(sorted(listed, key=lambda file: file.name))
    if not files and not left_out:
        raise GraderError("there is nothing in it", str(source), "Give the export of the class: a folder or a zip.")
    name = source.stem if source.is_file() else source.name
    return _unwrapped(Tree(source, name, files, tuple(left_out), tuple(folders)))


def tar_tree(source: Path) -> Tree | None:
    """List a tar, whose files are held in memory; None where ``source`` is none that is read."""
    if not source.name.lower().endswith(caps.ARCHIVES) or source.stat().st_size > caps.ARCHIVE_BYTES:
        return None
    try:
        found = gather(source.name, source.read_bytes())
    except UnreadableError:
        return None
    files = tuple(FileRef(source, name, name, content=data) for name, data in found.files)
    return _unwrapped(Tree(source, re.sub(r"(?i)\.(tar|tgz|tar\.gz)$", "", source.name), files)) if files else None


def _unwrapped(tree: Tree) -> Tree:
    """Take off one folder that wraps a whole zip (a folder that is one submission stays)."""
    if len(tree.top) == 1 and tree.top[0].endswith("/") and tree.root.is_file():
        inner = tree.inside(tree.top[0])
        if any("/" in file.name for file in inner.files) or len(inner.files) > 1:
            return inner
    return tree


def inner_tree(tree: Tree) -> Tree:
    """The tree inside folders that wrap everything, as programs that unpack and clouds that pack make them."""
    while len(tree.top) == 1 and tree.top[0].endswith("/"):
        tree = tree.inside(tree.top[0])
    return tree


def _on_disk(folder: Path, within: list[str]) -> Iterator[FileRef]:
    """Regular files and links; a link is listed, so that it is told of, and never followed.

    A folder that may not be looked into is listed as what cannot be read in it. The folders are put ``within``.
    """
    count = 0
    shut: list[Path] = []

    def named(path: Path) -> str:
        return unicodedata.normalize("NFC", path.relative_to(folder).as_posix())

    for place, folders, names in os.walk(folder, onerror=lambda error: shut.append(Path(error.filename))):
        folders[:] = sorted(name for name in folders if not _LITTER.search(f"{name}/"))
        linked = [name for name in folders if (Path(place) / name).is_symlink()]
        within += (f"{named(Path(place) / name)}/" for name in folders if name not in linked)
        for name in sorted((*names, *linked)):
            path = Path(place) / name
            inside = named(path)
            link = path.is_symlink()
            if _LITTER.search(inside) or not (link or path.is_file()):
                continue
            count += 1
            if count > MOST_FILES:
                raise GraderError(f"more than {MOST_FILES} files", str(folder), "Is this the right folder?")
            yield FileRef(path, inside, link=link)
    if folder in shut:
        raise GraderError("the folder cannot be read", str(folder), "Make it readable and try again.")
    yield from (FileRef(path, f"{named(path)}/*") for path in shut)


def _members(archive: Path, left_out: list[str], within: list[str]) -> Iterator[FileRef]:
    try:
        with zipfile.ZipFile(archive) as opened:
            infos = opened.infolist()
    except DAMAGED as error:
        raise UnreadableError("this is no zip that can be read", str(archive), "Download the export again.") from error
    if len(infos) > MOST_FILES:
        raise UnreadableError(f"more than {MOST_FILES} files", str(archive), "Is this the right file?")
    for info in infos:
        name = written_name(info).replace("\\", "/")
        if _LITTER.search(name):
            continue
        if not name or name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in name.split("/"):
            left_out += [] if name.endswith("/") else [shown(name)]
            continue
        if name.endswith("/"):
            within.append(name)
            continue
        yield FileRef(archive, name, info.filename, link=stat.S_ISLNK(info.external_attr >> 16))


def common_folder(names: Sequence[str]) -> str:
    """The deepest folder that all of ``names`` lie in, with a slash at the end; empty for the top."""
    shared = os.path.commonpath([name.rpartition("/")[0] for name in names] or [""])
    return f"{shared}/" if shared else ""


def common_parts(names: Sequence[str]) -> str:
    """The longest common beginning of ``names`` that ends at a hyphen: the assignment's slug in repository names."""
    first, last = min(names, default=""), max(names, default="")
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    shared = first[:same]
    return shared[: shared.rfind("-") + 1]
