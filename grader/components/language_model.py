"""A decoder-only language model (figure 1's decoder without attention to a memory) as a torch module."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from grader.blocks import checks_model as whole
from grader.blocks import faults, settled
from grader.blocks.around_stacks import EMBEDDED, RETURNED
from grader.blocks.cases_ids import of_ids, others_of, words_of
from grader.blocks.cases_layers import encoder_cases
from grader.blocks.checks import bundle, equality
from grader.blocks.checks_calls import manners
from grader.blocks.checks_dropout import off_in_evaluation
from grader.blocks.checks_parameters import gradient, own_parameters, registered
from grader.blocks.depth import of_its_depth
from grader.blocks.examine import Block
from grader.blocks.inputs import MASKS, embedding_shapes, stack_shapes
from grader.blocks.programs import Making
from grader.blocks.sizes import Sizes
from grader.component.calls import Case
from grader.paper.stacks import encoder as layers
from grader.paper.stacks import entered, hiding_padding, logits, triangle
from grader.paper.sublayers import Knobs
from grader.paper.weights import Array, Roles

VOCAB = "tgt_vocab"


def compute(weights: Roles, inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs) -> Array:
    """The model with knobs: logits ``(batch, n, vocab)``."""
    knobs = {"trf.rows": sizes.max_len, **knobs}
    x, mask = entered(inputs, weights, knobs, "tgt"), hiding_padding(inputs.get("mask"), inputs["ids"], knobs, "tgt")
    past = triangle(x.shape[1], knobs)
    seen = past if mask is None else mask if past is None else mask & past
    return logits(layers(x, weights, sizes.num_heads, sizes.num_layers, seen, knobs), weights, knobs)


def cases(rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
    """Without a mask, where only what comes later is hidden; with masks; sequences of max_len."""
    causal, words = making.said.get("causal", True), words_of(making, VOCAB)
    found = of_ids(encoder_cases, VOCAB)(rng, replace(making, said={**making.said, "causal": causal}))
    if causal:
        found = (_hidden(found[0], rng, words), *found[1:])
    full = rng.choice(words, size=(1, making.longest or making.sizes.n))
    return (*found, Case({"ids": full, "mask": None}, "as many positions as promised", key="full", plain=False))


def _hidden(case: Case, rng: np.random.Generator, words: Array) -> Case:
    """The case with other ids in the second half, which the first half must not notice, and with another first id."""
    ids = case.inputs["ids"]
    early = np.broadcast_to(np.arange(ids.shape[1]) < ids.shape[1] // 2, ids.shape)
    others = others_of(ids, words, rng)
    first = np.where(np.arange(ids.shape[1]) == 0, others, ids)
    return replace(
        case,
        blocked=({**case.inputs, "ids": np.where(early, ids, others)}, early),
        kept=({**case.inputs, "ids": first}, ~early),
    )


component = Block(
    "language_model",
    "Decoder-only language model",
    "section 3 and figure 1",
    "LanguageModel",
    ("vocab", "d_model", "num_heads", "num_layers", "d_ff", "max_len", "dropout"),
    ("ids", "mask"),
    compute,
    lambda sizes: stack_shapes(sizes, "enc") | embedding_shapes(sizes, "tgt"),
    cases,
    bundle(
        of_its_depth(
            equality(
                "computes_the_model",
                "Embeddings, layers and output layer are put together as in figure 1, without a memory",
                ["open", "short"],
                # Who hides what comes later though this course does not has no other check that says so.
                owns=lambda knob, setting: (
                    setting is None if knob == "trf.causal" else not whole.charged_elsewhere(knob, setting)
                ),
            )
        ),
        whole.scales_embeddings(),
        equality(
            "positions_matter",
            "The table of positions is added to the embeddings",
            ["open", "short", "full"],
            owns=whole.about_positions,
            unread=whole.nothing_to_say,
        ),
        whole.table_is_as_declared(),
        whole.works_up_to_max_len(lambda making: bool(making.longest)),
        equality(
            "sees_no_later_token",
            "No position sees a later one",
            ["open"],
            masks=True,
            owns=lambda knob, _: knob == "trf.causal",
            needs=lambda making: bool(making.said.get("causal", True)),
        ),
        equality(
            "mask_is_used",
            "A mask hides tokens in every layer",
            MASKS,
            masks=True,
            owns=whole.about_source_mask,
            padding=True,
        ),
        whole.returns_logits(),
        own_parameters("Layers have parameters of their own", faults.sharing),
        registered("trf-layers-in-plain-list", norms=True),
        off_in_evaluation(),
        gradient(),
        manners(any_memory=False),
    ),
    faults.chained(EMBEDDED, RETURNED, faults.known("encoder", "encoder_layer", *faults.SUBLAYERS)),
    (*faults.OF_WEIGHTS, *faults.OF_STACKS, *faults.OF_LAYERS, *faults.OF_DROPOUT, *faults.EVERYWHERE),
    free=({}, {"encoder.final_norm": True}),
    cost=4,
    fixed_positions=True,
    causal_alone=True,
    settled=settled.LANGUAGE_MODEL,
)
