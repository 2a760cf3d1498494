"""Second pass over the tokens: words become functions, symbols or single letters; symbols get their names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from grader.written.formula.kinds import Kind
from grader.written.formula.lexer import Token
from grader.written.formula.tree import Node, node, num, sym
from grader.written.formula.vocabulary import CHANCE, FUNCTIONS, SIZES, table, words

MAX_WORD = 30
MAX_LETTERS = 3  # more letters in a row are a word, not a product
_ROLES, _LAYERS, _SUB_WORDS = table("roles"), table("layers"), words("subscripts", "whole")
_ATTRIBUTES, _FREE_ATTRIBUTES = words("attributes"), words("attributes", "free")
_WEIGHT = re.compile(r"[Ww](?:[QKVOqkvo])?|Wout|Wo")
_INDEX = re.compile(r"(?:[a-zHN]|\d{1,3}|[a-z][+-]\d)(?:,?(?:[a-z]|\d{1,3}|[a-z][+-]\d))?")


@dataclass(frozen=True)
class Lexicon:
    """What the words of one formula may mean: the kind's words, and the student's own names and functions."""

    kind: Kind
    own: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)
    code: bool = False

    @property
    def words(self) -> frozenset[str]:
        """Names of several letters, which are not cut."""
        return self.kind.words | self.own

    def alias(self, name: str) -> str | None:
        """Return our name of a symbol, or None."""
        return self.aliases.get(name) or self.kind.aliases.get(name) or SIZES.get(name)


def function_of(word: str, *, chance: bool) -> str | None:
    """Return the canonical function of a word, or None; `chance` adds variance and expectation."""
    if word == "LN":
        return "layernorm"
    found = (CHANCE.get(word) or CHANCE.get(word.lower() if len(word) > 1 else word)) if chance else None
    return found or (FUNCTIONS.get(word.lower().replace("_", "")) if len(word.replace("_", "")) > 1 else None)


# ------------------------------------------------------------------------------------------------ names of symbols


def index_nodes(text: str) -> tuple[Node, ...] | None:
    """Return the nodes of an index such as i, 12, ij, i,j or l+1, or None where the text is no index."""
    if text in SIZES:
        return (sym(SIZES[text]),)
    if not _INDEX.fullmatch(text):
        return None
    nodes = []
    for letter, offset, number in re.findall(r"([a-zHN])([+-]\d)?|(\d{1,3})", text):
        plain = sym(letter) if letter else num(float(number))
        nodes.append(node(offset[0], plain, num(float(offset[1:]))) if offset else plain)
    return tuple(nodes)


def is_weight(base: str) -> bool:
    """Say whether the letters begin the name of a weight matrix."""
    return bool(_WEIGHT.fullmatch(base))


def _weight(base: str, label: str) -> Node:
    """Name a weight matrix: W^Q, W^K, W^V, W^O with a head's index, or W_1 and W_2."""
    parts = [base[1:]] if len(base) > 1 else []
    for chunk in re.findall(r"[A-Za-z0-9]+", label):
        whole = chunk.lower() in _ROLES or chunk.lower() in _LAYERS or chunk.isdigit() or len(chunk) > MAX_LETTERS
        parts += [chunk] if whole else re.findall(r"\d+|[A-Za-z]", chunk)
    role = ""
    rest: list[str] = []
    for part in parts:
        if not role and part.lower() in _ROLES and not (part == "0" and rest):
            role = _ROLES[part.lower()]
        else:
            rest.append(part)
    if role:
        return sym(f"W^{role}", *(index_nodes(",".join(rest)) or ()))
    layer = _LAYERS.get(rest[0].lower(), rest[0]) if len(rest) == 1 else ""
    if layer in {"1", "2"} or (layer and index_nodes(layer) is None):
        return sym(f"W_{layer}")
    return sym(base[0], *(index_nodes(layer or ",".join(rest)) or ()))


