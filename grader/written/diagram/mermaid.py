"""Mermaid flow charts: boxes in any brackets, chains of arrows, labels on arrows, subgraphs; as a graph."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

MOST_BOXES, MOST_ARROWS = 400, 2000


class UnreadableDiagramError(Exception):
    """The text is no diagram that is read; its text says why."""


class Arrow(NamedTuple):
    """An arrow from one box to another, with what is written on it."""

    start: str
    end: str
    label: str = ""


@dataclass(slots=True)
class Graph:
    """Boxes by id with their labels, and arrows."""

    labels: dict[str, str] = field(default_factory=dict)
    arrows: list[Arrow] = field(default_factory=list)

    def box(self, name: str, label: str = "") -> str:
        """Add a box, or its label to one that is known; returns its id. Raises UnreadableDiagramError for too many."""
        if name not in self.labels and len(self.labels) >= MOST_BOXES:
            raise UnreadableDiagramError("it has more boxes than one layer needs")
        if label or name not in self.labels:
            self.labels[name] = " ".join(label.split()) or name
        return name

    def arrow(self, start: str, end: str, label: str = "") -> None:
        """Add an arrow between boxes; raises UnreadableDiagramError where there are too many."""
        if len(self.arrows) >= MOST_ARROWS:
            raise UnreadableDiagramError("it has more arrows than one layer needs")
        self.arrows.append(Arrow(start, end, " ".join(label.split())))

    def after(self, name: str) -> list[str]:
        """Return where arrows from a box lead."""
        return [arrow.end for arrow in self.arrows if arrow.start == name]

    def before(self, name: str) -> list[str]:
        """Return where arrows into a box come from."""
        return [arrow.start for arrow in self.arrows if arrow.end == name]

    def walk(
        self, starts: Iterable[str], through: Callable[[str], object], *, backwards: bool = False
    ) -> Iterator[str]:
        """Yield every box that arrows lead to from ``starts``, the nearest first, and on ``through`` some of them."""
        step = self.before if backwards else self.after
        waiting = [end for start in starts for end in step(start)]
        seen: set[str] = set()
        for name in waiting:
            if name not in seen:
                seen.add(name)
                yield name
                waiting += step(name) if through(name) else []

    def reached(self, starts: Iterable[str], *, backwards: bool = False, without: Iterable[str] = ()) -> set[str]:
        """Return every box that arrows lead to from ``starts``, which are left out unless a circle leads back."""
        closed = set(without)
        return {*self.walk(starts, lambda name: name not in closed, backwards=backwards)} - closed


_HEAD = re.compile(r"^\s*(?:graph|flowchart(?:-elk)?)\b")
_IGNORED = re.compile(
    r"^\s*(?:%%|classDef\b|class\b|style\b|linkStyle\b|click\b|direction\b"
    r"|end\b|acc(?:Title|Descr)|---\s*$|title\b)"
)
_SUBGRAPH = re.compile(r"\s*subgraph\b\s*(?P<name>[\w.-]+)?\s*(?:\[?\"?(?P<title>[^\]\"]*))?")
_LONG_LABEL = re.compile(r"\"`[^`\"]{0,300}`\"")
_NEW_SHAPE = re.compile(r"\s*@\{(?P<inside>(?:[^{}\"]|\"[^\"]*\")*)\}")
_NAME = re.compile(r"\s*([^\s\[\](){}<>|&;:@\"'=.-](?:[^\s\[\](){}<>|&;:@\"'=.-]|-(?![-.>=]))*)")
_CLASS = re.compile(r":::\w+")
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
    groups: set[str] = set()
    for line in lines:
        if group := _SUBGRAPH.match(line):
            groups.add(group["name"] or group["title"] or "")
        elif not _HEAD.match(line) and not _IGNORED.match(line):
            _chain(line, graph)
    if groups & set(graph.labels):
        raise UnreadableDiagramError("its arrows lead to or from a subgraph")
    return graph


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


def _chain(line: str, graph: Graph) -> None:
    """Read ``A[x] & B --> C -->|label| D``; what cannot be read ends the line."""
    group, at = _group(line, 0, graph)
    while group and (link := _LINK.match(line, at)):
        following, at = _group(line, link.end(), graph)
        for start, end in product(group, following):
            graph.arrow(start, end, (link["middle"] or link["bar"] or "").strip('" '))
        group = following


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
            quote = line.find('"', start + 1) if line.startswith('"', start) else 0
            end = line.find(closing, quote if quote > 0 else start)
            if end < 0:
                break
            return line[start:end].strip('" '), _past_class(line, end + len(closing))
    return "", _past_class(line, at)


def _past_class(line: str, at: int) -> int:
    named = _CLASS.match(line, at)
    return named.end() if named else at
