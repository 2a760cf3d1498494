"""The words beside a formula: every one of them is harmless, or a person reads the whole.

A formula is found by its delimiters; where it has none, words that are known to change nothing are taken off its
beginning and its end. A word that is on no list may turn the formula round, so it is never passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from grader.written.formula.clean import unicode_folded
from grader.written.formula.front import as_expression, in_one_word, without_label, without_numbers
from grader.written.formula.kinds import Kind
from grader.written.formula.names import FUNCTIONS
from grader.written.formula.piecewise import EVEN, ODD

_SET = re.compile(
    r"\$\$(?P<dd>.+?)\$\$|(?<!\\)\$(?P<d>[^$]+?)(?<!\\)\$|\\\[(?P<b>.+?)\\\]|\\\((?P<p>.+?)\\\)|```\w*\n?(?P<f>.+?)```"
    r"|`(?P<c>[^`\n]+)`",
    re.DOTALL,
)
_WORD = re.compile(r"(?<![\w\\{^_.])[^\W\d_]{2,}(?:[-’'][^\W\d_]{1,})*(?![\w^(\[{]|_\w|\.\w)")
_COMMAND = re.compile(r"\\[A-Za-z]+\s?\*?")
_TEXT = re.compile(r"\\(?:text|mathrm|textrm|textit|mbox|mathit|operatorname)\s?\{([^{}]*)\}")
_CLAUSE = re.compile(
    r"(?:[,;.(]|\\q?quad(?![A-Za-z])|\\[,; ]|\\text\s?\{|\s){1,12}(?P<word>where|with|here|and|for|wobei|mit|avec|où)\b"
)
_SIZES = frozenset({
    "model", "embedding", "embeddings", "hidden", "number", "sequence", "token", "tokens", "word", "words", "input",
    "inputs", "wide", "anzahl", "breite", "lange", "tiefe", "große", "grosse", "wort", "eingabe", "eingang", "nombre",
    "longueur", "largeur", "taille", "mot", "mots", "entree", "numero", "longitud", "ancho", "tamano", "palabra",
    "palabras", "entrada",
})  # fmt: skip
_HEADS = frozenset({
    "key", "keys", "query", "queries", "head", "heads", "kopf", "kopfe", "kopfen", "tete", "tetes", "cabeza", "cabezas",
    "schlussel", "abfragen", "anfragen", "requete", "requetes", "cles", "consulta", "consultas", "claves",
})  # fmt: skip
_COLUMNS = frozenset(
    {"indices", "column", "columns", "spalte", "spalten", "colonne", "colonnes", "columna", "columnas"}
)
"""Of an encoding; a softmax over columns is another one."""
_OTHERS = frozenset({
    "softmax", "sigmoid", "tanh", "gelu", "softplus", "relu", "batchnorm", "rmsnorm", "layernorm", "min", "max", "sin",
    "cos", "tan",
})  # fmt: skip
_USED = {
    "attention": {"softmax", "max"}, "multi_head": {"softmax"}, "ffn": {"relu", "max"}, "add_norm": {"layernorm"},
    "noam": {"min"}, "pe_sin": {"sin", "cos"}, "pe_cos": {"sin", "cos"},
}  # fmt: skip
"""Functions of the paper's formulas: a word that names another may add it, a softmax behind the network."""
_DOUBTFUL = {
    "attention": _SIZES | {"sin", "between"}, "multi_head": _SIZES | {"sin", "between"},
    "variance": _SIZES | {"score", "scores", "sin"}, "pe_sin": _HEADS | {"index"}, "pe_cos": _HEADS | {"index"},
    "noam": _HEADS | {"sin"}, "ffn": _HEADS | {"sin", "sequence", "sequences", "sentence"},
    "add_norm": frozenset({"sin"}),
}  # fmt: skip
"""Words that may say of a letter that it is another size, or of scores that they are scaled; sin is also without."""
_TURNING = (
    re.compile(r"\\(?:re)?newcommand\b|\\(?:def|let)\b|\\DeclareMathOperator\b"),
    re.compile(r"\b[Pp]osition[\s}$]{1,4}[ijk]\b"),
)
"""Commands of one's own, a position that is called like an index."""
_FROM_ONE = re.compile(
    r"(?:=|\\in)[\s\\{\[$]{0,4}1\s{0,3},\s{0,3}(?:2\s{0,3},\s{0,3})?(?:\\[lc]?dots|\.\.\.|…)"
    r"|(?<![\d.])1\s{0,3}(?:\\leq?\b|≤|<=)"
)
"""Pairs of columns that are counted from one: their exponents begin at another number, if none is taken off again."""
_ONE_OFF = re.compile(r"\(\s?[a-z]\s?-\s?1\s?\)|2\s?[a-z]\s?-\s?2\b")
_DEVIATION = re.compile(r"\bdeviation\b[^.;\n]{0,40}")
_MODEL_SIZE = re.compile(
    r"(?<![\w\\])(?:[dD]|dim)[\s$}]{0,4}:?=[\s${]{0,4}(?:5[1-9]\d|[6-9]\d\d|\d{4,6})(?![\d.]|\s?[/÷])"
)
"""A bare d of the model's size."""
_RENAMED = re.compile(
    r"\b(LN|Layer\s?Norm|[Ss]oft\s?max|ReLU|max)[\s}$]{0,3}(?:=|is\b)[\s{}$\\]{0,4}(?:text|mathrm|operatorname)?[\s{]{0,3}([A-Za-z]{2,20})"
)
"""A function that is said to be another one."""
_CALL = re.compile(r"([A-Za-z]{2,})\}?\s?(?:\\left|\\[bB]igg?l?)?\s?[(\[]")
_MENTION = 14
"""Characters: what is set apart and is no longer, without an equals sign, only names something."""
BY_ROWS = (
    "row-wise", "rowwise", "row wise", "row by row", "over the rows", "over rows", "over each row", "along each row",
    "along the rows", "by rows", "by row", "for each row", "for every row", "of each row", "to each row",
    "to every row", "per row", "over the keys", "over all keys", "across the keys", "across keys", "along the keys",
    "over the last axis", "over the last dimension", "along the last axis", "along the last dimension",
    "over the key axis", "along the key axis", "over the key dimension", "along the key dimension",
    "zeilenweise", "über die zeilen", "pro zeile", "je zeile", "für jede zeile", "über die schlüssel",
    "ligne par ligne", "sur les lignes", "par ligne", "sur chaque ligne", "sur les clés", "por filas", "fila por fila",
    "sobre las filas", "sobre cada fila", "sobre las claves",
)  # fmt: skip
"""What says of a softmax that each row sums to one; over the columns, or the queries, it is another one."""
_BY_ROWS = re.compile(rf"(?<!\w)(?:{'|'.join(BY_ROWS)})(?!\w)", re.IGNORECASE)
_QUERIES = {"Q": ("quer",), "K": ("key",), "V": ("value",)}
_COUNTED = {
    "pos": ("position", "token", "word", "place"), "i": ("dimension", "index", "pair", "column", "frequenc"),
    r"d_?\{?model\}?": ("model", "dimension", "embedding", "size", "width"),
}  # fmt: skip
_COUNTS = {r"step(?:_num)?": ("step", "training", "update", "current"), r"warmup(?:_steps)?": ("warm", "step")}
_ROLES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "attention": _QUERIES, "multi_head": _QUERIES, "pe_sin": _COUNTED, "pe_cos": _COUNTED, "noam": _COUNTS,
}  # fmt: skip
"""What the words behind a symbol may call it; what they call another one is wrong there."""
_SOFTMAX_OF = re.compile(
    r"softmax[\s}$]{1,3}(?:[a-z]+\s){0,4}?(?:to|of|for|on|in)\s(?:the\s|all\s|each\s|every\s)?(?:values?|heads?|outputs?|embeddings?)\b"
)
_SQUARE = re.compile(
    r"W_?\{?[12]\}?\s?(?:\\in|∈)\s?[\\{}a-zA-Z]{1,12}\s?\^\s?[{(]{0,2}(\w+|d_\{?\w+\}?)\s?(?:\\times|×|x)\s?\1\b"
)
"""A weight matrix of the network that is said to be square."""
_ALIKE = frozenset({
    "same", "identical", "shared", "zero", "gleich", "gleiche", "gleichen", "dieselben", "meme", "memes", "mismo",
    "mismos", "misma", "mismas",
})  # fmt: skip
"""Of matrices it is wrong, of the positions in a network right."""
_NUMBER = re.compile(
    r"(?:\\(?:q?quad|hfill|hspace\{[^{}]*\}|tag)|[ \t])\s{0,6}(?:\\text\s?\{\s?)?"
    r"\((?:[Ee]q\.?\s?)?\d{1,2}(?:\.\d{1,2})?[a-z]?\)\s?\}?"
    r"(?=\s{0,6}(?:\Z|\n|\\\\|\$\$|\\end))"
)
"""The number of an equation, at the end of its line."""
_QUOTED = re.compile(r"(?<=einsum)\(\s?[\"'`][A-Za-z.,>\s-]{3,40}[\"'`]")
"""The letters of an einsum."""
_LINE = re.compile(r"^[ \t]*(?:(?:import|from)[ \t][^\n]*|```\w*)", re.MULTILINE)
"""What is no part of a formula that is typed as code."""
_BRACKETS = re.compile(
    r"(?<=[^\s(])(?:\s|\\q?quad|\\[,; ]){1,6}(?:\\text\s?\{\s?)?"
    r"(?:\((?P<inside>[^()=+*/^{}$\\\d]{4,120})\)|[—–]\s(?P<dash>[^()=+*/^{}$\\\d]{4,120}))\s?\}?[\s.]{0,8}\Z"
)


