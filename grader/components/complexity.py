"""Counting: the parameters of a model and the work of attention (section 4, tables 1 and 3)."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

import reference
from grader.component.calls import Call, Case
from grader.component.checks import Found
from grader.judging.function import Function
from grader.properties import Comparison, as_array, near, other_kind

_BIASES: Mapping[str, Callable[[int, int], int]] = {
    "both": lambda inner, outer: inner + outer,
    "none": lambda *_: 0,
    "inner": lambda inner, _: inner,
    "outer": lambda _, outer: outer,
    "narrow": lambda _, outer: 2 * outer,
    "wide": lambda inner, _: 2 * inner,
}


def workshop(
    d_model: int,
    num_heads: int,
    num_layers: int,
    d_ff: int,
    src_vocab: int,
    tgt_vocab: int,
    *,
    bias: bool = True,
    attention_bias: bool = True,
    ff_bias: str = "both",
    out_bias: bool = True,
    projections: int = 4,
    per_head: str = "",
    crosses: int = 1,
    norms: tuple[int, int] = (2, 3),
    norm_size: int = 2,
    final_norms: bool = False,
    matrices: int = 2,
    ff_width: str = "d_ff",
    stacks: int = 2,
    once: bool = False,
    tables: str = "both",
    generator: str = "own",
    positions: bool = False,
    share: int = 1,
) -> int:
    """The oracle with knobs: which parts are counted, and how often."""
    width = {"narrow": d_model // num_heads, "wide": d_model}.get(per_head, d_model)
    one = d_model * width + (width if bias and attention_bias else 0)
    last = d_model * d_model, d_model if bias and attention_bias else 0
    attention = (projections - 1) * one * (num_heads if per_head.startswith("wide") else 1)
    attention += last[0] * (num_heads if per_head in {"wide", "wide blocks"} else 1)
    attention += last[1] * (num_heads if per_head == "wide blocks" else 1)
    inner = {"d_ff": d_ff, "d_model": d_model, "four": 4 * d_model}[ff_width]
    feed_forward = matrices * d_model * inner + (_BIASES[ff_bias](inner, d_model) if bias else 0)
    encoder = attention + feed_forward + norms[0] * norm_size * d_model
    decoder = (1 + crosses) * attention + feed_forward + norms[1] * norm_size * d_model
    layers = (1 if once else num_layers) * (encoder + (decoder if stacks == 2 else 0))
    vocab = {
        "both": src_vocab + tgt_vocab,
        "source": src_vocab,
        "target": tgt_vocab,
        "none": 0,
        "square": src_vocab * 2,
    }
    output = {"own": d_model * tgt_vocab, "source": d_model * src_vocab, "none": 0}[generator]
    output += (tgt_vocab if generator == "own" else src_vocab) if bias and out_bias and generator != "none" else 0
    extra = (4 * d_model if final_norms else 0) + (d_model if positions else 0)
    return (vocab[tables] * d_model + layers + output + extra) // share


def flops(
    n: int, m: int, d_k: int, d_v: int, *, factor: int = 1, first: int = 1, second: int = 1, softmax: int = 0,
    scale: int = 0, same: str = "", projections: bool = False, swapped: bool = False,
) -> int:  # fmt: skip
    """The oracle of ``attention_flops`` with knobs."""
    if same == "lengths":
        m = n
    if same == "keys":
        n = m
    if same == "widths":
        d_v = d_k
    if swapped:
        n, m, d_k, d_v = d_k, d_v, n, m
    linear = (n + m) * d_k * d_k + m * d_v * d_v if projections else 0
    return factor * (first * n * m * d_k + second * n * m * d_v + (softmax + scale) * n * m) + linear


FLOPS = "attention_flops"
SIZES = ("d_model", "num_heads", "num_layers", "d_ff", "src_vocab", "tgt_vocab")


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:  # noqa: ARG001 - every ladder's form
    """Sizes that can be counted by hand, then sizes that are all different primes, then the paper's base model."""
    yield _model((2, 1, 1, 3, 5, 7), "small enough to count by hand", fixed=True)
    yield _model((4, 2, 3, 5, 7, 11), "three layers, two heads", fixed=True)
    heads = int(rng.choice([2, 3, 4]))
    sizes = [int(size) for size in rng.permutation([11, 13, 17, 19, 23, 29])]
    yield _model((heads * sizes[0], heads, int(rng.integers(2, 6)), *sizes[1:4]), "sizes that are all different")
    yield _model((512, 8, 6, 2048, 37_000, 37_000), "the paper's base model", fixed=True)
    yield _attention((1, 2, 3, 5), "one query, two keys", fixed=True)
    yield _attention((3, 3, 2, 2), "self-attention of three positions", fixed=True)
    n, m, d_k, d_v = (int(size) for size in rng.permutation([7, 11, 13, 17, 19])[:4])
    yield _attention((n, m, d_k, d_v), "sizes that are all different")


