"""Small expressions such as n² or d_model/h: found in an answer in any usual spelling, compared by their values."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.written.judged import Judged, as_known, for_a_person, quoted, right, wrong
from grader.written.key import ExpressionKey
from grader.written.neutral import strange, without_reason
from grader.written.numbers import closed, evaluate
from grader.written.shapes import LONGEST
from grader.written.sheet import Written
from grader.written.word_lists import listed

_POINTS = (2.0, 3.0, 5.0, 7.0, 11.0, 13.0)
Values = tuple[float, ...]
_NUMBER = r"\d+(?:\.\d+)?"
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_PLAIN = (
    (r"\\(?:text|mathrm)\s*\{\s*(\w+)\s*\}", r"\1"),
    (r"_\{\s*(\w+)\s*\}", r"_\1"),
    (r"\\frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"((\1)/(\2))"),
    (r"\\cdot|\\times|[·×⋅]", "*"),
    (r"\\left|\\right|[$`]|\b[oθ]\s*(?=\()", " "),
    (r"−", "-"),
    (r"^(?:\W*[^\W\d]\w*\s*=)+(?=.*\w)", " "),  # what the expression is called
    (r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda match: "^" + match[0].translate(_RAISED)),
    (r"\s*\b(?:squared|quadrat)\b", "^2"),
    (r"\s+(?:to the power of|hoch)\s+(?=\d)", "^"),
    (r"\bdivided by\b|\bgeteilt durch\b", "/"),
    (r"(?<=\w)\s+(?:times|x|mal)\s+(?=\w)", "*"),
    (r"\{", "("),
    (r"\}", ")"),
)
_REMARK = re.compile(
    r"\([^()]*[a-z]{3,}[^()]*\)|\b(?:without|including|excluding|with|in general|if|when|where|inkl\w*|ohne)\b[^;,.]*"
)
"""What says under which condition, and no more."""
_HARMLESS = frozenset({"each", "every", "all"})
"""Words that leave an expression beside them what it is."""


def judge_expression(key: ExpressionKey, answer: Written) -> Judged:
    """Judge an expression by its value at several points; what is not read goes to a person."""
    if len(answer.text) > LONGEST:
        return for_a_person(f"{quoted(answer.text)} is too long for an expression.")
    text = _plain(without_reason(answer.text.lower()), key)
    wanted = {values(text, key.variables) for text in (key.value, *key.also)}
    readings = [_read_with_remarks(one, key, answer) for one in dict.fromkeys((text, _bound(text, key.variables)))]
    if any(not told and found <= wanted for found, told in readings):
        return right()
    found, told = readings[0]
    if told or len(found) > 1:
        return for_a_person(told or f"{quoted(answer.text)} holds several expressions.")
    value = next(iter(found))
    known = as_known(key, answer.text, lambda texts: value in [values(text, key.variables) for text in texts])
    if not known and len(set(value)) == 1:
        return for_a_person(f"{quoted(answer.text)} is a number; asked for is an expression in {key.variables[0]}.")
    return known or wrong(f"You wrote {quoted(answer.text)}.")


def _plain(text: str, key: ExpressionKey) -> str:
    """Return a text in plain signs, with the names of variables instead of what they are called."""
    for form, plain in _PLAIN:
        text = re.sub(form, plain, text)
    for name, said in key.names.items():
        text = re.sub(rf"(?<![^\W\d])(?:the )?(?:{_either(said)})(?!\w)", name.lower(), text)
    names = _either(key.variables)
    return re.sub(rf"\b({names})\s+over\s+({names})\b", r"\1/\2", text)


def _read_with_remarks(text: str, key: ExpressionKey, answer: Written) -> tuple[set[Values], str]:
    read = _read(text, key, answer)
    return _read(_REMARK.sub(" ", text), key, answer) if read[1] else read


def _read(text: str, key: ExpressionKey, answer: Written) -> tuple[set[Values], str]:
    """Return the value of the one expression in a text, and nothing; or what keeps it from being read.

    Numbers alone, and variables that are only spoken of, say nothing beside an expression.
    """
    text = _products(text, key.variables)
    # A number right behind a variable, as in d2, may be an exponent that lost its place.
    piece = rf"(?:(?<![^\W\d])(?:(?:{_either(key.variables)})(?!\w)|{_NUMBER}(?![^\W\d]|\w*_))|[-+*/^()·])"
    form = re.compile(rf"{piece}(?:\s*{piece})*")
    pieces = [closed(match[0]) for match in form.finditer(text)]
    read = {one: values(one, key.variables) for one in pieces if re.search(r"\w", one)}
    beside = form.sub(" ", text) + " ".join(one for one, value in read.items() if value is None)
    real = {one: value for one, value in read.items() if value is not None}
    alone = {name.lower() for name in key.variables}
    varying = {value for one, value in real.items() if len(set(value)) > 1 and one not in alone}
    found = varying or {value for one, value in real.items() if one in alone} or set(real.values())
    if not found or re.search(r"[*/^!√\\<>≤≥?%]", beside):
        return found, f"{quoted(answer.text)} is not read as an expression in {', '.join(key.variables)}."
    but = _HARMLESS if len(found) == 1 else _HARMLESS | {"or"}
    unknown = strange(
        beside, key, *listed("beside_expressions"), *key.words, but=but, shortest=1
    )  # a letter may be one more variable
    return found, f"{quoted(answer.text)}: “{unknown[0]}” stands beside the expression." if unknown else ""


def _either(variables: Sequence[str]) -> str:
    """Return a pattern of the names, the longest first; answers are read in small letters."""
    return "|".join(re.escape(name.lower()) for name in sorted(variables, key=len, reverse=True))


def _products(text: str, variables: Sequence[str]) -> str:
    """Return a text with a dot for each product that stands without a sign: 2df, d(d + 1), 4 d."""
    names = _either(variables)
    text = re.sub(
        rf"(?<![\w.])({_NUMBER})?((?:{names})+)(?!\w)",
        lambda run: "·".join(filter(None, (run[1], *re.findall(names, run[2])))),
        text,
    )
    atom = rf"(?<![\w.])(?:{names}|{_NUMBER})"
    return re.sub(rf"({atom}|\))\s*(?=\([-(\s]*{atom}(?!\w)|(?:{names})(?!\w))", r"\1·", text)


def _bound(text: str, variables: Sequence[str]) -> str:
    """Return a text in which a product without a sign binds closer than a division before it: d/2h as d/(2h)."""
    atom = rf"(?:{_either(variables)}|{_NUMBER})"
    return re.sub(rf"/\s*({atom}(?:·{atom})+)", r"/(\1)", _products(text, variables))


def values(text: str, variables: Sequence[str]) -> Values | None:
    """Return the values of ``text`` at the points; None where it is not an expression in ``variables``."""
    flat = _products(text.lower(), variables).replace("·", "*").replace("^", "**")
    found: list[float] = []
    for index in range(len(_POINTS)):  # no two variables have the same value at a point
        at = {name.lower(): _POINTS[(index + shift) % len(_POINTS)] for shift, name in enumerate(variables)}
        value = evaluate(flat, at)
        if value is None:
            return None
        found.append(round(value, 6))
    return tuple(found)
