"""A formula that is a program is tried: it is run on random arrays, and what comes out is compared with the paper's."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.written.formula.dialects import Program, as_program
from grader.written.formula.library import CannotRunError, blank, bounded, held, layer_norm, softmax
from grader.written.formula.running import Run, plain
from grader.written.formula.work import TooMuchWorkError, Work

_SEED = 5998
_POINTS = 2
_RELATIVE = 1e-8
_LARGEST_SIZE = 4096
_A_PAIR = 2


@dataclass(frozen=True)
class Trial:
    """What a program is run with, what its result is to be, and what may be returned beside it."""

    known: Mapping[str, Any]
    check: Callable[[Run, Any], bool]
    beside: tuple[Any, ...] = ()
    pair: bool = False  # a pair is the result itself, as of sine and cosine


def _names(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return values under each of the names that a key lists."""
    return {name: value for names, value in table.items() for name in names.split()}


def near(a: Any, b: Any) -> bool:
    """Say whether two values agree in shape and to eight digits."""
    if callable(a) or a is None or isinstance(a, str | bool | dict):
        return False
    try:
        x = np.asarray(a, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    y = np.asarray(b, dtype=np.float64)
    if x.shape != y.shape or not np.all(np.isfinite(x)):
        return False
    return bool(np.max(np.abs(x - y), initial=0.0) <= _RELATIVE * float(np.max(np.abs(y), initial=1e-12)))


def runs_right(kind: str, source: str, spent: Work) -> bool:
    """Say whether `source` is a program that gives the paper's values, at two points of one convention."""
    program = as_program(source) if kind in _WORLDS else None
    if program is None:
        return False
    work = Work()
    try:
        return _in_some_world(kind, source, program, work)
    finally:
        spent.done += work.done  # for the report as a whole; this program has had its own bound


def has_parts(source: str) -> bool:
    """Say whether a program gives a pair or takes one part of what a call gives, as in attention(x, x, x)[1]."""
    picked = re.search(r"\)\s?\[\s?-?\d", source) is not None
    if not picked and "," not in source:
        return False
    program = as_program(source)
    return program is not None and (picked or _gives_a_pair(program.tree))


def _gives_a_pair(tree: ast.Module) -> bool:
    given = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)]
    given += [node.value for node in tree.body[-1:] if isinstance(node, ast.Expr | ast.Assign)]
    return any(isinstance(value, ast.Tuple) for value in given)


def _in_some_world(kind: str, source: str, program: Program, work: Work) -> bool:
    told = _told(program.tree, source)
    for variant in range(_WORLDS[kind][1]):
        rng = np.random.default_rng(_SEED + variant)
        try:
            if all(
                _agrees(program, _WORLDS[kind][0](variant, told, rng, point, program.written), work)
                for point in range(_POINTS)
            ):
                return True
        except (CannotRunError, TooMuchWorkError):
            return False  # also where the sizes that are told leave open what is meant
    return False


def _agrees(program: Program, trial: Trial, work: Work) -> bool:
    known = trial.known
    run = Run(known, work, first=program.first, star=program.star, upright=program.upright)
    try:
        with np.errstate(all="ignore"):
            result = run.all(program.tree)
            for _ in range(2):
                if not hasattr(result, "asked"):
                    break
                have = {name: run.name(name) for name in result.asked if plain(name) in known or name in known}
                result = result(**have)
            for value in (result, *run.own.values()):
                held(value)
            if isinstance(result, tuple) and len(result) == _A_PAIR and not trial.pair:
                result, second = result  # the output, and the weights beside it
                if second is not None and not any(near(second, right) for right in trial.beside):
                    return False
            return trial.check(run, result) and not _beside(run, result)
    except (CannotRunError, ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError,
            ValueError):  # fmt: skip
        return False  # what a stranger's program may end in


def _beside(run: Run, result: Any) -> bool:
    """Say whether a program makes something else, like the result, that it uses nowhere."""
    for name, value in run.own.items():
        if name in run.used or plain(name) in run.known:
            continue
        if callable(value) and not run.returns(value):
            return True
        if isinstance(value, np.ndarray | float) and np.shape(value) == np.shape(result) and not near(value, result):
            return not np.any(np.isnan(value))
    return False


