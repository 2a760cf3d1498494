"""What the words beside a formula, or in place of one, say about how it may be judged."""

from __future__ import annotations

import re

from grader.written.formula.contrast import papers_own

_WIDTH = r"(?:d(?:_?\{?\\?[a-z]*\{?[a-z]*\}*)?|D|512)"
_HALF = rf"(?:{_WIDTH}\s*/\s*2|\\[td]?frac\s*\{{\s*{_WIDTH}\s*\}}\s*\{{\s*2\s*\}}|{_WIDTH}\s*//\s*2|255|256)"
_RANGE = r"(?:<|≤|\\leq?\b|\\lt\b|\.\.|…|\\[lc]?dots|\\in\b|∈|\bin\b|\bto\b|\brange\b)"
_PAIRS = re.compile(rf"\bpairs?\b|\bfrequenc(?:y|ies)\b|{_RANGE}[^\n;]{{0,20}}?{_HALF}", re.IGNORECASE)
_IN_WORDS = re.compile(
    r"\b(?:times|multiplied\s+by|divided\s+by|over\s+(?:the\s+)?(?:square\s+)?root|square\s+root\s+of"
    r"|transposed"
    r"|to\s+the\s+(?:power|minus))\b",
    re.IGNORECASE,
)


_COLUMNS = re.compile(
    r"(?:soft\s?max|normali[sz]\w+)[^.;\n]{0,40}?\b(?:over|along|across|per|by|each|down"
    r"|(?<!dimension )(?<!size )(?<!width )of)\b[^.;\n]{0,20}?\b(?:columns?|quer(?:y|ies))\b"
    r"|\bcolumn[- ]?wise\b",
    re.IGNORECASE,
)
_MODEL_WIDTH = re.compile(
    r"(?<![A-Za-z_\\])d[\s$}]{0,4}(?:\\text\s?\{\s?)?(?:is|=|denotes|means|being"
    r"|:)[\s$}]{0,4}(?:\\text\s?\{\s?)?(?:the\s)?"
    r"(?:model|embedding|hidden|input)[- ](?:dim|size|width)\w*|(?<![A-Za-z_\\])d[\s$}]{0,4}"
    r"(?:is|=|denotes)\s(?:the\s)?(?:dimension|width|size)"
    r"(?:ality)?\sof\sthe\s(?:model|embedding|input|token)",
    re.IGNORECASE,
)


_DENIED = re.compile(
    r"(?<![=\w\\])(?:wrong(?:ly)?|incorrect|false|falsch|faux|incorrecto|falso)\b"
    r"|\b(?:paper|authors|article|Artikel|artículo)\s(?:does|do|did)(?: not|n['’]t)\b"
    r"|\bexponente?n?t?\s(?:is|stays|ist|est|es)\s(?:not|nicht|pas|no)\s\$?2|\bexponent (?:isn['’]t"
    r"|n['’]est pas)\b"
    r"|(?:\A|[,;.:]\s)\s{0,4}(?:and\s|und\s|et\s|y\s)?(?:[Bb]efore|[Vv]or|[Aa]vant|[Aa]ntes de)"
    r"\s(?:the|der|dem|la|le|el|each|jeder|cada|chaque)\b"
    r"|\A\s{0,4}(?:Without|Ohne|Sans|Sin)\s"
    r"|\bexponente?n?t?\s(?:is|stays|should be|must be|becomes|ist|wird|est|es)\s(?:(?:still|also|then"
    r"|auch)\s)?\$?2\s?\*?\s?[a-z]\s?\+"
    r"|\bpseudo-?inver[st]e?\b"
    r"|\bnegative(?:r|n)? (?:part|Teil|Anteil)\b|\b(?:partie négative|parte negativa)\b"
    r"|\bLN[\s}$]{0,3}(?:=|is|denotes|means)[\s$]{0,3}(?:\\\w+\s?\{\s?)?"
    r"(?:the )?(?:RMS|[Bb]atch|[Gg]roup|[Ii]nstance|[Ww]eight)"
    r"|\b[Pp]osition[\s}$]{1,4}[ijk]\b[^.\n]{0,40}\b[Ii]ndex[\s}$]{1,4}(?:p|t|pos)\b"
)
_UNSCALED = re.compile(
    r"\b(?:so|therefore|hence|thus|and|then|also|daher|und|donc|et|y)\s(?:then\s)?(?:the |its |die |les |los )?"
    r"(?:scores?|logits|dot products?|Scores|q\s?[.·]\s?k)\s(?:have|has|haben|hat|ont"
    r"|tienen)\s(?:a\s)?(?:unit variance|(?:variance|Varianz|varianza) \$?1\b)"
)
_SCALED = re.compile(r"divi[ds]|scal|√|sqrt|root|geteilt|teil|skalier|Wurzel|racine|raíz|escal", re.IGNORECASE)


