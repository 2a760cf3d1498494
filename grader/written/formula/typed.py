"""What students type rather than typeset: HTML, Word's linear form, German signs, their own macros, and programs."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

_LEVEL = re.compile(r"<\s?(sub|sup)\s?>([^<>]{1,60})<\s?/\s?\1\s?>", re.IGNORECASE)
_TAG = re.compile(
    r"<\s?/?\s?(?:b|i|em|strong|span|p|div|code|pre|var|u|font|small|big|math)(?:\s[^<>]{0,80})?/?>", re.IGNORECASE
)
_BREAK = re.compile(r"<\s?br\s?/?\s?>|<\s?/\s?(?:p|div|li)\s?>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}|#\d{2,6}|#x[\dA-Fa-f]{2,5});")
_WORD_BARS = re.compile(r"[├┤](?=[(\[)\]])")
_ROOT_WORD = re.compile(r"\b(?:Quadratw|W)urzel\s?(?:aus|von|of)?\s?(?=\()", re.IGNORECASE)
_ROOT_OF = re.compile(r"\b(?:Quadratw|W)urzel\s(?:aus|von)\s(?:\$)?(\w+)(?:\$)?", re.IGNORECASE)
_QUOTED = re.compile(r"(?<![\w'’.])[1-9]\d{0,2}(?:['’]\d{3})+(?!\d)")
_DECLARED = (
    re.compile(r"\\DeclareMathOperator\*?\s?\{?\s?\\([A-Za-z]+)\s?\}?\s?\{([A-Za-z ]{1,30})\}"),
    re.compile(
        r"\\(?:re|provide)?(?:newcommand|def)\*?\s?\{?\s?\\([A-Za-z]+)\s?\}?\s?"
        r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]{0,30}\}){0,40}\}){1,80})\}"
    ),
)
_MOST_MACROS = 6
_SMASH = re.compile(r"\\smash\s?(?:\[[tb]\])?\s?(?=\{)")
_NUMBER = re.compile(r"\\l?eqno\s?(?:\(\s?\w{1,5}\s?\)|\{[^{}]{0,12}\}|\w{1,5})")
_TURNED = re.compile(  # {}^tK after a space of its own or an operator; Q {}^T K looks like Q^T K and is left alone
    r"(?:(?<=\\[,;:])|(?<=[(=·*{$])|(?<=\\cdot)|(?<=\\times)|\A)\s?(?:\{\s?\}\s?)?\^"
    r"(?:\{\s?(?:\\(?:mathrm|mathsf|text|rm)\s?)?\{?\s?[tT]\s?\}?\s?\}|\{\s?\\(?:top|intercal)\s?\}|\\top|[tT])"
    r"(?:\s?\\!\s?)*(?P<name>[KQV])(?![A-Za-z])"
    r"|\\prescript\s?\{\s?(?:[tT]|\\top)\s?\}\s?\{\s?\}\s?\{\s?(?P<framed>[KQV])\s?\}"
)
_SLASHES = re.compile(r"(?<=[)\w}])\s?:\s?(?=\d|sqrt|√|\\sqrt|\(|d_|d\b|dmodel|h\b)")
_ROOT_BELOW = re.compile(r"(?<=[)\wᵀ⊤}])\s+:\s+(?=sqrt|√|\\sqrt)")
_MATH = re.compile(r"(?<![A-Za-z_.])Math\s?\.\s?(?=[a-z])|(?<![A-Za-z_.])std::(?=[a-z])")
_DECLARATION = re.compile(
    r"(?m)(?:^|(?<=[;{]))\s{0,8}(?:const|let|double|float|final|auto|var)\s+(?=[A-Za-z_]\w*\s?=(?!=))"
)
_CAMEL = re.compile(
    r"(?<![A-Za-z_\\])(d|step|warmup|num|head|layer|sub)(Model|K|V|FF|Ff|Num|Number|Steps|Step|Heads|Dim|Norm|Layer)(?![A-Za-z])"
)
_NORM_LAYER = re.compile(r"\b(?:(?:tf\.)?keras\.)?(?:layers\.)?LayerNormali[sz]ation\s?\([^()]{0,40}\)\s?(?=\()")
_ADD_LAYER = re.compile(r"\b(?:(?:tf\.)?keras\.)?(?:layers\.)?(?P<what>Add|Concatenate)\s?\([^()]{0,24}\)\s?\(\s?\[")
_RELU_MASK = re.compile(
    r"(?P<z>[A-Za-z]\w{0,12})\s?\[\s?(?P=z)\s?(?P<sign><|>)=?\s?(?P<c>0(?:\.0?)?)\s?\]\s?\*?=\s?0(?:\.0?)?(?![\d.])"
)
_TERM = r"[A-Za-z\d][\w{} ]{0,24}?"
_IVERSON = re.compile(
    r"(?:(?:\\(?:mathbb|mathbf|mathds|mathbbm|bm)\s?\{?\s?1\s?\}?|𝟙|(?<![\w.])1)\s?(?:_\s?)?(?:\\left)?\s?(?:\\?[\[({]){1,2}"
    r"|(?:(?<=[(+\-=*·])|(?<=[(+\-=*·] ))\[)\s?"
    rf"(?P<a>{_TERM})\s?(?P<sign><=?|>=?|≤|≥|\\[lg](?:eqslant|eq|e|t)?(?![A-Za-z]))\s?(?P<b>{_TERM})"
    r"\s?(?:\\right)?\s?(?:\\?[\])}]){1,2}"
)
_RANGE = re.compile(
    r"[\[(]\s?[a-z]\s?=\s?[01]\s?(?:\.\.\.?|…|\\l?dots|bis|to|,\s?(?:\.\.\.|…)\s?,)\s?[a-z\d]{1,3}\s?[\])](?=[\s.$]*\Z)"
)
_COLUMN = re.compile(
    r"(?:\\q?quad|[\s,;$]){0,4}[(\[]\s?\$?[xX]\$?\s?(?:\\text\s?\{)?\s?(?:(?:is|as|being|ist|als)\s)?(?:a|an|ein|eine)?\s?"
    r"(?P<what>column|row|Spalte|Zeile)[ -]?(?:vectors?|vektor)?\s?\}?\s?[)\]][\s.$]*\Z",
    re.IGNORECASE,
)
_SHORT = re.compile(
    r"[,;]?\s{0,6}(?:\\q?quad)?\s{0,3}[(\[]\s?\$?(?P<name>\\?[A-Za-z]{1,8})\$?\s?(?:=|is|for|steht für|heißt)\s?"
    r"(?:\\(?:text|mathrm)\s?\{)?\s?(?:the\s)?"
    r"(?P<what>soft\s?max|layer ?norm\w*|ReLU|concat\w*|Verkettung)\}?[^()=]{0,30}[)\]][\s.$]*\Z",
    re.IGNORECASE,
)
_BIGPLUS = re.compile(r"\\bigoplus(?:\\limits)?\s?(?=_)")
_ROWS = re.compile(
    r"(?<=\))\s(?:zeilenweise|zeilen-?weise|elementweise|row[- ]?wise|row by row|element-?wise)(?=[\s,.;:]|\Z)"
)
_RESULT = re.compile(
    r"\b(?:(?:das|die|the|le|la)\s)(?:Ergebnis|Ausgabe|Resultat|result|output|résultat|sortie)\s?"
    r"(?:(?:then\s)?(?:ist|is|lautet|est|equals)\s(?:then\s|dann\s|also\s)?|=\s?)"
    r"(?=[A-Za-z]\w{0,12}\s?(?:[·*@(^_⋅]|\\cdot|(?-i:[A-Z])\b))",
    re.IGNORECASE,
)

_TUPLE = re.compile(
    r"(?<![\w}])\((?P<names>\s?[A-Za-z]\w{0,8}(?:_\{?\w\}?)?(?:\s?,\s?[A-Za-z]\w{0,8}(?:_\{?\w\}?)?){1,2}\s?)\)\s?=\s?\("
)


def typed(text: str) -> str:
    """Return `text` with what is typed in an editor, an office program or a script in the reader's notation."""
    text = _marked_up(text) if "<" in text or "&" in text else text
    text = _ROOT_OF.sub(r"sqrt(\1)", _ROOT_WORD.sub("sqrt", _WORD_BARS.sub("", text)))
    text = _QUOTED.sub(lambda match: re.sub(r"\D", "", match.group()), text)
    text = _NUMBER.sub(" ", _SMASH.sub("", _declared(text))) if "\\" in text else _in_script(text)
    text = _TURNED.sub(lambda m: f" {m['name'] or m['framed']}^T ", text)
    text = _RESULT.sub(" result = ", _ROWS.sub(" ", _RANGE.sub(" ", _COLUMN.sub(_orientation, text))))
    return _tuples(_IVERSON.sub(_chosen, _divided(_shortened(text))))


