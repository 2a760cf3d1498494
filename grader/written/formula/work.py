"""How much work a formula is worth: what takes more goes to a person, however its steps are spread."""

from __future__ import annotations

from dataclasses import dataclass

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
