# expected: fail|exc|crash|protocol|timeout
# safe-outcome: tensors that are sparse, quantized, lazy, nested, expanded without end or lie about themselves arrive as plain numbers or not at all
# stopped-by: copied in the child; exact types; caps
import torch


class Says(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return cls.right if "numpy" in str(func) else torch.full((4,), 0.25)

    device = property(lambda self: "cpu::error::\x1b[2J" * 9)
    shape = property(lambda self: (4,))
    requires_grad = property(lambda self: "yes")


def softmax(x):
    zeros = torch.zeros(len(x), dtype=torch.float64)
    kinds = (
        lambda: zeros.as_subclass(Says),
        lambda: torch.zeros(1).expand(1 << 40),
        lambda: torch.quantize_per_tensor(torch.zeros(4), 0.1, 0, torch.qint8),
        lambda: torch.sparse_coo_tensor([[0]], [0.25], (1 << 40,)),
        lambda: torch.nested.nested_tensor([zeros, zeros]),
        lambda: torch.empty(1 << 40, device="meta"),
    )
    return kinds[HINTS["variant"]]()
