"""Word documents: paragraphs, headings and formulas from the file's own XML; nothing is unpacked to disk."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree as ET

from grader.written.paper import Block
from grader.written.sources.listed import form_of, gathered, typed
from grader.written.sources.omml import MATH, to_latex

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
MAX_XML = 20 << 20
_TYPED = re.compile(r"=|softmax|concat|norm\s*\(|max\s*\(", re.IGNORECASE)
"""What makes a paragraph one that may be a formula without Word's equations."""
SMALLEST = 4
"""Half points."""


class UnreadableSourceError(Exception):
    """The source cannot be read; its text says why, for the report."""


def read(data: bytes) -> tuple[Block, ...]:
    """Return the blocks of a .docx. Raises UnreadableSourceError."""
    return tuple(gathered(_blocks(opened(data))))


def opened(data: bytes) -> ET.Element:
    """Return the document of a .docx. Raises UnreadableSourceError."""
    if not data.strip():
        raise UnreadableSourceError("the file is empty")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open("word/document.xml") as file:
            raw = file.read(MAX_XML + 1)
    except KeyError:
        raise UnreadableSourceError("it is no Word document") from None
    except Exception:  # noqa: BLE001 - a broken archive makes zipfile raise nearly anything
        raise UnreadableSourceError("it is broken") from None
    if len(raw) > MAX_XML:
        raise UnreadableSourceError(f"its text has more than {MAX_XML >> 20} MB")
    return parse_xml(raw)


def parse_xml(raw: bytes) -> ET.Element:
    """Parse XML without a document type: entities are how a small file becomes a large one."""
    if b"<!DOCTYPE" in raw.upper() or b"<!ENTITY" in raw.upper():
        raise UnreadableSourceError("it declares entities, which are not read")
    try:
        return ET.fromstring(raw)  # noqa: S314 - no document type, so nothing is expanded
    except (ET.ParseError, ValueError, RecursionError):
        raise UnreadableSourceError("it is broken") from None


def _blocks(root: ET.Element) -> Iterator[Block]:
    for paragraph in root.iter(WORD + "p"):
        words: list[str] = []
        raised = _raised_words(paragraph)
        for node in _walk(paragraph):
            if node.tag == MATH + "oMath":
                formula = to_latex(node)
                yield Block("formula", formula)
                words.append(f" {formula} ")
            elif node.tag == WORD + "t":
                words.append(_raised(node, raised))
            elif node.tag in {WORD + "tab", WORD + "br"}:
                words.append("\n" if node.tag == WORD + "br" else " ")
            elif node.tag == DRAWING + "blip":
                yield Block("picture", "")
        whole = "".join(words).strip()
        if "\n" in whole and form_of(whole):
            yield Block("diagram", typed(whole), form_of(whole))
            continue
        text = " ".join(whole.split())
        if text:
            yield Block("heading", text, _level(paragraph)) if _is_heading(paragraph) else Block("text", text)


def _raised_words(paragraph: ET.Element) -> Mapping[ET.Element, str]:
    """Return the words of a typed formula that are set higher or lower, with the sign of that."""
    words = "".join(node.text or "" for node in paragraph.iter(WORD + "t"))
    if not _TYPED.search(words):
        return {}
    marks = {"superscript": "^", "subscript": "_"}
    found = {}
    for run in paragraph.iter(WORD + "r"):
        place = run.find(f"{WORD}rPr/{WORD}vertAlign")
        mark = "" if place is None else marks.get(place.get(WORD + "val", ""), "")
        found.update({node: mark for node in run.findall(WORD + "t") if mark})
    return found


def _raised(node: ET.Element, raised: Mapping[ET.Element, str]) -> str:
    words = node.text or ""
    return f"{raised[node]}{{{words}}}" if node in raised and words.strip() else words


def _walk(node: ET.Element, depth: int = 0) -> Iterator[ET.Element]:
    """Yield the elements below ``node`` in order, formulas whole; paragraphs inside (text boxes) come on their own."""
    for child in node:
        if child.tag == MATH + "oMath":
            yield child
        elif child.tag == WORD + "r" and _is_hidden(child):
            continue
        elif child.tag != WORD + "p" and depth < 100:  # noqa: PLR2004 - deeper is no document
            yield child
            yield from _walk(child, depth + 1)


def _is_hidden(run: ET.Element) -> bool:
    """Whether a run is marked hidden, or white, or smaller than anybody reads."""
    looks = run.find(WORD + "rPr")
    if looks is None:
        return False
    colour, size = looks.find(WORD + "color"), looks.find(WORD + "sz")
    white = colour is not None and colour.get(WORD + "val", "").upper() == "FFFFFF"
    half_points = "" if size is None else size.get(WORD + "val", "")
    tiny = half_points.isdigit() and int(half_points) < SMALLEST
    return looks.find(WORD + "vanish") is not None or white or tiny


def line_of(paragraph: ET.Element) -> str:
    """Return a paragraph as a line of Markdown, its formulas between dollars."""
    words: list[str] = []
    for node in _walk(paragraph):
        if node.tag == MATH + "oMath":
            words.append(f" ${to_latex(node)}$ ")
        elif node.tag == WORD + "t":
            words.append(node.text or "")
        elif node.tag in {WORD + "tab", WORD + "br"}:
            words.append("\n" if node.tag == WORD + "br" else " ")
    text = "".join(words).strip()
    return f"## {text}" if text and _is_heading(paragraph) else text


def _level(paragraph: ET.Element) -> str:
    """Return the level of a heading from the number in its style's name; empty for a title."""
    style = paragraph.find(f"{WORD}pPr/{WORD}pStyle")
    return "" if style is None else re.sub(r"\D", "", style.get(WORD + "val", ""))[:1]


def _is_heading(paragraph: ET.Element) -> bool:
    style = paragraph.find(f"{WORD}pPr/{WORD}pStyle")
    name = "" if style is None else style.get(WORD + "val", "").lower()
    return name.startswith(("heading", "title", "berschrift", "überschrift", "titel"))
