"""What stands in front of a formula and is no part of it: numbers of equations and steps, names of several words."""

from __future__ import annotations

import re

_CALLED = (
    "eq", "eqn", "equation", "formula", "step", "section", "gl", "gleichung", "formel", "schritt", "équation", "étape",
    "formule", "ecuación", "fórmula", "paso", "equazione",
)  # fmt: skip
_COUNT = r"\(?\d{1,2}(?:\.\d{1,2}){0,3}[a-z]?\)?"
_NUMBER = re.compile(
    rf"^[ \t>]{{0,8}}(?:\(?\s?(?:{'|'.join(_CALLED)})\b\.?\s?{_COUNT}\)?\s?[.:)]?"
    r"|\(\d{1,2}(?:\.\d{1,2})?[a-z]?\)|\d{1,2}[.)]|\(?(?:[a-h]|i{1,3}|iv)\)|\d{1,2}(?:\.\d{1,2}){1,3}:)\s+(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
_BULLET = re.compile(r"^[ \t]{0,8}[-*•–]\s+(?=[^\n]*=)", re.MULTILINE)
"""A sign in front of an equation; in front of a bare expression it may be a minus."""
_STEP = re.compile(r"\s(\d)[.)]\s(?=[^\n=]{1,40}=)")
_PROGRAM = re.compile(
    r"^\s*(?:def\s\w+\((?P<named>[^()]*)\)(?:\s?->\s?[\w.]+)?:\s*|(?:\w+\s?=\s?)?lambda\s(?P<own>[\w, =.]+):\s)",
    re.MULTILINE,
)
"""The head of a function; the numbers of its parameters are told sizes."""
_DEFAULT = re.compile(r"(\w+)(?:\s?:\s?\w+)?\s?=\s?(\d+)(?![\d.])")
_RETURN = re.compile(r"(?:^|;)[ \t]*return\b", re.MULTILINE)
_MODULE = re.compile(r"(?:torch\.)?nn\.(Softmax|ReLU)\((?:dim\s?=\s?(?:-1|1))?\)\s?(?=\()")
"""A module that is made and called at once."""
_NAME = re.compile(
    r"(?:\\(?:text|mathrm|operatorname|textbf|mathbf)\s?\{\s?)?(?<![A-Za-z\\])"
    r"(?P<first>[A-Z][A-Za-z]{1,20})\s?(?:\\?&|\+|-|–|\\text\{-\}|\\ \\&\\ )\s?(?P<second>[A-Z][A-Za-z]{1,20})\s?\}?"
    r"(?=\s?(?:\\left)?\((?:[^()=\n]|\([^()=\n]{1,20}\)){1,60}\)\s?&?\s?:?=)"
)


_LAYER_NORM = re.compile(r"\bLayer[ -]Norm(?:ali[sz]ation)?\b", re.IGNORECASE)


def without_numbers(text: str) -> str:
    """Return `text` without the numbers of its equations and steps; steps on one line become lines."""
    steps = [match[1] for match in _STEP.finditer(text)]
    if re.match(r"\s{0,4}1[.)]\s", text) and steps == [str(number) for number in range(2, len(steps) + 2)]:
        text = _STEP.sub(r"\n\1) ", text)
    return _BULLET.sub("", _NUMBER.sub("", text))


def as_expression(text: str) -> str:
    """Return numpy or torch of one line as the expression that it returns."""

    def sizes(head: re.Match[str]) -> str:
        return "".join(f"\n{name} = {size}\n" for name, size in _DEFAULT.findall(head["named"] or head["own"] or ""))

    return _MODULE.sub(lambda match: match[1].lower(), _RETURN.sub("\n", _PROGRAM.sub(sizes, text)))


def in_one_word(text: str) -> str:
    r"""Return `text` with a left side's name in one word: Add & Norm(x) = … as AddNorm(x) = …."""
    return _LAYER_NORM.sub("LayerNorm", _NAME.sub(lambda match: match["first"] + match["second"], text))
