# expected: fail
# standard: open
# safe-outcome: what is installed beside numpy is neither listed nor read
# stopped-by: Landlock; private root; only listed packages
import importlib.metadata
import inspect
import os
import pkgutil
import sys

import numpy as np


def probe():
    lines = []
    site = os.path.dirname(os.path.dirname(np.__file__))
    names = {d.metadata["Name"] for d in importlib.metadata.distributions(path=[site])}
    lines.append(f"LEAK: {names}" if names - {"numpy", None} else "BLOCKED: no distributions")
    found = {m.name for m in pkgutil.iter_modules([site])} & {"grader", "reference", "pydantic", "click"}
    for name in sorted(found) or ["grader"]:
        try:
            inside = os.listdir(os.path.join(site, name))
            lines.append(f"LEAK: {name} {inside[:3]}")
        except OSError as error:
            lines.append(f"BLOCKED: {name} {error.errno}")
    for name, module in list(sys.modules.items()):
        if name.startswith("room"):
            try:
                text = inspect.getsource(module)
                lines.append(f"LEAK: source of {name} {len(text)}")
            except (OSError, TypeError) as error:
                lines.append(f"BLOCKED: source of {name} {error}")
    return lines
