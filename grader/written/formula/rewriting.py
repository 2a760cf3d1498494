"""What is rewritten in a text before it is cut into tokens: Unicode, dressing, short programs, other notations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

from grader.written.formula.kinds import Kind
from grader.written.formula.vocabulary import table

_RAISED = dict(
    zip(
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᐟᐠꟴ",
        "0123456789+-=()niabcdefghjklmoprstuvwxyzABDEGHIJKLMNOPRTUVW//Q",
        strict=True,
    )
)
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789+-=()aehijklmnoprstuvx", strict=True))
# A point between raised digits is a decimal point, a raised dot, or what the keyboard gave.
_RAISED_RUN = re.compile(rf"[{''.join(_RAISED)}]+(?:[·.˙ᐧ⋅][{''.join(_RAISED)}]+)*")
_LOWERED_RUN = re.compile(rf"₍([^₎\n]{{0,40}})₎|[{''.join(_LOWERED)}]+")
_SIGNS = {sign: name + " " * name.startswith("\\") for sign, name in table("signs").items()}
_SIGNS |= {"\t": " ", "\r": "\n", "\u2062": " ", "■": "", "▒": " "}


def _fold(char: str) -> str:
    if char in _SIGNS:
        return _SIGNS[char]
    folded = unicodedata.normalize("NFKC", char)
    if char.isalpha() and (plain := unicodedata.normalize("NFD", char)[0]).isascii():
        return plain  # an accent or umlaut in a word
    if char != folded:
        return "".join(_SIGNS.get(c, c) for c in folded)
    unseen = unicodedata.category(char) in {"Cf", "Cc", "Cs", "Co"} and char != "\n"
    return ("" if char in "\u2061\u200b\u2060\ufeff" else " ") if unseen else char


def _lowered(run: re.Match[str]) -> str:
    inner = "".join(_LOWERED.get(c, c) for c in run[1] or run[0])
    return f"_{{({inner})}}" if run[1] else f"_{{{inner}}}"


def unicode_folded(text: str) -> str:
    """Return a text with raised, lowered and mathematical letters as LaTeX writes them."""
    if text.isascii():
        return text.replace("\t", " ").replace("\r", "\n")
    text = text.replace("ₘₒdₑₗ", "_{model}")
    text = _RAISED_RUN.sub(lambda run: "^{" + "".join(_RAISED.get(c, ".") for c in run[0]) + "}", text)
    text = _LOWERED_RUN.sub(_lowered, text)
    return "".join(c if c.isascii() else _fold(c) for c in text)


Rule = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]


def _rules(*pairs: tuple[str, str | Callable[[re.Match[str]], str]]) -> tuple[Rule, ...]:
    return tuple((re.compile(pattern, re.MULTILINE), new) for pattern, new in pairs)


def rewritten(text: str, rules: Iterable[Rule]) -> str:
    """Return `text` after each rule in turn."""
    for pattern, new in rules:
        text = pattern.sub(new, text)
    return text


_CALLED = (
    "eq|eqn|equation|formula|step|section|gl|gleichung|formel|schritt|équation|étape|formule|ecuación|fórmula|paso"
    "|equazione"
)
_COUNT = r"\(?\d{1,2}(?:\.\d{1,2}){0,3}[a-z]?\)?"
SHORT_FORMS = re.compile(
    r"\[[A-Z][^\]\[=]{3,60}\d{4}[a-z]?\]|\b(?:i\.\s?e\.|d\.\s?h\.|bzw\.|cf\.|resp\.)", re.IGNORECASE
)
LINES = re.compile(r"^[ \t]*(?:(?:import|from)[ \t][^\n]*|```\w*)", re.MULTILINE)
"""What is no part of a formula that is typed as code."""


def _head(head: re.Match[str]) -> str:
    """Keep the numbers of a function's parameters: they are told sizes."""
    told = re.findall(r"(\w+)(?:\s?:\s?\w+)?\s?=\s?(\d+)(?![\d.])", head["named"] or head["own"] or "")
    return "".join(f"\n{name} = {size}\n" for name, size in told)


