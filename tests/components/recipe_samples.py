"""Training and decoding as students write them: right ones in several styles, and wrong ones with their slips."""

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

WRONG: tuple[tuple[str, str, str, str], ...] = (
    (
        "noam_lr",
        "the warm-up is not to the power 1.5",
        "noam-warmup-exponent",
        "def noam_lr(step, d, w):\n    return d ** -0.5 * min(step ** -0.5, step / w)\n",
    ),
    (
        "noam_lr",
        "an if whose branches do not meet",
        "noam-warmup-exponent",
        "def noam_lr(step, d, w):\n    return d ** -0.5 * (step / w if step < w else step ** -0.5)\n",
    ),
    (
        "noam_lr",
        "an if that ends the warm-up one step later",
        "noam-warmup-exponent",
        "def noam_lr(step, d, w):\n    return d ** -0.5 * (step * w ** -0.5 if step <= w else step ** -0.5)\n",
    ),
    (
        "noam_lr",
        "an if before a decay with the step",
        "noam-decay-exponent",
        "def noam_lr(step, d, w):\n    return d ** -0.5 * (step * w ** -1.5 if step < w else 1 / step)\n",
    ),
    *(
        ("noam_lr", slip, named, f"def noam_lr(step, d, w):\n    return {rate}\n")
        for slip, named, rate in (
            ("the paper's width", "noam-width-hardcoded", "512 ** -0.5 * min(step ** -0.5, step * w ** -1.5)"),
            ("the paper's warm-up", "noam-warmup-hardcoded", "d ** -0.5 * min(step ** -0.5, step * 4000 ** -1.5)"),
            ("flat before the decay", "noam-no-warmup", "d ** -0.5 * max(step, w) ** -0.5"),
        )
    ),
    *(
        (
            "adam",
            slip,
            named,
            f"""
import numpy as np
def adam_step(p, g, m, v, t, lr, b1=0.9, b2=0.98, e=1e-9):
    n, u = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
    {moves}
    return p, n, u
""",
        )
        for slip, named, moves in (
            (
                "shrinks the parameters",
                "adam-weight-decay",
                "p = p - lr * 0.01 * p - lr * n / (1 - b1 ** t) / (np.sqrt(u / (1 - b2 ** t)) + e)",
            ),
            (
                "both means from before",
                "adam-uses-old-means",
                "p = p - lr * m / (1 - b1 ** t) / (np.sqrt(v / (1 - b2 ** t)) + e)",
            ),
        )
    ),
    (
        "greedy_decode",
        "fills up with the end token",
        "greedy-fills-up",
        """
import numpy as np
def greedy_decode(step_fn, bos, eos, max_len):
    seq = [bos]
    while len(seq) < max_len and (len(seq) == 1 or seq[-1] != eos):
        seq.append(int(np.argmax(step_fn(seq))))
    return seq + [eos] * (max_len - len(seq))
""",
    ),
    (
        "beam_search",
        "another length penalty",
        "beam-normalises-by-length",
        """
def beam_search(step_fn, bos, eos, max_len, beam_size):
    beam = [(0.0, [bos])]
    for _ in range(max_len - 1):
        new = [(s, q) for s, q in beam if q[-1] == eos and len(q) > 1]
        live = [(s, q) for s, q in beam if q[-1] != eos or len(q) == 1]
        new += [(s + float(p), q + [t]) for s, q in live for t, p in enumerate(step_fn(q))]
        beam = sorted(new, key=lambda b: -b[0] / ((5 + len(b[1])) / 6) ** 0.6)[:beam_size]
    return beam[0][1]
""",
    ),
    (
        "teacher_forcing",
        "the decoder is not given bos",
        "tf-shifted-by-two",
        "def teacher_forcing_pair(target):\n    return target[:, 1:-1], target[:, 2:]\n",
    ),
    (
        "complexity",
        "both biases as wide as the model",
        "complexity-bias-widths",
        """
def count_parameters(d, h, L, f, s, t):
    mha, ff = 4 * (d * d + d), 2 * (d * f + d)
    return (s + t) * d + d * t + t + L * (3 * mha + 2 * ff + 10 * d)
def attention_flops(n, m, d_k, d_v): return n * m * (d_k + d_v)
""",
    ),
    (
        "noam_lr",
        "d_model itself",
        "noam-width-not-rooted",
        "def noam_lr(step, d, w):\n    return 1 / d * min(1 / step ** 0.5, step * w ** -1.5)\n",
    ),
    (
        "noam_lr",
        "the larger branch",
        "noam-max-for-min",
        "def noam_lr(step, d, w):\n    return d ** -0.5 * max(step ** -0.5, step * w ** -1.5)\n",
    ),
    (
        "noam_lr",
        "linear warm-up, then constant",
        "noam-constant-after-warmup",
        "def noam_lr(step, d, w):\n    return (d * w) ** -0.5 * min(1.0, step / w)\n",
    ),
    (
        "noam_lr",
        "a factor of its own",
        "noam-extra-factor",
        "def noam_lr(step, d, w):\n    return 0.7 * d ** -0.5 * min(step ** -0.5, step * w ** -1.5)\n",
    ),
    (
        "noam_lr",
        "cosine decay",
        "",
        """
import math
def noam_lr(step, d, w):
    peak = (d * w) ** -0.5
    return peak * step / w if step < w else peak * 0.5 * (1 + math.cos(math.pi * min(1, (step - w) / (10 * w))))
""",
    ),
    (
        "adam",
        "eps inside, no correction",
        "adam-no-bias-correction + adam-eps-inside-root",
        """
import numpy as np
def adam_step(p, g, m, v, t, lr, b1=0.9, b2=0.98, eps=1e-9):
    m = b1 * m + (1 - b1) * g; v = b2 * v + (1 - b2) * g ** 2
    return p - lr * m / np.sqrt(v + eps), m, v
""",
    ),
    (
        "adam",
        "library defaults",
        "adam-wrong-defaults",
        """
import numpy as np
def adam_step(p, g, m, v, t, lr, b1=0.9, b2=0.999, eps=1e-8):
    m = b1 * m + (1 - b1) * g; v = b2 * v + (1 - b2) * g ** 2
    return p - lr * (m / (1 - b1 ** t)) / (np.sqrt(v / (1 - b2 ** t)) + eps), m, v
""",
    ),
    (
        "adam",
        "in place",
        "adam-updates-in-place",
        """
import numpy as np
def adam_step(p, g, m, v, t, lr, b1=0.9, b2=0.98, eps=1e-9):
    m *= b1; m += (1 - b1) * g; v *= b2; v += (1 - b2) * g ** 2
    p -= lr * (m / (1 - b1 ** t)) / (np.sqrt(v / (1 - b2 ** t)) + eps)
    return p, m, v
""",
    ),
    (
        "adam",
        "plain gradient descent",
        "",
        "def adam_step(p, g, m, v, t, lr, b1=0.9, b2=0.98, eps=1e-9):\n    return p - lr * g, m, v\n",
    ),
    (
        "teacher_forcing",
        "labels first",
        "tf-shifted-backwards",
        "def teacher_forcing_pair(t):\n    return t[:, 1:], t[:, :-1]\n",
    ),
    (
        "teacher_forcing",
        "whole target as labels",
        "tf-one-side-uncut",
        "def teacher_forcing_pair(t):\n    return t[:, :-1], t\n",
    ),
    (
        "greedy_decode",
        "one too many, no end",
        "greedy-max-len-off-by-one + greedy-drops-eos",
        """
import numpy as np
def greedy_decode(step_fn, bos, eos, max_len):
    out = [bos]
    for _ in range(max_len):
        t = int(np.argmax(step_fn(out)))
        if t == eos: break
        out.append(t)
    return out
""",
    ),
    (
        "greedy_decode",
        "draws at random",
        "greedy-samples",
        """
import numpy as np
def greedy_decode(step_fn, bos, eos, max_len):
    out = [bos]
    while len(out) < max_len and out[-1] != eos or len(out) == 1 < max_len:
        p = np.exp(step_fn(out)); out.append(int(np.random.choice(len(p), p=p / p.sum())))
    return out
""",
    ),
    (
        "greedy_decode",
        "the last of equals",
        "greedy-tie-goes-to-the-highest",
        """
def greedy_decode(step_fn, bos, eos, max_len):
    out = [bos]
    while len(out) < max_len:
        best, top = 0, float("-inf")
        for i, s in enumerate(step_fn(out)):
            if s >= top: best, top = i, s
        out.append(best)
        if best == eos: break
    return out
""",
    ),
    (
        "beam_search",
        "divides by the length at the end",
        "beam-normalises-by-length",
        """
def beam_search(step_fn, bos, eos, max_len, beam_size):
    beam = [([bos], 0.0)]
    for _ in range(max_len - 1):
        new = []
        for seq, s in beam:
            if len(seq) > 1 and seq[-1] == eos: new.append((seq, s)); continue
            new += [(seq + [t], s + lp) for t, lp in enumerate(step_fn(seq))]
        beam = sorted(new, key=lambda b: b[1], reverse=True)[:beam_size]
    return max(beam, key=lambda b: b[1] / len(b[0]))[0]
""",
    ),
    (
        "beam_search",
        "finished leave the beam",
        "beam-finished-leave-the-beam",
        """
def beam_search(step_fn, bos, eos, max_len, beam_size):
    alive, done = [([bos], 0.0)], []
    for _ in range(max_len - 1):
        new = sorted([(q + [t], s + lp) for q, s in alive for t, lp in enumerate(step_fn(q))], key=lambda b: -b[1])
        done += [b for b in new[:beam_size] if b[0][-1] == eos]
        alive = [b for b in new if b[0][-1] != eos][:beam_size]
        if not alive: break
    return max(done + alive, key=lambda b: b[1])[0]
""",
    ),
    (
        "beam_search",
        "greedy in disguise",
        "beam-size-ignored",
        """
import numpy as np
def beam_search(step_fn, bos, eos, max_len, beam_size):
    seq = [bos]
    while len(seq) < max_len:
        seq.append(int(np.argmax(step_fn(seq))))
        if seq[-1] == eos: break
    return seq
""",
    ),
    (
        "complexity",
        "heads multiply the projections",
        "complexity-multiplied-by-heads",
        """
def count_parameters(d, h, L, f, s, t):
    mha = h * 3 * (d * d + d) + h * d * d + d
    ff = 2 * d * f + f + d
    return (s + t) * d + d * t + t + L * (3 * mha + 2 * ff + 10 * d)
def attention_flops(n, m, d_k, d_v): return n * m * (d_k + d_v)
""",
    ),
    (
        "complexity",
        "heads multiply the whole block",
        "complexity-multiplied-by-heads",
        """
def count_parameters(d, h, L, f, s, t):
    mha = h * 4 * (d * d + d)
    ff = 2 * d * f + f + d
    return (s + t) * d + d * t + t + L * (3 * mha + 2 * ff + 10 * d)
def attention_flops(n, m, d_k, d_v): return n * m * (d_k + d_v)
""",
    ),
    (
        "complexity",
        "flops counted twice, no biases",
        "complexity-no-biases + complexity-flops-counted-twice",
        """
def count_parameters(d, h, L, f, s, t):
    return (s + 2 * t) * d + L * (12 * d * d + 4 * d * f + 10 * d)
def attention_flops(n, m, d_k, d_v): return 2 * n * m * d_k + 2 * n * m * d_v
""",
    ),
    (
        "dropout",
        "active in evaluation",
        "dropout-active-in-evaluation",
        """
import numpy as np
def dropout(x, p, training=True, rng=None):
    rng = rng or np.random.default_rng()
    return x * (rng.random(x.shape) > p) / (1 - p)
""",
    ),
    (
        "dropout",
        "a mask for each column",
        "dropout-shared-mask",
        """
import numpy as np
def dropout(x, p, training=True, rng=None):
    if not training: return x
    rng = rng or np.random.default_rng()
    return x * (rng.random(x.shape[-1]) >= p) / (1 - p)
""",
    ),
    (
        "dropout",
        "rng left out",
        "dropout-ignores-rng",
        """
import numpy as np
def dropout(x, p, training=True, rng=None):
    if not training: return x
    return x * np.random.binomial(1, 1 - p, x.shape) / (1 - p)
""",
    ),
    (
        "dropout",
        "seeded",
        "dropout-fixed-seed",
        """
import numpy as np
def dropout(x, p, training=True, rng=None):
    if not training: return x
    rng = np.random.default_rng(42)
    return x * (rng.random(x.shape) >= p) / (1 - p)
""",
    ),
    (
        "dropout",
        "nothing in training",
        "dropout-training-inverted",
        """
import numpy as np
def dropout(x, p, training=True, rng=None):
    if training: return x
    rng = rng or np.random.default_rng()
    return x * (rng.random(x.shape) >= p) / (1 - p)
""",
    ),
    (
        "dropout",
        "noise of another kind",
        "",
        """
import numpy as np
def dropout(x, p, training=True, rng=None):
    if not training or p == 0: return x
    rng = rng or np.random.default_rng()
    return np.where(rng.random(x.shape) < p, -1.0, x / (1 - p))
""",
    ),
)
