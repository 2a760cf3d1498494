"""From a source text to what is to be judged: the main formula, its definitions, and doubts met on the way."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from grader.written.formula.errors import A_CHARACTER, FormulaError, UnreadableError, Work
from grader.written.formula.functions import scope_of
from grader.written.formula.kinds import Kind
from grader.written.formula.lexer import Lexer, Token, flat, group_at
from grader.written.formula.meant import Definition, Line, called_layers, named_functions, with_norms
from grader.written.formula.parser import Parser, read
from grader.written.formula.rewriting import clean, is_code, unicode_folded
from grader.written.formula.spelling import Lexicon, function_of, spell
from grader.written.formula.statements import Statement, left_words, own_functions, statements
from grader.written.formula.tree import Node, mapped, renamed, show, sym, used_names, walk
from grader.written.formula.values import World, evaluate
from grader.written.formula.vocabulary import FUNCTIONS, SIZE_NAMES
from grader.written.formula.words import taken_out, told_names

MAX_LENGTH = 4000
MAX_INSIDE = 20
_INPUTS = frozenset({"h", "H", "x", "z", "Z", "E", "e", "u", "y"})
_COUNTS = frozenset({"n", "m", "N", "T", "L", "h", "seq_len", "num_heads"})
_PROJECTIONS = frozenset({"W^Q", "W^K", "W^V"})
_OF_SCORES = frozenset({"exp", "softmax"})
"""What no size is computed with."""


@dataclass(frozen=True)
class Document:
    """Everything read from one source."""

    lines: tuple[Line, ...]
    definitions: Mapping[str, Definition]
    prose: frozenset[str]
    doubts: tuple[str, ...]
    code: bool
    sizes: tuple[tuple[str, float], ...] = ()
    work: Work = field(default_factory=Work, compare=False)

    @property
    def text(self) -> str:
        """The normalised text of all lines."""
        return "; ".join(
            " = ".join([line.left] * bool(line.left) + [show(side) for side in line.sides]) for line in self.lines
        )


def open_document(kind: Kind, source: str, work: Work) -> Document:
    """Read `source`, counting the `work` on it; raises FormulaError where nothing can be made of it."""
    if len(source) > MAX_LENGTH:
        raise UnreadableError("The text is too long for a formula.")
    work.add(A_CHARACTER * len(source))
    told = told_names(kind, unicode_folded(source)) if kind.matrices else {}
    text = named_functions(taken_out(replace(kind, aliases={**kind.aliases, **told}), named_functions(source)))
    called: Mapping[str, Definition] = {}
    if kind.id == "ffn":
        text, called = called_layers(text)
    text = clean(text, kind)
    lexer = Lexer(text)
    found, prose = statements(lexer.run(), tex="\\" in text)
    if not found:
        raise UnreadableError("No formula was found.")
    own = frozenset(word for word in left_words(found) if function_of(word, chance=kind.chance) is None)
    functions = own_functions(found) | {name.removesuffix("()") for name in called}
    lexicon = Lexicon(kind, own - functions, functions, told, is_code(source))
    doubts = list(lexer.doubts)
    lines = [_line(statement, lexicon, doubts) for statement in found]
    lines = [line for line in lines if line.sides != (sym(line.name or ""),)]
    lines = told_size(_usual(kind, _versions(_with_numbered(lines))))
    lines = with_norms(lines, code=lexicon.code) if kind.opaque else lines
    check_heads(kind, lines)
    return Document(
        tuple(lines), {**called, **_definitions(kind, lines)}, prose, tuple(doubts), lexicon.code, sizes_of(lines), work
    )


# ------------------------------------------------------------------------------------------------------ one line


def _line(statement: Statement, lexicon: Lexicon, doubts: list[str]) -> Line:
    kind = lexicon.kind
    name: str | None = None
    names: tuple[str, ...] = ()
    left, called = "", False
    sides = list(statement)
    if len(sides) > 1:
        first = spell(list(sides[0]), lexicon)
        texts = {token.text for token in first}
        head = _defined_by(first, lexicon) if not kind.chance else None
        label = kind.chance and len(first) == 1 and len(first[0].text) > 2 and texts != {"sigma"}
        wave = kind.waves and first and first[0].kind != "num" and not texts & kind.signs  # p_t^(2k) = …
        if head is not None or label or wave:
            name, names, called = head or (None, (), False)
            left = re.sub(r"[{}\n]", "", "".join(token.text for token in sides.pop(0)))
    trees = []
    for side in sides:
        tree, found = read(spell(list(side), lexicon), lexicon)
        trees.append(tree)
        doubts += found
    if kind.opaque:
        trees = _of_layers(trees, name, names)
    return Line(name, names, left, tuple(trees), called)


def _of_layers(trees: list[Node], name: str | None, names: tuple[str, ...]) -> list[Node]:
    """Return what a residual layer is made of: h_{l-1} in h_l = … is the layer's input."""
    for tree in trees:
        indices: dict[str, set[tuple[Node, ...]]] = {}
        for part in walk(tree):
            if part.op == "sym" and any(at.op in {"+", "-", "sym"} for at in part.parts):
                indices.setdefault(part.name, set()).add(part.parts)
        if any(len(found) > 1 and any(at[0].op in {"+", "-"} for at in found) for found in indices.values()):
            raise UnreadableError("Its layers carry different numbers; a person should look.")
    here = tuple(map(sym, names))

    def change(part: Node) -> Node:
        before = part.op == "sym" and part.name == name and part.parts not in {(), here}
        return sym("x") if before and names else part

    return [mapped(tree, change) for tree in trees]


