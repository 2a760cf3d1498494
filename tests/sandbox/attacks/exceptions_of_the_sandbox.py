# expected: exc|crash|fail|protocol|timeout
# safe-outcome: the sandbox's own exceptions, raised by the submission, end in an ordinary verdict
# stopped-by: statuses by name; nothing is paid for them
import importlib

import numpy as np


def softmax(x):
    failures = importlib.import_module("room.failures")
    wire = importlib.import_module("room.wire")
    loading = importlib.import_module("room.loading")
    raise (
        failures.Missing("softmax is not defined"),
        wire.ProtocolError("x"),
        wire.Unsendable("\x1b[2J"),
        loading.Stopped("x"),
        MemoryError("passed"),
        KeyboardInterrupt(),
    )[HINTS["variant"]]
