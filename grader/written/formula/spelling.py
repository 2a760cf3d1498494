"""Second pass over the tokens: words become functions, symbols or single letters."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.written.formula.names import FUNCTIONS, MAX_LETTERS, function_of, is_weight, split_subscript, split_word
from grader.written.formula.tokens import Token


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What the words of one formula may mean: known words, matrix letters, and which names are special."""

    words: frozenset[str]
    chance: bool = False  # variance and expectation are functions
    matrices: bool = True  # a T at the end of letters, and a prime, are transposes
    functions: frozenset[str] = frozenset()  # functions the student defines
    opaque: bool = False  # any word before a bracket is a function (sublayers)


_ATTRIBUTES = frozenset(
    {
        "T", "t", "mT", "transpose", "permute", "swapaxes", "shape", "size", "dot", "matmul", "mm", "bmm",
        "softmax", "relu", "exp", "sqrt", "div", "mul", "clamp", "clip", "float", "item", "sum",
        "view", "sigmoid", "tanh", "mean", "var", "std",
    }
)  # fmt: skip


def is_attribute(tokens: list[Token], at: int) -> bool:
    """Say whether the token at `at` is an attribute after a point, such as .T or .dot(."""
    if at >= len(tokens) or tokens[at].kind not in {"word", "func"}:
        return False
    word = tokens[at].text
    called = at + 1 < len(tokens) and tokens[at + 1].text in {"(", "["}
    return word in {"T", "mT", "shape"} or (word in _ATTRIBUTES and called)


def _unwrapped(tokens: list[Token]) -> list[Token]:
    """Drop braces around a single word that are no argument: {softmax}(…), {W}^Q."""
    out: list[Token] = []
    for at, token in enumerate(tokens):
        single = token.kind == "group" and at + 2 < len(tokens) and tokens[at + 1].kind == "word"
        alone = single and tokens[at + 2].kind == "endgroup"
        before = tokens[at - 1] if at else None
        argument = before is not None and (
            before.text in {"_", "^", "frac"} or before.kind in {"word", "close", "endgroup"}
        )
        if alone and not argument:
            out.append(Token("drop", "{"))
        elif token.kind == "endgroup" and len(out) > 1 and out[-2].kind == "drop":
            out.append(Token("drop", "}"))
        else:
            out.append(token)
    return [token for token in out if token.kind != "drop"]


def _numbered_functions(tokens: list[Token]) -> list[Token]:
    """Drop the number of norm1(…) and sublayer2(…), and what stands below F_l(…) and Sublayer_1(…)."""
    tokens = _without_layer(tokens)
    out: list[Token] = []
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        inside = before is not None and before.kind == "word" and after is not None and after.kind == "open"
        if not (token.kind == "num" and token.glued and inside):
            out.append(token)
    return out


def _without_layer(tokens: list[Token]) -> list[Token]:
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        out.append(token)
        at += 1
        name = token.kind == "word" and (len(token.text) > 1 or token.text.isupper() or token.text in "fg")
        if not name or token.text in {"X", "sum"} or at + 2 >= len(tokens) or tokens[at].text != "_":
            continue
        end = at + 2 if tokens[at + 1].kind in {"word", "num"} else at + 4
        inside = tokens[at + 1 : end]
        grouped = len(inside) == 1 or (inside[0].kind == "group" and inside[-1].kind == "endgroup")
        short = all(len(part.text) == 1 for part in inside)
        if grouped and short and end < len(tokens) and tokens[end].kind == "open":
            at = end
    return out


def _sigma_squared(tokens: list[Token]) -> list[Token]:
    """Read σ²(…) as the variance of what stands in the brackets."""
    plain = [token.text for token in tokens]
    for at in range(len(plain)):
        for pattern in (["sigma", "^", "2"], ["sigma", "^", "{", "2", "}"]):
            end = at + len(pattern)
            if plain[at:end] == pattern and end < len(tokens) and tokens[end].kind == "open":
                return [*tokens[:at], replace(tokens[at], text="Var", solid=True), *_sigma_squared(tokens[end:])]
    return tokens


def _snake(tokens: list[Token], at: int, words: frozenset[str]) -> int:
    """Return how many tokens from `at` make one snake_case word such as step_num or layer_norm (0: none)."""
    text, size = tokens[at].text, 1
    while (
        at + size + 1 < len(tokens)
        and tokens[at + size].text == "_"
        and tokens[at + size].glued
        and tokens[at + size + 1].kind == "word"
        and tokens[at + size + 1].glued
    ):
        text += "_" + tokens[at + size + 1].text
        size += 2
        plain = text.lower().replace("_", "")
        follows = tokens[at + size].text if at + size < len(tokens) else ""
        if (
            text in words
            or plain in FUNCTIONS
            or (plain in words and follows != "_" and any(len(part) > 1 for part in text.split("_")))
        ):
            return size
    return 0


