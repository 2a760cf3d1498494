"""Whether one side has the key's value in some convention, and which known slip has exactly its values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from grader.written.formula.errors import AN_EVALUATION, FormulaError, ShapeError, UnreadableError, Work
from grader.written.formula.functions import scope_of, sublayers
from grader.written.formula.kinds import Kind, Slip, forms, key_text
from grader.written.formula.meant import Definition
from grader.written.formula.parser import tree_of
from grader.written.formula.tree import Node, mapped, node, num, renamed, sym, used_names, walk
from grader.written.formula.values import Value, evaluate
from grader.written.formula.worlds import Setting, points, square_points

_RELATIVE = 1e-8


@dataclass(frozen=True)
class Side:
    """One expression to judge, with the student's definitions."""

    tree: Node
    definitions: Mapping[str, Definition]
    sizes: tuple[tuple[str, float], ...] = ()  # sizes the student states as numbers, such as d_k = 64
    work: Work = field(default_factory=Work, compare=False)  # what its readings took, all together

    @property
    def trees(self) -> list[Node]:
        """The side's own tree and those of all definitions."""
        return [self.tree, *(value.body for value in self.definitions.values())]

    @property
    def reachable(self) -> list[Node]:
        """The trees the side really uses."""
        out, waiting, seen = [], [self.tree], set[str]()
        while waiting:
            out.append(waiting.pop())
            fresh = used_names(out[-1:]) - seen
            seen |= fresh
            waiting += [value.body for key, value in self.definitions.items() if owner(key) in fresh]
        return out

    def all_parts(self) -> Iterator[Node]:
        """Yield every node that the side really uses."""
        for tree in self.reachable:
            yield from walk(tree)

    def mapped(self, change: Callable[[Node], Node], *, indices: bool = True) -> Side:
        """Return the side with `change` applied to every node."""
        return self.on_trees(lambda tree: mapped(tree, change, indices=indices))

    def on_trees(self, change: Callable[[Node], Node]) -> Side:
        """Return the side with `change` applied to its trees."""
        bodies = {key: replace(value, body=change(value.body)) for key, value in self.definitions.items()}
        return replace(self, tree=change(self.tree), definitions=bodies)

    def renamed(self, table: Mapping[str, str]) -> Side:
        """Return the side with symbols called otherwise, in its definitions too."""
        side = self.on_trees(lambda tree: renamed(tree, table))
        names = {
            key: replace(value, names=tuple(table.get(name, name) for name in value.names))
            for key, value in side.definitions.items()
        }
        return replace(side, definitions=names)


def owner(key: str) -> str:
    """Return the name that a definition's key belongs to."""
    return key.split("/", maxsplit=1)[0].removesuffix("()")


# --------------------------------------------------------------------------------------------------------- values


def value_of(side: Side, setting: Setting) -> Value:
    """Evaluate one side at one point; raises FormulaError, and TooMuchWorkError where its readings took too much."""
    scope = scope_of(setting.world, side.definitions)
    try:
        return evaluate(side.tree, scope)
    finally:
        side.work.add(scope.steps[0] + AN_EVALUATION)


def same(got: Value, key: Value, setting: Setting) -> bool:
    """Compare a result with the plain world's key to eight digits; a vector is one sample of it, a number an entry."""
    world = setting.world
    right = np.asarray(key).T if setting.turned else np.asarray(key)
    free = world.free - 1
    if np.ndim(got) == 1 and right.ndim == 2:
        right = right[:, free] if setting.turned else right[free]
    elif not np.ndim(got) and right.ndim == 2 and world.free > 1:
        right = right[free, free]  # one entry, O_ij
    if np.shape(got) != right.shape:
        return False
    return bool(np.max(np.abs(got - right), initial=0.0) <= _RELATIVE * float(np.max(np.abs(right), initial=1e-12)))


def called_layers(side: Side) -> list[str]:
    """Return the names of the sublayers that a side calls."""
    own = {owner(key) for key in side.definitions if key.endswith("()")}
    found = {name for tree in side.trees for name in sublayers(tree)} - own
    plain = any(part == sym("sublayer") for tree in side.trees for part in walk(tree))
    return sorted(found - {"layernorm", "batchnorm", "rmsnorm"}) + ["sublayer"] * (plain and not found)


def _key_texts(kind: str, side: Side) -> list[str]:
    """Return the right forms that can be meant: masked attention where a mask is used, the sublayer by its name."""
    if kind == "attention" and "M" in used_names(side.trees):
        return ["softmax(Q K^T / sqrt(d_k) + M) V"]
    if kind != "add_norm":
        return [key_text(kind)]
    names = called_layers(side)
    once = key_text(kind)
    if len(names) == 1:
        once = once.replace("#", names[0])
        return [once, f"layernorm({once} + {names[0]}({once}))"]
    pairs = (names, names[::-1]) if len(names) == 2 else ()  # attention, then the feed-forward network
    return [f"layernorm({once} + %({once}))".replace("#", a).replace("%", b) for a, b in pairs]


def _agrees(kind: str, side: Side, group: Sequence[Setting]) -> bool:
    """Say whether the side has the key's value at every point of one convention; raises FormulaError."""
    got = [value_of(side, setting) for setting in group]
    return any(
        all(
            same(value, evaluate(tree_of(kind, text), scope_of(setting.plain, {})), setting)
            for value, setting in zip(got, group, strict=True)
        )
        for text in _key_texts(kind, side)
    )


