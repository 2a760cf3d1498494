"""`grader report` as a page, of one student, and feedback as pages: what was graded is what they show."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import statistics
from grader.classroom.overview import BINS, overview
from grader.classroom.policy import Policy
from grader.classroom.results import open_results

from .conftest import BROKEN, NO_SCALE, RIGHT, write


@pytest.fixture
def graded(tmp_path: Path, grader: Callable[..., Any]) -> Path:
    """Three students: one right, one with a mistake, one whose file does not run."""
    write(tmp_path / "class", {f"{name}/attention.py": code for name, code in
                               (("Ann Lee", RIGHT), ("Bob Ray", NO_SCALE), ("Cyd Poe", BROKEN))})  # fmt: skip
    assert grader("grade", "class", "-a", "attention-numpy", "-o", "results", "--isolation", "standard").code == 0
    return tmp_path / "results"


def text(page: str) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", page))


def test_the_page_says_who_made_which_mistake_and_links_to_each_report(
    graded: Path, grader: Callable[..., Any], tmp_path: Path
) -> None:
    ran = grader("report", graded, "-o", "site")
    assert ran.code == 0
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    row = next(part for part in page.split("<tr ") if "Bob Ray" in part)
    assert "mistake:sdpa-no-scale" in row
    link = re.search(r'href="(students/\d+\.html)"', row)
    assert link is not None
    assert "sdpa-no-scale" in (tmp_path / "site" / link[1]).read_text(encoding="utf-8")
    assert "nothing of it runs" in next(part for part in page.split("<tr ") if "Cyd Poe" in part)


def test_the_page_is_one_file_or_goes_to_the_terminal(graded: Path, grader: Callable[..., Any], tmp_path: Path) -> None:
    assert grader("report", graded, "-o", "class.html").code == 0
    assert "href" not in (tmp_path / "class.html").read_text(encoding="utf-8")
    assert grader("report", graded, "--format", "html").out.startswith("<!DOCTYPE html>")
    assert "Bob" not in grader("report", graded, "--format", "html", "--no-names").out


def test_points_that_a_person_gave_stand_on_the_page(graded: Path, grader: Callable[..., Any]) -> None:
    assert grader("override", graded, "Bob Ray", "softmax", "1", "--reason", "talked").code == 0
    results = open_results(graded)
    found = overview(results, Policy(), "t", {"softmax": "Softmax"})
    line = next(line for line in found.lines if line.name == "Bob Ray")
    assert line.cells["softmax"].points == 1
    assert sum(found.bins) == 3
    assert len(found.bins) == BINS


def test_a_mistake_has_an_example_that_shows_it(graded: Path) -> None:
    mistake = next(m for m in statistics.of(open_results(graded)).mistakes if m.id == "sdpa-no-scale")
    assert len(mistake.who) == mistake.students == 1
    assert mistake.example is not None
    assert mistake.example.key == mistake.who[0]
    assert mistake.example.expected != mistake.example.got


@pytest.mark.parametrize("form", ["text", "json", "html", "markdown"])
def test_one_student_is_shown_by_name(form: str, graded: Path, grader: Callable[..., Any]) -> None:
    ran = grader("report", graded, "ray, bob", "--format", form)
    assert ran.code == 0
    assert "sdpa-no-scale" in ran.out
    assert "Bob Ray" in ran.out


def test_a_student_that_is_not_there_and_a_format_for_one_are_told(graded: Path, grader: Callable[..., Any]) -> None:
    assert "there is no student" in grader("report", graded, "Zoe").err
    assert "for one student" in grader("report", graded, "--format", "markdown").err
    assert grader("report", graded, "--format", "json", "-o", "x.json").code == 2


def test_feedback_comes_as_pages_without_what_is_hidden(
    graded: Path, grader: Callable[..., Any], tmp_path: Path
) -> None:
    grader("override", graded, "Bob Ray", "softmax", "1", "--reason", "talked")
    assert grader("export", graded, "--feedback", "fb", "--feedback-as", "html", "-o", "g.csv").code == 0
    pages = {path.stem: text(path.read_text(encoding="utf-8")) for path in (tmp_path / "fb").rglob("*.html")}
    assert len(pages) == 3
    page = next(page for name, page in pages.items() if "bob" in name.casefold())
    assert "Score: " in page
    assert "talked" in page
    assert "seed" not in page
