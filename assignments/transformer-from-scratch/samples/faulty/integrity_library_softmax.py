# faulty  component: integrity
# what: the library's softmax, which the hand-out forbids
import numpy as np
import torch


def softmax(x, axis=-1):
    return torch.softmax(torch.as_tensor(np.asarray(x, dtype=float)), dim=axis).numpy()
