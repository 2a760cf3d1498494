"""What an exception of numpy or torch means, in a learner's words: which shapes, what could not be lined up.

The words stand in ``exceptions.toml``.
"""

import re
import sys
from functools import cache
from pathlib import Path

UNWRITTEN = "unwritten"
"""The name of an exception that a starter raises where the student's own lines belong."""
_PLURALS = {"argument": "arguments", "axis": "axes", "entry": "entries", "number": "numbers"}


class _Part(str):
    """A part of a message, as a sentence takes it: as a shape, as a number with its noun, or as it is."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        if spec == "shape":
            sizes = (part.strip() for part in self.replace("x", ",").strip("()[],").split(","))
            return f"({', '.join(filter(None, sizes))})"
        return f"{self} {spec if self == '1' else _PLURALS[spec]}" if spec else str(self)


@cache
def _known() -> tuple[tuple[str, re.Pattern[str], str], ...]:
    import tomllib

    read = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple((name, re.compile(known["raised"]), known.get("means", "")) for name, known in read.items())


def kind(message: str) -> str:
    """Return the name of an exception with that message; empty where it is not known."""
    return next((name for name, pattern, _ in _known() if pattern.search(message)), "")


ASIDE = 'put what is not asked for under `if __name__ == "__main__":`'


def meaning(message: str, *, line: bool = False, function: bool = False) -> str:
    """Return what the message means, or an empty text where nothing is known to add.

    ``line`` says that a line of the student's own was running, ``function`` that it is in a function of theirs.

    >>> meaning("operands could not be broadcast together with shapes (3,5) (5,3) ")[:48]
    'numpy could not line up the shapes (3, 5) and (5'
    """
    words = {
        "call": "the call on that line" if line else "the hand-out's call",
        "aside": "a function works with its arguments alone" if function else ASIDE,
        "or_aside": "" if function else f", or {ASIDE}",
    }
    for _, pattern, means in _known():
        if found := pattern.search(message):
            return means.format(*map(_Part, (found[0], *found.groups(""))), **words)
    return ""


_OPEN_END = re.compile(r"(?:[^=!<>]=|\breturn\b.*[-+*/@,(]|[-+*/@])\s*(?:#.*)?$")
_MERGE = re.compile(r"(?:<{7}|={7}|>{7})(?:\s|$)")
_BLANK = re.compile(r"_{3,}|\?{2,}|\.{4,}|<[^<>]*>\s*(?:#.*)?$")


_NEWER: tuple[tuple[str, str, str, tuple[int, int]], ...] = (
    (
        r"f-string|invalid|line continuation",
        r"\b[rR]?[fF][rR]?(['\"]).*\{[^{}'\"]*\1",
        "an f-string with its own quotes in braces",
        (3, 12),
    ),
    (r"f-string expression part cannot include", "", "a backslash or # inside the braces of an f-string", (3, 12)),
    (r"", r"^\s*type\s+\w+\s*(\[[^\]]*\])?\s*=", "a `type` statement", (3, 12)),
    (r"", r"^\s*(async\s+def|def|class)\s+\w+\s*\[", "type parameters in brackets", (3, 12)),
    (r"", r"^\s*except\s+[\w.]+\s*,\s*[\w.]+.*:", "`except` with a list and no parentheses", (3, 14)),
    (r"", r"\b[rR]?[tT][rR]?(['\"]).*\1", "a t-string", (3, 14)),
)
"""What newer versions of Python read and older ones refuse: the message, the line, what it is, since when."""


def _newer(message: str, line: str) -> str:
    for said, written, what, since in _NEWER:
        if since > sys.version_info[:2] and re.search(said, message) and re.search(written, line):
            version, here = ".".join(map(str, since)), ".".join(map(str, sys.version_info[:2]))
            return f"{what} needs Python {version} or later, and work is judged with Python {here}"
    return ""


def meaning_of_line(kind: str, message: str, line: str) -> str:
    """Return what the line itself tells of a syntax error: a merge, a newer Python, an unfinished line or a blank.

    >>> meaning_of_line("SyntaxError", "invalid syntax", "scores =  # YOUR CODE")
    'this line is not finished'
    """
    if kind != "SyntaxError":
        return ""
    if _MERGE.match(line):
        return "a merge of git left its marks here: keep one of the two versions and delete the lines of <, = and >"
    if newer := _newer(message, line):
        return newer
    return "this line is not finished" if _OPEN_END.search(line) or _BLANK.search(line) else ""
