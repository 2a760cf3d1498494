# faulty  component: token_embedding
# what: divides by sqrt(d_model) instead of multiplying
def token_embedding(ids, table):
    rows = table[ids]
    return rows / rows.shape[-1] ** 0.5
