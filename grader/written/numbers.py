r"""Numbers as students write them: 100×, 1.5B, forty-eight, 25 %, 0,25, 512/8 = 64, \frac{512}{8}.

A reading is either a `Number` or an `Unclear` with the reason a person should look; nothing is guessed.
Calculations are worked out from their syntax tree: figures, names that have a value, + - * / ** and sqrt.
"""

from __future__ import annotations

import ast
import math
import operator
import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

LONGEST = 200
DEEPEST = 60
LARGEST_POWER = 64


def _power(base: float, exponent: float) -> float:
    if abs(exponent) > LARGEST_POWER:
        raise ValueError("an absurd power")
    return float(base**exponent)  # of a negative base, a complex number: a TypeError


_OPERATIONS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: _power,
}


def evaluate(text: str, at: Mapping[str, float] | None = None) -> float | None:
    """Return the value of an expression, with the values of its names ``at`` hand; None where it is none."""
    if len(text) > LONGEST:
        return None
    try:
        found = _value(ast.parse(text.strip(), mode="eval").body, at or {}, 0)
    except (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError, MemoryError):
        return None
    return found if math.isfinite(found) else None


def _value(node: ast.expr, at: Mapping[str, float], depth: int) -> float:
    if depth > DEEPEST:
        raise ValueError("nested too deeply")
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.Name(id=name) if name in at:
            return at[name]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=inner):
            value = _value(inner, at, depth + 1)
            return -value if isinstance(sign, ast.USub) else value
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATIONS:
            return _OPERATIONS[type(sign)](_value(left, at, depth + 1), _value(right, at, depth + 1))
        case ast.Call(func=ast.Name(id="sqrt"), args=[inner], keywords=[]):
            return math.sqrt(_value(inner, at, depth + 1))
    raise ValueError("not plain arithmetic")


def closed(text: str) -> str:
    """Return a calculation without brackets at its ends that close or open nothing of it."""
    text = text.strip()
    while text.endswith(")") and text.count(")") > text.count("("):
        text = text[:-1].rstrip()
    while text.startswith("(") and text.count("(") > text.count(")"):
        text = text[1:].lstrip()
    while text.endswith("(") and text.count("(") > text.count(")"):
        text = text[:-1].rstrip()
    return text


MAX_LENGTH = 400


class Number(NamedTuple):
    """One number: its value (25 % is 0.25), and the words that stood beside it."""

    value: float
    beside: str = ""


class Unclear(NamedTuple):
    """No single number can be read; the reason is for the person who looks."""

    reason: str


