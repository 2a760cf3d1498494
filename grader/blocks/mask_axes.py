"""The shapes that an assignment promises of masks, such as ``(batch, 1, n, m)``, and masks of these shapes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from grader.paper.weights import Array

Axes = tuple[str, ...]
"""The axes of a mask in order: b (batch), h (heads), n (queries), m (keys), 1, or b*h (a row for each head of each)."""

_WORDS = {
    "b": ("b", "batch", "batch_size"),
    "h": ("h", "heads", "num_heads", "n_head"),
    "n": ("n", "queries", "n_q", "n_tgt", "q", "tgt"),
    "m": ("m", "keys", "n_k", "n_src", "k", "src"),
    "1": ("1",),
    "b*h": ("b*h", "batch*heads", "batch*num_heads"),
}


class Shaped(np.ndarray[Any, Any]):
    """A mask in canonical form, which broadcasts to ``(batch, heads, n, m)``, that is handed over in other ``axes``."""

    axes: Axes = ()
    lengths: dict[str, int]

    def handed_over(self) -> Array:
        """The mask as the hand-out has it: without an axis of keys, how many of them may be attended to."""
        plain = np.asarray(self)
        letters = [letter for token in self.axes for letter in token.split("*") if letter != "1"]
        full = np.broadcast_to(plain, [self.lengths[x] if x in letters else 1 for x in "bhn"] + [self.lengths["m"]])
        if "m" not in letters:
            full = full.sum(axis=-1, keepdims=True)
        turned = full.transpose(
            ["bhnm".index(x) for x in letters] + [i for i, x in enumerate("bhnm") if x not in letters]
        )
        shape = [int(np.prod([self.lengths.get(x, 1) for x in token.split("*")])) for token in self.axes]
        return np.asarray(turned.reshape(shape))


def axes_of(text: str, *, lengths: bool = False) -> Axes:
    """Read ``(b, 1, n, m)``, or of ``lengths`` ``(b, n)``. Raises ValueError with what is known."""
    known = {word: letter for letter, words in _WORDS.items() for word in words}
    words = [word.strip().lower() for word in text.strip().strip("()[]").split(",") if word.strip()]
    unknown = [word for word in words if word.replace(" ", "") not in known]
    axes = tuple(known[word.replace(" ", "")] for word in words if word not in unknown)
    letters = [letter for token in axes for letter in token.split("*") if letter != "1"]
    if unknown or not letters or ("m" in letters) == lengths or len(set(letters)) < len(letters):
        told = f"{unknown[0]!r} is none of them" if unknown else f"found {text!r}"
        usual = (
            "(b, n) of lengths: batch, heads and queries" if lengths else "(b, 1, n, m): batch, heads, queries and keys"
        )
        raise ValueError(f"expected axes such as {usual}, each once at most; {told}")
    return axes


def named(axes: Axes) -> str:
    """``(batch, 1, n, m)`` as people write it."""
    words = {"b": "batch", "h": "heads", "b*h": "batch * heads"}
    return f"({', '.join(words.get(token, token) for token in axes)})"


def told_axes(mask: Array) -> str:
    """How the axes of a mask are told: its shape where the hand-out promises one, else how many there are."""
    axes = mask.axes if isinstance(mask, Shaped) else ()
    if axes and "m" not in "".join(axes):
        return f"of lengths {named(axes)}"
    return named(axes) if axes else f"of {mask.ndim} axes"


def in_axes(mask: Array, axes: Axes, lengths: Sequence[int]) -> Array:
    """A mask ``(batch, heads, n, m)``, or 1 for any of them, in ``axes``; ``lengths`` are those four.

    The shapes that broadcast by themselves, or lack the heads alone, are canonical as they are.
    """
    letters = {letter for token in axes for letter in token.split("*")} | {"m"}
    shape = [length if x in letters else size for x, length, size in zip("bhnm", lengths, mask.shape, strict=True)]
    full = np.array(np.broadcast_to(mask, shape))
    if axes in {("n", "m"), ("b", "n", "m")}:
        return np.asarray(full[0, 0] if len(axes) == 2 else full[:, 0])  # noqa: PLR2004 - for all
    if len(axes) == 4 and all(token in (x, "1") for token, x in zip(axes, "bhnm", strict=True)):  # noqa: PLR2004
        return full
    shaped = full.view(Shaped)
    shaped.axes, shaped.lengths = axes, dict(zip("bhnm", lengths, strict=True))
    return shaped


def drawn(
    rng: np.random.Generator, axes: Axes, lengths: Sequence[int], *, causal: bool = False, first: bool = False
) -> Array:
    """A random mask that differs along ``axes`` alone; every query sees a key, and one key is hidden from all of them.

    With ``first`` that is the first key; with ``causal`` also no query sees a later one. What has no axis of keys hides
    those behind a length.
    """
    first = first or causal
    letters = {letter for token in axes for letter in token.split("*")}
    if "m" not in letters:
        shape = (*(length if x in letters else 1 for x, length in zip("bhn", lengths, strict=False)), 1)
        mask = np.arange(lengths[-1]) < _unlike(rng.integers(1, lengths[-1], size=shape), lengths[-1] - 1)
        return in_axes(mask & (np.tri(lengths[2], lengths[3]) > 0) if causal else mask, axes, lengths)
    batch, heads, n, m = (length if x in letters else 1 for x, length in zip("bhnm", lengths, strict=True))
    mask = rng.random((batch, heads, n, m)) < 0.55  # noqa: PLR2004 - share of shown keys
    for sample in range(batch):
        hidden = int(rng.integers(1 if first else 0, m))
        mask[sample, ..., (hidden + 1) % m if not first else 0] = True
        mask[sample, ..., hidden] = False
    if causal:
        mask &= np.tri(n, m) > 0
    return in_axes(mask, axes, lengths)


def _unlike(drawn_lengths: Array, longest: int) -> Array:
    """The lengths, where all samples (or heads, or queries) have the same ones the last of them with others."""
    for axis, size in enumerate(drawn_lengths.shape):
        along = np.moveaxis(drawn_lengths, axis, 0)
        if size > 1 and (along == along[0]).all():
            along[-1] = along[-1] % longest + 1
    return drawn_lengths


def everything(axes: Axes, lengths: Sequence[int], *, causal: bool = False) -> Array:
    """A mask that hides nothing, or nothing but what is later."""
    apart = any("n" in token for token in axes)
    mask = np.ones((1, 1, lengths[2] if apart else 1, lengths[3]), dtype=bool)
    mask = mask & (np.tri(lengths[2], lengths[3]) > 0) if causal and apart else mask
    return in_axes(mask, axes, lengths)
