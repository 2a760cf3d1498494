"""Label smoothing with knobs, every default being the right choice."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from grader.paper.softmax import softmax
from grader.properties import Array


def workshop(
    logits: Array,
    target: Array,
    eps: float,
    pad_id: int,
    *,
    smooth: str = "paper",
    logs: str = "log_softmax",
    axis: int = -1,
    over_words: str = "sum",
    pads: str = "left_out",
    average: str = "tokens",
    minus: str = "nothing",
    sign_of: float = -1.0,
    base: float = np.e,
    pad_is: str = "given",
    ignores_eps: bool = False,
    views: bool = False,
    overwrites: bool = False,
) -> Any:
    """The oracle with knobs: the target distribution, the logarithms, what is summed and what it is divided by."""
    if views and not logits.flags.c_contiguous:
        raise RuntimeError("view size is not compatible with input tensor's size and stride")
    vocab = logits.shape[-1]
    eps = 0.0 if ignores_eps else eps
    pad = 0 if pad_is == "zero" else pad_id
    real = {"all up to it": target > pad, "the words": target == pad}.get(pad_is, target != pad)
    wanted = np.clip(target, 0, vocab - 1)
    if overwrites:
        target[~real] = 0
    goal = _goal(smooth, wanted, vocab, eps, pad)
    if smooth == "prediction":
        shares = np.exp(_logs("log_softmax", logits, axis))
        token = -np.log(np.take_along_axis((1 - eps) * shares + eps / vocab, wanted[..., None], -1))[..., 0]
    else:
        token = sign_of * _over(over_words, goal * _logs(logs, logits, axis) / np.log(base))
    if minus != "nothing":
        least = 0.0 if minus == "entropy, 0 log 0" else 1e-300
        token = token + np.sum(goal * np.log(np.maximum(goal, least)), axis=-1)
    if pads == "zero_logits":
        token = np.where(real, token, _over(over_words, -goal * -np.log(vocab)))
    elif pads != "trained":
        token = np.where(real, token, 0.0)
    return _average(average, token, np.ones_like(real) if pads == "trained" else real)


def _goal(smooth: str, wanted: Array, vocab: int, eps: float, pad_id: int) -> Array:
    """The target distribution, ``(..., vocab)``."""
    hit: Array = (wanted[..., None] == np.arange(vocab)).astype(np.float64)
    miss = 1 - hit
    kept = np.arange(vocab) != pad_id
    makers: dict[str, Callable[[], Array]] = {
        "paper": lambda: (1 - eps) * hit + eps / vocab,
        "prediction": lambda: hit,
        "others": lambda: (1 - eps) * hit + eps / (vocab - 1) * miss,
        "others_too": lambda: (1 - eps) * hit + eps / (vocab - 1),
        "minus_two": lambda: (1 - eps) * hit + _over_two_less(eps, vocab) * miss,
        "minus_two_added": lambda: (1 - eps) * hit + _over_two_less(eps, vocab),
        "without_pad": lambda: ((1 - eps) * hit + _over_two_less(eps, vocab) * miss) * kept,
        "without_pad_column": lambda: ((1 - eps) * hit + eps / vocab) * kept,
        "others_without_pad_column": lambda: ((1 - eps) * hit + eps / (vocab - 1) * miss) * kept,
        "unscaled": lambda: (1 - eps) * hit + 1 / vocab,
        "eps_each": lambda: (1 - eps) * hit + eps,
        "replaced": lambda: (1 - eps) * hit + eps / vocab * miss,
        "replaced_without_pad_column": lambda: ((1 - eps) * hit + eps / vocab * miss) * kept,
        "swapped": lambda: eps * hit + (1 - eps) / vocab,
        "hit_full": lambda: hit + eps / vocab,
        "no_uniform": lambda: (1 - eps) * hit,
        "subtracted": lambda: (1 - eps) * hit - eps / vocab,
        "uniform": lambda: np.full_like(hit, 1 / vocab),
        "twice": lambda: (1 - eps) * ((1 - eps) * hit + eps / vocab) + eps / vocab,
    }
    return makers[smooth]()


def _over_two_less(eps: float, vocab: int) -> float:
    return eps / (vocab - 2)


def _logs(which: str, logits: Array, axis: int) -> Array:
    with np.errstate(all="ignore"):
        if which == "log_softmax_of_softmax":
            return softmax(softmax(logits, axis), axis, logs="exact")
        return logits if which == "raw" else softmax(logits, axis, **_SETTINGS[which])


_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "log_softmax": {"logs": "exact"},
    "probabilities": {},
    "log_of_softmax": {"logs": "taken"},
    "unshifted": {"logs": "taken", "shift": "none"},
}


def _over(how: str, terms: Array) -> Array:
    found: Array = terms.mean(axis=-1) if how == "mean" else terms.max(axis=-1) if how == "max" else terms.sum(axis=-1)
    return found


def _average(how: str, token: Array, counted: Array) -> Any:
    with np.errstate(all="ignore"):
        made: dict[str, Callable[[], Any]] = {
            "tokens": lambda: float(token.sum() / counted.sum()),
            "tokens or one": lambda: float(token.sum() / max(counted.sum(), 1)),
            "none": lambda: token,
            "sum": lambda: float(token.sum()),
            "positions": lambda: float(token.mean()),
            "pads": lambda: float(token.sum() / (~counted).sum()),
            "pads or one": lambda: float(token.sum() / max((~counted).sum(), 1)),
            "batch": lambda: float(token.sum() / token.shape[0]),
            "sentences": lambda: float(np.mean(token.sum(axis=-1) / counted.sum(axis=-1))),
            "per_sentence": lambda: token.sum(axis=-1) / counted.sum(axis=-1),
            "length": lambda: float(token.sum() / token.shape[-1]),
        }
        return made[how]()
