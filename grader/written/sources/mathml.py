"""MathML, as HTML holds it without LaTeX beside it, written as LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

_DEEPEST = 60
_SIGNS = {"∑": r"\sum", "·": r"\cdot ", "⋅": r"\cdot ", "×": r"\times ", "√": r"\sqrt", "⊤": r"\top ", "…": r"\dots ",
          "⋯": r"\dots ", "−": "-", "\u2061": "", "\u2062": " ", "\u2063": ",", "{": r"\{", "}": r"\}"}  # fmt: skip


@dataclass(slots=True)
class Node:
    """An element of MathML: its name, its words and what is inside it."""

    tag: str
    text: str = ""
    inside: list[Node] = field(default_factory=list)


def to_latex(node: Node, depth: int = 0) -> str:
    """Return an element as LaTeX; what is unknown gives what is inside it."""
    if depth > _DEEPEST or node.tag in _SILENT:
        return ""
    parts = [to_latex(child, depth + 1) for child in node.inside]
    if node.tag in _LEAVES:
        return _leaf(node.tag, node.text.strip())
    form = _FORMS.get(node.tag)
    if form is not None and len(parts) == form[0]:
        return form[1](*parts)
    joined = "".join(parts)
    wrapped = _WRAPPED.get(node.tag)
    return wrapped.format(joined) if wrapped else f"({','.join(parts)})" if node.tag == "mfenced" else joined


def _leaf(tag: str, words: str) -> str:
    text = "".join(_SIGNS.get(char, char) for char in words)
    return rf"\mathrm{{{text}}}" if tag in {"mi", "mtext", "ms"} and len(words) > 1 else text


def _held(base: str) -> str:
    """Return what an index hangs on; a sign or a word stays as it is."""
    plain = base.startswith(("\\sum", "\\mathrm")) or base.isalnum() or base in {")", "]", "\\}"}
    return base if plain else f"{{{base}}}"


_SILENT = frozenset({"annotation", "annotation-xml", "none", "mprescripts"})
_LEAVES = frozenset({"mi", "mo", "mn", "mtext", "ms"})
_FORMS: Mapping[str, tuple[int, Callable[..., str]]] = {
    "mfrac": (2, lambda above, below: rf"\frac{{{above}}}{{{below}}}"),
    "mroot": (2, lambda body, degree: rf"\sqrt[{degree}]{{{body}}}"),
    "msup": (2, lambda base, above: f"{_held(base)}^{{{above}}}"),
    "mover": (2, lambda base, above: f"{_held(base)}^{{{above}}}"),
    "msub": (2, lambda base, below: f"{_held(base)}_{{{below}}}"),
    "munder": (2, lambda base, below: f"{_held(base)}_{{{below}}}"),
    "msubsup": (3, lambda base, below, above: f"{_held(base)}_{{{below}}}^{{{above}}}"),
    "munderover": (3, lambda base, below, above: f"{_held(base)}_{{{below}}}^{{{above}}}"),
}
_WRAPPED = {"msqrt": r"\sqrt{{{}}}", "mtr": r"{} \\ ", "mlabeledtr": r"{} \\ ", "mspace": " {}"}
