"""LaTeX: sections, paragraphs, formulas. A scanner, not TeX: own short commands are put in, others are dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.written.paper import Block
from grader.written.sources.enclosed import spans, without
from grader.written.sources.listed import form_of
from grader.written.sources.macros import expanded

_MATHS = r"equation|align|gather|multline|displaymath|eqnarray|math|flalign|alignat"
_PIECE = re.compile(
    # No body holds its own opening again: one that nothing closes is given up where the next begins.
    rf"\\begin\{{(?P<env>(?:{_MATHS})\*?)\}}(?P<body>(?:[^\\]|\\(?!begin\{{(?P=env)\}})){{0,4000}}?)\\end\{{(?P=env)\}}"
    r"|(?<!\\)\$\$(?P<display>.{1,4000}?)\$\$|\\\[(?P<bracket>(?:[^\\]|\\[^\[]){1,4000}?)\\\]"
    r"|(?<![\\$])\$(?P<inline>[^$]{1,1000}?)\$|\\\((?P<round>(?:[^\\]|\\[^(]){1,1000}?)\\\)"
    r"|\\begin\{tikzpicture\}(?P<tikz>(?:[^\\]|\\(?!begin\{tikzpicture\})){0,20000}?)\\end\{tikzpicture\}"
    r"|\\(?P<sub>(?:sub){0,2})section\*?\s*\{(?P<section>[^{}]{0,300})\}|\\(?:chapter|paragraph)\*?\s*\{(?P<other>[^{}]{0,300})\}"
    r"|\\includegraphics(?:\[[^\]]{0,200}\])?\{(?P<picture>[^{}]{0,200})\}",
    re.DOTALL,
)


_OTHER_LEVEL = 4
_UNREAD = re.compile(r"\\iffalse\b|\\begin\{comment\}")
_HIDDEN = re.compile(
    r"\\(?:textcolor\{white\}|phantom|hphantom|vphantom)\s*\{[^{}]*\}|\{\s*\\color\{white\}[^{}]*\}",
    re.DOTALL,
)
"""What TeX reads and nobody sees."""

_VERBATIM = re.compile(r"\\begin\{(?P<how>verbatim\*?|lstlisting|minted)\}")
_VERB = re.compile(r"\\verb\|[^|\n]{0,400}\|")
_LONGEST = 20_000
"""Characters of one listing, or of one stretch that is not read."""
_OPTIONS = re.compile(r"\s*(?:\[[^\]]{0,300}\])?(?:\{\w{1,20}\})?")
_WITHOUT_WORDS = re.compile(
    r"\\(?:label|ref|cite\w*|eqref|bibliography\w*|usepackage|documentclass|vspace|hspace|includegraphics)"
    r"(?:\[[^\]]{0,300}\])?\{[^{}]{0,2000}\}"
)


def read(text: str) -> tuple[Block, ...]:
    r"""Return the blocks of a LaTeX file, from \begin{document} on where there is one."""
    text = re.sub(r"(?<!\\)%[^\n]*", "", text.replace("\r\n", "\n"))
    shown = _body(_seen(text))
    body = _seen(_body(expanded(_VERB.sub(" ", without(text, _VERBATIM, _end_of_listing, _LONGEST)))))
    return (*_blocks(body), *_listed_diagrams(shown))


def _seen(text: str) -> str:
    """Return a text without what TeX does not read or prints in white."""
    return _HIDDEN.sub(" ", without(text, _UNREAD, _end_of_unread, _LONGEST))


def _end_of_unread(found: re.Match[str]) -> str:
    return r"\\end\{comment\}" if "comment" in found.group() else r"\\fi(?![A-Za-z])"


def _end_of_listing(found: re.Match[str]) -> str:
    return re.escape(rf"\end{{{found['how']}}}")


def _body(text: str) -> str:
    return (text.partition(r"\begin{document}")[2] or text).partition(r"\end{document}")[0]


def _listed_diagrams(text: str) -> Iterator[Block]:
    """Yield what is printed letter by letter and is the text of a diagram."""
    for found, end, _ in spans(text, _VERBATIM, _end_of_listing, _LONGEST):
        inside = _OPTIONS.sub("", text[found.end() : end], count=1).strip()
        if form := form_of(inside):
            yield Block("diagram", inside, form)


def _blocks(text: str) -> Iterator[Block]:
    prose: list[str] = []
    at = 0
    for found in _PIECE.finditer(text):
        prose.append(text[at : found.start()])
        at = found.end()
        group = found.lastgroup
        if found["section"] is not None or found["other"] is not None:
            yield from _prose(prose)
            prose = []
            level = 1 + (found["sub"] or "").count("sub") if found["section"] is not None else _OTHER_LEVEL
            yield Block("heading", plain(found["section"] or found["other"] or ""), str(level))
        elif found["tikz"] is not None:
            yield Block("diagram", found["tikz"], "tikz")
        elif found["picture"] is not None:
            yield Block("picture", found["picture"])
        else:
            names = ("body", "display", "bracket", "inline", "round")
            formula = next((found[name] for name in names if found[name]), "")
            yield Block("formula", re.sub(r"\\(?:label|tag)\{[^{}]*\}|\\nonumber|\\notag", "", formula).strip())
            if group in {"inline", "round"}:
                prose.append(f" {formula} ")
    prose.append(text[at:])
    yield from _prose(prose)


def _prose(pieces: list[str]) -> Iterator[Block]:
    for paragraph in re.split(
        r"\n\s*\n|(?=\\item\b)|\\end\{(?:itemize|enumerate|description|quote)\}", "".join(pieces)
    ):
        words = plain(paragraph)
        if len(words) > 1:
            yield Block("text", words)


def plain(text: str) -> str:
    """Return a stretch of LaTeX as words: commands dropped, what they mark up kept."""
    text = _WITHOUT_WORDS.sub(" ", text)
    text = re.sub(r"\\(?:begin|end)\{[^{}]{0,100}\}(?:\[[^\]]{0,300}\])?", " ", text)
    text = re.sub(r"\\item(?:\[[^\]]{0,300}\])?", " ", text)
    text = text.replace("``", "“").replace("''", "”").replace("~", " ").replace("\\\\", " ").replace("---", "—")
    text = re.sub(r"\\[a-zA-Z]+\*?\s?", "", text)
    return " ".join(re.sub(r"\\([%&$#_{}])|[{}]", lambda m: m[1] or "", text).split())
