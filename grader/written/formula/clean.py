"""Turn Unicode, Markdown and LaTeX dressing into plain LaTeX-like text before it is cut into tokens."""

from __future__ import annotations

import re
import unicodedata

_SUPERSCRIPTS = dict(
    zip(
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᐟᐠꟴ",
        "0123456789+-=()niabcdefghjklmoprstuvwxyzABDEGHIJKLMNOPRTUVW//Q",
        strict=True,
    ),
)
_SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789+-=()aehijklmnoprstuvx", strict=True))
_SUPER_CLASS = "".join(re.escape(c) for c in _SUPERSCRIPTS)
_SUB_CLASS = "".join(re.escape(c) for c in _SUBSCRIPTS)
# A point between raised digits is a decimal point, a raised dot, or what the keyboard gave.
_SUPER_RUN = re.compile(rf"[{_SUPER_CLASS}]+(?:[·.˙ᐧ⋅][{_SUPER_CLASS}]+)*")
_SUB_RUN = re.compile(rf"[{_SUB_CLASS}]+")
_SUB_BRACKETS = re.compile(r"₍([^₎\n]{0,40})₎")

_PLAIN = {
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-",
    "×": r"\times ", "✕": r"\times ", "·": r"\cdot ", "⋅": r"\cdot ", "∙": r"\cdot ", "•": r"\cdot ",
    "∗": "*", "÷": "/", "⁄": "/", "∕": "/", "√": r"\sqrt ", "∑": r"\sum ", "⊤": r"\top ", "⊺": r"\top ",
    "‖": r"\| ", "∥": r"\| ", "…": r"\dots ", "⋯": r"\dots ", "⋮": r"\dots ", "∞": r"\infty ",
    "∈": r"\in ", "⊙": r"\odot ", "⊕": r"\oplus ", "≈": r"\approx ", "∝": r"\propto ", "∼": r"\sim ",
    "≔": "=", "≜": "=", "≡": "=", "⇒": r"\Rightarrow ", "→": r"\to ", "⟹": r"\Rightarrow ", "≤": r"\le ",
    "≥": r"\ge ", "←": "=", "⟵": "=", "⇐": "=",
    "≠": r"\ne ", "′": "'", "’": "'", "‘": "'", "½": "(1/2)", "¼": "(1/4)", "¾": "(3/4)",
    "⅓": "(1/3)", "ℎ": "h", "ℓ": "l", "⟨": r"\langle ", "⟩": r"\rangle ", "\u00a0": " ", "\u2009": " ",
    "\u202f": " ", "\u2003": " ", "\u2002": " ", "\u2061": "", "\u2062": " ", "\u200b": "", "\u2060": "",
    "\ufeff": "", "■": "", "▒": " ", "〖": "(", "〗": ")", "\t": " ", "\r": "\n", "【": "[", "】": "]",
}  # fmt: skip
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "η": "eta", "θ": "theta",
    "λ": "lambda", "μ": "mu", "π": "pi", "σ": "sigma", "τ": "tau", "φ": "phi", "ω": "omega",
    "Σ": "sum", "Ω": "Omega", "ρ": "rho", "ν": "nu", "ξ": "xi",
}  # fmt: skip