def _told(tree: ast.Module, source: str) -> dict[str, int]:
    """Return the sizes that a program or the notes beside it give as numbers."""
    found = {
        plain(name): int(size)
        for name, size in re.findall(r"\b([A-Za-z_]\w*)\s?=\s?(\d{1,5})(?![\w.]|\s?[*/^])", source)
    }
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                pairs = list(zip(names, values, strict=False))
            case ast.Assign(targets=[name], value=value):
                pairs = [(name, value)]
            case _:
                continue
        for name, value in pairs:
            if isinstance(name, ast.Name) and isinstance(value, ast.Constant) and isinstance(value.value, int):
                found[plain(name.id)] = value.value
    heads = re.search(r"\bin (?:range\()?(?:1:)?(8|16)\b", source)  # the paper's numbers of heads, as a number
    if heads and not found.keys() & set(_HEADS.split()):
        found["h"] = int(heads[1])
    return {name: size for name, size in found.items() if 0 < size <= _LARGEST_SIZE * 4}


def _first(told: Mapping[str, int], names: str, default: int, most: int = _LARGEST_SIZE, least: int = 2) -> int:
    """Return the size that is told, unless it is one at which wrong formulas and right ones give the same."""
    size = next((told[name] for name in names.split() if name in told), default)
    return size if least <= size <= most else default


_D_K, _D_MODEL, _HEADS = (
    "dk dhead headdim dimk dqk",
    "dmodel dim embeddim hidden embdim",
    "h numheads nheads nhead heads",
)


def _weights(q: Any, k: Any) -> Any:
    bounded((q.shape[-2], k.shape[-2]))
    return softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]))


def _attend(q: Any, k: Any, v: Any, *_: Any, **__: Any) -> Any:
    return _weights(q, k) @ v


def _layer(weight: Any, bias: Any = 0.0) -> Callable[[Any], Any]:
    return lambda x: x @ weight + bias


