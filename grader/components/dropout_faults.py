"""Dropout as students get it wrong: the oracle with knobs, how each shows, and what to say about it.

The draws are free, so values cannot be compared. A mistake is recognised by how the answers deviate from right ones
as a whole: see ``traits`` in dropout.py. ``shows`` lists a mistake's deviations, one mapping a setting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.properties import Array


def workshop(
    x: Array,
    p: float,
    training: bool | None = None,
    rng: np.random.Generator | None = None,
    *,
    drops: str = "p",
    factor: str = "kept",
    evaluation: str = "same",
    shared: tuple[int, ...] = (),
    seeded: bool = False,
    ignores_rng: bool = False,
    needs_rng: bool = False,
    inverted: bool = False,
    off: bool = False,
    noise: bool = False,
    in_place: bool = False,
    fills: float = 0.0,
    unset: float = 0.0,
) -> Array:
    """The oracle with knobs: what is dropped and how often, what becomes of the rest, whose draws are used."""
    training = (not off) if training is None else training
    p = p or unset
    if training == inverted:
        if evaluation == "drops":
            return _dropped(x, p, "kept", np.random.default_rng().random(x.shape) >= p, fills)
        return x * {"same": 1.0, "scaled": 1 - p, "scaled_up": 1 / (1 - p)}[evaluation]
    if p == 0 or drops == "none":
        return x.copy() if drops != "none" else x * _factor(factor, p, np.ones(x.shape, bool))
    if rng is None and needs_rng:
        raise AttributeError("'NoneType' object has no attribute 'random'")
    draw = np.random.default_rng(0) if seeded else np.random.default_rng() if rng is None or ignores_rng else rng
    if noise:
        return x * draw.normal(1.0, np.sqrt(p / (1 - p)), x.shape)
    shape = tuple(1 if axis - x.ndim in shared else size for axis, size in enumerate(x.shape))
    limit = {"p": p, "1-p": 1 - p, "half": 0.5, "square": p * p}[drops]
    kept = np.broadcast_to(draw.random(shape) >= limit, x.shape)
    result = _dropped(x, p, factor, kept, fills)
    if in_place:
        x[...] = result
        return x
    return result


def _dropped(x: Array, p: float, factor: str, kept: Array, fills: float) -> Array:
    return np.where(kept, x * _factor(factor, p, kept), fills).astype(x.dtype)


def _factor(name: str, p: float, kept: Array) -> float:
    return FACTORS[name](p, 1 - float(np.mean(kept))) if name in FACTORS else 1 / (1 - p)


FACTORS: Mapping[str, Callable[[float, float], float]] = {
    "1": lambda p, dropped: 1.0,  # noqa: ARG005 - all take both
    "1/p": lambda p, dropped: 1 / p,  # noqa: ARG005
    "p": lambda p, dropped: p,  # noqa: ARG005
    "1-p": lambda p, dropped: 1 - p,  # noqa: ARG005
    "1/(1-p)^2": lambda p, dropped: (1 - p) ** -2,  # noqa: ARG005
    "1/sqrt(1-p)": lambda p, dropped: (1 - p) ** -0.5,  # noqa: ARG005
    "1+p": lambda p, dropped: 1 + p,  # noqa: ARG005
    "drawn": lambda p, dropped: 1 / max(1 - dropped, 1e-9),  # noqa: ARG005
}
"""What survivors may be multiplied by instead of 1/(1-p): of p, and of the share that was dropped."""


@dataclass(frozen=True, slots=True)
class Slip:
    """A mistake: its texts as ``Component.slip`` takes them, and pairs of settings and the deviations they show."""

    id: str
    text: str
    ways: tuple[tuple[dict[str, Any], dict[str, str]], ...]


SLIPS: tuple[Slip, ...] = (
    Slip(
        "dropout-no-rescaling",
        """The survivors are not scaled up.
? Compare the average before and after dropping.
> Survivors are multiplied by 1/(1-p).
= Without the factor the expected value falls to 1-p of the input, and evaluation, where nothing is dropped, sees larger
numbers than training did.""",
        (({"factor": "1"}, {"factor": "1"}),),
    ),
    Slip(
        "dropout-keep-prob-confusion",
        """p is taken for the probability to keep.
? With p = 0.1, how many zeros should there be in a thousand?
> p is the probability to drop.
= Older code takes the probability to keep, and at p = 0.5 the two cannot be told apart. Here p = 0.1 drops one entry in
ten.""",
        (({"drops": "1-p", "factor": "1/p"}, {"rate": "1-p", "factor": "1/p"}),),
    ),
    Slip(
        "dropout-mask-inverted",
        """The mask is inverted: what should be dropped is kept.
? With p = 0.1, how many zeros should there be in a thousand?
> Look at the comparison that makes the mask: which side is kept?
= A uniform number lies below p with probability p, so entries are kept where it is not below p.""",
        (
            ({"drops": "1-p"}, {"rate": "1-p"}),
            ({"drops": "1-p", "factor": "1"}, {"rate": "1-p", "factor": "1"}),
        ),
    ),
    Slip(
        "dropout-wrong-factor",
        """The survivors are multiplied by another number than 1/(1-p).
