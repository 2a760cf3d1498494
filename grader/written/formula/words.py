"""The formulas of a text, and what stands beside them that may turn them round.

A formula is found by its delimiters; where it has none, the words around it are taken off. Words beside it are read by
what they mean; what is not understood, a person reads.
"""

from __future__ import annotations

import math
import re

from grader.written.formula.beside import disagreements
from grader.written.formula.clean import is_code, unicode_folded, without_modules
from grader.written.formula.front import as_expression, in_one_word, without_numbers
from grader.written.formula.kinds import Kind
from grader.written.formula.meanings import meaning
from grader.written.formula.names import FUNCTIONS
from grader.written.formula.pieces import mathematics_of

_SET = re.compile(
    r"\$\$(?P<dd>.+?)\$\$|(?<!\\)\$(?P<d>[^$]+?)(?<!\\)\$|\\\[(?P<b>.+?)\\\]|\\\((?P<p>.+?)\\\)|```\w*\n?(?P<f>.+?)```"
    r"|`(?P<c>[^`\n]+)`",
    re.DOTALL,
)
_TEXT = re.compile(r"\\(?:text|mathrm|textrm|textit|mbox|mathit|operatorname)\s?\{([^{}]*)\}")
_TURNING = (
    re.compile(r"\\(?:re)?newcommand\b|\\(?:def|let)\b|\\DeclareMathOperator\b"),
    re.compile(r"\b[Pp]osition[\s}$]{1,4}[ijk]\b"),
)
"""Commands of one's own, a position that is called like an index."""
_FROM_ONE = re.compile(
    r"(?:=|\\in)[\s\\{\[$]{0,4}1\s{0,3},\s{0,3}(?:2\s{0,3},\s{0,3})?(?:\\[lc]?dots|\.\.\.|…)"
    r"|(?<![\d.])1\s{0,3}(?:\\leq?\b|≤|<=)"
)
"""Pairs of columns that are counted from one: their exponents begin at another number, if none is taken off again."""
_ONE_OFF = re.compile(r"\(\s?[a-z]\s?-\s?1\s?\)|2\s?[a-z]\s?-\s?2\b")
_DEVIATION = re.compile(r"\bdeviation\b[^.;\n]{0,40}")
_MODEL_SIZE = re.compile(
    r"(?<![\w\\])(?:[dD]|dim)[\s$}]{0,4}:?=[\s${]{0,4}(?:5[1-9]\d|[6-9]\d\d|\d{4,6})(?![\d.]|\s?[/÷])"
)
"""A bare d of the model's size."""
_RENAMED = re.compile(
    r"\b(LN|Layer\s?Norm|[Ss]oft\s?max|ReLU|max)[\s}$]{0,3}(?:=|is\b)[\s{}$\\]{0,4}(?:text|mathrm|operatorname)?[\s{]{0,3}([A-Za-z]{2,20})"
)
"""A function that is said to be another one."""
_CALL = re.compile(r"([A-Za-z]{2,})\}?\s?(?:\\left|\\[bB]igg?l?)?\s?[(\[]")
_MENTION = 14
"""Characters: what is set apart and is no longer, without an equals sign, only names something."""
_SQUARE = re.compile(
    r"W_?\{?[12]\}?\s?(?:\\in|∈)\s?[\\{}a-zA-Z]{1,12}\s?\^\s?[{(]{0,2}(\w+|d_\{?\w+\}?)\s?(?:\\times|×|x)\s?\1\b"
)
"""A weight matrix of the network that is said to be square."""
_NUMBER = re.compile(
    r"(?:\\(?:q?quad|hfill|hspace\{[^{}]*\}|tag)|[ \t])\s{0,6}(?:\\text\s?\{\s?)?"
    r"\((?:[Ee]q\.?\s?)?\d{1,2}(?:\.\d{1,2})?[a-z]?\)\s?\}?"
    r"(?=\s{0,6}(?:\Z|\n|\\\\|\$\$|\\end))"
)
"""The number of an equation, at the end of its line."""
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s?\{[a-z]+\*?\}(?:\{[^{}]{0,9}\})?")
_SHORT_FORMS = re.compile(
    r"\[[A-Z][^\]\[=]{3,60}\d{4}[a-z]?\]|\b(?:i\.\s?e\.|d\.\s?h\.|bzw\.|cf\.|resp\.)", re.IGNORECASE
)
_OPENING = re.compile(r"\s*\\(?:left|[bB]igg?l?)\s*(?=[(\[])")
_DRESS = re.compile(r"\\(?:[,;:! ]|(?:left|right|[bB]igg?[lr]?|mathbf|boldsymbol|mathsf)(?![A-Za-z]))")
_QUOTED = re.compile(r"(?<=einsum)\(\s?[\"'`][A-Za-z.,>\s-]{3,40}[\"'`]")
"""The letters of an einsum."""
_LINE = re.compile(r"^[ \t]*(?:(?:import|from)[ \t][^\n]*|```\w*)", re.MULTILINE)
"""What is no part of a formula that is typed as code."""