@lru_cache(maxsize=1)
def harmless() -> frozenset[str]:
    """Return the words that change nothing about a formula that they stand beside."""
    text = files("grader.written.formula").joinpath("harmless_words.txt").read_text(encoding="utf-8")
    words = [word.lower() for line in text.splitlines() if not line.startswith("#") for word in line.split()]
    return frozenset([*words, *map(unicode_folded, words)])


def taken_out(source: str) -> str:
    """Return the formulas of a text: what stands between delimiters, else the text without plain words around it."""
    source = without_label(in_one_word(without_numbers(_NUMBER.sub("", as_expression(_LINE.sub("", source))))))
    found = list(_SET.finditer(source))
    if found and re.search(r"[^\W\d_]", _outside(source, found)):
        inside = [next(group for group in match.groups() if group) for match in found]
        kept = [piece for piece in inside if not _is_mention(piece)]
        return "\n".join([*kept, *_told_last(inside, kept)] or inside)
    if found or "\\" in source:
        return "\n".join(_without_aside(line) for line in source.split("\n"))
    return "\n".join(_bare(line) for line in source.split("\n"))


def _told_last(inside: list[str], kept: list[str]) -> list[str]:
    """Return what is set apart at the end, where it is a product with a name defined before: the output is $AV$."""
    last = re.sub(r"\\[A-Za-z]+|[{}\s]", "", inside[-1])
    defined = {match[1] for piece in kept if (match := re.match(r"\s*([A-Za-z])\s*=", piece))}
    product = re.fullmatch(r"[A-Z]{2}", last)
    return [f"; {last[0]} {last[1]}"] if product and last[0] in defined else []


