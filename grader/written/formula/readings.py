"""Other readings of a side: unknown symbols as the paper's, letters as position and column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations

from grader.written.formula.compare import Side, points
from grader.written.formula.document import Document
from grader.written.formula.equality import quietly_equal, reachable, rename, trees
from grader.written.formula.kinds import Kind
from grader.written.formula.lines import Line, mapped, used_names
from grader.written.formula.names import DIMENSIONS, FUNCTIONS
from grader.written.formula.tree import Add, Call, Mul, Node, Num, Sum, Sym, UnreadableError, walk
from grader.written.formula.values import Definition, free_letters

MAX_RENAMED = 2


def variants(kind: Kind, document: Document, line: Line, side: Side) -> Iterator[tuple[Side, str | None]]:
    """Yield the side as it stands, then with unknown symbols read as the paper's."""
    if kind.id in {"pe_sin", "pe_cos"}:
        if _STRANGE_COLUMN.search(line.left):
            raise UnreadableError("Which columns the left side names is not clear; a person should look.")
        elsewhere = _OTHER_COLUMN.search(line.left)
        if elsewhere:
            yield from _shifted_columns(kind, side, elsewhere)
        else:
            yield from _position_variants(kind, document, line, side)
        return
    yield side, None
    yield from _renamings(kind, side, frozenset())


def _symbols(kind: Kind, side: Side) -> set[str]:
    """Return the names used that the student did not define and that are no running index."""
    defined = {key.split("/")[0].removesuffix("()") for key in side.definitions}
    reached = used_names(reachable(side))
    parameters = {
        name for key, value in side.definitions.items() for name in value.names
        if key.split("/")[0].removesuffix("()") in reached and (kind.matrices or key.endswith("()"))
    }  # fmt: skip
    running = {part.var for tree in trees(side) for part in walk(tree) if isinstance(part, Sum)}
    letters = {letter for tree in trees(side) for letter in free_letters(tree)}
    names = {part.name for tree in reachable(side) for part in walk(tree) if isinstance(part, Sym) and not part.index}
    return names - {"True", "False"} - defined - parameters - running - (letters if kind.matrices else set())


def _renamings(kind: Kind, side: Side, fixed: frozenset[str]) -> Iterator[tuple[Side, str | None]]:
    used = _symbols(kind, side) - fixed
    known: set[str] = set()
    for group in points(kind.id):
        known |= set(group[0].world.symbols)
    strangers = sorted(name for name in used if name not in known)
    if "q" in strangers and not {"k", "v", "Q"} & used:
        yield from _renamings(kind, rename(side, {"q": "q_row"}), fixed)
        strangers_without = [name for name in strangers if name != "q"]
        if not strangers_without:
            yield rename(side, {"q": "q_row"}), None
    small = {name: name.upper() for name in strangers if name in {"q", "k", "v", "x"} and name.upper() in kind.roles}
    if small and not set(small.values()) & used:
        side = rename(side, small)
        strangers = [name for name in strangers if name not in small]
        used = used - set(small) | set(small.values())
        if not strangers:
            yield side, None
            return
    if kind.id == "attention" and "X" in used and len(strangers) == 1:
        strangers.append("X")  # X beside another letter is one of two sources
    if (
        not strangers
        or len(strangers) > (MAX_RENAMED + 2 * (kind.id == "ffn"))
        or any(_settled(kind, name) for name in strangers)
    ):
        return
    free = [role for role in kind.roles if role not in used or role in strangers]
    for chosen in permutations(free, len(strangers)):
        pairs = list(zip(strangers, chosen, strict=True))
        steps = any(role == "warmup" and "step" in name and "w" not in name for name, role in pairs)
        if steps or any(pair in kind.never for pair in pairs) or all(a == b for a, b in pairs):
            continue
        note = "Equal, reading " + " and ".join(f"{a} as {b}" for a, b in pairs) + "."
        yield rename(side, dict(pairs)), note


def _settled(kind: Kind, name: str) -> bool:
    """Say whether a name means something of its own in the field and may not stand for another."""
    sized = name.startswith(("d_", "D_")) or name in DIMENSIONS.values()
    matrices = name.startswith("W") and (kind.id == "attention" or "^" in name)
    function = name.lower() in FUNCTIONS or name in {"e", "pi", "infty", "lambda", "sigma", "mu", "epsilon"}
    return sized or matrices or function or (kind.id == "multi_head" and name in {"Q", "K", "V"})


_COLUMN = re.compile(r"2[*·]?[a-z](?P<shift>\+1)?(?![a-z0-9])")
_LEFT = re.compile(
    r"(?:[A-Za-z]{1,20})[_(\[]*(?P<pos>[A-Za-z]+),(?P<two>2?)[*·]?(?P<index>[a-z])(?P<shift>[+-]1)?[)\]]*",
)
_BARE = re.compile(r"(?:.*[_^(\[,]\(?|^)(?P<index>[ijk])(?![A-Za-z0-9+*])")  # PE_i(pos), PE_pos^(i), p_t^(k)
_STRANGE_COLUMN = re.compile(
    r"[_^(\[,]\(?(?:[013-9]\d*|[1-9]\d+)[*·]?[a-z](?![A-Za-z])|,\(?[a-z][+-][2-9]"
)  # PE(pos, 4i)


