"""Compare what a student wrote with the key and with the known slips, by value at the sampling points."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations

import numpy as np

from grader.written.formula.forms import FORMS, Slip, fill
from grader.written.formula.functions import scope_of, sublayers
from grader.written.formula.kinds import tree_of
from grader.written.formula.lines import mapped, used_names
from grader.written.formula.norms import STATISTICS
from grader.written.formula.tree import Add, FormulaError, Node, Num, ShapeError, Sym
from grader.written.formula.values import Array, Definition, Value, World, evaluate
from grader.written.formula.work import AN_EVALUATION, Work
from grader.written.formula.worlds import Setting, settings, square_settings

_SEED = 20170612  # the paper's first version; any fixed seed will do
_POINTS = 2
_RELATIVE = 1e-8
_WARMUP = 4000.0
_TOO_SMALL = 2.0  # a size of one hides every factor made of it, and one of two turns 2i/d into i


@dataclass(frozen=True)
class Side:
    """One expression to judge, with the student's definitions."""

    tree: Node
    definitions: Mapping[str, Definition]
    sizes: tuple[tuple[str, float], ...] = ()  # sizes the student states as numbers, such as d_k = 64
    work: Work = field(default_factory=Work, compare=False)  # what its readings took, all together


@lru_cache(maxsize=16)
def points(kind: str) -> tuple[tuple[Setting, ...], ...]:
    """Return the settings of a kind, each as a tuple of sampling points (one convention a tuple)."""
    rng = np.random.default_rng(_SEED)
    if kind in {"pe_sin", "pe_cos", "noam"}:
        found = settings(kind, rng)
        plain = tuple(setting for setting in found if not setting.numbers)
        numbers = tuple(setting for setting in found if setting.numbers)
        return (plain, numbers) if numbers else (plain,)
    return tuple(zip(*(settings(kind, rng) for _ in range(_POINTS)), strict=True))


@lru_cache(maxsize=16)
def square_points(kind: str) -> tuple[tuple[Setting, ...], ...]:
    """Return the points where all sizes agree."""
    rng = np.random.default_rng(_SEED + 1)
    return tuple(zip(*(square_settings(kind, rng) for _ in range(_POINTS)), strict=True))


