# expected: fail|exc|protocol|crash
# safe-outcome: named tuples, dataclasses and subclasses of list, dict, str and int give what they hold, not what they say
# stopped-by: exact types on the wire
import collections
import dataclasses
import enum

import numpy as np

asked = [0]


class Pair(collections.namedtuple("Pair", "output weights")):
    def __iter__(self):
        asked[0] += 1
        return iter([np.ones(4)] * (asked[0] % 5 + 1))

    def __len__(self):
        return 1 << 31

    def __getitem__(self, at):
        raise SystemExit


class Listed(list):
    __iter__ = lambda self: iter(int, 1)
    __len__ = lambda self: -1
    __getitem__ = lambda self, at: self


class Text(str):
    __len__ = lambda self: 1 << 60
    encode = lambda self, *a: b'{"n":"x"}'
    __str__ = __repr__ = lambda self: "LEAK"


class Table(dict):
    items = lambda self: iter([("a", self)] * (1 << 20))
    keys = lambda self: iter(int, 1)
    __iter__ = lambda self: iter(int, 1)


class Number(int):
    __int__ = __index__ = lambda self: 1 << 90
    __repr__ = __str__ = lambda self: "1,2,3"


@dataclasses.dataclass
class Data:
    output: object
    __dict__ = property(lambda self: {"output": [self]})


class Kind(float, enum.Enum):
    one = 1.0


def softmax(x):
    y = np.zeros_like(x)
    return (Pair(y, y), Listed([y]), [Text("a"), Number(3), Kind.one], Table(a=y), Data(y), (Pair(y, y), Listed([Table()])))[HINTS["variant"]]
