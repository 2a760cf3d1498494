"""What a component says of its pictures: how the numbers of a drawing are taken from a failing case.

A component names one of these where it is declared. Each returns None where there is nothing to be drawn: a shape that
is another one, numbers that are none. What a drawing looks like is the renderer's business.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeGuard

import numpy as np

from grader.component.calls import Shown
from grader.model.outcome import Cells, Curve, Grid, Picture
from grader.properties import TRUTH, Array, as_array

MOST_ROWS, MOST_COLUMNS = 12, 12
"""Of a larger table the part around its first wrong cell is drawn."""
BEST_ROWS, BEST_COLUMNS = 6, 8
"""The largest table that is taken in at a glance: of the failing cases, the largest up to it is drawn."""
DIGITS = 4
"""Significant digits that are kept of each number."""
MOST_PLACES = 120
"""Places of a curve."""
_MATRIX = 2


Draw = Callable[[Shown], Picture | None]


def best(draw: Draw, failing: Sequence[Shown]) -> Picture | None:
    """Return the picture of the failing case that shows most: an example is small to be read, a picture to be seen.

    It is the first picture, where none is larger or it is no table.
    """
    chosen: Picture | None = None
    for shown in failing:
        found = draw(shown)
        if found is not None and not isinstance(found, Grid):
            return found
        if chosen is None:
            chosen = found if shown is failing[0] or found is None else replace(found, why=shown.why)
        elif _fits(found) and _size(found) > _size(chosen):
            chosen = replace(found, why=shown.why)
    return chosen


def _fits(picture: Picture | None) -> TypeGuard[Grid]:
    return isinstance(picture, Grid) and len(picture.got) <= BEST_ROWS and len(picture.got[0]) <= BEST_COLUMNS


def _size(picture: Picture | None) -> int:
    return len(picture.got) * len(picture.got[0]) if isinstance(picture, Grid) else 0


def weights(part: int = 1, mask: str = "mask") -> Draw:
    """Shares of attention: the ``part``-th returned value, with the cells that the argument ``mask`` hides."""

    def draw(shown: Shown) -> Picture | None:
        expected, got = (_item(value, part) for value in (shown.expected, shown.got))
        return grid("weights", expected, got, ("queries", "keys"), allowed=shown.inputs.get(mask))

    return draw


def mask(axes: tuple[str, str] = ("queries", "keys")) -> Draw:
    """Which query may look at which key: the returned mask."""

    def draw(shown: Shown) -> Picture | None:
        expected, got = as_array(shown.expected), as_array(shown.got)
        if (
            expected is None
            or got is None
            or got.dtype == TRUTH
            or got.dtype.kind not in "biuf"
            or not np.isin(got, (0, 1)).all()
        ):
            return None
        while got.ndim > expected.ndim and got.shape[0] == 1:
            got = got[0]
        return grid("mask", expected.astype(np.int64), got.astype(np.int64), axes)

    return draw


def table(axes: tuple[str, str]) -> Draw:
    """A returned matrix of signed numbers."""
    return lambda shown: grid("table", shown.expected, shown.got, axes)


def curve(along: str, up: str, places: Callable[..., Sequence[int]]) -> Draw:
    """The returned number over the argument ``along``, as the most of the answers with the same other arguments tell.

    ``places(**others)`` says where the right curve is drawn. Where a mistake reproduces every answer, what
    it computes at the same places is drawn, too.
    """

    def draw(shown: Shown) -> Picture | None:
        groups: dict[tuple[tuple[str, Any], ...], dict[int, float]] = {}
        for answer in shown.answers:
            value = as_array(answer.value)
            if value is not None and value.shape == () and value.dtype.kind in "fiu":
                others = tuple((name, item) for name, item in answer.call.inputs.items() if name != along)
                groups.setdefault(others, {})[int(answer.call.inputs[along])] = float(value)
        if not groups:
            return None
        others, measured = max(groups.items(), key=lambda pair: len(pair[1]))
        wanted = places(**dict(others))
        told = {at: value for at, value in measured.items() if at <= max(wanted)}
        at = sorted({*wanted, *told})[:MOST_PLACES]
        right = [float(shown.oracle(**{along: place, **dict(others)})) for place in at]
        if shown.knobs is not None:
            wrong = shown.turned(shown.knobs)
            computed = {place: float(wrong(**{along: place, **dict(others)})) for place in at}
            if all(np.isclose(computed[place], value) for place, value in told.items()):
                told = computed
        if len(told) < 2:  # noqa: PLR2004 - no curve goes through one point
            return None
        got = [told.get(place, np.nan) for place in at]
        why = ", ".join(f"{name} = {value}" for name, value in others)
        return Curve("curve", along, up, tuple(map(float, at)), _numbers(right), _numbers(got), why)

    return draw


def grid(
    kind: Literal["weights", "mask", "table", "seen"],
    expected: Any,
    got: Any,
    axes: tuple[str, str],
    *,
    allowed: Any = None,
) -> Grid | None:
    """Return two arrays ``(..., rows, columns)`` as a picture of the matrix that differs; None where they do not fit.

    ``allowed`` is a mask that broadcasts to them; where it is 0, a cell is blocked.
    """
    right, mine = as_array(expected), as_array(got)
    if right is None or mine is None or mine.shape != right.shape or right.ndim < _MATRIX or not right.size:
        return None
    if mine.dtype.kind not in "biuf" or right.dtype.kind not in "biuf":
        return None
    right, mine = right.astype(np.float64), mine.astype(np.float64)
    hidden = _hidden(allowed, right.shape)
    with np.errstate(invalid="ignore"):
        wrong = ~(np.isclose(mine, right, rtol=1e-4, atol=1e-6) | (~np.isfinite(mine) & ~np.isfinite(right)))
    place: tuple[int, ...] = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.any() else (0,) * right.ndim
    lead = place[:-_MATRIX]
    rows, columns = (_window(at, size, most) for at, size, most in zip(
        place[-_MATRIX:], right.shape[-_MATRIX:], (MOST_ROWS, MOST_COLUMNS), strict=True))  # fmt: skip
    part: tuple[Any, ...] = (*lead, rows, columns)
    blocked = () if hidden is None else tuple((int(row), int(column)) for row, column in np.argwhere(hidden[part]))
    return Grid(kind, _cells(right[part]), _cells(mine[part]), axes, (rows.start, columns.start), _named(lead), blocked)


def _hidden(allowed: Any, shape: tuple[int, ...]) -> Array | None:
    given = as_array(allowed)
    if given is None or given.dtype.kind not in "biuf":
        return None
    for fitted in (given, given[:, None] if given.ndim + 1 == len(shape) and given.ndim > _MATRIX else given):
        try:
            return np.asarray(np.broadcast_to(fitted, shape) == 0)
        except ValueError:
            continue
    return None


def _window(at: int, size: int, most: int) -> slice:
    """The part of an axis that is shown: from its beginning where the first wrong cell is near it."""
    first = 0 if at < most else min(at - most // 2, size - most)
    return slice(first, min(size, first + most))


def _named(lead: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, lead))}]" if lead else ""


def _cells(array: Array) -> Cells:
    return tuple(_numbers(row) for row in array)


def _numbers(values: Any) -> tuple[float | None, ...]:
    return tuple(float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None for value in values)


def _item(value: Any, part: int) -> Any:
    return value[part] if isinstance(value, tuple | list) and len(value) > part else None
