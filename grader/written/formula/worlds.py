"""Sampling points: random arrays whose sizes all differ, so that a missing transpose is a misfit."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from grader.written.formula.functions import attend, opaque
from grader.written.formula.norms import EPSILON, STYLES
from grader.written.formula.values import Array, Scope, Value, World, multiply

_CONSTANTS: Mapping[str, Value] = {"pi": math.pi, "e": math.e}
_ALL_EQUAL = 4


@dataclass(frozen=True)
class Setting:
    """One convention: the world a formula is read in, and the plain world the key and slips are read in.

    `turned` says that results come out transposed against the plain world.
    """

    name: str
    world: World
    plain: World
    turned: bool = False
    weights: bool = False  # differs from the plain one only where weight matrices are written
    numbers: bool = False  # d_k = 64, d_model = 512, h = 8 written as numbers
    spelled: bool = False  # LayerNorm is written out in mean and variance
    entries: bool = False  # sums over the entries of one vector
    own: bool = False  # queries, keys and values are one input


def _turn(value: Value) -> Value:
    return np.ascontiguousarray(value.T) if isinstance(value, np.ndarray) and value.ndim == 2 else value  # noqa: PLR2004


def _oriented(world: World, *, columns: bool, flipped: bool) -> World:
    """Return the world with data as columns and weights stored out × in where that is asked."""

    def turn(name: str, value: Value) -> Value:
        weight = name.startswith("W")
        return _turn(value) if (columns != flipped if weight else columns) else value

    return replace(
        world,
        symbols={name: turn(name, value) for name, value in world.symbols.items()},
        families={name: tuple(turn(name, value) for value in values) for name, values in world.families.items()},
        axis=0 if columns else 1,
    )


def _conventions(name: str, world: World, *, weights: bool) -> list[Setting]:
    found = [Setting(name, world, world)]
    columns = _oriented(world, columns=True, flipped=False)
    if weights:
        found += [
            Setting(f"{name}, data in columns", columns, world, turned=True, weights=True),
            Setting(f"{name}, weights out × in", _oriented(world, columns=False, flipped=True), world, weights=True),
            Setting(
                f"{name}, data in columns, weights in × out",
                _oriented(world, columns=True, flipped=True), world, turned=True, weights=True,
            ),
        ]  # fmt: skip
    else:
        found.append(Setting(f"{name}, data in columns", columns, world, turned=True))
    return found


def _lengths(n: int, m: int) -> dict[str, Value]:
    return {**dict.fromkeys(("n", "N", "T", "L", "seq_len", "d_seq"), float(n)), "m": float(m)}


def _attention_world(rng: np.random.Generator, *, own: bool, square: bool = False, numbers: bool = False) -> World:
    """Queries, keys and values; `own` makes them from one X, as self-attention does."""
    # Primes: with d_k = 4 its half would be its root.
    n, m, d_k, d_v, d_model = (_ALL_EQUAL,) * 5 if square else ((7, 7, 5, 11, 13) if own else (3, 7, 5, 11, 13))

    def draw(*shape: int) -> Array:
        return np.asarray(rng.normal(size=shape))

    W = {name: draw(d_model, size) for name, size in (("W^Q", d_k), ("W^K", d_k), ("W^V", d_v))}
    X, source = draw(n, d_model), draw(m, d_model)
    made = {"Q": X @ W["W^Q"], "K": (X if own else source) @ W["W^K"], "V": (X if own else source) @ W["W^V"]}
    symbols: dict[str, Value] = {
        **made, **W, **_CONSTANTS, **_lengths(n, m),
        "d_k": float(d_k), "d_v": float(d_v), "d_model": float(d_model), "d_ff": 11.0, "h": 2.0, "num_heads": 2.0,
        "M": np.where(np.arange(m)[None, :] > np.arange(n)[:, None] + 1, -1e9, 0.0),
    }  # fmt: skip
    if square:  # no size may be told from another by its value either
        symbols |= {"d_k": 3.7, "d_v": 5.3, "d_model": 6.1, "n": 2.9, "m": 4.3, "N": 2.9, "T": 2.9, "L": 2.9}
    if numbers:
        symbols |= {"d_k": 64.0, "d_v": 96.0, "d_model": 512.0}
        symbols |= {"Q": made["Q"] * 6.0, "W^Q": W["W^Q"] * 6.0}
    symbols["X"] = X
    if not own:
        symbols |= {"X_q": X, "X_kv": source}
        del symbols["X"]
    symbols["q_row"] = np.asarray(symbols["Q"])[1]  # a single query, the second: see `free`
    families = {
        name: tuple(np.asarray(symbols[big], dtype=np.float64))
        for name, big in (("q", "Q"), ("k", "K"), ("v", "V"), ("Q", "Q"), ("K", "K"), ("V", "V"))
    }
    if own:
        families["x"] = tuple(X)
    ranges = {"n": n, "m": m, "N": n, "T": n, "L": n, "default": m}
    return World(symbols, families, free=2, ranges=ranges, square=square)


def _attention(rng: np.random.Generator) -> list[Setting]:
    cross = _attention_world(rng, own=False)
    own = _attention_world(rng, own=True)
    found = _conventions("queries, keys and values", cross, weights=False)
    found += _conventions("self-attention from X", own, weights=True)
    found.append(Setting("two sources", cross, cross, weights=True))
    found.append(_projected(rng))
    for base, name in ((False, "numbers"), (True, "numbers, self-attention")):
        world = _attention_world(rng, own=base, numbers=True)
        found.append(Setting(name, world, world, numbers=True))
    return found


def _projected(rng: np.random.Generator) -> Setting:
    """Queries, keys and values that are still to be projected, as in one head: (QW^Q)(KW^K)^T."""
    world = _attention_world(rng, own=False)
    raw = {"Q": world.symbols["X_q"], "K": world.symbols["X_kv"], "V": world.symbols["X_kv"]}
    values = np.asarray(world.symbols["X_kv"]) + np.asarray(rng.normal(size=np.shape(world.symbols["X_kv"])))
    plain = replace(world, symbols={**world.symbols, "V": multiply(values, world.symbols["W^V"])})
    inputs = replace(world, symbols={**world.symbols, **raw, "V": values}, families={})
    return Setting("inputs to be projected", inputs, plain, weights=True)


def _multi_head_world(rng: np.random.Generator, *, own: bool, square: bool = False, summed: bool = False) -> World:
    n, m, d_k, d_v, d_model, h = (
        (_ALL_EQUAL,) * 5 + (2,) if square else ((4, 4, 5, 7, 6, 2) if own else (3, 4, 5, 7, 6, 2))
    )

    def draw(*shape: int) -> Array:
        return np.asarray(rng.normal(size=shape))

    Q, K, V = draw(n, d_model), draw(m, d_model), draw(m, d_model)
    if own:
        K = V = Q
    W = {name: [draw(d_model, size) for _ in range(h)] for name, size in (("Q", d_k), ("K", d_k), ("V", d_v))}
    parts = {name: [base @ w for w in W[name]] for name, base in (("Q", Q), ("K", K), ("V", V))}
    blank = Scope(World({}), {})
    heads = [np.asarray(attend(q, k, v, blank)) for q, k, v in zip(*parts.values(), strict=True)]
    blocks = [draw(d_v, d_model) for _ in range(h)]
    families: dict[str, tuple[Value, ...]] = {f"W^{name}": tuple(values) for name, values in W.items()}
    families |= {name: tuple(values) for name, values in parts.items()}
    families |= {name.lower(): tuple(values) for name, values in parts.items()}
    families |= dict.fromkeys(("head", "h", "H", "Z", "z", "O", "o", "A", "a", "Y", "y", "S", "c", "C"), tuple(heads))
    families |= {"W^O": tuple(blocks), "W": tuple(draw(d_model, d_k) for _ in range(h))}  # W_i: of no role of its own
    symbols: dict[str, Value] = {
        "Q": Q, "K": K, "V": V, "W^O": blocks[0] if summed else np.vstack(blocks), "heads": np.hstack(heads),
        "d_k": float(d_k), "d_v": float(d_v), "d_model": float(d_model), "h": float(h), "num_heads": float(h),
        **_lengths(n, m), **_CONSTANTS,
    }  # fmt: skip
    if own:
        symbols["X"] = Q
    if square:
        symbols |= {"d_v": 5.3, "d_model": 6.1}
    return World(symbols, families, ranges={"h": h, "num_heads": h, "H": h}, square=square)


def _multi_head(rng: np.random.Generator) -> list[Setting]:
    found = [*_conventions("three inputs", _multi_head_world(rng, own=False), weights=True)]
    own = _conventions("self-attention from X", _multi_head_world(rng, own=True), weights=True)
    return found + [replace(setting, own=True) for setting in own]


def _ffn_world(rng: np.random.Generator, *, square: bool = False) -> World:
    n, d_model, d_ff = (_ALL_EQUAL,) * 3 if square else (3, 5, 7)

    def draw(*shape: int) -> Array:
        return np.asarray(rng.normal(size=shape))

    symbols: dict[str, Value] = {
        "x": draw(n, d_model), "W_1": draw(d_model, d_ff), "b_1": draw(1, d_ff), "W_2": draw(d_ff, d_model),
        "b_2": draw(1, d_model), "d_model": float(d_model), "d_ff": float(d_ff), **_CONSTANTS,
    }  # fmt: skip
    return World(symbols, square=square)


def _ffn(rng: np.random.Generator) -> list[Setting]:
    found = _conventions("rows", _ffn_world(rng), weights=True)
    plain = _ffn_world(rng)
    vectors = {name: np.asarray(plain.symbols[name])[0] for name in ("x", "b_1", "b_2")}
    one = replace(plain, symbols={**plain.symbols, **vectors}, axis=0, free=2, entries=True)
    turned = {name: _turn(value) if name.startswith("W") else value for name, value in one.symbols.items()}
    found.append(Setting("one vector", one, one, entries=True))
    found.append(Setting("one vector, weights out × in", replace(one, symbols=turned), one, entries=True))
    return found


def _add_norm(rng: np.random.Generator) -> list[Setting]:
    x = np.asarray(rng.normal(size=(3, 5)))
    symbols: dict[str, Value] = {
        "x": x, "sublayer": opaque("sublayer", x, 1), "d_model": 5.0, **_CONSTANTS,
    }  # fmt: skip
    world = World(symbols, ranges={"sublayers": 1})
    return [Setting("rows", world, world), *_spelled_out(rng)]


def _spelled_out(rng: np.random.Generator) -> list[Setting]:
    """One vector and everything that LayerNorm is made of; mu and sigma are those of x + Sublayer(x)."""
    d = 5
    x = np.asarray(rng.normal(size=d))
    sublayer = opaque("sublayer", x, 0)
    symbols: dict[str, Value] = {
        "x": x, "sublayer": sublayer, "d_model": float(d), "gamma": np.asarray(rng.normal(size=d)),
        "beta": np.asarray(rng.normal(size=d)), "epsilon": EPSILON,
    }  # fmt: skip
    worlds = [World(symbols, ranges={"sublayers": 1}, axis=0, free=2, norm=style) for style in STYLES]
    return [Setting(world.norm, world, world, spelled=True) for world in worlds]


def _scalars(
    points: list[dict[str, float]], numbers: dict[str, float]
) -> Callable[[np.random.Generator], list[Setting]]:
    def build(rng: np.random.Generator) -> list[Setting]:
        found = []
        for point in points:
            shaken = {
                name: value + (float(rng.integers(0, 2)) if name == "step" else 0.0) for name, value in point.items()
            }
            world = World({**shaken, **_CONSTANTS})
            found.append(Setting("numbers" if point is numbers else "symbols", world, world, numbers=point is numbers))
        return found

    return build


_PE_POINTS = [
    {"pos": 7.0, "i": 2.0, "d_model": 22.0, "d_k": 14.0, "d_v": 10.0, "d_ff": 44.0, "h": 3.0},
    {"pos": 23.0, "i": 5.0, "d_model": 34.0, "d_k": 19.0, "d_v": 11.0, "d_ff": 68.0, "h": 5.0},
    {"pos": 3.0, "i": 1.0, "d_model": 26.0, "d_k": 13.0, "d_v": 8.0, "d_ff": 52.0, "h": 2.0},
]
_PE_NUMBERS = {"pos": 11.0, "i": 37.0, "d_model": 512.0, "d_k": 64.0, "d_v": 64.0, "d_ff": 2048.0, "h": 8.0}
_NOAM_POINTS = [
    {"step": 2.0, "warmup": 370.0, "d_model": 44.0, "d_k": 15.0, "d_v": 10.0, "d_ff": 170.0, "h": 3.0},
    {"step": 37.0, "warmup": 400.0, "d_model": 52.0, "d_k": 13.0, "d_v": 11.0, "d_ff": 208.0, "h": 4.0},
    {"step": 2900.0, "warmup": 310.0, "d_model": 91.0, "d_k": 17.0, "d_v": 9.0, "d_ff": 300.0, "h": 5.0},
    {"step": 810.0, "warmup": 730.0, "d_model": 33.0, "d_k": 12.0, "d_v": 7.0, "d_ff": 99.0, "h": 2.0},
]
_NOAM_NUMBERS = [
    {"step": 3.0, "warmup": 4000.0, "d_model": 512.0, "d_k": 64.0, "d_v": 64.0, "d_ff": 2048.0, "h": 8.0},
    {"step": 1300.0, "warmup": 4000.0, "d_model": 512.0, "d_k": 64.0, "d_v": 64.0, "d_ff": 2048.0, "h": 8.0},
    {"step": 9100.0, "warmup": 4000.0, "d_model": 512.0, "d_k": 64.0, "d_v": 64.0, "d_ff": 2048.0, "h": 8.0},
]


def _pe(rng: np.random.Generator) -> list[Setting]:
    return _scalars([*_PE_POINTS, _PE_NUMBERS], _PE_NUMBERS)(rng)


def _noam(rng: np.random.Generator) -> list[Setting]:
    found = _scalars(_NOAM_POINTS, {})(rng)
    return found + [replace(setting, name="numbers", numbers=True) for setting in _scalars(_NOAM_NUMBERS, {})(rng)]


_BUILDERS: Mapping[str, Callable[[np.random.Generator], list[Setting]]] = {
    "attention": _attention, "multi_head": _multi_head, "ffn": _ffn, "add_norm": _add_norm, "pe_sin": _pe,
    "pe_cos": _pe, "noam": _noam,
}  # fmt: skip


def settings(kind: str, rng: np.random.Generator) -> list[Setting]:
    """Return one sampling point in every convention of `kind`; scalar kinds have several points of one."""
    return _BUILDERS[kind](rng)


def square_settings(kind: str, rng: np.random.Generator) -> list[Setting]:
    """Return points where all sizes agree: only there a misfitting slip has a value to be known by."""
    if kind == "attention":
        worlds = [_attention_world(rng, own=False, square=True), _attention_world(rng, own=True, square=True)]
    elif kind == "multi_head":
        worlds = [_multi_head_world(rng, own=False, square=True), _multi_head_world(rng, own=False, summed=True)]
    elif kind == "ffn":
        worlds = [_ffn_world(rng, square=True)]
    else:
        return []
    return [Setting("all sizes alike", world, world) for world in worlds]
