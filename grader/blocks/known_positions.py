"""The sinusoidal table as students get it wrong: what to say about each setting of the workshop (section 3.5)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from grader.blocks.faults import Fault

_FORMULA = """? For d_model = 8, what are your four exponents?
> Print your exponents beside those of the formula: 2i / d_model, where i counts pairs of columns.
"""

LOG10: tuple[Any, ...] = (
    "pe-wrong-base",
    """The logarithm is to base 10, which makes the base e⁴ = 54.6 instead of 10000.
? Which base undoes a log10, and which one does exp() have?
> exp() undoes the natural logarithm: look at the logarithm in your exponent.
= exp(-2i/d_model · ln 10000) is 10000^(-2i/d_model). With log10(10000) = 4 it is e^(-4 · 2i/d_model), and all waves
are too short.""",
    {"base": math.exp(4.0)},
)

SLIPS: tuple[tuple[Any, ...], ...] = (
    (
        "pe-wrong-base",
        """The base is another number than 10000.
? Which base follows from your second frequency?
> Count the zeros of your constant, and see whether a logarithm is to base 10.
= The first pair does not show it, since its exponent is 0. All later pairs turn at the wrong speed.""",
        *({"base": base} for base in (1000.0, 100.0, 100000.0, 10.0, 1e6)),
    ),
    (
        "pe-angle-multiplied",
        """The position is multiplied by 10000^(2i/d_model) instead of divided.
