"""Other readings of a side: unknown symbols as the paper's, letters as position and column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations

from grader.written.formula.document import Document
from grader.written.formula.equality import Side, owner, quietly_equal
from grader.written.formula.errors import UnreadableError
from grader.written.formula.kinds import Kind
from grader.written.formula.meant import Line
from grader.written.formula.tree import index_letters, node, num, sym, used_names, walk
from grader.written.formula.vocabulary import FUNCTIONS, SIZE_NAMES
from grader.written.formula.worlds import points

MAX_RENAMED = 2
_CONSTANTS = frozenset({"e", "pi", "infty", "lambda", "sigma", "mu", "epsilon"})
_NEVER = frozenset({"w", "W", "T", "tau"})
"""Letters of the warm-up: no step."""
_UNCLEAR = "Which columns the left side names is not clear; a person should look."
_OTHERS = "The left side names the other columns; a person should look."
Reading = tuple[Side, str | None]


def variants(kind: Kind, document: Document, line: Line, side: Side) -> Iterator[Reading]:
    """Yield the side as it stands, then with unknown symbols read as the paper's."""
    if kind.waves:
        yield from _positions(kind, document, line.left, side)
    else:
        yield side, None
        yield from _renamings(kind, side)


def _symbols(kind: Kind, side: Side) -> set[str]:
    """Return the names used that the student did not define and that are no running index."""
    reached = used_names(side.reachable)
    bound = {owner(key) for key in side.definitions} | {"True", "False"}
    for key, value in side.definitions.items():
        if owner(key) in reached and (kind.matrices or key.endswith("()")):
            bound |= {*value.names}
    for tree in side.trees:
        bound |= {part.name for part in walk(tree) if part.op in {"sum", "join"}}
        bound |= index_letters(tree) if kind.matrices else set()
    return {part.name for part in side.all_parts() if part.op == "sym" and not part.parts} - bound


def _note(pairs: list[tuple[str, str]]) -> str:
    return "Equal, reading " + " and ".join(f"{a} as {b}" for a, b in pairs) + "."


def _renamings(kind: Kind, side: Side) -> Iterator[Reading]:
    used = _symbols(kind, side)
    known = {name for group in points(kind.id) for name in group[0].world.symbols}
    strangers = sorted(used - known)
    if "q" in strangers and not {"k", "v", "Q"} & used:  # a single query
        yield side.renamed({"q": "q_row"}), None
    small = {name: name.upper() for name in strangers if name in {"q", "k", "v", "x"} and name.upper() in known}
    if small and not {*small.values()} & used:
        side = side.renamed(small)
        strangers = [name for name in strangers if name not in small]
        used = used - {*small} | {*small.values()}
        if not strangers:
            yield side, None
            return
    most = MAX_RENAMED + 2 * (kind.id == "ffn")
    if not strangers or len(strangers) > most or any(_settled(kind, name) for name in strangers):
        return
    free = [role for role in kind.roles if role not in used or role in strangers]
    for chosen in permutations(free, len(strangers)):
        pairs = list(zip(strangers, chosen, strict=True))
        steps = any(role == "warmup" and "step" in name and "w" not in name for name, role in pairs)
        never = any(name in _NEVER and role == "step" for name, role in pairs)
        if not (steps or never or all(a == b for a, b in pairs)):
            yield side.renamed(dict(pairs)), _note(pairs)


def _settled(kind: Kind, name: str) -> bool:
    """Say whether a name means something of its own in the field and may not stand for another."""
    size = name.startswith(("d_", "D_")) or name in SIZE_NAMES
    matrix = name.startswith("W") and (kind.id == "attention" or "^" in name)
    return (
        size or matrix or name.lower() in FUNCTIONS or name in _CONSTANTS or (kind.id == "multi_head" and name in "QKV")
    )


# -------------------------------------------------------------------------------------------- position and column

