"""A report in a browser: it needs nothing but itself, whatever the scheme, the width, or the student's text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import reports
from playwright.sync_api import Page

from grader.model.outcome import Beams, Branch, Curve, Grid, Shapes, Stage
from grader.report import page as html

pytestmark = pytest.mark.slow

PICTURES = {
    "weights": Grid("weights", ((0.0, 1.0), (0.5, 0.5)), ((0.3, 0.7), (0.5, 0.5)), ("queries", "keys"),
                    blocked=((0, 0),)),
    "mask": Grid("mask", ((1.0, 0.0), (1.0, 1.0)), ((1.0, 1.0), (0.0, 1.0)), ("queries", "keys")),
    "table": Grid("table", ((0.0,) * 8,) * 5, ((0.5, -0.5) * 4,) * 5, ("positions", "features")),
    "curve": Curve("curve", "step", "learning rate", (1.0, 2.0, 3.0), (0.1, 0.2, 0.1), (0.2, 0.2, None)),
    "beams": Beams("beams", (Branch((1,), 0.0, kept=True), Branch((1, 2), -1.0, kept=True)), (1, 2), (1,), 2),
    "shapes": Shapes("shapes", (Stage("scores", "(2, 3, 3)", "(3, 2, 2)"),)),
}  # fmt: skip
MADE = {
    "no_scale": reports.no_scale,
    "of_every_kind": reports.of_every_kind,
    "hostile": reports.hostile,
    "untouched": reports.untouched,
    **{name: (lambda picture=picture: reports.with_picture(picture)) for name, picture in PICTURES.items()},
}


def written(folder: Path, name: str) -> str:
    path = folder / "report.html"
    path.write_text(html.render(MADE[name](), "staff"), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", MADE)
def test_a_report_can_be_read_by_everybody_in_both_schemes(
    name: str, scheme: str, tmp_path: Path, opened: Callable[..., Page], barriers: Callable[[Page], list[str]]
) -> None:
    shown = opened(written(tmp_path, name), color_scheme=scheme)
    assert barriers(shown) == []
    ground = shown.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")


@pytest.mark.parametrize("width", [360, 800, 1440])
@pytest.mark.parametrize("name", MADE)
def test_nothing_is_wider_than_the_screen(name: str, width: int, tmp_path: Path, opened: Callable[..., Page]) -> None:
    shown = opened(written(tmp_path, name), viewport={"width": width, "height": 800})
    assert shown.evaluate("document.documentElement.scrollWidth") <= width


def test_a_report_is_printed_with_its_pictures(tmp_path: Path, opened: Callable[..., Page]) -> None:
    from pypdf import PdfReader

    shown = opened(written(tmp_path, "weights"), color_scheme="dark")
    shown.pdf(path=tmp_path / "report.pdf")
    text = " ".join(leaf.extract_text() for leaf in PdfReader(tmp_path / "report.pdf").pages)
    assert "yours" in text
    assert "0.70" in text
    shown.emulate_media(media="print")
    assert shown.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_a_page_has_no_script_and_runs_none(tmp_path: Path, opened: Callable[..., Page]) -> None:
    shown = opened(written(tmp_path, "hostile"))
    assert shown.locator("script").count() == 0
    assert shown.evaluate("document.querySelectorAll('[onclick],[onload],[onerror],a,img,iframe').length") == 0
