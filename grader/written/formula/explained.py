"""Signs that a closing clause defines, numbered steps and lines of a table, as plain equations.

A definition is only taken away where it says what the sign means to the reader anyway.
"""

from __future__ import annotations

import re

_BEFORE = (
    r"(?:[,;.(]|\\q?quad(?![A-Za-z])|\s)\s{0,3}(?:\\q?quad(?![A-Za-z])|\\[,; ]|\\text\s?\{|where|with|wobei"
    r"|mit|avec|où|donde|con|and|und|et|y|\}|\s){0,8}"
)
_ARGUMENT = r"(?:[a-z]|\\cdot|·|\.|x)"
_POSITIVE = re.compile(
    rf"{_BEFORE}\$?[\[(]?\s?(?P<z>{_ARGUMENT})\s?[\])]?\s?[_^]\s?\{{?\s?\+\s?\}}?\$?\s{{0,3}}(?:=|:=|is"
    rf"|denotes|means)\s{{0,3}}"
    r"\$?(?:\\max|max)\s?(?:\\left)?(?:\(|\\?\{|\\bigl\(|\\big\()\s?(?:0\s?,\s?(?:\\[,; ])?(?P=z)"
    r"|(?P=z)\s?,\s?(?:\\[,; ])?0)\s?(?:\\right)?(?:\)|\\?\}|\\bigr\))[\s.$)]{0,4}\Z"
)
_POSITIVE_SAID = re.compile(
    rf"{_BEFORE}\$?[\[(]\s?{_ARGUMENT}\s?[\])]\s?[_^]\s?\{{?\s?\+\s?\}}?\$?[\s}}]{{0,3}}(?:\\text\s?\{{\s?)?(?:=|is|denotes|means|ist|bezeichnet|est|désigne|es)[\s{{}}$]{{0,3}}(?:\\text\s?\{{\s?)?"
    r"(?:the |den |der |la |le |el )?(?:positive part|ReLU|rectifier|positive(?:n|r)? (?:Teil|Anteil)"
    r"|Positivteil|partie positive|parte positiva)[\s.}$)]{0,4}\Z"
)
_LN = re.compile(
    rf"{_BEFORE}\$?(?:\\(?:mathrm|text|operatorname)\s?\{{\s?LN\s?\}}|LN)\$?\s?(?:=|is|denotes|means|ist"
    rf"|est|es)\s?\$?(?:\\(?:text|mathrm|operatorname)\s?\{{\s?)?"
    r"(?:the )?(?:Layer\s?Norm(?:ali[sz]ation)?|layer normali[sz]ation)[\s.}$)]{0,4}\Z"
)
_SUBLAYER = re.compile(
    rf"{_BEFORE}\$?[fFgGS](?:_\s?\{{?\s?(?:\\ell|[li])\s?\}}?)?\$?\s?(?:=|is|denotes|means|ist|est"
    rf"|es)\s?(?:\\text\s?\{{\s?)?"
    r"(?:the|a|any|each|die|la)?[\s}$]{0,3}(?:(?:\\ell|ℓ|[li])[\s$]?(?:\\text\s?\{)?\s?-?(?:th"
    r"|te)\s)?sub-?layer(?: function)?[\s.}$)]{0,4}(?=\Z|[,;])"
)
_ATTENTION = re.compile(
    rf"{_BEFORE}\$?\\mathcal\s?\{{?\s?A\s?\}}?\$?\s?(?:=|is|denotes)\s?(?:\\(?:text|mathrm"
    rf"|operatorname)\s?\{{\s?)?(?:the )?(?:scaled )?(?:dot[- ]product )?[Aa]ttention(?:"
    rf" function)?[\s.}}$)]{{0,4}}\Z"
)
_WITH = re.compile(
    r"(?:[,;]\s?|\s|\\q?quad)(?:\\text\s?\{\s?)?\b(?:with|for|where|mit|avec|con"
    r"|für)\s(?P<items>[^=\n^]{6,160})\Z"
)
_ROLE = re.compile(
    r"(?:the |der |die |la |le |el )?(?:(?:token )?[Pp]osition (?:p|t|pos)|posición (?:p|t|pos)"
    r"|(?:pair |frequency )?index [ijk]|Paarindex [ijk]|indice (?:de paire )?[ijk]|índice (?:de par )?[ijk]"
    r"|(?:embedding|model) (?:size|dimension|width) (?:d|d_\{?model\}?|D)|Modell(?:breite|dimension) d"
    r"|dimension du modèle d|dimensión del modelo d)"
)
_PLAIN = re.compile(r"\\(?:text|mathrm)\s?\{([^{}]{0,60})\}")
_HEAD = re.compile(r"\A\s{0,4}(?P<head>(?:For|In|With|Für|Pour|Para)\s[^:\n\\]{5,90}):\s+(?=\$|[A-Z\\])")
_PART = re.compile(
    r"(?:For|In|With|Für|Pour|Para)?\s?(?:self-attention|multi-head attention|multi-head self-attention"
    r"|(?:an |the )?input X|(?:h|d_k|d_v) ?= ?\d{1,3})?"
)
_STEP = re.compile(
    r"(?P<before>\A\s{0,4}|\n\s{0,4}|[.;,]\s{1,3})(?:(?:Step|Schritt|Étape|Etape|Paso"
    r"|Passo)\s(?P<a>\d{1,2})\s?[:.)]|(?P<b>\d{1,2})[.)])\s{1,3}(?=[A-Za-z\\$])"
)
_EVERY_ROW = re.compile(
    r"\b(?:row-?wise )?[Ss]oftmax (?:of|over|on|von|de|sur|der|jeder|aller)?\s?(?:(?:each|every|all|the"
    r"|jede[rn]?|alle[rn]?|chaque|cada|toutes les|todas las)\s)?"
    r"(?:(?:rows?|Zeilen?|lignes?|filas?)\s(?:of|von|in|de)\s)(?P<of>[A-Z])(?![\w(])"
)
_BESIDE_LINE = re.compile(r"[ \t]{1,12}\((?P<inside>[^\n]{3,80})\)(?=[ \t]{0,9}\n)")
_SIZE = re.compile(r"(?:d_k|d_v|d_model|h|n)\s?=\s?\d{1,4}")
_ROOT = re.compile(r"(?:sqrt\s?\(\s?(?P<a>\d{1,4})\s?\)|√\s?\(?(?P<b>\d{1,4})\)?)\s?=\s?(?P<value>\d{1,3})")
_OF_DOT = r"(?:\s(?:of|von|de|for)\s(?:the\s)?(?:dot product\s)?q\s?[.·]\s?k)"
_ROW = re.compile(
    rf"\s{{0,4}}(?:(?P<mean>mean|expected value|expectation|Mittelwert|Erwartungswert|moyenne|espérance|media)"
    rf"|(?P<var>variance|Varianz|varianza)|(?P<std>std\.?(?: ?dev(?:iation|\.)?)?|standard deviation"
    rf"|Standardabweichung|écart[- ]type|desviación (?:típica|estándar)))"
    rf"(?P<of>{_OF_DOT})?\s{{0,12}}[:=|]\s{{0,6}}(?P<value>[^=:|\n]{{1,40}}?)\s{{0,6}}",
    re.IGNORECASE,
)


