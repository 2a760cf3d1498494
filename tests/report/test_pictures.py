"""Pictures show the numbers of an example, mark what is wrong, and say the same in words."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from xml.etree import ElementTree as ET

import pytest
import reports

from grader.component import pictures as numbers
from grader.component.calls import Shown
from grader.component.pictures import grid
from grader.model.outcome import Beams, Branch, Curve, Grid, Picture, Shapes, Stage
from grader.report import page, pictures
from grader.report.json_report import data
from grader.report.pictures import characters
from grader.report.schema import ReportFile
from grader.report.stored import outcome_of

WEIGHTS = Grid(
    "weights",
    ((0.0, 1.0, 0.0), (0.7, 0.3, 0.0), (0.5, 0.25, 0.25)),
    ((0.2, 0.8, 0.0), (0.7, 0.3, 0.0), (0.5, 0.25, 0.25)),
    ("queries", "keys"),
    blocked=((0, 0), (0, 2), (1, 2)),
)
MASK = Grid(
    "mask",
    ((1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (1.0, 1.0, 1.0)),
    ((1.0, 1.0, 0.0), (0.0, 1.0, 0.0), (1.0, 1.0, 1.0)),
    ("queries", "keys"),
    why="three positions",
)
TABLE = Grid("table", ((0.0, 1.0), (0.84, 0.54)), ((0.0, 1.0), (0.84, 0.99)), ("positions", "features"), first=(0, 4))
CURVE = Curve("curve", "step", "learning rate", (1.0, 2.0, 3.0), (0.1, 0.2, 0.15), (0.1, None, 0.3), "d_model = 4")
BEAMS = Beams(
    "beams",
    (
        Branch((1,), 0.0, kept=True),
        Branch((1, 3), -0.5, kept=True),
        Branch((1, 2), -0.9, kept=False),
        Branch((1, 3, 2), -0.7, kept=True),
    ),
    (1, 3, 2),
    (1, 2),
    2,
)
SHAPES = Shapes("shapes", (Stage("queries", "(3, 4)", "(3, 4)"), Stage("scores", "(2, 3, 3)", "(3, 2, 2)")))
ALL: dict[str, Picture] = {
    "weights": WEIGHTS,
    "mask": MASK,
    "table": TABLE,
    "curve": CURVE,
    "beams": BEAMS,
    "shapes": SHAPES,
}


def described(picture: Picture) -> str:
    return " ".join(" ".join(one.itertext()) for one in pictures.draw(picture, "p").iter("desc"))


def elements(picture: Picture, tag: str) -> list[ET.Element]:
    return list(pictures.draw(picture, "p").iter(tag))


@pytest.mark.parametrize("picture", ALL.values(), ids=ALL)
def test_every_drawing_has_a_title_and_a_description_of_its_own(picture: Picture) -> None:
    drawn = elements(picture, "svg")
    assert drawn
    names = [one.get("aria-labelledby") for one in drawn] + [one.get("aria-describedby") for one in drawn]
    assert len(set(names)) == len(names)
    for one in drawn:
        assert one.get("role") == "img"
        assert {one.find("title").get("id"), one.find("desc").get("id")} <= set(names)  # type: ignore[union-attr]
        assert one.findtext("title")
        assert one.findtext("desc")


@pytest.mark.parametrize("picture", ALL.values(), ids=ALL)
def test_a_picture_comes_back_from_json_as_it_was(picture: Picture) -> None:
    made = reports.with_picture(picture)
    stored = json.loads(json.dumps(data(made, "staff")))
    ReportFile.model_validate(stored)
    kept = [found.picture for c in stored["checks"] if (found := outcome_of(c).counterexample) and found.picture]
    assert kept
    assert all(one == picture for one in kept)


def test_weight_on_a_blocked_key_is_ringed_and_told() -> None:
    rings = [one for one in elements(WEIGHTS, "ellipse") if one.get("class") == "ring"]
    assert len(rings) == 1
    assert "Row 0, column 0: weight on a key that the mask blocks." in described(WEIGHTS)


def test_a_mask_rings_what_leaks_and_what_is_wrongly_blocked_apart() -> None:
    assert [one.get("class") for one in elements(MASK, "ellipse")] == ["ring", "ring shut"]
    said = described(MASK)
    assert "Row 0, column 1: open where it should be blocked." in said
    assert "Row 1, column 0: blocked where it should be open." in said


def test_the_first_wrong_column_of_a_table_is_framed_under_its_own_number() -> None:
    assert len([one for one in elements(TABLE, "rect") if one.get("class") == "ring"]) == 1
    assert "the first wrong column, 5" in str(pictures.draw(TABLE, "p").findtext("figcaption"))


def test_a_curve_joins_no_points_between_which_nothing_was_asked() -> None:
    assert len(elements(CURVE, "circle")) == 2
    assert [one.get("class") for one in elements(CURVE, "path")] == ["line right"]
    assert "They part first at step 3: 0.3 instead of 0.15." in described(CURVE)


def test_a_tree_shows_both_sentences_and_what_fell_out_of_the_beam() -> None:
    kinds = [one.get("class") for one in elements(BEAMS, "rect")]
    assert kinds == ["box right", "box right", "box wrong gone", "box right"]
    assert "The right sentence is [1, 3, 2], yours [1, 2]." in described(BEAMS)


def test_the_first_wrong_shape_is_ringed() -> None:
    assert len(elements(SHAPES, "ellipse")) == 1
    assert "The first wrong one is ringed: scores." in str(pictures.draw(SHAPES, "p").findtext("figcaption"))


@pytest.mark.parametrize("picture", [WEIGHTS, MASK, replace(WEIGHTS, kind="table", blocked=())])
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("width", [24, 40, 78])
def test_characters_fit_the_terminal_and_speak_ascii_where_they_must(picture: Grid, width: int, *, plain: bool) -> None:
    drawn = list(characters.lines(picture, width, plain=plain))[1:-1]  # the caption and the legend are wrapped
    assert max(map(len, drawn)) <= width
    assert not plain or all(line.isascii() for line in drawn)
    assert sum("yours" in line for line in drawn) == 1


def test_a_leak_is_seen_in_characters() -> None:
    drawn = "\n".join(characters.lines(MASK, 78))
    assert "|██!!//|" in drawn
    assert "|xx██//|" in drawn
    assert "!! open where it should be blocked; xx blocked where it should be open" in drawn


def test_a_few_numbers_are_not_drawn_in_characters() -> None:
    assert list(characters.lines(TABLE, 78)) == []


def test_of_a_large_table_the_part_around_the_first_wrong_cell_is_kept() -> None:
    right = [[float(i == j) for j in range(40)] for i in range(50)]
    wrong = [list(row) for row in right]
    wrong[31][22] = 9.0
    found = grid("table", right, wrong, ("rows", "columns"))
    assert found is not None
    top, left = found.first
    assert found.got[31 - top][22 - left] == 9.0
    assert len(found.got) <= numbers.MOST_ROWS
    assert len(found.got[0]) <= numbers.MOST_COLUMNS


@pytest.mark.parametrize("got", [None, "text", [[1.0, 2.0]], [[1.0], [2.0]], [["a", "b"], ["c", "d"]], 3.0])
def test_nothing_is_drawn_of_what_has_another_form(got: object) -> None:
    assert grid("weights", [[0.5, 0.5], [0.5, 0.5]], got, ("queries", "keys")) is None


def test_numbers_that_are_not_finite_are_kept_as_such() -> None:
    found = grid("weights", [[0.5, 0.5]], [[float("nan"), float("inf")]], ("queries", "keys"))
    assert found is not None
    assert found.got == ((None, None),)
    assert "n/a" in described(found)


def test_of_several_failing_cases_the_largest_that_is_taken_in_at_a_glance_is_drawn() -> None:
    draw = numbers.mask()
    cases = [Shown({}, [[1] * n] * n, [[0] * n] * n, f"{n} positions") for n in (2, 5, 3, 40)]
    found = numbers.best(draw, cases)
    assert isinstance(found, Grid)
    assert len(found.got) == 5
    assert found.why == "5 positions"


def test_a_page_draws_a_picture_once_and_stays_small_with_sixty_findings() -> None:
    many = reports.many_findings(60)
    text = page.render(many)
    assert text.count("<figure>") == page.MOST_PICTURES
    assert len(text.encode()) < 500_000
    same = reports.with_picture(WEIGHTS)
    assert page.render(same).count("<figure>") == 1


def test_a_report_with_a_picture_is_plain_data_that_can_be_compared() -> None:
    assert asdict(WEIGHTS)["kind"] == "weights"
    assert hash(WEIGHTS) == hash(replace(WEIGHTS))
