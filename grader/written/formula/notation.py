"""Notations that are written in the reader's own before it reads: blocks side by side, primed indices, einsum."""

from __future__ import annotations

import re

_ENV = r"(?:equation|align|gather|displaymath|math|multline)\*?"
_BESIDE = re.compile(
    rf"(?:\$\$(?P<dd>[\s,;.]*)(?=\$\$)|(?<!\$)\$(?!\$)(?P<d>[\s,;.]+)(?=\$(?!\$))|\\\](?P<b>[\s,;.]*)(?=\\\[)"
    rf"|\\\)(?P<p>[\s,;.]*)(?=\\\()|\\end\s?\{{{_ENV}\}}(?P<e>[\s,;.]*)(?=\\begin\s?\{{{_ENV}\}}))"
)
_FLOOR = (re.compile(r"\\lfloor|⌊"), re.compile(r"\\rfloor|⌋"))
_ROW_OF = re.compile(r"_\s?\{\s?([a-z])\s?,\s?(?::|\\cdot|\*|\\ast|\\bullet)\s?\}|\[\s?([a-z])\s?,\s?:\s?\]")
_RUNS = re.compile(
    r"(?<![A-Za-z])(?:\\?sum)(?:\\limits)?\s{0,3}_\s{0,3}(?P<brace>\{?)\s{0,3}"
    r"(?:(?P<primed>[a-z])\s?(?P<prime>(?:'|\^\s?\\prime|\^\s?\{\s?(?:\\prime|')\s?\})+)"
    r"|\\(?P<greek>ell|tau|kappa|nu|mu|rho|xi|alpha|beta|iota)(?![A-Za-z]))"
)
_PRIME = r"\s?(?:'|\^\s?\\prime(?![A-Za-z])|\^\s?\{\s?(?:\\prime|')\s?\})"
_FREE = "jlmurscwgabpz"
_EINSUM = re.compile(
    r"\beinsum\s?\(\s{0,9}[\"'`]([A-Za-z.\s]{1,24}),([A-Za-z.\s]{1,24})->([A-Za-z.\s]{1,24})[\"'`]\s{0,9},"
)
MOST_BLOCKS = 40


def side_by_side(text: str) -> str:
    r"""Return `text` with a break between blocks of mathematics that follow each other: $$a = b$$ $$c = d$$."""
    out, last = [], 0
    for count, match in enumerate(_BESIDE.finditer(text)):
        opening = match.end()
        if count > MOST_BLOCKS:
            break
        if match["dd"] is not None and not text[last : match.start()].replace("$", "").strip():
            continue  # the dollars that open the first block
        if is_equation(_block(text, opening)):
            out.append(text[last:opening] + r" \Rightarrow ")
            last = opening
    return "".join(out) + text[last:]


def _block(text: str, opening: int) -> str:
    """Return the block of mathematics that begins at `opening`."""
    if text[opening] == "$":
        start = opening + (2 if text[opening : opening + 2] == "$$" else 1)
        end = text.find("$", start)
    elif text.startswith("\\begin", opening):
        start, end = opening, text.find("\\end", opening)
    else:
        start = opening + 2
        end = text.find("\\]" if text[opening + 1] == "[" else "\\)", start)
    return text[start : end if end >= 0 else len(text)]


def is_equation(block: str) -> bool:
    """Say whether an `=` stands outside all brackets."""
    depth = 0
    for char in block:
        depth += (char in "({[") - (char in ")}]")
        if char == "=" and depth <= 0:
            return True
    return False


def running_letters(text: str) -> str:
    r"""Return cleaned `text` with running indices such as j' and \ell as letters, and rows V_{j,:} as V_j."""
    text = _FLOOR[1].sub(")", _FLOOR[0].sub(" floor(", text))
    if not re.search(r"(?<![A-Za-z\\])l(?![A-Za-z])", text):
        text = re.sub(r"\\ell(?![A-Za-z])", " l ", text)
    text = _ROW_OF.sub(lambda match: f"_{{{match[1] or match[2]}}}", text)
    for _ in range(3):
        match = _RUNS.search(text)
        if match is None:
            break
        letter = _unused(text)
        if letter is None:
            break
        if match["primed"]:
            bare = "" if not match["brace"] else r"(?<!_)(?<!_\s)"
            count = len(re.findall(_PRIME, match["prime"]))
            alone = rf"(?<![A-Za-z\\]){bare}{match['primed']}(?:{_PRIME}){{{count}}}"
            second = rf"(?<=[a-z]){bare}{match['primed']}{_PRIME}(?=\s?\}})"  # the j' of A_{ij'}
            name = f"{alone}|{second}"
        else:
            name = rf"\\{match['greek']}(?![A-Za-z])"
        text = re.sub(name, f" {letter} ", text)
    return text


