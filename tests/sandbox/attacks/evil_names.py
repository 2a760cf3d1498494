# expected: exc|fail
# safe-outcome: names that a submission makes up at run time are cleaned wherever they are shown
# stopped-by: one cleaner for student text
import numpy as np

for tail in ("\x1b[31m", "<img src=x onerror=alert(1)>", "\n::error::forged", "|`", "\u202e", "=1+1", "]]>", "\ud800"):
    globals()["softmax" + tail] = lambda x: np.zeros_like(x)
    globals()["soft_max" + tail] = type("softmax" + tail, (), {})
