# faulty  component: complexity
# what: leaves the biases of the linear layers out of the count
def count_parameters(d_model, num_heads, num_layers, d_ff, src_vocab, tgt_vocab):
    attn = 4 * d_model ** 2
    ffn = 2 * d_model * d_ff
    norm = 2 * d_model
    enc = attn + ffn + 2 * norm
    dec = 2 * attn + ffn + 3 * norm
    return (src_vocab + tgt_vocab) * d_model + num_layers * (enc + dec) + d_model * tgt_vocab


def attention_flops(n, m, d_k, d_v):
    return n * m * d_k + n * m * d_v
