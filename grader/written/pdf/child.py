"""The child process: reads one PDF from its input and writes JSON. Run by its path; imports nothing of the grader."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple


def main() -> None:
    """Answer the question of the command line about the PDF on the input."""
    question, bounds = sys.argv[1], json.loads(sys.argv[2])
    sys.path += sys.argv[3:]
    data = sys.stdin.buffer.read()
    try:
        answer = {"fields": fields, "pages": pages, "strips": strips}[question](data, bounds)
    except MemoryError:
        answer = {"problem": "reading the PDF takes more memory than allowed; it may be a bomb. A person has to look."}
    except Exception as error:  # noqa: BLE001 - a broken PDF makes its reader raise nearly anything
        answer = {"problem": f"the PDF is broken inside ({type(error).__name__}). Export it again."}
    sys.stdout.write(json.dumps(answer))


def fields(data: bytes, bounds: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - one signature for both questions
    """Return the filled form fields of a PDF."""
    import io
    import logging

    logging.disable(logging.CRITICAL)
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError
    except ImportError:
        return {"problem": "PDF forms are read with the extra [written]: pip install 'attention-grader[written]'."}
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            return {"problem": "the PDF is protected with a password. Hand it in without one."}
        found = (reader.get_fields() or {}).items()
    except DependencyError:  # pypdf decrypts with a library that is not needed otherwise
        return {"problem": "the PDF is protected with a password. Hand it in without one."}
    kinds = {"/Tx": "", "/Ch": "/", "/Btn": "/"}  # what is chosen is a name, which begins with a stroke
    values = [
        [str(name).rpartition(".")[2], str(field.value).lstrip(kinds[field["/FT"]])]
        for name, field in found
        if field.get("/FT") in kinds and field.value not in (None, "/Off", "")
    ]
    return {"fields": values}


def pages(data: bytes, bounds: dict[str, Any]) -> dict[str, Any]:
    """Return the visible text of each page, text that no reader can see, and how much of it is pictures."""
    try:
        import pypdfium2 as pdfium
    except ImportError:
        return {"problem": "reports are read with the extra [written]: pip install 'attention-grader[written]'."}
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            return {"problem": "the PDF is protected with a password. Hand it in without one."}
        return {"problem": "the PDF is cut off or broken and cannot be opened. Export it again."}
    count = len(document)
    if not count:
        return {"problem": "the PDF has no pages. Export it again."}
    if count > bounds["pages"]:
        return {"problem": f"the PDF has {count} pages; at most {bounds['pages']} are read.", "count": count}
    return {"count": count, "pages": [_page(document[index]) for index in range(count)]}


def _page(page: Any) -> dict[str, Any]:
    from pypdfium2 import raw

    width, height = page.get_size()
    text_page = page.get_textpage()
    text, pictures, paths = text_page.get_text_bounded(), 0.0, 0
    lines = _lines(page, text_page)
    hidden = _hidden(page, text_page, [letter for line in lines for letter in line])
    for number, item in enumerate(page.get_objects(max_depth=4)):
        if number > MOST_OBJECTS:
            break
        if item.type == raw.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = item.get_bounds()
            pictures += max(0.0, right - left) * max(0.0, top - bottom)
        elif item.type == raw.FPDF_PAGEOBJ_PATH:
            paths += 1
    for own in hidden:
        text = text.replace(own, " ", 1)
    return {
        "text": text,
        "characters": len(text.strip()),
        "hidden": [own[:300] for own in hidden[:20]],
        "pictures": round(min(1.0, pictures / max(1.0, width * height)), 3),
        "paths": paths,
        "headings": _headings(lines),
        "lines": [[_said(line), *_around(line)] for line in lines if _said(line)][:MOST_LINES],
    }


# ------------------------------------------------------------------------------------------------ letters and lines

MOST_LETTERS, MOST_LINES, MOST_OBJECTS = 60_000, 2000, 20_000
"""Letters, lines and objects of one page that are looked at."""
SIDE = 10_000
"""Steps of the page's width and height in which places are told."""


class _Letter(NamedTuple):
    """A letter of a page: its sign, its number, its box as shares of the page from above, and how it is set."""

    sign: str
    at: int
    box: tuple[float, float, float, float] | None
    size: float
    bold: bool