def symbol(base: str, sub: str, label: str, lexicon: Lexicon) -> Node:
    """Return the symbol written as `base_sub^label`; `sub` and `label` are flat texts without braces and spaces."""
    if is_weight(base) and (base != "w" or sub or label):
        return _weight(base, f"{sub},{label}")
    inner, extra = sub.strip("()"), label.strip("()")
    if base in {"b", "B"} and (sub or label):
        return sym(f"b_{_LAYERS.get((inner or extra).lower(), inner or extra)}")
    whole = (f"{base}_{inner}" if sub else base).replace(",", "")
    known = lexicon.alias(whole) or lexicon.alias(whole.lower())
    if known and not label:
        return sym(known)
    if sub and base in {"d", "D", "dim"}:
        return sym(whole)  # d_x is some other size, not d with an index
    index, second = (index_nodes(text) if text else () for text in (inner, extra))
    if index is not None and second is not None:
        return sym(lexicon.aliases.get(base) or lexicon.kind.aliases.get(base, base), *index, *second)
    return sym(whole + (f"^{label}" if label else ""))


# ------------------------------------------------------------------------------------------------- runs of letters


@lru_cache(maxsize=4096)
def split_word(text: str, known: frozenset[str]) -> tuple[str, ...]:
    """Cut a run of letters into known words and single letters; a long unknown word stays whole."""
    if text in known or text.lower().replace("_", "") in FUNCTIONS or len(text) == 1 or len(text) > MAX_WORD:
        return (text,)
    if re.fullmatch(r"head[a-z]", text):
        return ("head", "_", text[4])
    best: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    for end in range(1, len(text) + 1):
        options = []
        for start in range(max(0, end - 24), end):
            piece, (cost, before) = text[start:end], best[start]
            if len(piece) == 1:
                options.append((cost + 3, (*before, piece)))
            elif piece in known or (len(piece) >= MAX_LETTERS and piece.lower() in FUNCTIONS):
                options.append((cost + 2, (*before, piece)))
        best.append(min(options))
    pieces = best[-1][1]
    letters = sum(len(piece) == 1 for piece in pieces)
    return pieces if letters <= MAX_LETTERS else (text,)


def split_subscript(base: str, text: str, known: frozenset[str], *, lowered: bool = False) -> tuple[str, str]:
    """Cut the letters after `_` into the subscript and what follows it (`d_kV`: k, V).

    `lowered` says that the last letter carries a subscript of its own (`q_ik_i`).
    """
    if lowered and len(text) == 2:
        return text[0], text[1]
    if text in _SUB_WORDS:
        return text, ""
    for end in range(len(text), 0, -1):
        if f"{base}_{text[:end]}" in known or f"{base}_{text[:end]}" in SIZES:
            return text[:end], text[end:]
    first = re.match(r"[a-z]+|[A-Z][a-z]{2,}|.", text)
    size = len(text) if text.islower() or not first else first.end()
    return text[:size], text[size:]


def is_attribute(tokens: list[Token], at: int) -> bool:
    """Say whether the token at `at` is an attribute after a point, such as .T or .dot(."""
    if at >= len(tokens) or tokens[at].kind not in {"word", "func"}:
        return False
    called = at + 1 < len(tokens) and tokens[at + 1].kind == "open"
    return tokens[at].text in _FREE_ATTRIBUTES or (called and tokens[at].text in _ATTRIBUTES)


def _snake(tokens: list[Token], at: int, known: frozenset[str]) -> int:
    """Return how many tokens from `at` make one snake_case word such as step_num or layer_norm (0: none)."""
    text, size = tokens[at].text, 1
    numbered = f"{text}{tokens[at + 1].text}" if tokens[at + 1 : at + 2] else ""
    if numbered in known and tokens[at + 1].kind == "num":  # arg1
        return 2
    while [part.kind for part in tokens[at + size : at + size + 2]] == ["op", "word"]:
        mark, part = tokens[at + size : at + size + 2]
        if mark.text != "_" or not mark.glued or not part.glued:
            break
        text += "_" + part.text
        size += 2
        plain = text.lower().replace("_", "")
        follows = tokens[at + size].text if at + size < len(tokens) else ""
        long = follows != "_" and any(len(part) > 1 for part in text.split("_"))
        if text in known or plain in FUNCTIONS or (plain in known and long):
            return size
    return 0


