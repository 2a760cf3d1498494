"""Pictures of examples: drawn as SVG inside the page's own tree of elements, or in characters for a terminal.

The standard library's ElementTree is what draws: the page is built with it already, so that a text enters it in one
place and is escaped there, and a picture costs neither a dependency nor time to start. A library that lays out axes
(matplotlib takes half a second to be imported) would be for the one curve only.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

from grader.model import Beams, Curve, Grid, Picture, Shapes

STYLE = """
figure { margin: .75rem 0; } figcaption { color: var(--dim); font-size: .875rem; }
.panels { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; }
svg { max-width: 100%; height: auto; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
svg text { fill: var(--ink); stroke: none; font: 12px ui-monospace, Consolas, monospace; }
svg .label, svg .panel { font-family: system-ui, sans-serif; } svg .label { fill: var(--dim); font-size: 11px; }
svg .panel { font-weight: 600; font-size: 13px; } svg .heat, svg .less { fill: var(--heat); }
svg .more { fill: var(--more); } svg .frame { fill: none; stroke: var(--line); } svg .hatch { stroke: var(--dim); }
svg .ring { fill: none; stroke: var(--wrong); stroke-width: 3; } svg .shut { stroke-dasharray: 4 3; }
svg .right { stroke: var(--right); } svg .wrong { stroke: var(--wrong); } svg .idle { stroke: var(--line); }
svg .line { fill: none; stroke-width: 3; } svg .gone { stroke-dasharray: 3 3; } svg .box { fill: var(--card); }
svg .dots { fill: var(--wrong); } svg text.right { fill: var(--right); stroke: none; }
svg text.wrong { fill: var(--wrong); stroke: none; }
"""
"""What the pictures need of a style sheet; colours are the page's variables, so that they follow its schemes."""


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