_NO, _TWO = Unclear("There is no number."), Unclear("There are two numbers.")
_PLAIN = str.maketrans({
    "−": "-", "–": "-", "—": "-", "·": "*", "⋅": "*", "∙": "*", "÷": "/", "⁄": "/", "∕": "/", "√": " sqrt ", "’": "'",
    "½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "²": "^2", "³": "^3", "≈": " ", "~": " ",
})  # fmt: skip
_TEX = (
    (r"^\s*\*\*(.+)\*\*\s*\.?$", r"\1"),
    (r"\\(?:d|t|c)?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"((\1)/(\2))"),
    (r"\\(?:text|mathrm|mathbf|operatorname|textbf|mbox)\s*\{([^{}]*)\}", r" \1 "),
    (r"\\sqrt\s*\{([^{}]*)\}", r" sqrt(\1) "),
    (r"\\(?:times|cdot)", "*"),
    (r"\\div", "/"),
    (r"\\(?:left|right|displaystyle|approx|sim|quad|[,;:! %])|\{(?=,\})", " "),
    (r"(?<=\d)\s*\{?,\}", ","),
    (r"[$`{}]|\*\*(?=\S)(?![\d(])|(?<=\S)\*\*(?=\s|$)|\\[()\[\]]", " "),
)
_RAISED = str.maketrans("⁰¹⁴⁵⁶⁷⁸⁹⁻", "01456789-")
_NAMED = re.compile(
    r"\b(?:[Tt]ab(?:le|elle)|[Ss]ection|[Ff]ig(?:ure)?|[Ee]q(?:uation)?|Abschnitt|Abbildung|Gleichung)\b\.?\s*\d+(?:\.\d+)*"
    r"|\b[A-Z]{2,}-\d+(?:\s*XL\b)?|\b[A-Za-z]{3,}\d+\b|\b[A-Z]{3,}\s(?:19|20)\d\d\b"
)
"""Numbers that are part of a name: GPT-2 XL, WMT 2014, table 2."""
_FIGURE = re.compile(
    r"(?P<points>[1-9]\d{0,2}(?:\.\d{3})+,\d+)|(?P<grouped>[1-9]\d{0,2}(?:[ ,'_]\d{3})+(?:\.\d{1,15})?)(?!\d)"
    r"|(?:(?P<comma>\d{0,15},\d{1,15})(?![\d,])|(?P<plain>\d{1,15}(?:\.\d{1,15})?|\.\d{1,15})(?!\d))(?:e[-+]?\d{1,2}(?!\w))?"
)
_SPOKEN_RANGE = re.compile(r"\b(?:or|and|to|between|bis|und|oder|vs|versus)\b|±")
_RANGE = re.compile(r"\d[\d.,]*\s*-\s*\d[\d.,]*[\sa-z]*")
_TIMES = re.compile(r"(?<=\d)\s*(?:[x×]|\b(?:times|mal)\b)\s*(?=[\d(])")
_QUOTIENT = re.compile(r"(?<=[\d)])\s*:\s*(?=[\d(])")
"""Between two numbers a division where its value stands beside it, else perhaps a ratio or the number of a question."""
_FACTOR = re.compile(r"(?<=[\d\s)])[x×](?!\w)|×|\bx\s*(?=\d)|\b(?:fold|fach|mal|times)\b")
_LITERAL = r"\d+(?:\.\d+(?:e[+-]\d+)?|e[+-]\d+)"
_CALCULATION = re.compile(
    rf"(?:(?:sqrt|[-+(])\s*)*{_LITERAL}(?:\s*\))*(?:\s*(?:\*\*|[-+*/])\s*(?:(?:sqrt|[-+(])\s*)*{_LITERAL}(?:\s*\))*)*"
)
"""Literals joined by signs, with what opens before them and closes behind."""
_SYMBOLIC = re.compile(r"(?:^|[\s(*/+-])[a-z](?:_\w+)?\s*[-+*/^]|[-+*/^]\s*[a-z](?:_\w+)?\s*(?:$|[)*/+-])")
"""A side such as n - 1, which states no number of its own."""
_STEP = re.compile(r"(?:^|[=:;,]\s*)[a-z]\s*([-+]\s*\d{1,9})\s*(?==)")


def read_number(text: str) -> Number | Unclear:
    """Return the one number `text` states; a chain such as 512/8 = 64 has to agree in itself."""
    if len(text) > MAX_LENGTH:
        return Unclear("The answer is too long for a number.")
    flat = flattened(text)
    if _RANGE.fullmatch(flat.strip(" .")):
        return _TWO
    sides = [side for side in flat.split("=") if side.strip(" .")]
    if sum(bool(re.search(r"\d", side)) for side in sides) > 1:
        sides = [_QUOTIENT.sub("/", side) for side in sides]
    stating = [side for side in sides[:-1] if not _SYMBOLIC.search(side)] + sides[-1:]
    read = [found for side in stating if (found := _side(side)) is not None]
    numbers = [found for found in read if isinstance(found, Number)]
    if len(numbers) < len(read):
        return next(found for found in read if isinstance(found, Unclear))
    if not numbers or _side(sides[-1]) is None:
        return Unclear("What the number is of is not clear.") if numbers else _NO
    if any(not math.isclose(found.value, numbers[-1].value, rel_tol=1e-3) for found in numbers):
        return Unclear("The sides of the equation do not agree.")
    return Number(numbers[-1].value, " ".join(" ".join(found.beside for found in numbers).split()))


def contradicts(text: str, number: Number, asked: str) -> bool:
    """Say whether a side such as n - 1 is not ``number`` for any figure of the question ``asked``."""
    steps = [float(re.sub(r"\s", "", step)) for step in _STEP.findall(flattened(text))]
    sizes = [float(size) for size in re.findall(r"(?<![\d.])\d{1,9}(?![\d.])", asked)]
    return any(not any(agrees(number, size + step) for size in sizes) for step in steps)


def agrees(number: Number, value: float, tolerance: float = 0.0) -> bool:
    """Say whether a number is `value`, within a relative tolerance (and rounding of the last bit)."""
    return math.isclose(number.value, value, rel_tol=max(tolerance, 1e-9), abs_tol=1e-12)


def flattened(text: str) -> str:
    """Return an answer in small letters without Markdown and LaTeX, its number words as figures."""
    flat = _NAMED.sub(" ", text).translate(_PLAIN)
    flat = re.sub(r"[⁰¹⁴-⁹⁻]+", lambda match: "^" + match[0].translate(_RAISED), flat)
    flat = unicodedata.normalize("NFKC", flat)
    for form, plain in _TEX:
        flat = re.sub(form, plain, flat)
    flat = re.sub(r"(?<=\d)\s?-(?=[a-z])|(?<!\w)_|_(?!\w)", " ", _with_figures(flat.lower()))
    return " ".join(flat.split())


def _side(side: str) -> Number | Unclear | None:
    """Read one side of an equation; None where it holds no number at all (d_model/h)."""
    if not re.search(r"\d", side):
        return None
    if re.search(r"\dt\b", side):
        return Unclear("A t behind the number may be a time unit or a trillion.")
    plain = _FIGURE.sub(_as_literal, _TIMES.sub("*", side))
    plain = _FACTOR.sub(" ", plain).replace("^", "**").replace(":", " ")
    found = _CALCULATION.findall(plain)
    if len(found) != 1 or (_SPOKEN_RANGE.search(side) and len(re.findall(r"\d+", side)) > 1):
        return _TWO
    value = evaluate(re.sub(r"sqrt\s*(\d+(?:\.\d+)?)", r"sqrt(\1)", closed(found[0])))
    if value is None:
        return Unclear("The calculation cannot be read.")
    before, _, after = plain.partition(found[0])
    percent = re.match(r"\s*(?:%|percent|per cent|pct|prozent)", after)
    if re.search(r"[*/]\s*$", before) or "%" in before or re.match(r"\s*[-+*/(]", after):
        return Unclear("Something is missing beside the number.")
    return Number(value / 100 if percent else value, f"{before} {after[percent.end() :] if percent else after}")


def _as_literal(match: re.Match[str]) -> str:
    """Return a figure as Python writes it, decimal and thousands marks told apart."""
    figure = match[0]
    if match["points"]:
        figure = figure.replace(".", "").replace(",", ".")
    elif match["grouped"]:
        figure = re.sub(r"[ ,'_]", "", figure)
    return repr(float(figure.replace(",", ".")))


# -------------------------------------------------------------------------------------------------- number words


THOUSAND = 1000
_WORD = re.compile(r"[^\W\d_]+(?:-vingts?)?")
_ONE_OF_A_SCALE = re.compile(r"\b(?:an?|one) (?=hundred|thousand|million|billion|dozen)")
_BEHIND_FIGURE = re.compile(r"(?<=\d)(\s*)([^\W\d_]+)\b\.?")
_ARTICLE = re.compile(r"\ban?\b(?=.*\w)")


class _Lexicon(NamedTuple):
    """The values of number words; what finds tens with units, and words of a thousand and more."""

    values: Mapping[str, float]
    tens: re.Pattern[str]
    scales: re.Pattern[str]


@cache
def _lexicon() -> _Lexicon:
    lines = (files("grader.written") / "words" / "numbers.txt").read_text("utf-8").splitlines()
    rows = [line.partition(": ") for line in lines if line and line[0] != "#"]
    values = {word: float(value) for value, _, words in rows for word in words.split()}
    units, tens, scales = (
        "|".join(word for word in sorted(values, key=len, reverse=True) if low <= values[word] < high and word[2:])
        for low, high in ((1, 10), (20, 100), (THOUSAND, math.inf))
    )
    both = re.compile(rf"(?<!\w)(?:(?P<first>{tens})[ -]?(?P<then>{units})|(?P<unit>{units})und(?P<ten>{tens}))(?!\w)")
    return _Lexicon(values, both, re.compile(rf"(?<!\w)(?:{scales})(?!\w)"))


def _with_figures(text: str) -> str:
    """Replace number words by figures, an article only where nothing else counts."""
    values, tens, scales = _lexicon()
    text = tens.sub(lambda found: f" {sum(values[word] for word in found.groups() if word):.0f} ", text)
    text = _WORD.sub(_as_figure, _ONE_OF_A_SCALE.sub("", text))
    text = scales.sub(lambda found: f" {values[found[0]]:.0f} ", _BEHIND_FIGURE.sub(_scaled, text))
    return text if re.search(r"\d", text) else _ARTICLE.sub(" 1 ", text, count=1)


def _as_figure(word: re.Match[str]) -> str:
    values = _lexicon().values
    said = next((bare for end in ("", "fold", "fach", "mal") if (bare := word[0].removesuffix(end)) in values), "")
    return f" {values[said]:.0f} " if said and values[said] < THOUSAND else word[0]


def _scaled(match: re.Match[str]) -> str:
    """Return what stands behind a figure as a factor; a lone letter behind a space is a unit."""
    space, word = match.groups()
    scale = _lexicon().values.get(word, 0)
    return match[0] if scale < THOUSAND or (space and len(word) == 1) else f"*{scale:.0f} "
