# kind: session
# expected: fail|exc
# safe-outcome: a form finds no answers and nothing of the grader behind it
# stopped-by: the source is sent by value; the zygote knows no answers
import gc
import linecache
import sys
import types


def probe():
    modules = [name for name, module in list(sys.modules.items()) if isinstance(module, types.ModuleType)]
    bad = [f"LEAK: module {name}" for name in modules if name.split(".")[0] in ("reference", "grader", "pytest")]
    code = [one for one in gc.get_objects() if isinstance(one, types.FunctionType)]
    bad += [f"LEAK: {one.__qualname__}" for one in code if str(one.__module__).startswith(("reference", "grader"))]
    return [*bad, f"INFO: {len(linecache.cache)} files", "BLOCKED: no answers found"]
