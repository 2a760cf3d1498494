"""From a file's bytes to text: byte-order marks, coding lines, line ends, and messages for what is not text."""

import codecs
import io
import re
import tokenize

from grader.errors import UnreadableError
from grader.intake.caps import shown

_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Python's own codecs beside those of characters; some of them take time by the square of the length.
_NO_CHARACTERS = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})
_HEAD = 4000


def characters(data: bytes) -> tuple[str, str]:
    """Return the text of a file in whatever encoding editors write, without a mark, and what it is if not UTF-8."""
    if wide := _wide(data):
        return data.decode(wide, "replace").removeprefix("\ufeff"), f"{wide[:6].upper()} text"
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), "Windows text"


def decode(data: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    r"""Return the text of a Python file, with ``\n`` line ends and no byte-order mark, and remarks.

    The encoding is UTF-8 or what a coding line says (PEP 263). What Python would not read so is read as what it looks
    like, which is a remark. Raises UnreadableError for binary data.
    """
    notes: list[str] = []
    text, problem = "", "the file is not UTF-8"
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
        notes.append(f"{shown(name)}: a byte-order mark was removed.")
        text, problem = _decoded(data, "utf-8")
    elif not _wide(data):
        text, problem = _decoded(data, _encoding(data))
    if problem:
        text, kind = characters(data)
        notes.append(f"{shown(name)}: {problem}; read as {kind or 'UTF-8'}, where Python would not: save it as UTF-8.")
    if "\0" in text or (problem and not _wide(data) and _is_binary(data)):
        raise UnreadableError("this is binary data, not Python source", shown(name), "Hand in the .py file itself.")
    return one_line_end(text), tuple(notes)


def one_line_end(text: str) -> str:
    r"""Return ``text`` with ``\n`` for every line end, and with a visible mark for what UTF-8 cannot carry."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def _wide(data: bytes) -> str:
    """The encoding of text that has two or four bytes a letter; empty for any other."""
    for mark, wide in _WIDE_MARKS:
        if data.startswith(mark):
            return wide
    first, second = data[:_HEAD:2], data[1:_HEAD:2]
    for wide, nothing, something in (("utf-16-le", second, first), ("utf-16-be", first, second)):
        # Latin text in UTF-16 has a zero in most second bytes, and hardly any elsewhere.
        if len(second) > 3 and nothing.count(0) > 0.6 * len(nothing) and something.count(0) < 0.1 * len(something):  # noqa: PLR2004
            return wide
    return ""


def _decoded(data: bytes, encoding: str) -> tuple[str, str]:
    """The text of a file as Python reads it, and what keeps Python from that."""
    try:
        return data.decode("no characters" if _no_characters(encoding) else encoding), ""
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n|\r|\n", data[: error.start])) + 1
        return "", f"line {line} is not {encoding.upper()} (byte 0x{data[error.start]:02X})"
    except (LookupError, UnicodeError, ValueError, TypeError):
        return "", f"the coding line names {shown(encoding)}, which is no encoding for source"


def _encoding(data: bytes) -> str:
    """What the coding line says, known or not; UTF-8 without one."""
    head = io.BytesIO(b"\n".join(re.split(rb"\r\n|\r|\n", data[:2000])[:2]) + b"\n")
    try:
        return tokenize.detect_encoding(head.readline)[0]
    except SyntaxError as error:
        return str(error).rpartition("unknown encoding")[2].strip(" :") if "unknown encoding" in str(error) else "utf-8"


def _no_characters(encoding: str) -> bool:
    return codecs.lookup(encoding).name.replace("_", "-") in _NO_CHARACTERS


def _is_binary(data: bytes) -> bool:
    head = data[:4000]
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)  # noqa: PLR2004
    return controls > 0.05 * len(head)
