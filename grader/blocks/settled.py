"""What a course can settle of the torch blocks: which knobs of the paper each value of a convention turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from grader.component import conventions
from grader.component.checks import Misconception
from grader.component.convention import Convention, Settled, of_paper, rewording
from grader.judging.settling import mistakes_under, reworded
from grader.paper.sublayers import Knobs

NORM_PLACE = Convention(
    "norm",
    "where the layer normalisation stands",
    {
        "post": "the norm after each residual sum",
        "pre": "the norm before each sublayer",
        "either": "the norm in either place, kept throughout",
    },
    "post",
    settings={"pre": {"stack.norm": "pre"}},
)
MOVES = Convention(
    "moves",
    "whether a model runs on another device, too",
    {True: "models that follow to another device whole", False: "models that stay where they are made"},
    default=True,
)
GATED = Convention(
    "gated",
    "whether a third map gates the inner layer",
    {False: "two maps, as in equation 2", True: "a gate: the activation's answer times a third map of x (GLU, SwiGLU)"},
    default=False,
)
ROTARY = Convention(
    "rotary",
    "how queries and keys are turned by their positions inside the attention",
    {
        "none": "queries and keys as they are projected",
        "interleaved": "queries and keys turned by their positions, each feature with its neighbour (RoPE)",
        "halves": "queries and keys turned by their positions, each feature with one of the other half (RoPE)",
    },
    "none",
)
DROPOUT = Convention(
    "dropout_place",
    "where dropout acts in training",
    {
        "sublayer": "dropout as in section 5.4, which leaves the residual path alone",
        "free": "dropout wherever the student puts it",
        "none": "no dropout here, whatever rate the constructor is given",
    },
    "sublayer",
    rare=("none",),
    doubtful=("free",),
)
PADDING = Convention(
    "pad_id",
    "the id of padding that a model hides by itself where it is given no mask",
    {"none": "no id that is hidden unasked"},
    "none",
    number="id {:g} as padding that the model hides by itself",
)
_ACTIVATION = of_paper(
    conventions.ACTIVATION,
    words={
        value: {"max(0, x W_1 + b_1)": f"{name}(x W_1 + b_1)", "max(0, ...)": f"{name}(...)", "ReLU": name}
        for value, name in conventions.ACTIVATIONS.items()
    },
)
_DEVIATION = of_paper(conventions.DEVIATION, words="modules.deviation")
_EPS_PLACE = of_paper(conventions.EPS_PLACE, words="modules.eps_place")
_CENTRED = of_paper(conventions.CENTRED, words="layer_norm.centred")
_AFFINE = of_paper(conventions.AFFINE, words="modules.affine")
NORM = (_DEVIATION, _EPS_PLACE, _CENTRED, _AFFINE)
_IN_SUBLAYERS = (_DEVIATION, _CENTRED, _AFFINE)  # where eps stands shows in a norm alone

_SCALE = of_paper(conventions.SCALE)
_OUTPUT = of_paper(
    Convention(
        "output_projection",
        "where the output projection W^O stands",
        {True: "an output projection inside", False: "no output projection"},
        default=True,
        rare=(False,),
        settings={False: {"mha.output": "none"}},
    )
)
_INPUTS = of_paper(
    Convention(
        "input_projections",
        "where queries, keys and values are projected",
        {True: "projections of queries, keys and values inside", False: "queries, keys and values that come projected"},
        default=True,
        rare=(False,),
        settings={False: {"mha.unprojected": "qkv"}},
    )
)
_AROUND = Convention(
    "around",
    "what the class holds around its sublayer",
    {
        "nothing": "the sublayer alone",
        "residual": "the sublayer with its residual sum",
        "norm": "the sublayer with its residual sum and norm",
        "norm_first": "the sublayer with a norm in front of it and its residual sum",
    },
    "nothing",
)


def _around(knob: str) -> Settled:
    norms = {place: {knob: place} for place in ("norm", "norm_first")}
    return Settled(_AROUND, {"nothing": {}, "residual": {knob: True}, **norms})


UNEVEN = Settled(
    Convention(
        "refuses_uneven_heads",
        "whether heads that do not divide d_model are refused",
        {
            True: "an error (ValueError, or an assert that fails) where the heads do not divide d_model",
            False: "heads of which nothing is said",
        },
        default=True,
    )
)
_ROTARY = Settled(
    ROTARY, {"none": {}, "interleaved": {"mha.rotary": "interleaved"}, "halves": {"mha.rotary": "halves"}}
)
ATTENTION = (_ROTARY, _around("mha.residual"), UNEVEN, _SCALE, of_paper(conventions.CAUSAL), _OUTPUT, _INPUTS)
_DROPOUT = Settled(DROPOUT, words="modules.dropout_place")
_GATED = Settled(
    GATED, {False: {}, True: {"ffn.gated": True}}, words="modules.gated", drops={True: frozenset({"ffn-gated"})}
)
FEED_FORWARD = (_ACTIVATION, _GATED, _around("ffn.residual"), _DROPOUT)

_PLACE = of_paper(NORM_PLACE, words="modules.norm")
_LAST_NORM = Convention(
    "last_norm",
    "whether a norm stands after the last layer",
    {"free": "a last norm or none", True: "a norm after the last layer", False: "no norm after the last layer"},
    "free",
)
_IN_LAYERS = (_SCALE, _ACTIVATION, _GATED, *_IN_SUBLAYERS)
RESIDUAL = (_PLACE, _DROPOUT, *_IN_SUBLAYERS)
ENCODER_LAYER = (_PLACE, _DROPOUT, of_paper(conventions.CAUSAL, words="modules.causal"), _ROTARY, *_IN_LAYERS)
DECODER_LAYER = (
    _PLACE,
    _DROPOUT,
    Settled(conventions.CAUSAL, {False: {}, True: {"dec.forced_causal": "always"}}),
    *_IN_LAYERS,
)


def last_norm(*stacks: str) -> Settled:
    """Whether the stacks end with a norm."""
    values = {here: {f"{stack}.final_norm": here for stack in stacks} for here in (True, False)}
    return Settled(_LAST_NORM, {"free": {}, **values}, words="modules.last_norm")


_EMBEDDING_SCALE = of_paper(conventions.EMBEDDING_SCALE, words="modules.embedding_scale")
EMBEDDING = (_EMBEDDING_SCALE,)
_POSITIONS = Settled(
    conventions.LAYOUT,
    {
        "interleaved": {},
        "halves": {"pe.layout": "halves"},
        "tensor2tensor": {"pe.layout": "halves", "pe.exponent": "2i/(d-2)"},
    },
)
ADDED_POSITIONS = of_paper(
    Convention(
        "added_positions",
        "which positions the embedding adds",
        {
            "none": "the rows of the ids alone",
            "interleaved": "the rows of the positions added, sines and cosines in turn or a table that is trained",
            "halves": "the rows of the positions added, all sines first and all cosines last",
        },
        "none",
        settings={"interleaved": {"trf.pe": "added"}, "halves": {"trf.pe": "added", "pe.layout": "halves"}},
    ),
    words={
        order: {"The row of each id,": "Beside the row of its position, the row of each id,"}
        for order in ("interleaved", "halves")
    },
)
POSITIONS = (
    _POSITIONS,
    of_paper(conventions.EXPONENTS),
    of_paper(conventions.FIRST_POSITION),
    of_paper(conventions.BASE),
)
_RETURNED = of_paper(
    Convention(
        "output",
        "what the model returns",
        {
            "logits": "logits",
            "log_probabilities": "logarithms of probabilities",
            "probabilities": "probabilities",
            "hidden": "the vectors, before any output layer",
        },
        "logits",
        rare=("probabilities",),
        settings={
            "log_probabilities": {"trf.output": "log_probabilities"},
            "probabilities": {"trf.output": "probabilities"},
            "hidden": {"trf.generator": "none"},
        },
    ),
    words="modules.output",
)
_TABLES = of_paper(
    Convention(
        "tables",
        "how many tables the model embeds with",
        {"two": "a table for each language", "one": "one table for both languages"},
        "two",
        settings={"one": {"trf.src_table": "tgt_table"}},
    ),
    drops={"one": frozenset({"trf-one-table-for-both"})},
)
_FLAT = Settled(
    Convention(
        "flat",
        "the axes of what the model returns",
        {False: "an axis for samples and one for positions", True: "samples and positions in one axis"},
        default=False,
    )
)
_FIRST_NORM = of_paper(
    Convention(
        "embedding_norm",
        "whether a norm stands before the first layer",
        {False: "no norm before the first layer", True: "a norm of the embeddings before the first layer"},
        default=False,
        settings={True: {"trf.first_norm": True}},
    )
)
_LEARNED = Settled(
    Convention(
        "learned_positions",
        "whether the table of positions is trained",
        {False: "a table of sines, which stays as it is", True: "a table that is trained"},
        default=False,
    ),
    words="modules.learned_positions",
)
_LEARNED_OR_NOT = Settled(
    replace(
        _LEARNED.convention,
        values={**_LEARNED.convention.values, "free": "a table of sines, or one that is trained"},
        default="free",
    ),
    words="modules.learned_positions_added",
)
_PADDING = Settled(
    PADDING,
    {"none": {}},
    number=lambda pad: {"trf.own_padding": "src tgt", "trf.pad": int(pad)},
    words="modules.pad_id",
)
_PADDED = of_paper(
    Convention(
        "pad_hidden",
        "in which sequences a model hides padding by itself, the id 0 where `pad_id` says no other",
        {
            "none": "no id that is hidden unasked",
            "both": "padding that the model hides in the source and in the target",
            "source": "padding that the model hides in the source alone",
        },
        "none",
        settings={"both": {"trf.own_padding": "src tgt"}, "source": {"trf.own_padding": "src"}},
    ),
    drops={sides: frozenset({"trf-hides-an-id-by-itself"}) for sides in ("both", "source")},
)
MODEL = (
    Settled(MOVES),
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


_OF_STACK = Settled(
    replace(_RETURNED.convention, title="what a stack returns that embeds ids itself", default="hidden"),
    {
        "hidden": {},
        "logits": {"stack.output": "logits"},
        "log_probabilities": {"stack.output": "log_probabilities"},
        "probabilities": {"stack.output": "probabilities"},
    },
)
LANGUAGE_MODEL = (
    Settled(
        ROTARY,
        {"none": {}, **{pairs: {"mha.rotary": pairs, "trf.pe": "none"} for pairs in ("interleaved", "halves")}},
        words="modules.rotary",
    ),
    _FLAT,
    _FIRST_NORM,
    _LEARNED_OR_NOT,
    _PLACE,
    Settled(replace(conventions.CAUSAL, default=True), {True: {}, False: {"trf.causal": "none"}}),
    last_norm("encoder"),
    *_IN_LAYERS,
    *EMBEDDING,
    *POSITIONS,
    _RETURNED,
)
EMBEDDED = tuple(
    replace(one, passing="ids") for one in (*EMBEDDING, *POSITIONS, _FIRST_NORM, _LEARNED_OR_NOT, _OF_STACK)
)
"""What a course settles of a stack that embeds ids itself."""


def free_under(free: Sequence[Knobs], right: Knobs) -> tuple[Knobs, ...]:
    """The free settings with those that are right in each; what is settled is not free any more."""
    found: list[Knobs] = []
    for knobs in free:
        both = {name: setting for name, setting in {**knobs, **right}.items() if setting is not False}
        if both not in found:
            found.append(both)
    return tuple(found)


def faults_under(
    component: str, faults: Sequence[Misconception], settled: tuple[Settled, ...], said: Mapping[str, Any]
) -> tuple[Misconception, ...]:
    """The mistakes under what is declared: other conventions first, then those that are none of this course's."""
    others, left = mistakes_under(component, faults, settled, said)
    say = rewording(settled, said)
    turned = [
        replace(one, knobs={name: None if setting is False else setting for name, setting in one.knobs.items()})
        for one in others
    ]
    return (*turned, *(reworded(one, say) for one in left))
