"""Why a formula cannot be read or evaluated."""

from __future__ import annotations


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
