# expected: exc|crash
# safe-outcome: a traceback of thousands of lines, or in files that are not there, is cut and placed in the student's own
# stopped-by: cut; only known file names
def deeper(n):
    if n:
        return deeper(n - 1)
    exec(compile("raise ValueError('x')", "hw.py", "exec"))


def softmax(x):
    exec(compile("\n" * 2_000_000 + "deeper(300)", "hw.py", "exec"), globals())