def is_partial(source: str) -> bool:
    """Whether a text sets products apart that are not taken for its formula, such as $AV$: a part may stand there."""
    found = list(_SET.finditer(source))
    shown = [next(group for group in match.groups() if group) for match in found]
    bare = [re.sub(r"\\[A-Za-z]+|[{}\s]", "", piece) for piece in shown if _is_mention(piece)]
    return bool(re.search(r"[^\W\d_]", _outside(source, found))) and any(re.search(r"[A-Z]{2}|[+*(]", p) for p in bare)


def _is_mention(piece: str) -> bool:
    """Whether what is set apart only names something: short, and neither an equation nor a call."""
    called = any(word.lower() in FUNCTIONS for word in _CALL.findall(piece))
    return "=" not in piece and not called and len(re.sub(r"\\[A-Za-z]+|[{}\s]", "", piece)) <= _MENTION


_LEAD = re.compile(
    r"(?:\A|[,;.:]\s|\s(?=then\b|and\b))(?P<words>(?:[^\W\d_]{1,20}[ ,]{1,2}){1,12})"
    r"(?=\w{1,20}(?:\([^()=\n]{0,40}\))?\s?=)"
)
"""Words in front of an equation."""


def _are_harmless(words: str) -> bool:
    return all(
        word.lower().removesuffix("'s") in harmless() | EVEN | ODD
        for word in re.findall(r"[^\W\d_]+(?:[-’'][^\W\d_]+)*", words)
    )


def _words(text: str) -> set[str]:
    return {*re.findall(r"[^\W\d_]+", text.lower())}


def _outside(source: str, found: list[re.Match[str]]) -> str:
    edges = [0, *(edge for match in found for edge in match.span()), len(source)]
    return " ".join(source[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True))


def _without_aside(line: str) -> str:
    """Return a line without harmless words in brackets, or behind a dash, at its end."""
    behind = _BRACKETS.search(line)
    if behind is None:
        return line
    inside = re.sub(r"[A-Za-z]_\w+", " ", behind["inside"] or behind["dash"])
    told = len(_WORD.findall(inside)) > 1 or inside.strip().lower() in BY_ROWS
    return line[: behind.start()] if told and _are_harmless(_by_rows(inside)) else line


def _by_rows(text: str) -> str:
    """Return `text` without words that say of a softmax that it is taken of each row."""
    return _BY_ROWS.sub(" ", text)


