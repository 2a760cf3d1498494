"""The builders of source and target masks with knobs, from which their misconceptions are made (section 3.2.3)."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from grader.components.mask_shapes import as_form
from grader.properties import Array


def source_workshop(ids: Array, pad_id: int, *, over: str = "keys", look: str = "everywhere", **shared: Any) -> Any:
    """make_src_mask with knobs; every default is the right choice."""
    return _builder(ids, pad_id, over, look, {"axes": "b11n", **shared})


def target_workshop(ids: Array, pad_id: int, *, over: str = "keys", look: str = "back", **shared: Any) -> Any:
    """make_tgt_mask with knobs; every default is the right choice."""
    return _builder(ids, pad_id, over, look, {"axes": "b1nn", **shared})


def _builder(ids: Array, pad_id: int, over: str, look: str, shared: Mapping[str, Any]) -> Any:
    ids = np.asarray(ids)
    n = ids.shape[1]
    pad_is = shared.get("pad_is")  # where no call tells it
    real = _real(ids, pad_id if pad_is is None else pad_is, shared.get("pad", "asked"))
    seen = {
        "keys": real[:, None, :],
        "queries": real[:, :, None],
        "nothing": np.ones_like(real)[:, None, :],
        "both": real[:, None, :] & real[:, :, None],
        "either": real[:, None, :] | real[:, :, None],
    }[over]
    query, key = np.arange(n)[:, None], np.arange(n)[None, :]
    back = {
        "everywhere": None,
        "back": key <= query,
        "strictly back": key < query,
        "one ahead": key <= query + 1,
        "ahead": key >= query,
        "strictly ahead": key > query,
        "back or real": key <= query,
        "either alone": key <= query,
    }[look]
    mask = seen if back is None else _JOINED.get(look, np.logical_and)(seen, back)
    mask = ~mask if shared.get("inverted") else mask
    shaped = as_form(mask, shared.get("form", "bool"), shared.get("fill", -np.inf))
    return _laid(shaped, str(shared["axes"]))


_JOINED: Mapping[str, Callable[[Array, Array], Array]] = {"back or real": np.logical_or, "either alone": np.logical_xor}


def _real(ids: Array, pad_id: int, pad: str) -> Array:
    ways: dict[str, Callable[[], Array]] = {
        "asked": lambda: ids != pad_id,
        "exchanged": lambda: ids == pad_id,
        "zero": lambda: ids != 0,
        "above": lambda: ids > pad_id,
        "one": lambda: ids != 1,
        "truth": lambda: ids.astype(bool),
        "not below": lambda: ids >= pad_id,
        "below": lambda: ids < pad_id,
    }
    return np.asarray(ways[pad]())


def _laid(mask: Array, axes: str) -> Array:
    """``mask`` is (batch, queries or 1, keys or 1)."""
    laid: dict[str, Callable[[], Array]] = {
        "b11n": lambda: mask[:, None],
        "b1nn": lambda: mask[:, None],
        "no heads": lambda: mask,
        "flat": lambda: mask[:, 0],
        "heads first": lambda: mask[None],
        "first only": lambda: mask[0],
    }
    return laid[axes]()
