# misconception: softmax-global-max-shift  component: softmax
import math
import numpy as np

def softmax(x, axis=-1):
    x = np.asarray(x)
    lanes = np.moveaxis(x, axis, -1)
    out = np.empty(lanes.shape)
    for where in np.ndindex(lanes.shape[:-1]):
        lane = lanes[where].tolist()
        top = float(x.max())
        powers = [math.exp(v - top) for v in lane]
        total = sum(powers)
        for j, p in enumerate(powers):
            out[where + (j,)] = p / total
    return np.moveaxis(out, -1, axis)