def _position_variants(kind: Kind, document: Document, line: Line, side: Side) -> Iterator[tuple[Side, str | None]]:
    """Read position and index by the left side where it names them, otherwise by trying both letters."""
    match = _LEFT.fullmatch(line.left.replace("mathrm", "").replace(" ", "")) if line.left else None
    if line.left.count("+1") > 1 or (match and match["shift"] and (match["shift"] == "-1" or not match["two"])):
        raise UnreadableError("Which columns the left side names is not clear; a person should look.")
    if match:
        index = match["index"]
        parity = "even" if match["two"] and not match["shift"] else "odd" if match["two"] else ""
        if parity and parity != ("even" if kind.id == "pe_sin" else "odd"):
            raise UnreadableError("The left side names the other columns; a person should look.")
        table = {match["pos"]: "pos"} if match["pos"] not in {"pos", "position"} else {}
        if parity:
            table |= {index: "i"} if index != "i" else {}
            clash = set(table.values()) & _symbols(kind, side) - set(table)
            if not clash:
                yield rename(side, table), None
                return
        elif f"{index}/0" not in side.definitions:
            yield from _by_column(kind, document, rename(side, table), index)
            return
    bare = _BARE.search(line.left) if line.left and not match and "2" not in line.left else None
    if bare and f"{bare['index']}/0" not in side.definitions and bare["index"] in _symbols(kind, side):
        yield from _by_column(kind, document, side, bare["index"])
        return
    told = _COLUMN.search(line.left) if line.left and not match else None
    if told and bool(told["shift"]) != (kind.id == "pe_cos"):
        raise UnreadableError("The left side names the other columns; a person should look.")
    yield from _letters(kind, document, side)


_OTHER_COLUMN = re.compile(
    r"(?P<pos>[A-Za-z]+)\s?,\(?2[*·]?(?:(?P<plain>[a-z])(?P<by>[+-][2-9])|\((?P<inner>[a-z])(?P<within>[+-][1-9])\)(?P<then>\+1)?)\)*\]?$"
    r"|(?P<before>[A-Za-z]+)\s?,\(?2[*·]?(?P<odd>[a-z])-1\)*\]?$"
)


def _shifted_columns(kind: Kind, side: Side, left: re.Match[str]) -> Iterator[tuple[Side, str | None]]:
    """Read a side whose left names column 2i − 2 or 2(i − 1) + 1: another way to count the pairs."""
    letter = left["plain"] or left["inner"] or left["odd"]
    column = (
        -1 if left["odd"] else int(left["by"]) if left["by"] else 2 * int(left["within"]) + (left["then"] is not None)
    )
    if column % 2 != (kind.id == "pe_cos"):
        raise UnreadableError("Which columns the left side names is not clear; a person should look.")
    pairs = float((column - column % 2) // 2)
    place = left["pos"] or left["before"]
    side = rename(side, {place: "pos"} if place not in {"pos", "position"} else {})

    def change(part: Node) -> Node:
        return Add(Sym("i"), Num(abs(pairs)), minus=pairs > 0) if part == Sym(letter) else part

    turned = Side(
        mapped(side.tree, change, indices=False),
        {key: Definition(d.names, mapped(d.body, change, indices=False)) for key, d in side.definitions.items()},
        side.sizes,
        side.work,
    )
    if left["odd"] and not quietly_equal(kind, turned):
        raise UnreadableError("Which columns the left side names is not clear; a person should look.")
    yield turned, None


def _letters(kind: Kind, document: Document, side: Side) -> Iterator[tuple[Side, str | None]]:
    used = _symbols(kind, side)
    if any(isinstance(part, Call) and part.name in {"floor", "mod"} for tree in trees(side) for part in walk(tree)):
        strange = next((name for name in sorted(used) if name in kind.flexible), "i")
        yield from _by_column(kind, document, side, strange, sure=True)
        return
    letters = sorted(used & kind.flexible)
    if "pos" in used or len(letters) < MAX_RENAMED:
        yield side, None
        yield from _renamings(kind, side, frozenset())
        return
    if len(letters) > MAX_RENAMED:
        raise UnreadableError("There are more letters than a position and a column.")
    for chosen in (("pos", "i"), ("i", "pos")):
        pairs = dict(zip(letters, chosen, strict=True))
        note = "Equal, reading " + " and ".join(f"{a} as {b}" for a, b in pairs.items()) + "."
        yield rename(side, pairs), note


def _by_column(
    kind: Kind, document: Document, side: Side, index: str, *, sure: bool = False,
) -> Iterator[tuple[Side, str | None]]:  # fmt: skip
    """Read `index` as the column itself: 2i for the sine, 2i + 1 for the cosine."""
    even = kind.id == "pe_sin"
    column: Node = Mul(Num(2.0), Sym("i")) if even else Add(Mul(Num(2.0), Sym("i")), Num(1.0))
    said = "even" in document.prose if even else "odd" in document.prose

    def change(part: Node) -> Node:
        return column if part == Sym(index) else part

    turned = Side(
        mapped(side.tree, change, indices=False),
        {key: Definition(d.names, mapped(d.body, change, indices=False)) for key, d in side.definitions.items()},
        side.sizes,
        side.work,
    )
    as_index = rename(side, {index: "i"}) if index != "i" else side
    if said or sure:
        yield turned, f"Equal, reading {index} as the number of the column."
        if said and quietly_equal(kind, as_index) and not quietly_equal(kind, turned):
            raise UnreadableError(f"Right only if {index} counts the pairs of columns; a person should look.")
    elif quietly_equal(kind, turned) and not quietly_equal(kind, as_index):
        raise UnreadableError(f"Right if {index} is the number of the column; a person should look.")
    elif quietly_equal(kind, as_index):
        # PE(pos, i) names column i, and then 2i in the exponent is twice too large; only the writer knows.
        raise UnreadableError(
            f"Right only if {index} counts the pairs of columns, which is not said; a person should look."
        )
    yield as_index, None
