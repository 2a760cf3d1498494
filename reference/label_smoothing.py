"""Label smoothing (section 5.4; Szegedy et al. 2015): the target keeps a little doubt."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reference.floating import Array, floating
from reference.softmax import log_softmax


def label_smoothing_loss(logits: npt.ArrayLike, target: npt.ArrayLike, eps: float, pad_id: int) -> float:
    """Return the mean cross-entropy between ``(1 - eps) one-hot + eps / V`` and ``softmax(logits)``.

    logits are ``(..., V)``, target ids ``(...)``. All V tokens share eps, the right one and the padding token
    included. The mean runs over the targets that are not `pad_id`; where there are none the loss is 0. eps =
    0 is the plain cross-entropy; the paper takes 0.1, which costs perplexity and gains BLEU.

    Raises ValueError where eps is outside 0 to 1, the shapes do not match or a target lies outside the
    vocabulary.
    """
    if not 0 <= eps <= 1:
        raise ValueError(f"eps must lie between 0 and 1, not {eps}")
    scores, wanted = floating(logits), np.asarray(target)
    if scores.ndim == 0 or scores.shape[:-1] != wanted.shape:
        raise ValueError(f"logits are {scores.shape}, so targets must be {scores.shape[:-1]}, not {wanted.shape}")
    counted = wanted != pad_id
    logs, tokens = log_softmax(scores)[counted], wanted[counted]
    if tokens.size == 0:
        return 0.0
    return float(-np.mean(np.sum(smoothed_targets(tokens, scores.shape[-1], eps) * logs, axis=-1)))


def smoothed_targets(target: npt.ArrayLike, vocab: int, eps: float) -> Array:
    """Return the distributions ``(1 - eps) one-hot + eps / vocab``: ids ``(...)`` in, ``(..., vocab)`` out.

    Raises ValueError where a target lies outside the vocabulary.
    """
    tokens = np.asarray(target)
    if ((tokens < 0) | (tokens >= vocab)).any():
        raise ValueError(f"targets must lie between 0 and {vocab - 1}")
    one_hot: Array = tokens[..., np.newaxis] == np.arange(vocab)
    smoothed: Array = (1 - eps) * one_hot + eps / vocab
    return smoothed
