"""The page of a class: who did how, what was misunderstood, whose work a person should look at.

It is one file, or the front page of a folder with each student's report; either opens from disk. Its script sorts and
filters and is the only thing, beside its style, that a browser may run: both are named by their digests. Without a
script the page is a plain table.
"""

import base64
import hashlib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree as ET

from markupsafe import Markup

from grader.classroom.overview import BINS, Overview
from grader.classroom.results import write_atomically
from grader.errors import system_errors
from grader.report.pictures import svg
from grader.report.words import points

LOOKS = {
    "waits": "waits for a person", "fault": "the grader failed", "unreadable": "cannot be read",
    "broken": "nothing of it runs", "absent": "nothing handed in", "late": "late", "alike": "alike",
    "timeout": "ran out of time", "memory": "ran out of memory", "crashed": "ended the process",
    "missing": "a part is missing",
}  # fmt: skip
"""Reasons to look at somebody's work, the most pressing first."""

SHADES = 4
"""Steps in which a cell tells the share of its points."""


def render(found: Overview, links: Mapping[str, str] | None = None, *, named: bool = True) -> str:
    """Return the page. ``links`` lead from a student's key to the report; where not ``named``, no name is in it."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"points": points, "plain": _plain}
    style, script = _asset("class.css"), _asset("class.js")
    known = {mistake.id: mistake.title for mistake in found.counted.mistakes}
    return environment.from_string(_asset("class.html")).render(
        page=found, links=links or {}, named=named, looks=_present(found), words=LOOKS, known=known,
        style=_markup(style), script=_markup(script), distribution=_markup(_distribution(found)), shade=_shade,
        policy=f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; base-uri 'none'; "
        "form-action 'none'",
        checks=sorted(found.counted.checks, key=lambda check: (check.pass_rate, check.id)),
        numbers={line.key: number for number, line in enumerate(found.lines, 1)},
    )  # fmt: skip


def folder(found: Overview, reports: Iterator[tuple[str, str]], target: Path, *, named: bool = True) -> int:
    """Write the page and the ``reports``, by key, into a folder; return how many reports. Raises GraderError."""
    students, links = target / "students", {}
    with system_errors(students, "Name another with -o."):
        students.mkdir(parents=True, exist_ok=True)
    for number, (key, text) in enumerate(reports, 1):
        name = f"{number:04}.html"
        links[key] = f"students/{name}"
        write_atomically(students / name, text)
    write_atomically(target / "index.html", render(found, links, named=named))
    return len(links)


def _plain(title: str) -> str:
    return title.rstrip(".")


def _asset(name: str) -> str:
    return (files("grader.classroom") / "templates" / name).read_text(encoding="utf-8")


def _markup(text: str) -> str:
    """Text of our own that is markup already."""
    return Markup(text)  # noqa: S704 - a file of the package, or a drawing that escaped its texts


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _shade(share: float) -> int:
    """In which of the shades a share is shown; 0 is nothing, the last is everything."""
    return SHADES if share >= 1 else max(0, min(SHADES - 1, int(share * SHADES)))


def _present(found: Overview) -> dict[str, int]:
    """How many students there are for each reason to look, in the order of the reasons."""
    counts = {kind: sum(kind in line.looks for line in found.lines) for kind in LOOKS}
    return {kind: count for kind, count in counts.items() if count}


def _distribution(found: Overview) -> str:
    """The histogram of the scores."""
    wide, high, left, top = 46, 120, 8, 20
    said = "; ".join(f"{n * 100 // BINS} to {(n + 1) * 100 // BINS} %: {count}" for n, count in enumerate(found.bins))
    drawn = svg.drawing(
        ET.Element("div"), "distribution", "How many students have which share of the points", said,
        left * 2 + wide * BINS + 12, top + high + 22,
    )  # fmt: skip
    most = max(found.bins) or 1
    for number, count in enumerate(found.bins):
        height = high * count / most
        x = left + wide * number
        svg.box(drawn, x + 2, top + high - height, wide - 4, height, kind="bar")
        if count:
            svg.text(drawn, x + wide / 2, top + high - height - 5, str(count), anchor="middle")
        svg.text(drawn, x, top + high + 16, str(number * 100 // BINS), "label", "middle" if number else "start")
    svg.text(drawn, left + wide * BINS, top + high + 16, "100 %", "label", "middle")
    svg.line(drawn, [(left, top + high), (left + wide * BINS, top + high)], "axis")
    return ET.tostring(drawn, encoding="unicode", method="html")
