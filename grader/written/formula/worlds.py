"""Sampling points: random arrays whose sizes all differ, so that a missing transpose is a misfit."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from grader.written.formula.values import Array, Value, World, attend, multiply, opaque

_SEED = 20170612  # the paper's first version; any fixed seed will do
_CONSTANTS: Mapping[str, Value] = {"pi": math.pi, "e": math.e}


@dataclass(frozen=True)
class Setting:
    """One convention: the world a formula is read in, and the plain world the key and slips are read in.

    `turned` says that results come out transposed against the plain world.
    """

    world: World
    plain: World
    turned: bool = False
    weights: bool = False  # differs from the plain one only where weight matrices are written
    numbers: bool = False  # sizes are written as numbers: 64 for d_k
    own: bool = False  # queries, keys and values are one input


class _Draw:
    """Random matrices of one point."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def __call__(self, *shape: int) -> Array:
        return np.asarray(self.rng.normal(size=shape))


def _turn(value: Value) -> Value:
    return np.ascontiguousarray(np.transpose(value)) if np.ndim(value) == 2 else value


def _oriented(world: World, *, columns: bool, flipped: bool) -> World:
    """Return the world with data as columns and weights stored out × in where that is asked."""

    def turn(name: str, value: Value) -> Value:
        return _turn(value) if columns != (flipped and name.startswith("W")) else value

    return replace(
        world,
        symbols={name: turn(name, value) for name, value in world.symbols.items()},
        families={name: tuple(turn(name, value) for value in values) for name, values in world.families.items()},
        axis=0 if columns else 1,
    )


def _conventions(world: World, *, weights: bool) -> list[Setting]:
    ways = [(True, False), (False, True), (True, True)] if weights else [(True, False)]
    return [Setting(world, world)] + [
        Setting(_oriented(world, columns=columns, flipped=flipped), world, turned=columns, weights=weights)
        for columns, flipped in ways
    ]


def _with_numbers(world: World, *names: str) -> Setting:
    """Return a setting whose formulas write these sizes as numbers: their names are known to the key alone."""
    left = {name: value for name, value in world.symbols.items() if name not in names}
    return Setting(replace(world, symbols=left), world, numbers=True)


def _lengths(n: int, m: int) -> dict[str, Value]:
    return {**dict.fromkeys(("n", "N", "T", "L", "seq_len", "d_seq"), float(n)), "m": float(m)}


def _attention_world(draw: _Draw, *, own: bool, square: bool = False, numbers: bool = False) -> World:
    """Queries, keys and values; `own` makes them from one X, as self-attention does."""
    # Primes: with d_k = 4 its half would be its root.
    n, m, d_k, d_v, d_model = (4,) * 5 if square else ((7, 7, 5, 11, 13) if own else (3, 7, 5, 11, 13))
    W = {name: draw(d_model, size) for name, size in (("W^Q", d_k), ("W^K", d_k), ("W^V", d_v))}
    X, source = draw(n, d_model), draw(m, d_model)
    source = X if own else source
    made = {"Q": X @ W["W^Q"], "K": source @ W["W^K"], "V": source @ W["W^V"]}
    symbols: dict[str, Value] = {
        **made, **W, **_CONSTANTS, **_lengths(n, m),
        "d_k": float(d_k), "d_v": float(d_v), "d_model": float(d_model), "d_ff": 11.0, "h": 2.0, "num_heads": 2.0,
        "M": np.where(np.arange(m)[None, :] > np.arange(n)[:, None] + 1, -1e9, 0.0),
    }  # fmt: skip
    if square:  # no size may be told from another by its value either
        symbols |= {"d_k": 3.7, "d_v": 5.3, "d_model": 6.1, "n": 2.9, "m": 4.3, "N": 2.9, "T": 2.9, "L": 2.9}
    if numbers:
        symbols |= {"d_k": 64.0, "d_v": 96.0, "d_model": 512.0, "Q": made["Q"] * 6.0, "W^Q": W["W^Q"] * 6.0}
    symbols |= {"X": X} if own else {"X_q": X, "X_kv": source}
    symbols["q_row"] = np.asarray(symbols["Q"])[1]  # a single query, the second: see `free`
    families = {name: tuple(np.asarray(symbols[name.upper()])) for name in "qkvQKV"} | ({"x": tuple(X)} if own else {})
    ranges = {**dict.fromkeys("nNTL", n), "m": m, "default": m}
    return World(symbols, families, free=2, ranges=ranges, square=square)


