"""Tables as heat maps: attention weights, masks, positions, and which output saw which input."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from grader.model.outcome import Cells, Grid
from grader.report.pictures import svg

HEAD, MARGIN = 38, 34
"""Room above a table for its name and its columns, and beside it for its rows."""
NUMBERED = 8
"""A table of more columns is drawn without numbers."""
NOTHING = 1e-6
"""A blocked cell with more weight than this leaks."""
CLOSE = 1e-4
LETTER = 7
"""Width of a letter of a label."""
DEPTHS = 25
"""Shades of a colour that are told apart."""
LEAST = 0.005
"""The smallest number that two places show."""


@dataclass(frozen=True, slots=True)
class Words:
    """What a kind of table is called, what filled and empty cells say, and what rings stand for."""

    title: str
    filled: str = ""
    empty: str = ""
    leaked: str = ""
    shut: str = ""


WORDS = {
    "weights": Words("Attention weights", leaked="weight on a key that the mask blocks"),
    "mask": Words(
        "The mask as used", "may look", "blocked", "open where it should be blocked", "blocked where it should be open"
    ),
    "table": Words("The table"),
    "seen": Words(
        "Which output depends on which input", "does", "does not", "sees what it should not",
        "does not see what it should",
    ),
}  # fmt: skip


def draw(picture: Grid, name: str) -> ET.Element:
    """Return the tables side by side: yours, expected and, of numbers, the difference."""
    made, row = svg.figure(caption(picture))
    for panel, cells in panels(picture):
        _Panel(picture, panel, cells, f"{name}-{panel.split()[0]}").draw(row)
    return made


def caption(picture: Grid) -> str:
    """Return what is drawn, of which case, and what its marks mean."""
    words = WORDS[picture.kind]
    where = f" {picture.at}" if picture.at else ""
    case = f", in a larger case ({picture.why})" if picture.why else ""
    said = [f"{words.title}{where}{case}: rows are {picture.axes[0]}, columns are {picture.axes[1]}."]
    if is_logical(picture):
        said.append(f"Filled: {words.filled}; hatched: {words.empty}.")
    elif picture.blocked:
        said.append("Hatched: blocked by the mask.")
    found = {kind for _, _, kind in marks(picture)}
    said += [f"Ringed: {words.leaked}."] if "ring" in found else []
    said += [f"Ringed with dashes: {words.shut}."] if "ring shut" in found else []
    if picture.kind == "table" and (wrong := first_wrong_column(picture)) is not None:
        said.append(f"Framed: the first wrong column, {wrong + picture.first[1]}.")
    if not is_logical(picture):
        signs = "Blue is above zero, orange below. " if picture.kind == "table" else ""
        said.append(f"{signs}In the difference orange is too much, blue too little.")
    return " ".join(said)


def is_logical(picture: Grid) -> bool:
    """Whether the cells say yes or no."""
    return picture.kind in {"mask", "seen"}


def panels(picture: Grid) -> Iterator[tuple[str, Cells]]:
    """Yield the name and the numbers of each table."""
    yield "yours", picture.got
    yield "expected", picture.expected
    if picture.kind in {"weights", "table"}:
        yield (
            "difference",
            tuple(
                tuple(None if a is None or b is None else a - b for a, b in zip(mine, right, strict=True))
                for mine, right in zip(picture.got, picture.expected, strict=True)
            ),
        )


def marks(picture: Grid) -> Iterator[tuple[int, int, str]]:
    """Yield row, column and kind of what is ringed in the student's own table."""
    if picture.kind == "weights":
        yield from ((i, j, "ring") for i, j in picture.blocked if abs(picture.got[i][j] or 0) > NOTHING)
    elif picture.kind in {"mask", "seen"}:
        for i, (mine, right) in enumerate(zip(picture.got, picture.expected, strict=True)):
            for j, (a, b) in enumerate(zip(mine, right, strict=True)):
                if a != b:
                    yield i, j, "ring" if a else "ring shut"


def first_wrong_column(picture: Grid) -> int | None:
    """Return the first column, within the part that is drawn, that holds a wrong number."""
    for j in range(len(picture.got[0])):
        if any(not _near(mine[j], right[j]) for mine, right in zip(picture.got, picture.expected, strict=True)):
            return j
    return None


def _near(one: float | None, other: float | None) -> bool:
    return one == other if one is None or other is None else abs(one - other) <= CLOSE * max(1.0, abs(other))


