import math


def softmax(x):
    if hasattr(x[0], '__len__'):
        return [softmax(row) for row in x]
    top = max(x)
    e = [math.exp(v - top) for v in x]
    s = sum(e)
    return [v / s for v in e]


def self_attention(Q, K, V):
    d = len(Q[0])
    scores = [[sum(a * b for a, b in zip(q, k)) / math.sqrt(d) for k in K] for q in Q]
    w = softmax(scores)
    out = [[sum(wi * v[j] for wi, v in zip(row, V)) for j in range(len(V[0]))] for row in w]
    return out, w
