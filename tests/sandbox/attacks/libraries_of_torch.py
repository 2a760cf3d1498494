# expected: fail
# standard: open
# safe-outcome: torch opens no file, loads no library, starts no process, unpickles nothing in the grader and reaches no host
# stopped-by: Landlock; seccomp; private root
import os

import torch


def probe():
    rubric, made = HINTS["rubric"], os.path.join(HINTS["drop_dir"], "made")
    tries = {
        "load": lambda: torch.load(rubric, weights_only=False), "save": lambda: torch.save(torch.ones(2), made), "library": lambda: torch.ops.load_library(rubric),
        "from_file": lambda: torch.from_file(rubric, size=4), "shared file": lambda: torch.from_file(made, shared=True, size=4), "jit": lambda: torch.jit.load(rubric),
        "shared memory": lambda: torch.ones(4).share_memory_(), "storage": lambda: torch.UntypedStorage.from_file(made, True, 8),
        "text": lambda: torch.serialization.load(open(rubric, "rb")),
        "workers": lambda: list(torch.utils.data.DataLoader([1, 2], num_workers=1, timeout=1)), "hub": lambda: torch.hub.load_state_dict_from_url(f"http://127.0.0.1:{HINTS['tcp_port']}/x", made),
    }
    lines = []
    for name, attempt in tries.items():
        try:
            attempt()
            lines.append(f"LEAK: {name}")
        except Exception as error:
            lines.append(f"BLOCKED: {name} {type(error).__name__}")
    return lines
