"""What a course can settle of the torch blocks: which knobs each value turns, how a class is made and called."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from grader.blocks.faults import known_under
from grader.component.checks import Misconception
from grader.component.convention import Settled, declared, rewording
from grader.judging.settling import mistakes_under, reworded
from grader.paper.sublayers import Knobs

_ACTIVATION = Settled("activation", words="modules.activation")
_DEVIATION = Settled("deviation", words="modules.deviation")
_EPS_PLACE = Settled("eps_place", words="modules.eps_place")
_CENTRED = Settled("centred", words="layer_norm.centred")
_AFFINE = Settled("affine", words="modules.affine")
_EPS = Settled("eps", beside=True)  # libraries bring the usual one
NORM = (_DEVIATION, _EPS_PLACE, _EPS, _CENTRED, _AFFINE)
_IN_SUBLAYERS = (_DEVIATION, _EPS, _CENTRED, _AFFINE)  # where eps stands shows in a norm alone

_SCALE = Settled("scale")
_OUTPUT = Settled("output_projection")
_INPUTS = Settled("input_projections")


def _around(knob: str) -> Settled:
    norms = {place: {knob: place} for place in ("norm", "norm_first")}
    return Settled("around", {"nothing": {}, "residual": {knob: True}, **norms})


UNEVEN = Settled("refuses_uneven_heads")
_ROTARY = Settled("rotary", brings="multi_head_attention")
ATTENTION = (_ROTARY, _around("mha.residual"), UNEVEN, _SCALE, Settled("causal"), _OUTPUT, _INPUTS)
_DROPOUT = Settled("dropout_place", words="modules.dropout_place")
_GATED = Settled("gated", words="modules.gated", drops={True: frozenset({"ffn-gated"})})
FEED_FORWARD = (_ACTIVATION, _GATED, _around("ffn.residual"), _DROPOUT)

_PLACE = Settled("norm", words="modules.norm", drops={"pre": frozenset({"enc-pre-norm", "dec-pre-norm"})})
_IN_LAYERS = (_SCALE, _ACTIVATION, _GATED, *_IN_SUBLAYERS)
RESIDUAL = (_PLACE, _DROPOUT, *_IN_SUBLAYERS)
ENCODER_LAYER = (_PLACE, _DROPOUT, Settled("causal", words="modules.causal"), _ROTARY, *_IN_LAYERS)
DECODER_LAYER = (_PLACE, _DROPOUT, Settled("decoder.causal"), *_IN_LAYERS)


def last_norm(*stacks: str) -> Settled:
    """Whether the stacks end with a norm."""
    values = {here: {f"{stack}.final_norm": here for stack in stacks} for here in (True, False)}
    return Settled("last_norm", {"free": {}, **values}, words="modules.last_norm")


_EMBEDDING_SCALE = Settled("embedding_scale", words="modules.embedding_scale")
EMBEDDING = (_EMBEDDING_SCALE,)
ADDED_POSITIONS = Settled("added_positions", words="modules.added_positions")
POSITIONS = (Settled("layout"), Settled("exponents"), Settled("first_position"), Settled("base"))
_RETURNED = Settled("output", words="modules.output")
_TABLES = Settled("tables", drops={"one": frozenset({"trf-one-table-for-both"})})
_FLAT = Settled("flat")
_FIRST_NORM = Settled("embedding_norm")
_LEARNED = Settled("learned_positions", words="modules.learned_positions")
_LEARNED_OR_NOT = Settled("positions_added.learned_positions", words="modules.learned_positions_added")
_PADDING = Settled(
    "pad_id",
    {"none": {}},
    numbers=lambda pad: {"trf.own_padding": "src tgt", "trf.pad": int(pad)},
    words="modules.pad_id",
)
_PADDED = Settled("pad_hidden", drops={sides: frozenset({"trf-hides-an-id-by-itself"}) for sides in ("both", "source")})
MODEL = (
    Settled("moves"),
    _FLAT,
    _PADDING,
    _PADDED,
    _FIRST_NORM,
    _LEARNED,
    _PLACE,
    last_norm("encoder", "decoder"),
    *_IN_LAYERS,
    *EMBEDDING,
    *POSITIONS,
    _RETURNED,
    _TABLES,
)


_PADDING_IN_STACK = replace(_PADDING, words="", passing="ids")
LANGUAGE_MODEL = (
    Settled("language_model.rotary", words="modules.rotary", brings="multi_head_attention"),
    _FLAT,
    _FIRST_NORM,
    _LEARNED_OR_NOT,
    _PLACE,
    Settled("language_model.causal"),
    last_norm("encoder"),
    *_IN_LAYERS,
    *EMBEDDING,
    *POSITIONS,
    _RETURNED,
    _PADDING_IN_STACK,
)
EMBEDDED = tuple(
    replace(one, passing="ids")
    for one in (*EMBEDDING, *POSITIONS, _FIRST_NORM, _LEARNED_OR_NOT, Settled("given_ids.output"), _PADDING_IN_STACK)
)
"""What a course settles of a stack that embeds ids itself."""
PADDED_SOURCE = replace(_PADDED, drops={}, passing="src")
"""The same of a decoder that is given the ids of the source, too."""


def free_under(free: Sequence[Knobs], right: Knobs, beside: Iterable[str] = ()) -> tuple[Knobs, ...]:
    """The free settings with those that are right in each; what is settled is not free any more.

    Of the settings ``beside`` the paper's are right as well.
    """
    found: list[Knobs] = []
    usual = {name: setting for name, setting in right.items() if name not in {*beside}}
    for settled, knobs in itertools.product((right, usual), free):
        both = {name: setting for name, setting in {**knobs, **settled}.items() if setting is not False}
        if both not in found:
            found.append(both)
    return tuple(found)


def faults_under(
    component: str, faults: Sequence[Misconception], settled: tuple[Settled, ...], said: Mapping[str, Any]
) -> tuple[Misconception, ...]:
    """The mistakes under what is declared: other conventions first, then those that are none of this course's."""
    brought = [one for one, value in declared(settled, said) if one.brings and value != one.convention.default]
    more = chain.from_iterable(known_under(one.brings, one.key) for one in brought)
    others, left = mistakes_under(component, (*more, *faults), settled, said)
    say = rewording(settled, said)
    turned = [
        replace(one, knobs={name: None if setting is False else setting for name, setting in one.knobs.items()})
        for one in others
    ]
    return (*turned, *(reworded(one, say) for one in left))


_BATCH = Settled("batch", words="modules.batch")
_BACKEND = Settled("modules.backend", words="modules.backend")

_MASK = Settled("mask", words="modules.mask", drops={"additive": frozenset({"sdpa-mask-added"})})
_MASK_REQUIRED = Settled("mask_required", drops={True: frozenset({"trf-not-causal"})}, drops_with="tgt_mask")


def declarable(parameters: Sequence[str]) -> tuple[Settled, ...]:
    """The conventions of a block that is called with ``parameters``."""
    made = map(Settled, ("constructor", "config", "config_class", "sizes", "float64"))
    masked = map(Settled, ("mask_type", "mask_hides", "mask_shapes"))
    found = [Settled("form", {"class": {}}), *made, _BACKEND, _BATCH]
    found += (_MASK, _MASK_REQUIRED, *masked) if any("mask" in name for name in parameters) else ()
    return tuple(found)
