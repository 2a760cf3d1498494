"""What words say a size is: “n is the number of tokens” makes of a right-looking n another quantity."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

from grader.written.formula.kinds import kind_of
from grader.written.formula.names import DIMENSIONS

_DRESS = re.compile(
    r"\\(?:text|mathrm|textrm|textit|mbox|mathit|mathsf|operatorname|mathbf|boldsymbol)\b\s?|\\q?quad\b"
    r"|\\[,;:! ]|[{}$~]"
)
_LINK = (
    r"(?:is|are|be|=|:=|:|,(?=\s?(?:the|an?|die|der|das|la|les?|l')\b)|\(|-|–|—|denotes?|means?|stands for"
    r"|being|equals?|represents?|counts?|gives|refers to|as|the|an?"
    r"|ist|sei|bezeichnet|steht fur|bedeutet|entspricht|zahlt|gleich|die|der|das|den|eine?"
    r"|est|designe|denote|represente|vaut|soit|egale?|la|les?|l'|une?|d'|d\.h\.|here|hier|ici)"
)
_SAID = rf"\s{{0,3}}(?:{_LINK}\s{{0,3}}(?=[^A-Za-z]|(?<=[\s=:,(–—'-]))){{1,5}}(?P<words>[^.;\n]{{2,70}})"
_COUNTED = (
    r"(?:input |output |query |source |target |eingabe|wort)?-?\s?(?:tokens?|words?|positions?|heads?|layers?"
    r"|sentences?|examples?|samples?|epochs?|rows"
    r"|worter|wortern|kopfen?|attention-?kopfen?|positionen|schichten|beispielen?|zeilen|satzen?"
    r"|mots|jetons|tetes|couches|phrases|exemples|lignes)"
)
_OTHER = (
    rf"(?:(?:number|count|amount|quantity|total) of (?:the |attention |parallel |input |all )*{_COUNTED}"
    rf"|num(?:ber)?[_ ]{_COUNTED}"
    rf"|(?:anzahl|zahl) (?:der |an |von |aller |paralleler )*{_COUNTED}|token-?(?:an)?zahl|kopfzahl|kopfanzahl"
    rf"|wortanzahl"
    rf"|nombre (?:total )?(?:de |d'|des |du )*{_COUNTED}"
    r"|(?:length|size) of (?:the |a |an |our |input |output |whole )*(?:sequence|sentence|text|input|context"
    r"|batch|vocabulary|memory|model|embeddings?)"
    r"|(?:sequence|sentence|context|text|input|batch|vocab(?:ulary)?|token|seq|query sequence"
    r"|key sequence)[ _-]?(?:len(?:gth)?|size)s?"
    r"|lange (?:der |des |einer |eines )*(?:\w{0,20}sequenz|\w{0,20}folge|\w{0,20}satzes|\w{0,20}textes|eingabe"
    r"|kontext\w*)"
    r"|(?:sequenz|folgen|satz|text|kontext|eingabe|wort)\w{0,4}lange"
    r"|batch-?\s?(?:gro(?:ss|ß)e|size)|gro(?:ss|ß)e (?:des |der |eines )*(?:batch\w*|stapels|modells"
    r"|vokabulars)|stapelgro(?:ss|ß)e"
    r"|longueur (?:de |du |des |d'|la |l'|une )*(?:sequence|phrase|texte|entree|contexte|suite)"
    r"|taille (?:de |du |des |d'|un |la |l')*(?:batch|lot|mini-?lot|modele|vocabulaire|sequence|contexte)"
    r"|(?:sequence|sentence|text|batch)s? (?:of|with) (?:a )?(?:length|size)|(?:\w{0,20}folge|\w{0,20}sequenz"
    r"|satz|text) (?:der|mit) (?:der )?lange"
    r"|(?:sequence|phrase|suite|texte) de longueur|batch|time steps?|d_ ?model|d_?ff\b|dmodel|model (?:size"
    r"|width|dim\w*)|(?:hidden|residual|ffn?|feed-?forward|inner)[ -]\w{0,12} ?(?:size|width|dim\w*)"
    r"|(?:dim\w*|width|size) (?:of |the |our |whole |full )*(?:model|residual stream|hidden layer|feed-?forward)"
    r"|modell-?\s?(?:dimension|breite|gro(?:ss|ß)e)|dimension (?:des |vom )*modells?|breite des modells?"
    r"|(?:dimension|largeur) (?:du |de |d'|un )*modele|(?:tokens?|worter|mots)\b)"
)
_EMBEDDED = r"embedding[ -]?(?:size|width|dim\w*)|(?:dim\w*|width|size) (?:of |the |our )*embeddings?|einbettungs\w+"
_HEADED = (
    r"d_?[kq]\b|d_?head|\bhead|\bkeys?\b|\bquer(?:y|ies)\b|schlussel|abfrage|anfrage|kopf|\btete|\bcles?\b|requetes?"
    r"|\b[qk]\b|\bvectors?\b|vektor|vecteur|component|komponente|composante|\bterms?\b|summand|\btermes?\b"
    r"|entries|eintrag"
)
_BARE = re.compile(
    r"\W*(?:the |a |die |la |of |their |its )*(?:dim\w*|width|size|gro(?:ss|ß)e|taille|breite|largeur)\W*(?:ist)?\W*"
)
_SHARED = re.compile(
    r"/|÷|\\[td]?frac|\bper\b|divided|geteilt|\bdivise|\bpro\b|\bpar tete|\bof (?:a|one|each|every) head|\beach head"
)
_RE_HEADED = re.compile(_HEADED)
_NARROW = re.compile(
    r"(?:dim\w*|size|width|length|gro(?:ss|ß)e|breite|taille|largeur)\b[^,]{0,12}\b(?:keys?|quer(?:y|ies)|head"
    r"|schlussel|kopf\w*|cles?|tete)\b"
    r"|\b(?:key|query|head|schlussel|kopf)[ -]?(?:dim\w*|size|width|gro(?:ss|ß)e)"
)
_MODEL = re.compile(r"d_? ?model|model|hidden|embedding|modell|modele|width of the model|dim")
_NAME = r"[A-Za-z](?:_[A-Za-z]{1,9})?|d[kqh]|dim"
_ROOT = re.compile(
    rf"(?:\\?sqrt|√)\s?[(\[]?\s?(?P<a>{_NAME})(?![A-Za-z_(])|(?<![A-Za-z_\\])(?P<b>{_NAME})\s?(?:\^"
    rf"|\*\*)\s?[({{]?\s?-?\s?(?:1/2|0[.,]5|\\[td]?frac\s?1\s?2)"
)
_SIZE = re.compile(
    r"dim|width|size|length|gro(?:ss|ß)e|breite|lange|taille|largeur|longueur|d_[kqh]|number|anzahl|nombre"
)
_MATHS = frozenset({
    "sin", "cos", "exp", "log", "sqrt", "frac", "tfrac", "dfrac", "left", "right", "softmax", "sigmoid", "relu",
    "concat", "max", "min", "sum", "top", "intercal", "pos", "cdot", "times", "head_i", "attention",
})  # fmt: skip
"""Words of formulas, which say nothing of a size."""
MAX_LENGTH = 4000
_A_MODEL = 512
"""From this size on a bare d is as likely the size of the model as that of a key."""
_FREE = frozenset("nNmMTLpPrl")
_WRITTEN = {"variance": ("d_k",), "pe_sin": ("d_model",), "pe_cos": ("d_model",), "noam": ("d_model",)}


@cache
def _other() -> re.Pattern[str]:
    return re.compile(_OTHER)


@cache
def _wide() -> re.Pattern[str]:
    return re.compile(_OTHER + "|" + _EMBEDDED)


@lru_cache(maxsize=64)
def _plain(source: str) -> str:
    """Return a text without dress and accents, d_{k} as d_k; single letters keep their case, words do not."""
    text = "".join(c for c in unicodedata.normalize("NFKD", source) if not unicodedata.combining(c))
    text = re.sub(r"\s?_\s*", "_", _DRESS.sub(" ", text).replace("’", "'"))
    text = re.sub(r"(?<![A-Za-z_\\])(d)([kqh])(?![A-Za-z])", r"\1_\2", text)
    return re.sub(r"[A-Za-z]{3,}", lambda word: word.group().lower(), re.sub(r"[ \t]+", " ", text))


def _names(kind: str, text: str) -> set[str]:
    """Return the names in `text` that are read as the size on which the value of this kind turns."""
    if kind in _WRITTEN:
        sizes = _WRITTEN[kind]
        table = {**DIMENSIONS, **kind_of(kind).aliases}
        names = {name for name, what in table.items() if what in sizes} | set(sizes)
        return names | {name.upper() for name in names if len(name) == 1} | (_FREE if kind == "variance" else set())
    if kind in {"attention", "multi_head"}:
        return {found["a"] or found["b"] for found in _ROOT.finditer(text)}
    return set()


@cache
def _saying() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """What is said behind a name, in front of it, and what is counted right behind it; long, so compiled when used."""
    alone = r"(?<![A-Za-z_\\^'])(?P<name>[A-Za-z_]+)(?![A-Za-z_'(]|\s?\(\s?[0\\μ])"
    before = rf"(?P<words>{_OTHER})\s?(?:is|are|=|:|ist|est|be|by|,|\(|equals?|called)?\s?{alone}"
    return (
        re.compile(alone + _SAID),
        re.compile(before),
        re.compile(rf"{alone},? ?(?P<words>{_OTHER}|{_COUNTED}\b)"),
    )


def _told(kind: str, text: str, among: frozenset[str] | None = None) -> Iterator[tuple[str, str]]:
    """Return what is said in words of each such name, in front of it or behind."""
    names = _names(kind, text) & set(re.findall("[A-Za-z_]+", text))
    names = names if among is None else names & among
    if not names or not _speaks(text, names):
        return
    behind, before, counted = _saying()
    for name, words in _every(behind, text, names):
        said = re.split(
            r",? (?:and|und|et|so|with|where|while) [A-Za-z_]{1,7}\s?(?:=|is\b|ist\b|est\b|the\b|die\b)|, ",
            words,
        )[0]
        if re.search(r"(?<!\\)\b[a-z]{3}|\bd_ ?model", said):
            yield name, said.lower()
    other = _other().search(text) is not None  # without such a word there is nothing to look for beside a name
    if other:
        yield from _every(before, text, names)
    if other or re.search(_COUNTED, text):
        yield from ((name, f"number of {words}") for name, words in _every(counted, text, names))


def _speaks(text: str, names: set[str]) -> bool:
    """Whether there is a word beside the names and what formulas are made of."""
    return any(word not in names and word not in _MATHS for word in re.findall(r"[A-Za-z_]{3,}", text))


def _every(pattern: re.Pattern[str], text: str, names: set[str]) -> Iterator[tuple[str, str]]:
    """Return name and words of every match for one of ``names``; what is said of one may hold the next name."""
    at = 0
    while found := pattern.search(text, at):
        if found["name"] in names:
            yield found["name"], found["words"]
        at = found.end("name")


def says_other_size(kind: str, source: str) -> str | None:
    """Return why what is said beside a right formula makes its size another one, or None."""
    if kind in {"attention", "multi_head"} and gives_model_size(source):
        return "Whether d is d_k or d_model is not said; a person should look."
    for name, words in _told(kind, _plain(source)):
        if kind in {"attention", "multi_head", "variance"}:
            other = _wide().search(words) is not None and not _SHARED.search(words)
            strange = name in _FREE and not _RE_HEADED.search(words) and not _BARE.fullmatch(words)
        else:
            found = _other().search(words)
            other = _NARROW.search(words) is not None or (found is not None and not _MODEL.search(words))
            strange = False
        if other or strange:
            return f"It is said that {name} is “{words.strip()[:40]}”; a person should look."
    return None


def gives_model_size(source: str) -> bool:
    """Say whether a bare d is given a number as large as that of a model."""
    found = re.findall(
        r"(?<![\w\\])(?:[dD]|dim)[\s$}]{0,4}(?::?=|is\b|ist\b|est\b)[\s${]{0,4}(\d{3,6})(?![\d.]|\s?[/÷])", source
    )
    return any(int(size) >= _A_MODEL for size in found)


def told_size_names(kind: str, source: str) -> str:
    """Return `source` with d_k in place of a letter that the words say is the size of a key or head."""
    if kind not in {"attention", "variance"} or len(source) > MAX_LENGTH:
        return source
    text = _plain(source)
    if not _SIZE.search(text) or not _RE_HEADED.search(text) or not re.search(r"[a-z]{3} |d_[kqh]", text):
        return source
    for name, words in _told(kind, text, among=_FREE):
        if (
            _SIZE.search(words)
            and _RE_HEADED.search(words)
            and not (_wide().search(words) and not _SHARED.search(words))
        ):
            return re.sub(rf"(?<![A-Za-z\\_]){name}(?![A-Za-z_'])", "d_k ", source)
    return source
