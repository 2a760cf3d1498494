"""Residual connection and norm around a sublayer (section 3.1) as a torch module: checks and misconceptions."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.blocks import faults, settled
from grader.blocks.checks import bundle, equality
from grader.blocks.checks_calls import manners
from grader.blocks.checks_dropout import both
from grader.blocks.checks_parameters import gradient, registered
from grader.blocks.examine import Block
from grader.blocks.inputs import norm_shapes
from grader.blocks.programs import Making, Sublayer
from grader.blocks.sizes import Sizes
from grader.component.calls import Case
from grader.paper.layers import stage
from grader.paper.sublayers import Knobs
from grader.paper.weights import Array, Roles


def compute(weights: Roles, inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs) -> Array:  # noqa: ARG001 - one signature for all
    """One stage of a layer, with knobs."""
    x = inputs["x"]
    sublayer = inputs["sublayer"] if "sublayer" in inputs else lambda _: inputs["update"]
    return stage("enc", 1, x, {"block": x}, sublayer, weights, knobs)[0]


def cases(rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
    """Two sublayers that are linear maps; where ``update`` is passed, what they have made of x."""
    sizes = making.sizes
    d = sizes.d_model
    found = []
    for key, why in (("small", "a linear map as sublayer"), ("other", "another linear map")):
        sublayer = Sublayer(
            (rng.normal(size=(d, d)) / np.sqrt(d)).astype(np.float32), rng.normal(size=d).astype(np.float32)
        )
        x = rng.normal(size=(sizes.batch, sizes.n, d))
        beside = {"update": sublayer(x)} if making.passes("update") else {"sublayer": sublayer}
        found.append(Case({"x": x, **beside}, why, key=key))
    return tuple(found)


component = Block(
    "add_norm",
    "Residual connection and norm",
    "sections 3.1 and 5.4",
    "AddNorm",
    ("d_model", "dropout"),
    ("x", "sublayer"),
    compute,
    lambda sizes: norm_shapes(sizes, "norm_1."),
    cases,
    bundle(
        equality("adds_and_normalises", "LayerNorm(x + sublayer(x))", ["small", "other"]),
        both(
            "Dropout acts on the sublayer's output in training, and leaves the residual path alone",
            "enc-dropout-after-norm",
        ),
        gradient(),
        registered(norms=True),
        manners(),
    ),
    faults.chained(faults.around_one_sublayer(), faults.known("layer_norm")),
    (*faults.OF_DROPOUT, *faults.OF_LAYERS, *faults.EVERYWHERE),
    settled=settled.RESIDUAL,
    otherwise=(("x", "update"),),
)
