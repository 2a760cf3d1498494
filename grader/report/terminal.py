"""The report in a terminal: the score, a table by criterion, then each wrong idea with its smallest example."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING

from grader.model.assignment import HintLevel
from grader.model.outcome import Counterexample, Grid, Verdict
from grader.model.report import Printed, Report
from grader.report import values
from grader.report.absent import Told, told
from grader.report.annotations import disarmed
from grader.report.findings import Finding, findings, pointers
from grader.report.help import more_from
from grader.report.spelled import help_rows, mark_row, ran_with
from grader.report.view import ORDER, Seen, View, as_seen
from grader.report.whole import asides, headline, invitation, not_judged, remarks, states
from grader.report.words import sentence

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

WIDEST, NARROWEST = 110, 40
"""Columns: longer lines are hard to read, shorter ones cannot be laid out."""


@dataclass(frozen=True, slots=True)
class Signs:
    """The characters drawn; plain ones where the terminal cannot show more."""

    passed: str = "✓"
    failed: str = "✗"
    waiting: str = "?"
    skipped: str = "–"
    full: str = "█"
    pending: str = "▒"
    empty: str = "░"
    line: str = "─"
    dot: str = "·"


PLAIN = Signs("+", "x", "?", "-", "#", "~", ".", "-", "-")
COLOURS = {
    Verdict.PASSED: "green",
    Verdict.SKIPPED: "bright_black",
    Verdict.UNDETERMINED: "yellow",
    Verdict.FAULT: "magenta",
}


def render(
    report: Report,
    view: View = "student",
    *,
    level: HintLevel | None = None,
    width: int = 80,
    colour: bool = False,
    plain: bool = False,
    again: str = "",
) -> str:
    """Return the report as text of at most ``width`` columns.

    ``colour`` adds ANSI colours, ``plain`` keeps to ASCII for our own signs. ``level`` is how much help is given;
    ``again`` is the command that was typed, to be typed again for more help.
    """
    from io import StringIO

    from rich.console import Console

    seen = as_seen(report, view, level)
    signs = PLAIN if plain else Signs()
    console = Console(
        force_jupyter=False,  # it is a text that is asked for, not something to show in the notebook
        file=StringIO(),
        width=max(NARROWEST, min(width, WIDEST)),
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    for part in _parts(seen, signs, console, again):
        console.print(part, soft_wrap=False, crop=False)
    text = str(console.file.getvalue())  # type: ignore[attr-defined]
    return "\n".join(disarmed(line.rstrip()) for line in text.splitlines()) + "\n"


def _parts(seen: Seen, signs: Signs, console: Console, again: str) -> Iterable[RenderableType]:
    yield from _head(seen, signs, console)
    if seen.report.unreadable:
        return
    yield _criteria(seen, signs)
    if notes := [*remarks(seen), *asides(seen), *seen.report.notes]:
        yield ""
        yield _pairs((signs.dot, sentence(note), "bright_black") for note in notes)
    before: Finding | None = None
    for finding in findings(seen):
        if before is None or finding.mark.criterion.id != before.mark.criterion.id:
            yield ""
            yield _rule(finding.title, signs, console)
        yield ""
        yield from _finding(seen, finding, signs, before, console)
        before = finding
    yield from _absent(told(seen.report), signs, console, begin=before is None)
    if skipped := not_judged(seen):
        yield ""
        yield _rule("Not judged", signs, console)
        yield _pairs((signs.skipped, text, "bright_black") for text in skipped)
    yield from _prints(seen.report.prints, signs, console)
    yield from _close(seen, console, again)


def _prints(prints: Sequence[Printed], signs: Signs, console: Console) -> Iterable[RenderableType]:
    """What the first call of each component that printed something printed."""
    if not prints:
        return
    yield ""
    yield _rule("What your code printed", signs, console)
    for one in prints:
        yield ""
        yield _text(one.call, "bright_black")
        yield from (_text(f"  {line}") for line in one.lines)


def _absent(said: tuple[Told, ...], signs: Signs, console: Console, *, begin: bool) -> Iterable[RenderableType]:
    """What is not there yet; where there is nothing else to look at, with the example to ``begin`` with."""
    if not said:
        return
    yield ""
    yield _rule("Not written yet", signs, console)
    for one in said:
        yield ""
        yield _text(one.text)
        if one.example and begin:
            yield ""
            yield _indented(_text(one.lead_in))
            yield _indented(_example(replace(one.example, got=""), inputs=True))


def _text(content: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(content, style=style, overflow="fold", tab_size=4)


def _code(content: str) -> RenderableType:
    """Lines to be copied: without a margin, and whole even where one is wider than the terminal."""
    from rich.console import Group
    from rich.text import Text

    return Group(Text(content, style="cyan", no_wrap=True, overflow="ignore", tab_size=4))  # bare, it would be wrapped


def _head(seen: Seen, signs: Signs, console: Console) -> Iterable[RenderableType]:
    report = seen.report
    who = f" {signs.dot} {report.submission.submitter}" if seen.view == "staff" and report.submission.submitter else ""
    yield _text(report.assignment.title, "bold")
    late = f" {signs.dot} late" if report.submission.late else ""
    yield _text(f"{report.submission.path}{who} {signs.dot} {report.assignment.id}{late}", "bright_black")
    yield ""
    if report.unreadable:
        yield _text("This submission cannot be read, so nothing was judged.", "bold red")
        yield _text(sentence(report.unreadable))
        return
    bar, percent = _bar(seen, signs, min(40, console.width - 34))
    line = _text("")
    line.append_text(bar)
    line.append(f"  {headline(seen)}", "bold")
    line.append(f" {signs.dot} {percent} %", "bright_black")
    yield line
    yield ""


def _bar(seen: Seen, signs: Signs, width: int) -> tuple[Text, int]:
    report = seen.report
    maximum = report.max_score or 1
    full = min(width, int(report.score * width / maximum))
    waiting = min(width - full, int(report.pending * width / maximum))
    text = _text(signs.full * full, "green")
    text.append(signs.pending * waiting, "yellow")
    text.append(signs.empty * (width - full - waiting), "bright_black")
    return text, int(report.score * 100 / maximum)


def _sign(verdict: Verdict, signs: Signs) -> tuple[str, str]:
    shown = {
        Verdict.PASSED: signs.passed,
        Verdict.SKIPPED: signs.skipped,
        Verdict.UNDETERMINED: signs.waiting,
        Verdict.FAULT: signs.waiting,
    }
    return shown.get(verdict, signs.failed), COLOURS.get(verdict, "red")


def _criteria(seen: Seen, signs: Signs) -> Table:
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    became = states(seen)
    for mark in seen.report.marks:
        sign, colour = _sign(mark.verdict, signs)
        title, done, got = mark_row(mark, became[mark.criterion.id])
        table.add_row(_text(sign, colour), _text(title), _text(done, "bright_black"), _text(got, "bold"))
    return table


def _rule(title: str, signs: Signs, console: Console) -> Text:
    line = _text(f"{signs.line * 2} ", "bright_black")
    line.append(title, "bold")
    line.append(" " + signs.line * max(0, console.width - line.cell_len - 1), "bright_black")
    return line


def _pairs(rows: Iterable[tuple[str, str, str]]) -> Table:
    """A grid of label and text."""
    return _grid(((_text(label, "bright_black"), _text(content, style)) for label, content, style in rows), 2)


def _grid(rows: Iterable[tuple[Text, Text]], gap: int) -> Table:
    """Two columns; the text of the second hangs under itself when it wraps."""
    from rich.table import Table

    grid = Table.grid(padding=(0, gap, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for row in rows:
        grid.add_row(*row)
    return grid


def _indented(part: RenderableType) -> RenderableType:
    from rich.padding import Padding

    return Padding(part, (0, 0, 0, 2))


def _finding(
    seen: Seen, finding: Finding, signs: Signs, before: Finding | None, console: Console
) -> Iterable[RenderableType]:
    """One wrong idea; what the finding ``before`` it has shown already is not shown again."""
    lead, example = finding.lead, finding.lead.counterexample
    earlier = before.lead.counterexample if before else None
    again = bool(example and earlier and example.inputs == earlier.inputs and example.snippet == earlier.snippet)
    sign, colour = _sign(lead.verdict, signs)
    yield _grid([(_text(sign, colour), _text(finding.heading, f"bold {colour}"))], 1)
    for line in finding.said():
        yield _indented(_text(line))
    if where := pointers(seen, finding):
        yield _indented(_text(f" {signs.dot} ".join(where), "bright_black"))
    if example:
        yield ""
        yield _indented(_text("On the same input:" if again else finding.lead_in()))
        yield _indented(_example(example, inputs=not again))
        if isinstance(example.picture, Grid) and (earlier is None or earlier.picture != example.picture):
            yield from _picture(example.picture, signs, console)
    yield from _help(finding)
    if example and example.snippet and not again:
        yield ""
        yield _indented(_text(f"{invitation(seen.report)}:"))
        yield _code(values.pasteable(example.snippet, console.width))
    if also := finding.also():
        yield ""
        yield _indented(_text(also))
    for note in (*lead.notes, *([lead.staff_note] if lead.staff_note and seen.view == "staff" else [])):
        yield _indented(_text(sentence(note), "bright_black"))


def _picture(picture: Grid, signs: Signs, console: Console) -> Iterable[RenderableType]:
    from grader.report.pictures import characters

    drawn = list(characters.lines(picture, console.width - 2, plain=signs is PLAIN))
    if drawn:
        yield ""
        yield from (_indented(_text(line, "bright_black" if n in {0, len(drawn) - 1} else ""))
                    for n, line in enumerate(drawn))  # fmt: skip


def _example(example: Counterexample, *, inputs: bool) -> Table:
    styles = {"expected": "green", "got": "red"}
    return _pairs((label, text, styles.get(kind, "")) for label, text, kind in values.lines(example, inputs=inputs))


def _help(finding: Finding) -> Iterable[RenderableType]:
    rows = help_rows(finding)
    if rows or finding.diagnosis:
        yield ""
        labels = ["" if n and label == "hint" else label for n, (label, _) in enumerate(rows)]
        yield _indented(_pairs((label, text, "") for label, (_, text) in zip(labels, rows, strict=True)))


def _close(seen: Seen, console: Console, again: str) -> Iterable[RenderableType]:
    report = seen.report
    yield ""
    if report.verdict is Verdict.PASSED:
        yield _text("Everything that was judged is right.", "green")
    elif seen.view == "student" and (further := more_from(seen)):
        steps = ORDER.index(further) - ORDER.index(report.rubric.hint_level)
        typed = again or f"grader check {quote(report.submission.path)}"
        label, command = "More help:", f"{typed}{' --hint' * steps}"
        if len(label) + 1 + len(command) > console.width:  # the command stays whole, to be copied
            yield _text(label, "bright_black")
            yield _code(command)
        else:
            yield _text(f"{label} {command}", "bright_black")
    if with_what := ran_with(seen):
        yield _text(with_what, "bright_black")
