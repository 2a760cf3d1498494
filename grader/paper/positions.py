"""The sinusoidal table of positions (section 3.5)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from grader.paper.weights import Array

_BROADCASTS = 3
"""With three columns a single sine fits into both even ones; with five, two sines do not fit into three."""


def positional_encoding(
    max_len: int,
    d_model: int,
    *,
    base: float = 10000.0,
    exponent: str = "2i/d",
    cosine: str = "same",
    multiplied: bool = False,
    layout: str = "interleaved",
    waves: str = "sin, cos",
    start: float = 0,
    step: str = "1",
    blank: str = "",
    odd: str = "taken",
    axes: str = "positions, columns",
    degrees: bool = False,
    whole: bool = False,
    grid: str = "outer",
) -> Any:
    """The table ``(max_len, d_model)``, whose row 0 is position 0. Raises ValueError where ``odd`` says so."""
    if d_model % 2 and (odd == "refused" or (odd == "too few sines" and d_model != _BROADCASTS)):
        raise ValueError("could not broadcast input array from a wider shape")
    position = _positions(max_len, start, step)
    pairs = d_model // 2 if odd in {"cut", "zero", "too few sines"} else (d_model + 1) // 2
    pair = np.arange(pairs, dtype=np.float64)[None, :]
    later = {"same": pair, "next column": pair + 0.5, "next pair": pair + 1}[cosine]
    with np.errstate(all="ignore"):
        angles = [_angle(position, i, d_model, base, exponent, multiplied=multiplied) for i in (pair, later)]
    if grid == "reshaped":
        angles = [angle.T.reshape(angle.shape) for angle in angles]
    if degrees:
        angles = [np.deg2rad(angle) for angle in angles]
    with np.errstate(invalid="ignore"):
        table = _table(angles, {"cut": 2 * pairs, "wide": 2 * pairs}.get(odd, d_model), layout, waves)
    if d_model % 2 and odd == "too few sines":
        table[:, -1] = table[:, 0]
    table = table.astype(np.int64) if whole else table
    if blank == "first row":
        table[0] = 0.0
    elif blank == "last row":
        table[-1] = 0.0
    laid: dict[str, Callable[[], Array]] = {
        "positions, columns": lambda: table,
        "columns, positions": lambda: table.T,
        "1, positions, columns": lambda: table[None],
        "positions, 1, columns": lambda: table[:, None],
        "one row less": lambda: table[:-1],
    }
    return laid[axes]()


def _positions(max_len: int, start: float, step: str) -> Array:
    position = np.arange(max_len, dtype=np.float64)[:, None] + start
    return {
        "1": position,
        "of max_len": position / max_len,
        "of the last": position / max(max_len - 1, 1),
        "backwards": position[::-1],
    }[step]


def pairs_of(d_model: int) -> int:
    """How many pairs of columns there are; an odd width has half a pair more."""
    return (d_model + 1) // 2


def _angle(position: Array, i: Array, d_model: int, base: float, exponent: str, *, multiplied: bool) -> Array:
    ways: dict[str, Callable[[], Array]] = {
        "no parentheses": lambda: position / base**2 * i / d_model,
        "d outside": lambda: position / base ** (2 * i) / d_model,
        "d above": lambda: position / (base ** (2 * i) / d_model),
        "product": lambda: position / (base * 2 * i / d_model),
        "floored": lambda: position * np.exp(2 * i * np.floor(-np.log(base) / d_model / 2)),
        "base above": lambda: position * (2 * i / d_model) ** (1 / base),
    }
    if exponent in ways:
        return ways[exponent]()
    powers: dict[str, Callable[[], Array]] = {
        "2i/d": lambda: 2 * i / d_model,
        "4i/d": lambda: 4 * i / d_model,
        "i/d": lambda: i / d_model,
        "0": lambda: 0 * i,
        "2i": lambda: 2 * i,
        "i": lambda: i,
        "2i/(d-1)": lambda: 2 * i / max(d_model - 1, 1),
        "2i/(d-2)": lambda: 2 * i / max(d_model - 2, 1),
        "i/(pairs-1)": lambda: i / max(pairs_of(d_model) - 1, 1),
        "i/(d//2-1)": lambda: i / max(d_model // 2 - 1, 1),
        "i/pairs": lambda: i / pairs_of(d_model),
        "2i/(d/2)": lambda: 2 * i / max(d_model // 2, 1),
        "from the end": lambda: 2 * i[:, ::-1] / d_model,
        "2(i+1)/d": lambda: 2 * (i + 1) / d_model,
        "(2i+1)/d": lambda: (2 * i + 1) / d_model,
    }
    speed = base ** powers[exponent]()
    return np.asarray(position * speed if multiplied else position / speed)


def _table(angles: list[Array], width: int, layout: str, waves: str) -> Array:
    makers: dict[str, Callable[[Array], Array]] = {
        "sin": np.sin,
        "cos": np.cos,
        "zero": np.zeros_like,
        "angle": np.array,
        "-sin": lambda a: -np.sin(a),
        "-cos": lambda a: -np.cos(a),
    }
    first, second = (makers[name](angle) for name, angle in zip(waves.split(", "), angles, strict=True))
    table, half = np.zeros((first.shape[0], width)), first.shape[1]
    if layout == "by rows":
        table[:, 0 : 2 * half : 2], table[:, 1 : 2 * half : 2] = angles[0], angles[0][:, : width // 2]
        even, odd = (makers[name] for name in waves.split(", "))
        table[0::2], table[1::2] = even(table[0::2]), odd(table[1::2])
    elif layout == "halves":
        table[:, :half], table[:, half : 2 * half] = first, second[:, : width - half]
    else:
        table[:, 0 : 2 * half : 2], table[:, 1 : 2 * half : 2] = first, second[:, : width // 2]
    return table


def with_rows(x: Array, table: Array, *, rows: str = "positions", how: str = "added") -> Array:
    """``x`` of shape ``(batch, n, d)`` with the row of each position added, out of a table that may be longer."""
    batch, n, d = x.shape
    chosen = {
        "positions": table[:n],
        "last": table[n - 1],
        "first": table[0],
        "length": table[min(n, len(table) - 1)],
        "reversed": table[:n][::-1],
        "from_one": table[1 : n + 1],
        "batch": table[:batch][:, None],
        "as many as samples": table[:batch],  # which fit where the batch has one sample, or as many as positions
        "from_the_end": table[-n:],
    }[rows]
    if how == "returned":
        return np.broadcast_to(chosen, x.shape)
    if how == "multiplied":
        return np.asarray(x * chosen)
    of_x, of_rows = {
        "added": (1.0, 1.0),
        "scaled_x": (d**0.5, 1.0),
        "scaled_rows": (1.0, d**0.5),
        "subtracted": (1.0, -1.0),
        "twice": (1.0, 2.0),
        "nothing": (1.0, 0.0),
    }[how]
    return np.asarray(of_x * x + of_rows * chosen)
