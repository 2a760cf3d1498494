# correct  component: complexity
def linear(i, o):
    return i * o + o


def count_parameters(d_model, num_heads, num_layers, d_ff, src_vocab, tgt_vocab):
    mha = 4 * linear(d_model, d_model)
    ffn = linear(d_model, d_ff) + linear(d_ff, d_model)
    ln = 2 * d_model
    total = (src_vocab + tgt_vocab) * d_model
    for _ in range(num_layers):
        total += (mha + ln) + (ffn + ln)                # encoder
        total += (mha + ln) + (mha + ln) + (ffn + ln)   # decoder
    return total + linear(d_model, tgt_vocab)


def attention_flops(n, m, d_k, d_v):
    qk = n * m * d_k
    av = n * m * d_v
    return qk + av
