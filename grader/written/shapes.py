"""Shapes such as ``T × d_k`` and small expressions such as n²: read in any usual spelling, compared by meaning."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence

from grader.written.judged import Judged, as_in_handout, for_a_person, quoted, right, wrong
from grader.written.key import ExpressionKey, ShapeKey
from grader.written.sheet import Written

_POINTS = (2.0, 3.0, 5.0, 7.0, 11.0, 13.0)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_DEEPEST = 12
_LARGEST_POWER = 8
_LONGEST = 500
"""Characters of a shape or an expression; a longer text takes too long to search, and a person reads it."""


def judge_shape(key: ShapeKey, answer: Written) -> Judged:  # noqa: PLR0911 - a reason, a line
    """Judge a shape axis by axis; other letters than the question's go to a person."""
    if len(answer.text) > _LONGEST:
        return for_a_person(f"{quoted(answer.text)} is too long for a shape.")
    axes = read_shape(answer.text)
    known = {_axis(name) for names in key.axes for name in names}
    if axes is None or not set(axes) <= known:
        axes = _told(answer.text, known, key.title) or axes
    if axes is None:
        return for_a_person(f"{quoted(answer.text)} is not read as a shape.")
    slip = next((s for s in key.slips if any(read_shape(value) == axes for value in s.values)), None)
    if slip:
        return wrong(f"You wrote {quoted(answer.text)}.", slip=slip)
    wanted = [{_axis(name) for name in names} for names in key.axes]
    if len(axes) == len(wanted) and all(axis in names for axis, names in zip(axes, wanted, strict=True)):
        return right()
    if not set(axes) <= known:
        return for_a_person(f"{quoted(answer.text)} has other letters than the question.")
    if len(axes) != len(wanted):
        return wrong(f"{quoted(answer.text)} has {len(axes)} axes, {len(wanted)} are asked for.")
    return wrong(f"You wrote {quoted(answer.text)}: the axes are in another order, or one is another size.")


def read_shape(text: str) -> tuple[str, ...] | None:
    """Return the axes of ``T × d_k``, ``(T, d_k)``, ``R^{T x d_k}``, ``[T, d_k]``; None where there is no shape."""
    flat = " ".join(text.replace("$", " ").replace("\\\\", "\\").split())
    flat = re.sub(r"\\(?:mathbb|mathbf|mathrm|text|operatorname)\s*\{([^{}]*)\}", r"\1", flat)
    flat = re.sub(r"\\(?:in|left|right|quad|,|;)(?![a-z])|[∈]", " ", flat)
    flat = re.sub(r"^.*?(?:=|:|\bis\b|\bhas shape\b)\s*(?=\S)", "", flat)
    flat = re.sub(r"^\s*[QKVX]\s+(?=[Rℝ(\[])", "", flat)
    flat = re.sub(r"^\s*(?:R|ℝ)\s*\^?", "", flat)
    flat = flat.replace("\\times", "×").replace("\\cdot", "×").strip(" .")
    while flat[:1] in "([{" and flat[-1:] in ")]}" and flat[1:-1].strip():
        flat = flat[1:-1].strip()
    flat = re.sub(r"_\{([^{}]*)\}", r"_\1", flat)
    parts = [part for part in re.split(r"\s*(?:×|✕|\*|,|;|\bby\b|(?<=[\w)}\s])x(?=[\s\w({]))\s*", flat) if part.strip()]
    axes = tuple(_axis(part) for part in parts)
    return axes if axes and all(re.fullmatch(r"[\w/()+-]{1,24}", axis) for axis in axes) else None


_ROWS = re.compile(r"(\S+)\s+(?:rows?|zeilen)\b.{0,20}?\b(\S+)\s+(?:columns?|cols?|spalten)\b", re.IGNORECASE)
_COLUMNS = re.compile(r"(\S+)\s+(?:columns?|cols?|spalten)\b.{0,20}?\b(\S+)\s+(?:rows?|zeilen)\b", re.IGNORECASE)
_PAIR = re.compile(
    r"(?<![\w×*])(?<!\bx )([\w{}\\]+)(?:\s*[×✕*,]\s*|\s+x\s+|[\s-]+by[\s-]+|\s*\\times\s*)([\w{}\\]+)"
    r"(?!\s*[×✕*]|\s+(?:x|by)\s|\w)"
)
_REASON = re.compile(r"[,;.]?\s*\b(?:because|since|as|where|weil|da|wobei)\b.*$", re.IGNORECASE | re.DOTALL)
_DENIED = re.compile(r"\b(?:not|no|never|transposed?|nicht|kein\w*)\b", re.IGNORECASE)


