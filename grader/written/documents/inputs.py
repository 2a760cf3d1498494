r"""LaTeX in several files: what \input and \include name is put in where it stands."""

from __future__ import annotations

import re
from collections.abc import Mapping

_INPUT = re.compile(r"\\(?:input|include|subfile)\s{0,3}\{\s{0,3}([^{}\n]{1,200}?)\s{0,3}\}")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
DEEPEST = 6


def assembled(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the files that no other one takes in, by path, with the files they take in put in their places, once."""
    left = {path: _COMMENT.sub("", text) for path, text in texts.items()}

    def put_in(match: re.Match[str]) -> str:
        wanted = f"/{match[1].removesuffix('.tex')}.tex"
        return left.pop(next((path for path in left if f"/{path}".endswith(wanted)), ""), " ")

    whole: dict[str, str] = {}
    for path in sorted(texts, key=lambda path: (r"\begin{document}" not in texts[path], path)):  # the main one first
        if text := left.pop(path, ""):
            for _ in range(DEEPEST):
                text = _INPUT.sub(put_in, text)
            whole[path] = text
    return whole
