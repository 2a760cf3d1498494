# expected: fail
# standard: open
# safe-outcome: machinery of imports, resources and archives opens no file that is not listed
# stopped-by: Landlock; private root
import importlib.machinery
import importlib.util
import linecache
import os
import runpy
import sys
import tokenize
import zipimport

import numpy as np


def probe():
    lines = []
    for name in ("rubric", "oracle", "sibling_file"):
        path = HINTS[name]
        for word, attempt in {
            "source loader": lambda: importlib.machinery.SourceFileLoader("m", path).get_data(path),
            "extension": lambda: importlib.machinery.ExtensionFileLoader("m", path).create_module(importlib.util.spec_from_file_location("m", path)) and "",
            "zip": lambda: zipimport.zipimporter(path),
            "run path": lambda: runpy.run_path(path),
            "tokenize": lambda: tokenize.open(path).read(),
            "numpy": lambda: np.fromfile(path, np.uint8).tobytes(),
            "memmap": lambda: bytes(np.memmap(path, np.uint8, "r")),
            "text": lambda: np.genfromtxt(path, str),
            "lines": lambda: linecache.getlines(path)[0],
        }.items():
            try:
                found = attempt()
                lines.append(f"LEAK: {word} {str(found)[:40]}")
            except Exception as error:
                lines.append(f"BLOCKED: {word} {type(error).__name__}")
    sys.path.insert(0, os.path.dirname(HINTS["oracle"]))
    sys.path_importer_cache.clear()
    try:
        import oracle
        lines.append(f"LEAK: import {oracle}")
    except ImportError:
        lines.append("BLOCKED: import")
    return lines
