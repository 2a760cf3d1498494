"""The expression tree and the normalised text it is shown as."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


class FormulaError(Exception):
    """A formula that cannot be read or evaluated; the message says why, in a student's words."""


class UnreadableError(FormulaError):
    """The text has no reading in our grammar."""


class ShapeError(FormulaError):
    """Two parts do not fit together, for instance because a transpose is missing."""


class UnknownNameError(FormulaError):
    """A symbol with no meaning in this kind of formula."""

    def __init__(self, name: str) -> None:
        super().__init__(f"The symbol “{name}” is not one we know here.")
        self.name = name


@dataclass(frozen=True, slots=True)
class Num:
    """A number."""

    value: float


@dataclass(frozen=True, slots=True)
class Sym:
    """A symbol with its running or fixed indices."""

    name: str
    index: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Neg:
    """Minus its body."""

    body: Node


@dataclass(frozen=True, slots=True)
class Add:
    """A sum or, with `minus`, a difference."""

    left: Node
    right: Node
    minus: bool = False


@dataclass(frozen=True, slots=True)
class Mul:
    """A product; of matrices, never commuting."""

    left: Node
    right: Node
    entrywise: bool = False  # Hadamard, or `*` between arrays in code


@dataclass(frozen=True, slots=True)
class Div:
    """A quotient."""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Pow:
    """A power."""

    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Transpose:
    """The transpose of its body."""

    body: Node


@dataclass(frozen=True, slots=True)
class Call:
    """A function with arguments, keyword options and a subscript."""

    name: str
    args: tuple[Node, ...]
    options: tuple[tuple[str, Node], ...] = ()
    mark: str = ""  # a subscript such as "row" or "j"


@dataclass(frozen=True, slots=True)
class Sum:
    """Sum, or side-by-side joining when `joins`, of `body` over `var` = low … high (None: the whole range)."""

    var: str
    low: Node | None
    high: Node | None
    body: Node
    joins: bool = False


@dataclass(frozen=True, slots=True)
class Seq:
    """Several items in brackets."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Dots:
    """Dots that stand for what lies between."""


Node = Num | Sym | Neg | Add | Mul | Div | Pow | Transpose | Call | Sum | Seq | Dots


def children(node: Node) -> tuple[Node, ...]:
    """Return the direct parts of a node."""
    match node:
        case Sym(index=parts) | Seq(items=parts):
            return parts
        case Neg(body=body) | Transpose(body=body):
            return (body,)
        case Add(left=a, right=b) | Mul(left=a, right=b) | Div(left=a, right=b) | Pow(base=a, exponent=b):
            return (a, b)
        case Call(args=args, options=options):
            return args + tuple(value for _, value in options)
        case Sum(low=low, high=high, body=body):
            return tuple(part for part in (low, high, body) if part is not None)
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and everything below it, without recursion."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(children(current))


def show(node: Node, level: int = 0) -> str:
    """Return the normalised text of a node; `level` is the binding strength of what stands around it."""
    text, own = _show(node)
    return f"({text})" if own < level else text


def _index(index: tuple[Node, ...]) -> str:
    inner = ",".join(show(part) for part in index)
    return f"_{inner}" if len(index) == 1 and len(inner) == 1 else f"_{{{inner}}}"


def _bounds(node: Sum) -> str:
    low = "" if node.low is None else f"={show(node.low)}"
    high = "" if node.high is None else f"^{show(node.high, 4)}"
    return f"{'concat' if node.joins else 'sum'}_{{{node.var}{low}}}{high}"


def _atom(node: Node) -> str:
    match node:
        case Num(value=value):
            return f"{value:.12g}"
        case Sym(name=name, index=index):
            return name + (_index(index) if index else "")
        case Call(name=name, args=args, options=options, mark=mark):
            inner = [show(arg) for arg in args] + [f"{key}={show(value)}" for key, value in options]
            return f"{name}{'_' + mark if mark else ''}({', '.join(inner)})"
        case Seq(items=items):
            return f"[{', '.join(show(item) for item in items)}]"
        case _:
            return "…"


def _show(node: Node) -> tuple[str, int]:  # noqa: PLR0911 - a node, a line
    match node:
        case Neg(body=body):
            return f"-{show(body, 2)}", 1
        case Add(left=a, right=b, minus=minus):
            return f"{show(a, 1)} {'-' if minus else '+'} {show(b, 2)}", 1
        case Mul(left=a, right=b, entrywise=entrywise):
            return f"{show(a, 2)}{' ⊙ ' if entrywise else ' '}{show(b, 3)}", 2
        case Div(left=a, right=b):
            return f"{show(a, 2)} / {show(b, 3)}", 2
        case Pow(base=a, exponent=b):
            return f"{show(a, 4)}^{show(b, 4)}", 3
        case Transpose(body=body):
            return f"{show(body, 4)}^T", 3
        case Sum(body=body):
            return f"{_bounds(node)} {show(body, 3)}", 2
        case _:
            return _atom(node), 4
