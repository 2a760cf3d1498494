"""The version of this grader, in the one place."""

__version__ = "0.2.0"
