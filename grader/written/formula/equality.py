"""Whether one side has the key's value in some convention, and which known slip has exactly its values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from grader.written.formula.errors import FormulaError, ShapeError, UnreadableError
from grader.written.formula.functions import scope_of, sublayers
from grader.written.formula.kinds import Kind, key_text
from grader.written.formula.meant import Definition
from grader.written.formula.parser import tree_of
from grader.written.formula.tree import Node, call, mapped, renamed, sym, used_names, walk
from grader.written.formula.values import Value, World, evaluate
from grader.written.formula.vocabulary import STATISTICS
from grader.written.formula.work import AN_EVALUATION, Work
from grader.written.formula.worlds import Setting, points

ONLY_AS_TOLD = "It is right only for the sizes that are told; a person should look."
_RELATIVE = 1e-8
_WARMUP = 4000.0
_TOO_SMALL = 2.0  # a size of one hides every factor made of it, and one of two turns 2i/d into i
_OTHERWISE = 1.37  # how much larger a size is tried that is told
_LARGE = 22.0  # at least, so that an encoding has columns enough
_COLUMNS = 8  # with fewer there is no index that tells i from its square or from one


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


def at(group: Sequence[Setting], sizes: tuple[tuple[str, float], ...]) -> Sequence[Setting]:
    """Return the points of a convention that reads numbers as sizes, with the sizes the student states."""
    if not sizes or not group[0].numbers:
        return group

    def told(world: World) -> World:
        known = {name: value for name, value in sizes if name in world.symbols and value > _TOO_SMALL}
        if "d_k" not in known and world.symbols.get("d_k") in known.values():
            known["d_k"] = 49.0  # the number that is told is another size's
        if "pos" in world.symbols and "d_model" in known:  # columns there are; far beyond them all is next to nothing
            known["i"] = min(float(world.symbols["i"]), max(known["d_model"] // 2 - 1, 1.0))
        if "warmup" in known:  # steps on both sides of the warm-up's end, so that both terms count
            known["step"] = float(world.symbols["step"]) * known["warmup"] / _WARMUP
        return replace(world, symbols={**world.symbols, **known})

    return tuple(replace(setting, world=told(setting.world), plain=told(setting.plain)) for setting in group)


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
    elif not np.ndim(got) and right.ndim == 1 and (world.norm or world.entries):
        right = right[free]
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
    return sorted(found - {"layernorm", "batchnorm", "rmsnorm", *STATISTICS}) + ["sublayer"] * (plain and not found)


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


def spelled_out(side: Side) -> bool:
    """Say whether the side writes LayerNorm out in mean and variance."""
    statistics = any(part.op == "call" and part.name in STATISTICS for part in side.all_parts())
    return statistics or used_names(side.reachable) >= {"gamma", "beta"}


def with_statistics(side: Side) -> Side:
    """Return the side with mu and sigma as mean and deviation of what mu is taken from, where they are not defined."""
    defined = {owner(key) for key in side.definitions}

    def what(part: Node) -> str:
        found = re.fullmatch(r"(mu|sigma)(?:_[A-Za-z]+)?", part.name) if part.op == "sym" else None
        return found[1] if found and part.name not in defined else ""

    def subject(tree: Node) -> Node | None:
        found = {
            part[0] for part in walk(tree) if part.op == "-" and part[1].op == "sym" and part[1].name.startswith("mu")
        }
        return found.pop() if len(found) == 1 else None

    anywhere = next((one for one in map(subject, side.reachable) if one is not None), None)

    def told(tree: Node) -> Node:
        of = subject(tree) or anywhere
        if of is None:
            return tree
        whole = replace(of, parts=()) if of.op == "sym" else of  # z_i − μ: the mean of z
        names = {"mu": "mean", "sigma": "std"}
        return mapped(tree, lambda part: call(names[what(part)], whole) if what(part) else part)

    return side.on_trees(told)


def groups(kind: Kind, side: Side) -> Iterator[tuple[int, tuple[Setting, ...]]]:
    """Yield the conventions that concern what the side uses, with their numbers."""
    weights = any(name.startswith("W") for name in used_names(side.trees))
    written = has_numbers(side.trees)
    summed = any(part.op == "sum" for part in side.all_parts())
    spelled = kind.opaque and spelled_out(side)
    # A number that is told what it stands for is not to be met by chance in a world of other sizes.
    told = bool(side.sizes) and written and any(group[0].numbers for group in points(kind.id))
    for number, group in enumerate(points(kind.id)):
        first = group[0]
        fits = bool(first.world.norm) == spelled and (summed or not first.world.entries)
        numbers = (bool(side.sizes) or written) if first.numbers else not told
        if fits and numbers and (weights or not first.weights):
            yield number, group


def is_equal(kind: Kind, side: Side) -> bool:
    """Say whether some convention gives the key's values; raises the first error where none can be evaluated."""
    error: FormulaError | None = None
    evaluated = False
    for _, group in groups(kind, side):
        try:
            if _agrees(kind.id, side, at(group, side.sizes)):
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
    _check_other_sizes(kind, side, group)
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


def _check_other_sizes(kind: Kind, side: Side, group: Sequence[Setting]) -> None:
    """A size that is written with its name has to be right for all its values, not only for the one that is told.

    Either each size is another by itself, or the head and the model grow together, as in d_model / 8.
    """
    told = dict(side.sizes)
    used = used_names(side.reachable) & set(told)
    other = {name: max(told[name] * _OTHERWISE, _LARGE) + place for place, name in enumerate(sorted(used))}
    alone: dict[str, float] = {**told, **other}
    few = kind.waves and told.get("d_model", _LARGE) < _COLUMNS and "d_model" not in used
    widths = {name: told.get(name, group[0].world.symbols.get(name, 0.0)) for name in ("d_k", "d_model")}
    ways = [alone]
    if kind.id == "attention" and widths["d_k"] != widths["d_model"]:
        grown = {name: float(value) * _OTHERWISE for name, value in widths.items()}
        ways.append({**alone, "h": told.get("h", 0.0), **grown})
    right = not used or any(_agrees(kind.id, side, at(group, tuple(sorted(way.items())))) for way in ways)
    if not right or (few and group[0].numbers) or (kind.id == "attention" and _is_width_of_model(side)):
        raise UnreadableError(ONLY_AS_TOLD)


def _is_width_of_model(side: Side) -> bool:
    """Say whether the model's width, given as a number, stands where that number is a head's: hidden = 64."""
    names = used_names(side.reachable)
    return any(
        value.body.op == "num" and owner(key) in names
        and re.match(r"n?_?(?:hidden|emb|model|d_?(?:emb|hid))", key.lower())
        for key, value in side.definitions.items()
    )  # fmt: skip
