# expected: fail|exc|crash|timeout
# safe-outcome: threads that torch or numpy start by themselves end with the child, and a changed default costs only this submission
# stopped-by: own process; a fresh child for every ask
import numpy as np
import torch

torch.set_num_threads(64)
torch.set_default_dtype(torch.float16)
torch.set_grad_enabled(False)
torch.use_deterministic_algorithms(True)
torch.nn.functional.softmax = torch.softmax = torch.Tensor.softmax = lambda *args, **kwargs: torch.zeros(1)
torch.Tensor.numpy = torch.Tensor.cpu = torch.Tensor.detach = lambda self: 1 / 0


def softmax(x):
    waiting = [torch.jit.fork(lambda: torch.ones(300, 300) @ torch.ones(300, 300)) for _ in range(20)]
    (torch.rand(900, 900) @ torch.rand(900, 900)).sum()
    return np.zeros_like(x) if HINTS["variant"] % 2 else waiting
