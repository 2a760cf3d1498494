"""What a drawing of an example shows, as plain numbers: the words and colours are the renderer's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Cells = tuple[tuple[float | None, ...], ...]
"""Rows of numbers; None for one that is not finite."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Two tables of one shape: what is right and what came back.

    ``kind``: ``weights`` (shares of attention), ``mask`` (1 where a query may look), ``table`` (signed numbers by
    position and feature), ``seen`` (1 where an output depends on an input). ``axes`` name rows and columns, ``first``
    is the index of the corner where a part of a larger table is shown, ``at`` the index of the matrix in an array of
    more axes. ``blocked`` are the cells, by row and column within the part, that a mask hides. ``why`` says which case
    is drawn where that is another one than the example's. ``labels`` name rows and columns in the place of numbers.
    """

    kind: Literal["weights", "mask", "table", "seen"]
    expected: Cells
    got: Cells
    axes: tuple[str, str]
    first: tuple[int, int] = (0, 0)
    at: str = ""
    blocked: tuple[tuple[int, int], ...] = ()
    why: str = ""
    labels: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


@dataclass(frozen=True, slots=True)
class Curve:
    """Two curves over the same places: ``along`` names what grows to the right, ``up`` what grows upwards.

    ``why`` says for which other arguments.
    """

    kind: Literal["curve"]
    along: str
    up: str
    places: tuple[float, ...]
    expected: tuple[float | None, ...]
    got: tuple[float | None, ...]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Branch:
    """A beginning of a sentence that a search looked at.

    ``score`` is the sum of its log-probabilities; ``kept`` says whether it stayed in the beam.
    """

    tokens: tuple[int, ...]
    score: float
    kept: bool


@dataclass(frozen=True, slots=True)
class Beams:
    """A search as a tree: every beginning that was compared, the sentence that is right and the one that came back.

    ``end`` is the token that ends a sentence.
    """

    kind: Literal["beams"]
    branches: tuple[Branch, ...]
    expected: tuple[int, ...]
    got: tuple[int, ...]
    end: int


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of a computation with the shape that it should have, and the one it has where that is known."""

    name: str
    expected: str
    got: str = ""


@dataclass(frozen=True, slots=True)
class Shapes:
    """A computation as the shapes that it goes through, in order."""

    kind: Literal["shapes"]
    stages: tuple[Stage, ...]


Picture = Grid | Curve | Beams | Shapes
