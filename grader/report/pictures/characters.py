"""The heat maps in characters, for a terminal: two to a cell, a sign and a shade."""

from collections.abc import Iterator

from grader.model.outcome import Cells, Grid
from grader.report.pictures.grid import LEAST, WORDS, is_logical, marks, panels

SHADES, PLAIN = " ░▒▓█", " .:*#"
GAP = 3
CELL = 6
"""Characters of a share with its shade."""
SMALLEST = 3
"""Rows or columns from which on a picture shows more at a glance than the numbers do."""


def lines(picture: Grid, width: int, *, plain: bool = False) -> Iterator[str]:
    """Yield the tables beside each other, as many as fit into ``width``, under their names, and what the signs mean.

    Nothing is yielded for a table of a few numbers, which are read as quickly. ``plain`` keeps to ASCII.
    """
    if picture.labels[0]:
        yield from _labelled(picture, plain=plain)
        return
    if max(len(picture.got), len(picture.got[0])) < SMALLEST:
        return
    words = WORDS[picture.kind]
    case = f", in a larger case ({picture.why})" if picture.why else ""
    yield f"{words.title}{case}: rows are {picture.axes[0]}, columns are {picture.axes[1]}."
    blocks = [[name, *_rows(picture, name, cells, plain=plain)] for name, cells in panels(picture)]
    wide = max(len(line) for block in blocks for line in block) + GAP
    beside = max(1, (width + GAP) // wide)
    for first in range(0, len(blocks), beside):
        for parts in zip(*blocks[first : first + beside], strict=True):
            yield "".join(part.ljust(wide) for part in parts).rstrip()
    yield _legend(picture, plain=plain)


def _labelled(picture: Grid, *, plain: bool) -> Iterator[str]:
    """Tables of shares one below the other, each share a shade and a number, rows and columns with their names."""
    shades, (beside, above) = PLAIN if plain else SHADES, picture.labels
    wide = max(len(label) for label in (*beside, "difference"))
    yield f"{WORDS[picture.kind].title}: rows are {picture.axes[0]}, columns are {picture.axes[1]}."
    for name, cells in panels(picture):
        yield f"{name.ljust(wide)}  {' '.join(label[:CELL].ljust(CELL) for label in above)}".rstrip()
        for label, row in zip(beside, cells, strict=True):
            shown = (f"{shades[_depth(value, shades)]}{'n/a' if value is None else f'{value:.2f}':>5}" for value in row)
            yield f"{label.ljust(wide)}  {' '.join(shown)}"
    yield f"{shades[-1]} the most"


def _depth(value: float | None, shades: str) -> int:
    return round(min(1.0, abs(value or 0.0)) * (len(shades) - 1))


def _rows(picture: Grid, name: str, cells: Cells, *, plain: bool) -> Iterator[str]:
    shades = PLAIN if plain else SHADES
    ringed = {(i, j): kind for i, j, kind in marks(picture)} if name == "yours" else {}
    largest = max((abs(value) for row in cells for value in row if value is not None), default=0.0) or 1.0
    scale = 1.0 if picture.kind == "weights" and name != "difference" else largest
    signed = picture.kind == "table" or name == "difference"
    for i, row in enumerate(cells):
        drawn = (
            ("!!" if ringed[i, j] == "ring" else "xx")
            if (i, j) in ringed
            else "//"
            if (i, j) in picture.blocked and name != "difference"
            else _cell(value, scale, shades, signed=signed, logical=is_logical(picture))
            for j, value in enumerate(row)
        )
        yield "|" + "".join(drawn) + "|"


def _cell(value: float | None, scale: float, shades: str, *, signed: bool, logical: bool) -> str:
    if value is None:
        return "??"
    if logical:
        return shades[-1] * 2 if value else "//"
    shade = shades[round(min(1.0, abs(value) / scale) * (len(shades) - 1))]
    if not signed:
        return shade * 2
    return " " * 2 if abs(value) < LEAST else f"{'-' if value < 0 else '+'}{shade}"


def _legend(picture: Grid, *, plain: bool) -> str:
    words, full = WORDS[picture.kind], (PLAIN if plain else SHADES)[-1]
    found = {kind for _, _, kind in marks(picture)}
    said = [f"{full * 2} {words.filled or 'the most'}"]
    said += [f"// {words.empty}"] if words.empty else []
    said += ["// blocked by the mask"] if picture.blocked else []
    said += [f"!! {words.leaked}"] if "ring" in found else []
    said += [f"xx {words.shut}"] if "ring shut" in found else []
    return "; ".join(said)
