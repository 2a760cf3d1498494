# correct  component: complexity
def count_parameters(d_model, num_heads, num_layers, d_ff, src_vocab, tgt_vocab):
    d, f = d_model, d_ff
    # per layer pair: 3 attentions, 2 FFNs, 5 norms
    per_layer = 12 * d * d + 12 * d + 4 * d * f + 2 * f + 2 * d + 10 * d
    return num_layers * per_layer + d * (src_vocab + 2 * tgt_vocab) + tgt_vocab

def attention_flops(n, m, d_k, d_v):
    return n * m * (d_k + d_v)
