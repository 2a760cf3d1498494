"""Other typesetting in the reader's notation: Typst, MathML, the lines of Word and LibreOffice."""

from __future__ import annotations

import re

_TYPST = re.compile(r"\$[^$]*?(?:\"[A-Za-z]|\b(?:frac|op|upright|lr|bold|cases)\(|\bdots\.[hc]\b)", re.DOTALL)
_WORDS = {
    "dot": r"\cdot", "times": r"\times", "dots": r"\dots", "dots.h": r"\dots", "dots.c": r"\dots", "top": r"\top",
    "quad": r"\quad", "sum": r"\sum", "dot.op": r"\cdot", "dot.c": r"\cdot", "odot": r"\odot", "dot.circle": r"\odot",
    "sqrt": r"\sqrt", "space": " ", "wide": r"\quad", "compose": r"\circ", "plus.circle": r"\oplus",
}  # fmt: skip
_NAMED = re.compile(
    r"(?<![\\A-Za-z_.{])(" + "|".join(sorted(map(re.escape, _WORDS), key=len, reverse=True)) + r")(?![A-Za-z.])"
)
_AROUND = re.compile(r"\b(op|upright|text|bold|italic|cal|bb|serif|sans|lr|display|frac|root|sqrt)\(|([_^])\s?\(")
_MOST = 200


def typeset(text: str) -> str:
    """Return Typst's or MathML's mathematics as LaTeX, and any other text as it is."""
    text = re.sub(r"〖([A-Za-z]{1,30})〗", r" \1", text)  # Word's invisible brackets around a name
    if "\\" not in text:
        text = re.sub(r"\}\s?over\s?(?=\{|sqrt\b|[A-Za-z]_)", "} / ", text)  # LibreOffice's fraction
    if "<math" in text and "</math>" in text:
        return _from_mathml(text)
    if _TYPST.search(text) and not re.search(r"\\[A-Za-z]", text):
        return _from_typst(text)
    return text


def _close(text: str, start: int) -> int:
    """Return where the bracket closes that is open before `start`; -1 where it does not."""
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    return -1


def _from_typst(text: str) -> str:
    text = text.replace("\\/", " / ").replace("&", " ")
    text = re.sub(r"\\(?=\s)", r"\\\\", text)
    start = 0
    for _ in range(_MOST):
        match = _AROUND.search(text, start)
        end = _close(text, match.end()) if match else -1
        if match is None or end < 0:
            break
        inside, start = text[match.end() : end], match.start()
        if match[2]:
            new = f"{match[2]}{{{inside}}}"
        elif match[1] == "frac":
            above, below = _two(inside)
            new = rf"\frac{{{above}}}{{{below}}}"
        elif match[1] == "root":
            index, below = _two(inside)
            new = rf"\sqrt[{index}]{{{below}}}"
        elif match[1] == "sqrt":
            new = rf"\sqrt{{{inside}}}"
        else:
            new = f" {inside}" if match[1] == "lr" or inside.startswith('"') else f" {{{inside}}}"
        text = text[: match.start()] + new + text[end + 1 :]
        start += 1 if match[2] else 5 * (match[1] in {"frac", "root", "sqrt"})
    text = re.sub(r"([_^])\s?\"([^\"\n]{1,30})\"", r"\1{\\mathrm{\2}}", text)
    text = re.sub(r"\"([^\"\n]{1,30})\"", r"\\mathrm{\1}", text)
    return _NAMED.sub(lambda match: f"{_WORDS[match[1]]} ", text)


def _two(inside: str) -> tuple[str, str]:
    depth = 0
    for at, char in enumerate(inside):
        depth += (char in "({[") - (char in ")}]")
        if char == "," and depth == 0:
            return inside[:at], inside[at + 1 :]
    return inside, ""


_ELEMENT = re.compile(
    r"<(mi|mo|mn|mtext|ms|mrow|mfrac|msup|msub|msubsup|msqrt|mstyle|mfenced|munderover|munder|mspace|semantics)\b[^<>]{0,80}?(/?)>"
)
_FORMS = {"mfrac": r"\frac{0}{1}", "msup": "{0}^{1}", "msub": "{0}_{1}", "msubsup": "{0}_{1}^{2}",
          "munderover": "{0}_{1}^{2}", "munder": "{0}_{1}"}  # fmt: skip


def _from_mathml(text: str) -> str:
    text = re.sub(r"<annotation\b.*?</annotation[^<>]*>", "", text, flags=re.DOTALL)

    def one(match: re.Match[str]) -> str:
        body = text[match.start() : match.end()]
        at = body.find(">") + 1
        return f" $ {''.join(_children(body[at : body.rfind('<')], 0))} $ "

    return re.sub(r"<math\b[^<>]{0,200}>.*?</math>", one, text, flags=re.DOTALL)


def _children(text: str, level: int) -> list[str]:
    """Return each element of a row as LaTeX."""
    out: list[str] = []
    at = 0
    while (match := _ELEMENT.search(text, at)) and level < 20 and len(out) < _MOST:  # noqa: PLR2004 - deeper is no formula
        name = match[1]
        if match[2]:
            at = match.end()
            continue
        depth, end = 1, match.end()
        for tag in re.finditer(rf"<(/?){name}\b[^<>]{{0,80}}?(/?)>", text[match.end() :]):
            depth += -1 if tag[1] else (0 if tag[2] else 1)
            if depth == 0:
                end = match.end() + tag.start()
                at = match.end() + tag.end()
                break
        else:
            return out
        inside = text[match.end() : end]
        if name in {"mi", "mo", "mn", "mtext", "ms"}:
            out.append(_leaf(name, inside.strip()))
            continue
        parts = _children(inside, level + 1)
        out.append(_filled(name, parts))
    return out


def _filled(name: str, parts: list[str]) -> str:
    """Return one element with its parts."""
    form = _FORMS.get(name)
    if form and len(parts) == form.count("{"):
        pieces = re.split(r"\{(\d)\}", form)
        new = "".join(piece if at % 2 == 0 else f"{{{parts[int(piece)]}}}" for at, piece in enumerate(pieces))
        return new if name == "mfrac" else re.sub(r"\A\{(\\mathrm\{\w+\}|\w)\}", r"\1", new)
    if name == "msqrt":
        return rf"\sqrt{{{' '.join(parts)}}}"
    return f"({', '.join(parts)})" if name == "mfenced" else " ".join(parts)


def _leaf(name: str, inside: str) -> str:
    if name in {"mi", "mtext", "ms"} and re.fullmatch(r"[A-Za-z]{2,30}", inside):
        return rf"\mathrm{{{inside}}}"
    return (
        {"&#x2061;": "", "&InvisibleTimes;": " ", "&#x2062;": " "}.get(inside, f"{inside} ")
        .replace("\u2061", "")
        .replace("\u2062", " ")
    )
