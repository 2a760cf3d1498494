"""A component is one file: its oracle, its ladder of cases and its checks together; its mistakes are in the catalogue.

Registration is local to the object: a decorator returns the function and puts a frozen record into the
component's own tuple. There is no scan and no global registry.
"""

from grader.component.calls import (
    Answered,
    Call,
    Case,
    Differentiated,
    Inputs,
    Ladder,
    NoValue,
    Refused,
    Rng,
    StepFn,
    Wanted,
    Watched,
    live,
)
from grader.component.checks import Check, Evidence, Found, Misconception, Oracle, passes, passes_batches, together
from grader.component.component import Component, as_written
from grader.component.convention import Convention, Settled

__all__ = [
    "Answered",
    "Call",
    "Case",
    "Check",
    "Component",
    "Convention",
    "Differentiated",
    "Evidence",
    "Found",
    "Inputs",
    "Ladder",
    "Misconception",
    "NoValue",
    "Oracle",
    "Refused",
    "Rng",
    "Settled",
    "StepFn",
    "Wanted",
    "Watched",
    "as_written",
    "live",
    "passes",
    "passes_batches",
    "together",
]
