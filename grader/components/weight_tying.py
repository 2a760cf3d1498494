"""Weight tying (section 3.4) as a torch module: checks and misconceptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.blocks import faults
from grader.blocks.checks import RANDOM, bundle, equality
from grader.blocks.checks_calls import UNREGISTERED, manners
from grader.blocks.checks_parameters import backward, gradient, registered
from grader.blocks.examine import Block
from grader.blocks.programs import Making, Steps
from grader.blocks.returned import of_other_type
from grader.blocks.sizes import Sizes
from grader.component.calls import Case
from grader.component.checks import Check
from grader.judging.outcomes import PASSED, finding
from grader.model.outcome import Outcome, Verdict
from grader.paper.softmax import softmax
from grader.paper.sublayers import Knobs
from grader.paper.weights import Array, Roles
from grader.properties import COARSE, near
from grader.sandbox.plain import Reply

if TYPE_CHECKING:
    from grader.blocks.subject import Subject


def compute(weights: Roles, inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs) -> Array:
    """Look up, then score with the same table; with knobs."""
    table, matrix = weights.must("tgt_table"), weights.must("generator.w")
    bias = weights.get("generator.b")
    root, scale = sizes.d_model**0.5, knobs.get("tie.scale", "none")
    rows = table[inputs["ids"]] + (root if scale == "added" else 0.0)
    logits = {"times": root, "divided": 1 / root}.get(scale, 1.0) * rows @ matrix
    logits = logits if bias is None else logits + bias
    if knobs.get("tie.output", "logits") == "logits":
        return np.asarray(logits)
    return softmax(logits, logs="exact" if knobs["tie.output"] == "log_probabilities" else "")


def cases(rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
    """Batches of ids."""
    sizes = making.sizes
    return (
        Case({"ids": rng.integers(0, sizes.vocab, size=(sizes.batch, sizes.n))}, "a batch of ids", key="batch"),
        Case({"ids": rng.integers(0, sizes.vocab, size=(3, sizes.m))}, "another length", key="other"),
    )


def _shares() -> Check:
    title = "Embedding and output are one parameter, trained by both of its uses"
    return Check("shares_one_parameter", title, _backward_from_noise, _both_uses_train)


def _backward_from_noise(subject: Subject) -> Mapping[str, Steps]:
    ids = subject.cases[0].inputs["ids"]
    seed = np.random.default_rng(5).normal(size=(*ids.shape, subject.sizes.vocab)).astype(np.float32)
    subject.cache["tie_seed"] = seed
    return {"tie": backward(subject, seed)}


def _both_uses_train(subject: Subject) -> Outcome:
    """Whether there is one table, and its gradient is the sum of those of its two uses."""
    names = list(dict.fromkeys(unit.matrix.name for unit, _ in subject.material.tables))
    if len(names) > 1:
        return subject.failed(
            f"`{names[0]}` and `{names[1]}` are two parameters: after one step of training they differ",
            "trf-tied-weights-copied",
        )
    reply = subject.replies["tie"]
    if (other := _unjudged(subject, reply, names)) is not None:
        return other
    found = reply.values[-1]["parameters"].get(names[0])
    if found is None:
        return subject.failed(f"no gradient reaches `{names[0]}`", "tie-one-way-gradient")
    result = near(found, _gradient(subject, names[0]).reshape(found.shape), dtype=COARSE)
    if result or subject.fault is not None:
        return PASSED
    answer = subject.output(subject.replies[f"case:{subject.cases[0].key}"], subject.shape(subject.cases[0]))
    if of_other_type(answer) or not np.isfinite(found).all() or subject.reading is None:
        what = "numbers of float32" if subject.reading is not None else "logits of one table"
        return replace(PASSED, notes=(f"Not judged: the answers are no {what}, which another check says",))
    alike = {
        row["name"]
        for row in subject.inventory["parameters"]
        if (row["same_as"] is None or row.get("apart")) and row["shape"] == list(found.shape)
    }
    return subject.failed(
        "the gradient of the table is not the sum of its two uses",
        "trf-tied-weights-copied" if len(alike) > 1 else "tie-one-way-gradient",
    )


def _unjudged(subject: Subject, reply: Reply, names: Sequence[str]) -> Outcome | None:
    """What is said where the gradient of the table can say nothing."""
    if reply.status != "value":
        return subject.failure(reply)
    if not subject.steady or subject.unregistered:
        return UNREGISTERED if subject.steady else RANDOM
    if not names:
        return finding(Verdict.UNDETERMINED, "no table of shape (vocab, d_model) takes part in the forward pass")
    return None


def _gradient(subject: Subject, name: str) -> Array:
    """The gradient of ``sum(seed * (table[ids] @ table.T))`` by the table, lying as the student keeps it."""
    kept = subject.values[name].astype(np.float64)
    on_its_side = kept.shape == (subject.sizes.d_model, subject.sizes.vocab)
    table = kept.T if on_its_side else kept.reshape(subject.sizes.vocab, subject.sizes.d_model)
    ids, seed = subject.cases[0].inputs["ids"], subject.cache["tie_seed"].astype(np.float64)
    scored = np.einsum("bnv,bnd->vd", seed, table[ids])
    embedded = np.zeros_like(table)
    np.add.at(embedded, ids, seed @ table)
    total = scored + embedded
    return np.asarray(total.T if on_its_side else total)


component = Block(
    "weight_tying",
    "Weight tying",
    "section 3.4",
    "TiedOutput",
    ("vocab", "d_model"),
    ("ids",),
    compute,
    lambda sizes: {
        "tgt_table": (sizes.vocab, sizes.d_model),
        "generator.w": (sizes.d_model, sizes.vocab),
        "generator.b": (sizes.vocab,),
    },
    cases,
    bundle(
        equality(
            "scores_with_the_table",
            "Logits are the rows of the table times the table transposed, without scaling",
            ["batch", "other"],
        ),
        _shares(),
        gradient(),
        registered(),
        manners(any_memory=False),
    ),
    faults.known("weight_tying"),
    ("trf-tied-weights-copied", "tie-one-way-gradient", *faults.EVERYWHERE),
    trained=True,
)
