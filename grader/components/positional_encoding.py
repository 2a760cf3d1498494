"""The sinusoidal table of positions (section 3.5): checks and misconceptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import reference
from grader.component import Call, Case, Component, Evidence, Found
from grader.components.positional_workshop import workshop
from grader.components.syntax_signs import holds_number
from grader.properties import Array, Comparison, as_array, describe, near

COARSE = np.dtype(np.float32)
"""Tables made in single precision are right, whatever type they are returned in."""


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """From one position and one pair of columns. ``domain``: ``odd`` (false: d_model is always even)."""
    even, odd = frozenset({"even"}), frozenset({"odd"})
    yield Case({"max_len": 1, "d_model": 2}, "position 0: sin(0) and cos(0)", even, fixed=True)
    yield Case({"max_len": 2, "d_model": 2}, "positions 0 and 1, one pair of columns", even, fixed=True)
    yield Case(
        {"max_len": 3, "d_model": 4}, "two pairs: the second turns 100 times slower", even | {"base"}, fixed=True
    )
    yield Case({"max_len": 5, "d_model": 8}, "four pairs", even, fixed=True)
    yield Case({"max_len": int(rng.integers(9, 20)), "d_model": 2 * int(rng.integers(5, 12))}, "a larger table", even)
    yield Case({"max_len": 101, "d_model": 6}, "a hundred positions", even | {"long"}, fixed=True)
    if domain.get("odd", True):
        yield Case({"max_len": 2, "d_model": 3}, "three columns: one sine more", odd, fixed=True)
        yield Case({"max_len": 4, "d_model": 2 * int(rng.integers(2, 6)) + 1}, "an odd width", odd)


def inward(value: Any, conventions: Mapping[str, Any]) -> Any:
    """Read a table of sines first and cosines last as an interleaved one, where the student keeps to that."""
    array = as_array(value)
    if array is None or array.ndim != 2 or conventions.get("layout") != "halves":
        return value
    half, table = (array.shape[1] + 1) // 2, np.empty_like(array)
    table[:, 0::2], table[:, 1::2] = array[:, :half], array[:, half:]
    return table


component = Component(
    "positional_encoding",
    {"positional_encoding": reference.positional_encoding},
    ladder,
    title="Positional encoding",
    reread="section 3.5",
    workshop=workshop,
    inward=inward,
    compare=lambda got, expected, **_: near(got, expected, dtype=COARSE),
)


def _even(case: Case) -> bool:
    return "even" in case.tags


def _read(got: Any, max_len: int, d_model: int) -> Array | Comparison:
    array = as_array(got)
    if array is None or array.dtype.kind not in "fiu" or array.shape != (max_len, d_model):
        return near(got, reference.positional_encoding(max_len, d_model))
    return array


def _of(part: str, found: Comparison) -> Comparison:
    """Name the rows and columns that were compared: the table is the paper's PE."""
    return replace(found, part=part)


@component.check(on=_even, convention="rank")
def has_a_row_for_each_position(got: Any, max_len: int, d_model: int) -> Found:
    """The table is (max_len, d_model): a row for each position, a column for each feature."""
    table = _read(got, max_len, d_model)
    if isinstance(table, Comparison):
        return table
    return None if np.isfinite(table).all() else near(table, np.zeros(table.shape))


@component.check(on=lambda case: _even(case) and case.inputs["d_model"] > 2, convention="layout")
def columns_alternate(got: Any, max_len: int, d_model: int) -> Found:
    """Sines and cosines alternate: even columns hold sines, odd columns cosines."""
    table = _read(got, max_len, d_model)
    right, half = reference.positional_encoding(max_len, d_model), d_model // 2
    if isinstance(table, Comparison):
        return None  # the shape is another check's business
    first = table[0]
    apart = bool(near(first[:half], np.full(half, first[0])) and near(first[half:], np.full(half, first[half])))
    if apart and abs(first[0] - first[half]) > 0.5:
        return Comparison(False, "all sines stand in the first half and all cosines in the second", right, table)
    return None


@component.check(on=_even)
def row_zero_is_position_zero(got: Any, max_len: int, d_model: int) -> Found:
    """Row 0 belongs to position 0: sin(0) = 0 and cos(0) = 1 in turn."""
    table = _read(got, max_len, d_model)
    return (
        table if isinstance(table, Comparison) else _of("PE[0]", near(table[0], np.arange(d_model) % 2.0, dtype=COARSE))
    )


