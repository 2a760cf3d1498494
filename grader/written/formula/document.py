"""From a source text to what is to be judged: the main formula, its definitions, and doubts met on the way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from grader.written.formula.beside import told_names
from grader.written.formula.clean import clean, is_code, unicode_folded
from grader.written.formula.inputs import usual
from grader.written.formula.kinds import Kind, lexicon_of
from grader.written.formula.lefts import defined_by, numbered, without_row
from grader.written.formula.lines import Line, mapped, reversioned, used_names
from grader.written.formula.meant import called_layers, named_functions
from grader.written.formula.names import DIMENSIONS, function_of
from grader.written.formula.notation import (
    magnitudes,
    products,
    running_letters,
    side_by_side,
    spreads,
)
from grader.written.formula.parser import read
from grader.written.formula.sizes import check_heads, sizes_of, told_size
from grader.written.formula.spelling import Lexicon, spell
from grader.written.formula.statements import Statement, left_words, statements
from grader.written.formula.tokens import Lexer, Token
from grader.written.formula.tree import (
    Add,
    Call,
    FormulaError,
    Node,
    Num,
    Sym,
    UnreadableError,
    show,
    walk,
)
from grader.written.formula.values import Definition
from grader.written.formula.words import taken_out
from grader.written.formula.work import A_CHARACTER, Work

_WAVES = frozenset({"sin", "cos", "tan"})
MAX_LENGTH = 4000


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
        parts = []
        for line in self.lines:
            left = f"{line.left} = " if line.left else ""
            parts.append(left + " = ".join(show(side) for side in line.sides))
        return "; ".join(parts)


def open_document(kind: Kind, source: str, work: Work) -> Document:
    """Read `source`, counting the `work` on it; raises FormulaError where nothing can be made of it."""
    if len(source) > MAX_LENGTH:
        raise UnreadableError("The text is too long for a formula.")
    work.add(A_CHARACTER * len(source))
    if kind.matrices:
        kind = replace(kind, aliases={**kind.aliases, **told_names(kind, unicode_folded(source))})
    text, called = _rewritten(kind, source)
    lexer = Lexer(text)
    tokens = lexer.run()
    found, prose = statements(tokens, tex="\\" in text)
    if not found:
        raise UnreadableError("No formula was found.")
    words = frozenset(word for word in left_words(found) if function_of(word, chance=kind.id == "variance") is None)
    functions = _own_functions(found) | {name.removesuffix("()") for name in called}
    lexicon = lexicon_of(kind, words - functions, functions)
    code = is_code(source)
    doubts = list(lexer.doubts)
    lines, failures = [], []
    for statement in found:
        try:
            lines.append(_line(kind, statement, lexicon, doubts, code=code))
        except FormulaError as error:
            failures.append(error)
    if failures:
        raise failures[0]
    lines = _versions(_with_numbered(lines))
    lines = usual(kind.id, lines)
    check_heads(kind.id, lines)
    lines = told_size(lines)
    definitions = {**called, **_definitions(kind, lines)}
    return Document(
        tuple(lines),
        definitions,
        prose,
        tuple(doubts),
        code,
        sizes_of(lines),
        work,
    )


def _rewritten(kind: Kind, source: str) -> tuple[str, Mapping[str, Definition]]:
    """Return the text in the reader's own notation, and the layers it calls by name."""
    called: Mapping[str, Definition] = {}
    text = named_functions(taken_out(kind, named_functions(source)))
    if kind.id == "ffn":
        text, called = called_layers(text)
    elif kind.id == "variance":
        text = spreads(text)
    text = magnitudes(products(running_letters(clean(side_by_side(text)))))
    # ⊕ is the sign that diagrams put at a residual
    return (text.replace("\\oplus", "+") if kind.opaque else text), called


def _own_functions(found: list[Statement]) -> frozenset[str]:
    """Return the letters and words the student defines as functions, as in f(z) = max(0, z)."""
    names = set()
    for statement in found:
        first = statement.sides[0]
        simple = len(statement.sides) > 1 and len(first) == 4  # noqa: PLR2004 - f ( z )
        if (
            simple
            and first[0].kind == "word"
            and first[1].text == "("
            and first[2].kind == "word"
            and first[3].text == ")"
        ):
            body = statement.sides[1]
            if any(token.text == first[2].text or first[2].text in token.text for token in body):
                names.add(first[0].text)
    called = {
        (token.text, following.text)
        for statement in found
        for side in (statement.sides[1:] if len(statement.sides) > 1 else statement.sides)
        for token, following in pairwise(side)
    }
    return frozenset(name for name in names if (name, "(") in called)


