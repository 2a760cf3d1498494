"""The report as a page: one file that needs nothing else, without a script, light or dark, fit to be printed.

It is built as a tree of elements, so that every text is escaped when it is written out and none can become markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from xml.etree import ElementTree as ET

from grader.model import Assignment, Counterexample, HintLevel, Mark, Picture, Report, Verdict, joined
from grader.report import pictures, values
from grader.report.absent import told
from grader.report.code import CodeLine, lines_at
from grader.report.findings import Finding, findings, headline, invitation, not_judged, pointers, remarks, states
from grader.report.view import Seen, View, as_seen
from grader.report.words import capital, explain, points, sentence, storable

SIGNS = {Verdict.PASSED: "✓", Verdict.SKIPPED: "–", Verdict.UNDETERMINED: "?", Verdict.FAULT: "?"}
KINDS = {Verdict.PASSED: "right", Verdict.SKIPPED: "idle", Verdict.UNDETERMINED: "waits", Verdict.FAULT: "waits"}

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What a browser may load for the page: its own style and nothing else."""

MOST_PICTURES = 20
"""A page with more findings draws no further ones: it stays small enough to be sent."""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --dim: #5c646c; --paper: #fff; --card: #f5f6f8; --line: #d9dde2;
  --right: #1a7f37; --wrong: #b42318; --waits: #8a5a00; --code: #eef1f4; --heat: #5b9bff; --more: #e8964a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --dim: #a0a8b0; --paper: #14171a; --card: #1d2125;
  --line: #363c43; --right: #4cc36d; --wrong: #ff8a7a; --waits: #e3b341; --code: #262b30;
  --heat: #1f5fbf; --more: #a65312; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 52rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 2.25rem 0 .75rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); font-size: 1.15rem; }
h3 { margin: 0 0 .5rem; font-size: 1rem; }
p { margin: .5rem 0; }
.dim { color: var(--dim); }
.score { margin: 1.25rem 0 1rem; font-size: 1.25rem; font-weight: 600; }
.bar { display: flex; height: .6rem; margin-top: .4rem; border-radius: .3rem; overflow: hidden;
  background: var(--line); }
.bar .right { background: var(--right); } .bar .waits { background: var(--waits); }
table { border-collapse: collapse; width: 100%; }
.marks td { padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.marks td:first-child { width: 1.75rem; }
.marks .number { text-align: right; white-space: nowrap; padding-right: 0; font-variant-numeric: tabular-nums; }
.marks .word { color: var(--dim); white-space: nowrap; }
td.right { color: var(--right); } td.wrong { color: var(--wrong); } td.waits { color: var(--waits); }
.finding { margin: 1rem 0; padding: 1rem; border: 1px solid var(--line); border-left: .25rem solid var(--wrong);
  border-radius: .4rem; background: var(--card); }
.finding.waits { border-left-color: var(--waits); }
.rows { margin: .5rem 0; }
.rows th, .rows td { vertical-align: baseline; }
.rows th { padding: .15rem 1rem .15rem 0; width: 1%; text-align: left; font-weight: 400; color: var(--dim);
  white-space: nowrap; }
.rows td { padding: .15rem 0; white-space: pre-wrap; }
.example td, code, pre { font: .875rem/1.5 ui-monospace, Consolas, monospace; }
.example .expected { color: var(--right); } .example .got { color: var(--wrong); }
pre { margin: .5rem 0; padding: .75rem; white-space: pre-wrap; border-radius: .3rem; background: var(--code); }
u { text-decoration: underline wavy var(--wrong); text-underline-offset: .2em; }
ul { margin: .75rem 0; padding-left: 1.25rem; }
@media print { :root { color-scheme: light; --ink: #000; --dim: #444; --paper: #fff; --card: #fff; --code: #fff;
  --line: #999; --right: #060; --wrong: #900; --waits: #640; --heat: #5b9bff; --more: #e8964a; }
  body { padding: 0; max-width: none; font-size: 10pt; } tr, figure { break-inside: avoid; }
  h2, h3 { break-after: avoid; } pre { border: 1px solid var(--line); }
  .bar, .bar span { print-color-adjust: exact; } }
@media (max-width: 30rem) { .marks .word { white-space: normal; } .finding { padding: .75rem; }
  .rows th { padding-right: .6rem; } .example td, code, pre { font-size: .8rem; } pre { padding: .5rem; } }
"""


def render(report: Report, view: View = "student", *, level: HintLevel | None = None) -> str:
    """Return the report as one HTML file; text of a submission is shown and never obeyed."""
    seen = as_seen(report, view, level)
    html, body = _page(f"{report.assignment.title}: {_score(seen)}")
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
    ET.SubElement(head, "style").text = STYLE + pictures.STYLE
    return html, ET.SubElement(html, "body")


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


def _score(seen: Seen) -> str:
    return "unreadable" if seen.report.unreadable else headline(seen)


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
    _list(main, (capital(sentence(note)) for note in (*remarks(seen), *report.notes)))
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
        extra = " (bonus)" if mark.criterion.bonus else ""
        extra += " (staff)" if mark.criterion.audience == "staff" else ""
        _add(row, "td", mark.criterion.title + extra)
        done = became[mark.criterion.id]
        _add(row, "td", done + (" checks" if done[0].isdigit() else ""), "word")
        waiting = f" +{points(mark.pending)}?" if mark.pending else ""
        _add(row, "td", f"{points(mark.points)}{waiting} / {points(mark.criterion.points)}", "number")


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


def _code(card: ET.Element, lines: Sequence[CodeLine]) -> None:
    """The line at fault, underlined, among its neighbours; its own indentation is kept."""
    if not any(line.text.strip() for line in lines):
        return
    block = _add(card, "pre", kind="code")
    for number, line in enumerate(lines):
        bare = line.text.lstrip()
        _add(block, "u" if line.fault else "span", bare)
        before = f"{line.number:>4}  {line.text[: len(line.text) - len(bare)]}"
        if number:
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
    _code(card, lines_at(seen.report, lead.location))
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
        _add(card, "p", capital(sentence(note)), "dim")
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
    known = finding.diagnosis
    hints = finding.hints()
    explained = finding.level is HintLevel.EXPLANATION and known and known.hints.get("explanation")
    last = "why" if explained and len(hints) > 1 else "hint"
    rows = [(last if hint is hints[-1] else "hint", hint) for hint in hints]
    if known and known.reread:
        rows.append(("reread", known.reread))
    if known and known.family:
        rows.append(("or", f"{', '.join(map(joined, known.family))} (no input tells these apart)"))
    if known and explain(known):
        rows.append(("read on", explain(known)))
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
            why = f" ({sentence(one.example.why)[:-1]})" if one.example.why else ""
            _add(main, "p", f"The smallest case{why}:")
            _example(main, one.example, got=False)


def _close(main: ET.Element, seen: Seen) -> None:
    held = seen.report.isolation
    if seen.report.verdict is Verdict.PASSED:
        _add(main, "p", "Everything that was judged is right.")
    if seen.view == "staff":
        missing = f", missing {', '.join(held.missing)}" if held.missing else ""
        said = f"grader {seen.report.grader_version}, seed {seen.report.seed}, isolation {held.applied or 'not needed'}"
        _add(main, "p", said + missing, "dim")
    elif held.applied not in {"strict", ""}:
        _add(main, "p", f"Run with isolation {held.applied}.", "dim")
