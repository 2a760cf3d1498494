"""Training and decoding as students write them, right in several styles."""

from __future__ import annotations

RIGHT: tuple[tuple[str, str], ...] = (
    (
        "noam_lr",
        """
def noam_lr(step, d_model, warmup):
    arg1 = 1 / step ** 0.5
    arg2 = step * (warmup ** -1.5)
    return 1 / d_model ** 0.5 * min(arg1, arg2)
""",
    ),
    (
        "noam_lr",
        """
import numpy as np
def noam_lr(s, d, w):
    return np.power(d, -0.5) * np.minimum(np.power(float(s), -0.5), s * np.power(float(w), -1.5))
""",
    ),
    (
        "noam_lr",
        """
import numpy as np
def noam_lr(step, d_model, warmup):
    return np.float32((d_model * max(step, warmup)) ** -0.5 * min(1, step / warmup))
""",
    ),
    (
        "adam",
        """
import numpy as np
def adam_step(params, grads, m, v, step, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    m = beta1 * m + (1 - beta1) * grads
    v = beta2 * v + (1 - beta2) * grads * grads
    a = lr * np.sqrt(1 - beta2 ** step) / (1 - beta1 ** step)
    return [params - a * m / (np.sqrt(v) + eps), m, v]
""",
    ),
    (
        "adam",
        """
import numpy as np
def adam_step(p, g, m, v, t, lr, b1=0.9, b2=0.98, e=1e-9):
    m = m + (1 - b1) * (g - m)
    v = v + (1 - b2) * (np.square(g) - v)
    return p - lr * (m / (1 - np.power(b1, t))) / (np.power(v / (1 - np.power(b2, t)), 0.5) + e), m, v
""",
    ),
    (
        "adam",
        """
import copy, numpy as np
def adam_step(params, grads, m, v, step, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    params, m, v = copy.deepcopy(params), copy.deepcopy(m), copy.deepcopy(v)
    m *= beta1; m += (1 - beta1) * grads
    v *= beta2; v += (1 - beta2) * grads ** 2
    params -= lr * (m / (1 - beta1 ** step)) / (np.sqrt(v / (1 - beta2 ** step)) + eps)
    return params, m, v
""",
    ),
    ("teacher_forcing", "def teacher_forcing_pair(t):\n    return t[..., :-1].copy(), t[..., 1:].copy()\n"),
    (
        "teacher_forcing",
        """
import numpy as np
def teacher_forcing_pair(target):
    n = target.shape[1]
    return [np.take(target, range(n - 1), axis=1), np.delete(target, 0, axis=1).tolist()]
""",
    ),
    (
        "greedy_decode",
        """
def greedy_decode(step_fn, bos, eos, max_len):
    tokens = (bos,)
    while True:
        if len(tokens) == max_len:
            return tokens
        scores = step_fn(list(tokens))
        best = max(range(len(scores)), key=lambda i: scores[i])
        tokens = tokens + (best,)
        if best == eos:
            return tokens
""",
    ),
    (
        "greedy_decode",
        """
import numpy as np
def greedy_decode(step_fn, bos, eos, max_len):
    ys = np.full(max_len, bos)
    for i in range(1, max_len):
        ys[i] = np.argmax(step_fn(ys[:i].tolist()))
        if ys[i] == eos:
            return ys[: i + 1]
    return ys
""",
    ),
    (
        "greedy_decode",
        """
import numpy as np
def greedy_decode(step_fn, bos, eos, max_len):
    out = [bos]
    for _ in range(max_len - 1):
        p = np.exp(np.array(step_fn(out)))
        out += [np.argmax(p / p.sum())]
        if out[-1] == eos: break
    return out
""",
    ),
    (
        "beam_search",
        """
import numpy as np
def beam_search(step_fn, bos, eos, max_len, beam_size):
    seqs, scores, done = [[bos]], np.zeros(1), [False]
    for _ in range(max_len - 1):
        rows = []
        for s, sc, d in zip(seqs, scores, done):
            if d:
                rows.append((sc, s, True)); continue
            lp = step_fn(s)
            for t in np.argsort(lp)[::-1][:beam_size]:
                rows.append((sc + lp[t], s + [int(t)], t == eos))
        rows.sort(key=lambda r: r[0], reverse=True)
        rows = rows[:beam_size]
        scores = np.array([r[0] for r in rows]); seqs = [r[1] for r in rows]; done = [r[2] for r in rows]
        if done[0]:
            break
    return seqs[int(np.argmax(scores))]
""",
    ),
    (
        "beam_search",
        """
import numpy as np
def beam_search(step_fn, bos, eos, max_len, beam_size):
    beams = [([bos], -0.0)] + [([bos], -np.inf)] * (beam_size - 1)
    for _ in range(max_len - 1):
        cands = []
        for toks, nll in beams:
            if toks[-1] == eos and len(toks) > 1:
                cands.append((toks, nll))
            else:
                cands += [(toks + [i], nll + x) for i, x in enumerate(step_fn(toks))]
        beams = sorted(cands, key=lambda c: -c[1])[:beam_size]
    return np.array(beams[0][0])
""",
    ),
    (
        "complexity",
        """
def count_parameters(d_model, num_heads, num_layers, d_ff, src_vocab, tgt_vocab):
    lin = lambda i, o: i * o + o
    mha, ffn, ln = 4 * lin(d_model, d_model), lin(d_model, d_ff) + lin(d_ff, d_model), 2 * d_model
    return (src_vocab * d_model + tgt_vocab * d_model + lin(d_model, tgt_vocab)
            + num_layers * (mha + ffn + 2 * ln) + num_layers * (2 * mha + ffn + 3 * ln))
def attention_flops(n, m, d_k, d_v):
    return n * m * (d_k + d_v)
""",
    ),
    (
        "complexity",
        """
import numpy as np
def count_parameters(d_model, num_heads, num_layers, d_ff, src_vocab, tgt_vocab):
    d_k = d_model // num_heads
    heads = num_heads * 3 * (d_model * d_k + d_k)
    attention = heads + d_model ** 2 + d_model
    ff = np.prod([d_model, d_ff]) * 2 + d_ff + d_model
    layers = num_layers * (3 * attention + 2 * ff + 10 * d_model)
    return np.int64(d_model * (src_vocab + 2 * tgt_vocab) + tgt_vocab + layers)
def attention_flops(n, m, d_k, d_v):
    return float(n * d_k * m + n * m * d_v)
""",
    ),
    (
        "dropout",
        """
import numpy as np
def dropout(x, p, training=True, rng=None):
    if not training: return x.copy()
    g = rng if rng is not None else np.random
    u = g.random(x.shape) if rng is not None else np.random.rand(*x.shape)
    return np.where(u < p, 0, x / (1 - p))
""",
    ),
    (
        "dropout",
        """
import numpy as np
def dropout(x, p, training=True, rng=None):
    if p == 0 or not training: return np.array(x)
    rng = np.random.default_rng() if rng is None else rng
    flat = np.asarray(x, dtype=np.float32).copy().ravel()
    flat[rng.permutation(flat.size)[: int(round(p * flat.size))]] = 0
    return flat.reshape(np.shape(x)) / (1 - p)
""",
    ),
    (
        "dropout",
        """
import numpy as np
def dropout(x, p, training=True, rng=None):
    if training:
        rng = rng or np.random.default_rng()
        mask = rng.choice([0.0, 1.0 / (1.0 - p)], size=x.shape, p=[p, 1.0 - p])
        return x * mask
    return x
""",
    ),
)
