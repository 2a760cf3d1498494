"""Layers in pairs, forward and backward: caches beside the answers, settings in dicts, an optimiser's state in one."""

from __future__ import annotations

from courses import Course

STATES = Course(
    """
import numpy as np


def softmax_forward(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    probs = powers / powers.sum(-1, keepdims=True)
    kept = {"probs": probs}
    return probs, kept


def softmax_backward(upstream, kept):
    probs = kept["probs"]
    return probs * (upstream - (upstream * probs).sum(-1, keepdims=True))


def layer_norm_backward(upstream, kept):
    return upstream * kept[1], (upstream * kept[0]).sum(0), upstream.sum(0)


def layer_norm_forward(x, gamma, beta, settings):
    spread = np.sqrt(x.var(-1, keepdims=True) + settings.get("eps", 1e-5))
    hat = (x - x.mean(-1, keepdims=True)) / spread
    return gamma * hat + beta, (hat, spread)


def attention_forward(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    probs, _ = softmax_forward(scores)
    return probs @ v, (q, k, v, probs)


def attention_grad(upstream, kept):
    q, k, v, probs = kept
    return upstream @ np.swapaxes(v, -1, -2), np.swapaxes(probs, -1, -2) @ upstream


def mlp_forward(x, w1, b1, w2, b2):
    inner = np.maximum(x @ w1 + b1, 0)
    return inner @ w2 + b2, (x, inner)


def dropout_forward(x, settings):
    keep, mode = settings["p"], settings["mode"]
    if "seed" in settings:
        np.random.seed(settings["seed"])
    mask = None
    if mode == "train":
        mask = (np.random.random_sample(x.shape) < keep) / keep
        return x * mask, (settings, mask)
    return x, (settings, mask)


def adam(w, dw, state=None):
    state = {} if state is None else state
    state.setdefault("lr", 1e-3)
    state.setdefault("beta1", 0.9)
    state.setdefault("beta2", 0.999)
    state.setdefault("eps", 1e-8)
    for name in ("m", "v"):
        state.setdefault(name, np.zeros_like(w))
    state.setdefault("t", 0)
    state["t"] += 1
    state["m"] = state["beta1"] * state["m"] + (1 - state["beta1"]) * dw
    state["v"] = state["beta2"] * state["v"] + (1 - state["beta2"]) * dw ** 2
    m, v = (state[name] / (1 - state[beta] ** state["t"]) for name, beta in (("m", "beta1"), ("v", "beta2")))
    moved = w - state["lr"] * m / (np.sqrt(v) + state["eps"])
    return moved, state


def label_smoothing_loss(scores, labels, smoothing):
    shifted = scores - scores.max(1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    goal = np.full(logs.shape, smoothing / logs.shape[1])
    goal[np.arange(len(labels)), labels] += 1 - smoothing
    return -(goal * logs).sum() / len(labels), (np.exp(logs) - goal) / len(labels)
""",
    "",
    {"scaled_dot_product_attention": {"causal": None}, "layer_norm": {"affine": None}},
    (
        ("softmax-not-normalised", "probs = powers / powers.sum(-1, keepdims=True)", "probs = powers"),
        ("sdpa-no-scale", " / np.sqrt(q.shape[-1])", ""),
        ("ln-missing-shift", "gamma * hat + beta", "gamma * hat"),
        ("ffn-missing-activation", "np.maximum(x @ w1 + b1, 0)", "x @ w1 + b1"),
        ("adam-no-bias-correction", '(1 - state[beta] ** state["t"])', "1"),
    ),
)
