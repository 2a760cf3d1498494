"""The formulas of one report: each is judged once for a kind, and all together take a bounded amount of work."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.written.formula import FormulaVerdict

MOST_WORK = 400_000
"""Work on all formulas of a report. A derivation of 14 lines with a mistake takes 100,000, a usual report 2,000."""
A_FORMULA = 50
"""What looking at one takes beside the work on what it holds."""


class TooMuchToReadError(Exception):
    """The formulas of a report take more work than a report is worth."""


@dataclass(eq=False)
class FormulasRead:
    """What was found about the formulas of a report so far, and the work it took.

    All questions about a report share it; they come in the order of the key, so that the same report always gives the
    same verdicts. Nothing depends on what other reports held: a verdict carries the work that it took.
    """

    found: dict[tuple[str, str], FormulaVerdict] = field(default_factory=dict)
    work: int = 0

    def judge(self, kind: str, source: str) -> FormulaVerdict:
        """Judge one formula, as judge_formula does. Raises TooMuchToReadError where too much was done before."""
        if (kind, source) not in self.found:
            if self.work > MOST_WORK:
                raise TooMuchToReadError
            verdict = self.found[kind, source] = _judged(kind, source)
            self.work += verdict.work + A_FORMULA
        return self.found[kind, source]


@lru_cache(maxsize=4096)
def _judged(kind: str, source: str) -> FormulaVerdict:
    from grader.written.formula import judge_formula

    return judge_formula(kind, source)