@component.check(on=lambda case: _even(case) and case.inputs["max_len"] > 1)
def even_columns_are_sines(got: Any, max_len: int, d_model: int) -> Found:
    """Column 2i holds sin(pos / 10000^(2i / d_model))."""
    table = _read(got, max_len, d_model)
    right = reference.positional_encoding(max_len, d_model)
    if isinstance(table, Comparison):
        return table
    return _of("PE[1:, 0::2]", near(table[1:, 0::2], right[1:, 0::2], dtype=COARSE))


@component.check(on=lambda case: _even(case) and case.inputs["max_len"] > 1)
def odd_columns_are_cosines(got: Any, max_len: int, d_model: int) -> Found:
    """Column 2i + 1 holds cos(pos / 10000^(2i / d_model)): the angle of the column before."""
    table = _read(got, max_len, d_model)
    right = reference.positional_encoding(max_len, d_model)
    if isinstance(table, Comparison):
        return table
    return _of("PE[1:, 1::2]", near(table[1:, 1::2], right[1:, 1::2], dtype=COARSE))


@component.check(on=lambda case: _even(case) and case.inputs["max_len"] > 3)
def moving_on_is_a_rotation(got: Any, max_len: int, d_model: int) -> Found:
    """Each pair of columns turns by the same angle from one position to the next.

    That is why the paper hopes that relative positions are easy to learn: PE(pos + k) is a linear function of PE(pos).
    """
    table = _read(got, max_len, d_model)
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


