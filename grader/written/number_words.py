"""Number words: forty-eight, one hundred and twenty, three quarters, a dozen; achtundvierzig, eine."""

from __future__ import annotations

import re

_UNITS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "dozen": 12, "once": 1, "twice": 2,
}  # fmt: skip
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
         "eighty": 80, "ninety": 90}  # fmt: skip
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fifth": 5,
          "fifths": 5, "tenth": 10, "tenths": 10}  # fmt: skip


def words_to_figures(text: str) -> str:
    """Replace number words by figures: forty-eight, one hundred and twenty, three quarters, a hundred."""
    words = re.split(r"(\s+|(?<=[a-z])-(?=[a-z])|(?<=[a-z])(?=[,;:.!?)])|(?<=\()(?=[a-z]))", text)
    out: list[str] = []
    at = 0
    while at < len(words):
        value, used = _spoken(words[at::2]) if at % 2 == 0 else (None, 0)
        if value is None:
            out.append(words[at])
            at += 1
        else:
            out.append(f"{value:.15g}")
            at += 2 * used - 1
    return "".join(out)


def _spoken(words: list[str]) -> tuple[float | None, int]:  # noqa: C901 - one kind of word a branch
    """Read number words from the beginning of a list; return the value and how many words it took."""
    total, current, used, seen = 0.0, 0.0, 0, False
    if words and words[0] in {"a", "an"} and len(words) > 1 and (words[1] in _SCALES or words[1] in {"dozen", *_PARTS}):
        current, used, seen = 1.0, 1, True
    for word in words[used:]:
        if word in _UNITS and word != "dozen":
            current += _UNITS[word]
        elif word == "dozen":
            current = max(current, 1.0) * 12
        elif word in _TENS:
            current += _TENS[word]
        elif word == "hundred":
            current = max(current, 1.0) * 100
        elif word in _SCALES and seen:
            total, current = total + max(current, 1.0) * _SCALES[word], 0.0
        elif (
            word == "and"
            and seen
            and len(words) > used + 1
            and (words[used + 1] in _UNITS or words[used + 1] in _TENS)
            and (
                total or current >= 100  # noqa: PLR2004 - "one hundred and twenty", not "two and three"
            )
        ):
            used += 1
            continue
        elif word in _PARTS and seen:
            return (total + max(current, 1.0)) / _PARTS[word], used + 1
        elif word in {"half", "halves"}:
            return 0.5, used + 1
        else:
            break
        seen = True
        used += 1
    return (total + current, used) if seen and used else (None, 0)


_EINS = {"ein": 1, "eins": 1, "eine": 1, "einen": 1, "einem": 1, "einer": 1, "eines": 1}
_BIS_ZWOELF = {
    "null": 0, "zwei": 2, "zwo": 2, "drei": 3, "vier": 4, "fünf": 5, "fuenf": 5, "sechs": 6, "sieben": 7, "acht": 8,
    "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12, "zwoelf": 12,
}  # fmt: skip
_STEMS = {"drei": 3, "vier": 4, "fünf": 5, "fuenf": 5, "sech": 6, "sieb": 7, "acht": 8, "neun": 9}
_ZEHNER = {"zwanzig": 20, "dreißig": 30, "dreissig": 30, "vierzig": 40, "fünfzig": 50, "fuenfzig": 50, "sechzig": 60,
           "siebzig": 70, "achtzig": 80, "neunzig": 90}  # fmt: skip
_GERMAN_PARTS = {"halb": 2, "halbe": 2, "drittel": 3, "viertel": 4, "fünftel": 5, "zehntel": 10}


def german_to_figures(text: str) -> str:
    """Replace German number words by figures; "eine" counts only where no other number is told."""
    words = re.split(r"([^\W\d_]+)", text)
    figures = any(char.isdigit() for char in text)
    said = [_german(word) for word in words[1::2]]
    alone = not figures and not any(value is not None for value in said)
    for at, value in enumerate(said):
        place = 2 * at + 1
        if value is not None:
            words[place] = f"{value:.15g}{_factor(words[place])}"
        elif alone and words[place] in _EINS:
            part = _GERMAN_PARTS.get(words[place + 2]) if place + 2 < len(words) else None
            words[place] = "1"
            if part:
                words[place], words[place + 2] = f"1/{part}", ""
            alone = False
    return "".join(words)


def _factor(word: str) -> str:
    return " fach" if word.endswith(("fach", "mal")) else ""


def _german(word: str) -> float | None:
    """Return the value of a German number word such as einhundertachtundvierzig, or None; eine alone is an article."""
    word = re.sub(r"(?:fach|mal)$", "", word) if len(word) > 6 else word  # noqa: PLR2004 - no short number ends so
    if word == "eins":
        return 1.0
    thousands, mark, rest = word.partition("tausend")
    if not mark:
        return _below_thousand(word)
    above = _below_thousand(thousands, head=True) if thousands else 1.0
    below = _below_thousand(rest) if rest else 0.0
    return None if above is None or below is None else above * 1000 + below


def _below_thousand(word: str, *, head: bool = False) -> float | None:
    hundreds, mark, rest = word.partition("hundert")
    if not mark:
        return _below_hundred(word, head=head)
    above = _below_hundred(hundreds, head=True) if hundreds else 1.0
    below = _below_hundred(rest.removeprefix("und"), head=True) if rest else 0.0
    return None if above is None or below is None else above * 100 + below


def _below_hundred(word: str, *, head: bool = False) -> float | None:
    if word in _BIS_ZWOELF:
        return float(_BIS_ZWOELF[word])
    if head and word in {"ein", "eins"}:
        return 1.0
    if word in _ZEHNER:
        return float(_ZEHNER[word])
    if word.endswith("zehn") and word[:-4] in _STEMS:
        return 10.0 + _STEMS[word[:-4]]
    unit, mark, ten = word.partition("und")
    if mark and ten in _ZEHNER and (unit == "ein" or _BIS_ZWOELF.get(unit, 0) in range(2, 10)):
        return float(_ZEHNER[ten] + (1 if unit == "ein" else _BIS_ZWOELF[unit]))
    return None
