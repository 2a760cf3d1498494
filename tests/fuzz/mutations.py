"""Damage as people, programs and attackers do it to a file; seeded, so that every case comes again."""

from __future__ import annotations

import io
import random
import warnings
import zipfile

_ODD = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b"'", b"\n", b"\r", b"\n" * 3000, b" " * 5000, b",", b";", b"\t", b":",
    b"- ", b"[" * 3000, b"{" * 3000, b"(" * 3000, b"&a *a ", b"<<: *a\n", b"!!python/object:os.system ", b"1e999999",
    b"9" * 5000, b"-1", b"NaN", b"\xf0\x9f\x92\xa9", b"\xe2\x80\xae", b"\xed\xa0\x80", b"../", b"/etc/passwd", b"null",
    b"true", b"{}", b"[]", b"=1+1", b"PK\x01\x02", b"PK\x03\x04", b"\\", b"$", b"2026-13-45 99:99", b"a," * 8000,
)  # fmt: skip


def mutated(data: bytes, seed: int) -> bytes:
    """Return ``data`` with one to four damages."""
    chance = random.Random(seed)  # noqa: S311 - damage, no secret
    if data.startswith(b"PK") and chance.random() < 0.5:
        data = _inside(data, chance)
        if chance.random() < 0.5:
            return data
    for _ in range(chance.randint(1, 4)):
        data = _once(data, chance)
    return data


def _once(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    end = min(len(data), at + chance.choice((1, 1, 2, 8, 60, 700)))
    match chance.randrange(7):
        case 0:
            return data[:at] + data[end:]
        case 1:
            return data[:end] + data[at:]
        case 2:
            return data[:at] + bytes(chance.randrange(256) for _ in range(end - at)) + data[end:]
        case 3 | 4:
            return data[:at] + chance.choice(_ODD) + data[end if chance.random() < 0.5 else at :]
        case 5:
            return data[:at]
        case _:
            other = chance.randrange(len(data) + 1)
            return data[:at] + data[other : other + end - at] + data[end:]


def _inside(data: bytes, chance: random.Random) -> bytes:
    """The same archive with one member damaged, or called by another name, and packed again."""
    whole = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as new:
            infos = old.infolist()
            chosen = chance.randrange(max(1, len(infos)))
            for number, info in enumerate(infos):
                content = old.read(info)
                if number == chosen:
                    content = mutated(content, chance.randrange(1 << 30))
                name = info.filename
                if number == chosen and chance.random() < 0.3:
                    name = _once(name.encode(), chance).decode("utf-8", "replace")[:300].replace("\0", "") or "x"
                with warnings.catch_warnings(action="ignore"):  # a damaged name may be that of another member
                    new.writestr(name, content)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, RuntimeError, OSError, EOFError):
        return data
    return whole.getvalue()
