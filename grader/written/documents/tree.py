"""From pandoc's tree to what a report is made of: headings, paragraphs, formulas, diagrams, pictures.

A sheet that was filled in a word processor becomes the Markdown that it was made from: lines, and rows of tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grader.written.documents import pandoc
from grader.written.paper import Block

DEEPEST = 60
DIAGRAMS = {"mermaid": "mermaid", "mmd": "mermaid", "dot": "Graphviz", "graphviz": "Graphviz", "tikz": "TikZ"}
_MATHS = frozenset({"math", "latex", "tex"})
_START = re.compile(
    r"(?:%%[^\n]{0,200}\n\s{0,20}){0,5}"
    r"(?:(?:flowchart|graph)\s+(?:TB|TD|BT|LR|RL)\b|(?P<dot>(?:strict\s+)?(?:di)?graph\b[^{\n]{0,80}\{))"
)
"""How a diagram begins that is listed in a report, whatever it is set in."""
_ENVIRONMENT = re.compile(
    r"\s*\\begin\{((?:equation|align|gather|multline|displaymath|eqnarray|math|flalign|alignat)\*?)\}(.*)\\end\{\1\}\s*",
    re.DOTALL,
)
_TIKZ = re.compile(r"\\begin\{tikzpicture\}(.*?)\\end\{tikzpicture\}", re.DOTALL)
_BESIDE = re.compile(r"\\(?:label|tag)\{[^{}]*\}|\\nonumber|\\notag")
_OUTER = re.compile(r"\s*\\begin\{(aligned|align\*?|gathered|split)\}(.*)\\end\{\1\}\s*", re.DOTALL)
_TYPED = re.compile(r"=|softmax|concat|norm\s*\(|max\s*\(", re.IGNORECASE)
"""What makes a paragraph one that may be a formula without being set as one."""
_UNSEEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?<!-)\bcolor\s*:\s*(?:white|#fff(?:fff)?)\b|font-size\s*:\s*[01]p[tx]",
    re.IGNORECASE,
)


def blocks(nodes: Sequence[Any]) -> tuple[Block, ...]:
    """Return the blocks of a tree."""
    return tuple(_blocks(nodes, 0))


def _blocks(nodes: Sequence[Any], depth: int) -> Iterator[Block]:
    for node in nodes if depth < DEEPEST else ():
        kind, held = node["t"], node.get("c")
        if kind in {"Para", "Plain"}:
            yield from _paragraph(held)
        elif kind == "Header":
            text = " ".join(words(held[2]).split())
            yield from [Block("heading", text, str(held[0]))] if text else []
            yield from _formulas(held[2])
        elif kind == "CodeBlock":
            yield from _listing(held[0][1], held[1])
        elif kind == "RawBlock":
            yield from _raw(held[0], held[1])
        else:
            for part in parts(node):
                yield from _blocks(part, depth + 1)


def parts(node: Mapping[str, Any]) -> list[list[Any]]:
    """Return what a block holds that is made of blocks: items of a list, cells of a table, what is set apart."""
    kind, held = node["t"], node.get("c")
    if kind == "Table":
        return [cell for row in rows(held) for cell in row]
    if kind in {"Div", "Figure"}:
        return [] if held is None or unseen(held[0]) else [held[-1]]
    if kind == "BlockQuote":
        return [list(held or ())]
    return listed(kind, held) if kind in {"BulletList", "OrderedList", "DefinitionList"} else []


def listed(kind: str, items: Any) -> list[Any]:
    """Return the items of a list, each a list of blocks."""
    if kind == "DefinitionList":
        return [[{"t": "Plain", "c": term}, *(b for d in meant for b in d)] for term, meant in items]
    return list(items if kind == "BulletList" else items[1])


def rows(table: Any) -> Iterator[list[list[Any]]]:
    """Yield the rows of a table, each a list of cells, each a list of blocks."""
    _, _, _, head, bodies, foot = table
    for row in (*head[1], *(row for body in bodies for row in (*body[2], *body[3])), *foot[1]):
        yield [cell[4] for cell in row[1]]


def unseen(attributes: Any) -> bool:
    """Whether what has these attributes is not shown, or says again for machines what stands beside it."""
    _, classes, pairs = attributes
    found = dict(pairs)
    return bool(
        _UNSEEN.search(found.get("style", "")) or found.get("hidden") is not None
        or found.get("aria-hidden") == "true" or "MathJax_Preview" in classes
    )  # fmt: skip


def _paragraph(inlines: Sequence[Any]) -> Iterator[Block]:
    whole = words(inlines, breaks=True).strip()
    if "\n" in whole and (form := form_of(whole)):
        yield Block("diagram", whole, form)
        return
    yield from _formulas(inlines)
    set_apart = [node for node in inlines if not (node["t"] == "Math" and node["c"][0]["t"] == "DisplayMath")]
    if text := " ".join(words(set_apart, raised=_TYPED.search(whole) is not None).split()):
        yield Block("text", text)


def _formulas(inlines: Sequence[Any]) -> Iterator[Block]:
    """Yield the formulas and pictures of a paragraph, in their order."""
    for node in _walk(inlines, 0):
        if node["t"] == "Math":
            yield Block("formula", formula(node["c"][1]))
        elif node["t"] == "Image":
            yield Block("picture", str(node["c"][2][0])[:300])
        elif node["t"] == "RawInline" and node["c"][0] in {"tex", "latex"}:
            yield from _raw(*node["c"])


def _walk(inlines: Sequence[Any], depth: int) -> Iterator[Any]:
    for node in inlines if depth < DEEPEST else ():
        yield node
        yield from _walk(inside(node), depth + 1)


def inside(node: Mapping[str, Any]) -> Sequence[Any]:
    """Return the inlines that an inline holds and that a reader sees."""
    kind, held = node["t"], node.get("c")
    if kind in {"Emph", "Strong", "Strikeout", "SmallCaps", "Underline", "Superscript", "Subscript"}:
        return list(held or ())
    if kind == "Span" and held:
        return [] if unseen(held[0]) else list(held[1])
    return list(held[1]) if kind in {"Quoted", "Cite", "Link"} and held else []


def formula(text: str) -> str:
    """Return a formula as it stands, without what only numbers it or lays it out."""
    text = _BESIDE.sub("", text).strip()
    while found := _OUTER.fullmatch(text):
        text = found[2].strip()
    return _without_groups(text)


_PIECE = re.compile(r"\\[A-Za-z]+|\\.|[{}]|[^\\{}]+", re.DOTALL)
_TWO = frozenset(
    {"\\frac", "\\dfrac", "\\tfrac", "\\cfrac", "\\binom", "\\textcolor", "\\overset", "\\underset", "\\stackrel"}
)
_NONE = re.compile(
    r"\\(?:left|right|[bB]igg?[lr]?|quad|qquad|cdot|times|max|min|sin|cos|exp|log|dots|ldots|cdots|sum|top|in|le|ge|infty|pos"
    r"|[Aa]lpha|[Bb]eta|[Gg]amma|[Dd]elta|epsilon|varepsilon|sigma|mu|omega|theta|phi|pi|lambda|prime|odot|oplus)"
)


def _without_groups(text: str) -> str:
    """Return a formula without braces that only group, as programs put around the parts of what they write."""
    pieces = _PIECE.findall(text)
    kept: list[str] = []
    open_at: list[tuple[int, bool, int]] = []  # where a group began, if it is an argument, how many are to follow
    wanted = 0
    for at, piece in enumerate(pieces):
        if piece == "{":
            argument = wanted > 0 or "".join(kept[-1:]).rstrip()[-1:] in {"^", "_"}
            open_at.append((len(kept), argument, max(wanted - 1, 0)))
            wanted = 0
            kept.append("{")
            continue
        if piece == "}" and open_at:
            begin, argument, wanted = open_at.pop()
            behind = pieces[at + 1].lstrip()[:1] if at + 1 < len(pieces) else ""
            if argument or behind in {"^", "_"}:
                kept.append("}")
            else:
                kept[begin] = " "
                kept.append(" ")
            continue
        if piece.startswith("\\"):
            wanted = 2 if piece in _TWO else 0 if _NONE.fullmatch(piece) else int(piece[1:].isalpha())
        elif piece.strip():
            wanted = wanted if piece.strip().startswith("[") else 0
        kept.append(piece)
    return "".join(kept).strip()


def words(
    inlines: Sequence[Any], *, breaks: bool = False, maths: str = "", raised: bool = False, depth: int = 0
) -> str:
    """Return what inlines say; formulas between ``maths``, line breaks and raised letters as such where asked for."""
    out: list[str] = []
    for node in inlines if depth < DEEPEST else ():
        kind, held = node["t"], node.get("c")
        if kind == "Str":
            out.append(held)
        elif kind in {"Space", "SoftBreak", "LineBreak"}:
            out.append("\n" if breaks and kind != "Space" else " ")
        elif kind == "Math":
            out.append(f" {maths}{formula(held[1])}{maths} ")
        elif kind == "Code":
            out.append(held[1])
        elif kind == "Image" and maths:  # of a sheet: a photo may be the answer
            out.append(" ![](picture) ")
        elif kind in {"Superscript", "Subscript"}:
            own = words(held, depth=depth + 1)
            out.append(f"{'^' if kind == 'Superscript' else '_'}{{{own}}}" if raised else own)
        else:
            own = words(inside(node), breaks=breaks, maths=maths, raised=raised, depth=depth + 1)
            out.append(f"“{own}”" if kind == "Quoted" else own)
    return "".join(out)


def form_of(text: str) -> str:
    """Return what a listing is written in, mermaid or Graphviz; empty for any other text."""
    start = _START.match(text.lstrip())
    return "" if start is None else "Graphviz" if start["dot"] else "mermaid"


def _listing(classes: Sequence[str], text: str) -> Iterator[Block]:
    named = next((DIAGRAMS[name] for name in classes if name in DIAGRAMS), "") or form_of(text)
    if named:
        yield Block("diagram", text, named)
    elif _MATHS & set(classes):
        yield Block("formula", formula(text))


def _raw(form: str, text: str) -> Iterator[Block]:
    """Yield what stands in TeX that is no text: formulas in an environment, drawings."""
    if form not in {"tex", "latex"}:
        return
    if found := _ENVIRONMENT.fullmatch(text):
        yield Block("formula", formula(found[2]))
    for drawing in _TIKZ.finditer(text):
        yield Block("diagram", drawing[1], "TikZ")


ENDINGS = {
    ".tex": "tex", ".md": "md", ".markdown": "md", ".txt": "md", ".html": "html", ".htm": "html", ".docx": "docx",
    ".odt": "odt",
}  # fmt: skip
_SET = re.compile(
    r"<(?:mjx-math\b|g\b(?=[^<>]{0,300}data-mml-node=.math\W))[^<>]{0,300}?data-latex=(?P<q>['\"])(?P<formula>[^<>]{1,2000}?)(?P=q)[^<>]{0,300}>"
)
"""Formulas of a page that was saved after MathJax had set them."""
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def nodes_of(form: str, data: bytes) -> list[Any]:
    """Return the tree of a document. Raises UnreadableSourceError."""
    return pandoc.tree(form, pandoc.checked(form, data) if form in {"docx", "odt"} else data)


def read_blocks(form: str, data: bytes) -> tuple[Block, ...]:
    """Return the blocks of a document of the format ``form``. Raises UnreadableSourceError."""
    return blocks(nodes_of(form, data))


def read_text(form: str, text: str) -> tuple[Block, ...]:
    """Return the blocks of a text in Markdown, LaTeX or HTML. Raises UnreadableSourceError."""
    text = text.replace("\r\n", "\n")
    if form == "md":
        text = _FRONT.sub("", text)
    elif form == "html":
        text = (
            _SET.sub(r"</svg>\\(\g<formula>\\)<svg>", text) if "<svg" in text else _SET.sub(r"\\(\g<formula>\\)", text)
        )
    return read_blocks(form, text.encode("utf-8", "replace"))


_MARK = re.compile(r"\W*\[[A-Za-z]\w+\]")


def sheet_text(form: str, data: bytes) -> str:
    """Return the text of a .docx or .odt, headings and rows of tables marked. Raises UnreadableSourceError."""
    return "\n".join(_lines(nodes_of(form, data), 0))


def _lines(nodes: Sequence[Any], depth: int) -> Iterator[str]:
    for node in nodes if depth < DEEPEST else ():
        kind, held = node["t"], node.get("c")
        if kind in {"Para", "Plain"}:
            yield words(held, breaks=True, maths="$").strip()
        elif kind == "Header":
            yield f"## {words(held[2], maths='$').strip()}"
        elif kind == "CodeBlock":
            yield held[1]
        elif kind == "Table":
            yield from (line for row in rows(held) for line in _row(row, depth))
        elif kind in {"BulletList", "OrderedList"}:
            for number, item in enumerate(listed(kind, held), 1):
                first, *rest = [*_lines(item, depth + 1)] or [""]
                yield from (f"{number}. {first}" if kind == "OrderedList" else f"- {first}", *rest)
        else:
            for part in parts(node):
                yield from _lines(part, depth + 1)


def _row(row: Sequence[Sequence[Any]], depth: int) -> Iterator[str]:
    cells = [[line for line in _lines(cell, depth + 1) if line] for cell in row]
    if any(_MARK.match(line) for cell in cells for line in cell):  # a table that only lays out
        yield from (line for cell in cells for line in cell)
    else:
        yield f"| {' | '.join(' '.join(cell) for cell in cells)} |"