def spell(tokens: list[Token], lexicon: Lexicon) -> list[Token]:
    """Resolve every word; a function becomes kind "func", letters become words of one letter."""
    kind = lexicon.kind
    tokens = [token for token in tokens if token.kind != "newline"]
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        before = out[-1] if out else Token("", "")
        if token.kind != "word" or (before.text == "." and is_attribute(tokens, at)):
            out.append(token)
            at += 1
            continue
        size = _snake(tokens, at, lexicon.words) or 1
        after = tokens[at + size] if at + size < len(tokens) else Token("", "")
        at += size
        if size > 1:
            text = "_".join(part.text for part in tokens[at - size : at] if part.text != "_")
            word = _whole(replace(token, text=text), lexicon)
            out.append(replace(word, kind="func") if kind.opaque and after.kind == "open" else word)
        elif before.text == "_" and len(out) > 1 and not token.solid:
            sub, rest = split_subscript(out[-2].text, token.text, lexicon.words, lowered=after.text == "_")
            out.append(replace(token, text=sub, solid=True))
            if rest:
                out += _cut(replace(token, text=rest, glued=True), lexicon, out, after)
        elif before.text == "_" and len(out) > 1:
            out.append(token)
        elif before.kind == "group" and len(out) > 1 and out[-2].text == "_":
            out.append(replace(token, solid=True))
        else:
            out += _cut(token, lexicon, out, after)
    return out


def _whole(token: Token, lexicon: Lexicon) -> Token:
    if token.text in lexicon.functions:
        return replace(token, kind="func", solid=True)
    name = function_of(token.text, chance=lexicon.kind.chance)
    return replace(token, kind="func", text=name) if name else replace(token, solid=True)


def _cut(token: Token, lexicon: Lexicon, before: list[Token], after: Token) -> list[Token]:
    """Return the letters and words that a run of letters stands for."""
    kind = lexicon.kind
    called = after.kind == "open"
    limit = bool(before) and before[-1].text in {"^", "_"}  # the d of Σ^d (…)
    if kind.opaque and called and not limit and token.text not in {"x", "X"}:
        return [replace(token, kind="func", text=function_of(token.text, chance=False) or token.text)]
    pieces = list(split_word(token.text, lexicon.words))
    merges = kind.matrices and "W" not in lexicon.own
    for at in range(len(pieces) - 1, 0, -1) if merges else ():  # XWQ is X times W^Q
        if len(pieces[at]) == 1 and pieces[at] in "QKVOqkvo" and pieces[at - 1] in {"W", "w"}:
            pieces[at - 1 : at + 1] = [pieces[at - 1] + pieces[at]]
    if token.solid and len(token.text) > MAX_LETTERS and len(pieces) >= MAX_LETTERS:
        pieces = [token.text]
    out: list[Token] = []
    for at, piece in enumerate(pieces):
        part = replace(token, text=piece, glued=token.glued or at > 0)
        last = at == len(pieces) - 1
        matrix = (out or before or [Token("", "")])[-1]
        turned = piece == "T" and at and last and kind.matrices and matrix.kind == "word"
        if piece == "_":
            out.append(replace(part, kind="op"))
        elif turned and (matrix.text in {"K", "Q", "V", "X", "k", "q"} or is_weight(matrix.text)):
            out += [Token("op", "^", glued=True), Token("op", "T", glued=True)]
        elif len(piece) == 1 and not (kind.chance and called and piece in {"V", "E"}):
            out.append(replace(part, kind="func") if piece in lexicon.functions and called and last else part)
        else:
            out.append(_whole(part, lexicon))
    return out
