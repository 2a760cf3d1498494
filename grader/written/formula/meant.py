"""Names that a student explains in words: "where σ is the softmax", or layers called as in code."""

from __future__ import annotations

import re

from grader.written.formula.tree import Add, Mul, Sym, UnreadableError
from grader.written.formula.values import Definition

_GREEK = {"σ": "sigma", "φ": "phi", "ϕ": "phi", "ρ": "rho", "ψ": "psi"}
_FUNCTION = {"softmax": "softmax", "relu": "relu", "rectifier": "relu", "rectified linear unit": "relu",
             "tanh": "tanh", "sigmoid": "sigmoid", "gelu": "gelu"}  # fmt: skip
_SAID = re.compile(
    r"(?:\b(?:where|with|here|and|for|in which)\b|[,;]|\\q?quad\b)(?:\\(?=[\s,;:!])|\\q?quad\b|[\s,;:!{}$~]){0,12}"
    r"(?P<name>\\?(?:sigma|phi|varphi|rho|psi)|[σφϕρψ]|[fgSN]|\\mathcal\s?\{\s?[A-Z]\s?\})\s{0,4}(?:\(\s{0,4}(?:\\cdot|·|\.)\s{0,4}\))?[\s}$~]{0,6}"
    r"(?:\\text\s{0,4}\{\s{0,4})?(?:is|denotes|stands for|means|being|as|=|:=)\s{0,4}(?:the|a)?[\s{}$~]{0,6}"
    r"(?:row[- ]?wise|element[- ]?wise)?[\s{}$~]{0,6}\\?(?:text|mathrm|operatorname)?\s{0,4}\{?\s{0,4}"
    r"(?P<what>softmax|relu|rectifier|rectified linear unit|tanh|sigmoid|gelu"
    r"|layer\s?norm(?:ali[sz]ation)?)\b(?![\s}]{0,4}\()"
    r"[\s}$~]{0,6}(?:function|activation|operator|over (?:the )?(?:keys|rows?)|by rows?|row by row|\(?ReLU\)?){0,2}"
    r"[\s}$~.)]{0,9}$",
    re.IGNORECASE,
)
_CLOSE = re.compile(r"(?:[,;.:(\s]|\\q?quad|\\text\s*\{){1,12}\Z")
_LAYER = re.compile(
    r"(?<![A-Za-z_.])(?:self\s?\.\s?)?(?:linear|lin|fc|dense|affine|ff)_?\s?\{?\s?(?:layer)?_?([12])\s?\}?\s?(?=\(|\\left)"
    r"|\\(?:text|mathrm|operatorname|mathsf)\s?\{\s?(?:linear|lin|fc|dense|affine)\s?\}\s?_\s?\{?\s?([12])\s?\}?\s?(?=\(|\\left|\\big)"
    r"|(?<![A-Za-z_.])self\s?\.\s?w_?([12])\s?(?=\()"
    r"|(?<![A-Za-z_.])(?:(?:torch\.)?nn\.)?Linear\(\s?(?:d_?model\s?,\s?d_?ff|(d_?ff\s?,\s?d_?model))\s?\)\s?(?=\()",
    re.IGNORECASE,
)
_OWN_LAYER = re.compile(r"(?<![A-Za-z_\\.])(W|L|f|l|lin)_?\s?\{?([12])\}?\s?\(\s?[a-z]\s?\)\s?(?::?=)")
_FUNCTIONAL = re.compile(r"(?<![A-Za-z_.])(?:torch\.)?(?:nn\.)?(?:F|functional)\.linear\s?\(")
_SEQUENCE = re.compile(r"\s*(?:torch\.)?(?:nn\.)?Sequential\((.{10,300})\)\s*", re.DOTALL)
_LAYER_NAMES = {"1": "layerone", "2": "layertwo"}
_MAYBE_LAYER = re.compile(r"(?<![A-Za-z_\\])W_?\{?[12]\}?\s?\(\s?[xX]\s?\)", re.IGNORECASE)
_BIAS = re.compile(r"(?<![A-Za-z])b(?:ias)?(?![A-Za-z])")