PROGRAM = _rules(
    (
        r"^\s*(?:def\s\w+\((?P<named>[^()]*)\)(?:\s?->\s?[\w.]+)?:\s*|(?:\w+\s?=\s?)?lambda\s(?P<own>[\w, =.]+):\s)",
        _head,
    ),
    (r"\b(?:np|numpy|jnp|torch|tf)\s?\.\s?where\(", "choose("),
)
"""A program of one line as the expression that it returns."""
_END_NUMBER = _rules(
    ((r"(?:\\(?:q?quad|hfill|hspace\{[^{}]*\}|tag)|[ \t])\s{0,6}(?:\\text\s?\{\s?)?"
     r"\((?:[Ee]q\.?\s?)?\d{1,2}(?:\.\d{1,2})?[a-z]?\)\s?\}?(?=\s{0,6}(?:\Z|\n|\\\\|\$\$|\\end))"), ""),
)  # fmt: skip
_NUMBERS = _rules(
    ((rf"^[ \t>]{{0,8}}(?:\(?\s?(?i:{_CALLED})\b\.?\s?{_COUNT}\)?\s?[.:)]?"
     r"|\(\d{1,2}(?:\.\d{1,2})?[a-z]?\)|\d{1,2}[.)]|\((?:[a-h]|i{1,3}|iv)\)|(?:[a-h]|i{1,3}|iv)\)"
     r"|\d{1,2}(?:\.\d{1,2}){1,3}:)\s+(?=\S)"), ""),
)  # fmt: skip
"""Numbers of equations and steps."""
ONE_WORD = _rules(
    ((r"(?:\\(?:text|mathrm|operatorname|textbf|mathbf)\s?\{\s?)?(?<![A-Za-z\\])([A-Z][A-Za-z]{1,20})\s?"
     r"(?:\\?&|\+|-|–|\\text\{-\}|\\ \\&\\ )\s?([A-Z][A-Za-z]{1,20})\s?\}?"
     r"(?=\s?(?:\\left)?\((?:[^()=\n]|\([^()=\n]{1,20}\)){1,60}\)\s?&?\s?:?=)"), r"\1\2"),
    (r"(?i)\bLayer[ -]Norm(?:ali[sz]ation)?\b", "LayerNorm"),
    (r"\b([a-z]+_\{?[a-z]\}?)\s(?:is|equals|ist|est|es)\s(?=[A-Za-z]+\()", r"\1 = "),
)  # fmt: skip
"""Add & Norm(x) = … as AddNorm(x) = …"""
_STEP = re.compile(r"\s(\d)[.)]\s(?=[^\n=]{1,40}=)")


def without_numbers(text: str) -> str:
    """Return `text` without the numbers of its equations and steps; steps on one line become lines."""
    steps = [match[1] for match in _STEP.finditer(text)]
    if re.match(r"\s{0,4}1[.)]\s", text) and steps == [str(number) for number in range(2, len(steps) + 2)]:
        text = _STEP.sub(r"\n\1) ", text)
    return rewritten(text, _NUMBERS)


def undressed(source: str) -> str:
    """Return a source without imports, numbers of equations and the head of a program."""
    text = rewritten(LINES.sub("", SHORT_FORMS.sub(" ", source)), (*PROGRAM, *_END_NUMBER))
    text = _OUTPUT.sub("applyoutput(", text) if is_code(text) else text
    return rewritten(without_numbers(text), ONE_WORD)


_OUTPUT = re.compile(r"(?<![\w.])(?:self\s?\.\s?)?[Ww]_?[oO]\(")
"""The output projection that a program calls as a layer."""


def is_code(text: str) -> bool:
    """Say whether the text reads like numpy or torch code, where `*` is entrywise between arrays."""
    return "\\" not in text and bool(re.search(r"@|\b(?:np|numpy|torch|math|F|nn|tf)\.|\.(?:T|dot|matmul)\b", text))


