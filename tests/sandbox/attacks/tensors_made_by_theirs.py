# expected: fail|exc|crash|protocol
# safe-outcome: what turns arrays into tensors and back may be replaced: it makes values, and they are judged
# stopped-by: values are compared in the grader
import numpy as np
import torch

seen = []
real = torch.from_numpy


def made(array):
    seen.append(array)
    return real(array)


torch.from_numpy = torch.tensor = torch.as_tensor = made
torch.Tensor.numpy = lambda self, *args, **kwargs: seen[-1] if seen else np.zeros(4)
torch.Tensor.detach = torch.Tensor.cpu = torch.Tensor.contiguous = lambda self: self
torch.Tensor.__eq__ = torch.Tensor.equal = lambda self, other: True
torch.equal = torch.allclose = lambda *args, **kwargs: True


def softmax(x):
    return real(np.zeros_like(x))
