"""Text of a diagram that is listed in a report: told by how it begins, whatever it is set in."""

from __future__ import annotations

import re

_START = re.compile(
    r"(?:%%[^\n]{0,200}\n\s{0,20}){0,5}"
    r"(?:(?:flowchart|graph)\s+(?:TB|TD|BT|LR|RL)\b|(?P<dot>(?:strict\s+)?(?:di)?graph\b[^{\n]{0,80}\{))"
)


def form_of(text: str) -> str:
    """Return what a listing is written in, mermaid or dot; empty for any other text."""
    start = _START.match(text.lstrip())
    return "" if start is None else "dot" if start["dot"] else "mermaid"