def _unused(text: str) -> str | None:
    """Return a letter that no index of the text uses."""
    used = set(re.findall(r"(?<![A-Za-z\\])[a-z](?![A-Za-z])", text))
    used |= {letter for inside in re.findall(r"_\s?\{?\s?([a-z]{1,3})", text) for letter in inside}
    return next((letter for letter in _FREE if letter not in used), None)


_SPREAD = re.compile(
    r"(?:\\sigma|sigma|σ|\\mathrm\s?\{\s?Var\s?\}|\\operatorname\s?\{\s?Var\s?\})\s?(?P<two>\^\s?\{?\s?2\s?\}?|²)?\s?_\s?\{(?P<of>[^{}]{2,60}(?:\{[^{}]{0,20}\}[^{}]{0,30})*)\}\s?(?P<behind>\^\s?\{?\s?2\s?\}?|²)?"
)
_BARS = (re.compile(r"(?:\\left\s?\||\\lvert)(?![|])(.{1,60}?)(?:\\right\s?\||\\rvert)"),
         re.compile(r"(?<=[=+\-*/(,{])(\s{0,3})\|(?!\|)([^|=]{1,40})\|(?!\|)"))  # fmt: skip


_SIDE_BY_SIDE = re.compile(
    r"[\[(][^\[\]()|]{1,40}(?<![|\\])\|(?!\|)[^\[\]()]{0,60}?(?:\.\.\.|…|\\[lc]?dots)[^\[\]()]{1,40}[\])]"
)


_EDGE = r"(?:[nmNMTLhdB](?:_\{?\\?\w{1,9}\}?)?|\d{1,5})"
_SIZED = re.compile(
    rf"(?<![A-Za-z_\\])[A-Za-z](?:_\{{?\w\}}?)?\s?(?::|is|of (?:size|shape)|has (?:size|shape)|\()\s?"
    rf"{_EDGE}\s?(?:×|\\times|x|by)\s?{_EDGE}(?![A-Za-z(^_])\)?"
)  # A: 512 × 2048


def spreads(text: str) -> str:
    r"""Return a text on variances with \sigma^2_{q \cdot k} as Var(q · k) and \sigma_{q \cdot k} as std(q · k)."""

    def change(match: re.Match[str]) -> str:
        if not re.search(r"q.{1,30}k|k.{1,30}q|qk", match["of"]):
            return match.group()
        what = "Var" if match["two"] or match["behind"] or "Var" in match.group()[:20] else "std"
        return f" \\mathrm{{{what}}}({match['of']}) "

    return _SPREAD.sub(change, text)


def magnitudes(text: str) -> str:
    """Return cleaned `text` with |z| as abs(z), and [a | b] as a list."""
    text = _SIZED.sub(" ", text)
    text = _SIDE_BY_SIDE.sub(lambda match: match.group().replace("|", ","), text)
    return _BARS[1].sub(r"\1 abs(\2) ", _BARS[0].sub(r" abs(\1) ", text))


def products(text: str) -> str:
    """Return cleaned `text` with einsum over two matrices as the product it is: einsumnt(A, B) is A B^T."""
    return _EINSUM.sub(_product, text)


def _product(match: re.Match[str]) -> str:
    first, second, out = (re.sub(r"[.\s]", "", part) for part in match.groups())
    batch = {letter for letter in first if letter in second and letter in out}
    first, second, out = ("".join(letter for letter in part if letter not in batch) for part in (first, second, out))
    leading = [letter for letter in first if letter in out and letter not in second][:-1]  # x[b, s, f] times W[f, d]
    first, out = ("".join(letter for letter in part if letter not in leading) for part in (first, out))
    summed = set(first) & set(second)
    if any(len(part) != 2 or len(set(part)) != 2 for part in (first, second, out)) or len(summed) != 1:  # noqa: PLR2004
        return match.group()
    inner = summed.pop()
    rows, columns = first.replace(inner, ""), second.replace(inner, "")
    turns = ("n" if first[1] == inner else "t") + ("n" if second[0] == inner else "t")
    if out == rows + columns:
        return f"einsum{turns}("
    return f"einsum{turns}t(" if out == columns + rows else match.group()
