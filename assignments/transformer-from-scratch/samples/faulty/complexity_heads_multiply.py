# faulty  component: complexity
# what: multiplies the attention parameters by the number of heads
def count_parameters(d_model, num_heads, num_layers, d_ff, src_vocab, tgt_vocab):
    qkv = 3 * num_heads * (d_model * d_model + d_model)
    attn = qkv + d_model * d_model + d_model
    ffn = d_model * d_ff + d_ff + d_ff * d_model + d_model
    ln = 2 * d_model
    layers = num_layers * (attn + ffn + 2 * ln + 2 * attn + ffn + 3 * ln)
    return layers + src_vocab * d_model + tgt_vocab * d_model + d_model * tgt_vocab + tgt_vocab


def attention_flops(n, m, d_k, d_v):
    return n * m * (d_k + d_v)
