"""GitHub workflow commands: annotations on the student's own lines."""

import re
from collections.abc import Iterator

from grader.model.assignment import HintLevel
from grader.model.outcome import Location
from grader.model.report import Report
from grader.report.absent import absences, told
from grader.report.findings import Finding, findings
from grader.report.placed import entry, placed
from grader.report.spelled import spelled
from grader.report.view import Seen, View, as_seen
from grader.report.whole import headline, remarks


def render(
    report: Report, view: View = "student", *, level: HintLevel | None = None, root: str = "", decided: str = ""
) -> str:
    """Return one workflow command per finding and a notice with the score, or with what was ``decided`` by it.

    ``root`` is the folder of the work inside the repository; files are named from there.
    """
    return "\n".join(_commands(as_seen(report, view, level), root, decided)) + "\n"


def _commands(seen: Seen, root: str, decided: str) -> Iterator[str]:
    if seen.report.unreadable:
        yield command("error", {"title": "This work cannot be read"}, seen.report.unreadable)
        return
    for finding in findings(seen):
        outcome = finding.lead
        kind = "warning" if outcome.verdict.pending else "error"
        title = finding.heading
        yield command(kind, {**_where(finding.place, root), "title": title.rstrip(".")}, _message(finding))
    for absent in absences(seen.report)[:1]:
        text = " ".join(one.text for one in told(seen.report))
        file = entry(seen.report, root)
        where = _where(absent.location, root) or ({"file": file, "line": "1"} if file else {})
        yield command("warning", {**where, "title": "Not written yet"}, text)
    said = decided or " ".join((f"{headline(seen)}.", *remarks(seen)))
    yield command("notice", {"title": seen.report.assignment.title}, said)


def _where(location: Location | None, root: str) -> dict[str, str]:
    if location is None:
        return {}
    file, line = placed(location, root)
    return {"file": file, "line": str(line)} if line else {"file": file}


def _message(finding: Finding) -> str:
    where = finding.place
    cell = [f"Cell {where.cell}, line {where.line}."] if where and where.cell else []
    return "\n".join((*cell, *spelled(finding)))


def command(kind: str, properties: dict[str, str], message: str) -> str:
    """Return one workflow command; neither the message nor a property can end it or start another."""
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{kind} {listed}::{_data(message)}" if listed else f"::{kind}::{_data(message)}"


def guarded(text: str, token: str) -> str:
    """Return ``text`` for a log in which no line of it is taken for a command; ``token`` must be unguessable."""
    return f"::stop-commands::{token}\n{text}\n::{token}::\n"


_COMMAND = re.compile(r"^((?:\s|\x1b\[[0-9;]*m)*:)(?=:)|(#)(?=#\w*\[)")
"""What a CI runner that reads the log obeys: two colons at the start of a line, ``##[`` and its like anywhere."""


def disarmed(line: str) -> str:
    """Return a line of a log that no runner obeys: the two signs parted by a space.

    A long text may be wrapped so that a line starts with them, and runners look past blanks and colours.
    """
    return _COMMAND.sub(r"\1\2 ", line) if "::" in line or "##" in line else line


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
