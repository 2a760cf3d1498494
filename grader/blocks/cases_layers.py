"""The calls by which layers and stacks are compared with the paper."""

from dataclasses import replace

import numpy as np

from grader.blocks.cases_steep import FAR, SAMPLES, lone, steep
from grader.blocks.inputs import causal, masks_for, mixed_mask
from grader.blocks.mask_axes import Shaped, drawn, everything, told_axes
from grader.blocks.programs import Making
from grader.blocks.sizes import Sizes
from grader.component.calls import Case
from grader.paper.weights import Array


def encoder_cases(rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
    """Without a mask, then with masks of 2 and 4 axes, or of every shape that the hand-out promises."""
    sizes = making.sizes
    x = rng.normal(size=(sizes.batch, sizes.m, sizes.d_model))
    found = [
        Case({"x": x, "mask": None}, "no mask", key="open"),
        Case(
            {"x": 2 * rng.normal(size=(3, sizes.n, sizes.d_model)), "mask": None},
            "another batch and length, no mask",
            key="short",
        ),
    ]
    masks = masks_for(rng, making, sizes.m, sizes.m)
    asked = masks if making.axes() else ("mask_2", "mask_4")
    found += [_masked_encoder(name, x, masks[name], rng) for name in asked]
    return tuple(found)


def encoder_layer_cases(rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
    """The same, and huge scores; a mask of 3 axes where the hand-out does not say which masks there are."""
    sizes, found = making.sizes, encoder_cases(rng, making)
    if not making.axes():
        x, mask = found[0].inputs["x"], masks_for(rng, making, sizes.m, sizes.m)["mask_3"]
    far = FAR * rng.normal(size=(SAMPLES, 3, sizes.d_model))
    if not making.axes():
        found = (*found, replace(_masked_encoder("mask_3", x, mask, rng), may_be_refused=True))
    return (*found, *steep({"x": far, "mask": lone(rng, 3, 3, causal=making.said.get("causal", False))}, making))


def _masked_encoder(name: str, x: Array, mask: Array, rng: np.random.Generator) -> Case:
    batch, n, _ = x.shape
    seen = mixed_mask(mask, batch, n, n)
    never = np.logical_not(np.any(seen, axis=1, keepdims=True)[:, 0])
    noise = rng.normal(size=x.shape)
    inputs = {"x": x, "mask": mask}
    row = np.zeros((batch, n), dtype=bool)
    row[:, 0] = True
    others = np.where(row[..., None], x, x + noise)
    return Case(
        inputs,
        f"a mask {told_axes(mask)}",
        key=name,
        plain=False,
        blocked=({**inputs, "x": np.where(never[..., None], x + 3 * noise, x)}, ~never),
        kept=({**inputs, "x": others}, row),
    )


def decoder_cases(rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
    """Without masks, with each alone, with both; then equal lengths, where swapped masks raise nothing."""
    sizes = making.sizes
    x = rng.normal(size=(sizes.batch, sizes.n, sizes.d_model))
    memory = rng.normal(size=(sizes.batch, sizes.m, sizes.d_model))
    same = rng.normal(size=(sizes.batch, sizes.n, sizes.d_model))
    none = {"src_mask": None, "tgt_mask": None}
    source = _source(rng, making, sizes.m)
    even = _source(rng, making, sizes.n)
    found = [
        Case({"x": same, "memory": 2 * rng.normal(size=same.shape), **none}, "no masks, equal lengths", key="even"),
        Case({"x": x, "memory": memory, **none}, "no masks, source longer than target", key="open"),
    ]
    targets = _targets(rng, making)
    for key, mask, read in zip(("tgt", "tgt_even"), targets, (memory, same), strict=True):
        found.append(_masked_decoder(key, {"x": x, "memory": read, "src_mask": None, "tgt_mask": mask}, rng))
    found.append(_masked_decoder("src", {"x": x, "memory": memory, "src_mask": source, "tgt_mask": None}, rng))
    causal_mask = targets[0] if making.passes("tgt_mask") else None
    found.append(_masked_decoder("src_even", {"x": x, "memory": same, "src_mask": even, "tgt_mask": causal_mask}, rng))
    return tuple(found)


def decoder_layer_cases(rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
    """The same, source masks that are another for each query, and huge scores."""
    sizes, found = making.sizes, decoder_cases(rng, making)
    x, memory = (found[1].inputs[name] for name in ("x", "memory"))
    masks = masks_for(rng, making, sizes.n, sizes.m, "src_mask")
    more = {"src_2": masks.get("mask_2"), "src_full": masks["mask_3"][:, None] if "mask_3" in masks else None}
    if making.axes("src_mask"):
        more = {f"src:{name}": mask for name, mask in masks.items()}
    others = [
        _masked_decoder(name, {"x": x, "memory": memory, "src_mask": mask, "tgt_mask": None}, rng)
        for name, mask in more.items()
        if mask is not None
    ]
    far, read = FAR * rng.normal(size=(SAMPLES, 3, sizes.d_model)), rng.normal(size=(SAMPLES, 2, sizes.d_model))
    alone = {"src_mask": None, "tgt_mask": lone(rng, 3, 3, causal=True)}
    return (*found, *others, *steep({"x": far, "memory": read, **alone}, making))


def _source(rng: np.random.Generator, making: Making, m: int) -> Array:
    """A source mask: of keys, where the hand-out does not promise other shapes alone."""
    masks = masks_for(rng, making, making.sizes.n, m, "src_mask")
    return masks.get("mask_4", next(iter(masks.values())))


def _targets(rng: np.random.Generator, making: Making) -> tuple[Array, Array]:
    """Two target masks, the causal one and one that hides padding as well, in shapes that the hand-out promises."""
    sizes, promised = making.sizes, making.axes("tgt_mask")
    if not promised:
        return causal(sizes.n), _padded(rng, sizes)
    lengths = (sizes.batch, sizes.num_heads, sizes.n, sizes.n)
    square = [axes for axes in promised if any("n" in token for token in axes)] or list(promised)
    plain = everything(square[0], lengths, causal=True)
    widest = max(square, key=lambda axes: "b" in "".join(axes))
    # The first token is never padding: else its query sees nothing where the decoder hides what is later by itself.
    return plain, drawn(rng, widest, lengths, causal="n" in square[0], first=True)


def _padded(rng: np.random.Generator, sizes: Sizes) -> Array:
    """Causal and not padding, ``(batch, 1, n, n)``: token 0 is never padding."""
    real = rng.random((sizes.batch, 1, 1, sizes.n)) < 0.6  # noqa: PLR2004 - share of real tokens
    real[..., 0] = True
    real[0, ..., 1] = False
    return np.asarray(real & causal(sizes.n))


def _masked_decoder(name: str, inputs: dict[str, Array | None], rng: np.random.Generator) -> Case:
    """What is hidden: target positions from earlier ones, or source positions from all."""
    x, memory, source = inputs["x"], inputs["memory"], inputs["src_mask"]
    assert x is not None  # noqa: S101 - a decoder has both
    assert memory is not None  # noqa: S101
    batch, n, _ = x.shape
    early = np.zeros((batch, n), dtype=bool)
    early[:, : n // 2] = True
    target = inputs["tgt_mask"]
    if source is None and target is not None and isinstance(target, Shaped) and "n" not in "".join(target.axes):
        padded = _masked_encoder(name, x, target, rng)
        assert padded.blocked is not None  # noqa: S101 - both are made above
        assert padded.kept is not None  # noqa: S101
        moved = [({**inputs, "x": changed["x"]}, rows) for changed, rows in (padded.blocked, padded.kept)]
        return replace(padded, inputs=inputs, blocked=moved[0], kept=moved[1])
    if source is None:
        changed = np.where(early[..., None], x, x + rng.normal(size=x.shape))
        late = x.copy()
        late[:, 0] += rng.normal(size=(batch, x.shape[-1]))
        return Case(
            inputs,
            "a target mask that is causal",
            key=name,
            plain=False,
            blocked=({**inputs, "x": changed}, early),
            kept=({**inputs, "x": late}, ~early),
        )
    never = np.logical_not(np.any(mixed_mask(source, batch, n, memory.shape[1]), axis=1, keepdims=True)[:, 0, :, None])
    noise = rng.normal(size=memory.shape)
    everywhere = np.ones((batch, n), dtype=bool)
    return Case(
        inputs,
        "a source mask that hides keys",
        key=name,
        plain=False,
        blocked=({**inputs, "memory": np.where(never, memory + 3 * noise, memory)}, everywhere),
        kept=({**inputs, "memory": memory + noise}, everywhere),
    )