_SOFTMAX_TOLD = re.compile(
    r"[,;.]?\s{0,3}(?:\\q?quad|\\\\|\\text\s?\{\s?(?:where|with)\s?\}|where|with|\\[,; ]|[\s\n$]){0,6}"
    r"\s{0,3}(?P<name>\\(?:text|mathrm|operatorname)\s?\{\s?softmax\s?\}"
    r"|\\?(?:soft\s?max|sigma|varphi|phi|rho)|[σφρ])\s?(?:\\left)?\(\s?(?P<z>\\?[a-z]+|\\(?:mathbf|boldsymbol)\s?\{\s?[a-z]\s?\})\s?(?:\\right)?\)\s?_\s?\{?\s?(?P<i>[a-z])\s?\}?"
    r"\s?=\s?(?P<body>[^=;\n]{4,80}(?:=\s?1[^=;\n]{2,60})?)[.$\s]{0,4}\Z"
)
_NORMALISED = re.compile(
    r"(?:frac)?(?:e\^|exp)\(?(?P<z>[a-z])_(?P<i>[a-z])\)?/?sum_(?P<j>[a-z])(?:=1)?(?:\^[A-Za-z_]{1,4}?)?(?:e\^|exp)\(?(?P=z)_(?P=j)\)?"
)


def _function(what: str) -> str:
    """Return our name of a function that is said in words."""
    return "layernorm" if what.lower().startswith("layer") else _FUNCTION[what.lower()]


def told_softmax(source: str) -> str:
    """Return `source` without a closing definition of the softmax by its entries, where that is the softmax."""
    said = _SOFTMAX_TOLD.search(source)
    if said is None:
        return source
    plain = re.sub(
        r"\\(?:left|right|text|mathrm|[dt]frac|frac|limits|mathbf|boldsymbol|[,;! ])|[{}\s\\$]", "", said["body"]
    )
    found = _NORMALISED.fullmatch(plain)
    if found is None or found["i"] != said["i"] or found["j"] == found["i"] or found["z"] != said["z"].rstrip(" }")[-1]:
        return source
    before = source[: said.start()]
    if "softmax" in re.sub(r"\s", "", said["name"]).lower():
        return before
    return before.replace(said["name"], " softmax ")


def named_functions(source: str) -> str:
    """Return `source` with a letter replaced by the function that the closing words say it is."""
    said = _SAID.search(source)
    if said is None:
        return source
    if "mathcal" in said["name"]:
        inside = re.escape(said["name"][said["name"].index("{") + 1 :].strip(" }"))
        what = _function(said["what"])
        return re.sub(rf"\\mathcal\s?\{{\s?{inside}\s?\}}", f" {what} ", _CLOSE.sub("", source[: said.start()]))
    letter = said["name"].lstrip("\\")
    letter = _GREEK.get(letter, letter)
    greek = "|".join(sign for sign, name in _GREEK.items() if name == letter)
    name = rf"\\(?:var)?{letter}(?![A-Za-z])|(?<![A-Za-z\\]){letter}(?![A-Za-z_])" + (f"|{greek}" if greek else "")
    what = _function(said["what"])
    return re.sub(name, f" {what} ", _CLOSE.sub("", source[: said.start()]))


def _in_sequence(match: re.Match[str]) -> str:
    """Write nn.Sequential(Linear, ReLU, Linear) as the calls it stands for."""
    text, linear = "x", 0
    for name in re.findall(r"(?:nn\.)?([A-Z][A-Za-z]+)\(", match[1]):
        if name == "Linear":
            linear += 1
            text = f"linear{linear}({text})"
        elif name != "Dropout":
            text = f"{name.lower()}({text})"
    return text