_EITHER = re.compile(r"\b(?:or|oder|vs|versus|either)\b", re.IGNORECASE)
_SIZE = re.compile(r"d(?:\w|ff|model)|[a-z]|\d+|seqlen|batch")
_OF_IT = (
    r"\s*(?:(?:also|then|is|has|are|of|the|a|an|matrix|shape|dimensions?|size|ist|hat|die|form|auch|\\in)\b|[=:∈]"
    r"|\\mathbb|[Rℝ]\b|[\s^({\[}])*"
)

_WHOSE = re.compile(
    r"\b(?:shape|size|form|dim\w*)\s+(?:of|von)\s+\(?([A-Z])(?![A-Za-z0-9_])(\s*(?:\^\s*\{?\s*\\?[tT]|ᵀ|'))?"
)
"""Whose shape it is said to be, and whether transposed."""
_OF_ANY = re.compile(rf"(?<![\w^])[A-Z](?:[_^]\{{?\w+\}}?)?(?!\w){_OF_IT}$")


def _told(text: str, known: set[str], title: str) -> tuple[str, ...] | None:
    """Return the shape of the letters ``known`` that a sentence names, as in “T rows and d_k columns”.

    Where the sentence names others too, it has to be the only one said of the matrix that ``title`` ends with.
    """
    text = _REASON.sub("", text.replace("$", " "))
    if _DENIED.search(text) or any(whose[1] != title[-1:] or whose[2] for whose in _WHOSE.finditer(text)):
        return None
    said = list(_ROWS.finditer(text)) or list(_COLUMNS.finditer(text)) or list(_PAIR.finditer(text))
    turned = not _ROWS.search(text) and bool(_COLUMNS.search(text))
    pairs = [
        (one, tuple(_axis(part.strip("(){}[],.")) for part in one.groups()[:: -1 if turned else 1])) for one in said
    ]
    pairs = [(one, pair) for one, pair in pairs if set(pair) <= known or _is_shape(one[0], pair)]
    read = {pair for _, pair in pairs}
    if len(read) > 1:
        of_it = re.compile(rf"(?<![\w^]){re.escape(title[-1:])}\b{_OF_IT}$")
        own = {pair for one, pair in pairs if of_it.search(text[: one.start()])}
        free = {pair for one, pair in pairs if not _OF_ANY.search(text[: one.start()])}
        read = own if free <= own and len([pair for pair in read if set(pair) <= known]) == 1 else set()
    if len(read) != 1 or (_EITHER.search(text) and (len(pairs) > 1 or turned or "row" in said[0][0])):
        return None
    pair = read.pop()
    return pair if set(pair) <= known else None


def _is_shape(written: str, pair: tuple[str, ...]) -> bool:
    """Say whether a pair is a shape, not two words or two matrices with a comma between them."""
    sizes = all(map(_SIZE.fullmatch, pair))
    return (sizes and not set(pair) <= set("qkvx")) if "," in written else (sizes or "key" not in pair)


def _axis(text: str) -> str:
    flat = re.sub(r"[\s{}\\]|(?<=d)_|\^", "", text).lower()
    return re.sub(r"^frac(\w+?)(h|numheads)$", r"\1/\2", flat)


def judge_expression(key: ExpressionKey, answer: Written) -> Judged:  # noqa: PLR0911 - a reason, a line
    """Judge an expression by its value at several points; what is not read goes to a person."""
    if len(answer.text) > _LONGEST:
        return for_a_person(f"{quoted(answer.text)} is too long for an expression.")
    found, beside = _last_readable(_renamed(answer.text, key.variables), key.variables)
    wanted = [values(text, key.variables) for text in (key.value, *key.also)]
    told = _in_words(_renamed(answer.text, key.variables), key.variables) if found is None else set()
    if told and told <= set(wanted):
        return right()
    if len(told) == 1:
        found = told.pop()
    if found is None:
        return for_a_person(f"{quoted(answer.text)} is not read as an expression in {', '.join(key.variables)}.")
    if re.search(r"[*/^·×⋅]", beside) or not _HARMLESS.issuperset(_BESIDE.findall(beside)):
        return for_a_person(f"{quoted(answer.text)} is read in part only.")
    if found in wanted:
        return right()
    for index, printed in enumerate(key.handout):
        if found in [values(text, key.variables) for text in printed.values]:
            return as_in_handout(key, index)
    slip = next((s for s in key.slips if found in [values(text, key.variables) for text in s.values]), None)
    if slip is None and len(set(found)) == 1:
        return for_a_person(f"{quoted(answer.text)} is a number; asked for is an expression in {key.variables[0]}.")
    return wrong(f"You wrote {quoted(answer.text)}.", slip=slip)


