# correct  component: scaled_dot_product_attention
import math
import numpy as np


def _one_matrix(q, k, v, allowed):
    n, d = q.shape
    m = k.shape[0]
    w = np.zeros((n, m), dtype=np.result_type(q, k))
    for i in range(n):
        s = [float(np.dot(q[i], k[j])) / math.sqrt(d) if allowed[i, j] else None for j in range(m)]
        live = [t for t in s if t is not None]
        if not live:
            continue
        big = max(live)
        es = [0.0 if t is None else math.exp(t - big) for t in s]
        tot = sum(es)
        for j in range(m):
            w[i, j] = es[j] / tot
    return w @ v, w


def scaled_dot_product_attention(Q, K, V, mask=None):
    Q, K, V = (np.asarray(t) for t in (Q, K, V))
    Q, K, V = (t if t.dtype.kind == "f" else t.astype(float) for t in (Q, K, V))
    lead = np.broadcast_shapes(Q.shape[:-2], K.shape[:-2], V.shape[:-2])
    n, m = Q.shape[-2], K.shape[-2]
    Qb = np.broadcast_to(Q, lead + Q.shape[-2:])
    Kb = np.broadcast_to(K, lead + K.shape[-2:])
    Vb = np.broadcast_to(V, lead + V.shape[-2:])
    ok = np.ones(lead + (n, m), bool) if mask is None else np.broadcast_to(mask, lead + (n, m))
    out = np.zeros(lead + (n, V.shape[-1]), dtype=np.result_type(Q, V))
    att = np.zeros(lead + (n, m), dtype=Q.dtype)
    for ix in np.ndindex(*lead):
        out[ix], att[ix] = _one_matrix(Qb[ix], Kb[ix], Vb[ix], ok[ix])
    return out, att
