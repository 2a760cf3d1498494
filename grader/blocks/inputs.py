"""Inputs that blocks share: shapes of weights by role, and masks that leave every query a key."""

from collections.abc import Mapping

import numpy as np

from grader.blocks.mask_axes import Axes, drawn
from grader.blocks.programs import Making
from grader.blocks.sizes import Sizes
from grader.paper.weights import Array


def attention_shapes(sizes: Sizes, prefix: str = "") -> dict[str, tuple[int, ...]]:
    """Roles of one attention."""
    d = sizes.d_model
    return {f"{prefix}{form}_{letter}": (d, d) if form == "w" else (d,) for form in "wb" for letter in "qkvo"}


def feed_forward_shapes(sizes: Sizes, prefix: str = "") -> dict[str, tuple[int, ...]]:
    """Roles of one feed-forward network."""
    d, f = sizes.d_model, sizes.d_ff
    maps = {"1": (d, f), "2": (f, d), "3": (d, f)}  # the third is a gate's
    weights = {f"{prefix}w_{number}": shape for number, shape in maps.items()}
    return weights | {f"{prefix}b_{number}": shape[1:] for number, shape in maps.items()}


def norm_shapes(sizes: Sizes, prefix: str = "") -> dict[str, tuple[int, ...]]:
    """Roles of one norm."""
    return {f"{prefix}gain": (sizes.d_model,), f"{prefix}shift": (sizes.d_model,)}


def layer_shapes(sizes: Sizes, kind: str, prefix: str = "") -> dict[str, tuple[int, ...]]:
    """Roles of one layer, ``enc`` or ``dec``."""
    shapes = attention_shapes(sizes, f"{prefix}self_attention.") | feed_forward_shapes(sizes, f"{prefix}feed_forward.")
    if kind == "dec":
        shapes |= attention_shapes(sizes, f"{prefix}cross_attention.")
    for number in range(1, 4 if kind == "dec" else 3):
        shapes |= norm_shapes(sizes, f"{prefix}norm_{number}.")
    return shapes


def stack_shapes(sizes: Sizes, kind: str, prefix: str = "") -> dict[str, tuple[int, ...]]:
    """Roles of a stack with its free final norm, and one layer too many for those who build it."""
    shapes = norm_shapes(sizes, f"{prefix}norm.") | norm_shapes(sizes, f"{prefix}norm_first.")
    for number in range(1, sizes.num_layers + 2):
        shapes |= layer_shapes(sizes, kind, f"{prefix}layer_{number}.")
    return shapes


def embedding_shapes(sizes: Sizes, side: str) -> dict[str, tuple[int, ...]]:
    """Roles of a stack that embeds ids itself, ``src`` or ``tgt``, and of its output layer."""
    vocab, d = (sizes.src_vocab if side == "src" else sizes.tgt_vocab), sizes.d_model
    return {f"{side}_table": (vocab, d), "generator.w": (d, sizes.tgt_vocab), "generator.b": (sizes.tgt_vocab,)}


_USUAL: Mapping[Axes, str] = {
    ("n", "m"): "mask_2",
    ("b", "n", "m"): "mask_3",
    ("b", "1", "1", "m"): "mask_4",
    ("b", "h", "n", "m"): "mask_heads",
    ("1", "1", "n", "m"): "mask_one",
    ("b", "m"): "mask_keys",
    ("b", "n"): "mask_3",
}
"""What the cases of these shapes are called; others are called as those most like them, and by their shape."""


MASKS = ["mask_2", "mask_4", "mask_3", "mask_keys", "mask_heads", "mask_one"]
"""The cases of a mask of any shape."""


def masks_for(rng: np.random.Generator, making: Making, n: int, m: int, name: str = "mask") -> dict[str, Array]:
    """A mask of each shape that the hand-out promises of ``name``; some key is hidden from all queries of a sample.

    Where it says nothing, masks of 2, 3 and 4 axes: ``mask_heads`` is another one for each head, ``mask_one`` the same
    for all samples and heads in four axes.
    """
    sizes = making.sizes
    if promised := making.axes(name):
        lengths = (sizes.batch, sizes.num_heads, n, m)
        return {mask_key(axes): drawn(rng, axes, lengths, first=making.said.get("causal", False)) for axes in promised}
    found = {
        "mask_2": _some(rng, n, m),
        "mask_3": _some(rng, sizes.batch, n, m),
        "mask_4": _padding(rng, sizes.batch, m),
        "mask_heads": _for_heads(rng, sizes, n, m),
        "mask_one": _some(rng, 1, 1, n, m),
    }
    for mask in found.values() if making.said.get("causal") else ():
        mask[..., 0] = True  # else a query that sees nothing later may see nothing at all
    return found


def mask_key(axes: Axes) -> str:
    """The name of the case that asks a mask of that shape."""
    like = "mask_keys" if len(axes) == 1 else f"mask_{min(len(axes), 4)}"
    return _USUAL.get(axes, f"{like}:{''.join(axes)}")


def _for_heads(rng: np.random.Generator, sizes: Sizes, n: int, m: int) -> Array:
    """Another mask for each head, ``(batch, heads, n, m)``; one key of each sample is hidden from all heads."""
    mask = _some(rng, sizes.batch, sizes.num_heads, n, m)
    for sample in range(sizes.batch):
        hidden = int(rng.integers(0, m))
        mask[sample, ..., hidden] = False
        mask[sample, ..., (hidden + 1) % m] |= ~mask[sample].any(axis=-1)
    return mask


def _some(rng: np.random.Generator, *shape: int) -> Array:
    """Random, with one key that nobody may see and one for each query that it may."""
    mask = rng.random(shape) < 0.55  # noqa: PLR2004 - share of shown keys
    *lead, n, m = shape
    for index in np.ndindex(*lead):
        hidden = int(rng.integers(0, m))
        shown = (hidden + 1 + rng.integers(0, m - 1, size=n)) % m
        mask[index][np.arange(n), shown] = True
        mask[index][:, hidden] = False
    return mask


def _padding(rng: np.random.Generator, batch: int, m: int) -> Array:
    """A mask ``(batch, 1, 1, m)`` of keys, another for each sample, no prefix."""
    mask = np.ones((batch, 1, 1, m), dtype=bool)
    for sample in range(batch):
        hidden = rng.permutation(m)[: 1 + (sample + 1) % (m - 1)]
        mask[sample, 0, 0, hidden] = False
    return mask


def mixed_mask(mask: Array, batch: int, n: int, m: int) -> Array:
    """The mask as ``(batch, n, m)``, whatever its axes: what some head may see."""
    mask = np.asarray(mask)
    if mask.ndim == 4:  # noqa: PLR2004 - batch, heads, queries, keys
        mask = np.asarray(mask.any(axis=1))
    return np.broadcast_to(mask, (batch, n, m))


def causal(n: int) -> Array:
    """The mask of section 3.2.3."""
    return np.tri(n, dtype=bool)
