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
_SUBGRAPH = re.compile(r"\s*subgraph\b\s*(?P<name>[\w.-]+)?\s*(?:\[?\"?(?P<title>[^\]\"]*))?")
_LONG_LABEL = re.compile(r"\"`[^`\"]{0,300}`\"")
_NEW_SHAPE = re.compile(r"\s*@\{(?P<inside>(?:[^{}\"]|\"[^\"]*\")*)\}")
_NAME = re.compile(r"\s*([^\s\[\](){}<>|&;:@\"'=.-](?:[^\s\[\](){}<>|&;:@\"'=.-]|-(?![-.>=]))*)")
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
    inside: dict[str, set[str]] = {}
    open_ones: list[str] = []
    for line in lines:
        if group := _SUBGRAPH.match(line):
            open_ones.append(group["name"] or group["title"] or "")
            inside.setdefault(open_ones[-1], set())
            continue
        if re.match(r"\s*end\s*$", line):
            del open_ones[-1:]
        if _HEAD.match(line) or _IGNORED.match(line):
            continue
        before = set(graph.labels)
        met = _chain(line, graph)
        for name in open_ones:
            inside[name] |= met & (set(graph.labels) - before | met)
    return _without_groups(graph, inside)


def _without_groups(graph: Graph, inside: dict[str, set[str]]) -> Graph:
    """Lead arrows at a subgraph to where it begins and from where it ends."""
    groups = {name: held - set(inside) for name, held in inside.items() if held and name in graph.labels}
    if not groups:
        return graph
    arrows = [(arrow.start, arrow.end, arrow.label) for arrow in graph.arrows]

    def ends(name: str, *, first: bool) -> list[str]:
        held = groups[name]
        linked = {(end if first else start) for start, end, _ in arrows if start in held and end in held}
        return sorted(held - linked) or sorted(held)

    plain = Graph({name: label for name, label in graph.labels.items() if name not in groups})
    for start, end, label in arrows:
        for a in ends(start, first=False) if start in groups else [start]:
            for b in ends(end, first=True) if end in groups else [end]:
                plain.arrow(a, b, label)
    return plain


def _lines(text: str) -> Iterator[str]:
    """Yield statements: a line each, or what semicolons part; one inside quotation marks parts nothing."""
    plain = html.unescape(re.sub(r"#(\w{1,8});", r"&\1;", re.sub(r"<br\s*/?>", " ", text)))
    plain = _LONG_LABEL.sub(lambda found: found.group().replace("\n", " "), plain).replace('"`', '"').replace('`"', '"')
    for line in plain.split("\n"):
        start, quoted = 0, False
        for at, char in enumerate(line):
            if char == '"':
                quoted = not quoted
            elif char == ";" and not quoted:
                yield line[start:at]
                start = at + 1
        yield line[start:]


def _chain(line: str, graph: Graph) -> set[str]:
    """Read ``A[x] & B --> C -->|label| D``; what cannot be read ends the line. Return the boxes met."""
    group, at = _group(line, 0, graph)
    met = set(group)
    while group:
        link = _LINK.match(line, at)
        if not link:
            break
        following, end = _group(line, link.end(), graph)
        for start in group:
            for target in following:
                graph.arrow(start, target, (link["middle"] or link["bar"] or "").strip('" '))
        group, at = following, end
        met |= set(following)
    return met


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
    shape = _NEW_SHAPE.match(line, at)
    if shape:  # A@{ shape: rect, label: "…" }
        told = re.search(r"label\s*:\s*(?:\"([^\"]*)\"|([^,}]*))", shape["inside"])
        return ((told[1] or told[2] or "").strip() if told else ""), shape.end()
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