? As the column number grows, should the wave get longer or shorter?
> Look at the sign of your exponent.
= Later columns should turn more slowly; multiplied, they turn so fast that neighbours look unrelated.""",
        {"multiplied": True},
    ),
    (
        "pe-integer-division",
        f"""Every exponent is 0, so that all pairs turn at the same speed.
{_FORMULA}= 2 * i // d_model is 0 for every pair. Use / and check the parentheses.""",
        {"exponent": "0"},
    ),
    (
        "pe-cos-uses-next-exponent",
        """The cosine has an exponent of its own instead of that of its sine.
? Square and add the two columns of a pair. What should you get at every position?
> In the formula, 2i stands in both lines: column 2i + 1 has the angle of column 2i.
= With the column number itself as 2i, each cosine turns a little slower than its sine, and the
pair no longer rotates.""",
        {"cosine": "next column"},
        {"cosine": "next pair"},
    ),
    (
        "pe-exponent-doubled",
        f"""The exponent is twice as large as it should be.
{_FORMULA}= If i already steps by 2, then 2 * i doubles it: the waves get too long too soon.""",
        {"exponent": "4i/d"},
    ),
    (
        "pe-loop-index-doubled",
        f"""A loop index that already steps by 2 is doubled, and the cosine has an exponent of its own.
{_FORMULA}= With i = 0, 2, 4, ... the exponent is i / d_model, for the sine in column i and the cosine beside it.""",
        {"exponent": "4i/d", "cosine": "next column"},
    ),
    (
        "pe-exponent-halved",
        f"""The exponent is half as large as it should be.
{_FORMULA}= The exponent of pair i is 2i / d_model, not i / d_model: the waves get longer too slowly.""",
        {"exponent": "i/d"},
    ),
    (
        "pe-exponent-not-divided",
        f"""The exponent is not divided by d_model.
{_FORMULA}= Without the division the second pair hardly turns at all.""",
        {"exponent": "2i"},
        {"exponent": "i"},
    ),
    (
        "pe-exponent-wrong-width",
        f"""The exponent is divided by another number than d_model.
{_FORMULA}= The last pair should almost, but not quite, reach the exponent 1.""",
        *({"exponent": exponent} for exponent in ("2i/(d-1)", "2i/(d-2)", "2i/(d/2)", "i/(pairs-1)", "i/pairs")),
    ),
    (
        "pe-exponent-shifted",
        f"""The exponents begin one step too late.
{_FORMULA}= The first pair has the exponent 0: i counts from 0.""",
        {"exponent": "2(i+1)/d"},
        {"exponent": "(2i+1)/d"},
    ),
    (
        "pe-exponents-reversed",
        f"""The first columns turn slowest.
{_FORMULA}= Pair 0 has the exponent 0 and turns fastest.""",
        {"exponent": "from the end"},
    ),
    (
        "pe-precedence",
        f"""The parentheses of the exponent are missing.
{_FORMULA}= In Python ** binds more tightly than * and /: write 10000 ** (2 * i / d_model).""",
        *({"exponent": exponent} for exponent in ("no parentheses", "d outside", "d above", "product")),
    ),
    (
        "pe-halves-not-interleaved",
        """All sines stand first and all cosines last.
? At position 0, where should the zeros and where the ones stand?
> Look at the slices that you fill: every second column, or one half?
= The paper's formula alternates them. Its authors' own code puts them in two halves, so it works as well, but the
hand-out asks for the formula.""",
        {"layout": "halves"},
    ),
    (
        "pe-tensor2tensor",
        """Sines first, cosines last, and the frequencies of the authors' own code.
? At position 0, where should the zeros and where the ones stand?
> Compare the layout and the exponent with the formula of section 3.5.
= The code of the authors divides by d_model/2 - 1 and does not alternate. The hand-out asks for the formula.""",
        {"layout": "halves", "exponent": "2i/(d-2)"},
    ),
    (
        "pe-sin-cos-swapped",
        """Sines and cosines have changed places.
? What is sin(0), and where does your row 0 hold it?
> Even columns hold sines, odd ones cosines; columns count from 0.
= At position 0 the row should read 0, 1, 0, 1 and so on.""",
        {"waves": "cos, sin"},
    ),
    (
        "pe-one-wave-only",
        """All columns hold the same kind of wave.
? Do the two columns of a pair tell more together than one alone?
> One of the two functions is missing.
= With sines alone two positions on either side of a crest look alike.""",
        *({"waves": waves} for waves in ("sin, sin", "cos, cos", "sin, zero", "zero, cos")),
    ),
    (
        "pe-sign-flipped",
        """A wave has the wrong sign.
? What is the sign of the first column at position 1?
> Look for a minus in front of the angle or of the function.
= sin(-x) = -sin(x): a minus in the angle flips the sines.""",
        {"waves": "-sin, cos"},
        {"waves": "sin, -cos"},
    ),
    (
        "pe-no-wave",
        """The angles stand in the table without sine and cosine.
? Can an entry of the table be larger than 1?
> One step is missing after the angle.
= Sine and cosine keep every entry between -1 and 1, however long the sentence is.""",
        {"waves": "angle, angle"},
    ),
    (
        "pe-row-zero-blank",
        """Row 0 is left empty.
? What is cos(0)?
> Look at where your loop over the positions begins.
= Position 0 has its own row: zeros for the sines and ones for the cosines.""",
        {"blank": "first row"},
    ),
    (
        "pe-last-row-blank",
        """The last row is left empty.
? Which positions does your loop visit?
> Look at where your loop over the positions ends.
= There are max_len positions, 0 to max_len - 1.""",
        {"blank": "last row"},
    ),
    (
        "pe-positions-from-one",
        """The positions are counted from 1.
? What should row 0 hold, if it belongs to position 0?
> Look at the range of your positions.
= The first row belongs to position 0: 0, 1, 0, 1 and so on.""",
        {"start": 1},
    ),
    (
        "pe-positions-scaled",
        """The positions are divided by the length.
? Should position 3 look different in a longer sentence?
> The angle of a position does not depend on max_len.
= With positions between 0 and 1 the rows of a table depend on its length.""",
        {"step": "of max_len"},
        {"step": "of the last"},
    ),
    (
        "pe-positions-reversed",
        """The positions run backwards.
? Which row belongs to position 0?
> Look for a reversed range or slice.
= Row 0 is position 0.""",
        {"step": "backwards"},
    ),
    (
        "pe-degrees",
        """The angles are taken for degrees.
? What is np.sin(1)?
> numpy's sin and cos take radians: no conversion is needed.
= The angle pos / 10000^(2i/d_model) is in radians.""",
        {"degrees": True},
    ),
    (
        "pe-odd-dmodel-crash",
        """An odd d_model raises.
? With five columns, how many are even-numbered and how many odd-numbered?
> Look at what you assign to the odd columns: cut the angles to d_model // 2.
= There are as many sines as pairs begun, and one cosine less when d_model is odd.""",
        {"odd": "refused"},
        {"odd": "too few sines"},
    ),
    (
        "pe-odd-dmodel-cut",
        """An odd d_model loses its last column.
? How many columns does your table have for d_model = 5?
> Look at d_model // 2 and 2 * (d_model // 2).
= An odd width has one sine more, in the last column.""",
        {"odd": "cut"},
        {"odd": "zero"},
    ),
    (
        "pe-odd-dmodel-too-wide",
        """An odd d_model gets one column too many.
? How many columns does your table have for d_model = 5?
> Cut the cosines to d_model // 2 columns.
= There are as many sines as pairs begun, and one cosine less when d_model is odd.""",
        {"odd": "wide"},
    ),
    (
        "pe-integer-table",
        """The table holds whole numbers.
? What type does your table have?
> Look at the dtype of the array that you fill.
= Sines and cosines written into an integer array are cut to -1, 0 and 1.""",
        {"whole": True},
    ),
    (
        "pe-transposed",
        """Rows and columns are exchanged.
? Which axis of your table is as long as the sentence?
> Compare its shape with (max_len, d_model).
= Positions are rows.""",
        {"axes": "columns, positions"},
    ),
    (
        "pe-wrong-number-of-rows",
        """The table has a row too few.
? How many rows does your table have for max_len = 1?
> Look at the range of your positions.
= There are max_len positions, 0 to max_len - 1.""",
        {"axes": "one row less"},
    ),
    (
        "pe-extra-axis",
        """The table has an axis that is not asked for.
? What is the shape of your table, and which one does the hand-out name?
> Look for None, unsqueeze or reshape.
= The table is (max_len, d_model). A batch axis comes by broadcasting where the table is added.""",
        {"axes": "1, positions, columns"},
        {"axes": "positions, 1, columns"},
    ),
    (
        "pe-grid-reshaped",
        """The angles are brought into rows by a reshape where they should be transposed.
? Which row of your table belongs to position 1? Is it 1 times every frequency?
> Print outer(frequencies, positions) for two frequencies and three positions, then your reshape of it.
= A reshape keeps the order of the numbers and cuts it into other rows, so that angles of different positions are
mixed. outer(positions, frequencies) has its rows where they belong.""",
        {"grid": "reshaped"},
    ),
    (
        "pe-waves-by-position",
        """The positions take turns between sine and cosine instead of the columns.
? Which of your indices decides between sine and cosine: that of the row, or that of the column?
> Look at the number that you test for being even.
= PE(pos, 2i) is a sine and PE(pos, 2i+1) a cosine: 2i counts columns. Every position has both.""",
        {"layout": "by rows"},
        {"layout": "by rows", "waves": "cos, sin"},
    ),
)
"""Id, texts, and the settings of the workshop that make the mistake."""


