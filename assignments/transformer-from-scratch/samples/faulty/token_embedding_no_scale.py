# faulty  component: token_embedding
# what: looks the rows up and does not multiply them by sqrt(d_model)
import numpy as np

def token_embedding(ids, table):
    return np.asarray(table)[np.asarray(ids)]
