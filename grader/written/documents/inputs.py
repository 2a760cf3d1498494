r"""LaTeX in several files: what \input and \include name is put in where it stands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

_INPUT = re.compile(r"\\(?:input|include|subfile)\s{0,3}\{\s{0,3}([^{}\n]{1,200}?)\s{0,3}\}")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
DEEPEST = 6


def assembled(texts: Mapping[str, str], longest: int) -> dict[str, str]:
    """Return the files that no other one takes in, by path, with the files they take in put in their places.

    A file is taken in once; what is not there, and what would make a text longer than ``longest``, stays out.
    """
    taken: set[str] = set()
    whole: dict[str, str] = {}
    for path in sorted(texts, key=lambda path: (r"\begin{document}" not in texts[path], path)):  # the main one first
        if path not in taken:
            taken.add(path)
            whole[path] = _filled(path, texts, taken, longest, 0)
    return whole


def _filled(path: str, texts: Mapping[str, str], taken: set[str], longest: int, depth: int) -> str:
    left = longest - len(texts[path])

    def put_in(match: re.Match[str]) -> str:
        nonlocal left
        name = _found(match[1], path, texts)
        if not name or name in taken or depth >= DEEPEST:
            return " "
        taken.add(name)
        text = _filled(name, texts, taken, longest, depth + 1)
        left -= len(text)
        return text if left >= 0 else " "

    return _INPUT.sub(put_in, _COMMENT.sub("", texts[path]))


def _found(name: str, path: str, texts: Mapping[str, str]) -> str:
    """Return the path of a file that is named in another, as TeX would look for it."""
    wanted = PurePosixPath(name if name.endswith(".tex") else f"{name}.tex")
    beside = str(PurePosixPath(path).parent / wanted)
    ends = [other for other in texts if other == str(wanted) or other.endswith(f"/{wanted}")]
    found = beside if beside in texts else ends[0] if ends else ""
    return "" if found == path else found
