"""The expression tree and the normalised text it is shown as."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a tree.

    op: num (value), sym (name; parts: indices), neg, + - * ⊙ / ^ T <, call (name; parts: arguments; mark: a subscript),
    sum and join (name: the running index; parts: body, low, high or NOTHING), list, dots.
    """

    op: str
    parts: tuple[Node, ...] = ()
    name: str = ""
    value: float = 0.0
    options: tuple[tuple[str, Node], ...] = ()
    mark: str = ""

    def __getitem__(self, at: int) -> Node:
        return self.parts[at]


NOTHING = Node("")
DOTS = Node("dots")


def num(value: float) -> Node:
    """Return a number."""
    return Node("num", value=float(value))


def sym(name: str, *index: Node) -> Node:
    """Return a symbol with its indices."""
    return Node("sym", index, name)


def node(op: str, *parts: Node) -> Node:
    """Return an operation on its parts."""
    return Node(op, parts)


def call(name: str, *parts: Node) -> Node:
    """Return a function of its arguments."""
    return Node("call", parts, name)


def walk(tree: Node) -> Iterator[Node]:
    """Yield the node and everything below it, without recursion."""
    waiting = [tree]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(current.parts)
        waiting.extend(value for _, value in current.options)


def mapped(tree: Node, change: Callable[[Node], Node], *, indices: bool = True) -> Node:
    """Return the tree with `change` applied to every node, from the leaves up; to indices only where that is said."""
    if tree.parts and (indices or tree.op != "sym"):
        tree = replace(tree, parts=tuple(mapped(part, change, indices=indices) for part in tree.parts))
    if tree.options:
        tree = replace(
            tree, options=tuple((key, mapped(value, change, indices=indices)) for key, value in tree.options)
        )
    return change(tree)


def renamed(tree: Node, table: Mapping[str, str], *, plain: bool = False) -> Node:
    """Return the tree with symbols called otherwise; `plain`: only those without an index."""

    def change(part: Node) -> Node:
        found = part.op == "sym" and part.name in table and not (plain and part.parts)
        return replace(part, name=table[part.name]) if found else part

    return mapped(tree, change)


def used_names(trees: Iterable[Node]) -> set[str]:
    """Return the names of symbols and calls in trees."""
    return {part.name for tree in trees for part in walk(tree) if part.op in {"sym", "call"}}


def index_letters(tree: Node) -> set[str]:
    """Return the single letters used as indices anywhere in a tree."""
    found = set()
    for part in walk(tree):
        index = part.parts if part.op == "sym" else ()
        found |= {inner.name for at in index for inner in walk(at) if inner.op == "sym"}
    return found


def show(tree: Node, level: int = 0) -> str:
    """Return the normalised text of a node; `level` is the binding strength of what stands around it."""
    text, own = _show(tree)
    return f"({text})" if own < level else text


_BETWEEN = {"+": (" + ", 1, 1, 2), "-": (" - ", 1, 1, 2), "*": (" ", 2, 2, 3), "⊙": (" ⊙ ", 2, 2, 3),
            "/": (" / ", 2, 2, 3), "^": ("^", 3, 4, 4), "<": (" < ", 0, 1, 1)}  # fmt: skip


def _show(tree: Node) -> tuple[str, int]:
    parts = tree.parts
    if tree.op in _BETWEEN:
        sign, own, left, right = _BETWEEN[tree.op]
        return f"{show(parts[0], left)}{sign}{show(parts[1], right)}", own
    match tree.op:
        case "neg":
            return f"-{show(parts[0], 2)}", 1
        case "T":
            return f"{show(parts[0], 4)}^T", 3
        case "num":
            return f"{tree.value:.12g}", 4
        case "sum" | "join":
            low = "" if parts[1] is NOTHING else f"={show(parts[1])}"
            high = "" if parts[2] is NOTHING else f"^{show(parts[2], 4)}"
            return f"{'concat' if tree.op == 'join' else 'sum'}_{{{tree.name}{low}}}{high} {show(parts[0], 3)}", 2
    inner = ",".join(map(show, parts)) if tree.op == "sym" else ", ".join(map(show, parts))
    match tree.op:
        case "sym":
            return tree.name + (f"_{inner}" if len(inner) == 1 else f"_{{{inner}}}" if inner else ""), 4
        case "call":
            inner = ", ".join([inner] * bool(parts) + [f"{key}={show(value)}" for key, value in tree.options])
            return f"{tree.name}{'_' + tree.mark if tree.mark else ''}({inner})", 4
        case "list":
            return f"[{inner}]", 4
    return "…", 4
