# expected: fail|exc|crash|timeout
# safe-outcome: a generator that lies about its seed costs its own submission
# stopped-by: the state is a text of the child; values are judged
import random

import numpy as np
import torch


class Generator:
    def manual_seed(self, seed):
        if HINTS["variant"] == 1:
            raise SystemExit(seed)
        print("seed", seed)
        return self

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self

    def tobytes(self):
        return b"x" * (1 << 20)


torch.default_generator = Generator()
torch.manual_seed = torch.get_rng_state = torch.set_rng_state = Generator()
random.getstate = lambda: Generator()
np.random.get_state = lambda: (b"", Generator(), Generator())
np.random.seed = random.seed = lambda *args: None
