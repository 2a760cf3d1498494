# expected: fail
# standard: open
# safe-outcome: the grader's own oracle cannot be imported, not even with its folder on sys.path
# stopped-by: only listed packages are bound and found
import importlib
import os
import sys

import numpy as np


def probe():
    lines = []
    site = os.path.dirname(os.path.dirname(np.__file__))
    sys.path[:0] = [site, os.path.join(os.path.dirname(os.__file__), "site-packages")]
    sys.meta_path[:] = [finder for finder in sys.meta_path if "Path" in str(finder)]
    importlib.invalidate_caches()
    for name in ("reference", "grader", "grader.components", "pytest", "click"):
        try:
            lines.append(f"LEAK: imported {importlib.import_module(name).__file__}")
        except (ImportError, OSError) as error:
            lines.append(f"BLOCKED: {name} {error}")
    return lines
