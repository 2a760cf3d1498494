"""One hand-in of a class, before it is read: whose it is, when it came, and where its files lie."""

from __future__ import annotations

import hashlib
import re
import unicodedata
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from grader.errors import UnreadableError
from grader.model import Submission


@dataclass(frozen=True, slots=True)
class FileRef:
    """A file of a hand-in: on disk, a member of an export's zip, or one row of a form.

    ``name`` is its path inside the hand-in; ``content`` is what a row of the form at ``path`` says.
    """

    path: Path
    name: str
    member: str = ""
    content: bytes | None = None

    def read(self, cap: int) -> bytes:
        """Return the bytes; at most ``cap`` + 1 are read, so that the caller sees an excess without holding it."""
        if self.content is not None:
            return self.content[: cap + 1]
        if not self.member:
            with self.path.open("rb") as file:
                return file.read(cap + 1)
        stat = self.path.stat()
        with _opened(self.path, stat.st_mtime_ns, stat.st_size).open(self.member) as file:
            return file.read(cap + 1)


@lru_cache(maxsize=2)  # the list of a large class takes longer to read than a file of it
def _opened(path: Path, _changed: int, _size: int) -> zipfile.ZipFile:
    return zipfile.ZipFile(path)


@dataclass(frozen=True, slots=True)
class Entry:
    """A student's (or group's) hand-in.

    ``key`` is unique in a class and safe as a file name; ``ids`` are what the platform knows the submitters by
    (user id, e-mail, login), ``attempt`` counts from 1, ``submitted_at`` is as the platform writes it or empty.
    ``members`` names the people of a group, ``member_ids`` what the platform knows each of them by, in that order.
    ``feedback`` is the path under which the platform takes a feedback file back; empty where it takes none.
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


def _same(one: Entry, other: Entry) -> bool:
    """Whether two hand-ins are one person's: the name is the same, and the platform knows them by the same id."""
    return one.name == other.name and (not (one.ids or other.ids) or bool({*one.ids} & {*other.ids}))


def read(entry: Entry, *, code: bool = False) -> Submission:
    """Read the entry's files by value; with ``code`` there has to be some.

    Raises UnreadableError, which becomes that student's report.
    """
    from grader.intake import assemble, caps
    from grader.intake.loading import load, load_bytes

    if not entry.files:
        raise UnreadableError("nothing was handed in", entry.name)
    try:
        if len(entry.files) == 1 and not entry.files[0].member and entry.files[0].content is None:
            found = load(entry.files[0].path, code=code)
        elif len(entry.files) == 1:
            only = entry.files[0]
            found = load_bytes(only.name, only.read(caps.cap_of(caps.kind_of(only.name))), code=code)
        else:
            pairs = [(file.name, file.read(caps.cap_of(caps.kind_of(file.name)))) for file in entry.files]
            for name, data in pairs:
                if len(data) > caps.cap_of(caps.kind_of(name)):
                    raise caps.too_large(name, len(data))
            found = assemble.submission(entry.name, entry.key, caps.Gathered(tuple(sorted(pairs))), code=code)
    except (OSError, zipfile.BadZipFile, RuntimeError) as error:
        raise UnreadableError(f"the file cannot be read ({type(error).__name__})", entry.name) from error
    return replace(
        found, id=entry.key, path=entry.files[0].name if len(entry.files) == 1 else entry.name,
        submitter=entry.name, submitted_at=entry.submitted_at, late=entry.late,
    )  # fmt: skip