def says_otherwise(kind: str, source: str, reading: str) -> str | None:
    """Return what the words beside a right formula say against it, or None."""
    if kind in {"attention", "multi_head"} and _COLUMNS.search(source) and "V softmax(" not in reading:
        return "It is said that the softmax runs over columns; a person should look."
    if kind == "attention" and _MODEL_WIDTH.search(source):
        return "It is said that d is the width of the model; a person should look."
    if kind == "variance" and _UNSCALED.search(source) and not _SCALED.search(source):
        return "It is said that unscaled scores have variance 1; a person should look."
    if _DENIED.search(papers_own(source)):
        return "The words beside it may deny it; a person should look."
    return None


_FROM_ONE = re.compile(
    r"(?<![A-Za-z\\_{])([ijkl])\s?(?:=|∈|\\in)\s?(?:\\?\{|\[)?\s?1\s?(?:,|\\?[lc]?dots|\.\.|…|:)"
    r"|(?<![\w.])1\s?(?:≤|<=|\\leq?)\s?([ijkl])(?![A-Za-z])"
)


def counted_from_one(source: str) -> str:
    """Return the index that a text says to begin at one, as in k = 1, …, d/2; empty where it says nothing."""
    found = _FROM_ONE.search(source)
    return (found[1] or found[2]) if found else ""


def counts_pairs(source: str) -> bool:
    """Say whether the text tells that its index counts pairs of columns: in words, or as a range up to d/2."""
    return _PAIRS.search(source) is not None


def branches(source: str) -> bool:
    """Say whether a text chooses between formulas: if … else, or cases."""
    compared = re.findall(
        r"\b(?:if|for|when|while|falls|wenn|für|pour|si)\b[^\n;=]{1,40}(?:[<>≤≥]|\\[lg](?:eq?|t)\b)", source
    )
    return (
        len(compared) > 1
        or re.search(r"\b(?:else|otherwise|sonst)\b|\bif\b[^\n]{1,60}[<>≤≥]|\\begin\{cases\}", source) is not None
    )


_STEPS = re.compile(
    r"(?:→|⟶|->|=>|\\(?:to|rightarrow|longrightarrow|Rightarrow)\b)[\s$]{0,4}(?:\\(?:text|mathrm"
    r"|operatorname)\s?\{\s?)?"
    r"(?:(?:add|layer)\s?(?:&\s?|and\s)?)?(?:norm\w*|LN|softmax|relu|concat\w*|linear|dropout|matmul|scale"
    r"|mask|W\^?_?\{?O)\b",
    re.IGNORECASE,
)


def is_pipeline(source: str) -> bool:
    """Say whether a text gives steps one behind the other rather than a formula: x + F(x) → LayerNorm."""
    return _STEPS.search(source) is not None


def is_said_in_words(source: str) -> bool:
    """Say whether a plain text gives its operations in words, of which only pieces can be read as a formula."""
    return not re.search(r"[\\$]", source) and _IN_WORDS.search(source) is not None


_CODE_WORDS = re.compile(r"\\[A-Za-z]+|[A-Za-z_]*[_.(\[\d][A-Za-z_.]*|[^\W\d_]+(?=\s?[(=_\[{.])")


def is_sentence(source: str, most: int = 4) -> bool:
    """Say whether a formula stands among more than `most` plain words, some of which may be part of what it says."""
    plain = re.findall(r"(?<![^\W\d])[^\W\d_]{2,}(?![^\W\d])", _CODE_WORDS.sub(" ", source))
    return len([word for word in plain if word.islower() or word.istitle()]) > most