@dataclass(frozen=True, slots=True)
class _Panel:
    """One table of a picture."""

    picture: Grid
    panel: str
    cells: Cells
    name: str

    @property
    def logical(self) -> bool:
        return is_logical(self.picture)

    @property
    def numbered(self) -> bool:
        return not self.logical and len(self.cells[0]) <= NUMBERED

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a cell."""
        longest = max((len(label) for label in self.picture.labels[1]), default=0)
        width, height = (39, 28) if self.numbered else (24, 24)
        return max(width, 8 + LETTER * longest), height

    @property
    def margin(self) -> int:
        """Room beside the table for what its rows are called."""
        longest = max((len(label) for label in self.picture.labels[0]), default=0)
        return max(MARGIN, 12 + LETTER * longest)

    def draw(self, parent: ET.Element) -> None:
        rows, columns, (width, height) = len(self.cells), len(self.cells[0]), self.size
        words = WORDS[self.picture.kind]
        made = svg.drawing(
            parent, self.name, f"{words.title}, {self.panel}", self._described(),
            self.margin + columns * width + 4, HEAD + rows * height + 4,
        )  # fmt: skip
        svg.text(made, self.margin, 13, self.panel, "panel")
        self._axes(made, width, height)
        self._fill(made, width, height)
        hatched = [(i, j) for i in range(rows) for j in range(columns) if self._hatched(i, j)]
        svg.lines(made, [stroke for i, j in hatched for stroke in self._strokes(i, j)], "hatch")
        svg.box(made, self.margin, HEAD, columns * width, rows * height, kind="frame")
        if self.numbered:
            middle = svg.group(made, text_anchor="middle")
            self._each(lambda i, j, value: svg.text(middle, *self._middle(i, j, 4), self._written(i, j, value)))
        self._mark(made, width, height)

    def _label(self, axis: int, number: int) -> str:
        """What a row (0) or a column (1) is called."""
        names = self.picture.labels[axis]
        return names[number] if number < len(names) else str(number)

    def _written(self, i: int, j: int, value: float | None) -> str:
        """The number of a cell; nothing where it would only be in the way."""
        idle = self.panel == "difference" or (i, j) in self.picture.blocked
        return "" if idle and value is not None and abs(value) < LEAST else _number(value)

    def _axes(self, made: ET.Element, width: int, height: int) -> None:
        (top, left), (rows, columns) = self.picture.first, (len(self.cells), len(self.cells[0]))
        across = svg.group(made, text_anchor="middle")
        for j in range(columns):
            svg.text(across, self.margin + (j + 0.5) * width, HEAD - 6, self._label(1, left + j), "label")
        beside = svg.group(made, text_anchor="end")
        for i in range(rows):
            svg.text(beside, self.margin - 6, HEAD + (i + 0.5) * height + 4, self._label(0, top + i), "label")

    def _fill(self, made: ET.Element, width: int, height: int) -> None:
        largest = max((abs(value) for row in self.cells for value in row if value is not None), default=0.0)
        scale = 1.0 if self.picture.kind == "weights" and self.panel != "difference" else (largest or 1.0)
        alike: dict[tuple[str, int], list[tuple[int, int]]] = {}

        def gather(i: int, j: int, value: float | None) -> None:
            depth = round(min(1.0, abs(value or 0.0) / scale) * DEPTHS)
            signed = self.picture.kind == "table" or self.panel == "difference"
            over = signed and ((value or 0) > 0) == (self.panel == "difference")
            if depth:
                alike.setdefault(("more" if over else "heat", depth), []).append(
                    (self.margin + j * width, HEAD + i * height)
                )

        self._each(gather)
        for (kind, depth), corners in sorted(alike.items()):
            svg.boxes(made, corners, width, height, kind=kind, fill_opacity=f"{depth / DEPTHS:.2g}")

    def _each(self, do: Callable[[int, int, float | None], None]) -> None:
        for i, row in enumerate(self.cells):
            for j, value in enumerate(row):
                do(i, j, value)

    def _middle(self, i: int, j: int, lower: int = 0) -> tuple[float, float]:
        width, height = self.size
        return self.margin + (j + 0.5) * width, HEAD + (i + 0.5) * height + lower

    def _hatched(self, i: int, j: int) -> bool:
        if self.logical:
            return self.cells[i][j] == 0
        return self.panel != "difference" and (i, j) in self.picture.blocked

    def _strokes(self, i: int, j: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """The slanted lines across a cell."""
        width, height = self.size
        left, top = self.margin + j * width, HEAD + i * height
        for at in range(6, width + height, 8):
            begin = (left + max(0, at - height), top + min(at, height))
            yield begin, (left + min(at, width), top + max(0, at - width))

    def _mark(self, made: ET.Element, width: int, height: int) -> None:
        if self.panel != "yours":
            return
        for i, j, kind in marks(self.picture):
            svg.ring(made, *self._middle(i, j), width / 2 - 2, height / 2 - 2, kind)
        wrong = first_wrong_column(self.picture) if self.picture.kind == "table" else None
        if wrong is not None:
            svg.box(made, self.margin + wrong * width, HEAD, width, height * len(self.cells), kind="ring")

    def _described(self) -> str:
        """The table in words, row by row, with what is marked."""
        (rows, columns), (top, left) = self.picture.axes, self.picture.first
        said = [f"Rows are {rows}, columns are {columns}."]
        for i, row in enumerate(self.cells):
            if self.logical:
                filled = [str(left + j) for j, value in enumerate(row) if value]
                said.append(f"Row {self._label(0, top + i)}: {', '.join(filled) or 'none'}.")
            else:
                said.append(f"Row {self._label(0, top + i)}: {', '.join(map(_number, row))}.")
        if self.panel == "yours":
            words = WORDS[self.picture.kind]
            for i, j, kind in marks(self.picture):
                said.append(f"Row {top + i}, column {left + j}: {words.leaked if kind == 'ring' else words.shut}.")
        return " ".join(said)


def _number(value: float | None) -> str:
    if value is None:
        return "n/a"
    return f"{value:.2f}" if abs(value) < 100 else f"{value:.0e}"  # noqa: PLR2004 - as wide as a cell
