"""Multi-head attention as a function of arrays (section 3.2.2): checks and misconceptions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import reference
from grader.component.calls import Call, Case, NoValue, Refused, Shown
from grader.component.checks import Evidence, Found, Oracle
from grader.component.convention import MEANINGS
from grader.components.any_call import answers_twice, is_right, leaves_alone
from grader.components.attention_einsum import fitted_letters, meets_rows, mistaken, of_no_average
from grader.components.attention_fits import WRITTEN_SCALES
from grader.components.multi_head_numpy_workshop import WITHIN, workshop
from grader.judging.function import Function
from grader.model.outcome import Picture, Shapes, Stage
from grader.properties import COARSE, Array, Comparison, as_array, near, shape_text


def multi_head_attention(
    query: Array,
    key: Array,
    value: Array,
    W_q: Array,
    W_k: Array,
    W_v: Array,
    W_o: Array,
    num_heads: int,
    mask: Array | None = None,
) -> Array:
    """Return the reference's answer; the matrices are ``(d_model, d_model)`` and used as ``x @ W``."""
    weights = {"w_q": W_q, "w_k": W_k, "w_v": W_v, "w_o": W_o}
    return reference.multi_head_attention(query, key, value, weights, num_heads, mask)


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """From one head to batches with masks; n, m and d_model differ.

    ``domain``: ``ranks`` (2 and 3), ``same_length`` (n = m), ``masks`` (false: none), ``mask_axes`` (2 to 4),
    ``indivisible`` (true: an error is asked for where num_heads does not divide d_model).
    """
    for case in _rungs(rng, domain):
        bound = replace(case, tags=case.tags | {"bound"}) if domain.get("same_length") else case
        yield _causal(bound) if domain.get("causal") and "mask" in case.inputs else bound


def _causal(case: Case) -> Case:
    """The case for attention that hides the future itself: a mask leaves each query the first key."""
    mask = case.inputs["mask"]
    return replace(case, inputs={**case.inputs, "mask": mask | (np.arange(mask.shape[-1]) == 0)})


