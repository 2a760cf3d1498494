# expected: timeout
# safe-outcome: a regular expression that takes for ever is ended from outside
# stopped-by: SIGKILL; nothing inside is asked
import re


def softmax(x):
    return re.match(r"(a+)+$", "a" * 60 + "b")