MODULES = re.compile(
    r"(?<![A-Za-z_.])(?:(?:np|numpy|jnp|jax|lax|tensorflow|xp|cp|torch|tf|math|scipy|nn|F|self|keras|K(?=\.softmax)"
    r"|functional|special|linalg|activations|backend)\s*\.\s*)+(?=[A-Za-z_])"
)
_ENVIRONMENTS = (
    "equation|align|aligned|alignat|gather|gathered|split|multline|displaymath|math|eqnarray|flalign|document|center"
)
_FOLDED = _rules(
    (r"(?:^|(?<=\s))\*\*(?=[A-Z\\])((?:(?!\*\*)[^\n])+)\*\*(?=\s|$|[.,;:])", r"\1"),
    (r"(?<![\w)\]])\*\*([A-Za-z][A-Za-z -]{0,30}[A-Za-z])\*\*", r"\1"),
    (r"(?<![A-Za-z\\_])head([i-n])(?![A-Za-z])(?=\s?[=,)(]|\s)", r"head_\1"),  # copied without its index
    (r"(?<![A-Za-z\\])([QKVXxqkv]?)W([ijhl\d])([QKVOqkvo])(?![A-Za-z])", r"\1 W_{\3,\2}"),  # QWiQ
    (r"(?<=[\w}])\s?\.\.\s?(?=[\w\\(])", r" \\dots "),  # 1..h
    (r"(?<![A-Za-z\\])([QKVXxqkv]?)W_?([QKVqkv])_?([ijl])(?![A-Za-z])", r"\1 W_{\2,\3}"),  # W_Qi
    (r"(?<![\w.])(\d+)\^\{(\d)\}\s?\^", r"(\1^{\2})^"),  # 10⁴^(2i/d)
)
_TEX = _rules(
    (r"\\\\\s*\[\s*-?[\d.]+\s*[a-z]{2}\s*\]", r"\\\\ "),  # \\[2pt]
    ((r"\\(?:label|tag\*?|hspace\*?|vspace\*?|color|phantom|vphantom|hphantom|ref|eqref|cite|notag|nonumber)"
     r"(?:\s*\{[^{}]{0,80}\})?"), " "),
    (r"\\begin\s*\{[pb]?(?:small)?matrix\*?\}((?:.|\n){0,600}?)\\end\s*\{[pb]?(?:small)?matrix\*?\}",
     lambda match: "[" + re.sub(r"&|\\\\", ",", match[1]) + "]"),
    (rf"\\(?:begin|end)\s*\{{(?:{_ENVIRONMENTS})\*?\}}(?:\{{\d*\}})?", " "),
    (r"(?<!\\)\\[()\[\]]", " "),
    (r"(?<!\\)&", " "),
)  # fmt: skip
_CODE = _rules(
    (r"^[ \t]*(\w+)\[\s?\1\s?<=?\s?0\s?\]\s?=\s?0(?:\.0?)?$", r"\1 = relu(\1)"),
    (r"(^|;)[ \t]*(\w+)[ \t]?([-+*/@])=[ \t]?([^\n;]+)", r"\1 \2 = \2 \3 (\4)"),  # w /= w.sum()
)


_BOTH = _rules(
    (r"[`$]", " "),
)  # fmt: skip
_DOTS = r"(?:\\[lcv]?dots[bcm]?(?![A-Za-z])|\.{3})"
_FONT = r"\\(?:rm|bf|it|sf|tt)"
_LAST = _rules(
    # what an index runs over: pos = 0, 1, 2, …
    ((rf"(?<![\w\\{{(^_])[a-z]{{1,3}}\s*=\s*\d+(?!,\d{{3}})(?:\s*,\s*(?:\d+(?![ ]?[\w.^(*/+-])|{_DOTS}))+"
      rf"(?:(?<=s|\.)\s*,[^,;=\n]{{1,40}}(?=[,;\n]|$))?"), r" , \\dots , "),
    # braces that are no argument: {softmax}(…), {W}^Q, \mathop{\mathrm{softmax}}
    ((rf"(?:\\math(?:op|rel|bin|ord)\s?|(?<![\w}}^_)\]\\])(?:{_FONT}\s?)?)\{{\s?(?:{_FONT}\s+)?"
      r"(\\(?:math|text|operatorname)[a-z]*\*?\s?\{\s?[A-Za-z]+\s?\}|\\?[A-Za-z]+)\s?\}"), r" \1 "),
    (r"\beinsum\s?\(\s{0,9}[\"'`]([A-Za-z.\s]{1,24}),([A-Za-z.\s]{1,24})->([A-Za-z.\s]{1,24})[\"'`]\s{0,9},",
     lambda match: "einsum_{" + " ".join(re.sub(r"[.\s]", "", ",".join(match.groups()))) + "}("),
    (r"(?<=[=+\-*/(,{])(\s{0,3})\|(?!\|)([^|=]{1,40})\|(?!\|)", r"\1 abs(\2) "),
)  # fmt: skip


