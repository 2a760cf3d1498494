"""The report as a page: one file that needs nothing else, without a script, light or dark, fit to be printed.

It is built as a tree of elements, so that every text is escaped when it is written out and none can become markup.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from importlib.resources import files
from xml.etree import ElementTree as ET

from grader.model.assignment import Assignment, HintLevel
from grader.model.outcome import Counterexample, Location, Picture, Verdict
from grader.model.report import Mark, Report
from grader.model.text import StudentText
from grader.report import pictures, values
from grader.report.absent import told
from grader.report.findings import Finding, findings, pointers
from grader.report.spelled import help_rows, mark_row, ran_with
from grader.report.view import Seen, View, as_seen
from grader.report.whole import asides, headline, invitation, not_judged, remarks, states
from grader.report.words import sentence, storable

SIGNS = {Verdict.PASSED: "✓", Verdict.SKIPPED: "–", Verdict.UNDETERMINED: "?", Verdict.FAULT: "?"}
KINDS = {Verdict.PASSED: "right", Verdict.SKIPPED: "idle", Verdict.UNDETERMINED: "waits", Verdict.FAULT: "waits"}

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What a browser may load for the page: its own style and nothing else."""

AROUND, LONGEST = 1, 160
"""Lines of the work that are shown above and below the one at fault, and characters of each."""
MOST_PICTURES = 20
"""A page with more findings draws no further ones: it stays small enough to be sent."""


def render(report: Report, view: View = "student", *, level: HintLevel | None = None) -> str:
    """Return the report as one HTML file; text of a submission is shown and never obeyed."""
    seen = as_seen(report, view, level)
    score = "unreadable" if seen.report.unreadable else headline(seen)
    html, body = _page(f"{report.assignment.title}: {score}")
    _fill(ET.SubElement(body, "main"), seen)
    return _written(html)


def _page(title: str) -> tuple[ET.Element, ET.Element]:
    """A page with its head, and its empty body."""
    html = ET.Element("html", lang="en")
    head = ET.SubElement(html, "head")
    ET.SubElement(head, "meta", charset="utf-8")
    ET.SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": POLICY})
    ET.SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    ET.SubElement(head, "meta", name="referrer", content="no-referrer")
    _add(head, "title", title)
    ET.SubElement(head, "style").text = _style()
    return html, ET.SubElement(html, "body")


def _style() -> str:
    """The style sheet of the page, and what its pictures need: their colours are the page's, in both its schemes."""
    sheets = (files("grader.report") / "page.css", files("grader.report.pictures") / "pictures.css")
    return "".join(f"\n{sheet.read_text(encoding='utf-8')}" for sheet in sheets)


def _written(html: ET.Element) -> str:
    ET.indent(html, " ")
    for drawing in html.iter("svg"):
        _close_up(drawing)
    for block in html.iter("pre"):
        for mark in block[-1:]:
            mark.tail = None
    return "<!DOCTYPE html>\n" + ET.tostring(html, encoding="unicode", method="html") + "\n"


def feedback(report: Report | None, assignment: Assignment, said: Sequence[str], comment: str) -> str:
    """Return what a student is told of a grade as one HTML file: the score and its steps, a comment, the report.

    ``said`` opens with the score. There is no ``report`` of who handed in nothing.
    """
    seen = as_seen(report, "student") if report else None
    html, body = _page(f"{assignment.title}: {said[0]}")
    main = ET.SubElement(body, "main")
    if seen is None:
        _add(main, "h1", assignment.title)
    note = _add(main, "section", kind="grade")
    _add(note, "p", said[0], "score")
    _list(note, said[1:])
    for paragraph in filter(None, comment.split("\n")):
        _add(note, "p", paragraph)
    if seen:
        _fill(main, seen)
    return _written(html)


def drawn(title: str, picture: Picture) -> str:
    """Return a page with one picture on it."""
    html, body = _page(title)
    main = ET.SubElement(body, "main")
    _add(main, "h1", title)
    main.append(pictures.draw(picture, "p1"))
    return _written(html)


def _close_up(drawing: ET.Element) -> None:
    """Take the blanks out between the elements of a drawing, of which there are many."""
    for element in drawing.iter():
        element.text = element.text if (element.text or "").strip() else None
        if element is not drawing:
            element.tail = None


def _add(parent: ET.Element, tag: str, text: str = "", kind: str = "") -> ET.Element:
    """A new element with a text; the one place where text enters the page."""
    element = ET.SubElement(parent, tag, {"class": kind} if kind else {})
    element.text = storable(text)
    return element


def _fill(main: ET.Element, seen: Seen) -> None:
    report = seen.report
    _add(main, "h1", report.assignment.title)
    who = [report.submission.submitter] if seen.view == "staff" and report.submission.submitter else []
    late = ["late"] if report.submission.late else []
    _add(main, "p", " · ".join([report.submission.path, *who, report.assignment.id, *late]), "dim")
    if report.unreadable:
        _add(main, "p", "This submission cannot be read, so nothing was judged.", "score")
        _add(main, "p", sentence(report.unreadable))
        return
    _bar(_add(main, "div", headline(seen), "score"), report)
    _marks(main, seen)
    _list(main, (sentence(note) for note in (*remarks(seen), *asides(seen), *report.notes)))
    before: Mark | None = None
    drawn: dict[Picture, str] = {}
    for finding in findings(seen):
        if before is None or finding.mark.criterion.id != before.criterion.id:
            before = finding.mark
            _add(main, "h2", finding.title)
        _finding(main, seen, finding, drawn)
    _absent(main, report, begin=before is None)
    if skipped := not_judged(seen):
        _add(main, "h2", "Not judged")
        _list(main, skipped)
    if report.prints:
        _add(main, "h2", "What your code printed")
        for one in report.prints:
            _add(_add(main, "p"), "code", one.call)
            _add(main, "pre", "\n".join(one.lines))
    _close(main, seen)


