"""The page of a class in a browser: a thousand rows are sorted and filtered, names are hidden, reports a click away."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
import reports
from playwright.sync_api import Page

from grader.classroom import class_page
from grader.classroom.overview import Cell, Line, Overview
from grader.classroom.statistics import CheckStatistics, ClassStatistics, Example, Mistake
from grader.report import page as html

pytestmark = pytest.mark.slow

MISTAKE = "sdpa-no-scale"
EVIL = "<img src=x onerror=alert(1)>'\"&</script>"


def a_class(count: int) -> Overview:
    lines = tuple(
        Line(
            f"s{n}", EVIL if n == 3 else f"Student Name {n}", Decimal(n * 7 % 100) / 5, Decimal(20),
            "failed", f"s{n}",
            {"a": Cell(Decimal(n % 8), Decimal(0), Decimal(7)), "b": Cell(Decimal(n % 3), Decimal(1), Decimal(13))},
            (MISTAKE,) if n % 10 == 0 else (), ("late",) if n % 50 == 0 else (),
        )
        for n in range(count)
    )  # fmt: skip
    example = Example("s0", "a.values", f"Holds {EVIL}", {"x": EVIL}, "1", EVIL)
    who = tuple(line.key for line in lines if line.mistakes)
    checks = (
        CheckStatistics("a.values", "The values are right.", count, count // 2, 0.5, 0.5, 0.31),
        CheckStatistics("b.shape", "The shape is right.", count, count, 1.0, 0.0, None),
    )
    counted = ClassStatistics(
        count, count, 0, 0, 20.0, 10.0, 10.0, 5.0, 0.0, 20.0, checks,
        (Mistake(MISTAKE, "The scores are not divided by √d_k.", len(who), who, example),), {"failed": count}, {},
    )  # fmt: skip
    return Overview("Build your own attention", lines, counted, {"a": "Softmax", "b": "Attention"}, (count // 10,) * 10)


@pytest.fixture
def address(tmp_path: Path) -> str:
    path = tmp_path / "class.html"
    path.write_text(class_page.render(a_class(1000)), encoding="utf-8")
    return path.as_uri()


def column(shown: Page, number: int) -> list[str]:
    return shown.locator(f"#students tbody tr:not([hidden]) > :nth-child({number})").all_inner_texts()


def test_a_thousand_rows_are_sorted_by_points_and_by_name(address: str, opened: Callable[..., Page]) -> None:
    shown = opened(address)
    shown.get_by_role("button", name="Points").click()
    points = [float(text.split(" /")[0]) for text in column(shown, 2)]
    assert len(points) == 1000
    assert points == sorted(points, reverse=True)
    shown.get_by_role("button", name="Points").click()
    assert [float(text.split(" /")[0]) for text in column(shown, 2)] == sorted(points)
    shown.get_by_role("button", name="Student", exact=True).click()
    names = [name.casefold() for name in column(shown, 1)]
    assert names[0].startswith("<img")
    assert shown.locator("#students th[aria-sort=ascending]").inner_text().startswith("Student")


def test_rows_are_filtered_by_name_and_by_who_made_a_mistake(address: str, opened: Callable[..., Page]) -> None:
    shown = opened(address)
    shown.get_by_label("Name", exact=True).fill("name 99")
    assert sorted(column(shown, 1)) == sorted(f"Student Name {n}" for n in (99, *range(990, 1000)))
    assert shown.locator("#count").inner_text() == "11 students"
    shown.get_by_label("Name", exact=True).fill("")
    shown.locator("summary").click()
    shown.get_by_role("button", name="Show who made it").click()
    assert shown.locator("#count").inner_text() == "100 students"
    shown.get_by_role("button", name="late 20").click()
    assert shown.locator("#count").inner_text() == "20 students"


def test_names_are_hidden_for_the_projector(address: str, opened: Callable[..., Page]) -> None:
    shown = opened(address)
    shown.get_by_label("Hide names").check()
    assert "Student Name" not in shown.locator("main").inner_text()
    assert "Student 5" in column(shown, 1)


def test_a_page_without_names_holds_none(tmp_path: Path, opened: Callable[..., Page]) -> None:
    path = tmp_path / "class.html"
    path.write_text(class_page.render(a_class(20), named=False), encoding="utf-8")
    assert "Student Name" not in path.read_text(encoding="utf-8")
    assert column(opened(path.as_uri()), 1)[4] == "Student 5"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_can_be_read_by_everybody(
    scheme: str, tmp_path: Path, opened: Callable[..., Page], barriers: Callable[[Page], list[str]]
) -> None:
    path = tmp_path / "class.html"
    path.write_text(class_page.render(a_class(40)), encoding="utf-8")
    shown = opened(path.as_uri(), color_scheme=scheme)
    shown.locator("summary").click()
    assert barriers(shown) == []


@pytest.mark.parametrize("width", [360, 800, 1440])
def test_the_page_is_no_wider_than_the_screen(width: int, address: str, opened: Callable[..., Page]) -> None:
    shown = opened(address, viewport={"width": width, "height": 800})
    assert shown.evaluate("document.documentElement.scrollWidth") <= width


def test_what_a_student_wrote_is_text(address: str, opened: Callable[..., Page]) -> None:
    shown = opened(address)
    assert shown.locator("img").count() == 0
    assert shown.locator("script").count() == 1
    assert EVIL in column(shown, 1)


def test_a_report_is_one_click_away(tmp_path: Path, opened: Callable[..., Page]) -> None:
    target = tmp_path / "site"
    text = html.render(reports.no_scale(), "staff")
    class_page.folder(a_class(3), ((f"s{n}", text) for n in range(3)), target)
    shown = opened((target / "index.html").as_uri(), beside=((target / "students").as_uri(),))
    shown.get_by_role("link", name="Student Name 1").click()
    assert "sdpa-no-scale" in shown.locator("main").inner_text()


def test_without_a_script_the_page_is_a_plain_table(tmp_path: Path, opened: Callable[..., Page]) -> None:
    path = tmp_path / "class.html"
    path.write_text(class_page.render(a_class(5)), encoding="utf-8")
    shown = opened(path.as_uri(), java_script_enabled=False)
    assert shown.locator("#students tbody tr").count() == 5
    assert not shown.get_by_label("Name", exact=True).is_visible()
