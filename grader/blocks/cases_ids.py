"""The cases of stacks that embed ids themselves: which ids are drawn, and where padding stands among them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from grader.blocks.inputs import causal, mixed_mask
from grader.blocks.programs import Making
from grader.component.calls import Case
from grader.paper.weights import Array

Cases = Callable[[np.random.Generator, Making], tuple[Case, ...]]
TAKEN_FOR_PADDING = 4
"""The first ids, which some take for padding and hide where their course says of none that it is hidden."""
SIDES = {"mask": "ids", "tgt_mask": "ids", "src_mask": "src"}
"""The ids among which padding stands that a mask would hide."""


def of_ids(cases: Cases, vocab: str) -> Cases:
    """The cases of a stack; where a call passes ``ids``, each vector as an id: others where a vector is another.

    No id is one that means padding. Where the stack hides padding by itself, a case whose mask hides keys is asked
    with padding in their place, too.
    """

    def asked(rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
        found = cases(rng, making)
        if not making.passes("ids"):
            return found
        words = words_of(making, vocab)
        return tuple(each for case in found for each in _with_padding(_as_ids(case, rng, making, words), making))

    return asked


def words_of(making: Making, vocab: str) -> Array:
    """The ids of a vocabulary that stand for words: all but that of padding, or but those taken for it by some."""
    pad = making.hides
    size = int(making.sizes.argument(vocab))
    if pad is None:
        return np.arange(min(TAKEN_FOR_PADDING, size // 2), size)
    return np.setdiff1d(np.arange(size), [pad])


def others_of(ids: Array, words: Array, rng: np.random.Generator) -> Array:
    """Another word in the place of each."""
    at = np.searchsorted(words, ids)
    return np.asarray(words[(at + rng.integers(1, len(words), size=ids.shape)) % len(words)])


def _as_ids(case: Case, rng: np.random.Generator, making: Making, words: Array) -> Case:
    x = np.asarray(case.inputs["x"])
    ids = rng.choice(words, size=x.shape[:2])
    others = others_of(ids, words, rng)
    read = {}
    if making.passes("src"):
        read["src"] = rng.choice(words_of(making, "src_vocab"), size=np.shape(case.inputs["memory"])[:2])

    def told(inputs: Mapping[str, Any]) -> dict[str, Any]:
        moved = (np.asarray(inputs["x"]) != x).any(axis=-1)
        rest = {name: value for name, value in inputs.items() if name != "x"}
        return {"ids": np.where(moved, others, ids), **rest, **read}

    return _changed(case, told)


def _changed(case: Case, told: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Case:
    """The case with other inputs, wherever it has some."""
    blocked, kept = ((told(one[0]), one[1]) if one is not None else None for one in (case.blocked, case.kept))
    return replace(case, inputs=told(case.inputs), blocked=blocked, kept=kept)


def _with_padding(case: Case, making: Making) -> Iterator[Case]:
    """The case, and the same with padding in the place of keys that masks hide, where a call passes their ids."""
    yield case
    pad = making.hides
    hidden: dict[str, Array] = {}
    for name, side in SIDES.items():
        mask = case.inputs.get(name)
        if pad is None or mask is None or (making.passes(name) and making.mask_required):
            continue
        keys = _hidden_keys(mask, case.inputs[side].shape) if side in case.inputs else None
        if keys is not None and keys.any():
            hidden[name] = keys
        elif not making.passes(name):  # it hides what no padding can
            return
    if not hidden:
        return

    def told(inputs: Mapping[str, Any]) -> dict[str, Any]:
        found = {**inputs, **dict.fromkeys(hidden)}
        for name, keys in hidden.items():
            found[SIDES[name]] = np.where(keys, pad, found[SIDES[name]])
        return found

    padded = replace(
        _changed(case, told), key=f"{case.key}:padding", why=f"padding, the id {pad}, which is hidden unasked"
    )
    # What an id of padding is changed to is hidden no more: of what is hidden a memory alone can be changed.
    yield padded if set(hidden) == {"src_mask"} else replace(padded, blocked=None, kept=None)


def _hidden_keys(mask: Array, shape: tuple[int, ...]) -> Array | None:
    """The keys ``(batch, m)`` that a mask hides from all queries alike, but for what is later; None for other masks."""
    if mask.ndim > 3 and mask.shape[1] > 1:  # noqa: PLR2004 - another one for each head
        return None
    batch, m = shape
    n = mask.shape[-2] if mask.ndim > 1 else 1
    seen = mixed_mask(mask, batch, n, m)
    shown = seen[:, -1:]
    alike = (seen == shown).all() or (n == m and (seen == (shown & causal(n))).all())
    return np.asarray(~shown[:, 0]) if alike else None
