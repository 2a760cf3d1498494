"""The calls by which layers and stacks are compared with the paper."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.blocks.cases_steep import FAR, SAMPLES, lone, steep
from grader.blocks.inputs import causal, masks_for, mixed_mask
from grader.blocks.sizes import Sizes
from grader.blocks.subject import Case
from grader.blocks.weights import Array


def encoder_cases(rng: np.random.Generator, sizes: Sizes) -> tuple[Case, ...]:
    """Without a mask, then with masks of 2 and 4 axes."""
    x = rng.normal(size=(sizes.batch, sizes.m, sizes.d_model))
    found = [
        Case("open", {"x": x, "mask": None}, "no mask"),
        Case(
            "short",
            {"x": 2 * rng.normal(size=(3, sizes.n, sizes.d_model)), "mask": None},
            "another batch and length, no mask",
        ),
    ]
    masks = masks_for(rng, sizes, sizes.m, sizes.m)
    found += [_masked_encoder(name, x, masks[name], rng) for name in ("mask_2", "mask_4")]
    return tuple(found)


def encoder_layer_cases(rng: np.random.Generator, sizes: Sizes) -> tuple[Case, ...]:
    """The same, a mask of 3 axes, on which the hand-out is silent for layers, and huge scores."""
    found = encoder_cases(rng, sizes)
    x, mask = found[0].inputs["x"], masks_for(rng, sizes, sizes.m, sizes.m)["mask_3"]
    far = FAR * rng.normal(size=(SAMPLES, 3, sizes.d_model))
    three = replace(_masked_encoder("mask_3", x, mask, rng), may_be_refused=True)
    return (*found, three, steep({"x": far, "mask": lone(rng, 3, 3)}))


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
        name,
        inputs,
        f"a mask of {mask.ndim} axes",
        plain=False,
        blocked=({**inputs, "x": np.where(never[..., None], x + 3 * noise, x)}, ~never),
        kept=({**inputs, "x": others}, row),
    )


def decoder_cases(rng: np.random.Generator, sizes: Sizes) -> tuple[Case, ...]:
    """Without masks, with each alone, with both; then equal lengths, where swapped masks raise nothing."""
    x = rng.normal(size=(sizes.batch, sizes.n, sizes.d_model))
    memory = rng.normal(size=(sizes.batch, sizes.m, sizes.d_model))
    same = rng.normal(size=(sizes.batch, sizes.n, sizes.d_model))
    none = {"src_mask": None, "tgt_mask": None}
    source = masks_for(rng, sizes, sizes.n, sizes.m)["mask_4"]
    even = masks_for(rng, sizes, sizes.n, sizes.n)["mask_4"]
    found = [
        Case("even", {"x": same, "memory": 2 * rng.normal(size=same.shape), **none}, "no masks, equal lengths"),
        Case("open", {"x": x, "memory": memory, **none}, "no masks, source longer than target"),
    ]
    found.append(_masked_decoder("tgt", {"x": x, "memory": memory, "src_mask": None, "tgt_mask": causal(sizes.n)}, rng))
    found.append(
        _masked_decoder("tgt_even", {"x": x, "memory": same, "src_mask": None, "tgt_mask": _padded(rng, sizes)}, rng)
    )
    found.append(_masked_decoder("src", {"x": x, "memory": memory, "src_mask": source, "tgt_mask": None}, rng))
    found.append(
        _masked_decoder("src_even", {"x": x, "memory": same, "src_mask": even, "tgt_mask": causal(sizes.n)}, rng)
    )
    return tuple(found)


def decoder_layer_cases(rng: np.random.Generator, sizes: Sizes) -> tuple[Case, ...]:
    """The same, source masks that are another for each query, and huge scores."""
    found = decoder_cases(rng, sizes)
    x, memory = (found[1].inputs[name] for name in ("x", "memory"))
    masks = masks_for(rng, sizes, sizes.n, sizes.m)
    more = [
        _masked_decoder(name, {"x": x, "memory": memory, "src_mask": mask, "tgt_mask": None}, rng)
        for name, mask in (("src_2", masks["mask_2"]), ("src_full", masks["mask_3"][:, None]))
    ]
    far, read = FAR * rng.normal(size=(SAMPLES, 3, sizes.d_model)), rng.normal(size=(SAMPLES, 2, sizes.d_model))
    alone = {"src_mask": None, "tgt_mask": lone(rng, 3, 3, causal=True)}
    return (*found, *more, steep({"x": far, "memory": read, **alone}))


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
    if source is None:
        changed = np.where(early[..., None], x, x + rng.normal(size=x.shape))
        late = x.copy()
        late[:, 0] += rng.normal(size=(batch, x.shape[-1]))
        return Case(
            name,
            inputs,
            "a target mask that is causal",
            plain=False,
            blocked=({**inputs, "x": changed}, early),
            kept=({**inputs, "x": late}, ~early),
        )
    never = np.logical_not(np.any(mixed_mask(source, batch, n, memory.shape[1]), axis=1, keepdims=True)[:, 0, :, None])
    noise = rng.normal(size=memory.shape)
    everywhere = np.ones((batch, n), dtype=bool)
    return Case(
        name,
        inputs,
        "a source mask that hides keys",
        plain=False,
        blocked=({**inputs, "memory": np.where(never, memory + 3 * noise, memory)}, everywhere),
        kept=({**inputs, "memory": memory + noise}, everywhere),
    )
