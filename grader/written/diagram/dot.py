"""Graphviz DOT: nodes, edges and chains, labels, subgraphs. Attributes other than labels do not matter."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from itertools import product

from grader.written.diagram.graph import Graph, UnreadableDiagramError

_TOKEN = re.compile(
    r"\s+|//[^\n]*|/\*.*?\*/|^\#[^\n]*"
    r"|(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<mark>->|--|[{}\[\];,=:])"
    r"|(?P<name>-?(?:\.\d+|\d+(?:\.\d*)?)|[^\W\d]\w*)|(?P<markup><)",
    re.DOTALL | re.MULTILINE,
)
_DEEPEST = 30


def read(text: str) -> Graph:
    """Return the graph. Raises UnreadableDiagramError where the text is no DOT."""
    tokens = _tokens(text)
    at = next((index for index, mark in enumerate(tokens) if mark == "{"), None)
    words = {word.lower() for word in tokens[: at or 0]}
    if re.search(r"\bdir\s*=\s*\"?back\b", text):
        raise UnreadableDiagramError("its arrows are turned round by dir=back")
    if at is None or not words & {"digraph", "graph"}:
        raise UnreadableDiagramError("it does not start with digraph")
    graph = Graph()
    _statements(tokens, at + 1, graph, 0)
    return graph


def _tokens(text: str) -> list[str]:
    """Return names, strings (with a leading quote) and marks."""
    found: list[str] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if not match:
            raise UnreadableDiagramError(f"“{text[at : at + 10]}” is not read")
        at = match.end()
        if match["markup"]:
            depth, start = 1, at
            while at < len(text) and depth:
                depth += {"<": 1, ">": -1}.get(text[at], 0)
                at += 1
            found.append('"' + html.unescape(re.sub(r"<[^<>]*>", " ", text[start : at - 1])))
        elif match["string"]:
            inner = match["string"][1:-1].replace('\\"', '"')
            found.append('"' + re.sub(r"\\[nlr]", " ", inner))
        elif match["mark"] or match["name"]:
            found.append(match["mark"] or match["name"])
    return found


def _statements(tokens: Sequence[str], at: int, graph: Graph, depth: int) -> tuple[list[str], int]:
    """Read up to the closing brace; return the boxes met and where to go on."""
    if depth > _DEEPEST:
        raise UnreadableDiagramError("it is nested too deeply")
    met: list[str] = []
    while at < len(tokens) and tokens[at] != "}":
        if tokens[at] in {";", ","}:
            at += 1
            continue
        ends, at = _ends(tokens, at, graph, depth)
        met += ends
        while at < len(tokens) and tokens[at] in {"->", "--"}:
            following, at = _ends(tokens, at + 1, graph, depth)
            met += following
            before, ends = ends, following
            label, _ = _attributes(tokens, at)
            for start, end in product(before, following):
                graph.arrow(start, end, label)
        label, at = _attributes(tokens, at)
        of_arrow = any(a.end in ends and a.label == label for a in graph.arrows)
        if label and len(ends) == 1 and not of_arrow:
            graph.box(ends[0], label)
    return met, at + 1


def _ends(tokens: Sequence[str], at: int, graph: Graph, depth: int) -> tuple[list[str], int]:
    """Read one end of an edge: a node (with a port), or a group in braces; settings give none."""
    if at >= len(tokens):
        return [], at
    word = tokens[at]
    if word.lower() == "subgraph":
        at += 1
        if at < len(tokens) and tokens[at] != "{":
            at += 1
        word = tokens[at] if at < len(tokens) else ""
    if word == "{":
        return _statements(tokens, at + 1, graph, depth + 1)
    at += 1
    if word.lower() in {"node", "edge", "graph"} or word in {"[", "]", "=", ":"}:
        _, at = _attributes(tokens, at)
        return [], at
    if at + 1 < len(tokens) and tokens[at] == "=":  # rankdir=LR
        return [], at + 2
    while at + 1 < len(tokens) and tokens[at] == ":":
        at += 2
    return [graph.box(word.lstrip('"'))], at


def _attributes(tokens: Sequence[str], at: int) -> tuple[str, int]:
    """Read ``[label="x", shape=box]``; return the label and where to go on."""
    label = ""
    while at < len(tokens) and tokens[at] == "[":
        at += 1
        while at < len(tokens) and tokens[at] != "]":
            if tokens[at].lower() in {"label", "xlabel"} and at + 2 < len(tokens) and tokens[at + 1] == "=":
                label = label or tokens[at + 2].lstrip('"')
                at += 2
            at += 1
        at += 1
    return label, at
