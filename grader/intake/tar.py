"""The members of a tar that lies in memory.

Own reading, because the standard reader follows forged sizes and offsets in several versions of Python. The formats
are ustar, pax (path records) and GNU (long names), as in POSIX.1-2001 and the GNU tar manual.
"""

from collections.abc import Iterator
from dataclasses import dataclass

_BLOCK = 512
_HEADER_BYTES = 1 << 16  # long names and pax records; a name is shorter
_REGULAR = (b"0", b"\0", b"7")
_FOLDER = b"5"


@dataclass(frozen=True, slots=True)
class Member:
    """A file, folder, link or device: where its content lies in the tar."""

    name: str
    offset: int
    size: int
    regular: bool
    folder: bool


def members(data: bytes) -> Iterator[Member]:
    """Yield the members in order. Raises ValueError where ``data`` is no tar or a damaged one."""
    at, long_name = 0, ""
    while at + _BLOCK <= len(data) and any(head := data[at : at + _BLOCK]):
        _check_sum(head)
        size, kind = _octal(head[124:136]), head[156:157]
        start = at + _BLOCK
        at = start + -(-size // _BLOCK) * _BLOCK
        if start + size > len(data):
            raise ValueError("cut off")
        if kind in {b"x", b"g", b"L", b"K"}:
            if size > _HEADER_BYTES:
                raise ValueError("header too long")
            body = data[start : start + size]
            if kind == b"L":
                long_name = _text(body)
            elif kind == b"x":
                long_name = _pax_path(body) or long_name
            continue
        yield Member(long_name or _name(head), start, size, kind in _REGULAR, kind == _FOLDER)
        long_name = ""
    if at == 0:
        raise ValueError("no member")


def _check_sum(head: bytes) -> None:
    if sum(head[:148]) + 8 * ord(" ") + sum(head[156:]) != _octal(head[148:156]):
        raise ValueError("bad checksum")


def _octal(field: bytes) -> int:
    # A size above 8 GB is written in another way; no cap lets it through.
    digits = field.replace(b"\0", b" ").strip()
    if not digits.isdigit() and digits:  # int() would also take a sign, and a negative size leads back for ever
        raise ValueError("bad number")
    return int(digits, 8) if digits else 0


def _name(head: bytes) -> str:
    name = _text(head[:100])
    prefix = _text(head[345:500]) if head[257:263] == b"ustar\0" else ""
    return f"{prefix}/{name}" if prefix else name


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _pax_path(body: bytes) -> str:
    r"""Return the path among records ``<length> <key>=<value>\n``; ValueError for sizes that override the header."""
    found = ""
    while body:
        digits, _, _ = body[:12].partition(b" ")
        length = int(digits) if digits.isdigit() else 0
        if length <= len(digits) + 1 or length > len(body):
            raise ValueError("bad record")
        key, _, value = body[len(digits) + 1 : length].rstrip(b"\n").partition(b"=")
        if key == b"size" or key.startswith(b"GNU.sparse"):
            raise ValueError("sizes beside the header")
        found = value.decode("utf-8", "surrogateescape") if key == b"path" else found
        body = body[length:]
    return found
