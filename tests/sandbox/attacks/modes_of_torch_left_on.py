# expected: fail|exc|crash|timeout|protocol
# safe-outcome: a mode that takes over every function of torch works in its own child alone
# stopped-by: values are decoded from bytes and judged in the grader
import numpy as np
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode


class Functions(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return args[0] if args else None


class Dispatch(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise SystemExit(str(func))


if HINTS["variant"] % 3 == 0:
    Functions().__enter__()
elif HINTS["variant"] % 3 == 1:
    Dispatch().__enter__()
else:
    torch.set_default_device("meta")
    torch.inference_mode().__enter__()
torch.set_grad_enabled = torch.no_grad = torch.set_default_dtype = None


def softmax(x):
    return torch.zeros(x.shape) if HINTS["variant"] > 2 else np.zeros_like(x)
