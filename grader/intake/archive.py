"""A zip or tar by value: nothing is written to disk, and bytes are counted while they are read."""

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from grader.errors import UnreadableError
from grader.intake import caps, tar
from grader.intake.caps import Gathered, shown
from grader.intake.member import written_name

DAMAGED = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, KeyError, IndexError, OverflowError,
    NotImplementedError, RuntimeError,
)  # fmt: skip
"""What a forged or damaged archive makes the standard reader raise; for all of it the archive is to blame."""
_ENDING = re.compile(r"(?i)\.(zip|tar|tgz|tar\.gz)$")
_PACK_AGAIN = "Pack the folder again as a plain zip."
_MOST_TOLD = 5
_LEAVE_OUT = "Pack the code alone, without data, models and environments."


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    size: int
    regular: bool
    read: Callable[[int], bytes]  # at most so many bytes, whatever the header says


def gather(name: str, data: bytes, depth: int = 0) -> Gathered:
    """Return the files of the archive ``name`` that count.

    A path that climbs, is absolute, carries a drive letter or lies too deep is left out, which is a remark; where all
    begin with the same way out, as of ``zip -r hw.zip ../hw``, they are read behind it. Raises UnreadableError where
    nothing else is work, for links and devices, for two files of one name, for a password, for damage, and above the
    caps on size, count and ratio. Archives inside are opened where no code lies beside them; ``depth`` counts how many
    there are around this one.
    """
    lowered = name.lower()
    if problem := foreign(name, data[:8]):
        raise UnreadableError(problem, shown(name), _PACK_AGAIN)
    try:
        entries = list(_zip_entries(name, data) if lowered.endswith(".zip") else _tar_entries(name, data))
        return _read(name, len(data), entries, depth)
    except UnreadableError:
        raise
    except DAMAGED:
        raise UnreadableError("the archive is damaged or not an archive", shown(name), _PACK_AGAIN) from None


def foreign(name: str, beginning: bytes) -> str:
    """Why an archive is of a kind that is not read, by its name or its first bytes; empty where it may be read."""
    lowered = name.lower()
    if lowered.endswith(caps.FOREIGN_ARCHIVES) and not lowered.endswith(caps.ARCHIVES):
        return "this kind of archive is not read"
    return "this is no zip, whatever its name says" if beginning.startswith((b"Rar!", b"7z\xbc\xaf")) else ""


def with_inner(found: Gathered, inner: Sequence[tuple[str, Callable[[], bytes]]], depth: int = 0) -> Gathered:
    """Add what is in the archives of a hand-in, each with how to read it, to what lies beside them.

    Beside code they may hold the same once more, and are not opened. What cannot be read is a remark.
    """
    files, notes = dict(found.files), list(found.notes)
    coded = any(caps.kind_of(path) in {"python", "notebook"} for path in files)
    total = sum(map(len, files.values()))
    for number, (path, read) in enumerate(sorted(inner, key=lambda pair: pair[0])):
        try:
            if coded or depth > caps.INNER_DEPTH or number >= caps.INNER_ARCHIVES:
                where = "beside code" if coded else "so deep inside" if depth > caps.INNER_DEPTH else "beside so many"
                notes.append(f"{shown(path)}: an archive {where} is not opened.")
                continue
            got = gather(path, read(), depth)
            total += sum(len(data) for _, data in got.files)
            if total > caps.TOTAL_BYTES or len(files) + len(got.files) > caps.FILES:
                raise _too_much(
                    path, f"with it there is more than {caps.megabytes(caps.TOTAL_BYTES)} or {caps.FILES} files"
                )
        except UnreadableError as error:
            notes.append(f"{shown(path)}: not read, {error.what}.")
            continue
        files |= {f"{re.sub(_ENDING, '', path)}/{name}": data for name, data in got.files}
        notes += got.notes
    return Gathered(tuple(sorted(files.items())), tuple(notes))


