# expected: fail|exc|crash|timeout|protocol
# safe-outcome: an operator that is registered anew changes no other child
# stopped-by: a fresh fork for every submission
import torch

library = torch.library.Library("aten", "IMPL")
for name in ("add.Tensor", "mul.Tensor", "exp", "_softmax", "equal", "copy_"):
    try:
        library.impl(name, lambda *args, **kwargs: args[0], "CPU")
    except Exception:
        continue
torch.utils.data.DataLoader = torch.optim.Adam = torch.nn.Module.__call__ = None
