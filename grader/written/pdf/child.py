"""The child process: reads one PDF from its input and writes JSON. Run by its path; imports nothing of the grader."""

from __future__ import annotations

import json
import sys
from typing import Any


def main() -> None:
    """Answer the question of the command line about the PDF on the input."""
    question, bounds = sys.argv[1], json.loads(sys.argv[2])
    sys.path += sys.argv[3:]
    _limit(bounds)
    data = sys.stdin.buffer.read()
    try:
        answer = fields(data, bounds) if question == "fields" else pages(data, bounds)
    except MemoryError:
        answer = {"problem": "reading the PDF takes more memory than allowed; it may be a bomb. A person has to look."}
    except Exception as error:  # noqa: BLE001 - a broken PDF makes its reader raise nearly anything
        answer = {"problem": f"the PDF is broken inside ({type(error).__name__}). Export it again."}
    sys.stdout.write(json.dumps(answer))


def _limit(bounds: dict[str, int]) -> None:
    try:
        import resource
    except ImportError:  # not on this system: the time limit of the parent holds alone
        return
    for name, value in (("RLIMIT_AS", bounds["memory"]), ("RLIMIT_CPU", bounds["seconds"]), ("RLIMIT_FSIZE", 0)):
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
        except (ValueError, OSError):  # macOS refuses RLIMIT_AS
            continue


def fields(data: bytes, bounds: dict[str, int]) -> dict[str, Any]:  # noqa: ARG001 - one signature for both questions
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


def pages(data: bytes, bounds: dict[str, int]) -> dict[str, Any]:
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
    shade = _Shade(page, width, height)
    text, hidden, pictures, paths = text_page.get_text_bounded(), [], 0.0, 0
    for number, item in enumerate(page.get_objects(max_depth=4)):
        if number > MOST_OBJECTS:
            break
        if item.type == raw.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = item.get_bounds()
            pictures += max(0.0, right - left) * max(0.0, top - bottom)
        elif item.type == raw.FPDF_PAGEOBJ_PATH:
            paths += 1
        elif item.type == raw.FPDF_PAGEOBJ_TEXT:
            own = _text_of(item, text_page)
            if len(own.strip()) > 1 and _is_hidden(item, shade, (width, height)):
                hidden.append(own)
    for own in hidden:
        text = text.replace(own, " ", 1)
    return {
        "text": text,
        "characters": len(text.strip()),
        "hidden": [own[:300] for own in hidden[:20]],
        "pictures": round(min(1.0, pictures / max(1.0, width * height)), 3),
        "paths": paths,
    }


MOST_OBJECTS = 20_000
LARGEST_SIDE = 1600
"""Pixels: a page may be as large as a field."""
SMALLEST = 2.0
"""Points: smaller letters are not read by anybody."""
CONTRAST = 12
"""Steps of grey, of 256, that letters have to differ from what they stand on."""


class _Shade:
    """The page as it looks, in grey; tells whether anything can be seen in a box."""

    def __init__(self, page: Any, width: float, height: float) -> None:
        self.scale = min(1.5, LARGEST_SIDE / max(width, height, 1.0))
        picture = page.render(scale=self.scale, grayscale=True)
        self.width, self.height, self.stride = picture.width, picture.height, picture.stride
        self.grey = bytes(picture.buffer)

    def contrast(self, box: tuple[float, float, float, float]) -> int:
        """Return the difference between the lightest and the darkest point of a box given in points."""
        left, bottom, right, top = (value * self.scale for value in box)
        first, last = max(0, int(left)), min(self.width, int(right) + 1)
        above, below = max(0, int(self.height - top)), min(self.height, int(self.height - bottom) + 1)
        if first >= last or above >= below:
            return 0
        rows = [self.grey[y * self.stride + first : y * self.stride + last] for y in range(above, below)]
        return max(map(max, rows)) - min(map(min, rows))


def _text_of(item: Any, text_page: Any) -> str:
    import ctypes

    from pypdfium2 import raw

    size = raw.FPDFTextObj_GetText(item.raw, text_page.raw, None, 0)
    if size <= 2:  # noqa: PLR2004 - the closing zero alone
        return ""
    buffer = ctypes.create_string_buffer(size)
    raw.FPDFTextObj_GetText(item.raw, text_page.raw, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace")


def _is_hidden(item: Any, shade: _Shade, page: tuple[float, float]) -> bool:
    import ctypes

    from pypdfium2 import raw

    left, bottom, right, top = item.get_bounds()
    if right <= 0 or top <= 0 or left >= page[0] or bottom >= page[1]:
        return True
    size = ctypes.c_float()
    raw.FPDFTextObj_GetFontSize(item.raw, size)
    a, b, c, d, *_ = item.get_matrix().get()
    if size.value * max((a * a + b * b) ** 0.5, (c * c + d * d) ** 0.5) < SMALLEST:
        return True
    invisible = raw.FPDFTextObj_GetTextRenderMode(item.raw) == raw.FPDF_TEXTRENDERMODE_INVISIBLE
    return invisible or shade.contrast((left, bottom, right, top)) < CONTRAST


if __name__ == "__main__":
    main()
