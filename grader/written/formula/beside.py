"""What the words beside a formula mean, and whether all of it agrees with the formula.

A word is plain speech, or names a quantity (key, position), an operation (add, softmax), an axis or a kind of column.
Of a quantity it may say only what it is: "d_k is the length of the sentence" agrees with nothing. An operation has to
be one that the formula has. What is none of these may turn the formula round, so that a person reads the whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from grader.written.formula.kinds import Kind
from grader.written.formula.meanings import COPULAS, PLAIN, SAID, meaning
from grader.written.formula.pieces import BREAK, Piece, pieces, told_in
from grader.written.formula.vocabulary import FUNCTIONS, Section

_TOPICS, _DONE = SAID["topics"], SAID["done"]
_NAMED = {word: symbol for symbol, words in SAID["named"].items() for word in words}
_OPERATIONS, _ORDER = frozenset(SAID["operations"]["all"]), frozenset(SAID["order"]["all"])
_PAIRS = [frozenset(words) for words in SAID["pairs"].values()]
_SHAPES = {"W_1": ["512", "2048"], "W_2": ["2048", "512"]}
_ROLE_OF = {"Q": "query", "K": "key", "V": "value"}
_FITTING = {"sine": "even", "cosine": "odd"}
_BY_ROWS = re.compile(rf"(?<!\w)(?:{'|'.join(SAID['rows']['all']).replace('_', ' ')})(?!\w)", re.IGNORECASE)
_PRODUCT = re.compile(r"[A-Za-z]?[QKVAOSPWXZHMET]{1,2}|W[a-z]|[A-Za-z]+[A-Z]\w*|head[a-z]")
"""QK, or QWiQ and headh, which are copied without their indices."""
_CITED = re.compile(
    r"\b(?:eq|eqn|equation|formula|section|gl|gleichung|formel|abschnitt|step|schritt)\b\.?\s?\(?\d[\d.]*\)?",
    re.IGNORECASE,
)
_WORD = re.compile(r"(?<![\w\\{^_.])[^\W\d_]{2,}(?:[-’'][^\W\d_]{1,})*(?![\w^(\[{]|_\w|\.\w)")
_ARTICLES = frozenset({"a", "A", "I"})
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
    spoken = (own | {name.lower() for name in kind.words}) - {"true", "false"}
    names = spoken | {*FUNCTIONS}
    out: list[str] = []
    run: list[str] = []
    clause = 0
    for piece in [*pieces(text, names), Piece(0, 0, formula=True, clause=-1)]:
        if piece.formula or piece.clause != clause:
            out += _clause(kind, " , ".join(run), spoken) if run else []
            run, clause = [], piece.clause
        said = text[piece.start : piece.stop]
        told = told_in(said)
        if not piece.formula:
            run.append(said)
        elif told:
            out += _clause(kind, f"{told[1]} is {told[2]}", spoken | {told[1].lower()})
        else:
            for word in _WORD.findall(said):
                meant = meaning(word.lower())
                known = word.lower() in names or _PRODUCT.fullmatch(word)
                out += [word] if not known and (not meant or meant - {PLAIN, *_TOPICS[kind.id]}) else []
    return out


Spoken = list[tuple[str, str, str]]
"""What a clause names, in its order: whether it is a symbol or a role, which one, and the word."""


def _clause(kind: Kind, text: str, known: frozenset[str]) -> list[str]:
    """Return the words of a clause that are not known, or that say what the formula does not."""
    said = SAID[kind.id]
    words = _TOKEN.findall(_CITED.sub(" ", text))
    spoken, out = _spoken(kind, said, words, known)
    roles = [name for what, name, _ in spoken if what == "role"]
    symbols = [name for what, name, _ in spoken if what == "symbol" and name in said]
    done = [name for name in roles if name in _OPERATIONS]
    topics = {*_TOPICS[kind.id]}
    if _columns_fit(roles):
        topics |= {"even", "odd"}
    if "layer" in roles and not done:
        topics.add("after")
    if done and "axis" in roles:  # the maximum over all positions
        topics.discard("axis")
    if "softmax" in done:
        topics -= {"value", "head", "input", "output"}
    if {"even", "odd"} & topics and {"size", "index", "columns"} & {*roles}:
        topics.discard("every")
    combined = {*roles, *(_ROLE_OF[name] for name in symbols if name in _ROLE_OF)} & frozenset().union(*_PAIRS)
    if done and kind.id == "attention" and not any(combined <= pair for pair in _PAIRS):
        topics -= combined
    if {"add", "variance"} <= {*done} and "multiply" not in done:
        topics.discard("variance")
    speaks = any(len(word) > 1 and word.isalpha() for word in words)
    numbers = [name for what, name, _ in spoken if what == "symbol" and name[0].isdigit() and speaks]
    if numbers == [number for name in symbols for number in _SHAPES.get(name, "?")]:
        numbers = []
    acted_on = _acted_on(spoken, {*numbers, *(symbols if done else [])})
    out += [pair.partition("-")[2] for pair in acted_on if pair not in _DONE.get(kind.id, ())]
    if {"q", "k"} & {*symbols} and "variance-d_k" in acted_on:
        out.append("d_k")
    if symbols and not done:
        return out + _misnamed(said, spoken, topics & ({"even", "odd"} if "W" in symbols else {"even", "odd", "every"}))
    out += [word for what, name, word in spoken if what == "role" and name not in topics]
    ordered = any(word.lower() in _ORDER for word in words)
    return out + (_wrong_order(kind, done) if ordered else [])


def _acted_on(spoken: Spoken, names: set[str]) -> list[str]:
    """Return each symbol and number behind the operation that is said of it: the one before it, else the one after."""
    out = []
    for at, (what, name, _) in enumerate(spoken):
        if what == "symbol" and name in names:
            before = [role for _, role, _ in spoken[:at] if role in _OPERATIONS]
            behind = [role for _, role, _ in spoken[at:] if role in _OPERATIONS]
            out.append(f"{before[-1] if before else [*behind, ''][0]}-{name}")
    return out


def _spoken(kind: Kind, said: Section, words: list[str], known: frozenset[str]) -> tuple[Spoken, list[str]]:
    """Return what words name, and the words that mean nothing to us."""
    spoken: Spoken = []
    strange = []
    for word, following in zip(words, [*words[1:], ""], strict=False):
        meant = meaning(word.lower()) if len(word) > 1 else frozenset()
        symbol = _symbol(word if meant else kind.aliases.get(word, word))
        symbol = symbol if symbol in said else symbol[0] if re.fullmatch(r"[qk]_[a-z]", symbol) else symbol
        subject = symbol in said and (not meant or following.lower() in COPULAS)
        if len(word) == 1 or "_" in word or "^" in word or word[0].isdigit() or subject:
            if word not in _ARTICLES or (word == "A" and following.lower() in COPULAS):
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
    waves = [name for name in roles if name in _FITTING]
    return [_FITTING[wave] for wave in waves] == [name for name in roles if name in _FITTING.values()]


def _wrong_order(kind: Kind, done: list[str]) -> list[str]:
    """Return the operations that are said in another order than the formula's."""
    before, after = (
        [at for at, name in enumerate(done) if name in SAID[when].get(kind.id, ())] for when in ("earlier", "later")
    )
    return [done[after[0]]] if before and after and after[0] < before[0] else []


def _misnamed(said: Section, spoken: Spoken, anyway: set[str]) -> list[str]:
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
            out += [word for name, (role, word) in pairs if role not in said[name]]
        elif names:
            allowed = {role for name in names for role in said[name]} | anyway
            out += [word for role, word in roles if role not in allowed]
    return out