_ENVIRONMENTS = re.compile(
    r"\\(?:begin|end)\s*\{(?:equation|align|aligned|alignat|gather|gathered|split|multline|displaymath|math"
    r"|eqnarray|flalign|document|center)\*?\}(?:\{\d*\})?",
)
_MATRIX_OPEN = re.compile(r"\\begin\s*\{[pbvBV]?(?:small)?matrix\*?\}")
_MATRIX = re.compile(
    r"\\begin\s*\{[pb]?(?:small)?matrix\*?\}(.{0,600}?)\\end\s*\{[pb]?(?:small)?matrix\*?\}", re.DOTALL
)
_BOX = re.compile(r"\\(?:boxed|fbox|ensuremath)\s*\{")
_POSITIONS = re.compile(r"\bPE\s?_\s?(pos|[ptkn])\s?,\s?(2\s?\*?\s?[a-z](?:\s?\+\s?1)?)\s{0,3}=")  # PE_pos,2i
_NORM = re.compile(
    r"\bLayerNorm\(\s?(?:d_?model|dim|size|features|embed_dim|\d{1,5})\s?\)\s?(?=\()"
)  # the module, then its call
_HEAD = re.compile(r"(?<![A-Za-z\\_])head([i-n])(?![A-Za-z])(?=\s?[=,)(]|\s)")  # headi, copied without its index
_PASTED = re.compile(r"(?<![A-Za-z\\])([QKVXxqkv]?)W([ijhl\d])([QKVOqkvo])(?![A-Za-z])")  # QWiQ
_OWN_ROLE = re.compile(r"([QKV])\s?W_\{?([a-z])\}?\1(?=\s?[,)])")  # QW_iQ, copied without its upper index
_ROLE_FIRST = re.compile(r"(?<![A-Za-z\\])([QKVXxqkv]?)W_?([QKVqkv])_?([ijl])(?![A-Za-z])")  # W_Qi
_BOLD = re.compile(r"(?<![\w)\]])\*\*([A-Za-z][A-Za-z -]{0,30}[A-Za-z])\*\*")
_SHAPE_BELOW = re.compile(r"(?<=[\])}])\s?_\s?\{\s?\w{1,6}\s?(?:\\times|x)\s?\w{1,8}\s?\}")  # […]_{n \times d_v}
_UP_TO = re.compile(r"(?<=[\w}])\s?\.\.\s?(?=[\w\\(])")  # 1..h
_TWO_BELOW = re.compile(r"\bW_([QKVOqkvo])_([a-z]|\d)\b")
_IN_PLACE = re.compile(r"^[ \t]*(\w+)[ \t]?([-+*/@])=[ \t]?([^\n;]+)", re.MULTILINE)  # w /= w.sum()
_WHERE = re.compile(r"\bwhere\(\s?([\w.]+)\s?>=?\s?([\w.]+)\s?,\s?([\w.]+)\s?,\s?([\w.]+)\s?\)")
_POWER_OF = re.compile(r"(?<![\w.])(\d+)\^\{(\d)\}\s?\^")  # 10⁴^(2i/d)
_MEMBER = re.compile(
    r"\\in\s*\\(?:mathbb|mathbf|Bbb)\s*\{?\s*R\s*\}?\s*(?:\^\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\w))?"
    r"|\\in\s*R\^\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\([^()]*\))"
)
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_DROPPED = re.compile(
    r"\\(?:label|tag\*?|hspace\*?|vspace\*?|color|phantom|vphantom|hphantom|ref|eqref|cite|notag|nonumber)"
    r"(?:\s*\{[^{}]{0,80}\})?",
)
_LINE_SKIP = re.compile(r"\\\\\s*\[\s*-?[\d.]+\s*[a-z]{2}\s*\]")
_MODULES = re.compile(
    r"(?<![A-Za-z_.])(?:(?:np|numpy|jnp|jax|lax|tensorflow|xp|cp|torch|tf|math|scipy|nn|F|self|keras|K(?=\.softmax)|functional|special|linalg"
    r"|activations|backend)\s*\.\s*)+(?=[A-Za-z_])",
)


def _superscripts(match: re.Match[str]) -> str:
    inner = "".join(_SUPERSCRIPTS.get(c, ".") for c in match.group())
    return "^{" + inner + "}"


def _subscripts(match: re.Match[str]) -> str:
    return "_{" + "".join(_SUBSCRIPTS[c] for c in match.group()) + "}"


def _bracketed(match: re.Match[str]) -> str:
    return "_{(" + "".join(_SUBSCRIPTS.get(c, c) for c in match.group(1)) + ")}"


def _fold(char: str) -> str:
    if char in _PLAIN:
        return _PLAIN[char]
    if char in _GREEK:
        return f"\\{_GREEK[char]} "
    folded = unicodedata.normalize("NFKC", char)
    if char.isalpha() and (plain := unicodedata.normalize("NFD", char)[0]).isascii():
        return plain  # an accent or umlaut in a word
    if char != folded:
        return "".join(f"\\{_GREEK[c]} " if c in _GREEK else c for c in folded)
    return " " if unicodedata.category(char) in {"Cf", "Cc", "Cs", "Co"} and char != "\n" else char