def _tuples(text: str) -> str:
    """Return (a, b) = (c, d) as a = c, b = d."""
    for match in list(_TUPLE.finditer(text))[-1:]:
        end = _closing(text, match.end())
        names, bodies = _parts(match["names"]), _parts(text[match.end() : end])
        if end and len(names) == len(bodies):
            told = ", ".join(f"{name} = {body}" for name, body in zip(names, bodies, strict=True))
            return text[: match.start()] + told + text[end + 1 :]
    return text


def _orientation(match: re.Match[str]) -> str:
    """Drop that x is a column or a row where the order of the factors says the same."""
    column = match["what"].lower() in {"column", "spalte"}
    return (
        " "
        if re.search(r"W\S{0,14}\s?x" if column else r"(?i)x\s?[·*@]?\s?W", match.string[: match.start()])
        else match.group()
    )


def _marked_up(text: str) -> str:
    """Return HTML as plain text with subscripts and superscripts in braces."""
    for _ in range(2):
        text = _LEVEL.sub(lambda m: ("_{" if m[1].lower() == "sub" else "^{") + m[2] + "}", text)
    return _ENTITY.sub(lambda match: html.unescape(match.group()), _TAG.sub("", _BREAK.sub("\n", text)))


def _declared(text: str) -> str:
    """Put in place of the student's own macros without arguments what they stand for."""
    for pattern, frame in zip(_DECLARED, (r"\operatorname{{{}}}", "{{{}}}"), strict=True):
        for name, body in pattern.findall(text)[:_MOST_MACROS]:
            if rf"\{name}" in body:
                continue
            text = re.sub(rf"\\{name}(?![A-Za-z])", _always(frame.format(body)), pattern.sub(" ", text, count=1))
    return text


