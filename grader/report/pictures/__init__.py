"""Pictures of examples: drawn as SVG inside the page's own tree of elements, or in characters for a terminal.

The standard library's ElementTree is what draws: the page is built with it already, so that a text enters it in one
place and is escaped there, and a picture costs neither a dependency nor time to start. A library that lays out axes
(matplotlib takes half a second to be imported) would be for the one curve only.
"""

from xml.etree import ElementTree as ET

from grader.model.outcome import Beams, Curve, Grid, Picture, Shapes


def draw(picture: Picture, name: str) -> ET.Element:
    """Return a figure with its caption; every drawing in it has a title and a description.

    ``name`` tells its elements apart from those of other pictures on the page.
    """
    from grader.report.pictures import beams, curve, grid, shapes

    match picture:
        case Grid():
            return grid.draw(picture, name)
        case Curve():
            return curve.draw(picture, name)
        case Beams():
            return beams.draw(picture, name)
        case Shapes():
            return shapes.draw(picture, name)
