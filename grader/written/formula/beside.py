"""What the words beside a formula mean, and whether all of it agrees with the formula.

A word is plain speech, or names a quantity (key, position), an operation (add, softmax), an axis or a kind of column.
Of a quantity it may say only what it is: "d_k is the length of the sentence" agrees with nothing. An operation has to
be one that the formula has. What is none of these may turn the formula round, so that a person reads the whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product

from grader.written.formula.kinds import Kind
from grader.written.formula.meanings import PLAIN, meaning
from grader.written.formula.pieces import BREAK, COPULA, Piece, pieces, told_in
from grader.written.formula.vocabulary import FUNCTIONS

_QKV = "query key value head weight project input output size attention score learned"
_PLACES = "position token index size model encoding sine cosine columns axis value divide"
_TOPICS: Mapping[str, frozenset[str]] = {
    kind: frozenset([*words.split(), "every", "first", "second"])
    for kind, words in {
        "attention": f"{_QKV} scale root transpose softmax multiply divide add token sequence index",
        "multi_head": f"{_QKV} concat own layer softmax multiply scale root transpose divide model",
        "pe_sin": f"{_PLACES} even",
        "pe_cos": f"{_PLACES} odd",
        "ffn": "position token layer weight input output relu max activation learned add multiply model size axis same"
        " project zero between",
        "add_norm": "input output layer add norm token attention model size position",
        "noam": "current step warmup rate model size min count multiply root power",
        "variance": "query key index variance deviation mean add multiply attention size same root zero",
    }.items()
}
"""What a text beside each kind of formula may speak of without saying it of a symbol."""
_WIDTH, _HEAD_WIDTH, _WARMUP = "size model", "size query key head", "count warmup step"
_PROJECTION = "weight project output learned query key value head size"
_INPUTS = {"Q": "query input rows", "K": "key input rows", "V": "value input rows", "X": "input token model"}
_WIDTHS = {"d_k": _HEAD_WIDTH, "d_v": "size value head"}
_SAID: Mapping[str, Mapping[str, str]] = {
    "attention": {
        **_INPUTS, **_WIDTHS, "d": _HEAD_WIDTH, "n": "count token query key sequence size position", "T": "transpose",
    },
    "multi_head": {
        **_INPUTS, **_WIDTHS, **dict.fromkeys(("d", "d_model"), _WIDTH),
        "h": "count head", "i": "head index", "W": _PROJECTION,
    },
    "pe_sin": {
        "pos": "position token sequence", "i": "index size columns",
        **dict.fromkeys(("d", "d_model"), f"{_WIDTH} encoding"),
    },
    "noam": {
        **dict.fromkeys(("d", "d_model"), _WIDTH), "step": "step count current", **dict.fromkeys("stn", "step current"),
        **dict.fromkeys(("w", "warmup", "T_w", "s_w"), _WARMUP),
    },
    "ffn": {
        "W_1": "weight layer input first learned", "W_2": "weight layer output second learned",
        "b_1": "weight layer first", "b_2": "weight layer second",
        "x": "input position token",
    },
    "add_norm": {"x": "input layer", "sublayer": "layer attention output"},
    "variance": {"q": "query index", "k": "key index", "d_k": "size key query index", "d": "size key query"},
}  # fmt: skip
"""What may be said of a symbol."""
_NAMED = {
    "query": "Q", "key": "K", "value": "V", "position": "pos", "index": "i", "step": "step", "warmup": "warmup",
}  # fmt: skip
"""The symbol of the paper that a word tells of a letter of the student's own."""
_DONE_TO: Mapping[str, frozenset[tuple[str, str]]] = {
    "attention": frozenset(
        {("multiply", "V"), ("add", "V"), ("multiply", "Q"), ("transpose", "K"), ("transpose", "T"), ("root", "d_k")}
    ),
    "multi_head": frozenset({("multiply", "W"), ("project", "W"), ("concat", "W")}),
    "add_norm": frozenset({("add", "x")}),
    "ffn": frozenset({("multiply", "W"), ("max", "0"), ("relu", "0")}),
    "variance": frozenset(
        {("mean", "0"), ("variance", "1"), ("variance", "d_k"), *product(("mean", "variance"), "qk")}
    ),
}  # fmt: skip
_SHAPES = {"W_1": "512 2048", "W_2": "2048 512"}
_PAIRS = (frozenset({"query", "key", "score"}), frozenset({"weight", "value"}))
_ROLE_OF = {"Q": "query", "K": "key", "V": "value"}
_COMBINED = frozenset().union(*_PAIRS)
"""What attention multiplies: queries with keys, weights with values."""
_ORDER = {
    "attention": ("divide scale", "softmax"),
    "add_norm": ("add", "norm"),
    "ffn": ("relu max", "project"),
}
"""What is done before what."""
_PRODUCT = re.compile(r"[A-Za-z]?[QKVAOSPWXZHMET]{1,2}|W[a-z]|[A-Za-z]+[A-Z]\w*|head[a-z]")
"""QK, or QWiQ and headh, which are copied without their indices."""
_CITED = re.compile(
    r"\b(?:eq|eqn|equation|formula|section|gl|gleichung|formel|abschnitt|step|schritt)\b\.?\s?\(?\d[\d.]*\)?",
    re.IGNORECASE,
)
_FIRST = frozenset({"first", "then", "erst", "zuerst", "dann", "danach", "finally", "zuletzt", "next", "after"})
_WORD = re.compile(r"(?<![\w\\{^_.])[^\W\d_]{2,}(?:[-’'][^\W\d_]{1,})*(?![\w^(\[{]|_\w|\.\w)")
_ARTICLES = frozenset({"a", "A", "I"})
_DOING = "add norm multiply divide scale root transpose concat mean variance deviation softmax relu max min sine cosine"
_OPERATIONS = frozenset([*_DOING.split(), "power"])
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
_TOKEN = re.compile(
    r"(?<![\\A-Za-z])[^\W\d_]+(?:[-'’][^\W\d_]+)+"  # dot-product
    r"|[A-Za-z]+_\{?[A-Za-z\d]+\}?(?:\^\{?\w\}?)?"  # d_k, W_i^Q
    r"|(?<![\\A-Za-z])[^\W\d_]+(?:\^\{?\w\}?)?(?:_\{?\w\}?)?|\d+(?:\.\d+)?"
)


