"""The checks inside a test suite, a notebook or another autograder: the host isolates, or nobody has to.

``check`` judges a function or a torch module that is there already, in this process; ``grade`` reads a file and has its
code run in a process beside, as the command does.
"""

from grader.testing.checking import check
from grader.testing.grading import grade
from grader.testing.result import Result

__all__ = ["Result", "check", "grade"]
