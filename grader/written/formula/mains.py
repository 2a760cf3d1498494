"""Which lines of a text are the formula to judge, and whether what stands beside it is harmless."""

from __future__ import annotations

import re
from collections.abc import Callable

from grader.written.formula.document import Document
from grader.written.formula.kinds import Kind, kind_of
from grader.written.formula.lines import Line, used_names
from grader.written.formula.names import DIMENSIONS, FUNCTIONS
from grader.written.formula.tree import Call, Num, Sym, UnreadableError, walk

IsRight = Callable[[Kind, Line], bool]


def _closure(document: Document, line: Line) -> set[str]:
    """Return every name a line reaches through definitions."""
    seen: set[str] = set()
    waiting = list(line.sides)
    while waiting:
        names = used_names(waiting)
        waiting = []
        for name in names - seen:
            seen.add(name)
            waiting += [
                value.body
                for key, value in document.definitions.items()
                if re.match(rf"{re.escape(name)}(?:/|\()", key)
            ]
    return seen


def mains(kind: Kind, document: Document, is_right: IsRight) -> list[Line]:
    """Return the lines to judge: those that nothing else uses and that look like the formula asked for."""
    lines = [line for line in document.lines if line.sides and not _trivial(line)]
    if not lines:
        raise UnreadableError("No formula was found.")
    used = {_key(part) for line in lines for side in line.sides for part in walk(side) if isinstance(part, Sym | Call)}
    roots = [
        line for line in lines if line.name is None or (line.name, bool(line.names) and not line.called) not in used
    ]
    if kind.id in {"attention", "add_norm", "ffn"}:  # A_ij is an entry of A where nothing else is called so
        own = {line.name for line in lines if line.names and not line.called}
        plain = {line.name for line in lines if not line.names}
        roots = [
            line for line in roots
            if line.called or not (
                ((line.name, True) in used and not line.names and line.name not in own)
                or ((line.name, False) in used and line.names and line.name not in plain)
            )
        ]  # fmt: skip
    if not roots:
        raise UnreadableError("Every line uses another; which is the formula is not clear.")
    named = [line for line in roots if line.name in kind.main and line.called] if kind.main else []
    if named and len(named) == 1:
        rest = [line for line in roots if line is not named[0] and line.name is None]
        return [*named, *rest]
    parts = {part for line in lines for side in line.sides for part in walk(side) if part is not side}
    bare = [line for line in roots if line.name is None]
    if len(bare) > 1 and not kind.opaque:
        bare = [line for line in bare if len(line.sides) > 1 or line.sides[0] not in parts]
        roots = [line for line in roots if line.name is not None or line in bare]
    if len(bare) > 1 and kind.opaque:  # one for each sublayer: all of them are judged
        return bare
    if len(bare) > 1:
        raise UnreadableError("Several expressions stand side by side; which is the formula is not clear.")
    signed = [line for line in roots if kind.signs & _closure(document, line)]
    if kind.id in {"pe_sin", "pe_cos"} and len(signed) > 1:
        return _pair(kind, document, signed, is_right)
    if signed:
        return signed
    formulas = [line for line in roots if not isinstance(line.sides[-1], Num)]  # not warmup_steps = 4000
    return (formulas or roots)[-1:]


def _key(part: Sym | Call) -> tuple[str, bool]:
    """Return a name and whether it carries an index: H and H_i are two things."""
    return part.name, isinstance(part, Sym) and bool(part.index)


def _trivial(line: Line) -> bool:
    """Say whether a bare line is only the formula's name, such as `FFN(x)` before a colon."""
    tree = line.sides[0]
    plain = isinstance(tree, Sym) or (isinstance(tree, Call) and all(isinstance(arg, Sym) for arg in tree.args))
    known = isinstance(tree, Call) and tree.name in FUNCTIONS.values() and tree.name != "attention"
    return line.name is None and len(line.sides) == 1 and plain and not known


def _pair(kind: Kind, document: Document, lines: list[Line], is_right: IsRight) -> list[Line]:
    """Of a sine and a cosine line return the one asked for, where the other is right as well."""
    other = kind_of("pe_cos" if kind.id == "pe_sin" else "pe_sin")
    if len(lines) != 2:  # noqa: PLR2004 - one line each
        return lines
    wanted = "sin" if kind.id == "pe_sin" else "cos"
    mine = [line for line in lines if wanted in _closure(document, line)]
    rest = [line for line in lines if line not in mine]
    sides = [_parity(line) for line in lines]
    if {*sides} == {"even", "odd"}:  # the left sides say which is which
        mine = [line for line, side in zip(lines, sides, strict=True) if (side == "even") == (kind.id == "pe_sin")]
        rest = [line for line in lines if line not in mine]
        if not is_right(kind, mine[0]):
            return mine
    if len(mine) != 1 or not is_right(other, rest[0]):
        raise UnreadableError("Sine and cosine are given together; a person should look at both.")
    return mine


def _parity(line: Line) -> str:
    """Return whether a left side names even or odd columns, or "" where it names none."""
    told = re.search(r"2[*·]?[a-z](\+1)?[)\]]*$", line.left)
    return "" if told is None else "odd" if told[1] else "even"


def loose(kind: Kind, document: Document, judged: list[Line]) -> Line | None:
    """Return a line the verdict does not rest on and that is not plainly true, or None."""
    reached = set().union(*(_closure(document, line) for line in judged))
    inside = {part for line in judged for side in line.sides for part in walk(side)}
    inside |= {
        part for line in document.lines if line.name in reached for side in line.sides for part in walk(side)
        if part is not side
    }  # fmt: skip
    for line in document.lines:
        if line in judged or _trivial(line) or (line.name is not None and line.name in reached):
            continue
        number = len(line.sides) == 1 and isinstance(line.sides[0], Num)
        size = (
            line.name in DIMENSIONS.values() or line.name in {"h", "num_heads"} or (number and line.name in kind.roles)
        )
        if size or any(side in inside for side in line.sides) or _is_sibling(kind, document, line):
            continue
        return line
    return None


def _is_sibling(kind: Kind, document: Document, line: Line) -> bool:
    """Say whether a line is the other encoding, judged beside the line asked for."""
    return kind.id in {"pe_sin", "pe_cos"} and bool({"sin", "cos"} & _closure(document, line))
