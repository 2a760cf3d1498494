"""draw.io files: boxes and connectors from their XML, plain or compressed."""

from __future__ import annotations

import base64
import binascii
import html
import re
import urllib.parse
import zlib
from xml.etree.ElementTree import Element, ParseError, fromstring

from grader.written.diagram.graph import Graph, UnreadableDiagramError

MAX_BYTES = 4 << 20


def read(text: str) -> Graph:
    """Return the graph of the first page. Raises UnreadableDiagramError."""
    root = _parsed(text.encode())
    if root.tag == "mxfile":
        page = root.find("diagram")
        if page is None:
            raise UnreadableDiagramError("it has no page")
        inner = page.find("mxGraphModel")
        root = inner if inner is not None else _parsed(_inflated(page.text or ""))
    if root.tag != "mxGraphModel":
        raise UnreadableDiagramError("it is no draw.io file")
    return _graph(root)


def _parsed(raw: bytes) -> Element:
    """Parse XML without a document type: entities are how a small file becomes a large one."""
    if b"<!DOCTYPE" in raw.upper() or b"<!ENTITY" in raw.upper():
        raise UnreadableDiagramError("it declares entities, which are not read")
    try:
        return fromstring(raw)  # noqa: S314 - no document type, so nothing is expanded
    except (ParseError, ValueError, RecursionError):
        raise UnreadableDiagramError("it is broken") from None


def _inflated(text: str) -> bytes:
    try:
        packed = base64.b64decode(text.strip(), validate=True)
        inflater = zlib.decompressobj(-15)
        plain = inflater.decompress(packed, MAX_BYTES)
    except (binascii.Error, zlib.error, ValueError):
        raise UnreadableDiagramError("its page cannot be unpacked") from None
    if inflater.unconsumed_tail:
        raise UnreadableDiagramError("its page is larger than a diagram")
    return urllib.parse.unquote(plain.decode("utf-8", "replace")).encode()


def _graph(root: Element) -> Graph:
    graph = Graph()
    cells: list[tuple[str, str, Element]] = []
    for node in root.iter():
        cell = node.find("mxCell") if node.tag in {"object", "UserObject"} else node if node.tag == "mxCell" else None
        if cell is not None and (node.tag != "mxCell" or cell.get("id")):
            cells.append((node.get("id", ""), _words(node.get("label") or node.get("value") or ""), cell))
    on_arrows: dict[str, str] = {}
    arrows = {name for name, _, cell in cells if cell.get("edge") == "1"}
    for name, label, cell in cells:
        if cell.get("vertex") == "1" and cell.get("parent") in arrows:
            on_arrows[cell.get("parent", "")] = label  # a label that hangs on a connector
        elif cell.get("vertex") == "1" and label:
            graph.box(name, label)
    for name, label, cell in cells:
        start, end = cell.get("source"), cell.get("target")
        if name in arrows and start in graph.labels and end in graph.labels and start and end:
            graph.arrow(start, end, label or on_arrows.get(name, ""))
    return graph


def _words(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^<>]*>", " ", markup)).split())
