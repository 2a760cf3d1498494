"""Rows of a table however they are written: drawn, a line each, on one line, as a LaTeX table, or in order."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.written.question_names import slug

_LATEX = re.compile(r"\\begin\s*\{")
_NOT_CELLS = re.compile(
    r"\\(?:begin|end)\s*\{[^{}]{0,40}\}(?:\s*\{[^{}]{0,40}\})?|\\(?:hline|toprule|midrule|bottomrule|left|right)\b|\${1,2}"
)
_BULLET = r"\s*(?:[-*+•]\s+|\d+[.)]\s+)?[*_`\"“]*"
_STEP = r"[*_`\"”]*\s*(?:\(\s*(?:step|schritt|word)?\s*\d+\s*\)\s*)?[*_`\"”]*"
_SIGN = r"\s*(?::|=>|->|=|→|⇒|⟶|–|—|-(?=\s))\s*"


def table_lines(text: str) -> list[str]:
    r"""Return the lines of a table; ``\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}`` has two, with bars in them."""
    if _LATEX.search(text):
        text = re.sub(r"\\\\(?:\s*\[[^\[\]]{0,20}\])?|\\(?=\n)", "\n", text).replace("&", "|")
        text = _NOT_CELLS.sub(" ", text)
    elif re.match(r"\s*\[\s*\[", text):
        text = re.sub(r"\]\s*,?\s*\[", "\n", text).strip().strip("[]")
    return [line.strip() for line in text.splitlines() if re.search(r"\w", line)]


def pieces(line: str, labels: Sequence[str]) -> list[tuple[str, str]]:
    """Return what a line says of each label, ``who: yes, studied (4): yes``; nothing where it begins with none.

    ``labels`` are in small letters, and so are those returned.
    """
    found = list(re.finditer(rf"(?<![\w.])[*_`\"“]*(?P<label>{_any(labels)})(?!\w){_STEP}{_SIGN}", line, re.IGNORECASE))
    if not found or not re.fullmatch(_BULLET, line[: found[0].start()]):
        return [head] if (head := headed(line, labels)) else []
    ends = [match.start() for match in found[1:]] + [len(line)]
    said = [line[match.end() : end] for match, end in zip(found, ends, strict=True)]
    return [(slug(m["label"]), text.strip().strip("*_`,;. ")) for m, text in zip(found, said, strict=True)]


def headed(line: str, labels: Sequence[str]) -> tuple[str, str] | None:
    """Return the label that a line begins with and what follows it; None where it begins with none."""
    match = re.match(
        rf"{_BULLET}(?P<label>{_any(labels)})(?!\w){_STEP}(?:{_SIGN}|\s+)(?P<rest>\S.*)$", line, re.IGNORECASE
    )
    return (slug(match["label"]), match["rest"].strip(" *_`")) if match else None


def _any(labels: Sequence[str]) -> str:
    return "|".join(re.escape(label).replace(r"\ ", r"\W+") for label in sorted(labels, key=len, reverse=True))
