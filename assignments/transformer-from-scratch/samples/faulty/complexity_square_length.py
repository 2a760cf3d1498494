# faulty  component: complexity
# what: takes n squared for both products, which is right only where n = m
def attention_flops(n, m, d_k, d_v):
    return n * n * d_k + n * n * d_v
