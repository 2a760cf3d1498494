"""Training and decoding as students get them wrong, each with its slip and the name that it is to have."""

from __future__ import annotations

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
        "seeded where no generator is passed",
        "dropout-fixed-seed",
        """
import numpy as np
def dropout(x, p, training=True, rng=None):
    if not training: return x
    if rng is None: rng = np.random.default_rng(0)
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
