"""The page says what the terminal says, needs nothing else, and is not broken by what a student wrote."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
import reports
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.model.assignment import HintLevel
from grader.model.report import Report
from grader.model.submission import Submission
from grader.report import page, terminal
from grader.report.view import View

MADE = {
    name: getattr(reports, name)
    for name in (
        "all_right",
        "no_scale",
        "exception",
        "of_every_kind",
        "hostile",
        "with_hidden",
        "unreadable",
        "starter",
        "untouched",
    )
}
TAGS = {"html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "div", "span", "table", "tr"}
TAGS |= {"th", "td", "ul", "li", "section", "pre", "u"}
DRAWN = {"figure", "figcaption", "svg", "title", "desc", "g", "rect", "path", "text", "ellipse", "circle"}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "style"}


class Read(HTMLParser):
    """Elements, attributes and text, as a browser would take them."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        if not data.startswith("\n:root"):
            self.text.append(data)


def words(text: str) -> list[str]:
    """Every word and number, whatever stands between them."""
    return re.findall(r"[\w√ᵀ]+", text)


@pytest.mark.parametrize("view", ["student", "staff"])
@pytest.mark.parametrize("name", MADE)
def test_nothing_but_known_elements_is_in_a_page(name: str, view: View) -> None:
    text = page.render(MADE[name](), view)
    read = Read(text)
    assert read.tags <= TAGS
    assert {key for key, _ in read.attributes} <= ATTRIBUTES
    assert all(re.fullmatch(r"width: [\d.]+%", value or "") for key, value in read.attributes if key == "style")
    assert text.count("<style>") == text.count("</style>") == 1
    assert "url(" not in text
    assert "@import" not in text


@settings(deadline=None)
@given(st.text())
def test_no_name_of_a_file_or_student_becomes_markup(name: str) -> None:
    report = replace(reports.no_scale(), submission=Submission("s", name, submitter=name), notes=(name,))
    read = Read(page.render(report, "staff"))
    assert read.tags <= TAGS


@pytest.mark.parametrize("level", [HintLevel.NUDGE, HintLevel.EXPLANATION])
@pytest.mark.parametrize("view", ["student", "staff"])
@pytest.mark.parametrize("name", [name for name in MADE if name != "hostile"])
def test_a_page_says_what_the_terminal_says(name: str, view: View, level: HintLevel) -> None:
    report: Report = MADE[name]()
    printed = terminal.render(report, view, level=level, width=110).split("More help: ")[0]
    said = words(" ".join(Read(page.render(report, view, level=level)).text))
    unsaid = [word for word in words(printed) if word not in said and not re.fullmatch(r"\d+", word)]
    assert unsaid == []


def test_a_secret_stays_out_of_the_page() -> None:
    report = reports.with_hidden()
    shown = page.render(report)
    hidden = [o.title for mark in report.marks for o in mark.outcomes if o.title not in terminal.render(report)]
    assert hidden
    assert "Causal mask" not in shown


def test_no_text_of_a_submission_is_wider_than_a_narrow_screen() -> None:
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", page._style().partition("@media print")[0])
    styles = {name.strip(): rule for names, rule in rules for name in names.split(",")}
    assert "overflow-wrap: anywhere" in styles["body"]
    assert "white-space: pre-wrap" in styles["pre"], "lines to be pasted fold on the screen, and are copied whole"
    assert "white-space: pre-wrap" in styles[".rows td"]
    assert not re.search(r"overflow(-x)?:\s*(auto|scroll)", page._style()), "a phone shows no scroll bar"


def test_the_line_at_fault_is_underlined_among_its_neighbours() -> None:
    text = page.render(reports.exception())
    block = re.search(r'<pre class="code">(.*?)</pre>', text, re.DOTALL)
    assert block is not None
    lines = block[1].split("\n")
    assert len(lines) == 3
    assert ["<u>" in line for line in lines] == [False, True, False]
    assert lines[1].lstrip().partition(" ")[0].isdigit()


def test_code_is_not_repeated_from_a_file_that_is_not_at_hand() -> None:
    gone = replace(reports.exception(), submission=Submission("s", "attention.py"))
    assert '<pre class="code">' not in page.render(gone)


@pytest.mark.parametrize("view", ["student", "staff"])
def test_what_is_right_around_a_wrong_part_is_said_to_be(view: View) -> None:
    around = [replace(one, notes=("Right, given your softmax",)) for one in reports.ATTENTION[:2]]
    made = reports.report([*reports.SOFTMAX, *around, *reports.ATTENTION[2:], *reports.MASK])
    told = "Attention output and weights (2 checks): right, given your softmax."
    assert told in " ".join(terminal.render(made, view).split())
    assert told in page.render(made, view)
