"""Unicode as LaTeX writes it: raised, lowered and mathematical letters, signs and Greek."""

from __future__ import annotations

import re
import unicodedata

from grader.written.formula.vocabulary import table

_RAISED = dict(
    zip(
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᐟᐠꟴ",
        "0123456789+-=()niabcdefghjklmoprstuvwxyzABDEGHIJKLMNOPRTUVW//Q",
        strict=True,
    ),
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
