# expected: fail|exc|protocol|crash
# safe-outcome: the frames below tell the question and nothing of the answer, the rubric or the machine
# stopped-by: the zygote is started clean, by path
import gc
import sys
import types


def probe():
    texts, frame = [], sys._getframe()
    while frame:
        texts += [repr(value)[:3000] for name, value in frame.f_locals.items() if name not in ("texts", "submission", "tree", "table", "program", "step", "HINTS")]
        frame = frame.f_back
    for held in gc.get_objects():
        if isinstance(held, types.ModuleType) and held.__name__ not in ("hw", "linecache"):
            texts += [repr(value)[:300] for value in vars(held).values() if type(value) in (str, list, tuple, bytes)]
    whole = "\n".join(texts)
    words = ("GITHUB_TOKEN", "CANARY-", "rubric.yaml", "oracle.py", "reference", "points", "criteria")
    return [f"LEAK: {word}" if word in whole else f"BLOCKED: no {word}" for word in words]
