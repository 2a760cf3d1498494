"""Why a formula cannot be read or evaluated, and how much work it is worth."""

from __future__ import annotations

from dataclasses import dataclass


class FormulaError(Exception):
    """A formula that cannot be read or evaluated; the message says why, in a student's words."""


class UnreadableError(FormulaError):
    """The text has no reading in our grammar."""


class ShapeError(FormulaError):
    """Two parts do not fit together, for instance because a transpose is missing."""


class UnknownNameError(FormulaError):
    """A symbol with no meaning in this kind of formula."""

    def __init__(self, name: str) -> None:
        super().__init__(f"The symbol “{name}” is not one we know here.")
        self.name = name


MOST_WORK = 50_000
"""Steps of the values of its readings, and what is counted in such steps; what students write takes up to 12,000."""
A_CHARACTER = 5
"""What reading a character takes."""
AN_EVALUATION = 10
"""What one evaluation takes beside the steps of what was written: the key's own, and the comparison."""


class TooMuchWorkError(Exception):
    """A formula takes more work than it is worth. No FormulaError: no reading of it may go on without a thought."""


@dataclass(eq=False)
class Work:
    """What was done for one formula so far."""

    done: int = 0

    def add(self, amount: int) -> None:
        """Count some more. Raises TooMuchWorkError."""
        self.done += amount
        if self.done > MOST_WORK:
            raise TooMuchWorkError