def _lines(page: Any, text_page: Any) -> list[list[_Letter]]:
    """Return the letters of a page by line; spaces have no box."""
    from pypdfium2 import raw

    lines: list[list[_Letter]] = [[]]
    bold: dict[bytes, bool] = {}
    for at in range(min(text_page.count_chars(), MOST_LETTERS)):
        code = raw.FPDFText_GetUnicode(text_page.raw, at)
        sign = chr(code) if code < 0xD800 or 0xDFFF < code <= 0x10FFFF else ""  # noqa: PLR2004 - half a character
        if sign in {"\r", "\n"}:
            lines.append([])
            continue
        name = _font(text_page, at)
        if name not in bold:
            bold[name] = BOLD.search(name.decode("utf-8", "replace")) is not None
        size = raw.FPDFText_GetFontSize(text_page.raw, at)
        box = None if sign.isspace() else _box(page, text_page, at)
        lines[-1].append(_Letter(sign, at, box, size, bold[name]))
    return lines


def _font(text_page: Any, at: int) -> bytes:
    import ctypes

    from pypdfium2 import raw

    name, flags = ctypes.create_string_buffer(80), ctypes.c_int()
    known = raw.FPDFText_GetFontInfo(text_page.raw, at, name, 80, flags)
    return name.value if 0 < known <= 80 else b""  # noqa: PLR2004 - the buffer


def _box(page: Any, text_page: Any, at: int) -> tuple[float, float, float, float] | None:
    """Return left, top, right, bottom of a letter as shares of the page as shown, whatever its crop and rotation."""
    import ctypes

    from pypdfium2 import raw

    left, right, bottom, top = edges = [ctypes.c_double() for _ in range(4)]
    known = raw.FPDFText_GetCharBox(text_page.raw, at, *edges)
    if not known or (right.value <= left.value and top.value <= bottom.value):  # a space
        return None
    x, y = ctypes.c_int(), ctypes.c_int()
    corners = []
    for across, down in ((left, bottom), (right, top)):
        raw.FPDF_PageToDevice(page.raw, 0, 0, SIDE, SIDE, 0, across.value, down.value, x, y)
        corners.append((x.value / SIDE, y.value / SIDE))
    (x0, y0), (x1, y1) = corners
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def _said(letters: Iterable[_Letter]) -> str:
    return "".join(letter.sign for letter in letters).strip()


def _around(letters: Iterable[_Letter]) -> tuple[float, float, float, float]:
    """Return the box around letters: one that nothing lies in where none has a place."""
    boxes = [letter.box for letter in letters if letter.box] or [(1.0, 1.0, 0.0, 0.0)]
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


# --------------------------------------------------------------------------------------------------------- headings

LARGER = 1.12
"""How much larger than the text of its page a heading is set, unless it is bold."""
LONGEST_HEADING, MOST_HEADINGS = 12, 60
"""Words of one, and how many are told."""
BOLD = re.compile(r"bold|black|heavy|semibold|demi|CMBX|SFBX|CMSSBX|-Bd", re.IGNORECASE)
MOSTLY = 0.9


def _headings(lines: Iterable[list[_Letter]]) -> list[str]:
    """Return the lines that are set larger than the text, or bold: what a reader takes for headings."""
    lines = list(lines)
    sizes = Counter(round(letter.size, 1) for line in lines for letter in line if letter.sign.isalpha())
    usual = sizes.most_common(1)[0][0] if sizes else 0.0
    found: list[str] = []
    before = ""
    for line in lines:
        before = _as_heading(line, usual, goes_on=bool(before))
        found += [before] if before else []
    return found[:MOST_HEADINGS]


def _as_heading(line: list[_Letter], usual: float, *, goes_on: bool) -> str:
    """Return the text of a line that is a heading, or goes on with one; empty for any other."""
    text, letters = _said(line), [letter for letter in line if letter.sign.isalpha()]
    if not letters or len(text.split()) > LONGEST_HEADING or text[-1] in ".,;" or not re.search(r"[^\W\d_]{3}", text):
        return ""
    larger = sum(letter.size > usual * LARGER for letter in letters) >= MOSTLY * len(letters)
    bold = sum(letter.bold for letter in letters) >= MOSTLY * len(letters)
    first = next(letter for letter in text if letter.isalnum())
    formula = "=" in text or re.search(r"\w\(", text) or text.count("(") != text.count(")")
    return text if (larger or bold) and not formula and (goes_on or not first.islower()) else ""


# ------------------------------------------------------------------------------------------------------ hidden text

SMALLEST = 2.0
"""Points: smaller letters are not read by anybody."""
SMALL_BOX = 6
"""Pixels."""
CONTRAST = 12
"""Steps of grey, of 256, that letters have to differ from what they stand on."""


