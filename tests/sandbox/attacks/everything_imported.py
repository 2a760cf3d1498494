# expected: fail|exc|crash|timeout
# safe-outcome: importing all there is starts nothing, opens nothing and writes nothing
# stopped-by: seccomp; Landlock; listed packages alone
import importlib
import io
import sys


PASSED = {"this", "antigravity", "idlelib", "turtledemo", "__main__", "test", "lib2to3"}


def probe():
    got = 0
    real, sys.stdout = sys.stdout, io.StringIO()
    for name in sorted(sys.stdlib_module_names - PASSED)[HINTS["grader_pid"] % 3 :: 3]:
        try:
            importlib.import_module(name)
            got += 1
        except BaseException:
            pass
    lines = [f"INFO: {got} modules"]
    for name in ("grader", "reference", "pytest", "yaml", "pip", "setuptools", "hypothesis", "pydantic"):
        try:
            importlib.import_module(name)
            module = sys.modules[name]
            lines.append(f"LEAK: {name}" if getattr(module, "__file__", None) else f"INFO: {name} is a stand-in")
        except ImportError:
            lines.append(f"BLOCKED: {name}")
    try:
        importlib.import_module("antigravity")
        lines.append("INFO: no browser was found")
    except OSError as error:
        lines.append(f"BLOCKED: a browser {error.errno}")
    sys.stdout = real
    return lines