def _symbol(token: str) -> str:
    """Return a symbol without its dress: d_{k} is d_k, W_i^Q is W."""
    plain = re.sub(r"[{}]", "", token)
    if re.fullmatch(r"d_?(model|k|v|ff)", plain):
        return "d_" + plain.removeprefix("d").removeprefix("_")
    if re.fullmatch(r"W\w*(\^\w)?(_\w)?", plain) and not re.fullmatch(r"W_?[12]", plain):
        return "W"
    return re.sub(r"^([Wb])([12])$", r"\1_\2", plain)


def disagreements(kind: Kind, text: str, own: frozenset[str]) -> list[str]:
    """Return the words beside the formulas of `text` that do not agree with the formula of its kind.

    `own` are names of the student's, in lower case.
    """
    if kind.id in {"attention", "multi_head"}:
        text = _BY_ROWS.sub(" ", text)
    names = (own | {name.lower() for name in FUNCTIONS} | {name.lower() for name in kind.words}) - {"true", "false"}
    spoken = names - {name.lower() for name in FUNCTIONS} | own
    out: list[str] = []
    run: list[str] = []
    clause = 0
    for piece in [*pieces(text, names), Piece(0, 0, formula=True, clause=-1)]:
        if piece.formula or piece.clause != clause:
            out += _clause(kind, " , ".join(run), spoken) if run else []
            run, clause = [], piece.clause
        said = text[piece.start : piece.stop]
        if not piece.formula:
            run.append(said)
            continue
        told = told_in(said)
        if told:
            out += _clause(kind, f"{told[1]} is {told[2]}", spoken | {told[1].lower()})
            continue
        for word in _WORD.findall(said):
            meant = meaning(word.lower())
            if (
                word.lower() not in names
                and not _PRODUCT.fullmatch(word)
                and (not meant or meant - {PLAIN} - _TOPICS[kind.id])
            ):
                out.append(word)
    return out


Spoken = list[tuple[str, str, str]]
"""What a clause names, in its order: whether it is a symbol or a role, which one, and the word."""


def _clause(kind: Kind, text: str, known: frozenset[str]) -> list[str]:
    """Return the words of a clause that are not known, or that say what the formula does not."""
    said = _SAID.get("pe_sin" if kind.id == "pe_cos" else kind.id, {})
    words = _TOKEN.findall(_CITED.sub(" ", text))
    spoken, out = _spoken(kind, said, words, known)
    roles = [(name, word) for what, name, word in spoken if what == "role"]
    symbols = [name for what, name, _ in spoken if what == "symbol" and name in said]
    named = {name for name, _ in roles}
    done = [name for name, _ in roles if name in _OPERATIONS]
    topics = _TOPICS[kind.id] | ({"even", "odd"} if _columns_fit([name for name, _ in roles]) else set())
    topics |= {"after"} if "layer" in named and not done else set()
    speaks = any(len(word) > 1 and word.isalpha() for word in words)
    numbers = [name for what, name, _ in spoken if what == "symbol" and name[0].isdigit() and speaks]
    if " ".join(numbers) == " ".join(_SHAPES.get(name, "?") for name in symbols):
        numbers = []
    if done and "axis" in named:  # the maximum over all positions
        topics -= {"axis"}
    if "softmax" in done:
        topics -= {"value", "head", "input", "output"}
    if {"even", "odd"} & topics and named & {"size", "index", "columns"}:
        topics -= {"every"}
    combined = (named | {_ROLE_OF[name] for name in symbols if name in _ROLE_OF}) & _COMBINED
    if done and kind.id == "attention" and not any(combined <= pair for pair in _PAIRS):
        topics -= _COMBINED
    if {"add", "variance"} <= {*done} and "multiply" not in done:
        topics -= {"variance"}
    acted_on = _acted_on(spoken, {*numbers, *(symbols if done else [])})
    out += [name for what, name in acted_on if (what, name) not in _DONE_TO.get(kind.id, ())]
    if kind.id == "variance" and {"q", "k"} & {*symbols} and ("variance", "d_k") in acted_on:
        out.append("d_k")
    if symbols and not done:
        return out + _misnamed(said, spoken, topics & ({"even", "odd"} if "W" in symbols else {"even", "odd", "every"}))
    out += [word for name, word in roles if name not in topics]
    return out + (_wrong_order(kind, done) if any(word.lower() in _FIRST for word in words) else [])


