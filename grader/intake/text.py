"""From a file's bytes to text: byte-order marks, coding lines, line ends, and messages for what is not text."""

from __future__ import annotations

import codecs
import io
import re
import tokenize

from grader.errors import UnreadableError
from grader.intake.caps import shown

_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
# Python's own codecs beside those of characters; some of them take time by the square of the length.
_NO_CHARACTERS = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})
_SAVE_AS = "Save it as UTF-8 (in the editor: Save as, Encoding, UTF-8)"


def decode(data: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    r"""Return the text of a Python file, with ``\n`` line ends and no byte-order mark, and remarks.

    The encoding is UTF-8 or what a coding line says (PEP 263). Raises UnreadableError for UTF-16 and UTF-32, for
    binary data, for an unknown encoding, and for bytes that the encoding does not have.
    """
    _refuse_wide(data, name)
    notes: list[str] = []
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
        notes.append(f"{shown(name)}: a byte-order mark was removed.")
    if b"\0" in data:
        raise UnreadableError("this is binary data, not Python source", shown(name), "Hand in the .py file itself.")
    text = _decoded(data, _encoding(data, name), name)
    return one_line_end(text), tuple(notes)


def one_line_end(text: str) -> str:
    r"""Return ``text`` with ``\n`` for every line end, and with a visible mark for what UTF-8 cannot carry."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def _refuse_wide(data: bytes, name: str) -> None:
    for mark, wide in _WIDE_MARKS:
        if data.startswith(mark):
            raise UnreadableError(f"the file is {wide} text, which Python does not read", shown(name), f"{_SAVE_AS}.")
    head = data[:4000]
    for nothing, something in ((head[1::2], head[::2]), (head[::2], head[1::2])):
        # Latin text in UTF-16 has a zero in every second byte, and hardly any elsewhere.
        if len(head) >= 8 and nothing.count(0) > 0.9 * len(nothing) and something.count(0) < 0.1 * len(something):  # noqa: PLR2004
            raise UnreadableError("the file looks like UTF-16 text", shown(name), f"{_SAVE_AS}.")


def _encoding(data: bytes, name: str) -> str:
    head = io.BytesIO(b"\n".join(re.split(rb"\r\n|\r|\n", data[:2000])[:2]) + b"\n")
    try:
        return tokenize.detect_encoding(head.readline)[0]
    except SyntaxError as error:
        if "unknown encoding" in str(error):
            found = str(error).rpartition("unknown encoding")[2].strip(" :")
            cure = f"{_SAVE_AS}, and remove that line."
            raise UnreadableError(f"the coding line names no encoding: {shown(found)}", shown(name), cure) from None
        return "utf-8"  # a bad byte in the first lines: the decoder says where


def _decoded(data: bytes, encoding: str, name: str) -> str:
    try:
        return data.decode("no characters" if _no_characters(encoding) else encoding)
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n|\r|\n", data[: error.start])) + 1
        if _is_binary(data):
            what = "this is binary data, not Python source"
            raise UnreadableError(what, shown(name), "Hand in the .py file itself.") from None
        what = f"line {line} is not {encoding.upper()} (byte 0x{data[error.start]:02X})"
        raise UnreadableError(what, shown(name), f"{_SAVE_AS}, or name its encoding in a coding line.") from None
    except (LookupError, UnicodeError, ValueError, TypeError):
        what = f"the coding line names {shown(encoding)}, which is no encoding for source"
        raise UnreadableError(what, shown(name), f"{_SAVE_AS}, and remove that line.") from None


def _no_characters(encoding: str) -> bool:
    return codecs.lookup(encoding).name.replace("_", "-") in _NO_CHARACTERS


def _is_binary(data: bytes) -> bool:
    head = data[:4000]
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)  # noqa: PLR2004
    return controls > 0.05 * len(head)