def _model(sizes: tuple[int, ...], why: str, *, fixed: bool = False) -> Case:
    return Case(dict(zip(SIZES, sizes, strict=True)), why, frozenset({"model"}), fixed=fixed)


def _attention(sizes: tuple[int, ...], why: str, *, fixed: bool = False) -> Case:
    inputs = dict(zip(("n", "m", "d_k", "d_v"), sizes, strict=True))
    return Case(inputs, why, frozenset({"flops"}), fixed=fixed, target=FLOPS)


component = Function(
    "complexity",
    {"count_parameters": reference.count_parameters, FLOPS: reference.attention_flops},
    ladder,
    title="Counting parameters and work",
    reread="section 4, tables 1 and 3",
    workshop={"count_parameters": workshop, FLOPS: flops},
)


def _count(value: Any) -> int | None:
    array = as_array(value)
    if array is None or array.shape != () or array.dtype.kind not in "iuf" or not np.isfinite(array):
        return None
    return int(array) if float(array).is_integer() else None


@component.check(on="model")
def counts_every_parameter(got: Any, **inputs: int) -> Found:
    """The whole model has the right number of parameters."""
    return _exact(got, reference.count_parameters(**inputs))


def _exact(got: Any, want: int) -> Found:
    count = _count(got)
    if count is None:
        found = near(got, want)
        return other_kind(got, "a whole number", want) if found else found
    return None if count == want else Comparison(False, f"is off by {count - want:+,}", want, got, abs(count - want))


def _costs(size: str, name: str, text: str) -> None:
    """Check that the count grows by just as much as it should when a size grows by 1."""

    def grown(inputs: Mapping[str, int]) -> dict[str, int]:
        return {**inputs, size: inputs[size] + 1}

    def judge(got: Any, more: Any, **inputs: int) -> Found:
        low, high = _count(got), _count(more)
        if low is None or high is None:
            return other_kind(got, "a whole number")
        want = reference.count_parameters(**grown(inputs)) - reference.count_parameters(**inputs)
        if high - low == want:
            return None
        return Comparison(False, f"grows by {high - low} when {size} grows by 1; expected {want}", want, high - low)

    component.check(name, text, ask=lambda **inputs: (Call(inputs), Call(grown(inputs))), on="model")(judge)


_costs("src_vocab", "source_words_cost_a_row", "One more source word costs one row of the source embedding.")
_costs(
    "tgt_vocab",
    "target_words_cost_row_column_and_bias",
    "One more target word costs a row of the embedding, a column of the output layer, and its bias.",
)
_costs(
    "d_ff",
    "inner_width_costs_two_matrices",
    "One more inner unit costs a column, a bias and a row in every feed-forward network.",
)
_costs("num_layers", "layers_cost_one_of_each_stack", "One more layer costs an encoder layer and a decoder layer.")


@component.check(ask=lambda **kw: (Call(kw), Call({**kw, "num_heads": kw["d_model"]})), on="model")
def heads_are_free(got: Any, more: Any, **_: int) -> Found:
    """More heads are narrower, so their number changes nothing."""
    one, other = _count(got), _count(more)
    if one is None or other is None:
        return other_kind(got, "a whole number")
    return (
        None if one == other else Comparison(False, f"changes by {other - one:+} with the number of heads", one, other)
    )


@component.check(on="flops")
def counts_both_products(got: Any, **inputs: int) -> Found:
    """The work is n·m·d_k for the scores and n·m·d_v for the weighted sum."""
    return _exact(got, reference.attention_flops(**inputs))


def _doubled(**inputs: int) -> tuple[Call, ...]:
    return Call(inputs, FLOPS), Call({**inputs, "n": 2 * inputs["n"], "m": 2 * inputs["m"]}, FLOPS)


@component.check(ask=_doubled, on="flops")
def work_is_quadratic_in_length(got: Any, doubled: Any, **_: int) -> Found:
    """Sequences twice as long take four times the work."""
    one, other = _count(got), _count(doubled)
    if one is None or other is None:
        return other_kind(got, "a whole number")
    return None if one and other == 4 * one else Comparison(False, "is not four times as much", 4 * one, other)
