"""The formulas of a text, and what stands beside them that may turn them round.

A formula is found by its delimiters; where it has none, the words around it are taken off. Words beside it are read by
what they mean; what is not understood, a person reads.
"""

from __future__ import annotations

import re

from grader.written.formula.beside import disagreements
from grader.written.formula.folding import unicode_folded
from grader.written.formula.kinds import Kind
from grader.written.formula.pieces import mathematics_of
from grader.written.formula.rewriting import MODULES, is_code, undressed
from grader.written.formula.vocabulary import FUNCTIONS

_ENV = r"\\begin\s?\{(?P<env>(?:equation|align|gather|displaymath|math|multline)\*?)\}"
_SET = re.compile(
    r"\$\$(?P<dd>.+?)\$\$|(?<!\\)\$(?P<d>[^$]+?)(?<!\\)\$|\\\[(?P<b>.+?)\\\]|\\\((?P<p>.+?)\\\)|```\w*\n?(?P<f>.+?)```"
    r"|`(?P<c>[^`\n]+)`",
    re.DOTALL,
)
_BLOCKS = re.compile(_SET.pattern + rf"|{_ENV}(?P<e>.+?)\\end\s?\{{(?P=env)\}}", re.DOTALL)
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
_CALL = re.compile(r"([A-Za-z]{2,})\}?\s?(?:\\left|\\[bB]igg?l?)?\s?[(\[]")
_MENTION = 14
"""Characters: what is set apart and is no longer, without an equals sign, only names something."""
_SQUARE = re.compile(
    r"W_?\{?[12]\}?\s?(?:\\in|∈)\s?[\\{}a-zA-Z]{1,12}\s?\^\s?[{(]{0,2}(\w+|d_\{?\w+\}?)\s?(?:\\times|×|x)\s?\1\b"
)
"""A weight matrix of the network that is said to be square."""
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s?\{[a-z]+\*?\}(?:\{[^{}]{0,9}\})?")
_OPENING = re.compile(r"\s*\\(?:left|[bB]igg?l?)\s*(?=[(\[])")
_DRESS = re.compile(r"\\(?:[,;:! ]|(?:left|right|[bB]igg?[lr]?|mathbf|boldsymbol|mathsf)(?![A-Za-z]))")
_QUOTED = re.compile(r"(?<=einsum)\(\s?[\"'`][A-Za-z.,>\s-]{3,40}[\"'`]")
"""The letters of an einsum."""


def taken_out(kind: Kind, source: str) -> str:
    """Return the formulas of a text: what stands between delimiters, else the text without plain words around it."""
    source = undressed(source)
    found = list(_SET.finditer(source))
    if found and re.search(r"[^\W\d_]", _SET.sub(" ", source)):
        inside = _inside(found)
        kept = [piece for piece in inside if not _is_mention(piece)]
        return " ;\n".join([*kept, *_told_last(inside, kept)] or inside)
    found = list(_BLOCKS.finditer(source))
    if len(found) > 1 and not re.search(r"[^\s,;.]", _BLOCKS.sub(" ", source)):
        inside = _inside(found)
        return inside[0] + "".join((r" \Rightarrow " if _is_equation(piece) else " ") + piece for piece in inside[1:])
    return source if is_code(source) else mathematics_of(kind, source)


def _inside(found: list[re.Match[str]]) -> list[str]:
    return [next(text for name, text in match.groupdict().items() if text and name != "env") for match in found]


def _is_equation(block: str) -> bool:
    """Say whether an `=` stands outside all braces."""
    return "=" in re.sub(r"\{[^{}]*\}", "", block)


def _bare(piece: str) -> str:
    return re.sub(r"\\[A-Za-z]+|[{}\s]", "", piece)


def _told_last(inside: list[str], kept: list[str]) -> list[str]:
    """Return what is set apart at the end, where it is a product with a name defined before: the output is $AV$."""
    last = _bare(inside[-1])
    defined = {match[1] for piece in kept if (match := re.match(r"\s*([A-Za-z])\s*=", piece))}
    return [f"{last[0]} {last[1]}"] if re.fullmatch(r"[A-Z]{2}", last) and last[0] in defined else []


def is_partial(source: str) -> bool:
    """Whether a text sets products apart that are not taken for its formula, such as $AV$: a part may stand there."""
    found = list(_SET.finditer(source))
    products = any(_is_mention(piece) and re.search(r"[A-Z]{2}|[+*(]", _bare(piece)) for piece in _inside(found))
    return products and bool(re.search(r"[^\W\d_]", _SET.sub(" ", source)))


def _is_mention(piece: str) -> bool:
    """Whether what is set apart only names something: short, and neither an equation nor a call."""
    if "=" in piece:
        return False
    called = any(word.lower() in FUNCTIONS for word in _CALL.findall(piece))
    return bool(re.search(r"\\in(?![A-Za-z])|∈", piece)) or (not called and len(_bare(piece)) <= _MENTION)


def strangers(kind: Kind, source: str, *, equal: bool) -> list[str]:
    """Return what stands beside the formulas of a text, is on no list, and may turn what it says round."""
    text = unicode_folded(_TEXT.sub(r" \1", _QUOTED.sub(" ", undressed(source))))
    text = re.sub(r"(?<=[{_^])\s+", "", text)
    own = {name.lower() for name in re.findall(r"([^\W\d_]{2,24})\w{0,24}(?:\([^()]{0,80}\))?\s?&?\s?:?=", text)}
    found = [match[0] for pattern in _TURNING for match in pattern.finditer(text)]
    if kind.waves and not _ONE_OFF.search(text):
        found += _FROM_ONE.findall(text)
    found += ["W"] if kind.id == "ffn" and _SQUARE.search(source) else []
    text = re.sub(r"=\s?(?:True|False)", "=1", MODULES.sub("", _ENVIRONMENT.sub("\n", text)))
    own |= set() if equal else {*FUNCTIONS}  # a function that words name is judged
    return found + disagreements(
        kind, _DRESS.sub(" ", _OPENING.sub("", text.replace("$", " "))), frozenset(own), equal=equal
    )