def _attention(draw: _Draw) -> list[Setting]:
    cross, own = _attention_world(draw, own=False), _attention_world(draw, own=True)
    found = [*_conventions(cross, weights=False), *_conventions(own, weights=True), Setting(cross, cross, weights=True)]
    # Queries, keys and values that are still to be projected, as in one head: (QW^Q)(KW^K)^T.
    world = _attention_world(draw, own=False)
    values = np.asarray(world.symbols["X_kv"]) + draw(*np.shape(world.symbols["X_kv"]))
    plain = replace(world, symbols={**world.symbols, "V": multiply(values, world.symbols["W^V"])})
    raw = {"Q": world.symbols["X_q"], "K": world.symbols["X_kv"], "V": values}
    found.append(Setting(replace(world, symbols={**world.symbols, **raw}, families={}), plain, weights=True))
    numbers = [_attention_world(draw, own=own, numbers=True) for own in (False, True)]
    return found + [_with_numbers(world, "d_k") for world in numbers]


def _multi_head_world(draw: _Draw, *, own: bool, square: bool = False, summed: bool = False) -> World:
    n, m, d_k, d_v, d_model, h = (4, 4, 4, 4, 4, 2) if square else ((4, 4, 5, 7, 6, 2) if own else (3, 4, 5, 7, 6, 2))
    Q, K, V = draw(n, d_model), draw(m, d_model), draw(m, d_model)
    inputs = {"Q": Q, "K": Q if own else K, "V": Q if own else V}
    W = {name: [draw(d_model, size) for _ in range(h)] for name, size in (("Q", d_k), ("K", d_k), ("V", d_v))}
    parts = {name: [inputs[name] @ w for w in W[name]] for name in "QKV"}
    heads = [np.asarray(attend(q, k, v, World({}))) for q, k, v in zip(*parts.values(), strict=True)]
    blocks = [draw(d_v, d_model) for _ in range(h)]
    families: dict[str, tuple[Value, ...]] = {f"W^{name}": tuple(values) for name, values in W.items()}
    families |= {letter: tuple(values) for name, values in parts.items() for letter in (name, name.lower())}
    families |= dict.fromkeys(("head", *"hHZzOoAaYyScC"), tuple(heads))
    families |= {"W^O": tuple(blocks), "W": tuple(draw(d_model, d_k) for _ in range(h))}  # W_i: of no role of its own
    symbols: dict[str, Value] = {
        **inputs, "W^O": blocks[0] if summed else np.vstack(blocks), "heads": np.hstack(heads),
        "d_k": float(d_k), "d_v": float(d_v), "d_model": float(d_model), "h": float(h), "num_heads": float(h),
        **_lengths(n, m), **_CONSTANTS,
    }  # fmt: skip
    symbols |= {"X": Q} if own else {}
    symbols |= {"d_v": 5.3, "d_model": 6.1} if square else {}
    return World(symbols, families, ranges={"h": h, "num_heads": h, "H": h}, square=square)


def _multi_head(draw: _Draw) -> list[Setting]:
    found = _conventions(_multi_head_world(draw, own=False), weights=True)
    own = _conventions(_multi_head_world(draw, own=True), weights=True)
    return found + [replace(setting, own=True) for setting in own]


def _ffn_world(draw: _Draw, *, square: bool = False) -> World:
    n, d_model, d_ff = (4,) * 3 if square else (3, 5, 7)
    symbols: dict[str, Value] = {
        "x": draw(n, d_model), "W_1": draw(d_model, d_ff), "b_1": draw(1, d_ff), "W_2": draw(d_ff, d_model),
        "b_2": draw(1, d_model), "d_model": float(d_model), "d_ff": float(d_ff), **_CONSTANTS,
    }  # fmt: skip
    return World(symbols, square=square)