def spell(tokens: list[Token], lexicon: Lexicon) -> list[Token]:  # noqa: C901 - one pass over the tokens
    """Resolve every word; a function becomes kind "func", letters become words of one letter."""
    tokens = _unwrapped([token for token in tokens if token.kind != "newline"])
    if lexicon.opaque:
        tokens = _numbered_functions(tokens)
    if lexicon.chance or lexicon.opaque:
        tokens = _sigma_squared(tokens)
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.kind != "word":
            out.append(token)
            at += 1
            continue
        if out and out[-1].text == "." and is_attribute(tokens, at):
            out.append(token)
            at += 1
            continue
        size = _snake(tokens, at, lexicon.words)
        if size:
            text = "_".join(part.text for part in tokens[at : at + size] if part.text != "_")
            called = lexicon.opaque and at + size < len(tokens) and tokens[at + size].kind == "open"
            _whole(replace(token, text=text), lexicon, out)
            if called and out[-1].kind == "word":
                out[-1] = replace(out[-1], kind="func")
            at += size
            continue
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        if len(out) > 1 and out[-1].text == "_" and not token.solid:
            sub, rest = split_subscript(
                out[-2].text, token.text, lexicon.words, lowered=after is not None and after.text == "_",
            )  # fmt: skip
            out.append(replace(token, text=sub, solid=True))
            if rest:
                _cut(replace(token, text=rest, glued=True), lexicon, out, after)
        elif len(out) > 1 and out[-1].text in {"_", "{"} and out[-1].text == "_":
            out.append(token)
        elif len(out) > 1 and out[-1].kind == "group" and out[-2].text == "_":
            out.append(replace(token, solid=True))
        else:
            _cut(token, lexicon, out, after)
        at += 1
    return out


def _whole(token: Token, lexicon: Lexicon, out: list[Token]) -> None:
    name = function_of(token.text, chance=lexicon.chance)
    if token.text in lexicon.functions:
        out.append(replace(token, kind="func", solid=True))
    elif name:
        out.append(replace(token, kind="func", text=name))
    else:
        out.append(replace(token, solid=True))


def _cut(token: Token, lexicon: Lexicon, out: list[Token], after: Token | None) -> None:
    called = after is not None and (after.kind == "open" or after.text in {"(", "["})
    limit = bool(out) and out[-1].text in {"^", "_"}  # the d of Σ^d (…)
    if lexicon.opaque and called and not limit and token.text not in {"x", "X"}:
        name = function_of(token.text, chance=False)
        out.append(replace(token, kind="func", text=name or token.text))
        return
    pieces = (
        _with_roles(split_word(token.text, lexicon.words))
        if lexicon.matrices
        else split_word(token.text, lexicon.words)
    )
    if token.solid and len(token.text) > MAX_LETTERS and len(pieces) >= MAX_LETTERS:
        pieces = (token.text,)
    for position, piece in enumerate(pieces):
        part = replace(token, text=piece, glued=token.glued if position == 0 else True)
        if piece == "_":
            out.append(replace(part, kind="op"))
        elif piece == "T" and position and position == len(pieces) - 1 and lexicon.matrices and _matrix_end(out):
            out.append(Token("op", "^", glued=True))
            out.append(Token("op", "T", glued=True))
        elif len(piece) == 1 and not (lexicon.chance and called and piece in {"V", "E"}):
            is_function = piece in lexicon.functions and called and position == len(pieces) - 1
            out.append(replace(part, kind="func") if is_function else part)
        else:
            _whole(part, lexicon, out)


def _with_roles(pieces: tuple[str, ...]) -> tuple[str, ...]:
    """Join W and the letter of its role within one run of letters: XWQ is X times W^Q."""
    out: list[str] = []
    for piece in pieces:
        if len(piece) == 1 and piece in "QKVOqkvo" and out and out[-1] in {"W", "w"}:
            out[-1] += piece
        else:
            out.append(piece)
    return tuple(out)


def _matrix_end(out: list[Token]) -> bool:
    return (
        bool(out)
        and out[-1].kind == "word"
        and (out[-1].text in {"K", "Q", "V", "X", "k", "q"} or is_weight(out[-1].text))
    )
