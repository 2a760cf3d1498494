# expected: fail|exc|crash|protocol
# safe-outcome: a tensor over memory that is given back is read once, or not at all
# stopped-by: a crash is a verdict; bytes are copied as they are sent
import ctypes

import numpy as np
import torch


def softmax(x):
    if HINTS["variant"] == 0:
        made = torch.zeros(x.size, dtype=torch.float64)
        made.untyped_storage().resize_(0)
        return made
    if HINTS["variant"] == 1:
        return torch.as_strided(torch.zeros(1), (1 << 28,), (0,))
    if HINTS["variant"] == 2:
        return torch.zeros(1).expand(1 << 30)
    if HINTS["variant"] == 3:
        return torch.zeros(x.shape, dtype=torch.complex128).conj()
    if HINTS["variant"] == 4:
        return torch.sparse_coo_tensor([[1 << 40]], [1.0], (1 << 41,))
    return torch.from_numpy(np.ctypeslib.as_array((ctypes.c_double * x.size).from_address(id(x))))