def unicode_folded(text: str) -> str:
    """Return a text with raised, lowered and mathematical letters as LaTeX writes them."""
    if text.isascii():
        return text.replace("\t", " ").replace("\r", "\n")
    text = text.replace("ₘₒdₑₗ", "_{model}")
    text = _SUB_BRACKETS.sub(_bracketed, text)
    text = _SUB_RUN.sub(_subscripts, _SUPER_RUN.sub(_superscripts, text))
    return "".join(c if c.isascii() else _fold(c) for c in text)


def _matrix(match: re.Match[str]) -> str:
    return "[" + re.sub(r"&|\\\\", ",", match.group(1)) + "]"


def _unboxed(text: str) -> str:
    r"""Return the text without the frames of \boxed{…}: what stands inside is the formula."""
    for _ in range(4):
        match = _BOX.search(text)
        if match is None:
            break
        depth, end = 1, match.end()
        while end < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0) if text[end - 1] != "\\" else 0
            end += 1
        if depth:
            break
        text = f"{text[: match.start()]} {text[match.end() : end - 1]} {text[end:]}"
    return text


def is_code(text: str) -> bool:
    """Say whether the text reads like numpy or torch code, where `*` is entrywise between arrays."""
    return "\\" not in text and bool(re.search(r"@|\b(?:np|numpy|torch|math|F|nn|tf)\.|\.(?:T|dot|matmul)\b", text))


_MARKED = re.compile(r"(?:^|(?<=\s))\*\*(?=[A-Z\\])((?:(?!\*\*)[^\n])+)\*\*(?=\s|$|[.,;:])")


def clean(source: str) -> str:
    """Return `source` in ASCII LaTeX or code, without Markdown, environments, labels and module prefixes."""
    source = _MARKED.sub(r"\1", source)
    text = _NORM.sub("LayerNorm", _TWO_BELOW.sub(r"W_{\1,\2}", source))
    text = _UP_TO.sub(r" \\dots ", _PASTED.sub(r"\1 W_{\3,\2}", _HEAD.sub(r"head_\1", unicode_folded(text))))
    text = _ROLE_FIRST.sub(r"\1 W_{\2,\3}", _OWN_ROLE.sub(r"\1 W_{\1,\2}", _BOLD.sub(r"\1", text)))
    text = _POWER_OF.sub(r"(\1^{\2})^", text)
    text = _POSITIONS.sub(r"PE(\1, \2) =", text)
    if "\\" in text:
        text = _SHAPE_BELOW.sub(" ", text).replace("\\mathbb{V}\\mathrm{ar}", "\\mathrm{Var}")
        text = _MEMBER.sub(" ", _unboxed(text))
        text = _COMMENT.sub(" ", text)
        text = _DROPPED.sub(" ", _LINE_SKIP.sub(r"\\\\ ", text))
        if _MATRIX_OPEN.search(text):
            text = _MATRIX.sub(_matrix, text)
        text = _ENVIRONMENTS.sub(" ", text)
        text = re.sub(r"(?<!\\)\\[()\[\]]", " ", text)
        text = re.sub(r"(?<!\\)&", " ", text).replace(r"\_", "_")
    else:
        text = _IN_PLACE.sub(r"\1 = \1 \2 (\3)", re.sub(r"#[^\n]*", "", text))
        text = _WHERE.sub(r"choose(\2, \1, \3, \4)", text)
        text = re.sub(r"\*\*(?=[A-Z][a-z])|(?<=[a-z.:])\*\*(?=\s|$)", "", text)  # Markdown bold around words
    text = re.sub(r"```[a-z]*", "\n", text)
    return without_modules(text.replace("`", " ").replace("$", " "))


def without_modules(text: str) -> str:
    """Return code without the modules in front of its names: np.sqrt is sqrt."""
    return _MODULES.sub("", text)
