"""An assignment with a check and a component of the course's own, and a right solution."""

ASSIGNMENT = """\
schema: grader/assignment/v1
id: mine
version: "1"
title: Mine
components:
  softmax:
    parameters: [x]
  double:
    parameters: [x]
"""
RUBRIC = """\
schema: grader/rubric/v1
id: mine
assignment: mine
version: "1"
title: Mine
criteria:
  - {id: softmax, title: Softmax, points: 4, checks: [softmax.matches_the_definition, softmax.knows_its_temperature]}
  - {id: double, title: Double, points: 6, checks: [double.*]}
"""
CHECKS = '''\
import numpy as np

from grader.component import Call, Case
from grader.components.own import part
from grader.properties import near

softmax = part("softmax")


@softmax.check(ask=lambda x, **_: (Call({"x": x}), Call({"x": x + 1.0})), on="plain", most=2)
def knows_its_temperature(got, moved, **inputs):
    """Adding one number to all scores changes nothing."""
    return near(moved, got)


def workshop(x, *, times=2.0):
    return times * x


double = part(
    "double",
    oracle=workshop,
    workshop=workshop,
    cases=[Case({"x": np.array([1.0, -2.0])}, "two numbers"), Case({"x": np.ones((2, 3))}, "a matrix of ones")],
    title="Twice as much",
)
double.knows(
    "double-triples",
    title="Everything is three times as large.",
    question="What is twice 1?",
    look="Look at the number that you multiply by.",
    why="Twice is times two.",
    function=[{"times": 3.0}],
)
'''
RIGHT = """\
import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def double(x):
    return x + x
"""
