"""A component is one file: its oracle, its ladder of cases and its checks together; its mistakes are in the catalogue.

Registration is local to the object: a decorator returns the function and puts a frozen record into the
component's own tuple. There is no scan and no global registry.
"""

from grader.component.calls import Call, Case

__all__ = ["Call", "Case"]
"""What a course's own checks begin with."""
