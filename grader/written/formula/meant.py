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
_SEQUENCE = re.compile(r"(?<!\s)\s*(?:torch\.)?(?:nn\.)?Sequential\((.{10,300})\)\s*", re.DOTALL)
_LAYER_NAMES = {"1": "layerone", "2": "layertwo"}
_MAYBE_LAYER = re.compile(r"(?<![A-Za-z_\\])W_?\{?[12]\}?\s?\(\s?[xX]\s?\)", re.IGNORECASE)
_BIAS = re.compile(r"(?<![A-Za-z])b(?:ias)?(?![A-Za-z])")


_IN_FULL = re.compile(
    r"(?P<name>\\?sigma(?![A-Za-z])|σ|\\?(?:text|mathrm|operatorname)?\s?\{?\s?softmax\s?\}?)\s?(?:\\left)?\(\s?(?P<z>[a-z])"
    r"(?P<index>[^=]{2,24}?)&?=(?P<value>[^=]{8,120}(?:=[01][^=]{8,60})?)\Z"
)
_DRESS = re.compile(r"\\(?:left|right|limits|displaystyle|quad|[,;!])|[\s\\$&.]")


def _is_softmax(z: str, i: str, value: str) -> bool:
    """Say whether a value is e^{z_i} over the sum of e^{z_j}."""

    def raised(letter: str) -> str:
        return rf"(?:e\^\{{{z}_\{{?{letter}\}}?\}}|exp\({z}_\{{?{letter}\}}?\))"

    total = r"(?:sum|∑|Σ)_\{?(?P<j>[a-z])(?:=[01])?\}?(?:\^\{?[\w_]{1,5}\}?)?" + raised("(?P=j)")
    total_again = total.replace("?P<j>", "?P<k>").replace("?P=j", "?P=k")
    told = rf"[dt]?frac\{{{raised(i)}\}}\{{{total}\}}|{raised(i)}/\(?{total_again}\)?"
    return re.fullmatch(told, _DRESS.sub("", value)) is not None


def without_softmax_in_full(source: str) -> str:
    """Return `source` without a closing definition of the softmax, and with σ as the softmax where it defines that."""
    last = max((source.rfind(sign) for sign in (";", r"\quad", r"\text", "where", "with", "\n", ", ")), default=-1)
    told = _IN_FULL.search(source, max(last, 0)) or _IN_FULL.search(source)
    if told is None or not told.start():
        return source
    index = re.fullmatch(r"\)?_\{?([a-z])\}?\)?", _DRESS.sub("", told["index"]))
    if index is None or not _is_softmax(told["z"], index[1], told["value"]):
        return source
    before = re.sub(r"(?:\b(?:where|with|and|mit|wobei)\b|[\s,;.{}$\\]|\\q?quad|\\text)+\Z", "", source[: told.start()])
    return re.sub(r"\\sigma(?![A-Za-z])|σ|\bsigma\b", " softmax ", before)


def _function(what: str) -> str:
    """Return our name of a function that is said in words."""
    return "layernorm" if what.lower().startswith("layer") else _FUNCTION[what.lower()]


def named_functions(source: str) -> str:
    """Return `source` with a letter replaced by the function that the closing words say it is."""
    source = without_softmax_in_full(source)
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
