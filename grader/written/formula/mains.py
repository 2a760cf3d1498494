"""Which lines of a text are the formula to judge, and whether what stands beside it is harmless."""

from __future__ import annotations

import re
from collections.abc import Callable

from grader.written.formula.document import Document
from grader.written.formula.equality import Side
from grader.written.formula.errors import UnreadableError
from grader.written.formula.kinds import Kind, kind_of
from grader.written.formula.meant import Line
from grader.written.formula.tree import Node, used_names, walk
from grader.written.formula.vocabulary import FUNCTIONS, SIZE_NAMES

IsRight = Callable[[Kind, Line], bool]


def _closure(document: Document, line: Line) -> set[str]:
    """Return every name a line reaches through definitions."""
    sides = [Side(side, document.definitions) for side in line.sides]
    return used_names(tree for side in sides for tree in side.reachable)


def mains(kind: Kind, document: Document, is_right: IsRight) -> list[Line]:
    """Return the lines to judge: those that nothing else uses and that look like the formula asked for."""
    lines = [line for line in document.lines if not _trivial(line)]
    if not lines:
        raise UnreadableError("No formula was found.")
    # a name and whether it carries an index: H and H_i are two things
    used = {
        (part.name, part.op == "sym" and bool(part.parts))
        for line in lines for side in line.sides for part in walk(side) if part.op in {"sym", "call"}
    }  # fmt: skip
    own = {line.name for line in lines if line.names and not line.called}
    plain = {line.name for line in lines if not line.names}
    whole = kind.id in {"attention", "add_norm", "ffn"}  # A_ij is an entry of A where nothing else is called so

    def is_used(line: Line) -> bool:
        indexed = bool(line.names) and not line.called
        as_entry = (line.name, True) in used and not line.names and line.name not in own
        as_whole = (line.name, False) in used and indexed and line.name not in plain
        return (line.name, indexed) in used or (whole and not line.called and (as_entry or as_whole))

    roots = [line for line in lines if line.name is None or not is_used(line)]
    if not roots:
        raise UnreadableError("Every line uses another; which is the formula is not clear.")
    named = [line for line in roots if line.name in kind.main and line.called]
    if len(named) == 1:
        return [*named, *(line for line in roots if line is not named[0] and line.name is None)]
    bare = [line for line in roots if line.name is None]
    if len(bare) > 1 and kind.opaque:  # one for each sublayer: all of them are judged
        return bare
    if len(bare) > 1:
        parts = {part for line in lines for side in line.sides for part in walk(side) if part is not side}
        bare = [line for line in bare if len(line.sides) > 1 or line.sides[0] not in parts]
        roots = [line for line in roots if line.name is not None or line in bare]
    if len(bare) > 1:
        raise UnreadableError("Several expressions stand side by side; which is the formula is not clear.")
    signed = [line for line in roots if kind.signs & _closure(document, line)]
    if kind.waves and len(signed) == 2:
        return [_of_pair(kind, document, signed, is_right)]
    formulas = [line for line in roots if line.sides[-1].op != "num"]  # not warmup_steps = 4000
    return signed or (formulas or roots)[-1:]


def _trivial(line: Line) -> bool:
    """Say whether a bare line is only the formula's name, such as `FFN(x)` before a colon."""
    tree = line.sides[0]
    known = tree.op == "call" and tree.name in FUNCTIONS.values() and tree.name != "attention"
    plain = tree.op == "sym" or (tree.op == "call" and all(part.op == "sym" for part in tree.parts))
    return line.name is None and len(line.sides) == 1 and plain and not known


def _of_pair(kind: Kind, document: Document, lines: list[Line], is_right: IsRight) -> Line:
    """Of a sine and a cosine line return the one asked for, where the other is right as well."""
    wanted, other = ("sin", "pe_cos") if kind.id == "pe_sin" else ("cos", "pe_sin")
    told = [re.search(r"2[*·]?[a-z](\+1)?[)\]]*$", line.left) for line in lines]
    sides = ["" if side is None else "cos" if side[1] else "sin" for side in told]
    by_left = {*sides} == {"sin", "cos"}  # the left sides say which is which
    mine = [
        side == wanted if by_left else wanted in _closure(document, line)
        for line, side in zip(lines, sides, strict=True)
    ]
    if mine.count(True) == 1:
        line, rest = lines[mine.index(True)], lines[mine.index(False)]
        if (by_left and not is_right(kind, line)) or is_right(kind_of(other), rest):
            return line
    raise UnreadableError("Sine and cosine are given together; a person should look at both.")


def loose(kind: Kind, document: Document, judged: list[Line]) -> Line | None:
    """Return a line the verdict does not rest on and that is not plainly true, or None."""
    reached = set().union(*(_closure(document, line) for line in judged))
    inside: set[Node] = {part for line in judged for side in line.sides for part in walk(side)}
    inside |= {
        part for line in document.lines if line.name in reached for side in line.sides for part in walk(side)
        if part is not side
    }  # fmt: skip
    for line in document.lines:
        if line in judged or _trivial(line) or (line.name is not None and line.name in reached):
            continue
        number = len(line.sides) == 1 and line.sides[0].op == "num" and line.name in kind.roles
        sibling = kind.waves and {"sin", "cos"} & _closure(document, line)
        size = line.name in SIZE_NAMES or line.name in {"h", "num_heads"}
        if not (number or sibling or size or any(side in inside for side in line.sides)):
            return line
    return None


def in_two_parts(lines: tuple[Line, ...]) -> bool:
    """Say whether a name is given two values that have nothing to do with each other: one for each case."""
    versions: dict[str, list[Line]] = {}
    for line in lines:
        if line.name and "~" in line.name:
            versions.setdefault(line.name.partition("~")[0], []).append(line)
    return any(
        all(first.name not in used_names(later.sides) for first in found for later in found if later is not first)
        for found in versions.values() if len(found) > 1
    )  # fmt: skip
