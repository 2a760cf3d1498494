"""One hand-in of a class, before it is read: whose it is, when it came, and where its files lie."""

from __future__ import annotations

import hashlib
import re
import unicodedata
import zipfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import IO

from grader.errors import UnreadableError
from grader.intake import assemble, caps
from grader.intake.archive import DAMAGED
from grader.intake.loading import load, load_bytes, load_files
from grader.model.submission import Submission

OLDER = "older files are replaced by newer ones of the same name"
"""The remark on a hand-in of which the platform keeps earlier files beside the later ones."""


@dataclass(frozen=True, slots=True)
class FileRef:
    """A file of a hand-in: on disk, a member of an export's zip, or one row of a form.

    ``name`` is its path inside the hand-in; ``content`` is what a row of the form at ``path`` says; ``link`` marks what
    leads elsewhere, and is never followed.
    """

    path: Path
    name: str
    member: str = ""
    content: bytes | None = None
    link: bool = False

    def called(self, name: str) -> FileRef:
        """The same file under another name inside the hand-in."""
        return replace(self, name=name)

    def read(self, cap: int) -> bytes:
        """Return the bytes; at most ``cap`` + 1 are read, so that the caller sees an excess without holding it.

        Raises UnreadableError, whatever is wrong with it: one bad member of an export is one student's.
        """
        if self.content is not None:
            return self.content[: cap + 1]
        if self.link:
            raise UnreadableError("a link, which is not followed", self.name, "Hand in the file itself.")
        try:
            with self._opened() as file:
                return file.read(cap + 1)
        except DAMAGED as error:
            locked = "password" in str(error)
            what = "it is locked with a password" if locked else f"the file cannot be read ({type(error).__name__})"
            raise UnreadableError(what, self.name, "Download it again, or ask for it anew.") from None

    def _opened(self) -> IO[bytes]:
        if not self.member:
            return self.path.open("rb")
        stat = self.path.stat()
        return _listed(self.path, stat.st_mtime_ns, stat.st_size).open(self.member)


@lru_cache(maxsize=2)  # the list of a large class takes longer to read than a file of it
def _listed(path: Path, _changed: int, _size: int) -> zipfile.ZipFile:
    return zipfile.ZipFile(path)


@dataclass(frozen=True, slots=True)
class Entry:
    """A student's (or group's) hand-in.

    ``key`` is unique in a class and safe as a file name; ``ids`` are what the platform knows the submitters by
    (user id, e-mail, login), ``attempt`` counts from 1, ``submitted_at`` is as the platform writes it or empty.
    ``members`` names the people of a group, ``member_ids`` what the platform knows each of them by, in that order.
    ``feedback`` is the path under which the platform takes a feedback file back; empty where it takes none.
    ``problem`` says why no file is read at all: then that is the student's report. ``source`` tells the exports of one
    command apart, a later one being the newer. ``marked`` says that the platform marks what is late, so that no mark is
    an answer; ``named`` that the name is only what a file is called; ``untold`` that ``attempt`` counts without order.
    ``passed_over`` are files of the hand-in that do not count, older ones or typed text: ``notes`` say so.
    """

    key: str
    name: str
    files: tuple[FileRef, ...]
    ids: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    submitted_at: str = ""
    late: bool = False
    attempt: int = 1
    notes: tuple[str, ...] = ()
    feedback: str = ""
    member_ids: tuple[tuple[str, ...], ...] = ()
    problem: str = ""
    source: int = 0
    marked: bool = False
    named: bool = False
    untold: bool = False
    passed_over: tuple[FileRef, ...] = ()


def safe_key(text: str) -> str:
    """Return ``text`` as a file name that every system takes: letters and digits kept, accents too.

    >>> safe_key("O'Brien, Mary Ann")
    'obrien-mary-ann'
    """
    folded = unicodedata.normalize("NFC", text).casefold().replace("'", "").replace("’", "")
    key = re.sub(r"[^\w]+", "-", folded).strip("-_")[:80]
    return key or "unnamed-" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]


def single(source: Path) -> Entry:
    """A submission that stands alone, as a class of one: a file, an archive or a folder."""
    stem = source.name if source.is_dir() else source.stem.removesuffix(".tar")
    return Entry(safe_key(stem), stem, (FileRef(source, source.name),), (stem,))


def distinct(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Give entries that share a key a number; different attempts of one person keep the key."""
    seen: dict[str, Entry] = {}
    result = []
    for entry in entries:
        key, number = entry.key, 2
        while key in seen and not _same(seen[key], entry):
            key, number = f"{entry.key}-{number}", number + 1
        seen.setdefault(key, entry)
        result.append(entry if key == entry.key else replace(entry, key=key))
    return tuple(result)


def free(key: str, taken: Collection[str]) -> str:
    """Return ``key``, with a number where it is taken."""
    number, other = 2, key
    while other in taken:
        other, number = f"{key}-{number}", number + 1
    return other


def _same(one: Entry, other: Entry) -> bool:
    """Whether two hand-ins are one person's: the name is the same, and the platform knows them by the same id."""
    return one.name == other.name and (not (one.ids or other.ids) or bool({*one.ids} & {*other.ids}))


def read(entry: Entry) -> Submission:
    """Read the entry's files by value. Raises UnreadableError, which becomes that student's report."""
    if entry.problem:
        raise UnreadableError(entry.problem, entry.name)
    if not entry.files:
        raise UnreadableError("nothing was handed in", entry.name)
    only = entry.files[0] if len(entry.files) == 1 else None
    if only and not (only.member or only.link) and only.content is None:
        found = load(only.path)
    elif only:
        found = load_bytes(only.name, only.read(_cap(only)))
    else:
        links = tuple(f"{file.name}: a link is not followed." for file in entry.files if file.link)
        readers = [(file.name, partial(file.read, _cap(file))) for file in entry.files if not file.link]
        found = assemble.submission(entry.name, entry.key, load_files(readers, links))
    return replace(
        found, id=entry.key, path=only.name if only else entry.name,
        submitter=entry.name, submitted_at=entry.submitted_at, late=entry.late,
    )  # fmt: skip


def _cap(file: FileRef) -> int:
    return caps.cap_of(caps.kind_of(file.name))
