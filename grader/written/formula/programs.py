"""Formulas as programs: loops, assignments in place, short functions and library calls in the reader's notation."""

from __future__ import annotations

import re

_IN_PLACE = re.compile(r"^(\s{0,40}[A-Za-z_]\w{0,30})\s{0,4}([/*+-])=\s{0,4}([^=\n;]{1,200})", re.MULTILINE)
_LISTED = re.compile(
    r"\[\s?(?P<body>(?:[^\[\]\n]|\[[a-z]\]){4,200}?)\s+for\s+(?P<letter>[a-z])\s+in\s+range\(\s?(?P<high>\w{1,12})\s?\)\s?\]"
)
_ELEMENT = re.compile(r"\b([Ww])_?([QKVOqkvo])\[([a-z])\]")
_DEF = re.compile(r"\bdef\s+(?P<name>[A-Za-z_]\w*)\s?\((?P<args>[^()\n]{0,80})\)\s?(?:->\s?[\w.\[\]]{1,30}\s?)?:[ \t]*")
_LAMBDA = re.compile(r"\blambda\s[A-Za-z_][\w, ]{0,60}:\s?")
_LOOP = re.compile(r"\bfor\s+\w+\s+in\s+range\(\s?[^(),]{1,30}\s?\)\s?:\s?")
_EVEN_LOOP = re.compile(r"\bfor\s+(?P<letter>[a-z])\s+in\s+range\(\s?0\s?,\s?[^(),]{1,30},\s?2\s?\)\s?:?\s?")
_WHERE = re.compile(r"(?<=\.)where\s?\((?P<a>[^,<>()=]{1,80})(?P<sign>[<>])=?(?P<b>[^,<>()=]{1,80}),")
_SOFTMAX = re.compile(r"\b[Ss]oft[Mm]ax\s?\(\s?(?:dim|axis)\s?=\s?(-?\d)\s?\)\s?(?=\()")
_CAST = re.compile(r"(?:\btf\.)?\bcast\s?\(\s?([^(),]{1,40})\s?,[^(),]{1,40}\)")
_FLOAT = re.compile(r"\bfloat(?:16|32|64)\s?(?=\()")
_NUMBERED = re.compile(r"(?:^|[\n;])\s{0,20}([A-Za-z]{2,12})(\d)\s?=(?!=)")
_KNOWN = frozenset({"W", "b", "head", "w", "bias", "linear", "fc", "lin", "weight"})
_BULLET = re.compile(
    r"^[ \t]{0,8}(?:[-*•–][ \t]+|\(?\d{1,2}[.)][ \t]+|[Ss]tep[ \t]?\d{1,2}[ \t]?[:.)]?[ \t]+)(?=\S)", re.MULTILINE
)
_INLINE_BULLET = re.compile(r"(?:^|[\s,;])\(?(\d)[.)]\s{1,3}(?=\\?[A-Za-z$][\w$\\{}^' ]{0,24}?=)")
_SUBSCRIPTED = re.compile(r"(?<![A-Za-z_\\])([A-Za-z]|out|output|head|heads|score|scores|attn)\[([a-z])\]")


def assignments(text: str) -> str:
    """Return a program with `s /= r` as `s = s / (r)` and [f(i) for i in range(h)] as a list over a running index."""
    text = _listed(text)
    if "\\" not in text:
        text = _SUBSCRIPTED.sub(r"\1_{\2}", _ELEMENT.sub(r"\1_{\2,\3}", _in_code(text)))
    if "=" in text:
        text = _IN_PLACE.sub(r"\1 = \1 \2 (\3)", text)
    if " for " in text:
        text = _LISTED.sub(
            lambda match: f"concat_{{{match['letter']}=1}}^{{{match['high']}}} ({match['body']})",
            text,
        )
    return text


def _listed(text: str) -> str:
    """Return steps in a list, with bullets or numbers, without these."""
    if len(_BULLET.findall(text)) > 1:
        text = _BULLET.sub("", text)
    numbers = [match[1] for match in _INLINE_BULLET.finditer(text)]
    if len(numbers) > 1 and numbers == [str(number) for number in range(1, len(numbers) + 1)]:
        text = _INLINE_BULLET.sub(" ; ", text).lstrip(" ;")
    return text


def _in_code(text: str) -> str:
    """Return code without the heads of functions and loops, and with library calls by our names."""
    text = _DEF.sub(lambda match: _function(match, text), text)
    text = _LAMBDA.sub("", text)
    loop = _EVEN_LOOP.search(text)
    if loop:
        text = _over_even(text, loop)
    text = _LOOP.sub("", text)
    text = _WHERE.sub(
        lambda m: f"choose({m['b']}, {m['a']}," if m["sign"] == ">" else f"choose({m['a']}, {m['b']},", text
    )
    text = _SOFTMAX.sub(lambda match: "softmax_{column}" if match[1] in {"0", "-2"} else "softmax", text)
    text = _FLOAT.sub("float", _CAST.sub(r"(\1)", text))
    for name, number in dict.fromkeys(_NUMBERED.findall(text)):
        if name not in _KNOWN:
            text = re.sub(rf"(?<![A-Za-z_]){name}{number}(?!\w)", f"{name}_{number}", text)
    return text


def _function(match: re.Match[str], text: str) -> str:
    """Return a function's head: as the left side of an equation where the function is called, else nothing."""
    one = re.fullmatch(r"\s?([A-Za-z]\w*)\s?(?::\s?\w+\s?)?", match["args"])
    calls = len(re.findall(rf"(?<!\w){re.escape(match['name'])}\s?\(", text))
    body = re.compile(r"\s*return\b").match(text, match.end())
    return f"{match['name']}({one[1]}) = " if one and calls > 1 and body else ""


def _over_even(text: str, loop: re.Match[str]) -> str:
    """Write the columns 0, 2, 4, … that a loop runs over as 2i."""
    letter, rest = loop["letter"], text[: loop.start()] + text[loop.end() :]
    name = rf"(?<![A-Za-z_.]){letter}(?![A-Za-z_(])"
    if re.search(rf"\b2\s?\*\s?{name}", rest):
        return rest  # i may be meant as a pair here, which only the writer knows
    rest = re.sub(rf"(,\s?){name}(\s?(?:\+\s?1\s?)?\])", r"\g<1>2*i\2", rest)
    return re.sub(rf"(?<!2\*){name}", "(2*i)", rest)
