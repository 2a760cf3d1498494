# correct  component: positional_encoding
import numpy as np


def get_angles(pos, i, d_model):
    rates = 1 / np.power(10000, (2 * (i // 2)) / np.float64(d_model))
    return pos * rates


def positional_encoding(max_len, d_model):
    angle_rads = get_angles(np.arange(max_len)[:, np.newaxis], np.arange(d_model)[np.newaxis, :], d_model)
    even = np.arange(d_model) % 2 == 0
    return np.where(even, np.sin(angle_rads), np.cos(angle_rads))