? Which factor keeps the average as it was?
> A share of 1-p survives: what must it be multiplied by?
= The expected value of an entry is (1-p) times the factor times the entry, so the factor is 1/(1-p).""",
        tuple(({"factor": name}, {"factor": name}) for name in ("1/p", "p", "1-p", "1/(1-p)^2", "1/sqrt(1-p)", "1+p")),
    ),
    Slip(
        "dropout-rescales-by-the-drawn-share",
        """The survivors are scaled by the share that happened to be kept.
? Does your factor change from call to call?
> The factor is 1/(1-p), whatever was drawn.
= Divided by the drawn share the entries are not independent any more: each depends on how many others were dropped.""",
        (({"factor": "drawn"}, {"factor": "drawn"}),),
    ),
    Slip(
        "dropout-scales-in-evaluation",
        """The values are scaled in evaluation.
? What should come out when training is False?
> With survivors scaled up in training, evaluation is the identity.
= There are two conventions: scale down in evaluation, or scale up in training. Here, as in every library of today, it
is the second.""",
        (
            ({"factor": "1", "evaluation": "scaled"}, {"factor": "1", "evaluation": "1-p"}),
            ({"evaluation": "scaled"}, {"evaluation": "1-p"}),
            ({"evaluation": "scaled_up"}, {"evaluation": "1/(1-p)"}),
        ),
    ),
    Slip(
        "dropout-active-in-evaluation",
        """Entries are dropped in evaluation too.
? What should come out when training is False?
> Return x as it is when not training.
= In evaluation the whole network is used; dropping there makes every answer a matter of luck.""",
        (({"evaluation": "drops"}, {"evaluation": "drops"}),),
    ),
    Slip(
        "dropout-training-inverted",
        """Training and evaluation have changed places.
? In which of the two modes should entries be dropped?
> Look at the test of training: is there a `not` too many or too few?""",
        (({"inverted": True}, {"rate": "none", "factor": "1", "evaluation": "drops"}),),
    ),
    Slip(
        "dropout-never-drops",
        """Nothing is ever dropped.
? Count the zeros in your result.
> In training a share p of the entries becomes 0.""",
        (
            ({"drops": "none", "factor": "1"}, {"rate": "none", "factor": "1"}),
            ({"drops": "none"}, {"rate": "none"}),
        ),
    ),
    Slip(
        "dropout-off-by-default",
        """Nothing is dropped unless training is passed.
? Which value has training when it is left out?
> The default is training=True.""",
        (({"off": True}, {"default": "off"}),),
    ),
    Slip(
        "dropout-ignores-p",
        """Half of the entries are dropped, whatever p is.
? How often does your mask say 0 when p is 0.1?
> Compare the random numbers with p.
= round(), or randint(0, 2), are fair coins: they drop a half, whatever p is.""",
        (({"drops": "half"}, {"rate": "half"}), ({"drops": "half", "factor": "1"}, {"rate": "half", "factor": "1"})),
    ),
    Slip(
        "dropout-shared-mask",
        """Entries share their draw: whole rows, columns or samples drop together.
? Which shape has your mask?
> Draw one number for each entry, in the shape of x.
= A mask of a smaller shape is repeated over the rest of the array. Every entry is dropped by itself.""",
        (
            ({"shared": (-1,)}, {"shared": "-1"}),
            ({"shared": (-2,)}, {"shared": "-2"}),
            ({"shared": (-3,)}, {"shared": "-3"}),
            ({"shared": (-3, -2)}, {"shared": "-3 -2"}),
            ({"shared": (-2, -1)}, {"shared": "-2 -1"}),
        ),
    ),
    Slip(
        "dropout-ignores-rng",
        """The generator that is passed in is not used.
? Call it twice with generators of the same seed. Are the masks equal?
> Draw from rng when it is given.
= A generator is passed so that a run can be repeated. numpy's global generator, or a fresh one, cannot be repeated from
it.""",
        (({"ignores_rng": True}, {"rng": "ignored"}),),
    ),
    Slip(
        "dropout-fixed-seed",
        """The same mask is drawn at every call.
? Call it twice. Should the same entries be dropped?
> Look for a seed inside the function.
= With a seed in the function every call starts the same sequence. A global seed also restarts everybody else's random
numbers.""",
        (({"seeded": True}, {"fresh": "same", "rng": "constant"}),),
    ),
    Slip(
        "dropout-needs-rng",
        """The function fails when no generator is passed.
? What is rng when it is left out?
> Make a generator when rng is None.""",
        (({"needs_rng": True}, {"error": "without rng"}),),
    ),
    Slip(
        "dropout-adds-noise",
        """The entries are multiplied by noise and none is dropped.
? Count the zeros in your result.
> Each entry is either 0 or x/(1-p).""",
        (({"noise": True}, {"rate": "none", "factor": "varies"}),),
    ),
    Slip(
        "dropout-zero-taken-for-unset",
        """With p = 0 entries are dropped all the same: 0 is taken for unset.
? What is `0.0 or 0.5` in Python?
> Compare p with None, not with its truth.""",
        (({"unset": 0.5}, {"zero": "changed"}), ({"unset": 0.1}, {"zero": "changed"})),
    ),
    Slip(
        "dropout-changes-its-input",
        """The caller's array is overwritten.
? Compare x before and after the call.
> Operators such as `x *= mask` work in place; write x * mask.""",
        (({"in_place": True}, {"arguments": "changed"}),),
    ),
)