_PRIME = r"\s?(?:'|\^\s?\\prime(?![A-Za-z])|\^\s?\{\s?(?:\\prime|')\s?\})"
_RUNS = re.compile(
    rf"(?<![A-Za-z])(?:\\?sum)(?:\\limits)?\s{{0,3}}_\s{{0,3}}(?P<brace>\{{?)\s{{0,3}}(?:(?P<primed>[a-z])"
    rf"(?P<prime>(?:{_PRIME})+)|\\(?P<greek>ell|tau|kappa|nu|mu|rho|xi|alpha|beta|iota)(?![A-Za-z]))"
)


def _running_letters(text: str) -> str:
    r"""Return `text` with running indices such as j' and \ell as letters."""
    if not re.search(r"(?<![A-Za-z\\])l(?![A-Za-z])", text):
        text = re.sub(r"\\ell(?![A-Za-z])", " l ", text)
    for _ in range(3):
        match = _RUNS.search(text)
        if match is None:
            break
        used = set(re.findall(r"(?<![A-Za-z\\])[a-z](?![A-Za-z])", text))
        used |= {letter for inside in re.findall(r"_\s?\{?\s?([a-z]{1,3})", text) for letter in inside}
        letter = next((letter for letter in "jlmurscwgabpz" if letter not in used), None)
        if letter is None:
            break
        name = rf"\\{match['greek']}(?![A-Za-z])"
        if match["primed"]:
            bare = "" if not match["brace"] else r"(?<!_)(?<!_\s)"
            count = len(re.findall(_PRIME, match["prime"]))
            name = (
                rf"(?<![A-Za-z\\]){bare}{match['primed']}(?:{_PRIME}){{{count}}}"
                rf"|(?<=[a-z]){bare}{match['primed']}{_PRIME}(?=\s?\}})"  # the j' of A_{ij'}
            )
        text = re.sub(name, f" {letter} ", text)
    return text


_OPENS = r"\s?(?=\(|\[|\\left\s?[(\[]|\\[bB]igg?l?\s?[(\[])"
_VARIANCE = _rules(
    (r"\\mathbb\s?\{V\}\s?\\mathrm\s?\{ar\}", r" \\mathrm{Var} "),
    (rf"\\?\bsigma\s?\^\s?(?:2|\{{\s?2\s?\}}){_OPENS}", r" \\mathrm{Var} "),
)
"""σ²(…) is the variance of what stands in the brackets."""
_LAYERS = _rules(
    (rf"(?<![A-Za-z])([A-Za-z]+\}}?)\d+{_OPENS}", r"\1"),
    (rf"(?<!sum)(?:(?<=[A-Za-z][A-Za-z])|(?<=[A-Za-z]\}})|(?<=[A-WYZfg]))\s?_\s?(?:\w|\{{\s?\w\s?\}}){_OPENS}", ""),
    (r"\\oplus", "+"),
)
"""Functions carry no number and no layer's index: norm1(…), F_l(…); ⊕ is the sign that diagrams put at a residual."""


def clean(source: str, kind: Kind) -> str:
    """Return `source` in ASCII LaTeX or code, without Markdown, environments, labels and module prefixes."""
    text = rewritten(unicode_folded(source), _FOLDED)
    text = rewritten(text, (*(_TEX if "\\" in text else _CODE), *_BOTH, (MODULES, "")))
    own = (*(_VARIANCE if kind.chance or kind.opaque else ()), *(_LAYERS if kind.opaque else ()))
    return rewritten(_running_letters(text), (*_LAST, *own))
