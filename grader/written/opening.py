"""From documents to a paper: the PDF through the child process, the sources beside it by their readers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from grader.errors import UnreadableError
from grader.intake.notebook import cells
from grader.model.submission import Document
from grader.written.by_eye import NOT_WORK, PICTURES, cells_of
from grader.written.paper import Block, Pages, Paper, folded
from grader.written.pdf.reading import Line, ask_child
from grader.written.sheet import marked, read_text

SOURCES = (".tex", ".md", ".markdown", ".docx", ".odt", ".ipynb", ".html", ".htm", ".txt")
DRAWINGS = {
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".dot": "Graphviz",
    ".gv": "Graphviz",
    ".drawio": "draw.io",
    ".xml": "draw.io",
}
LONGEST = 400_000
"""Characters of one source, embedded pictures aside: 150 pages or so; reading takes time by length."""
_EMBEDDED = re.compile(r"data:[\w/+.-]{1,80};base64,[A-Za-z0-9+/=]*")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_PUT_IN = re.compile(r"\\end\s*\{document\}|\\(?:input|include|subfile)\s{0,3}\{[^{}\n]{1,200}\}")
MOST_PDFS = 4
FEWEST, INSIDE = 120, 0.8
"""Letters of a file that can be told from others; share of its text that the PDF has to hold."""
ALIKE = 0.5
"""Share of the PDF's text that its source has to hold to be taken for its source."""


def open_paper(documents: Sequence[Document]) -> Paper:
    """Read a report. Nothing is raised: what cannot be read is remarked on."""
    notes: list[str] = []
    named = [(PurePosixPath(d.path), d) for d in documents if PurePosixPath(d.path).name.lower() not in NOT_WORK]
    pictures: list[str] = []
    pages = _main_pdf([document for path, document in named if path.suffix.lower() == ".pdf"], pictures, notes)
    named = _assembled(named)
    sources: dict[str, tuple[Block, ...]] = {}
    drawings: list[Block] = []
    unread: dict[str, str] = {}
    for path, document in named:
        suffix = path.suffix.lower()
        if suffix in SOURCES:
            said = len(notes)
            sources[document.path] = blocks = read_source(document, notes)
            if not blocks and notes[said:] and suffix != ".ipynb":  # which is read as code before, or refused
                unread[marked(document)] = notes[-1]
        elif suffix in DRAWINGS:
            drawings.append(Block("diagram", read_text(document)[0], DRAWINGS[suffix]))
        elif suffix in {*PICTURES, ".puml"}:
            pictures.append(marked(document))
    kept = {name: blocks for name, blocks in sources.items() if blocks}
    if pages and not pages.problem and not pages.scan:
        for name in [name for name, blocks in kept.items() if not _belong(pages.texts, blocks)]:
            del kept[name]
            code = [c for d in documents if d.path == name for c in cells_of(d) if c.kind == "code" and c.text.strip()]
            if not code:  # a notebook with code is other work
                notes.append(f"{name} has other text than the PDF, so nothing is taken from it.")
    return Paper(pages, kept, tuple(drawings), tuple(pictures), tuple(notes), unread)


def _assembled(named: Sequence[tuple[PurePosixPath, Document]]) -> list[tuple[PurePosixPath, Document]]:
    """Return the documents with LaTeX that stands in several files as one: definitions, the main file, its parts."""
    parts = [(path, document) for path, document in named if path.suffix.lower() == ".tex"]
    if len(parts) < 2:  # noqa: PLR2004 - nothing to put together
        return list(named)
    texts = {document.path: _COMMENT.sub("", read_text(document)[0]) for _, document in parts}
    path, main = next((part for part in parts if r"\begin{document}" in texts[part[1].path]), parts[0])
    order = sorted(texts, key=lambda name: (r"\section" in texts[name], name != main.path, name))
    whole = "\n\n".join(_PUT_IN.sub("", texts[name]) for name in order)
    whole += "\n\\end{document}" if r"\begin{document}" in whole else ""
    return [*(each for each in named if each not in parts), (path, replace(main, data=whole.encode()))]


