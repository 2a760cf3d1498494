"""The report as Markdown (GitHub's flavour): for job summaries, comments and files."""

import re
from collections.abc import Iterator

from grader.model.assignment import HintLevel
from grader.model.outcome import Verdict, joined
from grader.model.report import Mark, Report
from grader.report import values
from grader.report.absent import told
from grader.report.findings import Finding, findings, pointers
from grader.report.spelled import mark_row
from grader.report.view import Seen, View, as_seen
from grader.report.whole import headline, invitation, not_judged, remarks, states
from grader.report.words import explain, sentence

SIGNS = {Verdict.PASSED: "✅", Verdict.SKIPPED: "➖", Verdict.UNDETERMINED: "❔", Verdict.FAULT: "❔"}


def render(report: Report, view: View = "student", *, level: HintLevel | None = None, decided: str = "") -> str:
    """Return the report as Markdown; text from the submission can neither format nor link nor mention.

    ``decided`` says below the title what came of the score, where something depends on it.
    """
    return "\n".join(_lines(as_seen(report, view, level), decided)) + "\n"


def _lines(seen: Seen, decided: str) -> Iterator[str]:
    report = seen.report
    yield f"# {inline(report.assignment.title)}"
    yield ""
    who = f" · {inline(report.submission.submitter)}" if seen.view == "staff" and report.submission.submitter else ""
    yield f"{code(report.submission.path)}{who} · {inline(report.assignment.id)}"
    yield ""
    if report.unreadable:
        yield f"**This submission cannot be read, so nothing was judged.** {inline(sentence(report.unreadable))}"
        return
    yield f"**{inline(decided) if decided else headline(seen)}**"
    yield ""
    if decided and seen.hidden:
        yield f"{headline(seen)} shown"
        yield ""
    yield from _table(seen)
    for note in (*remarks(seen), *report.notes):
        yield f"- {inline(note)}"
    before: Mark | None = None
    for finding in findings(seen):
        if before is None or finding.mark.criterion.id != before.criterion.id:
            before = finding.mark
            yield ""
            yield f"## {inline(finding.title)}"
        yield from of_finding(seen, finding)
    if said := told(report):
        yield ""
        yield "## Not written yet"
        yield ""
        yield from (f"- {inline(one.text)}" for one in said)
    if skipped := not_judged(seen):
        yield ""
        yield "## Not judged"
        yield ""
        yield from (f"- {inline(text)}" for text in skipped)
    yield from _prints(report)
    if seen.view == "staff":
        held = report.isolation
        yield ""
        applied = inline(held.applied or "not needed")
        yield f"grader {inline(report.grader_version)}, seed {report.seed}, isolation {applied}"


def _prints(report: Report) -> Iterator[str]:
    if report.prints:
        yield ""
        yield "## What your code printed"
    for one in report.prints:
        yield ""
        yield code(one.call)
        yield ""
        yield from (f"    {line}" for line in one.lines)


def _table(seen: Seen) -> Iterator[str]:
    yield "| | criterion | checks passed | points |"
    yield "| --- | --- | --- | ---: |"
    became = states(seen)
    for mark in seen.report.marks:
        sign = SIGNS.get(mark.verdict, "❌")
        bonus = " (bonus)" if mark.criterion.bonus else ""
        *_, got = mark_row(mark, became[mark.criterion.id])
        yield f"| {sign} | {inline(mark.criterion.title)}{bonus} | {became[mark.criterion.id]} | {got} |"
    yield ""


def of_finding(seen: Seen, finding: Finding) -> Iterator[str]:
    """Yield the lines of one finding."""
    lead, known = finding.lead, finding.diagnosis
    yield ""
    yield f"### {inline(finding.heading)}"
    yield ""
    yield from (inline(line) for line in finding.said())
    if where := pointers(seen, finding):
        yield ""
        yield " · ".join(inline(part) for part in where)
    yield from _example(seen, finding)
    for hint in finding.hints():
        yield ""
        yield f"> **Hint.** {inline(hint)}"
    if known and (explain(known) or seen.view == "staff"):
        family = f" (no input tells it apart from {', '.join(map(joined, known.family))})" if known.family else ""
        reread = f"Reread {inline(known.reread)}. " if known.reread else ""
        read_on = f": {code(explain(known))}" if explain(known) else "."
        yield ""
        yield f"{reread}Mistake {inline(known.id + family)}{read_on}"
    if also := finding.also():
        yield ""
        yield inline(also)
    notes = [*lead.notes, *([lead.staff_note] if lead.staff_note and seen.view == "staff" else [])]
    for note in notes:
        yield ""
        yield from fence(note)


def _example(seen: Seen, finding: Finding) -> Iterator[str]:
    example = finding.lead.counterexample
    if example is None:
        return
    rows = [values.assigned(name, text) for name, text in example.inputs.items()]
    rows += [
        f"expected    {values.named(example, example.expected)}",
        f"got         {values.named(example, example.got)}",
    ]
    if example.max_error is not None:
        rows.append(f"difference  {values.difference(example)}")
    yield ""
    yield inline(finding.lead_in())
    yield ""
    yield from fence("\n".join(rows))
    if example.snippet:
        yield ""
        yield f"{invitation(seen.report)}:"
        yield ""
        yield from fence(example.snippet, "python")


def fence(text: str, language: str = "") -> Iterator[str]:
    """Yield ``text`` as a code block whose fence is longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    marks = "`" * max(3, longest + 1)
    yield marks + language
    yield from text.splitlines() or [""]
    yield marks


def code(text: str) -> str:
    """Return ``text`` as inline code on one line."""
    flat = " ".join(text.split())
    longest = max((len(run) for run in re.findall(r"`+", flat)), default=0)
    marks = "`" * (longest + 1)
    pad = " " if not flat or flat[0] in "` " or flat[-1] in "` " else ""
    return f"{marks}{pad}{flat}{pad}{marks}".replace("|", "\\|")


_ESCAPED = str.maketrans(
    {
        **{character: "\\" + character for character in "\\`*_[]#|~!"},
        "<": "&lt;",
        ">": "&gt;",
        "&": "&amp;",
        "@": "@&#8288;",  # a word joiner, so that nobody is mentioned
        "$": "&#36;",
    }
)


def inline(text: str) -> str:
    """Return ``text`` as one line of plain words: no markup, no HTML, no link, no mention."""
    flat = " ".join(str(text).split()).translate(_ESCAPED)
    flat = flat.replace("://", "&#58;//")
    flat = re.sub(r"www\.", "www&#46;", flat, flags=re.IGNORECASE)
    flat = re.sub(r"^([-+=])", r"\\\1", flat)
    return re.sub(r"^(\d+)([.)])", r"\1\\\2", flat)