def _bare(line: str) -> str:
    """Return a line without harmless words in front of its formula and without a clause of such words behind it."""
    line = _LEAD.sub(lambda found: "\n" if _are_harmless(found["words"]) else found.group(), _without_aside(line))
    at = 0
    for word in _WORD.finditer(line):
        named = re.match(r"\s*(?::?=|\()", line[word.end() :])
        if named or line[at : word.start()].strip(" ,:") or word.group().lower().removesuffix("'s") not in harmless():
            break
        at = word.end()
    rest = line[at:].lstrip(" ,:")
    if not re.search(r"[=(]", rest):
        return line
    for clause in _CLAUSE.finditer(rest):
        said = rest[clause.start() :]
        if "=" not in said and "(" not in said and not _words(said) & (EVEN | ODD) and len(_WORD.findall(said)) > 1:
            return rest[: clause.start()]
    return rest


def speaks_of_sizes(source: str) -> bool:
    """Whether words beside a formula may say what size a symbol is."""
    said = {word.lower() for word in _WORD.findall(unicode_folded(source))}
    return bool(said & (_SIZES | _HEADS | {"where", "with", "size", "dimension", "dim", "mit", "wobei"}))


def strangers(kind: Kind, source: str, *, equal: bool) -> list[str]:
    """Return what stands beside the formulas of a text, is on no list, and may turn what it says round."""
    source = _QUOTED.sub(
        " ", without_numbers(as_expression(_by_rows(source) if kind.id in {"attention", "multi_head"} else source))
    )
    text = unicode_folded(_TEXT.sub(r" \1", _LINE.sub("", in_one_word(source))))
    own = {name.lower() for name in re.findall(r"([^\W\d_]{2,24})\w{0,24}(?:\([^()]{0,80}\))?\s?&?\s?:?=", text)}
    names = (*kind.words, *FUNCTIONS, *(own - {name.lower() for name in FUNCTIONS}))
    known = {*harmless(), *(name.lower() for name in names)} - _DOUBTFUL.get(kind.id, frozenset())
    if equal:
        foreign = _OTHERS - _USED.get(kind.id, set())
        known -= {word for word, ours in FUNCTIONS.items() if ours in foreign} - {*own, "norm"}
    parity = {"pe_sin": (EVEN, ODD), "pe_cos": (ODD, EVEN)}.get(kind.id)
    if parity and not parity[1] & {*text.lower().split()} - {"par", "pair", "pairs"}:
        known |= parity[0]
    known |= _COLUMNS if parity else frozenset()
    if kind.id != "variance" and not (kind.id == "ffn" and "position" in text.lower()):
        known -= _ALIKE
    found = [match.group() for pattern in _TURNING for match in pattern.finditer(text)]
    if kind.id == "variance" and _SET.search(source):  # what is set apart behind it was not judged
        found += [said for said in _DEVIATION.findall(text) if "sqrt" not in said]
    if parity and not _ONE_OFF.search(text):
        found += _FROM_ONE.findall(text)
    if kind.id in {"attention", "multi_head"}:
        found += [*_MODEL_SIZE.findall(text), *_SOFTMAX_OF.findall(text)]
    found += ["W"] if kind.id == "ffn" and _SQUARE.search(source) else []
    found += _misnamed(_ROLES.get(kind.id, {}), text)
    found += [one for one, other in _RENAMED.findall(text) if _function(one) != _function(other)]
    for match in _WORD.finditer(_COMMAND.sub(" ", text)):
        word = match.group()
        if (len(word) <= 3 and not word.islower()) or re.fullmatch(r"head[a-z]", word):  # noqa: PLR2004 - QK: a product
            continue
        parts = [word.lower()] if word.lower() in known else word.lower().removesuffix("'s").split("-")
        if any(part not in known for part in parts if len(part) > 1):
            found.append(word)
    return found


def _misnamed(roles: Mapping[str, tuple[str, ...]], text: str) -> list[str]:
    """Return the symbols that the words behind them call what another symbol is: V is the matrix of queries."""
    nouns = "|".join(noun for own in roles.values() for noun in own)
    out = []
    for letter, own in roles.items():
        symbol = rf"(?<![,d]\s)(?<![,d]\s\$)(?<![\w\\]){letter}[\s$}}]{{1,4}}"
        said = rf"{symbol}(?!and\b|und\b|et\b)(?:[a-z]{{1,14}}\s){{0,6}}?({nouns})"
        out += [letter for noun in re.findall(said, text) if not noun.startswith(own)]
    return out


def _function(name: str) -> str:
    """Return our name of a function; of another word the word itself."""
    table = {word.lower(): ours for word, ours in FUNCTIONS.items()}
    return table.get(name.lower(), "layernorm" if name.lower() in {"ln", "layernorm"} else name.lower())