def _line(kind: Kind, statement: Statement, lexicon: Lexicon, doubts: list[str], *, code: bool) -> Line:
    sides = [list(side) for side in statement.sides]
    if len(sides) > 1:
        sides[0] = without_row(sides[0])
    name: str | None = None
    names: tuple[str, ...] = ()
    left, called = "", False
    first = spell(sides[0], lexicon)
    if len(sides) > 1 and kind.id != "variance":
        head = defined_by(first, lexicon, kind.aliases)
        if head is not None:
            name, names, called = head
            left = _plain_text(sides[0])
            sides = sides[1:]
        elif (
            kind.id in {"pe_sin", "pe_cos"}
            and first
            and first[0].kind != "num"
            and not _WAVES & {token.text for token in first}
        ):
            left = _plain_text(sides[0])  # p_t^(2k) = …: whatever the encoding is called
            sides = sides[1:]
    elif len(sides) > 1 and kind.id == "variance" and _is_label(first):
        left = _plain_text(sides[0])
        sides = sides[1:]
    trees = []
    for side in sides:
        tree, found = read(spell(side, lexicon), lexicon, kind.aliases, code=code)
        trees.append(tree)
        doubts.extend(found)
    if kind.opaque and re.fullmatch(r"\\?(?:sigma|s)(?:_[a-z])?\^2", left.replace(" ", "")):
        trees = [Call("sqrt", (tree,)) for tree in trees]  # σ² = … says what σ is
    if kind.opaque and any(_mixed(tree) for tree in trees):
        raise UnreadableError("Its layers carry different numbers; a person should look.")
    if kind.opaque and name is not None:
        trees = [_from_before(tree, name, names) for tree in trees]
    return Line(name, names, left, tuple(trees), called)


def _mixed(tree: Node) -> bool:
    """Say whether the input of a layer is taken from two places: x_l and x_{l+1}."""
    indices: dict[str, set[tuple[Node, ...]]] = {}
    for part in walk(tree):
        counted = isinstance(part, Sym) and any(isinstance(at, Add | Sym) for at in part.index)
        if isinstance(part, Sym) and counted:
            indices.setdefault(part.name, set()).add(part.index)
    return any(len(found) > 1 and any(isinstance(at[0], Add) for at in found) for found in indices.values())


def _from_before(tree: Node, name: str, names: tuple[str, ...]) -> Node:
    """Let h_{l-1} on the right of h_l = … be the input of the layer."""
    here = tuple(Sym(letter) for letter in names)

    def change(part: Node) -> Node:
        before = isinstance(part, Sym) and part.name == name and part.index and part.index != here
        return Sym("x") if before and names else part

    return mapped(tree, change)


def _plain_text(tokens: Iterable[Token]) -> str:
    return "".join(token.text for token in tokens if token.kind != "newline").replace("{", "").replace("}", "")


def _is_label(first: list[Token]) -> bool:
    """Say whether the left side is only a word, such as Variance."""
    return len(first) == 1 and first[0].kind in {"word", "func"} and len(first[0].text) > 2 and first[0].text != "sigma"  # noqa: PLR2004


def _with_numbered(lines: list[Line]) -> list[Line]:
    """Let z_1 mean the student's own z_1 where it is defined."""
    defined = {line.name for line in lines if line.name}

    def change(part: Node) -> Node:
        if isinstance(part, Sym) and part.index and all(isinstance(item, Num) for item in part.index):
            name = numbered(part)
            return Sym(name) if name in defined else part
        return part

    return [replace(line, sides=tuple(mapped(side, change) for side in line.sides)) for line in lines]


def _versions(lines: list[Line]) -> list[Line]:
    """Tell the values of a name that is assigned again apart: scores = scores / 8."""
    counts: dict[str, int] = {}
    for line in lines:
        if line.name and not line.names:
            counts[line.name] = counts.get(line.name, 0) + 1
    again = {
        line.name for line in lines if line.name and not line.called and not line.names
        and (counts[line.name] > 1 or Sym(line.name) in {part for side in line.sides for part in walk(side)})
    }  # fmt: skip
    if not again:
        return lines
    now: dict[str, str] = {}
    out: list[Line] = []
    for line in lines:
        sides = tuple(reversioned(side, now) for side in line.sides)
        if line.name in again and line.name is not None and not line.names:
            version = f"{line.name}~{len(out) + 1}"
            now = {**now, line.name: version}
            out.append(replace(line, name=version, sides=sides))
        else:
            out.append(replace(line, sides=sides))
    return out


def _definitions(kind: Kind, lines: list[Line]) -> dict[str, Definition]:
    """Return what the student put behind each name, keyed by name and number of indices, or name()."""
    out: dict[str, Definition] = {}
    for line in lines:
        if line.name is None or not line.sides:
            continue
        body = line.sides[-1]
        heads = kind.id == "multi_head" and line.name in {"h", "num_heads"} and not line.names
        own = {other.name for other in lines} - {*DIMENSIONS.values(), line.name, "h", "num_heads", None}
        if line.name in DIMENSIONS.values() and used_names([body]) & own:
            raise UnreadableError(f"“{line.left}” is no size here; a person should look.")
        if line.name in DIMENSIONS.values() or heads:
            continue  # d_k = d_model / h or d_k = 64 only tells a size; the symbol keeps its meaning
        if isinstance(body, Num) and line.name in {"warmup", "step", "n", "m"} and line.name in kind.roles:
            continue
        if line.called and line.names:
            out[f"{line.name}()"] = Definition(line.names, body)
        count = 0 if line.called else len(line.names)
        if f"{line.name}/{count}" in out and (not line.called or line.names):
            raise UnreadableError(f"“{line.left}” is defined twice.")
        out.setdefault(f"{line.name}/{count}", Definition(() if line.called else line.names, body))
    return out