def _main_pdf(pdfs: Sequence[Document], pictures: list[str], notes: list[str]) -> Pages | None:
    """Read the PDF; of several the one that holds most text is the report, others of one page are its figures."""
    if len(pdfs) < 2:  # noqa: PLR2004 - nothing to choose from
        return read_pdf(pdfs[0]) if pdfs else None
    read = [read_pdf(document) for document in pdfs[:MOST_PDFS]]
    chosen = max(read, key=lambda pages: (bool(pages.texts), sum(map(len, pages.texts))))
    notes.append(f"Several PDF files; {chosen.path} holds most text and is read.")
    single = {pages.path for pages in read if pages is not chosen and len(pages.texts) == 1}
    pictures += [marked(document) for document in pdfs if document.path in single]
    return chosen


def read_pdf(document: Document) -> Pages:
    """Ask the child process about a PDF."""
    answer = ask_child("pages", document.data)
    if answer.get("problem"):
        return Pages(document.path, problem=str(answer["problem"]))
    found = answer["pages"]
    empty = [page["characters"] < 20 for page in found]  # noqa: PLR2004 - a page number alone is no text
    pictures = tuple(float(page["pictures"]) for page in found)
    paths = max(int(page["paths"]) for page in found)
    scan = all(empty) and (max(pictures) > 0.5 or paths > 200)  # noqa: PLR2004 - a page of picture, or of outlines
    hidden = tuple((n, str(text)) for n, page in enumerate(found, 1) for text in page["hidden"] if not scan)
    headings = tuple(str(line) for page in found for line in page["headings"])
    texts = tuple(folded(str(page["text"])) for page in found)
    lines = [Line(n, str(line[0]), tuple(line[1:])) for n, page in enumerate(found, 1) for line in page["lines"]]
    return Pages(
        document.path, texts, hidden, pictures, scan=scan, headings=headings, lines=tuple(lines), data=document.data
    )


def read_source(document: Document, notes: list[str]) -> tuple[Block, ...]:
    """Read a source by its ending; one that cannot be read is remarked on and gives nothing."""
    from grader.written.documents.pandoc import UnreadableSourceError
    from grader.written.documents.tree import ENDINGS, read_blocks
    from grader.written.documents.tree import read_text as read_marked

    form = ENDINGS.get(PurePosixPath(document.path.lower()).suffix, "md")
    try:
        if form in {"docx", "odt"}:
            return read_blocks(form, document.data)
        text, remark = read_text(document)
        if document.path.lower().endswith(".ipynb"):
            found = cells(document.data, document.path)
            text = "\n\n".join(cell.text for cell in found if cell.kind == "markdown")
        elif remark:
            notes.append(remark)
        text = _EMBEDDED.sub("", text)
        if len(text) > LONGEST:
            notes.append(f"{document.path} is not read: it has more than {LONGEST:,} characters.")
            return ()
        return read_marked(form, text) if text.strip() else ()
    except (UnreadableError, UnreadableSourceError) as error:
        notes.append(f"{document.path} is not read: {getattr(error, 'what', error)}.")
        return ()


def _belong(pages: Sequence[str], blocks: Sequence[Block]) -> bool:
    """Whether a source is that of the PDF: it holds most of its text, or is one file of several and all in it."""
    if held(pages, blocks) >= ALIKE:
        return True
    words = [block.text for block in blocks if block.kind == "text"]
    inside = held(words, [Block("text", " ".join(pages))])
    return len(_letters("".join(words))) >= FEWEST and inside >= INSIDE


def held(pages: Iterable[str], blocks: Iterable[Block]) -> float:
    """Return which share of the PDF's text the blocks hold; spaces and signs do not matter."""
    printed = _letters(" ".join(pages))
    source = _letters(" ".join(block.text for block in blocks))
    shingles = [printed[at : at + 12] for at in range(0, max(0, len(printed) - 12), 6)]
    known = {source[at : at + 12] for at in range(max(0, len(source) - 12))}
    return sum(shingle in known for shingle in shingles) / len(shingles) if shingles else 1.0


def _letters(text: str) -> str:
    return re.sub(r"[^a-zäöüß]", "", text.lower())
