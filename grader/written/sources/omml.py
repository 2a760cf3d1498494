"""Word's formulas (OMML) as LaTeX, by a walk over their elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from xml.etree.ElementTree import Element

MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_DEEPEST = 60

Write = Callable[[Callable[[str], str]], str]
_FORMS: Mapping[str, Write] = {
    "f": lambda part: rf"\frac{{{part('num')}}}{{{part('den')}}}",
    "sSup": lambda part: f"{_base(part('e'))}^{{{part('sup')}}}",
    "sSub": lambda part: f"{_base(part('e'))}_{{{part('sub')}}}",
    "sSubSup": lambda part: f"{_base(part('e'))}_{{{part('sub')}}}^{{{part('sup')}}}",
    "rad": lambda part: rf"\sqrt{_degree(part('deg'))}{{{part('e')}}}",
    "func": lambda part: f"{part('fName')}{{{part('e')}}}",
    "acc": lambda part: part("e"),
    "bar": lambda part: part("e"),
    "limLow": lambda part: f"{part('e')}_{{{part('lim')}}}",
    "limUpp": lambda part: f"{part('e')}^{{{part('lim')}}}",
}
"""Elements with named parts, and how they are written."""

_SIGNS = {"∑": r"\sum", "∏": r"\prod"}


def to_latex(node: Element, depth: int = 0) -> str:
    """Return an ``m:oMath`` (or a part of one) as LaTeX; what is unknown gives what is inside it."""
    name = node.tag.removeprefix(MATH)
    if depth > _DEEPEST or name.endswith("Pr"):
        return ""

    def part(child: str) -> str:
        found = node.find(MATH + child)
        return "" if found is None else _all(found, depth + 1)

    if name == "t":
        return node.text or ""
    if name in _FORMS:
        return _FORMS[name](part)
    whole = _WHOLE.get(name)
    return whole(node, depth) if whole else _all(node, depth + 1)


def _base(text: str) -> str:
    """Return what an index hangs on; braces around a plain word would cut it off from what stands before it."""
    return text if text.isalnum() else f"{{{text}}}"


def _degree(text: str) -> str:
    return f"[{text}]" if text.strip() else ""


def _all(nodes: Iterable[Element], depth: int) -> str:
    return "".join(to_latex(child, depth) for child in nodes)


def _matrix(node: Element, depth: int) -> str:
    rows = [" & ".join(_all(cell, depth + 1) for cell in row.findall(MATH + "e")) for row in node.findall(MATH + "mr")]
    return "\\begin{matrix}" + r" \\ ".join(rows) + "\\end{matrix}"


def _rows(node: Element, depth: int) -> str:
    """Return equations below each other, without the number that Word sets behind a ``#``."""
    rows = [_all(row, depth + 1).partition("#")[0].replace("&", "") for row in node.findall(MATH + "e")]
    return r" \\ ".join(row for row in rows if row.strip())


def _fenced(node: Element, depth: int) -> str:
    begin = _property(node, "dPr", "begChr")
    end = _property(node, "dPr", "endChr")
    between = _property(node, "dPr", "sepChr") or ","
    inner = between.join(_all(part, depth + 1) for part in node.findall(MATH + "e"))
    return f"{'(' if begin is None else begin}{inner}{')' if end is None else end}"


def _property(node: Element, group: str, name: str) -> str | None:
    found = node.find(f"{MATH}{group}/{MATH}{name}")
    return None if found is None else found.get(MATH + "val", "")


def _sum(node: Element, depth: int) -> str:
    def part(child: str) -> str:
        found = node.find(MATH + child)
        return "" if found is None else _all(found, depth + 1)

    sign = _property(node, "naryPr", "chr") or "∫"
    return f"{_SIGNS.get(sign, sign)}_{{{part('sub')}}}^{{{part('sup')}}} {part('e')}"


def _phantom(node: Element, depth: int) -> str:
    """Return what a phantom shows; mostly it only makes room."""
    return "" if _property(node, "phantPr", "show") in {"0", "off", "false"} else _all(node, depth + 1)


_WHOLE: Mapping[str, Callable[[Element, int], str]] = {
    "d": _fenced,
    "nary": _sum,
    "eqArr": _rows,
    "phant": _phantom,
    "m": _matrix,
}
"""Elements that are written by their properties."""