def _bar(parent: ET.Element, report: Report) -> None:
    bar = _add(parent, "div", kind="bar")
    most = max(report.max_score, report.score + report.pending, Decimal(1))
    for kind, amount in (("right", report.score), ("waits", report.pending)):
        if amount > 0:
            _add(bar, "span", kind=kind).set("style", f"width: {float(amount * 100 / most):.4g}%")


def _marks(main: ET.Element, seen: Seen) -> None:
    table = _add(main, "table", kind="marks")
    became = states(seen)
    for mark in seen.report.marks:
        row = ET.SubElement(table, "tr")
        _add(row, "td", SIGNS.get(mark.verdict, "✗"), KINDS.get(mark.verdict, "wrong"))
        for text, kind in zip(mark_row(mark, became[mark.criterion.id]), ("", "word", "number"), strict=True):
            _add(row, "td", text, kind)


def _list(main: ET.Element, texts: Iterable[str]) -> None:
    if said := list(texts):
        items = ET.SubElement(main, "ul")
        for text in said:
            _add(items, "li", text)


def _picture(card: ET.Element, picture: Picture, drawn: dict[Picture, str]) -> None:
    """Draw what the example looks like, unless the page has that picture already or has many."""
    if picture not in drawn and len(drawn) < MOST_PICTURES:
        drawn[picture] = f"p{len(drawn) + 1}"
        card.append(pictures.draw(picture, drawn[picture]))


def _code(card: ET.Element, report: Report, place: Location | None) -> None:
    """The line at fault, underlined, among its neighbours; its own indentation is kept."""
    found = [c for c in report.submission.chunks if place and (c.filename, c.cell) == (place.file, place.cell)]
    lines = found[0].lines if found else []
    if place is None or not 0 < place.line <= len(lines):
        return
    numbers = range(max(1, place.line - AROUND), min(len(lines), place.line + AROUND) + 1)
    shown = {number: StudentText(lines[number - 1].expandtabs(4), LONGEST) for number in numbers}
    if not any(text.strip() for text in shown.values()):
        return
    block = _add(card, "pre", kind="code")
    for number, text in shown.items():
        bare = text.lstrip()
        _add(block, "u" if number == place.line else "span", bare)
        before = f"{number:>4}  {text[: len(text) - len(bare)]}"
        if len(block) > 1:
            block[-2].tail = "\n" + before
        else:
            block.text = before


def _finding(main: ET.Element, seen: Seen, finding: Finding, drawn: dict[Picture, str]) -> None:
    lead, example = finding.lead, finding.lead.counterexample
    card = _add(main, "section", kind="finding waits" if lead.verdict.pending else "finding")
    _add(card, "h3", finding.heading)
    for line in finding.said():
        _add(card, "p", line)
    if where := pointers(seen, finding):
        _add(card, "p", " · ".join(where), "dim")
    _code(card, seen.report, lead.location)
    if example:
        _add(card, "p", finding.lead_in())
        _example(card, example)
        if example.picture:
            _picture(card, example.picture, drawn)
    _help(card, finding)
    if example and example.snippet:
        _add(card, "p", f"{invitation(seen.report)}:")
        _add(card, "pre", example.snippet)
    if also := finding.also():
        _add(card, "p", also)
    for note in lead.notes:
        _add(card, "p", sentence(note), "dim")
    if lead.staff_note and seen.view == "staff":  # as it is: a traceback has lines
        _add(card, "p", lead.staff_note, "dim")


def _example(parent: ET.Element, example: Counterexample, *, got: bool = True) -> None:
    table = _add(parent, "table", kind="rows example")
    for label, text, kind in values.lines(example):
        if got or kind in {"input", "expected"}:
            row = ET.SubElement(table, "tr")
            _add(row, "th", label)
            _add(row, "td", text, kind)


def _help(card: ET.Element, finding: Finding) -> None:
    rows = help_rows(finding)
    table = _add(card, "table", kind="rows") if rows else card
    for label, text in rows:
        row = ET.SubElement(table, "tr")
        _add(row, "th", label)
        _add(row, "td", text)


def _absent(main: ET.Element, report: Report, *, begin: bool) -> None:
    said = told(report)
    if said:
        _add(main, "h2", "Not written yet")
    for one in said:
        _add(main, "p", one.text)
        if one.example and begin:
            _add(main, "p", one.lead_in)
            _example(main, one.example, got=False)


def _close(main: ET.Element, seen: Seen) -> None:
    if seen.report.verdict is Verdict.PASSED:
        _add(main, "p", "Everything that was judged is right.")
    if with_what := ran_with(seen):
        _add(main, "p", with_what, "dim")
