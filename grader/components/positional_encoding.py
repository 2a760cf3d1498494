"""The sinusoidal table of positions (section 3.5): checks and misconceptions."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import reference
from grader.component import pictures
from grader.component.calls import Call, Case
from grader.component.checks import Evidence, Found, Oracle
from grader.components.any_call import answers_twice
from grader.components.syntax_signs import holds_number
from grader.judging.function import Function
from grader.paper.positions import positional_encoding as workshop
from grader.properties import COARSE, Array, Comparison, as_array, near


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """From one position and one pair of columns.

    ``domain``: ``odd`` (false: d_model is always even), ``narrow`` (false: it is at least 4).
    """
    even, odd = frozenset({"even"}), frozenset({"odd"})
    if domain.get("narrow", True):
        yield Case({"max_len": 1, "d_model": 2}, "position 0: sin(0) and cos(0)", even, fixed=True)
        yield Case({"max_len": 2, "d_model": 2}, "positions 0 and 1, one pair of columns", even, fixed=True)
    yield Case(
        {"max_len": 3, "d_model": 4}, "two pairs: the second turns 100 times slower", even | {"base"}, fixed=True
    )
    yield Case({"max_len": 5, "d_model": 8}, "four pairs", even, fixed=True)
    yield Case({"max_len": int(rng.integers(9, 20)), "d_model": 2 * int(rng.integers(5, 12))}, "a larger table", even)
    yield Case({"max_len": 101, "d_model": 6}, "a hundred positions", even | {"long"}, fixed=True)
    if domain.get("odd", True):
        if domain.get("narrow", True):
            yield Case({"max_len": 2, "d_model": 3}, "three columns: one sine more", odd, fixed=True)
        yield Case({"max_len": 4, "d_model": 2 * int(rng.integers(2, 6)) + 1}, "an odd width", odd)


def interleaved(value: Any, layout: Any, inputs: Mapping[str, Any]) -> Any:  # noqa: ARG001 - every reader's form
    """Read a table of sines first and cosines last as an interleaved one."""
    array = as_array(value)
    if array is None or array.ndim < 2 or layout == "interleaved":
        return value
    half, table = (array.shape[-1] + 1) // 2, np.empty_like(array)
    table[..., 0::2], table[..., 1::2] = array[..., :half], array[..., half:]
    return table


_AXES = {"positions": (), "batch_first": (0,), "batch_second": (1,)}


def without_batch(value: Any, axes: Any, inputs: Mapping[str, Any]) -> Any:
    """Take off the axis of size 1 that stands for the batch; another shape stays as it is."""
    array = as_array(value)
    if array is None or array.ndim != 3 or array.shape[_AXES[axes][0]] != 1:
        return value if array is None or array.shape != (inputs["max_len"], inputs["d_model"]) else array[..., None]
    return np.squeeze(array, _AXES[axes])


component = Function(
    "positional_encoding",
    {"positional_encoding": reference.positional_encoding},
    ladder,
    title="Positional encoding",
    reread="section 3.5",
    workshop=workshop,
    compare=lambda got, expected, **_: near(got, expected, dtype=COARSE),
    picture=pictures.table(("positions", "features")),
)
component.settles("table_axes", reads=without_batch)
component.settles(
    "layout",
    {
        "interleaved": {},
        "halves": {"layout": "halves"},
        "tensor2tensor": {"layout": "halves", "exponent": "i/(pairs-1)"},
    },
    reads=interleaved,
    drops={"tensor2tensor": frozenset({"pe-exponent-over-pairs"})},
)
component.settles("first_position")
component.settles("exponents")
component.settles("base")


def _read(got: Any, max_len: int, d_model: int, oracle: Oracle) -> Array | Comparison:
    array = as_array(got)
    if array is None or array.dtype.kind not in "fiu" or array.shape != (max_len, d_model):
        return near(got, oracle(max_len=max_len, d_model=d_model))
    return array


@component.check(on="even", convention="rank")
def has_a_row_for_each_position(got: Any, max_len: int, d_model: int, *, oracle: Oracle) -> Found:
    """The table is (max_len, d_model): a row for each position, a column for each feature."""
    table = _read(got, max_len, d_model, oracle)
    if isinstance(table, Comparison):
        return table
    return None if np.isfinite(table).all() else near(table, np.zeros(table.shape))


@component.check(on=lambda case: "even" in case.tags and case.inputs["d_model"] > 2, convention="layout")
def columns_alternate(got: Any, max_len: int, d_model: int, *, oracle: Oracle) -> Found:
    """Sines and cosines alternate: even columns hold sines, odd columns cosines."""
    table = _read(got, max_len, d_model, oracle)
    right, half = oracle(max_len=max_len, d_model=d_model), d_model // 2
    if isinstance(table, Comparison):
        return None  # the shape is another check's business
    first = table[0]
    apart = bool(near(first[:half], np.full(half, first[0])) and near(first[half:], np.full(half, first[half])))
    if apart and abs(first[0] - first[half]) > 0.5:
        return Comparison(False, "sines and cosines are put together the other way", right, table)
    return None


@component.check(on="even")
def row_zero_is_position_zero(got: Any, max_len: int, d_model: int, *, oracle: Oracle) -> Found:
    """Row 0 belongs to position 0: sin(0) = 0 and cos(0) = 1 in turn."""
    table = _read(got, max_len, d_model, oracle)
    return (
        table
        if isinstance(table, Comparison)
        else replace(near(table[0], oracle(max_len=max_len, d_model=d_model)[0], dtype=COARSE), part="PE[0]")
    )


def _columns(first: int, name: str, text: str) -> None:
    """Check every other column from the ``first`` on, below the row of position 0."""

    def judge(got: Any, max_len: int, d_model: int, *, oracle: Oracle) -> Found:
        table, right = _read(got, max_len, d_model, oracle), oracle(max_len=max_len, d_model=d_model)
        if isinstance(table, Comparison):
            return table
        found = near(table[1:, first::2], right[1:, first::2], dtype=COARSE)
        return replace(found, part=f"PE[1:, {first}::2]")

    component.check(name, text, on=lambda case: "even" in case.tags and case.inputs["max_len"] > 1)(judge)


_columns(0, "even_columns_are_sines", "Column 2i holds sin(pos / 10000^(2i / d_model)).")
_columns(
    1, "odd_columns_are_cosines", "Column 2i + 1 holds cos(pos / 10000^(2i / d_model)): the angle of the column before."
)


@component.check(on=lambda case: "even" in case.tags and case.inputs["max_len"] > 3)
def moving_on_is_a_rotation(got: Any, max_len: int, d_model: int, *, oracle: Oracle) -> Found:
    """Each pair of columns turns by the same angle from one position to the next.

    That is why the paper hopes that relative positions are easy to learn: PE(pos + k) is a linear function of PE(pos).
    """
    table = _read(got, max_len, d_model, oracle)
    if isinstance(table, Comparison):
        return table
    hands = table[1:, 0::2] + 1j * table[1:, 1::2]
    lengths = np.abs(hands)
    found = near(lengths, np.ones(lengths.shape), dtype=COARSE)
    if not found:
        return Comparison(
            False,
            "sin² + cos² of a pair of columns is not 1",
            np.ones(lengths.shape),
            lengths,
            found.max_error,
            found.where,
        )
    turns = hands[1:] / hands[:-1]
    steady = near(np.abs(turns - turns[:1]), np.zeros(turns.shape), floor=1.0, dtype=COARSE)
    return steady or Comparison(False, "a pair of columns does not turn by the same angle at each step", None, table)


def _shorter(max_len: int, d_model: int) -> tuple[Call, ...]:
    return tuple(Call({"max_len": length, "d_model": d_model}) for length in (max_len, max_len // 2))


@component.check(ask=_shorter, on=lambda case: "even" in case.tags and case.inputs["max_len"] > 4)
def rows_do_not_depend_on_the_length(got: Any, shorter: Any, max_len: int, d_model: int, *, oracle: Oracle) -> Found:
    """A longer table begins with the rows of a shorter one."""
    table, part = _read(got, max_len, d_model, oracle), _read(shorter, max_len // 2, d_model, oracle)
    if isinstance(table, Comparison):
        return table
    if isinstance(part, Comparison):
        return part
    # Row 0 and the last row have checks of their own where they are left empty.
    return near(table[1 : len(part) - 1], part[1:-1], dtype=COARSE) if np.isfinite(part).all() else None


def _beside_even(max_len: int, d_model: int) -> tuple[Call, ...]:
    return tuple(Call({"max_len": max_len, "d_model": width}) for width in (d_model, d_model + 1))


@component.check(ask=_beside_even, on="odd")
def takes_an_odd_width(got: Any, even: Any, max_len: int, d_model: int, *, oracle: Oracle) -> Found:
    """An odd d_model has one sine more than cosines."""
    table = _read(got, max_len, d_model, oracle)
    if isinstance(table, Comparison):
        return table
    right = oracle(max_len=max_len, d_model=d_model + 1)
    if not near(even, right, dtype=COARSE):
        return None  # the formula itself differs, as even widths show: here only the shape must be right
    return near(table, oracle(max_len=max_len, d_model=d_model), dtype=COARSE)


answers_twice(component, "The same sizes give the same table in a second call.", on="even")


@component.hook
def _fitted_base(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """The base, from column 2 of position 1 with d_model = 4: sin(1 / √base), or the angle itself where it is small."""
    for answer in evidence.answers:
        if "base" in answer.case.tags and answer.status == "value" and answer.call.inputs == answer.case.inputs:
            table = as_array(answer.value)
            if table is not None and table.shape == (3, 4):
                for sine in {float(table[1, 2]), float(table[1, 1])}:
                    base = float(np.arcsin(sine)) ** -2.0
                    yield from (
                        {"base": number}
                        for number in (float(f"{base:.5g}"), base)
                        if abs(number - 1e4) > 1 < number and abs(number - np.exp(4.0)) > 1e-2  # a log10
                    )


component.hooks |= {
    "holds_10000": partial(holds_number, number=10000),
    "no_10000": lambda evidence: bool(evidence.modules) and not holds_number(evidence, 10000),
}
