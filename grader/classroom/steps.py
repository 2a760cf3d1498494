"""What led to a grade, a sentence each: for the student's feedback, the gradebook and the history."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that made the grade what it is; of a ``criterion`` where it is about one."""

    said: str
    criterion: str = ""

    def __str__(self) -> str:
        return self.told({})

    def told(self, titles: Mapping[str, str]) -> str:
        """The sentence, with the title of its criterion in the place of the id where there is one."""
        return f"{titles.get(self.criterion, self.criterion)}: {self.said}" if self.criterion else self.said


NOTHING = Step("nothing was handed in")