def _read(name: str, packed: int, entries: list[_Entry], depth: int) -> Gathered:
    """Check every name, then read the files that count, in the order of their names."""
    notes: list[str] = []
    found = sorted(_inside(name, entries, notes), key=lambda pair: pair[0])
    left_out = caps.environments([path for path, _ in found])
    files: dict[str, bytes] = {}
    inner: list[tuple[str, Callable[[], bytes]]] = []
    total = pictured = 0
    pictures, remarks = caps.of_pictures(
        [path for path, _ in found if not caps.is_litter(path) and not path.startswith(left_out)]
    )
    notes += remarks
    for path, entry in found:
        if caps.is_litter(path) or path.startswith(left_out):
            continue
        if not entry.regular:
            raise UnreadableError(f"it holds a link or device: {shown(path)}", shown(name), _PACK_AGAIN)
        kind = caps.kind_of(path)
        if kind == "archive":
            inner.append((path, partial(_whole, name, path, entry)))
        if kind in {"archive", "other"} or (kind == "picture" and path not in pictures):
            continue
        if path in files:
            raise UnreadableError(f"it holds two files named {shown(path)}", shown(name), _PACK_AGAIN)
        if kind == "picture":
            held = entry.size <= caps.DOCUMENT_BYTES and pictured + entry.size <= caps.TOTAL_BYTES
            files[path] = entry.read(entry.size) if held else b""
            pictured += len(files[path])
            continue
        cap = caps.cap_of(kind)
        content = entry.read(cap + 1) if entry.size <= cap else None
        if content is None or len(content) > cap:
            if kind != "document":
                raise _too_much(name, f"{shown(path)} has more than {caps.megabytes(cap)}")
            notes.append(f"{shown(path)}: left out, more than {caps.megabytes(cap)}.")
            continue
        files[path] = content
        total += len(content)
        _refuse_excess(name, packed, total, len(files))
    return with_inner(Gathered(tuple(files.items()), tuple(notes)), inner, depth + 1)


def _whole(archive: str, path: str, entry: _Entry) -> bytes:
    """The bytes of an archive inside the archive."""
    content = entry.read(caps.ARCHIVE_BYTES + 1) if entry.size <= caps.ARCHIVE_BYTES else None
    if content is None or len(content) > caps.ARCHIVE_BYTES:
        raise _too_much(archive, f"{shown(path)} has more than {caps.megabytes(caps.ARCHIVE_BYTES)}")
    return content


def _refuse_excess(name: str, packed: int, total: int, count: int) -> None:
    if count > caps.FILES:
        raise _too_much(name, f"it holds more than {caps.FILES} files of work")
    if total > caps.TOTAL_BYTES:
        raise _too_much(name, f"it holds more than {caps.megabytes(caps.TOTAL_BYTES)}")
    if total > max(caps.RATIO_FROM, caps.RATIO * packed):
        raise _too_much(name, f"it inflates to more than {caps.RATIO} times its size")


def _too_much(name: str, what: str) -> UnreadableError:
    return UnreadableError(what, shown(name), _LEAVE_OUT)


def _inside(archive: str, entries: Sequence[_Entry], notes: list[str]) -> list[tuple[str, _Entry]]:
    """The entries that lie in the archive, under their paths. Raises UnreadableError where no work is among them."""
    found: list[tuple[str, _Entry]] = []
    problems: list[str] = []
    leads = {_lead(entry.name) for entry in entries}
    shared = leads.pop() if len(leads) == 1 else ""
    for entry in entries:
        path, problem = _path(entry.name, shared)
        if problem:
            problems.append(problem)
        else:
            found.append((path, entry))
    if problems and all(caps.kind_of(path) == "other" for path, _ in found):
        raise UnreadableError(problems[0], shown(archive), _PACK_AGAIN)
    if shared:
        notes.append(f"{shown(archive)}: all its paths lead out of it by {shown(shared)} and are read behind that.")
    more = [f"and {len(problems) - _MOST_TOLD} others"] if len(problems) > _MOST_TOLD else []
    notes += [f"{shown(archive)}: left out, {problem}." for problem in (*problems[:_MOST_TOLD], *more)]
    return found


