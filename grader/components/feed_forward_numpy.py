"""The position-wise feed-forward network as a function (section 3.3, equation 2): checks and misconceptions."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

import reference
from grader.component.calls import Case
from grader.component.convention import recorded
from grader.components.any_call import (
    answers_twice,
    first_and_last_alone,
    is_floating,
    is_right,
    keeps_the_shape,
    leaves_alone,
    same_alone,
)
from grader.judging.function import Function
from grader.paper.feed_forward import feed_forward
from grader.paper.weights import Roles


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """From one number to batches. ``domain``: ``ranks`` (1 to 4) of x."""
    ranks = set(domain.get("ranks", (1, 2, 3, 4)))
    plain = frozenset({"plain"})

    def draw(*lead: int, d_model: int = 3, d_ff: int = 5) -> dict[str, Any]:
        return {
            "x": rng.normal(size=(*lead, d_model)),
            "W_1": rng.normal(size=(d_model, d_ff)),
            "b_1": rng.normal(size=d_ff),
            "W_2": rng.normal(size=(d_ff, d_model)),
            "b_2": rng.normal(size=d_model),
        }

    one, none = np.array([[1.0]]), np.array([0.0])
    yield Case(
        {"x": np.array([[2.0]]), "W_1": one, "b_1": none, "W_2": one, "b_2": none},
        "a positive number passes",
        plain,
        fixed=True,
    )
    yield Case(
        {"x": np.array([[-1.0]]), "W_1": one, "b_1": none, "W_2": one, "b_2": none},
        "a negative number is cut to 0",
        plain | {"negative"},
        fixed=True,
    )
    yield Case(
        {"x": np.array([[1.0]]), "W_1": one, "b_1": none, "W_2": -one, "b_2": none},
        "the result may be negative",
        plain | {"negative"},
        fixed=True,
    )
    yield Case(draw(2), "two positions", plain)
    yield Case(draw(4, d_model=2, d_ff=7), "four positions", plain)
    yield Case(draw(3, d_model=3, d_ff=3), "all sizes equal: only the values can tell", plain | {"square"})
    if 1 in ranks:
        yield Case(draw(), "one position without an axis for it", frozenset({"rank"}))
    if 3 in ranks:
        yield Case(draw(2, 4), "a batch of two", frozenset({"rank"}))
    if 4 in ranks:
        yield Case(draw(2, 3, 4), "two leading axes", frozenset({"rank"}))
    large = draw(2)
    yield Case({**large, "x": large["x"] * 10}, "large hidden values", plain)
    yield Case({**draw(2), "x": rng.integers(-2, 3, size=(2, 3))}, "x of whole numbers", frozenset({"integer"}))


def workshop(
    x: Any,
    W_1: Any,
    b_1: Any,
    W_2: Any,
    b_2: Any,
    *,
    residual: bool = False,
    in_place: str = "",
    result: str = "float",
    ranks: str = "any",
    **settings: Any,
) -> Any:
    """The paper's network with settings: what is returned, and what is written into x."""
    if ranks == "matrix" and np.ndim(x) != 2:
        raise ValueError("wrong number of values to unpack")
    if ranks == "transposed":
        return (W_2.T @ np.maximum(W_1.T @ x.T + b_1[:, None], 0) + b_2[:, None]).T
    out = feed_forward(x, Roles({"w_1": W_1, "b_1": b_1, "w_2": W_2, "b_2": b_2}), **settings)
    out = out + x if residual else out
    if in_place == "x":
        x[...] = out
    return out.astype(np.asarray(x).dtype) if result == "input" else out


component = Function(
    "feed_forward",
    {"feed_forward": reference.feed_forward},
    ladder,
    title="Position-wise feed-forward network",
    reread="section 3.3, equation 2",
    workshop=workshop,
    ranked=("x",),
)
component.settles(
    "activation",
    drops=dict.fromkeys(
        recorded("activation").called, frozenset({"ffn-relu-inverted", "ffn-activation-of-the-whole-array"})
    ),
)
component.settles(
    "biases",
    unused={"none": ("b_1", "b_2")},
    drops={"none": frozenset({"ffn-bias-added-twice", "ffn-biases-swapped", "ffn-missing-bias"})},
)
component.check(on="plain")(keeps_the_shape)
component.check("matches_the_paper", "The result is max(0, x W_1 + b_1) W_2 + b_2, as in equation 2.", on="plain")(
    is_right
)
component.check(
    "cuts_between_the_two_layers",
    "The ReLU stands between the two layers: a hidden value below 0 becomes 0, and the result may be below 0.",
    on="negative",
)(is_right)
component.check(
    "positions_do_not_meet",
    "Each position comes out as it does alone: the network never mixes positions.",
    ask=first_and_last_alone,
    on=lambda case: case.inputs["x"].ndim > 1 and case.inputs["x"].size > 1 and "integer" not in case.tags,
)(same_alone)
component.check(
    "takes_any_rank",
    "One position, a sentence or a batch of sentences: x may have any number of leading axes.",
    on="rank",
)(keeps_the_shape)
component.check(
    "whole_numbers_give_fractions", "An x of whole numbers gives a floating result.", on="integer", manner=True
)(is_floating)
leaves_alone(component, "x and the weights are the same after the call.", on="plain")
answers_twice(component, on="plain")
