r"""Numbers as students write them: 100×, 1.5B, forty-eight, 25 %, 0,25, 512/8 = 64, \frac{512}{8}.

A reading is either a `Number` or an `Unclear` with the reason a person should look; nothing is guessed.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from grader.written.arithmetic import Sum
from grader.written.number_words import german_to_figures, words_to_figures

MAX_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Number:
    """One number: its value (25 % is 0.25), what stood behind it, and how it was written."""

    value: float
    unit: str = ""
    percent: bool = False
    approximate: bool = False
    times: bool = False  # written as a factor: 100×, 50-fold


@dataclass(frozen=True, slots=True)
class Unclear:
    """No single number can be read; the reason is for the person who looks."""

    reason: str


Reading = Number | Unclear
Decimal = Literal["auto", "point", "comma"]

_SUFFIXES = {"k": 1e3, "m": 1e6, "mio": 1e6, "mn": 1e6, "b": 1e9, "bn": 1e9, "g": 1e9, "t": 1e12,
             "million": 1e6, "billion": 1e9, "thousand": 1e3, "trillion": 1e12, "hundred": 1e2,
             "mrd": 1e9, "milliarde": 1e9, "milliarden": 1e9, "millionen": 1e6, "billionen": 1e12, "tausend": 1e3,
             "tsd": 1e3}  # fmt: skip
_SUFFIX = "|".join(sorted(_SUFFIXES, key=len, reverse=True))
_ABOUT = re.compile(
    r"(?:\b(?:about|approx(?:imately)?|around|roughly|circa|ca|nearly|almost|some|etwa|ungefähr|rund|zirka)\b\.?|≈|~|\\approx|\\sim)",
)
_EMPTY = re.compile(
    r"\b(?:exactly|the|a total of|total|only|just|is|are|it|equals?|answer|result|there|each|so"
    r"|genau|nur|insgesamt|ist|sind|also)\b:?"
)
_FACTOR = re.compile(r"(?:(?<=[\d\s)])[x×]|×|\bx\s*(?=\d)|[- ]?fold\b|\btimes\b|[- ]?fach\b|[- ]?mal\b)")
_COMPARED = re.compile(
    r"\bas (?:fast|much|many|quick|long)(?: as)?\b|\b(?:faster|slower|more|quicker|speed-?up|so schnell|schneller)\b",
)
_PLAIN = {"−": "-", "–": "-", "—": "-", "·": "*", "⋅": "*", "∙": "*", "÷": "/", "⁄": "/", "∕": "/", "√": " sqrt ",
          "½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "²": "^2", "³": "^3",
          "’": "'"}  # fmt: skip
_RANGE = re.compile(r"\d[\d.,]*\s*-\s*\d[\d.,]*[\sa-z]*")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:[ ,'_]\d{3})+(?:\.\d+)?")
_FIGURE = re.compile(r"\d{1,15}(?:\.\d{1,15})?|\.\d{1,15}")
_POINTS_AND_COMMA = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+,\d+")
_COMMA = re.compile(r"\d{0,15},\d{1,15}(?![\d,])")
_GERMAN = re.compile(r"[1-9]\d{0,2}(?:[. ']\d{3})+(?:,\d+)?|\d{0,15},\d{1,15}")
_SCALED = re.compile(rf"(?!\s+[gt]\b)\s*({_SUFFIX})\b")  # 100 t are time units, 100t may be anything and waits
_NAMED = re.compile(
    r"\b(?:GPT|BERT|WMT|newstest|table|section|fig(?:ure)?|eq(?:uation)?|tabelle|abschnitt|abbildung|gleichung)\b\.?"
    r"[\s~-]*\d+(?:\.\d+)*(?:\s*XL\b)?|\b(?:GPT|WMT|newstest)\d+\b",
    re.IGNORECASE,
)
"""Numbers that are part of a name: GPT-2 XL, WMT 2014, table 2."""
_SYMBOLIC = re.compile(r"(?:^|[\s(*/+-])[a-z](?:_\w+)?\s*[-+*/^]|[-+*/^]\s*[a-z](?:_\w+)?\s*(?:$|[)*/+-])")
"""A side such as n - 1, which states no number of its own."""
_STEP = re.compile(r"(?:^|[=:;,]\s*)[a-z]\s*([-+]\s*\d{1,9})\s*(?==)")
_SIZES = re.compile(r"(?<![\d.])\d{1,9}(?![\d.])")
_WORD = re.compile(r"[^\W\d_]+")


def read_number(text: str, decimal: Decimal = "auto") -> Reading:  # noqa: PLR0911 - a reason, a line
    """Return the one number `text` states.

    `decimal` decides 2,048: "comma" reads 2.048, the others 2048; "comma" also reads 2.048 as 2048. A chain such as
    512/8 = 64 has to agree in itself. Two numbers ("1 or 100", "8-16") are Unclear.
    """
    if len(text) > MAX_LENGTH:
        return Unclear("The answer is too long for a number.")
    flat = _flatten(text)
    if not flat:
        return Unclear("There is no number.")
    about = bool(_ABOUT.search(flat))
    flat = _EMPTY.sub(" ", _ABOUT.sub(" ", flat)).strip(" :;!?\"'").rstrip(".")
    if _RANGE.fullmatch(flat):
        return Unclear("There are two numbers.")
    sides = [side.strip() for side in flat.split("=") if side.strip()]
    stating = [side for side in sides[:-1] if not _SYMBOLIC.search(side)] + sides[-1:]
    readings = [found for side in stating if (found := _side(side, decimal)) is not None]
    if not readings:
        return Unclear("There is no number.")
    last = readings[-1]
    if any(isinstance(found, Unclear) for found in readings):
        return next(found for found in readings if isinstance(found, Unclear))
    numbers = [found for found in readings if isinstance(found, Number)]
    if not isinstance(last, Number) or any(not agrees(found, last.value, 1e-3) for found in numbers):
        return Unclear("The sides of the equation do not agree.")
    if _side(sides[-1], decimal) is None:
        return Unclear("What the number is of is not clear.")
    return Number(last.value, last.unit, last.percent, about or last.approximate, last.times)


def contradicts(text: str, number: Number, asked: str) -> bool:
    """Say whether a side such as n - 1 is not ``number`` for any figure of the question ``asked``."""
    steps = [float(re.sub(r"\s", "", step)) for step in _STEP.findall(_flatten(text))]
    sizes = [float(size) for size in _SIZES.findall(asked)]
    return any(not any(agrees(number, size + step) for size in sizes) for step in steps)


def agrees(number: Number, value: float, tolerance: float = 0.0) -> bool:
    """Say whether a number is `value`, within a relative tolerance (and rounding of the last bit)."""
    return math.isclose(number.value, value, rel_tol=max(tolerance, 1e-9), abs_tol=1e-12)


def _flatten(text: str) -> str:
    """Return the answer without Markdown and LaTeX, in lower case."""
    flat = "".join(_PLAIN.get(char, char) for char in _NAMED.sub(" ", text))
    flat = re.sub(r"[⁰¹⁴-⁹⁻]+", lambda match: "^" + match.group().translate(_RAISED), flat)
    flat = unicodedata.normalize("NFKC", flat)
    flat = re.sub(r"\\(?:d|t|c)?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"((\1)/(\2))", flat)
    flat = re.sub(r"\\(?:d|t|c)?frac\s*(\d)\s*(\d)", r"(\1/\2)", flat)
    flat = re.sub(r"\\(?:text|mathrm|mathbf|operatorname|textbf|mbox)\s*\{([^{}]*)\}", r" \1 ", flat)
    flat = re.sub(r"\\sqrt\s*\{([^{}]*)\}", r" sqrt(\1) ", flat)
    flat = flat.replace("\\times", "×").replace("\\cdot", "*").replace("\\div", "/").replace("\\%", "%")
    flat = re.sub(r"\\(?:left|right|displaystyle|quad|[,;:! ])", " ", flat).replace("{,}", ",")
    flat = re.sub(r"[$`{}]|\*\*(?=\S)(?![\d(])|(?<=\S)\*\*(?=\s|$)|(?<!\w)_|_(?!\w)|\\[()\[\]]", " ", flat)
    flat = re.sub(r"(?<=\d)-(?=[A-Za-z])", " ", flat)
    return " ".join(re.sub(r"(?<=[a-z])fold\b", " fold", flat.lower()).split())


def _side(side: str, decimal: Decimal) -> Reading | None:
    """Read one side of an equation; None where it holds no number at all (d_model/h)."""
    if re.search(r"\b(?:or|and|to|between|bis|oder|vs|versus)\b|±", side) and len(_figures(side, decimal)) > 1:
        return Unclear("There are two numbers.")
    worded = words_to_figures(german_to_figures(side))
    times = bool(_FACTOR.search(worded)) and not re.search(r"\d\s*[x×]\s*\d", worded)
    if times:
        worded = words_to_figures(german_to_figures(_COMPARED.sub(" ", _FACTOR.sub(" ", worded))))
    worded = re.sub(r"(?<=\d)\s*[x×]\s*(?=\d)", "*", worded)
    figures = _figures(worded, decimal)
    if not figures:
        return None
    return _expression(worded, decimal, times=times)


def _expression(text: str, decimal: Decimal, *, times: bool) -> Reading:
    """Evaluate figures joined by + - * / ^ ( ) and sqrt; words before and after are the unit."""
    tokens = _tokens(text, decimal)
    if isinstance(tokens, Unclear):
        return tokens
    numbers = [at for at, token in enumerate(tokens) if isinstance(token, float)]
    first, last = numbers[0], numbers[-1]
    while first > 0 and tokens[first - 1] in {"(", "-", "+", "sqrt"}:
        first -= 1
    while last + 1 < len(tokens) and tokens[last + 1] == ")":
        last += 1
    before = [token for token in tokens[:first] if isinstance(token, str) and token.isalpha()]
    after = [token for token in tokens[last + 1 :] if isinstance(token, str)]
    inner = tokens[first : last + 1]
    if any(isinstance(part, str) and part.isalpha() and part != "sqrt" for part in inner):
        return Unclear("There are two numbers.")
    if [token for token in after if token in {"*", "/", "^", "-", "+", "("}] or "%" in before:
        return Unclear("Something is missing behind the number.")
    try:
        value = Sum(inner).value()
    except (ValueError, ZeroDivisionError, OverflowError):
        return Unclear("The calculation cannot be read.")
    percent = bool(after) and after[0] in {"%", "percent", "pct"}
    if percent:
        value, after = value / 100.0, after[1:]
    if after and after[0] == "per" and len(after) > 1 and after[1] == "cent":
        value, percent, after = value / 100.0, True, after[2:]
    if not math.isfinite(value):
        return Unclear("The calculation cannot be read.")
    return Number(value, " ".join(after), percent, times=times)


def _tokens(text: str, decimal: Decimal) -> list[float | str] | Unclear:
    tokens: list[float | str] = []
    at = 0
    while at < len(text):
        if text[at] == " ":
            at += 1
            continue
        figure = _figure_at(text, at, decimal)
        if isinstance(figure, Unclear):
            return figure
        if figure is not None:
            value, at = figure
            if scaled := _SCALED.match(text, at):
                if scaled.group(1) == "t":
                    return Unclear("A t behind the number may be a time unit or a trillion.")
                value, at = value * _SUFFIXES[scaled.group(1)], scaled.end()
            if tokens and isinstance(tokens[-1], float):
                return Unclear("There are two numbers.")
            tokens.append(value)
            continue
        if word := _WORD.match(text, at):
            tokens.append(word.group())
            at = word.end()
            continue
        tokens.append(text[at])
        at += 1
    return tokens


def _figure_at(  # noqa: PLR0911 - one way to write a figure each
    text: str, at: int, decimal: Decimal
) -> tuple[float, int] | Unclear | None:
    """Return the figure at a place and where it ends, telling decimal from thousands marks; None where none begins."""
    if not (text[at].isdigit() or (text[at] in ".," and text[at + 1 : at + 2].isdigit())):
        return None
    if not text[at : at + 1].isascii():
        return Unclear("The digits cannot be read.")
    if decimal == "comma" and (german := _GERMAN.match(text, at)):
        return float(re.sub(r"[. ']", "", german.group()).replace(",", ".")), german.end()
    grouped = _GROUPED.match(text, at)
    if grouped and not text[grouped.end() : grouped.end() + 1].isdigit():
        return float(re.sub(r"[ ,'_]", "", grouped.group())), grouped.end()
    if mixed := _POINTS_AND_COMMA.match(text, at):
        return float(mixed.group().replace(".", "").replace(",", ".")), mixed.end()
    if comma := _COMMA.match(text, at):
        return float(comma.group().replace(",", ".")), comma.end()
    plain = _FIGURE.match(text, at)
    if plain is None or text[plain.end() : plain.end() + 1].isdigit():
        return Unclear("The digits cannot be read.")
    return float(plain.group()), plain.end()


def _figures(text: str, decimal: Decimal) -> list[float]:
    """Return the figures of a text; what cannot be read counts as two, so that it is never taken for one number."""
    tokens = _tokens(words_to_figures(german_to_figures(text)), decimal)
    return [1.0, 1.0] if isinstance(tokens, Unclear) else [token for token in tokens if isinstance(token, float)]
