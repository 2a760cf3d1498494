# misconception: softmax-no-max-shift  component: softmax
import numpy as np

def softmax(x, axis=-1):
    """softmax_i = e^{x_i} / sum_j e^{x_j}"""
    num = np.power(np.e, x)
    den = np.add.reduce(num, axis=axis, keepdims=True)
    return (num / den).astype(np.result_type(x, np.float32) if np.asarray(x).dtype.kind == "f" else float)
