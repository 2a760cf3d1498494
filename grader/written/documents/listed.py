"""Text of a diagram that is listed in a report: told by how it begins, whatever it is set in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from grader.written.paper import Block

_START = re.compile(
    r"(?:%%[^\n]{0,200}\n\s{0,20}){0,5}"
    r"(?:(?:flowchart|graph)\s+(?:TB|TD|BT|LR|RL)\b|(?P<dot>(?:strict\s+)?(?:di)?graph\b[^{\n]{0,80}\{))"
)
_GOES_ON = re.compile(
    r"-->|---|==>|\.->|->|--|[\[\]{}]|^(?:subgraph|end|style|classDef|class|linkStyle|direction|rankdir|node|edge|%%|//)\b"
)
_AUTOCORRECTED = {"→": "-->", "–>": "-->", "—>": "-->", "“": '"', "”": '"', "„": '"', "\u00a0": " "}
MOST_LINES = 200


def form_of(text: str) -> str:
    """Return what a listing is written in, mermaid or dot; empty for any other text."""
    start = _START.match(text.lstrip())
    return "" if start is None else "dot" if start["dot"] else "mermaid"


def gathered(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks with the lines of a diagram, each a paragraph of its own in a word processor, put together."""
    lines: list[str] = []
    for block in blocks:
        goes_on = block.kind == "text" and (_GOES_ON.search(typed(block.text)) if lines else form_of(block.text))
        if goes_on and len(lines) < MOST_LINES:
            lines.append(typed(block.text))
            continue
        if lines:
            yield from _listing(lines)
            lines = []
        yield block
    if lines:
        yield from _listing(lines)


def typed(text: str) -> str:
    """Return a line with the signs that a word processor made others of."""
    for made, sign in _AUTOCORRECTED.items():
        text = text.replace(made, sign)
    return text


def _listing(lines: list[str]) -> Iterator[Block]:
    whole = "\n".join(lines)
    yield Block("diagram", whole, form_of(whole)) if len(lines) > 1 or "\n" in whole else Block("text", whole)
