# expected: fail|exc|crash|protocol
# safe-outcome: replacing the code of the child's own functions changes only what comes back
# stopped-by: the grader trusts no word of it
import gc
import sys
import types

import numpy as np

for function in [each for each in gc.get_objects() if isinstance(each, types.FunctionType)]:
    if str(function.__module__).startswith("room") and function.__name__ in ("status_of", "describe", "_name"):
        function.__code__ = (lambda *args, **kwargs: "value").__code__
for name, module in list(sys.modules.items()):
    if name.startswith("room") and hasattr(module, "Writer"):
        module.Writer._array = lambda self, value: ["<f8", [4], 0]
        module.Writer.frame = lambda self, tree, real=module.pack: real(tree, np.full(4, 0.25).tobytes())
        module.MAX_TREE = module.MAX_BLOB = 1 << 62


def softmax(x):
    return x
