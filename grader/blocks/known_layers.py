"""Known mistakes in add-and-norm, encoder layer and decoder layer (section 3.1, figure 1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from grader.blocks.faults import Fault, family
from grader.blocks.known_attention import applies_a_mask

_FIGURE = "section 3.1 and figure 1"
RESIDUAL = (
    "Set the sublayer to zero. What should come out?",
    "Follow the arrow that goes around the sublayer in figure 1.",
    "Each sublayer is wrapped as LayerNorm(x + Sublayer(x)), with x the input of that very sublayer.",
)
NORM = (
    "In LayerNorm(x + Sublayer(x)), what stands inside the brackets?",
    "Which of your norms is called, and on what?",
    "The norm is applied to the sum of the residual and the sublayer's output, after every sublayer.",
)
_RESULT = (
    "Does any line after the sublayer read its result?",
    "Follow each variable from where it is set to where it is used.",
    "The result of Add & Norm is the input of the next sublayer.",
)
READS = (
    "Change a weight of the attention. Does the input of the feed-forward network move?",
    "Look at what is handed to the feed-forward network: the newest variable, or the argument of forward?",
    "Sublayers stand one behind the other in figure 1: each reads what the Add & Norm before it gave.",
)
ORDER = (
    "Read the boxes of figure 1 from bottom to top.",
    "Compare the order of your sublayers with the figure.",
    "An encoder layer is self-attention, then feed-forward; a decoder layer attends to the memory in between.",
)


def _of_each_stage(
    kind: str,
    stages: int,
    id: str,
    knob: str,
    setting: str,
    all_of: str,
    one_of: str,
    words: tuple[str, str, str],
    component: str,
) -> Iterator[Fault]:
    """The mistake at all stages of a layer, then at each alone."""
    make = family(component, _FIGURE)
    yield make(id, all_of, *words, **{f"{kind}.{knob}.{number}": setting for number in range(1, stages + 1)})
    if stages > 1:
        for number in range(1, stages + 1):
            yield make(
                id,
                one_of.format(("first", "second", "third")[number - 1]),
                *words,
                **{f"{kind}.{knob}.{number}": setting},
            )


def wrapping(kind: str, stages: int, prefix: str, component: str) -> tuple[Fault, ...]:
    """Mistakes of residual sum and norm."""
    rows: tuple[tuple[str, str, str, str, str, tuple[str, str, str]], ...] = (
        (
            "missing-residual",
            "residual",
            "none",
            "There is no residual connection.",
            "The {} sublayer has no residual connection.",
            RESIDUAL,
        ),
        (
            "residual-twice",
            "residual",
            "twice",
            "The residual is added twice.",
            "The {} residual is added twice.",
            RESIDUAL,
        ),
        (
            "residual-subtracted",
            "residual",
            "minus",
            "The residual is subtracted.",
            "The {} residual is subtracted.",
            RESIDUAL,
        ),
        (
            "norm-on-sublayer-only",
            "norm",
            "sublayer",
            "Only the sublayer's output is normalised, before it is added: x + LayerNorm(Sublayer(x)).",
            "The {} norm is applied to the sublayer's output only, before it is added.",
            NORM,
        ),
        (
            "norm-on-residual-only",
            "norm",
            "residual",
            "Only the residual is normalised: LayerNorm(x) + Sublayer(x).",
            "The {} norm is applied to the residual only.",
            NORM,
        ),
        ("layernorm-unused", "norm", "none", "The norms are never applied.", "The {} norm is never applied.", NORM),
        (
            "pre-norm",
            "norm",
            "pre",
            "The norm comes before the sublayer (pre-norm) where the paper has it after the sum.",
            "The {} norm comes before its sublayer where the paper has it after the sum.",
            NORM,
        ),
        (
            "norm-before-both",
            "norm",
            "pre_residual",
            "The input is normalised before sublayer and residual, and the sum is not.",
            "The {} norm is applied to the input of sublayer and residual instead of to their sum.",
            NORM,
        ),
        *(
            (
                "norm-before-and-after",
                "norm",
                place,
                "Each sublayer is normalised before and after: its input, and the sum.",
                "The {} norm is applied to its sublayer's input as well as to the sum.",
                NORM,
            )
            for place in ("around", "around, for each")
        ),
        ("norm-twice", "norm", "twice", "Each norm is applied twice.", "The {} norm is applied twice.", NORM),
        (
            "sublayer-result-discarded",
            "result",
            "without_sublayer",
            "The sublayers' results are not added.",
            "The {} sublayer's result is not added.",
            _RESULT,
        ),
    )
    return tuple(
        fault
        for name, knob, setting, all_of, one_of, words in rows
        for fault in _of_each_stage(kind, stages, f"{prefix}-{name}", knob, setting, all_of, one_of, words, component)
    )


def in_both_stacks() -> tuple[Fault, ...]:
    """The same mistake of residual sum and norm in every sublayer of encoder and decoder: one class wraps them all."""
    encoder = (fault for fault in wrapping("enc", 2, "enc", "encoder_layer") if len(fault.knobs) > 1)
    decoder = (fault for fault in wrapping("dec", 3, "dec", "decoder_layer") if len(fault.knobs) > 1)
    return tuple(
        replace(
            one, title=f"{one.title.rstrip('.')}, in encoder and decoder alike.", knobs={**one.knobs, **other.knobs}
        )
        for one, other in zip(encoder, decoder, strict=True)
    )


_enc = family("encoder_layer", _FIGURE)
_dec = family("decoder_layer", _FIGURE)
_MASK_PASSED = (
    "Trace the mask argument. Where does it end?",
    "Look at the call of attention inside the layer.",
    "A mask that is not handed on hides nothing.",
)

ADD_NORM: tuple[Fault, ...] = wrapping("enc", 1, "enc", "add_norm")


def discarded(make: Any, kind: str, prefix: str, stages: int) -> tuple[Fault, ...]:
    """A stage whose result is computed and not used, for each stage."""
    return tuple(
        make(
            f"{prefix}-sublayer-result-discarded",
            f"The result of the {word} Add & Norm is computed and not used.",
            *_RESULT,
            **{f"{kind}.result.{number}": "discarded"},
        )
        for number, word in list(enumerate(("first", "second", "third"), start=1))[:stages]
    )


ENCODER_LAYER: tuple[Fault, ...] = (
    _enc(
        "enc-ffn-residual-from-block-input",
        "The second residual adds the layer's input instead of the attention block's output.",
        "Follow the arrow into the second Add & Norm of figure 1. Where does it start?",
        RESIDUAL[1],
        RESIDUAL[2],
        enc__residual__2="block",
    ),
    _enc(
        "enc-ffn-reads-block-input",
        "The feed-forward network reads the layer's input instead of the attention block's output.",
        *READS,
        enc__input__2="block",
    ),
    *wrapping("enc", 2, "enc", "encoder_layer"),
    *discarded(_enc, "enc", "enc", 2),
    _enc(
        "encoder-mask-not-passed",
        "The layer takes a mask and does not hand it to attention.",
        *_MASK_PASSED,
        twin_told=applies_a_mask,
        enc__mask_dropped=True,
    ),
    _enc(
        "enc-ffn-before-attention",
        "The feed-forward network comes before self-attention.",
        *ORDER,
        enc__order=("feed_forward", "self_attention"),
    ),
    _enc("enc-missing-feed-forward", "There is no feed-forward sublayer.", *ORDER, enc__order=("self_attention",)),
    _enc("enc-missing-attention", "There is no self-attention sublayer.", *ORDER, enc__order=("feed_forward",)),
    _enc(
        "enc-residual-around-layer",
        "The layer's input is added once more at the end.",
        *RESIDUAL,
        enc__final_residual=True,
    ),
)

LAYER_SIGNS: tuple[Fault, ...] = (
    _enc(
        "encoder-inplace-residual",
        "The residual is added in place, so that the caller's tensor changes.",
        "Clone the input, run the layer, compare.",
        "An operator such as += on an argument writes into it: use x = x + …",
        "The caller may need its tensor again, and autograd refuses when it does.",
    ),
    _enc(
        "enc-dropout-after-norm",
        "Dropout acts after Add & Norm, so that the residual path is dropped as well.",
        "With a rate of 1 the sublayers vanish. What should be left?",
        "Look at where dropout stands in relation to the sum.",
        "Section 5.4 drops the sublayer's output before it is added and normalised.",
    ),
    _enc(
        "enc-residual-dropped",
        "Dropout acts on the residual path: on the sum before its norm, or on the block's input.",
        "With a rate of 1 the sublayers vanish. What should be left?",
        "What stands inside the brackets of your dropout: the sublayer's output alone, or x + … as well?",
        "Section 5.4 drops the sublayer's output before it is added: LayerNorm(x + dropout(Sublayer(x))).",
    ),
    _enc(
        "enc-one-norm-for-all",
        "Sublayers share one norm.",
        "How many gains does a layer have?",
        "Look at which norm each sublayer uses.",
        "Every Add & Norm of figure 1 has a norm of its own.",
    ),
    _dec(
        "dec-one-attention-for-both",
        "Self-attention and attention to the memory share their weights.",
        "How many attentions has a decoder layer?",
        "Look at which module each of the two calls.",
        "The two attentions have weights of their own.",
    ),
)


def sharing(one: str, other: str) -> str:
    """Which mistake it is when two sublayers hold the same parameters; empty where that is free."""
    paths = one.split("."), other.split(".")
    if any(path[-1] == "norm" for path in paths):
        return ""  # final norms are free, and so is one for both stacks
    if {path[0] for path in paths} == {"encoder", "decoder"}:
        return "trf-stacks-share-weights"
    if paths[0][:-1] != paths[1][:-1]:
        return "trf-layers-share-weights"
    return (
        "enc-one-norm-for-all" if all(path[-1].startswith("norm") for path in paths) else "dec-one-attention-for-both"
    )
