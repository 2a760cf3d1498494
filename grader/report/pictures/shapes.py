"""A computation as the shapes it goes through, one below the other."""

from xml.etree import ElementTree as ET

from grader.model.outcome import Shapes
from grader.report.pictures import svg

NAME, SHAPE, DOWN, HIGH, TOP = 190, 130, 40, 28, 22
GAP = 12


def draw(picture: Shapes, name: str) -> ET.Element:
    """Return the steps with the shape that each should have and has; the first wrong one is ringed."""
    wrong = first_wrong(picture)
    told = f" The first wrong one is ringed: {picture.stages[wrong].name}." if wrong is not None else ""
    made, row = svg.figure(f"The shapes on the way, from the input to the output.{told}")
    width, height = NAME + 2 * (SHAPE + GAP), TOP + DOWN * len(picture.stages)
    drawn = svg.drawing(row, name, "Shapes on the way", _described(picture), width, height)
    svg.text(drawn, NAME, 13, "expected", "panel")
    svg.text(drawn, NAME + SHAPE + GAP, 13, "yours", "panel")
    for number, stage in enumerate(picture.stages):
        y = TOP + DOWN * number
        svg.text(drawn, 2, y + 18, stage.name, "label")
        differs = bool(stage.got) and stage.got != stage.expected
        for x, shape, kind in (
            (NAME, stage.expected, "box idle"),
            (NAME + SHAPE + GAP, stage.got, "box wrong" if differs else "box idle"),
        ):
            if shape:
                svg.box(drawn, x, y, SHAPE, HIGH, rx="4", kind=kind)
                svg.text(drawn, x + SHAPE / 2, y + 18, shape, anchor="middle")
                if number and (x == NAME or picture.stages[number - 1].got):
                    svg.line(drawn, [(x + SHAPE / 2, y - DOWN + HIGH), (x + SHAPE / 2, y)], "line idle")
        if number == wrong:
            x = NAME + SHAPE + GAP
            svg.ring(drawn, x + SHAPE / 2, y + HIGH / 2, SHAPE / 2 + 4, HIGH / 2 + 4, "ring")
    return made


def first_wrong(picture: Shapes) -> int | None:
    """Return the number of the first stage that has another shape than it should; None where none is known to."""
    return next((n for n, stage in enumerate(picture.stages) if stage.got and stage.got != stage.expected), None)


def _described(picture: Shapes) -> str:
    said = [f"{stage.name}: {stage.expected}{f', yours {stage.got}' if stage.got else ''}." for stage in picture.stages]
    return " ".join(said)
