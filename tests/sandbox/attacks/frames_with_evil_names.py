# expected: exc
# safe-outcome: names, files and lines of code objects are shown as plain capped text and lead to no file
# stopped-by: frames are the student's own by name of a known file; one cleaner
import numpy as np

NAMES = ("\x1b[2J\x1b]0;x\x07", "::error::x\n::add-mask::", "=cmd|' /C calc'!A0", "<script>alert(1)</script>", "x" * 500_000, "\u202e\ud800")


def softmax(x):
    def inner():
        raise ValueError("inner")

    name = NAMES[HINTS["variant"]]
    code = inner.__code__
    for file in ("hw.py", "/etc/passwd", HINTS["rubric"], name):
        try:
            evil = code.replace(co_filename=file, co_name=name, co_qualname=name, co_firstlineno=(1 << 30) + 5)
        except (ValueError, UnicodeEncodeError):
            continue
        inner.__code__ = evil
        if file == "hw.py" or HINTS["variant"] % 2:
            inner()
    inner()
