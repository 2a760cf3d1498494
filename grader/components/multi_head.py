"""Multi-head attention (section 3.2.2) as a torch module: checks and misconceptions."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from grader import source
from grader.blocks import faults, settled
from grader.blocks.cases_steep import FAR, SAMPLES, UNMASKED, forgives_vanished_weights, lone, stays_finite, steep
from grader.blocks.checks import bundle, equality
from grader.blocks.checks_calls import manners
from grader.blocks.checks_dropout import not_on_scores, off_in_evaluation
from grader.blocks.checks_parameters import gradient, registered
from grader.blocks.examine import Block
from grader.blocks.inputs import attention_shapes, masks_for, mixed_mask, norm_shapes
from grader.blocks.mask_axes import told_axes
from grader.blocks.programs import Making, Steps
from grader.blocks.sizes import Sizes
from grader.component.calls import Case
from grader.component.checks import Check
from grader.judging.outcomes import PASSED
from grader.model.outcome import Location, Outcome
from grader.paper.sublayers import Knobs, multi_head
from grader.paper.weights import Array, Roles

if TYPE_CHECKING:
    from grader.blocks.subject import Subject

LONG = 131
"""More positions than the round numbers that are built in where they should be asked for."""


def compute(weights: Roles, inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs) -> Array:
    """Multi-head attention with knobs; what is not passed is what stands for it, as in :func:`_given`."""
    query = inputs["query"]
    key = inputs.get("key", query)
    return multi_head(query, key, inputs.get("value", key), weights, sizes.num_heads, inputs.get("mask"), knobs)


def cases(rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
    """Self-attention, attention to another sequence, and masks of every shape that the hand-out promises.

    A module that is given one tensor attends to itself; one that is given two has its keys for values.
    """
    sizes = making.sizes
    x = rng.normal(size=(sizes.batch, sizes.n, sizes.d_model))
    key, value = rng.normal(size=(2, sizes.batch, sizes.m, sizes.d_model))
    other = rng.normal(size=(2, *x.shape))
    long = min(LONG, making.longest or LONG)
    far = rng.normal(size=(1, long, sizes.d_model))
    found = [
        Case(_given(making, x, x, x), "one tensor three times", key="self"),
        Case(_given(making, x, *other), "three tensors of one length", key="apart"),
        Case(_given(making, far, far, far), f"{long} positions", key="long"),
        Case(_given(making, x, key, value), "queries, keys and values from three tensors", key="cross"),
    ]
    alone = not making.passes("key")
    found = [case for case in found if not alone or case.key in {"self", "long"}]
    m = sizes.n if alone else sizes.m
    for name, mask in masks_for(rng, making, sizes.n, m).items():
        hidden = mixed_mask(mask, sizes.batch, sizes.n, m)
        found.append(_masked(name, _given(making, x, key[:, :m], value[:, :m], mask), hidden, rng))
    if making.promises(
        ("n", "m")
    ):  # as many samples as queries and keys: a mask (n, n) is one of two axes all the same
        query, key, value = rng.normal(size=(3, sizes.n, sizes.n, sizes.d_model))
        inputs = _given(making, query, key, value, np.tri(sizes.n, dtype=bool))
        found.append(Case(inputs, "a mask (n, n) where there are n samples", key="mask_batch", plain=False))
    queries, keys = (FAR * rng.normal(size=(SAMPLES, n, sizes.d_model)) for n in (3, 2))
    read = rng.normal(size=keys.shape)
    hidden = lone(rng, 3, 3 if alone else 2, causal=making.said.get("causal", False))
    huge = steep(_given(making, queries, keys, read, hidden), making)
    if not huge:  # no mask lets a query see one key alone
        less = UNMASKED * queries, UNMASKED * keys
        huge = (Case(_given(making, *less, read), "huge scores", key="huge", plain=False),)
    return (*found, *huge)


def _given(
    making: Making, query: Array, key: Array, value: Array, mask: Array | None = None
) -> dict[str, Array | None]:
    """The inputs of a call: what is not passed is what stands for it."""
    key = key if making.passes("key") else query
    return {"query": query, "key": key, "value": value if making.passes("value") else key, "mask": mask}


def _masked(name: str, inputs: dict[str, Any], seen: Array, rng: np.random.Generator) -> Case:
    """A masked case, with the keys changed that no query of their sample may see, and one that some query may see."""
    mask, x, key, value = (inputs[name] for name in ("mask", "query", "key", "value"))
    never = np.logical_not(np.any(seen, axis=1, keepdims=True)[:, 0, :, None])
    noise = rng.normal(size=(2, *key.shape))
    why = f"a mask {told_axes(mask)}"
    if key is x:  # queries change with the keys: those at hidden places answer anew, the first one sees the others anew
        others = np.where(np.arange(key.shape[1])[:, None] == 0, x, x + noise[0])
        changed = ({**inputs, "query": np.where(never, x + 3 * noise[0], x)}, ~never[..., 0])
        return Case(
            inputs,
            why,
            key=name,
            plain=False,
            blocked=({**changed[0], "key": changed[0]["query"], "value": changed[0]["query"]}, changed[1]),
            kept=(
                {**inputs, "query": others, "key": others, "value": others},
                np.broadcast_to(np.arange(x.shape[1]) == 0, x.shape[:2]),
            ),
        )
    everywhere = np.ones(x.shape[:2], dtype=bool)
    hidden = {"key": np.where(never, key + 3 * noise[0], key), "value": np.where(never, value + 3 * noise[1], value)}
    shown = {"key": key + noise[0], "value": value + noise[1]}
    if value is key:
        hidden["value"], shown["value"] = hidden["key"], shown["key"]
    return Case(
        inputs,
        why,
        key=name,
        plain=False,
        blocked=({**inputs, **hidden}, everywhere),
        kept=({**inputs, **shown}, everywhere),
    )


def _indivisible() -> Check:
    def ask(subject: Subject) -> Mapping[str, Steps]:
        making = subject.making
        return {
            "indivisible": (making.construct(num_heads=_odd(subject)), making.call(subject.cases[0].inputs, quiet=True))
        }

    def judge(subject: Subject) -> Outcome:
        reply = subject.replies["indivisible"]
        failure = reply.failure
        if reply.status == "value":
            return subject.failed(
                f"{_asked(subject)} was accepted; expected ValueError",
                "mha-indivisible-heads-silent",
                location=_built_at(subject),
            )
        if reply.status != "error" or failure is None:
            return subject.failure(reply)
        meant = bool({"ValueError", "AssertionError"} & {failure.type, *failure.mro})
        if failure.step > 0 and not meant:
            return subject.failed(
                f"{_asked(subject)} is built and then fails with {failure.type} "
                "when called; expected ValueError when it is built",
                "mha-indivisible-heads-silent",
                location=_built_at(subject),
            )
        return PASSED

    return Check(
        "rejects_indivisible_heads",
        "Refuses a number of heads that does not divide d_model",
        ask,
        judge,
        needs=lambda making: (
            making.adapter is None
            and making.said.get("refuses_uneven_heads", True)
            and making.takes("d_model")
            and making.takes("num_heads")
            and not any(making.takes(name) for name in ("d_k", "d_v", "d_head"))
        ),
    )


def _odd(subject: Subject) -> int:
    """The smallest number of heads above 2 that does not divide d_model."""
    return next(heads for heads in itertools.count(3) if subject.sizes.d_model % heads)


def _asked(subject: Subject) -> str:
    return f"{subject.making.target} with {_odd(subject)} heads for d_model = {subject.sizes.d_model}"


def _built_at(subject: Subject) -> Location | None:
    """The line where building begins."""
    found = source.method_of_class(subject.context.submission.modules, subject.making.target, ("__init__",))
    return found[1] if found is not None else None


component = Block(
    "multi_head_attention",
    "Multi-head attention",
    "section 3.2.2 and figure 2",
    "MultiHeadAttention",
    ("d_model", "num_heads"),
    ("query", "key", "value", "mask"),
    compute,
    lambda sizes: attention_shapes(sizes) | norm_shapes(sizes, "norm."),
    cases,
    bundle(
        equality("attends_to_itself", "Self-attention is that of section 3.2.2", ["self", "long"]),
        equality(
            "attends_to_another",
            "Attention to another sequence, with keys and values apart, is that of section 3.2.2",
            ["apart", "cross"],
        ),
        stays_finite(["huge"]),
        forgives_vanished_weights(
            equality(
                "mask_for_all",
                "One mask for all holds for every sample and head, however large the scores are",
                ["mask_2", "mask_batch", "steep"],
                masks=True,
            ),
            ["mask_2", "mask_batch", "steep"],
        ),
        equality("mask_per_sample", "A mask (batch, n, m) gives every sample its own", ["mask_3"], masks=True),
        equality(
            "mask_per_head",
            "A mask of four axes broadcasts to (batch, heads, n, m)",
            ["mask_4", "mask_heads", "mask_one"],
            masks=True,
        ),
        equality(
            "mask_of_keys",
            "A mask (batch, keys) hides keys of a sample from all its queries",
            ["mask_keys"],
            masks=True,
        ),
        _indivisible(),
        gradient(),
        registered(),
        off_in_evaluation(),
        not_on_scores(),
        manners(),
    ),
    faults.known("multi_head_attention", "scaled_dot_product_attention"),
    ("dropout-on-scores", *faults.OF_WEIGHTS, *faults.EVERYWHERE),
    settled=settled.ATTENTION,
)