def taken_out(kind: Kind, source: str) -> str:
    """Return the formulas of a text: what stands between delimiters, else the text without plain words around it."""
    source = _SHORT_FORMS.sub(" ", source)
    source = in_one_word(without_numbers(_NUMBER.sub("", as_expression(_LINE.sub("", source)))))
    found = list(_SET.finditer(source))
    if found and re.search(r"[^\W\d_]", _outside(source, found)):
        inside = [next(group for group in match.groups() if group) for match in found]
        kept = [piece for piece in inside if not _is_mention(piece)]
        return " ;\n".join([*kept, *_told_last(inside, kept)] or inside)
    if is_code(source):
        return source
    return mathematics_of(kind, source)


def _told_last(inside: list[str], kept: list[str]) -> list[str]:
    """Return what is set apart at the end, where it is a product with a name defined before: the output is $AV$."""
    last = re.sub(r"\\[A-Za-z]+|[{}\s]", "", inside[-1])
    defined = {match[1] for piece in kept if (match := re.match(r"\s*([A-Za-z])\s*=", piece))}
    product = re.fullmatch(r"[A-Z]{2}", last)
    return [f"{last[0]} {last[1]}"] if product and last[0] in defined else []


def is_partial(source: str) -> bool:
    """Whether a text sets products apart that are not taken for its formula, such as $AV$: a part may stand there."""
    found = list(_SET.finditer(source))
    shown = [next(group for group in match.groups() if group) for match in found]
    bare = [re.sub(r"\\[A-Za-z]+|[{}\s]", "", piece) for piece in shown if _is_mention(piece)]
    return bool(re.search(r"[^\W\d_]", _outside(source, found))) and any(re.search(r"[A-Z]{2}|[+*(]", p) for p in bare)


def _is_mention(piece: str) -> bool:
    """Whether what is set apart only names something: short, and neither an equation nor a call."""
    if "=" not in piece and re.search(r"\\in(?![A-Za-z])|∈", piece):
        return True
    called = any(word.lower() in FUNCTIONS for word in _CALL.findall(piece))
    return "=" not in piece and not called and len(re.sub(r"\\[A-Za-z]+|[{}\s]", "", piece)) <= _MENTION


def _outside(source: str, found: list[re.Match[str]]) -> str:
    edges = [0, *(edge for match in found for edge in match.span()), len(source)]
    return " ".join(source[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True))


def speaks_of_sizes(source: str) -> bool:
    """Whether words beside a formula may say what size a symbol is."""
    words = re.findall(r"[^\W\d_]{3,}", unicode_folded(source).lower())
    return any(meaning(word) & {"size", "model", "head", "token", "sequence", "count"} for word in words)


def strangers(kind: Kind, source: str, *, equal: bool) -> list[str]:
    """Return what stands beside the formulas of a text, is on no list, and may turn what it says round."""
    source = _SHORT_FORMS.sub(" ", source)
    source = _QUOTED.sub(" ", without_numbers(as_expression(source)))
    text = unicode_folded(_TEXT.sub(r" \1", _LINE.sub("", in_one_word(source))))
    text = re.sub(r"(?<=[{_^])\s+", "", text)
    own = {name.lower() for name in re.findall(r"([^\W\d_]{2,24})\w{0,24}(?:\([^()]{0,80}\))?\s?&?\s?:?=", text)}
    found = [match.group() for pattern in _TURNING for match in pattern.finditer(text)]
    if kind.id == "variance":
        size = re.search(r"d_k\s?=\s?(\d+)", text)
        root = f"{math.sqrt(int(size[1])):g}" if size else ""
        found += [said for said in _DEVIATION.findall(text) if not re.search(rf"sqrt|root|\b{root or 'root'}\b", said)]
        text = re.sub(rf"(?<=is )\b{root or 'root'}\b", "", text)
    parity = kind.id in {"pe_sin", "pe_cos"}
    if parity and not _ONE_OFF.search(text):
        found += _FROM_ONE.findall(text)
    if kind.id in {"attention", "multi_head"}:
        found += _MODEL_SIZE.findall(text)
    found += ["W"] if kind.id == "ffn" and _SQUARE.search(source) else []
    found += [
        one for one, other in _RENAMED.findall(text) if _is_function(other) and _function(one) != _function(other)
    ]
    text = re.sub(r"=\s?(?:True|False)", "=1", without_modules(_ENVIRONMENT.sub("\n", text)))
    if not equal:  # a function that words name is judged
        own |= {name.lower() for name in FUNCTIONS}
    text = _DRESS.sub(" ", _OPENING.sub("", text.replace("$", " ")))
    return found + disagreements(kind, text, frozenset(own))


def _is_function(name: str) -> bool:
    return name.lower() in {"ln", "layer"} or name.lower() in FUNCTIONS


def _function(name: str) -> str:
    """Return our name of a function; of another word the word itself."""
    table = {word.lower(): ours for word, ours in FUNCTIONS.items()}
    if name.lower() == "ln":
        return "layernorm"
    return table.get(name.lower(), "layernorm" if name.lower() in {"ln", "layer", "layernorm"} else name.lower())