def _defined_by(tokens: list[Token], lexicon: Lexicon) -> tuple[str, tuple[str, ...], bool] | None:
    """Return the name a left side defines, its index letters or parameters, and whether it is called.

    None where the side is an expression and defines nothing.
    """
    if not tokens or tokens[0].kind not in {"word", "func"}:
        return None
    parser = Parser(tokens, lexicon)
    if tokens[0].kind == "func":
        named = sym(parser.take().text)
    else:
        try:
            named = parser.atom()
        except FormulaError:
            return None
    named = named[0] if named.op == "T" else named
    rest = tokens[parser.at :]
    if named.op != "sym":
        return None
    if rest and rest[0].text == "^":  # x^{(l+1)}: a label on the left has no other meaning
        if re.fullmatch(r"[a-z][+-]\d", flat(rest[1:])):
            return f"{named.name}@", (), False  # x^{l+1}: a name nothing else can call
        inside = group_at(rest, 1) if rest[1:2] and rest[1].kind == "group" else None
        rest = rest[2 if inside is None else len(inside) + 3 :]
    if not rest:
        return _indexed(named)
    if rest[0].kind != "open" or rest[-1].kind != "close":
        return None
    text = flat(rest[1:-1])
    odd = any(token.text in {"+", "*", "frac", "@"} for token in rest) and "2i" not in text
    if odd and (not re.fullmatch(r"[A-Za-z0-9_,+\-]*", text) or len(text) > MAX_INSIDE):
        return None  # an expression in the brackets is no definition
    inner = [token for token in rest[1:-1] if token.text != ","]
    plain = all(token.kind == "word" for token in inner)
    return named.name, tuple(token.text for token in inner) if plain else (), True


def _indexed(named: Node) -> tuple[str, tuple[str, ...], bool]:
    index = named.parts
    if index and all(part.op == "num" for part in index):
        return _numbered(named), (), False
    if any(part.op != "sym" or part.parts for part in index):
        return f"{named.name}@", (), False  # x_{l+1}: a name nothing else can call
    return named.name, tuple(part.name for part in index), False


def _numbered(named: Node) -> str:
    """Return z_1 as one name."""
    return named.name + "".join(f"_{part.value:g}" for part in named.parts)


# ---------------------------------------------------------------------------------------------------- all lines


def _with_numbered(lines: list[Line]) -> list[Line]:
    """Let z_1 mean the student's own z_1 where it is defined."""
    defined = {line.name for line in lines}

    def change(part: Node) -> Node:
        numbers = part.op == "sym" and part.parts and all(at.op == "num" for at in part.parts)
        return sym(_numbered(part)) if numbers and _numbered(part) in defined else part

    return [line.mapped(lambda side: mapped(side, change)) for line in lines]


def _versions(lines: list[Line]) -> list[Line]:
    """Tell the values of a name that is assigned again apart: scores = scores / 8."""
    names = [line.name for line in lines if line.name and not line.names]
    own = {part.name for line in lines for side in line.sides for part in walk(side) if part == sym(line.name or "")}
    again = {
        line.name for line in lines
        if line.name and not line.names and not line.called and (names.count(line.name) > 1 or line.name in own)
    }  # fmt: skip
    now: dict[str, str] = {}
    out: list[Line] = []
    for number, line in enumerate(lines, start=1):
        out.append(line.mapped(lambda side: renamed(side, now, plain=True)))
        if line.name in again and line.name and not line.names:
            now[line.name] = f"{line.name}~{number}"
            out[-1] = replace(out[-1], name=now[line.name])
    return out


