# expected: fail|exc|protocol|crash
# safe-outcome: encodings and error handlers that are replaced change this child's own texts only
# stopped-by: texts are decoded in the grader
import codecs
import encodings
import json

import numpy as np

codecs.register(lambda name: codecs.CodecInfo(lambda text, errors="": (b"LEAK", len(text)), lambda data, errors="": ("LEAK", len(data)), name=name))
for name in ("replace", "strict", "ignore", "backslashreplace", "surrogateescape", "surrogatepass"):
    codecs.register_error(name, lambda error: ("\ud800::error::", error.end))
encodings._cache.clear()
encodings.search_function = lambda name: None


def softmax(x):
    print("\ud800\u202e" * 99)
    json.JSONEncoder.encode = json.dumps = lambda *a, **k: '{"n":"x"}'
    if x.shape == (7,):
        raise ValueError("\ud800\udfff\x1b[2J" * 99)
    return np.zeros_like(x)
