"""The whole Transformer (figure 1) as a torch module: checks and misconceptions."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.blocks import checks_model as whole
from grader.blocks import faults, settled
from grader.blocks.around_stacks import AROUND_STACKS
from grader.blocks.checks import bundle, equality
from grader.blocks.checks_calls import manners
from grader.blocks.checks_dropout import off_in_evaluation
from grader.blocks.checks_parameters import gradient, own_parameters, registered
from grader.blocks.depth import of_its_depth
from grader.blocks.examine import Block
from grader.blocks.inputs import causal, mixed_mask, stack_shapes
from grader.blocks.mask_axes import Axes, drawn, in_axes, told_axes
from grader.blocks.pairs import shown_by_masks
from grader.blocks.programs import Making
from grader.blocks.sizes import Sizes
from grader.component.calls import Case
from grader.paper.stacks import transformer as model
from grader.paper.sublayers import Knobs
from grader.paper.weights import Array, Roles


def compute(weights: Roles, inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs) -> Array:
    """The model with knobs."""
    return model(
        inputs["src"],
        inputs["tgt"],
        weights,
        sizes.num_heads,
        sizes.num_layers,
        inputs.get("src_mask"),
        inputs.get("tgt_mask"),
        {"trf.rows": sizes.max_len, **knobs},
    )


def shapes(sizes: Sizes) -> dict[str, tuple[int, ...]]:
    """Tables, stacks and generator."""
    d = sizes.d_model
    return {
        "src_table": (sizes.src_vocab, d),
        "tgt_table": (sizes.tgt_vocab, d),
        "generator.w": (d, sizes.tgt_vocab),
        "generator.b": (sizes.tgt_vocab,),
        **stack_shapes(sizes, "enc", "encoder."),
        **stack_shapes(sizes, "dec", "decoder."),
    }


def cases(rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
    """Without masks, with each alone, and sequences of max_len."""
    sizes = making.sizes
    src = rng.integers(0, sizes.src_vocab, size=(sizes.batch, sizes.m))
    tgt = _begun(rng.integers(0, sizes.tgt_vocab, size=(sizes.batch, sizes.n)), making)
    src[0, 1] = tgt[0, 1] = making.padding  # an id that some take for padding, and hide unasked
    none = {"src_mask": None, "tgt_mask": None}
    shared = min(sizes.src_vocab, sizes.tgt_vocab)  # below it are the ids that either table holds
    early = np.zeros(tgt.shape, dtype=bool)
    early[:, : sizes.n // 2] = True
    later = np.where(early, tgt, (tgt + 1 + rng.integers(0, shared - 1, size=tgt.shape)) % shared)
    first = _begun(np.where(np.arange(sizes.n) == 0, (tgt + 1) % shared, tgt), making)
    opened = {"src": src, "tgt": tgt, **none}
    found = [
        Case(
            {"src": src[:, : sizes.n], "tgt": _begun(tgt[::-1] % shared, making), **none},
            "no masks, equal lengths",
            key="even",
        ),
        Case(
            opened,
            "no masks, source longer than target",
            key="open",
            blocked=({**opened, "tgt": later}, early),
            kept=({**opened, "tgt": first}, ~early),
        ),
    ]
    found += _source_cases(rng, making, src, tgt)
    seen = _target_mask(rng, making)
    masked = {"src": src, "tgt": tgt, "src_mask": None, "tgt_mask": seen}
    found.append(
        Case(
            masked,
            f"a target mask {told_axes(seen)}",
            key="tgt",
            plain=False,
            blocked=({**masked, "tgt": later}, early),
            kept=({**masked, "tgt": first}, ~early),
        )
    )
    return (
        *found,
        Case(
            {
                "src": rng.integers(0, sizes.src_vocab, size=(1, sizes.max_len)),
                "tgt": _begun(rng.integers(0, sizes.tgt_vocab, size=(1, sizes.max_len)), making),
                **none,
            },
            "sequences of max_len",
            key="full",
            plain=False,
        ),
    )


def _begun(tgt: Array, making: Making) -> Array:
    """The target without padding at its front, where a model that hides padding leaves the first row no key at all."""
    other = (making.padding + 1) % min(making.sizes.src_vocab, making.sizes.tgt_vocab)
    return np.where((np.arange(tgt.shape[1]) == 0) & (tgt == making.padding), other, tgt)


def _for_both(making: Making) -> list[Axes]:
    """The promised shapes of a source mask that both its attentions can take: queries have no axis of their own."""
    return [axes for axes in making.axes("src_mask") if "n" not in "".join(axes)]


def _source_cases(rng: np.random.Generator, making: Making, src: Array, tgt: Array) -> list[Case]:
    """The call with a source mask, where the hand-out promises a shape that both its attentions can take."""
    if making.axes("src_mask") and not _for_both(making):
        return []
    source, sizes = _source_mask(rng, making), making.sizes
    hidden = ~mixed_mask(source, sizes.batch, sizes.m, sizes.m).any(axis=1)
    masked = {"src": src, "tgt": tgt, "src_mask": source, "tgt_mask": None}
    other = (src + 1) % sizes.src_vocab
    everywhere = np.ones(tgt.shape, dtype=bool)
    return [
        Case(
            masked,
            f"a source mask {told_axes(source)}",
            key="src",
            plain=False,
            blocked=({**masked, "src": np.where(hidden, other, src)}, everywhere),
            kept=({**masked, "src": other}, everywhere),
        )
    ]


def _source_mask(rng: np.random.Generator, making: Making) -> Array:
    """A mask of keys, ``(batch, 1, 1, n_src)``, or of the first shape that the hand-out promises."""
    sizes = making.sizes
    if promised := _for_both(making):
        return drawn(rng, promised[0], (sizes.batch, sizes.num_heads, sizes.m, sizes.m))
    shown = np.ones((sizes.batch, 1, 1, sizes.m), dtype=bool)
    shown[0, ..., -2:], shown[1, ..., 1:4] = False, False
    return shown


def _target_mask(rng: np.random.Generator, making: Making) -> Array:
    """Causal, and for one sample another position hidden, ``(batch, 1, n_tgt, n_tgt)`` or as the hand-out promises.

    Where it promises masks of keys alone they hide padding, which the first token never is.
    """
    sizes, promised = making.sizes, making.axes("tgt_mask")
    lengths = (sizes.batch, sizes.num_heads, sizes.n, sizes.n)
    square = [axes for axes in promised if "n" in "".join(axes)]
    if promised and not square:
        return drawn(rng, promised[0], lengths, first=True)
    seen = np.array(np.broadcast_to(causal(sizes.n), (sizes.batch, 1, sizes.n, sizes.n)))
    if not square or {"b", "m"} <= {*"".join(square[0])}:
        seen[0, 0, 2:, 1] = False
    return in_axes(seen if "b" in "".join(square[0]) else seen[:1], square[0], lengths) if square else seen


component = Block(
    "transformer",
    "The whole Transformer",
    "section 3 and figure 1",
    "Transformer",
    ("src_vocab", "tgt_vocab", "d_model", "num_heads", "num_layers", "d_ff", "max_len", "dropout"),
    ("src", "tgt", "src_mask", "tgt_mask"),
    compute,
    shapes,
    cases,
    bundle(
        of_its_depth(
            equality(
                "computes_figure_1",
                "Embeddings, encoder, decoder and generator are put together as in figure 1",
                ["open", "even"],
                owns=lambda knob, setting: not whole.charged_elsewhere(knob, setting),
                padding=True,
            )
        ),
        whole.scales_embeddings(),
        equality(
            "positions_matter",
            "The table of sines is added to the embeddings on both sides",
            ["open", "even"],
            owns=whole.about_positions,
            unread=whole.order_matters,
        ),
        whole.works_up_to_max_len(),
        equality(
            "causal_without_a_mask",
            "Where no target mask is given, no position sees a later one",
            ["open"],
            masks=True,
            owns=lambda knob, _: knob == "trf.causal",
            needs=lambda making: not (making.mask_required and making.passes("tgt_mask")),
        ),
        equality(
            "target_mask_is_used",
            "A target mask acts in the decoder's self-attention",
            ["tgt"],
            masks=True,
            owns=shown_by_masks,
        ),
        equality(
            "source_mask_is_used",
            "The source mask acts in the encoder and in attention to the memory",
            ["src"],
            masks=True,
            owns=whole.about_source_mask,
        ),
        whole.returns_logits(),
        whole.table_is_fixed(),
        whole.table_moves(),
        own_parameters("Layers and stacks have parameters of their own", faults.sharing),
        registered("trf-layers-in-plain-list", norms=True),
        off_in_evaluation(),
        gradient(),
        manners(any_memory=False),
    ),
    faults.chained(
        AROUND_STACKS,
        faults.known("encoder", "decoder"),
        faults.known("decoder_layer", of="decoder"),
        faults.in_both_stacks(),
        faults.among(  # a whole model tells which of its own lines hands no mask on
            faults.known("encoder_layer", "decoder_layer", *faults.SUBLAYERS),
            lambda fault: "enc.mask_dropped" not in fault.knobs,
        ),
    ),
    (*faults.OF_WEIGHTS, *faults.OF_MODELS, *faults.OF_LAYERS, *faults.OF_DROPOUT, *faults.EVERYWHERE),
    free=(
        {},
        {"encoder.final_norm": True, "decoder.final_norm": True},
        {"encoder.final_norm": True},
        {"decoder.final_norm": True},
    ),
    cost=8,
    fixed_positions=True,
    causal_alone=True,
    settled=settled.MODEL,
)
