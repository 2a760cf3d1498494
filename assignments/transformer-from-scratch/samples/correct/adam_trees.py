# correct  component: adam
import numpy as np


def _single(p, g, m, v, t, lr, b1, b2, eps):
    p, g, m, v = map(np.asarray, (p, g, m, v))
    m_new = b1 * m + (1 - b1) * g
    v_new = b2 * v + (1 - b2) * g * g
    upd = (m_new / (1 - b1 ** t)) / (np.sqrt(v_new / (1 - b2 ** t)) + eps)
    return p - lr * upd, m_new, v_new


def adam_step(params, grads, m, v, step, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    """Works for one array, and also for lists and dicts of arrays (handy for my MLP from homework 1)."""
    args = (step, lr, beta1, beta2, eps)
    if isinstance(params, dict):
        res = {k: _single(params[k], grads[k], m[k], v[k], *args) for k in params}
        return tuple({k: r[i] for k, r in res.items()} for i in range(3))
    if isinstance(params, (list, tuple)):
        res = [_single(*four, *args) for four in zip(params, grads, m, v)]
        return tuple([r[i] for r in res] for i in range(3))
    return _single(params, grads, m, v, *args)