# ------------------------------------------------------------------------------------------------------- equality


def has_numbers(trees: Sequence[Node]) -> bool:
    """Say whether a tree holds a number that may stand for a size, such as 64, 8, 512 or 4000."""
    numbers = [part.value for tree in trees for part in walk(tree) if part.op == "num"]
    return any(value >= 8 or 0 < value < 0.2 for value in numbers)


def groups(kind: Kind, side: Side) -> Iterator[tuple[int, tuple[Setting, ...]]]:
    """Yield the conventions that concern what the side uses, with their numbers.

    One that reads a number as a size, such as 64 for d_k, knows no d_k, and concerns no side that tells other sizes.
    """
    weights = any(name.startswith("W") for name in used_names(side.trees))
    written = has_numbers(side.trees)
    told = dict(side.sizes)
    for number, group in enumerate(points(kind.id)):
        first = group[0]
        fits = all(first.plain.symbols.get(name, size) == size for name, size in told.items())
        if (not first.numbers or (written and fits)) and (weights or not first.weights):
            yield number, group


def is_equal(kind: Kind, side: Side) -> bool:
    """Say whether some convention gives the key's values; raises the first error where none can be evaluated."""
    error: FormulaError | None = None
    evaluated = False
    for _, group in groups(kind, side):
        try:
            if _agrees(kind.id, side, group):
                _check_convention(kind, side, group[0])
                break
            evaluated = True
        except FormulaError as problem:
            if error is None or (isinstance(problem, ShapeError) and not isinstance(error, ShapeError)):
                error = problem
    else:
        if not evaluated and error is not None:
            raise error
        return False
    if kind.id == "attention" and _is_width_of_model(side):
        raise UnreadableError("It is right only where the model is as wide as a head; a person should look.")
    return True


def quietly_equal(kind: Kind, side: Side) -> bool:
    """Say whether the side is equal, taking what cannot be evaluated as not."""
    try:
        return is_equal(kind, side)
    except FormulaError:
        return False


def _check_convention(kind: Kind, side: Side, setting: Setting) -> None:
    """Raise UnreadableError where a convention has to be meant: heads in columns, one input for all."""
    if kind.id != "multi_head":
        return
    names = used_names(side.reachable)
    if setting.turned and not names & {"W^Q", "W^K", "W^V"}:
        raise UnreadableError(
            "W^O stands on the left, which is right only where heads are columns; a person should look."
        )
    if setting.own and any(part in {sym(name) for name in "QKV"} for part in side.all_parts()):
        raise UnreadableError(
            "It is right only where queries, keys and values come from one input; a person should look."
        )


def _is_width_of_model(side: Side) -> bool:
    """Say whether the model's width, given as a number, stands where that number is a head's: hidden = 64."""
    names = used_names(side.reachable)
    return any(
        value.body.op == "num" and owner(key) in names
        and re.match(r"n?_?(?:hidden|emb|model|d_?(?:emb|hid))", key.lower())
        for key, value in side.definitions.items()
    )  # fmt: skip


@lru_cache(maxsize=16)
def _fillings(kind: str) -> Mapping[str, Slip]:
    """Return the texts of the wrong forms, each with its slip."""
    form = forms()[kind]
    out: dict[str, Slip] = {}
    for slip in form.slips:
        out.setdefault(form.fill(slip), slip)
    return out


@lru_cache(maxsize=8192)
def _slip_value(kind: str, square: bool, number: int, text: str) -> Value | None:
    """Return a slip's value at the first point of a convention, in the plain world; None where it has none."""
    group = (square_points(kind) if square else points(kind))[number]
    try:
        return evaluate(tree_of(kind, text), scope_of(group[0].plain, {}))
    except FormulaError:
        return None


def slip_at(kind: str, side: Side, number: int, *, square: bool = False) -> Slip | None:
    """Return the known slip whose values are the student's in one convention, or None.

    Raises FormulaError and TooMuchWorkError.
    """
    group = (square_points(kind) if square else points(kind))[number]
    names = called_layers(side) if kind == "add_norm" else []
    if len(names) > 1:
        return None
    name = names[0] if names else "sublayer"
    first = value_of(side, group[0])
    used = used_names(side.trees)
    likely = [
        (slip, text.replace("#", name)) for text, slip in _fillings(kind).items()
        # Q in all three places may be the one input of self-attention
        if not ("-from-" in slip.id and (used_names([tree_of(kind, text)]) ^ used) & {"Q", "K", "V"})
    ]  # fmt: skip
    side.work.add(len(likely))
    hits = [
        (len(used_names([side.tree]) ^ used_names([tree_of(kind, text)])), at)
        for at, (_, text) in enumerate(likely)
        if (value := _slip_value(kind, square, number, text)) is not None
        and same(first, value, group[0])
        and all(
            same(value_of(side, setting), evaluate(tree_of(kind, text), scope_of(setting.plain, {})), setting)
            for setting in group[1:]
        )
    ]
    # several wrong forms can have one value (a maximum that always picks the same term): the likest
    return likely[min(hits)[1]][0] if hits else None


def shifted(side: Side) -> Side:
    """Return the side with what it counts counted otherwise: pairs of columns from one, steps from zero."""
    table = {sym("i"): node("+", sym("i"), num(1)), sym("step"): node("-", sym("step"), num(1))}
    return replace(side, tree=mapped(side.tree, lambda part: table.get(part, part)))