_LEFT = re.compile(r"[A-Za-z]{1,20}[_(\[]*(?P<pos>[A-Za-z]+),(?P<two>2?)[*·]?(?P<index>[a-z])(?P<shift>[+-]1)?[)\]]*")
_BARE = re.compile(r"(?:.*[_^(\[,]\(?|^)(?P<index>[ijk])(?![A-Za-z0-9+*])")  # PE_i(pos), PE_pos^(i), p_t^(k)
_TOLD = re.compile(r"2[*·]?[a-z](?P<shift>\+1)?(?![a-z0-9])")
_STRANGE = re.compile(
    r"[_^(\[,]\(?(?:[013-9]\d*|[1-9]\d+)[*·]?[a-z](?![A-Za-z])|,\(?[a-z][+-][2-9]|,\(?2[*·]?(?:\(?[a-z][+-][2-9]|\([a-z][+-]|[a-z]-1)"
)  # PE(pos, 4i), PE(pos, 2(i-1))


def _positions(kind: Kind, document: Document, left: str, side: Side) -> Iterator[Reading]:
    """Read position and index by the left side where it names them, otherwise by trying both letters."""
    if _STRANGE.search(left):
        raise UnreadableError(_UNCLEAR)
    match = _LEFT.fullmatch(left.replace("mathrm", "").replace(" ", ""))
    if left.count("+1") > 1 or (match and match["shift"] and (match["shift"] == "-1" or not match["two"])):
        raise UnreadableError(_UNCLEAR)
    if match:
        index = match["index"]
        table = {} if match["pos"] in {"pos", "position"} else {match["pos"]: "pos"}
        if not match["two"] and f"{index}/0" not in side.definitions:
            yield from _by_column(kind, document, side.renamed(table), index)
            return
        if match["two"]:
            if bool(match["shift"]) != (kind.id == "pe_cos"):
                raise UnreadableError(_OTHERS)
            table |= {index: "i"} if index != "i" else {}
            if not {*table.values()} & (_symbols(kind, side) - {*table}):
                yield side.renamed(table), None
                return
    elif left:
        bare = _BARE.search(left) if "2" not in left else None
        if bare and f"{bare['index']}/0" not in side.definitions and bare["index"] in _symbols(kind, side):
            yield from _by_column(kind, document, side, bare["index"])
            return
        told = _TOLD.search(left)
        if told and bool(told["shift"]) != (kind.id == "pe_cos"):
            raise UnreadableError(_OTHERS)
    yield from _letters(kind, document, side)


def _letters(kind: Kind, document: Document, side: Side) -> Iterator[Reading]:
    used = _symbols(kind, side)
    letters = sorted(used & kind.letters)
    if any(part.name in {"floor", "mod"} for tree in side.trees for part in walk(tree)):
        yield from _by_column(kind, document, side, letters[0] if letters else "i", sure=True)
    elif "pos" in used or len(letters) < MAX_RENAMED:
        yield side, None
        yield from _renamings(kind, side)
    elif len(letters) > MAX_RENAMED:
        raise UnreadableError("There are more letters than a position and a column.")
    else:
        for chosen in (("pos", "i"), ("i", "pos")):
            pairs = list(zip(letters, chosen, strict=True))
            yield side.renamed(dict(pairs)), _note(pairs)


def _by_column(kind: Kind, document: Document, side: Side, index: str, *, sure: bool = False) -> Iterator[Reading]:
    """Read `index` as the column itself: 2i for the sine, 2i + 1 for the cosine."""
    even = kind.id == "pe_sin"
    pair = node("*", num(2), sym("i"))
    column = pair if even else node("+", pair, num(1))
    said = ("even" if even else "odd") in document.prose
    turned = side.mapped(lambda part: column if part == sym(index) else part, indices=False)
    as_index = side.renamed({index: "i"} if index != "i" else {})
    columns, pairs = quietly_equal(kind, turned), quietly_equal(kind, as_index)
    # PE(pos, i) names column i, and then 2i in the exponent is twice too large; only the writer knows.
    if (said and pairs and not columns) or (not (said or sure) and (columns or pairs)):
        raise UnreadableError(f"Whether {index} counts columns or pairs of columns is not clear; a person should look.")
    if said or sure:
        yield turned, f"Equal, reading {index} as the number of the column."
    yield as_index, None