_REMARK = re.compile(
    r"\([^()]*[a-z]{3,}[^()]*\)|\b(?:without|including|excluding|with|in general|if|when|inkl\w*|ohne)\b[^;,.]*"
)
"""What says under which condition, and no more."""


def _last_readable(text: str, variables: Sequence[str]) -> tuple[tuple[float, ...] | None, str]:
    """Read the whole, else the only side of its equations that holds a variable, else the only part that does.

    Return what stands beside it, too.
    """
    if (whole := values(text, variables)) is not None:
        return whole, ""
    text = _REMARK.sub(" ", text.lower())
    if (whole := values(text, variables)) is not None:
        return whole, ""
    for cut in (
        r"=",
        r"[,;.:]\s|\bso\b|\band\b|\n|\bconnections?\b|\bfor\b|\bwords?\b|\bi\.e\.|\bneed\b|\bis\b|\bare\b",
    ):
        read = {part: values(part, variables) for part in re.split(cut, text) if part.strip()}
        found = {value for value in read.values() if value is not None and len(set(value)) > 1}
        if len(found) == 1:
            return found.pop(), _SUMS.sub(" ", " ".join(part for part, value in read.items() if value is None))
    return None, ""


_SUMS = re.compile(r"(?<![\w.])\d[\d\s.x*×·+=/^-]*(?!\w)")
"""Numbers alone: an example beside the expression."""
_SPELT = {
    "h": r"(?:the )?(?:number of (?:attention )?heads|num_?heads|n_?heads|#\s?heads|anzahl der köpfe)|\bheads\b",
    "d_model": r"(?:the )?\b(?:model|embedding) (?:dimension|size|width)\b|\bd_?_?model\b|\bd_\{?\\text\{model\}\}?",
    "n": r"\bthe number of words\b",
}
_SAID = (
    "a an the it its this that that's each every all both one of is are be has have had gets get got we i so then thus "
    "hence therefore i.e ie and for per in with to as which where here answer result equals equal means "
    "head heads dimension dimensions dimensional dim dims width size sized sizes value values key keys query queries "
    "vector vectors q k v d_k d_v dk dv d h d_model n number word words sentence connection connections arrow arrows "
    "if connected itself self loops including without in general or connects "
    "quadratic quadratically quadratisch two three four five ten hundred zwei drei vier fünf zehn hundert "
    "base model will would need needs needed there should must "
    "der die das den dem des ein eine einer jeder jede jedes jeden kopf köpfe köpfen ist sind hat haben also je pro "
    "und es wir bekommt für mit dabei wobei anzahl größe breite dimensionen antwort wert werte schlüssel anfragen "
    "wort wörter wörtern satz verbindungen braucht"
)
_HARMLESS = frozenset(_SAID.split())
"""Words that leave an expression beside them what it is; beside any other word it waits for a person."""
_BESIDE = re.compile(r"[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹][\w'.]*(?<!\.)|[!√\\<>≤≥?]")
_WHY = re.compile(r"[\s,;.(]+(?:because|since|weil)\b.*$", re.DOTALL)


def _renamed(text: str, variables: Sequence[str]) -> str:
    """Return a text with the names of variables instead of what they stand for."""
    flat = text.lower()
    for name in variables:
        flat = re.sub(_SPELT.get(name, rf"\b{re.escape(name)}\b"), name, flat)
    flat = re.sub(r"(?<=\w)\s+over\s+(?=\w+\s*$)", "/", flat) if "h" in variables else flat
    return re.sub(r"\s+to the power of\s+(?=\d)|\s+hoch\s+(?=\d)", "^", flat)