def _ffn(draw: _Draw) -> list[Setting]:
    return _conventions(_ffn_world(draw), weights=True)


def _add_norm(draw: _Draw) -> list[Setting]:
    x = draw(3, 5)
    world = World({"x": x, "sublayer": opaque("sublayer", x, 1), "d_model": 5.0, **_CONSTANTS}, ranges={"sublayers": 1})
    return [Setting(world, world)]


def _rows(names: str, *rows: tuple[float, ...]) -> list[dict[str, float]]:
    return [dict(zip(names.split(), row, strict=True)) for row in rows]


_POINTS = {
    "pe": _rows("pos i d_model d_k d_v d_ff h", (7, 2, 22, 14, 10, 44, 3), (23, 5, 34, 19, 11, 68, 5),
                (3, 1, 26, 13, 8, 52, 2)),
    "noam": _rows("step warmup d_model d_k d_v d_ff h", (2, 370, 44, 15, 10, 170, 3), (37, 400, 52, 13, 11, 208, 4),
                  (2900, 310, 91, 17, 9, 300, 5), (810, 730, 33, 12, 7, 99, 2)),
}  # fmt: skip
"""Sizes and places of the scalar kinds."""
_PAPER = {
    "pe": _rows("pos i d_model d_k d_v d_ff h", (11, 37, 512, 64, 64, 2048, 8), (5, 3, 512, 64, 64, 2048, 8)),
    "noam": _rows("step warmup d_model d_k d_v d_ff h", (3, 4000, 512, 64, 64, 2048, 8),
                  (1300, 4000, 512, 64, 64, 2048, 8), (9100, 4000, 512, 64, 64, 2048, 8)),
}  # fmt: skip
"""The same with the paper's own sizes."""
_NUMBERS = {"pe": [["d_model"]], "noam": [["d_model"], ["warmup"], ["d_model", "warmup"]]}
"""Which of them are written as numbers."""


def _scalars(name: str) -> list[tuple[Setting, ...]]:
    def worlds(points: list[dict[str, float]]) -> list[World]:
        return [World({**{key: float(value) for key, value in point.items()}, **_CONSTANTS}) for point in points]

    plain = tuple(Setting(world, world) for world in worlds(_POINTS[name]))
    return [plain] + [tuple(_with_numbers(world, *names) for world in worlds(_PAPER[name])) for names in _NUMBERS[name]]


_BUILDERS: Mapping[str, Callable[[_Draw], list[Setting]]] = {
    "attention": _attention, "multi_head": _multi_head, "ffn": _ffn, "add_norm": _add_norm,
}  # fmt: skip


@lru_cache(maxsize=16)
def points(kind: str) -> tuple[tuple[Setting, ...], ...]:
    """Return the settings of a kind, each as a tuple of sampling points (one convention a tuple)."""
    if kind not in _BUILDERS:
        return tuple(_scalars(kind.partition("_")[0]))
    draw = _Draw(np.random.default_rng(_SEED))
    return tuple(zip(_BUILDERS[kind](draw), _BUILDERS[kind](draw), strict=True))


@lru_cache(maxsize=16)
def square_points(kind: str) -> tuple[tuple[Setting, ...], ...]:
    """Return points where all sizes agree: only there a misfitting slip has a value to be known by."""
    draw = _Draw(np.random.default_rng(_SEED + 1))
    builders: Mapping[str, list[Callable[[], World]]] = {
        "attention": [partial(_attention_world, draw, own=own, square=True) for own in (False, True)],
        "multi_head": [
            partial(_multi_head_world, draw, own=False, square=True),
            partial(_multi_head_world, draw, own=False, summed=True),
        ],
        "ffn": [partial(_ffn_world, draw, square=True)],
    }
    draws = ([build() for build in builders.get(kind, [])] for _ in range(2))
    return tuple(zip(*([Setting(world, world) for world in worlds] for worlds in draws), strict=True))