def _hidden(page: Any, text_page: Any, letters: Iterable[_Letter]) -> list[str]:
    """Return the stretches of text that nobody can see: too small, invisible, off the page or without contrast.

    Boxes are those of the letters on the page, so that text inside an included figure is where it is seen.
    """
    import ctypes

    from pypdfium2 import raw

    picture = page.render(scale=min(1.5, LARGEST_SIDE / max(*page.get_size(), 1.0)), grayscale=True)
    grey = bytes(picture.buffer)
    rows = [grey[y * picture.stride : y * picture.stride + picture.width] for y in range(picture.height)]
    runs: dict[int, tuple[Any, list[_Letter]]] = {}
    for letter in letters:
        if letter.box and (item := raw.FPDFText_GetTextObject(text_page.raw, letter.at)):
            runs.setdefault(ctypes.addressof(item.contents), (item, []))[1].append(letter)
    found = []
    for item, own in runs.values():
        text = _text_of(item, text_page)
        if len(text.strip()) > 1 and (_too_small(text_page, own[0].at) or _unseen(item, _around(own), rows)):
            found.append(text)
    return found


def _too_small(text_page: Any, at: int) -> bool:
    """Say whether a letter is too small to read; letters on their side are as high as they are wide."""
    import ctypes

    from pypdfium2 import raw

    box = raw.FS_RECTF()
    known = raw.FPDFText_GetLooseCharBox(text_page.raw, at, ctypes.byref(box))
    return bool(known) and max(abs(box.top - box.bottom), abs(box.right - box.left)) < SMALLEST


def _unseen(item: Any, box: tuple[float, float, float, float], rows: list[bytes]) -> bool:
    """Say whether letters are set invisible, or do not differ from what they stand on in the picture of the page."""
    from pypdfium2 import raw

    if raw.FPDFTextObj_GetTextRenderMode(item) == raw.FPDF_TEXTRENDERMODE_INVISIBLE:
        return True
    width, height = len(rows[0]), len(rows)
    left, top, right, bottom = (int(share * side) for share, side in zip(box, (width, height) * 2, strict=True))
    if right - left > SMALL_BOX and bottom - top > SMALL_BOX:  # what lies on the edge belongs to the neighbours
        left, top, right, bottom = left + 1, top + 1, right - 2, bottom - 2
    seen = [row[max(0, left) : max(0, right + 1)] for row in rows[max(0, top) : max(0, bottom + 1)]]
    seen = [row for row in seen if row]
    return not seen or max(map(max, seen)) - min(map(min, seen)) < CONTRAST


def _text_of(item: Any, text_page: Any) -> str:
    import ctypes

    from pypdfium2 import raw

    size = raw.FPDFTextObj_GetText(item, text_page.raw, None, 0)
    if size <= 2:  # noqa: PLR2004 - the closing zero alone
        return ""
    buffer = ctypes.create_string_buffer(size)
    raw.FPDFTextObj_GetText(item, text_page.raw, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace")


# ----------------------------------------------------------------------------------------------------------- strips

LARGEST_SIDE = 1600
"""Pixels: a page may be as large as a field."""
STRIP_SCALE = 1.6
MOST_STRIPS = 20


def strips(data: bytes, bounds: dict[str, Any]) -> dict[str, Any]:
    """Return strips of pages as pictures: each page, counted from 1, from one share of its height to another."""
    import base64

    import pypdfium2 as pdfium

    document = pdfium.PdfDocument(data)
    found = []
    for number, above, below in bounds["strips"][:MOST_STRIPS]:
        page = document[number - 1]
        scale = min(STRIP_SCALE, LARGEST_SIDE / max(*page.get_size(), 1.0))
        picture = page.render(scale=scale, grayscale=True)
        first, last = int(above * picture.height), max(int(below * picture.height), int(above * picture.height) + 1)
        grey, stride = bytes(picture.buffer), picture.stride
        rows = [grey[y * stride : y * stride + picture.width] for y in range(first, min(last, picture.height))]
        found.append(base64.b64encode(png(rows)).decode())
    return {"strips": found}


def png(rows: list[bytes]) -> bytes:
    """Return rows of grey, a byte a pixel, as a PNG of sixteen shades."""
    import struct
    import zlib

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    width = len(rows[0])
    packed = bytearray()
    for row in rows:
        even = row + b"\xff" * (width % 2)
        packed += b"\0" + bytes((a & 0xF0) | (b >> 4) for a, b in zip(even[::2], even[1::2], strict=True))
    head = struct.pack(">IIBBBBB", width, len(rows), 4, 0, 0, 0, 0)
    signature = b"\x89PNG\r\n\x1a\n"
    return signature + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(packed), 9)) + chunk(b"IEND", b"")


if __name__ == "__main__":
    main()