def _in_words(text: str, variables: Sequence[str]) -> set[tuple[float, ...] | None]:
    """Return the values of the expressions in a sentence of harmless words; a letter alone is none."""
    names = "|".join(map(re.escape, variables))
    piece = rf"(?:{names}|\d+(?![\w.])|[-+*/^()·×⋅−⁰¹²³⁴⁵⁶⁷⁸⁹])"
    text = _WHY.sub("", text.replace("$", " "))
    expression = rf"(?<![\w^/*.]){piece}(?:\s*{piece})*(?![\w.])"
    if not _HARMLESS.issuperset(_BESIDE.findall(re.sub(expression, " ", text))):
        return set()
    found = re.findall(expression, text)
    read = [_balanced(one) for one in found if not re.fullmatch(rf"[\s()]*(?:{names})[\s()]*", one)]
    return {value for one in read if (value := values(one, variables)) is not None and len(set(value)) > 1}


def _balanced(text: str) -> str:
    """Return an expression without brackets that are open."""
    while text.count("(") > text.count(")") and text.rstrip().endswith("("):
        text = text.rstrip()[:-1]
    while text.count(")") > text.count("(") and text.rstrip().endswith(")"):
        text = text.rstrip()[:-1]
    return text[1:] if text.startswith("(") and text.count("(") > text.count(")") else text


def values(text: str, variables: Sequence[str]) -> tuple[float, ...] | None:
    """Return the values of ``text`` at the points; None where it is not an expression in ``variables``."""
    flat = re.sub(r"_\{\s*\\(?:text|mathrm)\s*\{\s*(\w+)\s*\}\s*\}", r"_\1", text.lower())
    flat = re.sub(r"_\{\s*(\w+)\s*\}", r"_\1", flat)
    flat = flat.replace("$", "").replace("−", "-").replace("·", "*").replace("×", "*").replace("⋅", "*")
    flat = re.sub(r"\b(?:about|roughly|approximately|in total|order of|connections?)\b|[≈~]", " ", flat)
    flat = re.sub(r"([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: "^" + m[1].translate(_SUPERSCRIPTS), flat)
    flat = flat.replace("\\cdot", "*").replace("\\times", "*").replace("\\left", "").replace("\\right", "")
    flat = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", flat)
    flat = re.sub(r"\bsquared\b|\bquadrat\b", "^2", flat)
    flat = re.sub(r"\bdivided by\b|\bgeteilt durch\b", "/", flat)
    flat = re.sub(r"(?<=\w)\s+(?:times|by|x)\s+(?=\w)", "*", flat).replace("{", "(").replace("}", ")")
    flat = re.sub(r"^\s*[oθ]\s*\((.*)\)\s*\.?$", r"\1", flat).strip().rstrip(".")
    names = "|".join(map(re.escape, variables))
    flat = re.sub(rf"(?<=[0-9)])\s*(?={names}|\()|(?<=\b{variables[0]})\s*(?=\()", "*", flat)
    flat = re.sub(rf"\b({names})({names})\b", r"\1*\2", flat).replace("^", "**")
    if len(flat) > 80 or not flat:  # noqa: PLR2004 - an expression, not a text
        return None
    try:
        tree = ast.parse(flat, mode="eval").body
        found = tuple(round(_value(tree, _at(variables, index), 0), 6) for index in range(len(_POINTS)))
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None
    return found if all(map(math.isfinite, found)) else None


def _at(variables: Sequence[str], index: int) -> dict[str, float]:
    """Return the variables at one point; no two have the same value there."""
    return {name: _POINTS[(index + shift) % len(_POINTS)] for shift, name in enumerate(variables)}


_OPERATIONS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: lambda base, exponent: float(base**exponent) if abs(exponent) <= _LARGEST_POWER else math.nan,
}


def _value(node: ast.expr, at: Mapping[str, float], depth: int) -> float:
    """Evaluate plain arithmetic; raises ValueError for anything else."""
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.Name(id=name) if name in at:
            return at[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, at, depth + 1)
        case ast.BinOp(left=left, op=sign, right=right_) if type(sign) in _OPERATIONS:
            return _OPERATIONS[type(sign)](_value(left, at, depth + 1), _value(right_, at, depth + 1))
    raise ValueError("not plain arithmetic")