def _acted_on(spoken: Spoken, names: set[str]) -> list[tuple[str, str]]:
    """Return each symbol and number with the operation that is said of it: the one before it, else the one behind."""
    out = []
    for at, (what, name, _) in enumerate(spoken):
        if what == "symbol" and name in names:
            before = [role for _, role, _ in spoken[:at] if role in _OPERATIONS]
            behind = [role for _, role, _ in spoken[at:] if role in _OPERATIONS]
            out.append((before[-1] if before else behind[0] if behind else "", name))
    return out


def _spoken(kind: Kind, said: Mapping[str, str], words: list[str], known: frozenset[str]) -> tuple[Spoken, list[str]]:
    """Return what words name, and the words that mean nothing to us."""
    spoken: Spoken = []
    strange = []
    for word, following in zip(words, [*words[1:], ""], strict=False):
        meant = meaning(word.lower()) if len(word) > 1 else frozenset()
        symbol = _symbol(word if meant else kind.aliases.get(word, word))
        symbol = symbol if symbol in said else symbol[0] if re.fullmatch(r"[qk]_[a-z]", symbol) else symbol
        subject = symbol in said and (not meant or following.lower() in COPULA)
        if len(word) == 1 or "_" in word or "^" in word or word[0].isdigit() or subject:
            if word not in _ARTICLES or (word == "A" and following.lower() in COPULA):
                spoken.append(("symbol", symbol, word))
            continue
        spoken += [("role", name, word) for name in sorted(meant - {PLAIN})]
        if not meant and word.lower() not in known and not _PRODUCT.fullmatch(word):
            strange.append(word)
    return spoken, strange


def told_names(kind: Kind, text: str) -> Mapping[str, str]:
    """Return the paper's symbol for a letter that the words call query, key, step, …: A are the queries."""
    out: dict[str, str] = {}
    for clause in BREAK.split(text):
        letter = ""
        roles: dict[str, set[str]] = {}
        for word in _TOKEN.findall(clause):
            if "_" in word or (len(word) == 1 and word.isalpha() and word not in _ARTICLES - {"A"}):
                letter = word
            roles.setdefault(letter, set()).update(meaning(word.lower()) if len(word) > 1 else ())
        for name, said in roles.items():
            size = "d_k" if said & {"key", "query", "head"} else "d_model" if "model" in said else ""
            other = next((_NAMED[role] for role in sorted(said) if role in _NAMED), "")
            symbol = size if "size" in said else other if name not in kind.aliases else ""
            if (
                len(name) == 1
                and name not in kind.roles
                and symbol in {*kind.roles, *kind.aliases.values()}
                and kind.aliases.get(name) != symbol
            ):
                out[name] = symbol
    return out if len({*out.values()}) == len(out) else {}


def _columns_fit(roles: list[str]) -> bool:
    """Say whether the sine is said of the even columns and the cosine of the odd ones."""
    waves = [name for name in roles if name in {"sine", "cosine"}]
    sides = [name for name in roles if name in {"even", "odd"}]
    fitting = {"sine": "even", "cosine": "odd"}
    return len(waves) == len(sides) and all(fitting[wave] == side for wave, side in zip(waves, sides, strict=True))


def _wrong_order(kind: Kind, done: list[str]) -> list[str]:
    """Return the operations that are said in another order than the formula's."""
    earlier, later = _ORDER.get(kind.id, ("", ""))
    before = [at for at, name in enumerate(done) if name in earlier.split()]
    after = [at for at, name in enumerate(done) if name in later.split()]
    return [done[after[0]]] if before and after and after[0] < before[0] else []


def _misnamed(said: Mapping[str, str], spoken: Spoken, anyway: frozenset[str] | set[str]) -> list[str]:
    """Return the words that call a symbol what it is not; words and symbols are paired in their order."""
    groups: list[tuple[list[str], list[tuple[str, str]]]] = []
    first = spoken[0][0]
    for what, name, word in spoken:
        if not groups or (what == first and groups[-1][first == "symbol"]):
            groups.append(([], []))
        if what == "symbol":
            groups[-1][0].append(name)
        else:
            groups[-1][1].append((name, word))
    out = []
    for symbols, roles in groups:
        names = [name for name in symbols if name in said]
        heads = [role for role in roles if role[0] not in {"size", "count"}]
        if len(names) > 1 and len(heads) == len(symbols) == len(names):
            pairs = zip(names, heads, strict=True)
            out += [word for name, (role, word) in pairs if role not in said[name].split()]
        elif names:
            allowed = {role for name in names for role in said[name].split()} | anyway
            out += [word for role, word in roles if role not in allowed]
    return out
