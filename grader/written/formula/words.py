"""The formulas of a text, and what stands beside them that may turn them round.

A formula is found by its delimiters; where it has none, the words around it are taken off. Words beside it are read by
what they mean; what is not understood, a person reads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from grader.written.formula.kinds import Kind
from grader.written.formula.pieces import BREAK, COPULAS, PLAIN, SAID, Piece, mathematics_of, meaning, pieces, told_in
from grader.written.formula.rewriting import MODULES, is_code, undressed, unicode_folded
from grader.written.formula.vocabulary import FUNCTIONS, SIZES

_TOPICS = SAID["topics"]
_NAMED = {word: symbol for symbol, words in SAID["named"].items() for word in words}
_DOING = frozenset(SAID["doing"]["all"])
_ROWS = re.compile(rf"(?<!\w)(?:{'|'.join(SAID['rows']['all']).replace('_', ' ')})(?!\w)", re.IGNORECASE)
_PRODUCT = re.compile(r"[A-Za-z]?[QKVAOSPWXZHMET]{1,2}|W[a-z]|[A-Za-z]+[A-Z]\w*|head[a-z]")
"""QK, or QWiQ and headh, which are copied without their indices."""
_CITED = re.compile(
    r"\b(?:eq|eqn|equation|formula|section|gl|gleichung|formel|abschnitt|step|schritt)\b\.?\s?\(?\d[\d.]*\)?",
    re.IGNORECASE,
)
_WORD = re.compile(r"(?<![\w\\{^_.])[^\W\d_]{2,}(?:[-’'][^\W\d_]{1,})*(?![\w^(\[{]|_\w|\.\w)")
_ARTICLES = frozenset({"a", "A", "I"})
_DEFINITE = frozenset({"the", "die", "der", "das", "la", "le", "el"})
_TOKEN = re.compile(
    r"(?<![\\A-Za-z])[^\W\d_]+(?:[-'’][^\W\d_]+)+"  # dot-product
    r"|[A-Za-z]+_\{?[A-Za-z\d]+\}?(?:\^\{?\w\}?)?"  # d_k, W_i^Q
    r"|(?<![\\A-Za-z])[^\W\d_]+(?:\^\{?\w\}?)?(?:_\{?\w\}?)?|\d+(?:[.,]\d+)*"
)
Spoken = list[tuple[bool, str, str]]
"""What a clause names, in its order: whether it is a symbol or number, which one or what meaning, and the word."""


def _symbol(token: str) -> str:
    """Return a symbol without its dress: d_{k} is d_k, W_i^Q is W^Q."""
    plain = re.sub(r"[{}]", "", token)
    if re.fullmatch(r"d_?(model|k|v|ff)", plain):
        return "d_" + plain.removeprefix("d").removeprefix("_")
    if role := re.fullmatch(r"W(?:_\w)?\^?_?([QKVO])(?:_\w)?", plain):
        return f"W^{role[1]}"
    return re.sub(r"^([Wb])([12])$", r"\1_\2", plain)


def _called(kind: Kind, word: str) -> str:
    """Return our name of what a word or a letter calls."""
    return _symbol(kind.aliases.get(word) or SIZES.get(word) or word)


def disagreements(kind: Kind, text: str, own: frozenset[str], *, equal: bool) -> list[str]:
    """Return the words beside the formulas of `text` that do not agree with the formula of its kind.

    `own` are names of the student's, in lower case. Where the formula is not `equal`, a product may be its rest.
    """
    if kind.id in {"attention", "multi_head"}:
        text = _ROWS.sub(" ", text)
    spoken = (own | {name.lower() for name in kind.words}) - {"true", "false"}
    names = spoken | {*FUNCTIONS}
    out: list[str] = []
    run: list[str] = []
    clause = 0
    for piece in [*pieces(text, names), Piece(0, 0, formula=True, clause=-1)]:
        if piece.formula or piece.clause != clause:
            out += _clause(kind, " , ".join(run), spoken, equal=equal) if run else []
            run, clause = [], piece.clause
        said = text[piece.start : piece.stop]
        told = told_in(said)
        if not piece.formula:
            run.append(said)
        elif told:
            out += _clause(kind, f"{told[1]} is {told[2]}", spoken | {told[1].lower()}, equal=equal)
        else:
            words = said.split()
            for word, verb, value in zip(words, words[1:], words[2:], strict=False):  # the mean is √d_k
                is_mean = "mean" in meaning(word.lower()) and verb.lower() in COPULAS
                out += [word] if is_mean and value.strip(".") not in SAID["meanings"]["zero"] + ("0",) else []
            for word in _WORD.findall(said):
                meant = meaning(word.lower())
                known = word.lower() in names or _PRODUCT.fullmatch(word)
                out += [word] if not known and (not meant or meant - {PLAIN, *_TOPICS[kind.id], *_DOING}) else []
    return out


def _clause(kind: Kind, text: str, known: frozenset[str], *, equal: bool) -> list[str]:
    """Return the words of a clause that are not known, or that say what the formula does not."""
    words = _TOKEN.findall(_CITED.sub(" ", text))
    spoken, strange = _spoken(kind, words, known, equal=equal)
    for word, verb, value in zip(words, words[1:], words[2:], strict=False):  # the position is i
        symbols = {_called(kind, word), _called(kind, value)} & {*SAID[kind.id]}
        plain = len(value) == 1 or "_" in value
        strange += [word] if plain and verb.lower() in COPULAS and len(symbols) > 1 else []
    names = {name for _, name, _ in spoken}
    if names & _DOING:
        order = "+".join(name for symbol, name, _ in spoken if symbol or name in _DOING)
        nouns = SAID.get(f"{kind.id}-phrases", {}).get(order)
        return strange + [
            word for is_symbol, name, word in spoken if nouns is None or not (is_symbol or name in {*_DOING, *nouns})
        ]
    if not re.search(r"[^\W\d_]{2}", re.sub(r"\w*_\S*", "", text)):
        return strange  # 1, 2, …
    if any(is_symbol for is_symbol, *_ in spoken):
        return strange + _misnamed(kind, spoken)
    return strange + [word for _, name, word in spoken if name not in _TOPICS[kind.id]]


def _spoken(kind: Kind, words: list[str], known: frozenset[str], *, equal: bool) -> tuple[Spoken, list[str]]:
    """Return what words name, and the words that mean nothing to us."""
    said = SAID[kind.id]
    spoken: Spoken = []
    strange = []
    for word, following in zip(words, [*words[1:], ""], strict=False):
        is_name = following.lower() in COPULAS or ("_" not in word and following.lower() in _DEFINITE)
        meant = meaning(word.lower()) if len(word) > 1 else frozenset()
        symbol = _called(kind, word)
        symbol = symbol[0] if symbol not in said and re.fullmatch(r"[qk]_[a-z]", symbol) else symbol
        symbol = symbol.lower() if is_name and symbol not in said else symbol
        if (
            len(word) == 1
            or "_" in word
            or "^" in word
            or word[0].isdigit()
            or (symbol in said and (is_name or not meant))
        ):
            if word not in _ARTICLES or is_name:
                spoken.append((True, symbol, word))
            continue
        spoken += [(False, name, word) for name in sorted(meant - {PLAIN})]
        if (
            not meant
            and word.lower() not in known
            and not (equal and _PRODUCT.fullmatch(word) and word.lower() not in FUNCTIONS)
        ):
            strange.append(word)
    return spoken, strange


def _misnamed(kind: Kind, spoken: Spoken) -> list[str]:
    """Return the words that call a symbol what it is not; words and symbols are paired in their order.

    Of what a symbol may be called, one of the words before the stroke has to be among those that are said.
    """
    said = SAID[kind.id]
    groups: list[tuple[list[str], list[tuple[str, str]]]] = []
    first = spoken[0][0]
    for is_symbol, name, word in spoken:
        number = name[0].isdigit()
        if not groups or (is_symbol == first and not number and groups[-1][first]):
            groups.append(([], []))
        if is_symbol and not number:
            groups[-1][0].append(name)
        else:
            groups[-1][1].append((name, word))
    out = []
    for symbols, roles in groups:
        names = [name for name in symbols if name in said]
        heads = [role for role in roles if role[0] not in {"size", "count"}]
        if len(names) > 1 and len(heads) == len(symbols) == len(names):
            told = [([name], [role]) for name, role in zip(names, heads, strict=True)]
        else:
            strange = any(name.startswith("d_") for name in symbols)  # a size that the formula does not know
            others = [role for role in roles if strange or role[0] not in _TOPICS[kind.id]]
            told = [(names, roles)] if names else [([], others)]
        for some, meant in told:
            allowed = {role for name in some for role in said[name]}
            needed = {role for name in some for role in said[name][: said[name].index("|")]}
            wrong = [word for role, word in meant if role not in allowed]
            out += wrong or ([word for _, word in meant] if some and not needed & {role for role, _ in meant} else [])
    return out


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


_ENV = r"\\begin\s?\{(?P<env>(?:equation|align|gather|displaymath|math|multline)\*?)\}"
_SET = re.compile(
    r"\$\$(?P<dd>.+?)\$\$|(?<!\\)\$(?P<d>[^$]+?)(?<!\\)\$|\\\[(?P<b>.+?)\\\]|\\\((?P<p>.+?)\\\)|```\w*\n?(?P<f>.+?)```"
    r"|`(?P<c>[^`\n]+)`",
    re.DOTALL,
)
_BLOCKS = re.compile(_SET.pattern + rf"|{_ENV}(?P<e>.+?)\\end\s?\{{(?P=env)\}}", re.DOTALL)
_TEXT = re.compile(r"\\(?:text|mathrm|textrm|textit|mbox|mathit|operatorname)\s?\{([^{}]*)\}")
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
_WIDE = re.compile(r"=\s?1\s?,[\s,.…]{0,9}(?:\\[lc]?dots)?[\s,{]{0,9}d_\{?\w+")
"""As many heads as a head is wide."""
_CALL = re.compile(r"([A-Za-z]{2,})\}?\s?(?:\\left|\\[bB]igg?l?)?\s?[(\[]")
_MENTION = 14
"""Characters: what is set apart and is no longer, without an equals sign, only names something."""
_SHAPED = re.compile(
    r"W_?\{?(?P<layer>[12])\}?\s*\\in\s*[\\{}a-zA-Z]{1,12}\s*\^\s*[{(]{0,2}\s*(?P<rows>\w+|d_\{?\w+\}?)\s*(?:\\times|x|,)"
    r"\s*(?P<square>(?P=rows)(?!\w))?"
)
_OTHER_ROWS = {"1": re.compile(r"ff|2048"), "2": re.compile(r"model|512")}
"""What a weight matrix of the network has columns for, not rows."""
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s?\{[a-z]+\*?\}(?:\{[^{}]{0,9}\})?")
_OPENING = re.compile(r"\s*\\(?:left|[bB]igg?l?)\s*(?=[(\[])")
_DRESS = re.compile(r"\\(?:[,;:! ]|(?:left|right|[bB]igg?[lr]?|mathbf|boldsymbol|mathsf)(?![A-Za-z]))")
_QUOTED = re.compile(r"(?<=einsum)\(\s?[\"'`][A-Za-z.,>\s-]{3,40}[\"'`]")
"""The letters of an einsum."""


def taken_out(kind: Kind, source: str) -> str:
    """Return the formulas of a text: what stands between delimiters, else the text without plain words around it."""
    source = undressed(source)
    found = list(_SET.finditer(source))
    if found and re.search(r"[^\W\d_]", _SET.sub(" ", source)):
        inside = _inside(found)
        kept = [piece for piece in inside if not _is_mention(piece)]
        return " ;\n".join(kept or inside)
    found = list(_BLOCKS.finditer(source))
    if len(found) > 1 and not re.search(r"[^\s,;.]", _BLOCKS.sub(" ", source)):
        inside = _inside(found)
        return r" \Rightarrow ".join(inside)
    return source if is_code(source) else mathematics_of(kind, source)


def _inside(found: list[re.Match[str]]) -> list[str]:
    return [next(text for name, text in match.groupdict().items() if text and name != "env") for match in found]


def _bare(piece: str) -> str:
    return re.sub(r"\\[A-Za-z]+|[{}\s]", "", piece)


def is_partial(source: str) -> bool:
    """Whether a text sets products apart that are not taken for its formula, such as $AV$: a part may stand there."""
    found = list(_SET.finditer(source))
    products = any(_is_mention(piece) and re.search(r"[A-Z]{2}|[+*(]", _bare(piece)) for piece in _inside(found))
    return products and bool(re.search(r"[^\W\d_]", _SET.sub(" ", source)))


def _is_mention(piece: str) -> bool:
    """Whether what is set apart only names something: short, and neither an equation nor a call."""
    if "=" in piece:
        return False
    called = any(word.lower() in FUNCTIONS for word in _CALL.findall(piece))
    return bool(re.search(r"\\in(?![A-Za-z])|∈", piece)) or (not called and len(_bare(piece)) <= _MENTION)


def strangers(kind: Kind, source: str, *, equal: bool) -> list[str]:
    """Return what stands beside the formulas of a text, is on no list, and may turn what it says round."""
    text = unicode_folded(_TEXT.sub(r" \1", _QUOTED.sub(" ", undressed(source))))
    text = re.sub(r"(?<=[{_^])\s+", "", text)
    own = {name.lower() for name in re.findall(r"([^\W\d_]{2,24})\w{0,24}(?:\([^()]{0,80}\))?\s?&?\s?:?=", text)}
    found = [match[0] for pattern in _TURNING for match in pattern.finditer(text)]
    if kind.waves and not _ONE_OFF.search(text):
        found += _FROM_ONE.findall(text)
    found += _WIDE.findall(text) if kind.id == "multi_head" else []
    shapes = _SHAPED.finditer(text) if kind.id == "ffn" else ()
    found += ["W" for told in shapes if told["square"] or _OTHER_ROWS[told["layer"]].search(told["rows"])]
    text = re.sub(r"=\s?(?:True|False)", "=1", MODULES.sub("", _ENVIRONMENT.sub("\n", text)))
    own |= set() if equal else {*FUNCTIONS}  # a function that words name is judged
    return found + disagreements(
        kind, _DRESS.sub(" ", _OPENING.sub("", text.replace("$", " "))), frozenset(own), equal=equal
    )