def _rungs(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    ranks, masks = set(domain.get("ranks", (2, 3))), domain.get("masks", True)
    square = bool(domain.get("same_length"))
    lead = () if 2 in ranks else (1,)

    def draw(n: int, m: int, d_model: int, num_heads: int, *batch: int) -> dict[str, Any]:
        m = n if square else m
        matrices = {
            name: rng.normal(size=(d_model, d_model)) / d_model**0.5 * 1.5 for name in ("W_q", "W_k", "W_v", "W_o")
        }
        return {
            "query": rng.normal(size=(*batch, n, d_model)),
            "key": rng.normal(size=(*batch, m, d_model)),
            "value": rng.normal(size=(*batch, m, d_model)),
            **matrices,
            "num_heads": num_heads,
        }

    eye = np.eye(2)
    small = {
        "query": np.array([[1.0, 0.0], [0.0, 1.0]] if square else [[1.0, 0.0]]),
        "key": np.array([[1.0, 0.0], [0.0, 1.0]]),
        "value": np.array([[1.0, 2.0], [3.0, 4.0]]),
    }
    small = {name: array.reshape(*lead, *array.shape) for name, array in small.items()}
    same = {"W_q": eye, "W_k": eye, "W_v": eye, "W_o": eye}
    plain = frozenset({"plain"})
    yield Case(
        {**small, **same, "num_heads": 2},
        "two heads of width 1, all matrices the identity",
        plain | {"heads"},
        fixed=True,
    )
    yield Case(draw(2, 3, 4, 1, *lead), "one head", plain | {"one head"})
    yield Case(draw(3, 3, 4, 2, *lead), "two heads, as many queries as keys", plain | {"heads"})
    yield Case(draw(3, 5, 6, 2, *lead), "two heads, three queries, five keys", plain | {"heads"})
    yield Case(draw(2, 3, 6, 3, *lead), "three heads", plain | {"heads"})
    yield Case(draw(4, 4, 4, 4, *lead), "all sizes equal", plain | {"heads"})
    if 3 in ranks:
        yield Case(draw(3, 5, 4, 2, 2), "a batch of two", frozenset({"batch"}))
        yield Case(draw(2, 2, 4, 2, 2), "a batch, with all sizes equal", frozenset({"batch"}))
        yield Case(draw(4, 4, 6, 3, 5), "a batch of five", frozenset({"batch"}))
    if masks:
        axes = set(domain.get("mask_axes", (2, 3, 4)))
        yield from _masked(draw, rng, lead, ranks, axes, square=square)
    if domain.get("indivisible"):
        yield Case(draw(2, 3, 5, 2, *lead), "5 features do not make 2 heads", frozenset({"indivisible"}))


def _masked(
    draw: Any, rng: np.random.Generator, lead: tuple[int, ...], ranks: set[int], axes: set[int], *, square: bool
) -> Iterable[Case]:
    tag, m = frozenset({"mask"}), 3 if square else 5
    if 2 in axes:
        yield Case({**draw(3, 5, 4, 2, *lead), "mask": _some(rng, 3, m)}, "one mask (n, m) for all", tag)
        yield Case({**draw(4, 4, 4, 2, *lead), "mask": np.tri(4, dtype=bool)}, "a causal mask", tag)
    if 3 in ranks:
        if 2 in axes:
            yield Case({**draw(3, 5, 4, 2, 2), "mask": _some(rng, 3, m)}, "one mask for a batch", tag | {"shared"})
        if 3 in axes:
            yield Case(
                {**draw(3, 5, 4, 2, 3), "mask": _some(rng, 3, 3, m)},
                "a mask (batch, n, m) for each sample",
                tag | {"sample"},
            )
            yield Case(
                {**draw(3, 5, 4, 2, 2), "mask": _some(rng, 2, 3, m)},
                "as many samples as heads, a mask for each sample",
                tag | {"sample"},
            )
        if 4 in axes:
            yield Case(
                {**draw(3, 5, 4, 2, 3), "mask": _some(rng, 3, 1, 1, m)},
                "a padding mask (batch, 1, 1, m)",
                tag | {"four"},
            )
            yield Case({**draw(3, 5, 6, 3, 2), "mask": _some(rng, 2, 3, 3, m)}, "a mask for each head", tag | {"four"})


def _some(rng: np.random.Generator, *shape: int) -> Array:
    """A random mask in which every row has an allowed key and a blocked one."""
    mask = rng.random(shape) < 0.6  # share of allowed keys
    order = rng.random(shape).argsort(axis=-1)
    np.put_along_axis(mask, order[..., :1], values=True, axis=-1)
    np.put_along_axis(mask, order[..., 1:2], values=False, axis=-1)
    return mask


def stages(shown: Shown) -> Picture | None:
    """The shapes from the queries to the output, as the mistake that was found makes them; None where all are right."""
    right = _shapes(shown, {})
    mine = {} if shown.knobs is None else _shapes(shown, shown.knobs)
    got = as_array(shown.got)
    if got is not None:
        mine["output"] = shape_text(got.shape)
    picture = Shapes("shapes", tuple(Stage(name, shape, mine.get(name, "")) for name, shape in right.items()))
    return picture if any(stage.got not in {"", stage.expected} for stage in picture.stages) else None


def _shapes(shown: Shown, knobs: Mapping[str, Any]) -> dict[str, str]:
    found = {"queries": shape_text(shown.inputs["query"].shape)}
    try:
        note = lambda name, array: found.update({name: shape_text(array.shape)})  # noqa: E731 - it is passed on
        result = shown.turned({**knobs, "note": note})(**shown.inputs)
    except (ValueError, IndexError):  # the mistake raises there
        return found
    return {**found, "output": shape_text(np.shape(result[0] if isinstance(result, tuple) else result))}


component = Function(
    "multi_head_attention",
    {"multi_head_attention": multi_head_attention},
    ladder,
    title="Multi-head attention",
    reread="section 3.2.2",
    workshop=workshop,
    picture=stages,
    ranked=("query", "key", "value"),
    mask_shape=lambda inputs: (inputs["query"].shape[-2], inputs["key"].shape[-2]),
    bundles={"weights": {"w_q": "W_q", "w_k": "W_k", "w_v": "W_v", "w_o": "W_o"}},
    inside=("scaled_dot_product_attention", WITHIN),
)
component.settles("mask", MEANINGS, words="masks_taken")
component.settles("mask_type", words="mask_numbers")
component.settles("mask_hides", {"large": {}, "infinite": {}})
component.settles("mask_required", {False: {}, True: {}})
component.settles("scale")
component.settles("causal", narrows=lambda _: {"same_length": True, "causal": True})
component.settles(
    "attends_to",
    narrows=lambda value: {"same_length": True} if value == "itself" else {},
    unused={"itself": ("key", "value")},
    drops={"itself": frozenset({"mha-arguments-mixed-up"})},
)
component.settles("matrices", words="linear")


def _shaped(got: Any, inputs: Mapping[str, Any], oracle: Oracle) -> Array | Comparison:
    array = as_array(got)
    if array is None or array.shape != inputs["query"].shape or array.dtype.kind not in "fiu":
        return near(got, oracle(**inputs), dtype=COARSE)
    return array


@component.check(on="plain", convention="results")
def keeps_the_shape_of_the_query(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """The result has the shape of the query: (..., n, d_model)."""
    array = _shaped(got, inputs, oracle)
    return array if isinstance(array, Comparison) else None


component.check(
    "one_head_is_attention",
    "With one head it is attention between four projections: query, key and value before, the output after.",
    on="one head",
)(is_right)
component.check(
    "heads_own_blocks_of_columns",
    "Head i works on columns i·d_k to (i+1)·d_k - 1; the heads are joined in order and multiplied by W_o.",
    on="heads",
)(is_right)


def _samples(mask: Array | None = None, **inputs: Any) -> Sequence[Call]:
    """The whole batch, and the first and the last sample alone; with a mask, each with its own of axes (n, m)."""
    batch, n, m = len(inputs["query"]), inputs["query"].shape[-2], inputs["key"].shape[-2]
    masks = None if mask is None else np.broadcast_to(mask if mask.ndim != 3 else mask[:, None], (batch, 1, n, m))

    def one(at: int) -> Call:
        part = {name: inputs[name][at : at + 1].copy() for name in ("query", "key", "value")}
        return Call({**inputs, **part, **({} if masks is None else {"mask": masks[at, 0].copy()})})

    return Call(inputs if mask is None else {**inputs, "mask": mask}), one(0), one(batch - 1)


def _as_alone(axis: int) -> Callable[..., Found]:
    """Judge the first and the last part of a result along an axis by what they are alone."""

    def judge(got: Any, first: Any, last: Any, *, oracle: Oracle, **inputs: Any) -> Found:
        whole = _shaped(got, inputs, oracle)
        if isinstance(whole, Comparison):
            return whole
        found = near(as_array(first), np.take(whole, [0], axis), dtype=COARSE)
        return found if not found else near(as_array(last), np.take(whole, [-1], axis), dtype=COARSE)

    return judge


component.check("keeps_batches_apart", "Each sample of a batch comes out as it does alone.", ask=_samples, on="batch")(
    _as_alone(0)
)


def _allowed_alone(mask: Array, **inputs: Any) -> Sequence[Call]:
    """All queries with the mask, then the first and the last one alone with the keys that each may attend to."""

    def one(at: int) -> Call:
        part = {name: inputs[name][..., mask[at], :].copy() for name in ("key", "value")}
        return Call({**inputs, **part, "query": inputs["query"][..., at : at + 1, :].copy()})

    return Call({**inputs, "mask": mask}), one(0), one(len(mask) - 1)


component.check(
    "masks_hide_keys",
    "A key that a mask hides from a query takes no part in what the query finds.",
    on=lambda case: case.tags == {"mask", "bound"},
    convention="mask",
)(is_right)
component.check(
    "masks_block_keys",
    "A query with a mask comes out as it does when blocked keys (False in the mask) are not there at all.",
    ask=_allowed_alone,
    on=lambda case: case.tags == {"mask"},
    convention="mask",
)(_as_alone(-2))


def _whole(case: Case) -> bool:
    return bool(case.tags & {"sample", "shared"}) or ("four" in case.tags and case.inputs["mask"].shape[1] == 1)


component.check(
    "each_sample_gets_its_own_mask",
    "A mask does for each sample what its own (n, m) mask does for it alone, whatever axes it has.",
    ask=_samples,
    on=_whole,
)(_as_alone(0))


def _without_mask(mask: Array, **inputs: Any) -> Sequence[Call]:
    return Call({**inputs, "mask": mask}), Call(inputs)


@component.check(
    ask=_without_mask, on=lambda case: "four" in case.tags and case.inputs["mask"].shape[1] > 1, convention="mask"
)
def each_head_gets_its_own_mask(got: Any, free: Any, mask: Array, *, oracle: Oracle, **inputs: Any) -> Found:
    """A mask (batch, heads, n, m) gives each head its own pattern."""
    if not near(free, oracle(**inputs), dtype=COARSE):
        return None if as_array(got) is not None else near(got, oracle(**inputs))  # other checks look at what is wrong
    return near(got, oracle(**inputs, mask=mask), dtype=COARSE)


@component.check(ask=lambda **inputs: (Call(inputs, may_raise=True),), on="indivisible")
def refuses_an_uneven_split(got: Any, **inputs: Any) -> Found:
    """A number of heads that does not divide d_model raises an error."""
    if isinstance(got, Refused):
        return None
    width, heads = inputs["query"].shape[-1], inputs["num_heads"]
    return Comparison(
        False, f"accepted {heads} heads for d_model = {width}; expected a ValueError", NoValue("ValueError"), got
    )


leaves_alone(component, "The arrays and matrices are the same after the call.", on="plain", most=3)
answers_twice(component, on="plain", most=2)


component.hooks |= {
    **WRITTEN_SCALES,
    "fitted_scores": fitted_letters("product", lambda letters: mistaken(letters) or meets_rows(letters), ""),
    "fitted_output": fitted_letters("retrieve", of_no_average, ""),
}


@component.hook
def accepts_uneven_heads(evidence: Evidence) -> bool:
    """How the features are shared out among the heads is the student's own."""
    return evidence.failed == {"refuses_an_uneven_split"}