def _usual(kind: Kind, lines: list[Line]) -> list[Line]:
    """Return the lines with the input called X where it is multiplied by W^Q, and d_model / h called d_k."""
    if kind.id not in {"attention", "multi_head"}:
        return lines
    parts = [part for line in lines for side in line.sides for part in walk(side)]
    projected = [part[0] for part in parts if part.op == "*" and part[1].name in _PROJECTIONS]
    inputs = {part.name for part in projected if part.op == "sym" and not part.parts} & _INPUTS
    inputs -= {line.name for line in lines}
    table = dict.fromkeys(inputs, "X") if len(inputs) == 1 and sym("X") not in parts else {}
    widths = {sym("d_model"), *([sym("d"), sym("D")] if kind.id == "multi_head" else [])}

    def change(part: Node) -> Node:
        width = part.op == "/" and part[0] in widths and part[1] in {sym("h"), sym("num_heads")}
        return sym("d_k") if width else part

    turned = [line.mapped(lambda side: mapped(renamed(side, table, plain=True), change)) for line in lines]
    return [line if line.name == "d_k" else new for line, new in zip(lines, turned, strict=True)]


def _definitions(kind: Kind, lines: list[Line]) -> dict[str, Definition]:
    """Return what the student put behind each name, keyed by name and number of indices, or name()."""
    out: dict[str, Definition] = {}
    sizes = {*SIZE_NAMES, "h", "num_heads"}
    for line in lines:
        if line.name is None or not line.sides:
            continue
        body = line.sides[-1]
        if line.name in FUNCTIONS.values() and body.op == "sym" and body.name not in {line.name, line.left}:
            raise UnreadableError(f"“{line.left}” is said to be another function; a person should look.")
        computed = used_names([body]) & ({other.name for other in lines} - sizes)
        scores = any(part.name in _OF_SCORES for part in walk(body))
        if line.name.partition("~")[0] in SIZE_NAMES and (computed or scores):
            raise UnreadableError(f"“{line.left}” is no size here; a person should look.")
        if line.name in SIZE_NAMES or (kind.id == "multi_head" and line.name in sizes and not line.names):
            continue  # d_k = d_model / h or d_k = 64 only tells a size; the symbol keeps its meaning
        if body.op == "num" and line.name in {"warmup", "step", "n", "m"} and line.name in kind.roles:
            continue
        if line.called and line.names:
            out[f"{line.name}()"] = Definition(line.names, body)
        key = f"{line.name}/{0 if line.called else len(line.names)}"
        if key in out and (not line.called or line.names):
            raise UnreadableError(f"“{line.left}” is defined twice.")
        out.setdefault(key, Definition(() if line.called else line.names, body))
    return out


BASE = {"d_k": 64.0, "d_v": 64.0, "d_model": 512.0, "d_ff": 2048.0, "h": 8.0, "num_heads": 8.0, "warmup": 4000.0}
"""The paper's base model."""


def check_heads(kind: Kind, lines: Sequence[Line]) -> None:
    """Raise UnreadableError where sizes are said to be what they are not: d_k = d_model · h, 4000 wide and 512 long."""
    told = dict(sizes_of(lines))
    if told.get("d_model", 0.0) > told.get("warmup", math.inf):
        raise UnreadableError("The formula may be right, but the model is wider than the warm-up is long.")
    if kind.id == "attention" and told.get("d_k", 0.0) >= BASE["d_model"]:
        raise UnreadableError("The formula may be right, but this is the size of the model; a person should look.")
    for line in lines:
        if line.name in SIZE_NAMES and any(side.op == "sym" and side.name in _COUNTS for side in line.sides):
            raise UnreadableError(f"“{line.left}” is a width, and no number of tokens or heads; a person should look.")
        for side in line.sides if line.name in {"d_k", "d_v"} else ():
            used = used_names([side])
            value = _figure(side, BASE) if "d_model" in used and used & {"h", "num_heads"} else None
            wide = kind.id == "multi_head" and line.sides == (sym("d_model"),)
            if wide or (value is not None and not math.isclose(value, 64.0)):
                raise UnreadableError("The formula may be right, but d_k = d_model / h; a person should look.")


def _figure(tree: Node, sizes: Mapping[str, float]) -> float | None:
    """Return the value of a size that is worked out, or None."""
    try:
        return float(evaluate(tree, scope_of(World(sizes), {})))
    except FormulaError:
        return None


def told_size(lines: list[Line]) -> list[Line]:
    """Let a bare d mean the size that the student says it is: d = d_model is not d_k."""
    for line in lines:
        meant = line.sides[-1]
        bare = line.left.strip("\\").lower() in {"d", "dim"} and meant.op == "sym"
        if bare and meant.name in SIZE_NAMES - {line.name}:
            table = {line.name: meant.name} if line.name else {}
            break
    else:
        return lines
    return [line.mapped(lambda side: renamed(side, table)) for line in lines]


def sizes_of(lines: Sequence[Line]) -> tuple[tuple[str, float], ...]:
    """Return the sizes stated as numbers: d_k = 64, or d_k = d_model / h = 512 / 8."""
    found: dict[str, float] = {}
    for line in lines:
        if line.name in {*SIZE_NAMES, "h", "warmup"} and line.sides and not line.names:
            value = _figure(line.sides[-1], {})
            found |= {line.name: value} if value else {}
    return tuple(sorted((name, value) for name, value in found.items() if value > 0))
