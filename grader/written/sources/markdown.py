"""Markdown: headings, paragraphs, formulas between dollars, fenced diagrams. Linear in the text's length."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.written.paper import Block
from grader.written.sources.listed import form_of

_FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})\s*\{?\.?([\w-]*)")
_HEADING = re.compile(r"^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"^\s{0,8}(?:[-*+]|\d{1,2}[.)])\s+\S")
_UNDERLINE = re.compile(r"^\s{0,3}(?:={3,}|-{3,})\s*$")
_INLINE = re.compile(r"(?<![\\$])\$(?!\s)([^$\n]{1,1000}?)(?<![\s\\])\$(?!\d)|\\\((.{1,1000}?)\\\)")
_PICTURE = re.compile(r"!\[[^\]\n]{0,200}\]\(([^)\n]{1,300})\)|<img\b[^>]{0,300}>")
LONGEST_REST = 20_000
"""Characters of a line behind a formula: each formula in it is cut off it."""
DIAGRAMS = {"mermaid": "mermaid", "mmd": "mermaid", "dot": "dot", "graphviz": "dot", "tikz": "tikz"}


def read(text: str) -> tuple[Block, ...]:
    """Return the blocks of a Markdown text."""
    return tuple(_blocks(without_comments(_without_front_matter(text)).split("\n")))


def without_comments(text: str) -> str:
    """Return a text without HTML comments: no reader sees them."""
    kept, at = [], 0
    while (start := text.find("<!--", at)) >= 0:
        kept.append(text[at:start])
        end = text.find("-->", start + 4)
        at = len(text) if end < 0 else end + 3
    return "".join((*kept, text[at:]))


def _without_front_matter(text: str) -> str:
    text = text.replace("\r\n", "\n")
    if text.startswith("---\n") and (end := text.find("\n---", 4)) > 0:
        return text[text.find("\n", end + 1) + 1 :]
    return text


def _blocks(lines: list[str]) -> Iterator[Block]:
    paragraph: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        fence, heading = _FENCE.match(line), _HEADING.match(line)
        if fence or heading or not line.strip() or line.strip().startswith(("$$", "\\[")):
            yield from _prose(paragraph)
            paragraph = []
        if fence:
            body, at = _fence_body(lines, at, fence[1])
            yield from _fenced(fence[2].lower(), "\n".join(body))
        elif heading:
            yield Block("heading", plain(heading[2]), str(len(heading[1])))
        elif line.strip().startswith(("$$", "\\[")):
            close = "$$" if line.strip().startswith("$$") else "\\]"
            body, at, rest = _displayed(lines, at, line.strip()[2:], close)
            yield Block("formula", "\n".join(body).strip())
            if rest.strip() and len(rest) < LONGEST_REST:  # words, or another formula, behind it on the line
                at -= 1
                lines[at] = rest
        elif _UNDERLINE.match(line) and len(paragraph) == 1:
            yield Block("heading", plain(paragraph.pop()), "1" if line.strip()[0] == "=" else "2")
        elif line.strip():
            if paragraph and _ITEM.match(line):
                yield from _prose(paragraph)
                paragraph = []
            paragraph.append(line.strip())
    yield from _prose(paragraph)


def _fence_body(lines: list[str], at: int, mark: str) -> tuple[list[str], int]:
    """Return the lines up to the closing fence, and where the text goes on."""
    body = []
    while at < len(lines) and not lines[at].strip().startswith(mark):
        body.append(lines[at])
        at += 1
    return body, at + 1


def _displayed(lines: list[str], at: int, first: str, close: str) -> tuple[list[str], int, str]:
    """Return the lines of a displayed formula, where the text goes on, and what is left of the line that ends it.

    One that is never closed ends at a gap.
    """
    body = []
    line = first
    while True:
        before, found, rest = line.partition(close)
        body.append(before)
        if found or at >= len(lines) or not lines[at].strip():
            return body, at, rest
        line = lines[at]
        at += 1


def _fenced(language: str, body: str) -> Iterator[Block]:
    if language in DIAGRAMS:
        yield Block("diagram", body, DIAGRAMS[language])
    elif language in {"math", "latex", "tex"}:
        yield Block("formula", body)
    elif form := form_of(body):
        yield Block("diagram", body, form)


def _prose(paragraph: list[str]) -> Iterator[Block]:
    """Yield the formulas and pictures inside a paragraph, and its words."""
    if not paragraph:
        return
    text = " ".join(paragraph)
    text = re.sub(r"\$\$(.{1,2000}?)\$\$", lambda found: f" ${found[1].strip()}$ ", text)
    for found in _INLINE.finditer(text):
        yield Block("formula", found[1] or found[2])
    for found in _PICTURE.finditer(text):
        yield Block("picture", found[1] or "")
    words = plain(_PICTURE.sub(" ", text))
    if words:
        yield Block("text", words)


def plain(text: str) -> str:
    """Return a line without Markdown's signs; formulas stay, without their dollars."""
    text = re.sub(r"\[([^\]\n]{1,300})\]\([^)\n]{0,300}\)", r"\1", text)
    text = re.sub(r"(\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|`)", "", text)
    text = re.sub(r"^(?:[-*+]|\d+[.)]|>)\s+", "", text)
    return " ".join(text.replace("$", " ").split())
