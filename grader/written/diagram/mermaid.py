"""Mermaid flow charts: boxes in any brackets, chains of arrows, labels on arrows, subgraphs."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from grader.written.diagram.graph import Graph, UnreadableDiagramError

_HEAD = re.compile(r"^\s*(?:graph|flowchart(?:-elk)?)\b")
_IGNORED = re.compile(
    r"^\s*(?:%%|classDef\b|class\b|style\b|linkStyle\b|click\b|direction\b"
    r"|end\b|acc(?:Title|Descr)|---\s*$|title\b)"
)
_NAME = re.compile(r"\s*([^\s\[\](){}<>|&;:\"'=.-](?:[^\s\[\](){}<>|&;:\"'=.-]|-(?![-.>=]))*)")
_SHAPES = (
    *(("(((", ")))"), ("((", "))"), ("([", "])"), ("[[", "]]"), ("[(", ")]"), ("{{", "}}"), ("[/", "/]")),
    *(("[\\", "\\]"), ("[", "]"), ("(", ")"), ("{", "}"), (">", "]")),
)
_LINK = re.compile(
    r"\s*<?(?:"
    r"(?:--|==|-\.)\s*(?P<middle>\"[^\"]*\"|[^\s\-=.>|ox][^\-=.>|]*?|[ox][^\-=.>|\s][^\-=.>|]*?)"
    r"\s*(?:-{2,}|={2,}|\.+-)[>xo]?"
    r"|(?:-{2,}|={2,}|-\.+-)[>xo]?(?![^\s\[(|\w\"])"
    r"|~{3,})\s*(?:\|(?P<bar>[^|]*)\|)?"
)


def read(text: str) -> Graph:
    """Return the graph. Raises UnreadableDiagramError where the text is no flow chart."""
    graph = Graph()
    lines = [line for line in _lines(text) if line.strip()]
    head = next((line for line in lines if not _IGNORED.match(line)), "")
    if not _HEAD.match(head):
        raise UnreadableDiagramError("it does not start with graph or flowchart")
    for line in lines:
        if _HEAD.match(line) or _IGNORED.match(line):
            continue
        if line.strip().startswith("subgraph"):
            continue
        _chain(line, graph)
    return graph


def _lines(text: str) -> Iterator[str]:
    """Yield statements: a line each, or what semicolons part; one inside quotation marks parts nothing."""
    plain = html.unescape(re.sub(r"#(\w{1,8});", r"&\1;", re.sub(r"<br\s*/?>", " ", text)))
    for line in plain.split("\n"):
        start, quoted = 0, False
        for at, char in enumerate(line):
            if char == '"':
                quoted = not quoted
            elif char == ";" and not quoted:
                yield line[start:at]
                start = at + 1
        yield line[start:]


def _chain(line: str, graph: Graph) -> None:
    """Read ``A[x] & B --> C -->|label| D``; what cannot be read ends the line."""
    group, at = _group(line, 0, graph)
    while group:
        link = _LINK.match(line, at)
        if not link:
            return
        following, end = _group(line, link.end(), graph)
        for start in group:
            for target in following:
                graph.arrow(start, target, (link["middle"] or link["bar"] or "").strip('" '))
        group, at = following, end


def _group(line: str, at: int, graph: Graph) -> tuple[list[str], int]:
    names: list[str] = []
    while True:
        match = _NAME.match(line, at)
        if not match:
            return names, at
        label, at = _label(line, match.end())
        names.append(graph.box(match[1], label))
        more = re.compile(r"\s*&").match(line, at)
        if not more:
            return names, at
        at = more.end()


def _label(line: str, at: int) -> tuple[str, int]:
    for opening, closing in _SHAPES:
        if line.startswith(opening, at):
            start = at + len(opening)
            if line.startswith('"', start) and (quote := line.find('"', start + 1)) > 0:
                end = line.find(closing, quote)
            else:
                end = line.find(closing, start)
            if end < 0:
                break
            tail = re.compile(r":::\w+").match(line, end + len(closing))
            return line[start:end].strip('" '), tail.end() if tail else end + len(closing)
    tail = re.compile(r":::\w+").match(line, at)
    return "", tail.end() if tail else at
