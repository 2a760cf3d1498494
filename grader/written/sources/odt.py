"""LibreOffice Writer's own files: paragraphs, headings and formula objects; nothing is unpacked to disk."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree as ET

from grader.written.paper import Block
from grader.written.sources.docx import MAX_XML, UnreadableSourceError, parse_xml
from grader.written.sources.listed import form_of, gathered, typed
from grader.written.sources.mathml import Node, to_latex

OASIS = "{urn:oasis:names:tc:opendocument:xmlns:"
TEXT, DRAW, STYLE, OFFICE = (f"{OASIS}{name}:1.0}}" for name in ("text", "drawing", "style", "office"))
FO = f"{OASIS}xsl-fo-compatible:1.0}}"
HREF = "{http://www.w3.org/1999/xlink}href"
MOST_OBJECTS = 300
LARGEST_OBJECT = 1 << 20
SMALLEST = 2.0
"""Points."""
_DEEPEST = 80
_LEFT_OUT = frozenset(
    {TEXT + "tracked-changes", OFFICE + "annotation", TEXT + "hidden-text", TEXT + "hidden-paragraph"}
)
"""What was deleted, said beside the text or hidden."""


def read(data: bytes) -> tuple[Block, ...]:
    """Return the blocks of an .odt. Raises UnreadableSourceError."""
    root, objects = opened(data)
    return tuple(gathered(_blocks(root, objects, hidden_styles(root))))


def opened(data: bytes) -> tuple[ET.Element, Mapping[str, bytes]]:
    """Return the content of an .odt and its formula objects by name. Raises UnreadableSourceError."""
    if not data.strip():
        raise UnreadableSourceError("the file is empty")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            raw = _member(archive, "content.xml", MAX_XML)
            names = [n for n in archive.namelist() if re.fullmatch(r"[^/]{1,100}/content\.xml", n)][:MOST_OBJECTS]
            objects = {name.partition("/")[0]: _member(archive, name, LARGEST_OBJECT) for name in names}
    except KeyError:
        raise UnreadableSourceError("it is no Writer document") from None
    except UnreadableSourceError:
        raise
    except Exception:  # noqa: BLE001 - a broken archive makes zipfile raise nearly anything
        raise UnreadableSourceError("it is broken") from None
    return parse_xml(raw), objects


def _member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    with archive.open(name) as file:
        raw = file.read(most + 1)
    if len(raw) > most:
        raise UnreadableSourceError(f"its text has more than {most >> 20} MB")
    return raw


def hidden_styles(root: ET.Element) -> frozenset[str]:
    """Return the styles that make text white, tiny or not displayed."""
    found = set()
    for style in root.iter(STYLE + "style"):
        for looks in style.iter(STYLE + "text-properties"):
            size = re.fullmatch(r"([\d.]{1,8})pt", looks.get(FO + "font-size", ""))
            white = looks.get(FO + "color", "").lower() == "#ffffff"
            if white or looks.get(TEXT + "display") == "none" or (size and float(size[1]) < SMALLEST):
                found.add(style.get(STYLE + "name", ""))
    return frozenset(found)


def _blocks(root: ET.Element, objects: Mapping[str, bytes], hidden: frozenset[str]) -> Iterator[Block]:
    body = root.find(OFFICE + "body")
    for paragraph in _paragraphs(root if body is None else body):
        words: list[str] = []
        if paragraph.get(TEXT + "style-name", "") in hidden:
            continue
        for block, text in _inside(paragraph, objects, hidden):
            if block:
                yield block
            words.append(text)
        whole = "".join(words).strip()
        if "\n" in whole and form_of(whole):
            yield Block("diagram", typed(whole), form_of(whole))
            continue
        text = " ".join(whole.split())
        if text:
            level = paragraph.get(TEXT + "outline-level", "")
            yield Block("heading", text, level) if paragraph.tag == TEXT + "h" else Block("text", text)


def _paragraphs(node: ET.Element, depth: int = 0) -> Iterator[ET.Element]:
    for child in node:
        if child.tag in _LEFT_OUT or depth > _DEEPEST:
            continue
        if child.tag in {TEXT + "p", TEXT + "h"}:
            yield child
        yield from _paragraphs(child, depth + 1)


def _inside(
    node: ET.Element, objects: Mapping[str, bytes], hidden: frozenset[str], depth: int = 0
) -> Iterator[tuple[Block | None, str]]:
    """Yield formulas and pictures with what they leave in the text, and the words between; text boxes come alone."""
    yield None, node.text or ""
    drawn = False
    for child in node:
        if child.tag == DRAW + "object":
            formula = _formula(objects.get(child.get(HREF, "").removeprefix("./"), b""))
            drawn = True
            yield (Block("formula", formula) if formula else None), f" {formula} "
        elif child.tag == DRAW + "image":
            if not drawn:  # beside a formula stands its picture
                yield Block("picture", child.get(HREF, "")[:200]), " "
        elif child.tag in {TEXT + "s", TEXT + "tab", TEXT + "line-break"}:
            yield None, "\n" if child.tag == TEXT + "line-break" else " "
        elif _belongs(child, hidden) and depth < _DEEPEST:
            yield from _inside(child, objects, hidden, depth + 1)
        yield None, child.tail or ""


def line_of(paragraph: ET.Element, objects: Mapping[str, bytes], hidden: frozenset[str]) -> str:
    """Return a paragraph as a line of Markdown, its formulas between dollars."""
    if paragraph.get(TEXT + "style-name", "") in hidden:
        return ""
    inside = _inside(paragraph, objects, hidden)
    words = [f" ${text.strip()}$ " if block and block.kind == "formula" else text for block, text in inside]
    text = "".join(words).strip()
    return f"## {text}" if text and paragraph.tag == TEXT + "h" else text


def _belongs(node: ET.Element, hidden: frozenset[str]) -> bool:
    """Whether what is inside an element is seen, and in this paragraph."""
    return node.tag not in {TEXT + "p", TEXT + "h", *_LEFT_OUT} and node.get(TEXT + "style-name", "") not in hidden


def _formula(raw: bytes) -> str:
    if not raw:
        return ""
    try:
        root = parse_xml(raw)
    except UnreadableSourceError:
        return ""
    return to_latex(_node(root)).strip() if root.tag.rpartition("}")[2] == "math" else ""


def _node(element: ET.Element, depth: int = 0) -> Node:
    inside = [_node(child, depth + 1) for child in element] if depth < _DEEPEST else []
    return Node(element.tag.rpartition("}")[2], element.text or "", inside)
