"""A curve beside the right one: the learning rate over the steps."""

from xml.etree import ElementTree as ET

from grader.model.outcome import Curve
from grader.report.pictures import svg

WIDTH, HEIGHT, LEFT, TOP, BELOW = 460, 220, 74, 24, 40
FIRST_WRONG = 1e-3
"""A share of the largest value; what differs by more is told as the first wrong place."""


def draw(picture: Curve, name: str) -> ET.Element:
    """Return both curves over the same axes."""
    of = f" for {picture.why}" if picture.why else ""
    title = f"The {picture.up} over the {picture.along}{of}"
    made, row = svg.figure(f"{title}: the solid line is right, the dots are yours.")
    drawn = svg.drawing(row, name, title, _described(picture), LEFT + WIDTH + 12, TOP + HEIGHT + BELOW)
    values = [value for value in (*picture.expected, *picture.got) if value is not None]
    low, high = min(0.0, *values), max(values) or 1.0
    far = max(picture.places) or 1.0

    def at(place: float, value: float) -> tuple[float, float]:
        return LEFT + WIDTH * place / far, TOP + HEIGHT * (1 - (value - low) / ((high - low) or 1.0))

    svg.box(drawn, LEFT, TOP, WIDTH, HEIGHT, kind="frame")
    for share in (0, 0.5, 1):
        svg.text(drawn, LEFT - 6, TOP + HEIGHT * (1 - share) + 4, f"{low + share * (high - low):.3g}", "label", "end")
        end = "end" if share == 1 else "middle"
        svg.text(drawn, LEFT + WIDTH * share, TOP + HEIGHT + 16, f"{share * far:g}", "label", end)
    svg.text(drawn, LEFT + WIDTH / 2, TOP + HEIGHT + 33, picture.along, "label", "middle")
    svg.text(drawn, LEFT, 13, picture.up, "panel")
    right = [at(x, y) for x, y in zip(picture.places, picture.expected, strict=True) if y is not None]
    svg.line(drawn, right, "line right")
    dots = svg.group(drawn, "dots")
    for part in _runs(picture):
        mine = [at(x, y) for x, y in part]
        if len(mine) > 1:
            svg.line(drawn, mine, "line wrong gone")
        for x, y in mine:
            svg.dot(dots, x, y, 2.5)
    svg.text(drawn, LEFT + WIDTH - 8, TOP + 18, "expected", "right", "end")
    svg.text(drawn, LEFT + WIDTH - 8, TOP + 34, "yours", "wrong", "end")
    return made


def _runs(picture: Curve) -> list[list[tuple[float, float]]]:
    """The student's points, those beside each other together: where nothing was asked between, no line is drawn."""
    runs: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(picture.places, picture.got, strict=True):
        if y is not None:
            runs[-1].append((x, y))
        elif runs[-1]:
            runs.append([])
    return runs


def _described(picture: Curve) -> str:
    """The curves in words: their largest values and where they part first."""
    pairs = [
        (x, a, b)
        for x, a, b in zip(picture.places, picture.got, picture.expected, strict=True)
        if a is not None and b is not None
    ]
    if not pairs:
        return "No value of yours is a finite number."
    top_x, top = max(((x, b) for x, _, b in pairs), key=lambda pair: pair[1])
    mine_x, mine = max(((x, a) for x, a, _ in pairs), key=lambda pair: pair[1])
    said = (
        f"The right curve is highest at {picture.along} {top_x:g} with {top:.4g}, yours at {mine_x:g} with {mine:.4g}."
    )
    apart = next(((x, a, b) for x, a, b in pairs if abs(a - b) > FIRST_WRONG * (abs(top) or 1.0)), None)
    if apart is None:
        return said
    return f"{said} They part first at {picture.along} {apart[0]:g}: {apart[1]:.4g} instead of {apart[2]:.4g}."
