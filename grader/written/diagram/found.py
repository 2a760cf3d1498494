"""The diagram of a report: judged where it is text, shown to a person where it is a drawing or a picture."""

from __future__ import annotations

from dataclasses import replace

from grader.model.outcome import Place, Verdict
from grader.written.diagram import mermaid
from grader.written.diagram.layer import examine
from grader.written.diagram.mermaid import UnreadableDiagramError
from grader.written.judged import Judged, for_a_person, right, some_of, wrong
from grader.written.paper import Pages, Paper
from grader.written.pdf.reading import whole_pages

_DIAGRAMS = ("diagram", "figure", "abbildung", "skizze", "schaubild")
A_LOGO = 0.02
"""The share of a page that a picture has at most which is no diagram."""


def judge_diagram(paper: Paper) -> tuple[Judged, str]:
    """Judge the best of the diagrams that are handed in as text; without one, tell a person where to look."""
    waiting, seen = "", ""
    best: tuple[float, Judged, str] | None = None
    for block in paper.diagrams():
        if block.form != "mermaid":
            waiting, seen = f"The diagram is drawn in {block.form}; a person looks at it.", block.text
            continue
        try:
            layer = examine(mermaid.read(block.text))
        except UnreadableDiagramError as error:
            waiting, seen = f"The diagram ({block.form}) is not read: {error}. A person looks at it.", block.text
            continue
        good, asked = layer.shares()
        share = good / asked if layer.findings else 0.0
        bad = list(dict.fromkeys(f.message for f in layer.findings if not f.holds and f.message))
        if layer.unsure:
            judged = for_a_person(f"A person looks at the diagram: {layer.unsure}.", share)
        elif bad:
            judged = wrong(" ".join(bad[:5]), good, asked)
        else:
            judged = right(asked)
        if best is None or share > best[0]:
            best = (share, judged, block.text)
    loose = "\n".join(paper.pictures)
    if best and (not loose or best[1].verdict is not Verdict.FAILED):
        return best[1], best[2]
    if best:  # the text has a mistake, but the picture beside it may be the diagram that is meant
        why = f"{best[1].message} {_named(paper)} was handed in as well; a person looks at it."
        return for_a_person(why, best[0]), f"{best[2].rstrip()}\n\n{loose}"
    beside = f" {_named(paper)} was handed in as well." if loose and waiting else ""
    shown = "\n\n".join(text for text in (seen.strip(), loose) if text)
    if waiting:
        return for_a_person(waiting + beside), shown
    return replace(for_a_person(_about_pictures(paper)), places=_pages_shown(paper)), shown


def _named(paper: Paper) -> str:
    """Return the names of the pictures that lie beside the report."""
    return some_of([name.rpartition(" [")[0] for name in paper.pictures])


def _with_pictures(pages: Pages | None) -> list[int]:
    return [number for number, share in enumerate(pages.pictures, 1) if share > A_LOGO] if pages else []


def _pages_shown(paper: Paper) -> tuple[Place, ...]:
    """Return the pages of the PDF that hold pictures, else those that speak of a diagram, else all.

    A drawing of lines and letters is no picture.
    """
    pages = paper.pages
    if pages is None or paper.pictures or not pages.data:
        return ()
    spoken = [n for n, text in enumerate(pages.texts, 1) if any(word in text.lower() for word in _DIAGRAMS)]
    numbers = _with_pictures(pages) or spoken or range(1, len(pages.texts) + 1)
    return whole_pages(pages.path, pages.data, numbers)


def _about_pictures(paper: Paper) -> str:
    if paper.pictures:
        return f"{_named(paper)} is a picture; a person looks whether it is the diagram."
    pages = paper.pages
    on = [str(number) for number in _with_pictures(pages)]
    inside = any(block.kind == "picture" for block in paper.blocks)
    if on:
        return f"A picture on page{'s' if on[1:] else ''} {', '.join(on)}; a person looks whether it is the diagram."
    if inside:
        return "The diagram is a picture; a person looks at it."
    where = "PDF" if pages else "report"
    return f"No diagram was found as Mermaid; a person looks for one in the {where}."