def explained(kind: str, text: str) -> str:
    """Return `text` with what its clauses define put in, and steps and tables as lines of equations."""
    if kind == "ffn":
        text = _POSITIVE_SAID.sub("", _POSITIVE.sub("", text))
    elif kind == "add_norm":
        text = _SUBLAYER.sub("", _LN.sub("", text))
    elif kind == "multi_head":
        text = _with_sizes(_with_attention(text))
    elif kind in {"pe_sin", "pe_cos"}:
        text = _without_roles(text)
    elif kind == "variance":
        text = _of_table(text)
    return _of_steps(text)


def _with_attention(text: str) -> str:
    r"""Write \mathcal{A} as Attention where it is said to be that."""
    said = _ATTENTION.search(text)
    if said is None:
        return text
    return re.sub(r"\\mathcal\s?\{?\s?A\s?\}?(?![A-Za-z])", r"\\mathrm{Attention}", text[: said.start()])


def _without_roles(text: str) -> str:
    """Drop a closing list of what the encoding's letters are, where that is what they are taken for."""
    plain = _PLAIN.sub(r" \1", text)
    said = _WITH.search(plain)
    if said is None:
        return text
    items = re.split(r",\s(?:and\s)?|\s(?:and|und|et|y)\s", re.sub(r"[$.]|\s(?=\s)", "", said["items"]).strip())
    letters = [item.split()[-1] for item in items if _ROLE.fullmatch(item.strip())]
    return plain[: said.start()] if len(letters) == len(items) == len(set(letters)) else text


