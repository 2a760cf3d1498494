import numpy as np


def count_parameters(d_model, num_heads, num_layers, d_ff, src_vocab, tgt_vocab):
    a = 4 * (d_model * d_model + d_model)
    f = 2 * d_model * d_ff + d_ff + d_model
    n = 2 * d_model
    return np.int64(num_layers * (a + f + 2 * n) + num_layers * (2 * a + f + 3 * n) + (src_vocab + tgt_vocab) * d_model + tgt_vocab * d_model + tgt_vocab)


def attention_flops(n, m, d_k, d_v):
    return np.array(n * m * (d_k + d_v))
