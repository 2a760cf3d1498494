"""The few elements that the drawings are made of."""

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from grader.report.words import storable

Number = float | int


def figure(caption: str) -> tuple[ET.Element, ET.Element]:
    """Return a figure and the row in it that takes drawings; the caption stands above them."""
    made = ET.Element("figure")
    ET.SubElement(made, "figcaption").text = storable(caption)
    return made, ET.SubElement(made, "div", {"class": "panels"})


def drawing(parent: ET.Element, name: str, title: str, description: str, width: Number, height: Number) -> ET.Element:
    """Return a new drawing of that size, with its alternative in words."""
    made = ET.SubElement(
        parent,
        "svg",
        {
            "role": "img",
            "aria-labelledby": f"{name}-t",
            "aria-describedby": f"{name}-d",
            "viewBox": f"0 0 {_at(width)} {_at(height)}",
            "width": _at(width),
            "height": _at(height),
        },
    )
    ET.SubElement(made, "title", id=f"{name}-t").text = storable(title)
    ET.SubElement(made, "desc", id=f"{name}-d").text = storable(description)
    return made


def group(parent: ET.Element, kind: str = "", **attributes: str) -> ET.Element:
    """A new group, of that class."""
    named = {key.replace("_", "-"): value for key, value in attributes.items()}
    return ET.SubElement(parent, "g", ({"class": kind} if kind else {}) | named)


def text(parent: ET.Element, x: Number, y: Number, content: str, kind: str = "", anchor: str = "") -> None:
    """Write ``content`` at a point: its beginning, ``middle`` or ``end``."""
    made = ET.SubElement(parent, "text", {"x": _at(x), "y": _at(y)})
    if kind:
        made.set("class", kind)
    if anchor:
        made.set("text-anchor", anchor)
    made.text = storable(content)


def box(parent: ET.Element, x: Number, y: Number, width: Number, height: Number, **attributes: str) -> None:
    """A rectangle."""
    place = {"x": _at(x), "y": _at(y), "width": _at(width), "height": _at(height)}
    ET.SubElement(parent, "rect", place | {_named(key): value for key, value in attributes.items()})


def boxes(
    parent: ET.Element, corners: Sequence[tuple[Number, Number]], width: Number, height: Number, **attributes: str
) -> None:
    """Rectangles of one size as one path: a table has many."""
    drawn = "".join(f"M{_at(x)} {_at(y)}h{_at(width)}v{_at(height)}h-{_at(width)}z" for x, y in corners)
    ET.SubElement(parent, "path", {_named(key): value for key, value in attributes.items()} | {"d": drawn})


def lines(parent: ET.Element, pieces: Sequence[tuple[tuple[Number, Number], tuple[Number, Number]]], kind: str) -> None:
    """Lines that are not joined, as one path."""
    drawn = "".join(f"M{_at(a)} {_at(b)}L{_at(c)} {_at(d)}" for (a, b), (c, d) in pieces)
    if drawn:
        ET.SubElement(parent, "path", {"class": kind, "d": drawn})


def line(parent: ET.Element, points: Sequence[tuple[Number, Number]], kind: str = "") -> None:
    """A line through points."""
    joined = "M" + "L".join(f"{_at(x)} {_at(y)}" for x, y in points)
    ET.SubElement(parent, "path", ({"class": kind} if kind else {}) | {"d": joined})


def ring(parent: ET.Element, x: Number, y: Number, across: Number, down: Number, kind: str) -> None:
    """An ellipse around a point."""
    ET.SubElement(parent, "ellipse", {"class": kind, "cx": _at(x), "cy": _at(y), "rx": _at(across), "ry": _at(down)})


def dot(parent: ET.Element, x: Number, y: Number, radius: Number = 3) -> None:
    """A filled circle."""
    ET.SubElement(parent, "circle", {"cx": _at(x), "cy": _at(y), "r": _at(radius)})


def _named(key: str) -> str:
    return {"kind": "class"}.get(key, key.replace("_", "-"))


def _at(value: Number) -> str:
    return f"{value:.4g}"
