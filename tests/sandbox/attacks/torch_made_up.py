# expected: protocol|fail|crash|exc|timeout
# safe-outcome: a torch of the submission's own changes only what it sends
# stopped-by: forms and values are judged in the grader
import sys
import types

import numpy as np

torch = types.ModuleType("torch")


class Tensor:
    pass


torch.Tensor = Tensor
torch.nn = torch.no_grad = torch.enable_grad = torch.set_default_dtype = torch.get_rng_state = lambda *args, **kwargs: 1 / 0
sys.modules["torch"] = torch


def softmax(x):
    return Tensor()
