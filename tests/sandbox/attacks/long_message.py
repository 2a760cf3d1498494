# expected: exc
# safe-outcome: a message of millions of combining marks is cut
# stopped-by: cut before it is sent; cut again before it is shown
class Long(Exception):
    def __str__(self):
        return "a" + "\u0301\u0489" * 3_000_000


Long.__name__ = "L" * 1_000_000


def softmax(x):
    raise Long from ValueError("x" * 1_000_000)