def at(group: Sequence[Setting], sizes: tuple[tuple[str, float], ...]) -> Sequence[Setting]:
    """Return the points of a convention that reads numbers as sizes, with the sizes the student states."""
    if not sizes or not group[0].numbers:
        return group

    def told(world: World) -> World:
        known = {name: value for name, value in sizes if name in world.symbols and value > _TOO_SMALL}
        if "d_k" not in known and world.symbols.get("d_k") in known.values():
            known["d_k"] = 49.0  # the number that is told is another size's
        if "pos" in world.symbols and "d_model" in known:  # columns there are; far beyond them all is next to nothing
            known["i"] = min(float(np.asarray(world.symbols["i"])), max(known["d_model"] // 2 - 1, 1.0))
        if "warmup" in known:  # steps on both sides of the warm-up's end, so that both terms count
            known["step"] = float(np.asarray(world.symbols["step"])) * known["warmup"] / _WARMUP
        return replace(world, symbols={**world.symbols, **known})

    return tuple(replace(setting, world=told(setting.world), plain=told(setting.plain)) for setting in group)


def value_of(side: Side, setting: Setting) -> Value:
    """Evaluate one side at one point; raises FormulaError, and TooMuchWorkError where its readings took too much."""
    scope = scope_of(setting.world, side.definitions)
    try:
        return evaluate(side.tree, scope)
    finally:
        side.work.add(scope.steps[0] + AN_EVALUATION)


def near(a: Value, b: Value) -> bool:
    """Say whether two values agree in shape and to eight digits."""
    if isinstance(a, np.ndarray) != isinstance(b, np.ndarray):
        return False
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if x.shape != y.shape:
        return False
    size = float(np.max(np.abs(y), initial=1e-12))
    return bool(np.max(np.abs(x - y), initial=0.0) <= _RELATIVE * size)


def same(got: Value, key: Value, setting: Setting) -> bool:
    """Compare a result with the plain world's key; a vector is one sample of it."""
    if setting.turned and isinstance(key, np.ndarray):
        key = key.T
    if isinstance(got, np.ndarray) and got.ndim == 1 and isinstance(key, np.ndarray) and key.ndim == 2:  # noqa: PLR2004
        row: Array = key[:, setting.world.free - 1] if setting.turned else key[setting.world.free - 1]
        return near(got, row)
    if (
        isinstance(got, float)
        and isinstance(key, np.ndarray)
        and key.ndim == 1
        and (setting.world.norm or setting.world.entries)
    ):
        return near(got, float(key[setting.world.free - 1]))  # one entry of the normalised vector
    if isinstance(got, float) and isinstance(key, np.ndarray) and key.ndim == 2 and setting.world.free > 1:  # noqa: PLR2004
        return near(got, float(key[setting.world.free - 1, setting.world.free - 1]))  # one entry, O_ij
    return near(got, key)


def keys_for(kind: str, side: Side) -> list[Node]:
    """Return the right forms that can be meant: masked attention where a mask is used, the sublayer by its name."""
    right = fill(FORMS[kind])
    names = used_names([side.tree, *(definition.body for definition in side.definitions.values())])
    if kind == "attention" and "M" in names:
        return [tree_of(kind, "softmax(Q K^T / sqrt(d_k) + M) V")]
    if kind == "add_norm":
        return [_with_sublayers(text, part) for text, part in _norm_keys(side)]
    return [tree_of(kind, right)]


def _with_sublayers(text: str, names: Sequence[str]) -> Node:
    for mark, name in zip("#%", names, strict=False):
        text = text.replace(mark, name)
    return tree_of("add_norm", text)


def _called(side: Side) -> list[str]:
    own = {name[:-2] for name in side.definitions if name.endswith("()")}
    trees = [side.tree, *(definition.body for definition in side.definitions.values())]
    found = {name for tree in trees for name in sublayers(tree) if name not in own}
    norms = {"layernorm", "batchnorm", "rmsnorm", *STATISTICS}
    plain = any(isinstance(part, Sym) and part.name == "sublayer" for tree in trees for part in _walk(tree))
    return sorted(found - norms) + (["sublayer"] if plain and not found else [])


def _walk(tree: Node) -> Iterator[Node]:
    from grader.written.formula.tree import walk

    return walk(tree)


def _norm_keys(side: Side) -> list[tuple[str, tuple[str, ...]]]:
    names = _called(side)
    if len(names) == 1:
        once = "layernorm(x + #(x))"
        return [(once, (names[0],)), (f"layernorm({once} + #({once}))", (names[0],))]
    if len(names) == 2:  # noqa: PLR2004 - attention, then the feed-forward network
        inner = "layernorm(x + #(x))"
        return [(f"layernorm({inner} + %({inner}))", pair) for pair in (names, names[::-1])]  # type: ignore[misc]
    return []


def agrees(kind: str, side: Side, group: Sequence[Setting]) -> bool:
    """Say whether the side has the key's value at every point of one convention; raises FormulaError."""
    got = [value_of(side, setting) for setting in group]
    return any(
        all(
            same(value, evaluate(key, scope_of(setting.plain, {})), setting)
            for value, setting in zip(got, group, strict=True)
        )
        for key in keys_for(kind, side)
    )


@dataclass(frozen=True)
class Found:
    """Known slips that give exactly the student's values."""

    slips: tuple[Slip, ...]


@lru_cache(maxsize=16)
def _fillings(kind: str, count: int) -> tuple[tuple[tuple[Slip, ...], str], ...]:
    """Return every single slip, or every pair that sits in different slots, with its text."""
    form = FORMS[kind]
    right = fill(form)
    out: list[tuple[tuple[Slip, ...], str]] = []
    seen = {right}
    for slips in combinations(form.slips, count):
        slots = [slot for slip in slips for slot in (slip.slot, *slip.also)]
        if len(set(slots)) < len(slots):
            continue
        text = fill(form, *slips)
        if text not in seen:
            seen.add(text)
            out.append((slips, text))
    return tuple(out)


@lru_cache(maxsize=8192)
def _slip_value(
    kind: str, square: bool, group_number: int, name: str, text: str, sizes: tuple[tuple[str, float], ...],
) -> Value | None:  # fmt: skip
    """Return a slip's value at the first point of a convention, in the plain world; None where it has none."""
    group = at((square_points(kind) if square else points(kind))[group_number], sizes)
    try:
        tree = _with_sublayers(text, (name,)) if kind == "add_norm" else tree_of(kind, text)
        return evaluate(tree, scope_of(group[0].plain, {}))
    except FormulaError:
        return None


_TELLING = frozenset(
    {
        "softmax", "sigmoid", "tanh", "gelu", "tan", "sin", "cos", "d_k", "d_v", "d_model", "d_ff", "n", "m",
        "Q", "K", "V", "W_1", "W_2", "b_1", "b_2", "concat", "pos", "i", "step", "warmup", "softmax_column",
    }
)  # fmt: skip


@lru_cache(maxsize=2048)
def _telling(text: str) -> frozenset[str]:
    return _TELLING & frozenset(re.findall(r"[A-Za-z][A-Za-z_0-9]*", text))


def _likely(kind: str, side: Side, count: int) -> Iterator[tuple[tuple[Slip, ...], str]]:
    """Yield all single slips, and those pairs that use the same functions and symbols as the student."""
    names = used_names([side.tree, *(value.body for value in side.definitions.values())])
    mine = _telling(" ".join(names))
    for slips, text in _fillings(kind, count):
        if "-from-" in slips[0].id and (used_names([tree_of(kind, text)]) ^ names) & {"Q", "K", "V"}:
            continue  # Q in all three places may be the one input of self-attention
        if count == 1 or (_telling(text) ^ mine) <= {"Q", "K", "V", "softmax_column"}:
            yield slips, text


def slip_at(kind: str, side: Side, group_number: int, *, square: bool = False) -> Found | None:
    """Return the simplest known slip whose values are the student's in one convention.

    Raises FormulaError and TooMuchWorkError.
    """
    group = at((square_points(kind) if square else points(kind))[group_number], side.sizes)
    names = _called(side) if kind == "add_norm" else []
    if len(names) > 1:
        return None
    name = names[0] if names else "sublayer"
    first = value_of(side, group[0])
    for count in (1, 2):
        likely = list(_likely(kind, side, count))
        side.work.add(len(likely))
        hits = [
            slips for slips, text in likely
            if (value := _slip_value(kind, square, group_number, name, text, side.sizes)) is not None
            and same(first, value, group[0]) and _confirmed(kind, side, group, slips, name)
        ]  # fmt: skip
        if hits:
            break
    else:
        return None
    # Several wrong forms can have one value (a maximum that always picks the same term): take the likest.
    mine = used_names([side.tree])
    return Found(min(hits, key=lambda slips: (len(slips), len(mine ^ used_names([_slip_tree(kind, slips, name)])))))


def _slip_tree(kind: str, slips: tuple[Slip, ...], name: str) -> Node:
    text = fill(FORMS[kind], *slips)
    return _with_sublayers(text, (name,)) if kind == "add_norm" else tree_of(kind, text)


def _confirmed(kind: str, side: Side, group: Sequence[Setting], slips: tuple[Slip, ...], name: str) -> bool:
    tree = _slip_tree(kind, slips, name)
    return all(
        same(value_of(side, setting), evaluate(tree, scope_of(setting.plain, {})), setting) for setting in group[1:]
    )


def has_numbers(trees: Iterable[Node]) -> bool:
    """Say whether a tree holds a number that may stand for a size, such as 64, 8, 512 or 4000."""
    return any(
        isinstance(part, Num) and (part.value >= 8 or 0 < part.value < 0.2)  # noqa: PLR2004
        for tree in trees
        for part in _walk(tree)
    )


def shifted(side: Side) -> Side:
    """Return the side with what it counts counted otherwise: pairs of columns from one, steps from zero."""

    def change(part: Node) -> Node:
        return Add(part, Num(1.0), minus=part == Sym("step")) if part in (Sym("i"), Sym("step")) else part

    return replace(side, tree=mapped(side.tree, change))


__all__ = [
    "Found",
    "ShapeError",
    "Side",
    "agrees",
    "at",
    "has_numbers",
    "points",
    "shifted",
    "slip_at",
    "square_points",
]
