"""Multi-head attention (section 3.2.2) as a torch module: checks and misconceptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from grader import source
from grader.blocks.cases_steep import FAR, SAMPLES, forgives_vanished_weights, lone, steep
from grader.blocks.checks import bundle, equality
from grader.blocks.checks_calls import double_precision, inputs_alone, repeatable, strided
from grader.blocks.checks_parameters import gradient, registered
from grader.blocks.examine import Block, BlockCheck
from grader.blocks.inputs import attention_shapes, masks_for, mixed_mask, norm_shapes
from grader.blocks.known_attention import ATTENTION
from grader.blocks.known_heads import HALF_PRECISION, HEAD_SIGNS, HEADS
from grader.blocks.parts import Knobs, multi_head
from grader.blocks.programs import Steps
from grader.blocks.sizes import Sizes
from grader.blocks.subject import PASSED, Case, Finding, Subject
from grader.blocks.told_by_weights import OF_WEIGHTS
from grader.blocks.weights import Array, Roles
from grader.model import Location, StudentText, Verdict

LONG = 131
"""More positions than the round numbers that are built in where they should be asked for."""


def compute(weights: Roles, inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs) -> Array:
    """Multi-head attention with knobs."""
    return multi_head(
        inputs["query"], inputs["key"], inputs["value"], weights, sizes.num_heads, inputs.get("mask"), knobs
    )


def cases(rng: np.random.Generator, sizes: Sizes) -> tuple[Case, ...]:
    """Self-attention, attention to another sequence, and masks of 2, 3 and 4 axes."""
    x = rng.normal(size=(sizes.batch, sizes.n, sizes.d_model))
    key, value = rng.normal(size=(2, sizes.batch, sizes.m, sizes.d_model))
    other = rng.normal(size=(2, *x.shape))
    found = [
        Case("self", {"query": x, "key": x, "value": x, "mask": None}, "one tensor three times"),
        Case("apart", {"query": x, "key": other[0], "value": other[1], "mask": None}, "three tensors of one length"),
        Case(
            "long",
            dict.fromkeys(("query", "key", "value"), rng.normal(size=(1, LONG, sizes.d_model))) | {"mask": None},
            f"{LONG} positions",
        ),
        Case(
            "cross",
            {"query": x, "key": key, "value": value, "mask": None},
            "queries, keys and values from three tensors",
        ),
    ]
    for name, mask in masks_for(rng, sizes, sizes.n, sizes.m).items():
        hidden = mixed_mask(mask, sizes.batch, sizes.n, sizes.m)
        found.append(_masked(name, x, key, value, mask, hidden, rng))
    # As many samples as queries and keys: a mask (n, n) is one of two axes all the same.
    many = dict(zip(("query", "key", "value"), rng.normal(size=(3, sizes.n, sizes.n, sizes.d_model)), strict=True))
    inputs = {**many, "mask": np.tri(sizes.n, dtype=bool)}
    found.append(Case("mask_batch", inputs, "a mask (n, n) where there are n samples", plain=False))
    far = {name: FAR * rng.normal(size=(SAMPLES, n, sizes.d_model)) for name, n in (("query", 3), ("key", 2))}
    read = rng.normal(size=far["key"].shape)
    return (*found, steep({**far, "value": read, "mask": lone(rng, 3, 2)}))


def _masked(name: str, x: Array, key: Array, value: Array, mask: Array, seen: Array, rng: np.random.Generator) -> Case:
    """A masked case, with the keys changed that no query of their sample may see, and one that some query may see."""
    never = np.logical_not(np.any(seen, axis=1, keepdims=True)[:, 0, :, None])
    noise = rng.normal(size=(2, *key.shape))
    everywhere = np.ones(x.shape[:2], dtype=bool)
    inputs = {"query": x, "key": key, "value": value, "mask": mask}
    hidden = {"key": np.where(never, key + 3 * noise[0], key), "value": np.where(never, value + 3 * noise[1], value)}
    return Case(
        name,
        inputs,
        f"a mask of {mask.ndim} axes",
        plain=False,
        blocked=({**inputs, **hidden}, everywhere),
        kept=({**inputs, "key": key + noise[0], "value": value + noise[1]}, everywhere),
    )


def _indivisible() -> BlockCheck:
    def ask(subject: Subject) -> Mapping[str, Steps]:
        making = subject.making
        return {"indivisible": (making.construct(num_heads=4), making.call(subject.cases[0].inputs, quiet=True))}

    def judge(subject: Subject) -> Finding:
        reply = subject.replies["indivisible"]
        failure = reply.failure
        if reply.status == "value":
            return Finding(
                Verdict.FAILED,
                f"MultiHeadAttention({subject.sizes.d_model}, 4) was accepted; expected ValueError",
                location=_built_at(subject),
                diagnosis=subject.block.sign("mha-indivisible-heads-silent"),
            )
        if reply.status != "error" or failure is None:
            return subject.failure(reply)
        meant = bool({"ValueError", "AssertionError"} & {failure.type, *failure.mro})
        if failure.step > 0 and not meant:
            return Finding(
                Verdict.FAILED,
                f"MultiHeadAttention({subject.sizes.d_model}, 4) is built and then fails with {failure.type} "
                "when called; expected ValueError when it is built",
                location=_built_at(subject),
                diagnosis=subject.block.sign("mha-indivisible-heads-silent"),
            )
        return PASSED

    return BlockCheck("rejects_indivisible_heads", "Refuses a number of heads that does not divide d_model", ask, judge)


def _built_at(subject: Subject) -> Location | None:
    """The line where building begins."""
    found = source.method_of_class(subject.context.submission.modules, subject.making.target, ("__init__",))
    return found[1] if found is not None else None


def _half_precision(check: BlockCheck) -> BlockCheck:
    """Note, without loss of points, where a mask fails in half precision: a fill of -1e9 is none of its numbers."""

    def ask(subject: Subject) -> Mapping[str, Steps]:
        move = {"do": "move", "on": "module", "dtype": "float16"}
        call = subject.making.call(subject.case("mask_2").inputs, dtype="float16", quiet=True)
        return {**check.ask(subject), "half": (*subject.prepared(), move, call)}

    def judge(subject: Subject) -> Finding:
        found, half = check.judge(subject), subject.replies["half"]
        if found.verdict is not Verdict.PASSED or half.status != "error" or half.failure is None:
            return found
        note = (
            f"in half precision a mask fails ({half.failure.message.splitlines()[0][:80]}): no points are lost for that"
        )
        return replace(found, notes=(*found.notes, StudentText(note)))

    return replace(check, ask=ask, judge=judge)


component = Block(
    "multi_head_attention",
    "Multi-head attention",
    "section 3.2.2 and figure 2",
    "MultiHeadAttention",
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
        _half_precision(
            forgives_vanished_weights(
                equality(
                    "mask_for_all",
                    "A mask (n, m) holds for every sample and head, however large the scores are",
                    ["mask_2", "mask_batch", "steep"],
                    masks=True,
                    convention="mask",
                ),
                ["mask_2", "mask_batch", "steep"],
            )
        ),
        equality(
            "mask_per_sample",
            "A mask (batch, n, m) gives every sample its own",
            ["mask_3"],
            masks=True,
            convention="mask",
        ),
        equality(
            "mask_per_head",
            "A mask of four axes broadcasts to (batch, heads, n, m)",
            ["mask_4", "mask_heads", "mask_one"],
            masks=True,
            convention="mask",
        ),
        _indivisible(),
        gradient(),
        registered(),
        double_precision(),
        strided(),
        inputs_alone(),
        repeatable(),
    ),
    HEADS + ATTENTION,
    (*OF_WEIGHTS, *HEAD_SIGNS, HALF_PRECISION),
)
