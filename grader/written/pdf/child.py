"""The child process: reads one PDF from its input and writes JSON. Run by its path; imports nothing of the grader."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from typing import Any


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
        found = reader.get_form_text_fields() or {}
        values = [[str(name).rpartition(".")[2], str(value)] for name, value in found.items() if value]
        chosen = reader.get_fields() or {}
        values += [
            [str(name).rpartition(".")[2], str(field.value).lstrip("/")]
            for name, field in chosen.items()
            if field.get("/FT") in {"/Ch", "/Btn"} and field.value not in {None, "/Off", ""}
        ]
    except MemoryError:
        raise
    except DependencyError:  # pypdf decrypts with a library that is not needed otherwise
        return {"problem": "the PDF is protected with a password. Hand it in without one."}
    except Exception as error:  # noqa: BLE001 - whatever a broken PDF does to its reader
        return {"problem": f"the PDF is broken ({type(error).__name__}). Export it again."}
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
    hidden = _hidden(page, text_page)
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
        "headings": _headings(text_page),
        "lines": _lines(page, text_page),
    }


MOST_LINES = 2000


def _lines(page: Any, text_page: Any) -> list[list[Any]]:
    """Return the lines of a page: text, and left, top, right, bottom as shares of the page as it is shown."""
    import ctypes

    from pypdfium2 import raw

    side = 10_000
    edges = [ctypes.c_double() for _ in range(4)]
    x, y = ctypes.c_int(), ctypes.c_int()
    found: list[list[Any]] = []
    letters: list[str] = []
    box = [side, side, 0, 0]
    for at in range(min(text_page.count_chars(), MOST_LETTERS)):
        code = raw.FPDFText_GetUnicode(text_page.raw, at)
        letter = chr(code) if code < 0xD800 or 0xDFFF < code <= 0x10FFFF else ""  # noqa: PLR2004 - half a character
        if letter in "\r\n":
            if "".join(letters).strip() and len(found) < MOST_LINES:
                found.append(["".join(letters).strip(), *(round(edge / side, 4) for edge in box)])
            letters, box = [], [side, side, 0, 0]
            continue
        letters.append(letter)
        if letter.isspace() or not raw.FPDFText_GetCharBox(text_page.raw, at, *edges):
            continue
        left, right, bottom, top = (edge.value for edge in edges)
        for across, down in ((left, bottom), (right, top)):
            raw.FPDF_PageToDevice(page.raw, 0, 0, side, side, 0, across, down, x, y)
            box = [min(box[0], x.value), min(box[1], y.value), max(box[2], x.value), max(box[3], y.value)]
    if "".join(letters).strip():
        found.append(["".join(letters).strip(), *(round(edge / side, 4) for edge in box)])
    return found


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


LARGER = 1.12
"""How much larger than the text of its page a heading is set, unless it is bold."""
LONGEST_HEADING = 12
"""Words."""
MOST_HEADINGS = 60
BOLD = re.compile(r"bold|black|heavy|semibold|demi|CMBX|SFBX|CMSSBX|-Bd", re.IGNORECASE)
MOSTLY = 0.9


def _headings(text_page: Any) -> list[str]:
    """Return the lines that are set larger than the text, or bold: what a reader takes for headings."""
    lines: list[list[tuple[str, float, bool]]] = [[]]
    bold: dict[bytes, bool] = {}
    for at in range(min(text_page.count_chars(), MOST_LETTERS)):
        letter, size, name = _letter(text_page, at)
        if letter in "\r\n":
            lines.append([])
        elif letter:
            if name not in bold:
                bold[name] = BOLD.search(name.decode("utf-8", "replace")) is not None
            lines[-1].append((letter, size, bold[name]))
    sizes = Counter(round(size, 1) for line in lines for letter, size, _ in line if letter.isalpha())
    usual = sizes.most_common(1)[0][0] if sizes else 0.0
    found: list[str] = []
    before = ""
    for line in lines:
        before = _as_heading(line, usual, goes_on=bool(before))
        found += [before] if before else []
    return found[:MOST_HEADINGS]


def _letter(text_page: Any, at: int) -> tuple[str, float, bytes]:
    import ctypes

    from pypdfium2 import raw

    code = raw.FPDFText_GetUnicode(text_page.raw, at)
    name, flags = ctypes.create_string_buffer(80), ctypes.c_int()
    known = raw.FPDFText_GetFontInfo(text_page.raw, at, name, 80, flags)
    letter = chr(code) if code < 0xD800 or 0xDFFF < code <= 0x10FFFF else ""  # noqa: PLR2004 - half a character
    return letter, raw.FPDFText_GetFontSize(text_page.raw, at), name.value if 0 < known <= 80 else b""  # noqa: PLR2004


def _as_heading(line: list[tuple[str, float, bool]], usual: float, *, goes_on: bool) -> str:
    """Return the text of a line that is a heading, or goes on with one; empty for any other."""
    text = "".join(letter for letter, _, _ in line).strip()
    letters = [(size, bold) for letter, size, bold in line if letter.isalpha()]
    if not letters or len(text.split()) > LONGEST_HEADING or text[-1] in ".,;" or not re.search(r"[^\W\d_]{3}", text):
        return ""
    larger = sum(size > usual * LARGER for size, _ in letters) >= MOSTLY * len(letters)
    bold = sum(bold for _, bold in letters) >= MOSTLY * len(letters)
    first = next(letter for letter in text if letter.isalnum())
    formula = "=" in text or re.search(r"\w\(", text) or text.count("(") != text.count(")")
    return text if (larger or bold) and not formula and (goes_on or not first.islower()) else ""


MOST_OBJECTS = 20_000
MOST_LETTERS = 60_000
"""Letters of one page that are looked at."""
LARGEST_SIDE = 1600
"""Pixels: a page may be as large as a field."""
SMALLEST = 2.0
"""Points: smaller letters are not read by anybody."""
SMALL_BOX = 6
"""Pixels."""
CONTRAST = 12
"""Steps of grey, of 256, that letters have to differ from what they stand on."""


class _Shade:
    """The page as it looks, in grey; tells whether anything can be seen in a box of its pixels."""

    def __init__(self, page: Any) -> None:
        picture = page.render(scale=min(1.5, LARGEST_SIDE / max(*page.get_size(), 1.0)), grayscale=True)
        self.page = page
        self.width, self.height, self.stride = picture.width, picture.height, picture.stride
        self.grey = bytes(picture.buffer)

    def place(self, x: float, y: float) -> tuple[int, int]:
        """Return the pixel of a point of the page, whatever its crop box and rotation."""
        import ctypes

        from pypdfium2 import raw

        across, down = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(self.page.raw, 0, 0, self.width, self.height, 0, x, y, across, down)
        return across.value, down.value

    def contrast(self, box: tuple[int, int, int, int]) -> int:
        """Return the difference between the lightest and the darkest point of a box; 0 outside the page."""
        left, above, right, below = box
        if right - left > SMALL_BOX and below - above > SMALL_BOX:  # what lies on the edge belongs to the neighbours
            left, above, right, below = left + 1, above + 1, right - 2, below - 2
        first, last = max(0, left), min(self.width, right + 1)
        top, bottom = max(0, above), min(self.height, below + 1)
        if first >= last or top >= bottom:
            return 0
        rows = [self.grey[y * self.stride + first : y * self.stride + last] for y in range(top, bottom)]
        return max(map(max, rows)) - min(map(min, rows))


def _hidden(page: Any, text_page: Any) -> list[str]:
    """Return the stretches of text that nobody can see: too small, invisible, off the page or without contrast.

    Boxes are those of the letters on the page, so that text inside an included figure is where it is seen.
    """
    import ctypes

    from pypdfium2 import raw

    shade = _Shade(page)
    runs: dict[int, _Run] = {}
    edges = [ctypes.c_double() for _ in range(4)]
    for at in range(min(text_page.count_chars(), MOST_LETTERS)):
        item = raw.FPDFText_GetTextObject(text_page.raw, at)
        if not item or not raw.FPDFText_GetCharBox(text_page.raw, at, *edges):
            continue
        left, right, bottom, top = (edge.value for edge in edges)
        if right <= left and top <= bottom:  # a space
            continue
        (x0, y0), (x1, y1) = shade.place(left, bottom), shade.place(right, top)
        run = runs.setdefault(ctypes.addressof(item.contents), _Run(item, at))
        run.meet(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
    found = []
    for run in runs.values():
        own = _text_of(run.item, text_page)
        if len(own.strip()) > 1 and _unseen(run, shade, text_page):
            found.append(own)
    return found


class _Run:
    """The letters of one text object: where they are on the picture of the page."""

    def __init__(self, item: Any, first: int) -> None:
        self.item, self.first = item, first
        self.box = (1 << 30, 1 << 30, -(1 << 30), -(1 << 30))

    def meet(self, left: int, above: int, right: int, below: int) -> None:
        """Add a letter's box."""
        a, b, c, d = self.box
        self.box = (min(a, left), min(b, above), max(c, right), max(d, below))


def _unseen(run: _Run, shade: _Shade, text_page: Any) -> bool:
    import ctypes

    from pypdfium2 import raw

    box = raw.FS_RECTF()
    if raw.FPDFText_GetLooseCharBox(text_page.raw, run.first, ctypes.byref(box)):
        sides = abs(box.top - box.bottom), abs(box.right - box.left)
        if max(sides) < SMALLEST:  # letters on their side are as high as they are wide
            return True
    if raw.FPDFTextObj_GetTextRenderMode(run.item) == raw.FPDF_TEXTRENDERMODE_INVISIBLE:
        return True
    return shade.contrast(run.box) < CONTRAST


def _text_of(item: Any, text_page: Any) -> str:
    import ctypes

    from pypdfium2 import raw

    size = raw.FPDFTextObj_GetText(item, text_page.raw, None, 0)
    if size <= 2:  # noqa: PLR2004 - the closing zero alone
        return ""
    buffer = ctypes.create_string_buffer(size)
    raw.FPDFTextObj_GetText(item, text_page.raw, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace")


if __name__ == "__main__":
    main()