@component.check(ask=_shorter, on=lambda case: _even(case) and case.inputs["max_len"] > 4)
def rows_do_not_depend_on_the_length(got: Any, shorter: Any, max_len: int, d_model: int) -> Found:
    """A longer table begins with the rows of a shorter one."""
    table, part = _read(got, max_len, d_model), _read(shorter, max_len // 2, d_model)
    if isinstance(table, Comparison):
        return table
    if isinstance(part, Comparison):
        return part
    # Row 0 and the last row have checks of their own where they are left empty.
    return near(table[1 : len(part) - 1], part[1:-1], dtype=COARSE) if np.isfinite(part).all() else None


def _beside_even(max_len: int, d_model: int) -> tuple[Call, ...]:
    return tuple(Call({"max_len": max_len, "d_model": width}) for width in (d_model, d_model + 1))


@component.check(ask=_beside_even, on=lambda case: "odd" in case.tags)
def takes_an_odd_width(got: Any, even: Any, max_len: int, d_model: int) -> Found:
    """An odd d_model has one sine more than cosines."""
    table = _read(got, max_len, d_model)
    if isinstance(table, Comparison):
        return table
    right = reference.positional_encoding(max_len, d_model + 1)
    if not near(even, right, dtype=COARSE):
        return None  # the formula itself differs, as even widths show: here only the shape must be right
    return near(table, reference.positional_encoding(max_len, d_model), dtype=COARSE)


@component.check(ask=lambda **inputs: (Call(inputs, repeat=2),), on=_even, most=3)
def answers_the_same_twice(got: Any, **_: Any) -> Found:
    """The same sizes give the same table in a second call."""
    first = as_array(got[0])
    if first is None:
        return Comparison(False, f"returned {describe(got[0])}; expected an array", None, got[0])
    return near(got[1], first) if np.isfinite(first).all() else None


def _fitted_base(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """The base, from column 2 of position 1 with d_model = 4: sin(1 / √base), or the angle itself where it is small."""
    for answer in evidence.answers:
        if "base" in answer.case.tags and answer.status == "value" and answer.call.inputs == answer.case.inputs:
            table = as_array(answer.value)
            if table is not None and table.shape == (3, 4):
                for sine in {float(table[1, 2]), float(table[1, 1])}:
                    base = float(np.arcsin(sine)) ** -2.0
                    yield from (
                        {"base": number} for number in (float(f"{base:.5g}"), base) if abs(number - 1e4) > 1 < number
                    )


_FORMULA = """? For d_model = 8, what are your four exponents?
> Print your exponents beside those of the formula: 2i / d_model, where i counts pairs of columns.
"""

component.slip(
    "pe-wrong-base",
    """The base is another number than 10000.
? Which base follows from your second frequency?
> Count the zeros of your constant, and see whether a logarithm is to base 10.
= The first pair does not show it, since its exponent is 0. All later pairs turn at the wrong speed.""",
    {"base": 1000.0},
    {"base": 100000.0},
    told="The base is {base:g} instead of 10000.",
    fit=_fitted_base,
    tie_break=lambda evidence: bool(evidence.modules) and not holds_number(evidence, 10000),
)
component.slip(
    "pe-angle-multiplied",
    """The position is multiplied by 10000^(2i/d_model) instead of divided.
? As the column number grows, should the wave get longer or shorter?
> Look at the sign of your exponent.
= Later columns should turn more slowly; multiplied, they turn so fast that neighbours look unrelated.""",
    {"multiplied": True},
)
component.slip(
    "pe-integer-division",
    f"""Every exponent is 0, so that all pairs turn at the same speed.
{_FORMULA}= 2 * i // d_model is 0 for every pair. Use / and check the parentheses.""",
    {"exponent": "0"},
)
component.slip(
    "pe-cos-uses-next-exponent",
    """The cosine has an exponent of its own instead of that of its sine.
? Square and add the two columns of a pair. What should you get at every position?
> In the formula, 2i stands in both lines: column 2i + 1 has the angle of column 2i.
= With the column number itself as 2i, each cosine turns a little slower than its sine, and the
pair no longer rotates.""",
    {"cosine": "next column"},
    {"cosine": "next pair"},
)
component.slip(
    "pe-exponent-doubled",
    f"""The exponent is twice as large as it should be.
{_FORMULA}= If i already steps by 2, then 2 * i doubles it: the waves get too long too soon.""",
    {"exponent": "4i/d"},
    tie_break=lambda evidence: holds_number(evidence, 10000),
)
component.slip(
    "pe-loop-index-doubled",
    f"""A loop index that already steps by 2 is doubled, and the cosine has an exponent of its own.
{_FORMULA}= With i = 0, 2, 4, ... the exponent is i / d_model, for the sine in column i and the cosine beside it.""",
    {"exponent": "4i/d", "cosine": "next column"},
)
component.slip(
    "pe-exponent-halved",
    f"""The exponent is half as large as it should be.
{_FORMULA}= The exponent of pair i is 2i / d_model, not i / d_model: the waves get longer too slowly.""",
    {"exponent": "i/d"},
    tie_break=lambda evidence: holds_number(evidence, 10000),
)
component.slip(
    "pe-exponent-not-divided",
    f"""The exponent is not divided by d_model.
{_FORMULA}= Without the division the second pair hardly turns at all.""",
    {"exponent": "2i"},
    {"exponent": "i"},
)
component.slip(
    "pe-exponent-wrong-width",
    f"""The exponent is divided by another number than d_model.
{_FORMULA}= The last pair should almost, but not quite, reach the exponent 1.""",
    *({"exponent": exponent} for exponent in ("2i/(d-1)", "2i/(d-2)", "2i/(d/2)", "i/(pairs-1)", "i/pairs")),
)
component.slip(
    "pe-exponent-shifted",
    f"""The exponents begin one step too late.
{_FORMULA}= The first pair has the exponent 0: i counts from 0.""",
    {"exponent": "2(i+1)/d"},
    {"exponent": "(2i+1)/d"},
)
component.slip(
    "pe-exponents-reversed",
    f"""The first columns turn slowest.
{_FORMULA}= Pair 0 has the exponent 0 and turns fastest.""",
    {"exponent": "from the end"},
)
component.slip(
    "pe-precedence",
    f"""The parentheses of the exponent are missing.
{_FORMULA}= In Python ** binds more tightly than * and /: write 10000 ** (2 * i / d_model).""",
    *({"exponent": exponent} for exponent in ("no parentheses", "d outside", "d above", "product")),
)
component.slip(
    "pe-halves-not-interleaved",
    """All sines stand first and all cosines last.
? At position 0, where should the zeros and where the ones stand?
> Look at the slices that you fill: every second column, or one half?
= The paper's formula alternates them. Its authors' own code puts them in two halves, so it works as well, but the
hand-out asks for the formula.""",
    {"layout": "halves"},
    reading={"layout": "halves"},
)
component.slip(
    "pe-tensor2tensor",
    """Sines first, cosines last, and the frequencies of the authors' own code.
? At position 0, where should the zeros and where the ones stand?
> Compare the layout and the exponent with the formula of section 3.5.
= The code of the authors divides by d_model/2 - 1 and does not alternate. The hand-out asks for the formula.""",
    {"layout": "halves", "exponent": "2i/(d-2)"},
)
component.slip(
    "pe-sin-cos-swapped",
    """Sines and cosines have changed places.
? What is sin(0), and where does your row 0 hold it?
> Even columns hold sines, odd ones cosines; columns count from 0.
= At position 0 the row should read 0, 1, 0, 1 and so on.""",
    {"waves": "cos, sin"},
)
component.slip(
    "pe-one-wave-only",
    """All columns hold the same kind of wave.
? Do the two columns of a pair tell more together than one alone?
> One of the two functions is missing.
= With sines alone two positions on either side of a crest look alike.""",
    *({"waves": waves} for waves in ("sin, sin", "cos, cos", "sin, zero", "zero, cos")),
)
component.slip(
    "pe-sign-flipped",
    """A wave has the wrong sign.
? What is the sign of the first column at position 1?
> Look for a minus in front of the angle or of the function.
= sin(-x) = -sin(x): a minus in the angle flips the sines.""",
    {"waves": "-sin, cos"},
    {"waves": "sin, -cos"},
)
component.slip(
    "pe-no-wave",
    """The angles stand in the table without sine and cosine.
? Can an entry of the table be larger than 1?
> One step is missing after the angle.
= Sine and cosine keep every entry between -1 and 1, however long the sentence is.""",
    {"waves": "angle, angle"},
)
component.slip(
    "pe-row-zero-blank",
    """Row 0 is left empty.
? What is cos(0)?
> Look at where your loop over the positions begins.
= Position 0 has its own row: zeros for the sines and ones for the cosines.""",
    {"blank": "first row"},
)
component.slip(
    "pe-last-row-blank",
    """The last row is left empty.
? Which positions does your loop visit?
> Look at where your loop over the positions ends.
= There are max_len positions, 0 to max_len - 1.""",
    {"blank": "last row"},
)
component.slip(
    "pe-positions-from-one",
    """The positions are counted from 1.
? What should row 0 hold, if it belongs to position 0?
> Look at the range of your positions.
= The first row belongs to position 0: 0, 1, 0, 1 and so on.""",
    {"start": 1},
)
component.slip(
    "pe-positions-scaled",
    """The positions are divided by the length.
? Should position 3 look different in a longer sentence?
> The angle of a position does not depend on max_len.
= With positions between 0 and 1 the rows of a table depend on its length.""",
    {"step": "of max_len"},
    {"step": "of the last"},
)
component.slip(
    "pe-positions-reversed",
    """The positions run backwards.
? Which row belongs to position 0?
> Look for a reversed range or slice.
= Row 0 is position 0.""",
    {"step": "backwards"},
)
component.slip(
    "pe-degrees",
    """The angles are taken for degrees.
? What is np.sin(1)?
> numpy's sin and cos take radians: no conversion is needed.
= The angle pos / 10000^(2i/d_model) is in radians.""",
    {"degrees": True},
)
component.slip(
    "pe-odd-dmodel-crash",
    """An odd d_model raises.
? With five columns, how many are even-numbered and how many odd-numbered?
> Look at what you assign to the odd columns: cut the angles to d_model // 2.
= There are as many sines as pairs begun, and one cosine less when d_model is odd.""",
    {"odd": "refused"},
    {"odd": "too few sines"},
)
component.slip(
    "pe-odd-dmodel-cut",
    """An odd d_model loses its last column.
? How many columns does your table have for d_model = 5?
> Look at d_model // 2 and 2 * (d_model // 2).
= An odd width has one sine more, in the last column.""",
    {"odd": "cut"},
    {"odd": "zero"},
)
component.slip(
    "pe-odd-dmodel-too-wide",
    """An odd d_model gets one column too many.
? How many columns does your table have for d_model = 5?
> Cut the cosines to d_model // 2 columns.
= There are as many sines as pairs begun, and one cosine less when d_model is odd.""",
    {"odd": "wide"},
)
component.slip(
    "pe-integer-table",
    """The table holds whole numbers.
? What type does your table have?
> Look at the dtype of the array that you fill.
= Sines and cosines written into an integer array are cut to -1, 0 and 1.""",
    {"whole": True},
)
component.slip(
    "pe-transposed",
    """Rows and columns are exchanged.
? Which axis of your table is as long as the sentence?
> Compare its shape with (max_len, d_model).
= Positions are rows.""",
    {"axes": "columns, positions"},
)
component.slip(
    "pe-wrong-number-of-rows",
    """The table has a row too few.
? How many rows does your table have for max_len = 1?
> Look at the range of your positions.
= There are max_len positions, 0 to max_len - 1.""",
    {"axes": "one row less"},
)
component.slip(
    "pe-extra-axis",
    """The table has an axis that is not asked for.
? What is the shape of your table, and which one does the hand-out name?
> Look for None, unsqueeze or reshape.
= The table is (max_len, d_model). A batch axis comes by broadcasting where the table is added.""",
    {"axes": "1, positions, columns"},
    {"axes": "positions, 1, columns"},
    reading={"rank": 2},
)
