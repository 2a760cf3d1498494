"""Cells of a table that no spreadsheet takes for a formula."""

import re
import unicodedata
from typing import Any

_FORMULA = frozenset("=+-@|%")
_UNSEEN = frozenset({"Cf", "Cc", "Zs", "Zl", "Zp"})
_UNSHOWN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Controls, what turns the order of a line around, and halves of letters, which cannot be written to a file."""


def safe_cell(text: Any) -> str:
    """Return ``text`` as a cell that no spreadsheet takes for a formula; numbers stay numbers.

    A spreadsheet skips blanks, line ends and signs that are not seen before it looks for ``=``, and takes full-width
    signs for their plain ones. Each line gets an apostrophe of its own: careless readers part the cell there.
    """
    cell = _UNSHOWN.sub("", str(text))
    if re.fullmatch(r"[-+]?\d+(\.\d+)?", cell, re.ASCII):
        return cell
    lines = re.split(r"([\r\n\x85\u2028\u2029])", cell)
    safe = "".join(f"'{line}" if _first(line) in _FORMULA else line for line in lines)
    return "'" + safe if safe[:1] in {"\t", "\r", "\n"} else safe


def _first(line: str) -> str:
    """The first sign that a spreadsheet looks at, in its plain form; a blank where there is none."""
    for sign in unicodedata.normalize("NFKC", line):
        if unicodedata.category(sign) not in _UNSEEN:
            return "-" if sign == "\u2212" else sign
    return " "