def _always(put: str) -> Callable[[re.Match[str]], str]:
    return lambda _: put


def _in_script(text: str) -> str:
    """Return a program in JavaScript, Java, numpy or Keras with our names for what it calls."""
    text = _DECLARATION.sub("", _MATH.sub("", text))
    text = _CAMEL.sub(lambda match: f"{match[1]}_{match[2].lower()}", text)
    text = _NORM_LAYER.sub("LayerNorm", text)
    for _ in range(4):
        found = _ADD_LAYER.search(text)
        end = _closing(text, found.end()) if found else 0
        if found is None or not end:
            break
        inside, after = text[found.end() : end], re.sub(r"^\]\s?\)", "", text[end:])
        parts = _parts(inside)
        put = "(" + " + ".join(parts) + ")" if found["what"] == "Add" else f"concat({', '.join(parts)})"
        text = text[: found.start()] + put + after
    return _RELU_MASK.sub(lambda m: f"{m['z']} = {'max' if m['sign'] == '<' else 'min'}(0, {m['z']})", text)


def _closing(text: str, start: int) -> int:
    """Return where the square bracket closes that was opened before `start`, or 0."""
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return at
    return 0


def _parts(text: str) -> list[str]:
    """Cut a list at its outer commas."""
    parts, depth = [""], 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def _shortened(text: str) -> str:
    """Put in place of an abbreviation what a closing bracket says it is: SM(…) V (SM = softmax)."""
    said = _SHORT.search(text)
    if said is None:
        return text
    what = re.sub(r"\W", "", said["what"].lower())
    what = "softmax" if what == "softmax" else "relu" if what == "relu" else "LayerNorm" if what[0] == "l" else "concat"
    before = text[: said.start()]
    if said["name"] == "\\oplus":
        return _BIGPLUS.sub("concat", before) if what == "concat" else text
    return re.sub(rf"(?<![A-Za-z\\]){re.escape(said['name'])}(?=\s?\()", what, before)


def _divided(text: str) -> str:
    """Return `text` with a colon as a slash where it divides: inside the brackets of a function or a power."""
    if ":" not in text or re.search(r"\b(?:lambda|def)\b", text):
        return text
    text = _ROOT_BELOW.sub(" / ", text)
    inside: list[bool] = []
    out = []
    for at, char in enumerate(text):
        if char in "([{":
            inside.append(
                char == "(" and bool(re.search(r"[\w^/*·]\s?\Z", text[:at][-2:])) and text[at - 1 : at] != " "
            )
            inside[-1] = inside[-1] or (char == "(" and bool(re.search(r"[(^/*·]\s?\Z", text[max(0, at - 2) : at])))
        elif char in ")]}" and inside:
            inside.pop()
        found = char == ":" and bool(inside) and inside[-1]
        tight = found and _SLASHES.match(text, at - 1 if text[at - 1 : at] == " " else at)
        out.append("/" if tight else char)
    return "".join(out)


def _chosen(match: re.Match[str]) -> str:
    """Write [a < b] as a choice between one and nothing."""
    sign = match["sign"].replace("≤", "<=").replace("≥", ">=").replace("\\l", "<").replace("\\g", ">")
    a, b = match["a"], match["b"]
    closed = "=" in sign or "e" in sign
    if (sign[0] == "<") != closed:  # a < b, and a >= b as not a < b
        low = "1, 0" if sign[0] == "<" else "0, 1"
        return f" choose({a}, {b}, {low}) "
    low = "1, 0" if sign[0] == ">" else "0, 1"
    return f" choose({b}, {a}, {low}) "