def _lead(raw: str) -> str:
    """The beginning of a path that leads out of the archive, as ``../../``, ``/`` or ``C:/``; empty where none does."""
    path = raw.replace("\\", "/")
    lead = path.removesuffix(re.sub(r"\A(?:[A-Za-z]:)?(?:\.{0,2}/)*", "", path))
    return lead if lead.startswith("/") or ":" in lead or ".." in lead else ""


def _path(raw: str, shared: str) -> tuple[str, str]:
    """Return an entry's path with ``/``, behind the lead of all, and why it is none that lies in the archive."""
    path = raw.replace("\\", "/")[len(shared) :]
    while path.startswith("./"):
        path = path[2:]
    parts = path.split("/")
    if path.startswith("/") or re.match(r"[A-Za-z]:", path) or ".." in parts:
        return "", f"a path in it leads out of it: {shown(raw)}"
    if len(parts) > caps.DEPTH or len(path) > caps.NAME_LENGTH:
        return "", "folders in it are nested too deeply"
    return "/".join(part for part in parts if part not in {"", "."}), ""


def _zip_entries(name: str, data: bytes) -> Iterator[_Entry]:
    # Each entry has this mark in the directory at the end, which zipfile would read in full.
    if data.count(b"PK\x01\x02") > caps.ENTRIES:
        raise _too_much(name, f"it holds more than {caps.ENTRIES:,} entries")
    archive = zipfile.ZipFile(io.BytesIO(data))
    for info in archive.infolist():
        path = info.orig_filename if "\0" in info.orig_filename else written_name(info)
        if "\0" in path:
            raise UnreadableError("a name in it holds a null character", shown(name), _PACK_AGAIN)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if info.is_dir() or path.endswith("\\") or kind == stat.S_IFDIR:
            continue
        yield _Entry(path, info.file_size, kind in {0, stat.S_IFREG}, _zip_reader(name, archive, info))


def _zip_reader(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(limit: int) -> bytes:
        if info.flag_bits & 0x1:
            raise UnreadableError("it is locked with a password", shown(name), "Pack it again without one.")
        if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise UnreadableError("it is packed with an unusual method", shown(name), _PACK_AGAIN)
        with archive.open(info) as file:
            return file.read(limit)

    return read


def _tar_entries(name: str, data: bytes) -> Iterator[_Entry]:
    if data.startswith(b"\x1f\x8b"):
        data = _gunzip(name, data)
    for count, member in enumerate(tar.members(data)):
        if count > caps.ENTRIES:
            raise _too_much(name, f"it holds more than {caps.ENTRIES:,} entries")
        if member.folder:
            continue
        yield _Entry(member.name, member.size, member.regular, _slice_reader(data, member.offset, member.size))


def _slice_reader(data: bytes, offset: int, size: int) -> Callable[[int], bytes]:
    return lambda limit: data[offset : offset + min(size, limit)]


def _gunzip(name: str, data: bytes) -> bytes:
    """Inflate up to the cap on the whole; a tar has to be inflated to be listed."""
    parts: list[bytes] = []
    total = 0
    while data.startswith(b"\x1f\x8b"):
        if len(parts) == caps.STREAMS:
            raise _too_much(name, f"it holds more than {caps.STREAMS} streams")
        stream = zlib.decompressobj(wbits=31)
        parts.append(stream.decompress(data, caps.TOTAL_BYTES + 1 - total))
        total += len(parts[-1])
        if total > caps.TOTAL_BYTES:
            raise _too_much(name, f"it holds more than {caps.megabytes(caps.TOTAL_BYTES)}")
        if not stream.eof:
            raise EOFError
        data = stream.unused_data
    return b"".join(parts)