_BASE = re.compile(r"\b(10_?000|1e4)\b")
_TOLD: Mapping[str, Callable[[str], bool]] = {
    "pe-wrong-base": lambda source: _BASE.search(source) is None,
    "pe-exponent-halved": lambda source: _BASE.search(source) is not None,
    "pe-exponent-doubled": lambda source: _BASE.search(source) is not None,
}
"""A root of the base and half the exponent make one table: the source tells which of them was meant."""


def texts_of(block: str) -> tuple[str, str, str, str]:
    """Title, nudge, hint and explanation of a mistake that is told in one block."""
    parts = {"": "", "?": "", ">": "", "=": ""}
    current = ""
    for line in block.strip().splitlines():
        current = line[0] if line[:1] in parts and line[:1] else current
        parts[current] += " " + line.removeprefix(current).strip()
    title, nudge, hint, explanation = (part.strip() for part in parts.values())
    return title, nudge, hint, explanation


def _of_modules(id: str, text: str, *settings: Mapping[str, Any]) -> tuple[Fault, ...]:
    """The mistake in the table of a module, which is of even width (i / pairs is right there) and added by its rows."""
    title, nudge, hint, explanation = texts_of(text)
    return tuple(
        Fault(
            id,
            title,
            "positional_encoding",
            nudge,
            hint,
            explanation,
            "section 3.5",
            {f"pe.{name}": knobs[name] for name in knobs},
            _TOLD.get(id),
        )
        for knobs in settings
        if not {"odd", "axes"} & set(knobs) and knobs.get("exponent") != "i/pairs"
    )


POSITIONS: tuple[Fault, ...] = tuple(fault for slip in (*SLIPS, LOG10) for fault in _of_modules(*slip))
