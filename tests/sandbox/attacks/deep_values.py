# expected: exc|fail|crash|protocol|timeout
# safe-outcome: values nested without end, or endless, are refused in the child
# stopped-by: depth and size caps
import itertools


class Endless(list):
    __iter__ = lambda self: itertools.repeat(0.25)


class Items(dict):
    items = lambda self: itertools.repeat(("k", 0.25))


def softmax(x):
    deep = []
    for _ in range(200_000):
        deep = [deep]
    own = []
    own.append(own)
    return (deep, own, Endless(), Items(), {"a": own}, ((((deep,),),),))[HINTS["variant"]]
