"""HTML: headings, paragraphs, formulas (TeX between dollars, in scripts or in annotations)."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from grader.written.paper import Block
from grader.written.sources import markdown
from grader.written.sources.listed import form_of
from grader.written.sources.mathml import Node, to_latex

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_BREAKS = frozenset({"p", "div", "li", "td", "th", "br", "section", "article", "blockquote", "pre", "figcaption"})
_DEEPEST = 80
"""Elements of MathML inside each other."""
_SILENT = frozenset({"style", "head", "nav", "svg"})


def read(text: str) -> tuple[Block, ...]:
    """Return the blocks of an HTML file; what its style hides is left out."""
    reader = _Reader()
    reader.feed(_LOOSE.sub("&lt;", markdown.without_comments(text)))
    reader.close()
    reader.flush()
    return tuple(reader.blocks)


_LOOSE = re.compile(r"<(?![^<>]{0,4000}>)")
"""A bracket that opens no tag: HTMLParser looks for the end of each of them to the end of the text."""


class _Reader(HTMLParser):
    """Gathers blocks; HTMLParser calls the handlers."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self.words: list[str] = []
        self.kind, self.level = "text", ""
        self.silent: list[str] = []
        self.formula: list[str] | None = None
        self.diagram: list[str] | None = None
        self.marked = ""  # what the page says that a listing is
        self.maths: list[Node] = []
        self.told = False  # the formula stands there as LaTeX too

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a heading, a formula or a diagram; a new box ends a paragraph."""
        values = {name: value or "" for name, value in attrs}
        if values.get("data-latex") and "math" in {tag.removeprefix("mjx-"), values.get("data-mml-node", "")}:
            self.blocks.append(Block("formula", values["data-latex"]))  # a page saved when MathJax had set it
        if tag == "math":
            self.maths, self.told = [Node(tag)], False
        elif self.maths and tag not in {"annotation", "annotation-xml", "semantics"} and len(self.maths) < _DEEPEST:
            self.maths.append(Node(tag))
        style = values.get("style", "").replace(" ", "").lower()
        script = tag == "script" and not values.get("type", "").startswith("math/tex")
        if tag in _SILENT or script or "display:none" in style or "visibility:hidden" in style or "hidden" in values:
            self.silent.append(tag)
        elif tag == "script" or (tag == "annotation" and "tex" in values.get("encoding", "")):
            self.formula = []
        elif tag == "pre" or "mermaid" in values.get("class", "").split():
            self.diagram, self.marked = [], "mermaid" if "mermaid" in values.get("class", "") else ""
        elif tag == "img":
            self.blocks.append(Block("picture", values.get("src", "")[:200]))
            if values.get("alt", "").count("\\"):  # a formula that was drawn
                self.blocks.append(Block("formula", values["alt"]))
        if tag in _HEADINGS | _BREAKS:
            self.flush()
            self.kind, self.level = ("heading", tag[1:]) if tag in _HEADINGS else ("text", "")

    def handle_endtag(self, tag: str) -> None:
        """Close what was opened."""
        if self.maths and tag == self.maths[-1].tag:
            node = self.maths.pop()
            if self.maths:
                self.maths[-1].inside.append(node)
            elif not self.told and (formula := to_latex(node).strip()):
                self.blocks.append(Block("formula", formula))
        if self.silent and self.silent[-1] == tag:
            self.silent.pop()
        elif self.formula is not None and tag in {"script", "annotation"}:
            self.blocks.append(Block("formula", "".join(self.formula).strip()))
            self.formula, self.told = None, True
        elif self.diagram is not None and tag in {"div", "pre"}:
            listing, self.diagram = "".join(self.diagram).strip(), None
            if form := form_of(listing) or self.marked:
                self.blocks.append(Block("diagram", listing, form))
            else:
                self.words.append(listing)
        if tag in _HEADINGS | _BREAKS:
            self.flush()
            self.kind = "text"

    def handle_data(self, data: str) -> None:
        """Take words where they belong."""
        if self.silent:
            return
        if self.maths and self.formula is None:
            self.maths[-1].text += data
            if len(self.maths) == 1:  # words right inside math
                return
        place = self.formula if self.formula is not None else self.diagram if self.diagram is not None else self.words
        place.append(data)

    def flush(self) -> None:
        """End the paragraph; formulas between dollars are read as in Markdown."""
        text = " ".join("".join(self.words).split())
        self.words = []
        if not text:
            return
        if self.kind == "heading":
            self.blocks.append(Block("heading", text, self.level))
        else:
            text = re.sub(r"\\\[(.{1,2000}?)\\\]", r"\n\n$$\1$$\n\n", text.replace("#", ""))
            self.blocks += markdown.read(re.sub(r"\\\((.{1,1000}?)\\\)", r"$\1$", text))