def _attention(variant: int, told: Mapping[str, int], rng: np.random.Generator, _: int, __: str) -> Trial:
    batch, layers = variant % 2, variant >= 2  # noqa: PLR2004 - the last convention has layers
    heads = _first(told, _HEADS, 2, 32, 1)
    d_k = _first(told, _D_K + " d", max(_first(told, _D_MODEL, 14, 1024) // heads, 3), 1024)
    d_model = _first(told, _D_MODEL, heads * d_k, 1024)
    if d_model == d_k:  # then nothing tells the one root from the other
        raise CannotRunError
    n, m, d_v = (11, 13, 17) if d_k not in {11, 13, 17} else (19, 23, 29)
    lead = (2,) * batch
    q, k, v = (rng.normal(size=(*lead, *shape)) for shape in ((n, d_k), (m, d_k), (m, d_v)))
    x = rng.normal(size=(*lead, n, d_model))
    wq, wk, wv = (rng.normal(size=(d_model, width)) / 8 for width in (d_k, d_k, d_v))
    weights = [_layer(weight) if layers else weight for weight in (wq, wk, wv)]
    known = _names(
        {
            "q query queries": q, "k key keys": k, "v value values": v, "x": x, "dk d dim dhead headdim dimk": d_k,
            "n": n, "m": m, "dv": d_v, "dmodel": d_model, "h numheads nheads": heads,
            "out output o result": np.full((n, d_v), np.nan),
            "wq qproj toq linearq": weights[0], "wk kproj tok lineark": weights[1], "wv vproj tov linearv": weights[2],
        }
    )  # fmt: skip
    keys = (_attend(q, k, v), _attend(x @ wq, x @ wk, x @ wv))
    weights_beside = (_weights(q, k), _weights(x @ wq, x @ wk))
    return Trial(known, lambda _, result: any(near(result, key) for key in keys), weights_beside)


def _multi_head(variant: int, told: Mapping[str, int], rng: np.random.Generator, _: int, source: str) -> Trial:
    whole, batch, layers = variant >= 2, variant in {3, 5}, variant >= 4  # noqa: PLR2004 - six conventions
    h = _first(told, _HEADS, 3, 16, 1)
    if h == 1 and not re.search(r"cat|stack|block|reshape|view", source):
        raise CannotRunError  # one head joined, added or averaged: nothing tells them apart
    d_k = _first(told, _D_K, max(_first(told, _D_MODEL, h * 4, 512) // h, 3), 64)
    d_v = d_k if whole or "dk" in told else d_k + 2
    d_model = h * d_k if whole or told.keys() & {"dmodel", "dk"} else h * d_k - 1
    n, m = 7, 5
    lead = (2,) * batch
    q, k, v, x = (rng.normal(size=(*lead, size, d_model)) for size in (n, m, m, n))
    wq, wk, wv = (rng.normal(size=(h, d_model, width)) / 4 for width in (d_k, d_k, d_v))
    wo = rng.normal(size=(h * d_v, d_model))

    def form(weight: Any) -> Any:
        if not whole:
            return np.moveaxis(weight, 0, -1) if variant == 1 else weight
        flat = np.concatenate(list(weight), axis=-1)
        return _layer(flat) if layers else flat

    def key(a: Any, b: Any, c: Any) -> Any:
        return np.concatenate([_attend(a @ wq[i], b @ wk[i], c @ wv[i]) for i in range(h)], axis=-1) @ wo

    known = _names(
        {
            "q query queries": q, "k key keys": k, "v value values": v, "x": x, "dk dhead headdim": d_k, "dv": d_v,
            _HEADS: h, "dmodel d dim": d_model, "n": n, "m": m,
            "wq wqs qproj linearq toq": form(wq), "wk wks kproj lineark tok": form(wk),
            "wv wvs vproj linearv tov": form(wv), "wo outproj oproj linearo fcout wout": _layer(wo) if layers else wo,
            "attention attn sdpa scaleddotproductattention selfattention att": _attend,
        }
    )  # fmt: skip
    keys = (key(q, k, v), key(x, x, x))
    each = [np.stack([_weights(a @ wq[i], b @ wk[i]) for i in range(h)]) for a, b in ((q, k), (x, x))]
    beside = (*each, *(np.moveaxis(one, 0, -3) for one in each), *(one.mean(axis=0) for one in each))
    return Trial(known, lambda _, result: any(near(result, right) for right in keys), beside)


def _ffn(variant: int, told: Mapping[str, int], rng: np.random.Generator, _: int, source: str) -> Trial:
    column, batch, layers = variant == 1, variant == 2, variant == 3  # noqa: PLR2004 - four conventions
    d, d_ff = _first(told, _D_MODEL, 7, 512), _first(told, "dff", 10, 2048)
    d_ff = d_ff if d_ff != d else d + 3
    x = rng.normal(size=(d,) if column else (*((2,) * batch), 3, d))
    w1, w2 = rng.normal(size=(d, d_ff)), rng.normal(size=(d_ff, d))
    b1, b2 = rng.normal(size=d_ff), rng.normal(size=d)
    right = np.maximum(x @ w1 + b1, 0.0) @ w2 + b2
    given = (w1.T, w2.T) if column else ((_layer(w1, b1), _layer(w2, b2)) if layers else (w1, w2))
    known = _names(
        {
            "x inputs input": x, "b1 bias1 b_1": b1, "b2 bias2 b_2": b2, "dmodel d": d, "dff": d_ff,
            "w1 weight1 win fc1 linear1 lin1 dense1 wi": given[0], "w2 weight2 wout fc2 linear2 lin2 dense2": given[1],
        }
    )  # fmt: skip
    if layers and "self." not in source:  # W(x) leaves open whether a bias is part of it; a layer has one
        known.update(_names({"w1 weight1 win wi": w1, "w2 weight2 wout": w2}))
    return Trial(known, lambda _, result: near(result, right))


def _add_norm(variant: int, told: Mapping[str, int], rng: np.random.Generator, _: int, __: str) -> Trial:
    d = _first(told, _D_MODEL, 7, 512, 3)
    large = 1e5  # beside which an epsilon vanishes
    x = rng.normal(size=(3, d)) * large
    gain, offset = rng.normal(size=d), rng.normal(size=d) * large
    first, second = (rng.normal(size=(d, d)) for _ in range(2))

    def part(weight: Any) -> Callable[..., Any]:
        def applied(*given: Any, **_: Any) -> Any:
            arrays = [one for one in given if isinstance(one, np.ndarray)]
            if not arrays or any(one is not arrays[0] and not np.array_equal(one, arrays[0]) for one in arrays):
                raise CannotRunError
            return np.abs(arrays[0] @ weight)

        return applied

    f, g = part(first), part(second)
    value = variant == 1  # the sublayer's output is an array by itself
    attended = (lambda *given: (f(*given), None)) if variant == 2 else f  # noqa: PLR2004 - with the weights beside it
    known = _names(
        {
            "x inputs input": x, "dmodel d dim": d, "gamma g weight gain a2": gain, "beta b bias offset b2": offset,
            "eps epsilon": 0.0, "sublayer sublayeroutput sublayerx out": f(x) if value else f,
            "f selfattn attn attention selfattention mha multihead multiheadattention": attended,
            "ffn ff feedforward mlp positionwiseffn": g,
            "norm norm1 norm2 ln ln1 ln2 layernorm1 layernorm2": layer_norm,
        }
    )  # fmt: skip
    once = layer_norm(x + f(x))
    other = layer_norm(x + g(x))
    keys = (once, other, layer_norm(once + g(once)), once * gain + offset, other * gain + offset)
    return Trial(known, lambda _, result: any(near(result, key) for key in keys))


_STEPS = "step steps stepnum t s globalstep stepnumber iteration currentstep n"
_WARMUP = "warmup warmupsteps warm w wup nwarmup"


def _noam(variant: int, told: Mapping[str, int], _: np.random.Generator, point: int, __: str) -> Trial:
    numbers = variant == 1
    d = _first(told, _D_MODEL + " d", 512 if numbers else 320)
    warmup = _first(told, _WARMUP, 4000 if numbers else 700, 20_000)
    if warmup == d:
        raise CannotRunError
    step = float(round(warmup * (0.31, 3.1)[point]))
    known = _names({"dmodel d dim modelsize": d, "factor": 1.0, _WARMUP: warmup, _STEPS: step})

    def check(run: Run, result: Any) -> bool:
        steps: Any = step
        for name, value in run.own.items():
            if callable(value):
                continue
            if plain(name) in known and np.ndim(value) == 0 and value != known[plain(name)]:
                return False  # a size is given another value, or one step stands for all
            if plain(name) in _STEPS.split() and np.ndim(value):
                steps = value
        if np.ndim(steps) and not np.min(steps) < warmup < np.max(steps):
            return False
        right = d**-0.5 * np.minimum(
            np.asarray(steps, dtype=float) ** -0.5, np.asarray(steps, dtype=float) * warmup**-1.5
        )
        return near(result, right)

    return Trial(known, check)


def _wave(columns: Any, position: Any, d: int) -> Any:
    columns = np.asarray(columns)
    angle = np.asarray(position, dtype=float) / 10000.0 ** (2 * (columns // 2) / d)
    return np.where(columns % 2 == 0, np.sin(angle), np.cos(angle))


def _encoding(parity: int) -> Callable[..., Trial]:
    def world(variant: int, told: Mapping[str, int], rng: np.random.Generator, _: int, source: str) -> Trial:
        d = _first(told, _D_MODEL + " d", 10, 512, 3)
        n = _first(told, "n maxlen seqlen t l length npos maxpos", 7, 60, 3)
        d += d % 2
        pos, pair = int(rng.integers(2, min(n, 7))), int(rng.integers(1, d // 2))
        column = 2 * pair + parity
        by_column = re.search(r"\b[ijk] (?:%|//) 2\b", source) is not None  # it counts columns, not pairs
        i: Any = column if by_column else pair
        where: Any = pos
        if variant == 1:
            where, i = np.arange(n), np.arange(d // 2)
        known = _names(
            {
                "pos position positions p": where,
                "i k j": i,
                "dmodel d dim": d,
                "pe encoding posenc": np.full(n * d if variant == 2 else (n, d), np.nan),  # noqa: PLR2004
                "n maxlen seqlen length npos maxpos t l": n, "zeros empty": blank,
            }
        )  # fmt: skip

        def check(run: Run, result: Any) -> bool:
            if isinstance(result, tuple) and len(result) == 2:  # noqa: PLR2004 - sine and cosine
                return check(run, result[parity])
            got = np.asarray(result, dtype=np.float64)
            got = got[0] if got.ndim == 3 and len(got) == 1 else got  # noqa: PLR2004 - a batch of one
            got = got.reshape(n, d) if got.shape == (n * d,) else got
            if any(plain(name) == "dmodel" and value != d for name, value in run.own.items()):
                return False
            free = bool(run.read & {"i", "j", "k"}) and np.ndim(i) == 0
            if got.ndim == 2 and got.shape[1] == d:  # noqa: PLR2004
                wanted = _wave(np.arange(d)[None, :], np.arange(got.shape[0])[:, None], d)
                written = ~np.isnan(got)
                asked = written[:, parity::2]
                full = (
                    asked.any()
                    if free
                    else (
                        asked.all()
                        if run.read.isdisjoint({"pos", "position", "positions", "p"})
                        else asked.any(axis=0).all()
                    )
                )
                return bool(full) and near(got[written], wanted[written])
            if got.ndim == 0:
                return free and near(got, _wave(column, pos, d))
            wanted = _wave(np.arange(parity, d, 2)[None, :], np.arange(got.shape[0])[:, None], d)
            return near(got, wanted if got.ndim == 2 else _wave(np.arange(parity, d, 2), pos, d))  # noqa: PLR2004

        return Trial(known, check, pair=True)

    return world


_WORLDS: Mapping[str, tuple[Callable[..., Trial], int]] = {
    "attention": (_attention, 3), "multi_head": (_multi_head, 6), "ffn": (_ffn, 4), "add_norm": (_add_norm, 3),
    "noam": (_noam, 2), "pe_sin": (_encoding(0), 3), "pe_cos": (_encoding(1), 3),
}  # fmt: skip