_NAME = (
    r"(?:\\(?:text|mathrm|operatorname|mathcal)\s?\{\s?[A-Za-z ]{1,20}\s?\}|(?<![A-Za-z])[A-Za-z]{1,24})"
    r"(?:\s?_\s?\{?\s?\w{1,3}\s?\}?)?"
)
_COMPOSED = re.compile(rf"{_NAME}(?:\s{{0,3}}(?:\\circ|∘)\s{{0,3}}{_NAME}){{1,4}}(?![({{A-Za-z])")
_EACH_LAYER = re.compile(
    r"(?P<name>[A-Za-z]|\\(?:text|mathrm|operatorname)\s?\{\s?[A-Za-z]{1,12}\s?\})\s?_\s?\{?\s?(?P<i>[a-z])\s?\}?\s?\(\s?(?P<x>[a-z])\s?\)\s?:?=\s?(?P=x)\s?W_\{?(?P=i)\}?\s?\+\s?b_\{?(?P=i)\}?"
)


def composed(source: str) -> str:
    r"""Return `source` with f \circ g as f(g(x)), and L_i(x) = xW_i + b_i for both layers."""
    source = _EACH_LAYER.sub(
        lambda m: ", ".join(f"{m['name']}_{n}({m['x']}) = {m['x']} W_{n} + b_{n}" for n in (1, 2)), source
    )

    def nested(match: re.Match[str]) -> str:
        names = re.split(r"\\circ|∘", match.group())
        return "(".join(name.strip() for name in names) + "(x" + ")" * len(names)

    return _COMPOSED.sub(nested, source) if "\\circ" in source or "∘" in source else source


_ID = r"(?:\\(?:mathrm|operatorname|text|mathbf)\s?\{\s?(?:[Ii]d|I|1)\s?\}|[Ii]d|I)"
_BESIDE_ID = re.compile(
    rf"(?P<open>(?:\\left\s?)?\()?\s?(?P<f>{_NAME})\s{{0,3}}(?:\\circ|∘)\s{{0,3}}(?:\\left\s?)?\(\s?"
    rf"(?:{_ID}\s?\+\s?(?P<g>{_NAME})|(?P<first>{_NAME})\s?\+\s?{_ID})\s?(?:\\right\s?)?\)\s?"
    r"(?(open)(?:\\right\s?)?\)\s?(?:\(\s?(?P<x>[xX])\s?\))?)"
)


def beside_identity(source: str) -> str:
    r"""Return f \circ (id + g), or this applied to x, as f(x + g(x))."""
    return _BESIDE_ID.sub(lambda m: f" {m['f']}({m['x'] or 'x'} + {m['g'] or m['first']}({m['x'] or 'x'})) ", source)


def called_layers(source: str) -> tuple[str, dict[str, Definition]]:
    """Return a feed-forward formula's text with linear_1(x), fc2(x) as functions, and what they are.

    A layer that is called holds its bias: x W_1 + b_1. Raises UnreadableError where W_1(x) may be a call.
    """
    used: set[str] = set()

    def called(match: re.Match[str]) -> str:
        number = match[1] or match[2] or match[3] or ("2" if match[4] else "1")
        used.add(number)
        return f" {_LAYER_NAMES[number]} "

    for own in dict.fromkeys(_OWN_LAYER.findall(source)):  # W_1(x) = x W1 + b1: a function of the student's own
        name = rf"(?<![A-Za-z_\\.]){own[0]}_?\s?\{{?{own[1]}\}}?\s?(?=\()"
        source = re.sub(name, f" own{_LAYER_NAMES[own[1]]} ", source)
    sequence = _SEQUENCE.fullmatch(source)
    changed = _LAYER.sub(called, _in_sequence(sequence) if sequence else source)
    changed, functional = _FUNCTIONAL.subn(" layerwith(", changed)
    if not used and not functional and _MAYBE_LAYER.search(source) and not _BIAS.search(source):
        raise UnreadableError("W_1(x) may be a layer with its bias or a product without one; a person should look.")
    bodies = {
        f"{_LAYER_NAMES[number]}()": Definition(("u",), Add(Mul(Sym("u"), Sym(f"W_{number}")), Sym(f"b_{number}")))
        for number in sorted(used)
    }
    if functional:
        bodies["layerwith()"] = Definition(("u", "w", "c"), Add(Mul(Sym("u"), Sym("w")), Sym("c")))
    return changed, bodies