def _with_sizes(text: str) -> str:
    """Put h and d_k for the numbers that the words at the head give them: with h = 8 and d_k = 64: …."""
    head = _HEAD.match(text)
    if head is None:
        return text
    plain = head["head"].replace("$", "")
    if not all(
        _PART.fullmatch(part.strip())
        for part in re.split(r",\s?(?:and\s)?|\s(?:and|with|und|mit|et|avec|y|con)\s", plain)
    ):
        return text
    told = dict(re.findall(r"\b(h|d_k|d_v) ?= ?(\d+)", plain))
    if told and int(told.get("h", 8)) * int(told.get("d_k", 64)) != 512:  # noqa: PLR2004 - the paper's d_model
        return text
    rest = text[head.end() :]
    if "h" in told:
        rest = re.sub(rf"((?:dots|\.\.\.|…)\s?,?\s?\\?\w+?(?:\{{\w+\}})?_)\{{?{told['h']}\}}?(?!\d)", r"\1h", rest)
    if "d_k" in told:
        root = rf"(\\sqrt\s?\{{\s?|sqrt\s?\(\s?|√\s?\(?){told['d_k']}(?!\d)"
        rest = re.sub(root, r"\1d_k", rest)
    return rest


def _of_table(text: str) -> str:
    """Return lines such as `variance of q.k : d_k` as equations."""
    lines = [line for line in text.splitlines() if line.strip()]
    rows = [_ROW.fullmatch(line) for line in lines]
    if len(lines) < 2 or not all(rows) or not any(row and row["of"] for row in rows):  # noqa: PLR2004 - a table
        return text
    out = []
    for row in rows:
        if row is not None:
            left = "E(q·k)" if row["mean"] else "Var(q·k)" if row["var"] else "std"
            out.append(f"{left} = {row['value']}")
    return "\n".join(out)


def _of_steps(text: str) -> str:
    """Return numbered steps, or the items of a numbered list, as lines."""
    steps = list(_STEP.finditer(text))
    numbers = [int(step["a"] or step["b"]) for step in steps]
    if len(steps) < 2 or numbers != list(range(1, len(steps) + 1)) or text[: steps[0].start()].strip():  # noqa: PLR2004
        return text
    lines = _STEP.sub("\n", text).strip("\n")
    told: list[str] = []

    def change(match: re.Match[str]) -> str:
        roots = [_ROOT.fullmatch(part.strip()) for part in match["inside"].split(",")]
        sizes = [part.strip() for part in match["inside"].split(",") if _SIZE.fullmatch(part.strip())]
        right = [root for root in roots if root and int(root["value"]) ** 2 == int(root["a"] or root["b"])]
        if len(sizes) + len(right) < len(roots):
            return match.group()
        told.extend(sizes)
        return ""

    lines = _BESIDE_LINE.sub(change, lines + "\n").rstrip("\n")
    lines = _EVERY_ROW.sub(lambda match: f"softmax({match['of']})", lines)
    return "\n".join([lines, *told])
