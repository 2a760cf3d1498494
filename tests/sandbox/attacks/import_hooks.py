# expected: fail|exc|crash|protocol
# safe-outcome: hooks, reloads and replaced modules stay in the child
# stopped-by: own process; verdicts in the grader
import builtins
import importlib
import sys
import types

import numpy as np


class Hook:
    def find_spec(self, name, path=None, target=None):
        raise SystemExit(0)


real = builtins.__import__


def patched(name, *args, **kwargs):
    module = real(name, *args, **kwargs)
    if name == "numpy":
        module.allclose = module.array_equal = lambda *a, **k: True
    return module


builtins.__import__ = patched
sys.meta_path.insert(0, Hook())
sys.path_hooks.clear()
sys.path_importer_cache.clear()
for name in ("json", "struct", "hashlib", "copy"):
    sys.modules[name] = types.ModuleType(name)
for name in [name for name in sys.modules if name.startswith("room")]:
    try:
        importlib.reload(sys.modules[name])
    except BaseException:
        pass
