"""What a check in place gives: a report that prints itself, and an assertion that says what is wrong."""

from collections.abc import Iterator
from dataclasses import dataclass

from grader.model.outcome import Verdict
from grader.model.report import Report


@dataclass(frozen=True, repr=False)
class Result:
    """A report with the manners of a value: it prints as the report, in a notebook as a page.

    Its truth is True, or AssertionError with the finding: ``assert check(…)`` says what is wrong in any test suite.
    Where one only wants to know, there is ``passed``.
    """

    report: Report

    @property
    def score(self) -> float:
        """Points earned."""
        return float(self.report.score)

    @property
    def max_score(self) -> float:
        """Points to be had, bonus left out."""
        return float(self.report.max_score)

    @property
    def fraction(self) -> float:
        """Share of the points earned, in [0, 1]."""
        return min(self.score / self.max_score, 1.0) if self.max_score else 1.0

    @property
    def passed(self) -> bool:
        """Whether no point is lost; one that waits for a person is not. Raises RuntimeError for a fault of ours."""
        marks = self.report.marks
        faults = [o for mark in marks for o in mark.outcomes if o.verdict is Verdict.FAULT]
        if faults:
            raise RuntimeError(f"the grader itself failed at {faults[0].check}:\n{faults[0].staff_note}")
        lost = (mark.points + mark.pending < mark.criterion.points for mark in marks if not mark.criterion.bonus)
        return not self.report.unreadable and not any(lost)

    def require(self) -> None:
        """Raise AssertionError with what is wrong, where something is."""
        if not self.passed:
            raise AssertionError("\n".join(self._wrong()))

    def __bool__(self) -> bool:
        """Return True; raise AssertionError with what is wrong where something is."""
        self.require()
        return True

    def __str__(self) -> str:
        """Return the report as a terminal shows it, without colours."""
        from grader.report import terminal

        return terminal.render(self.report, "student", width=80)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The report for a notebook: a page of its own, which neither takes the notebook's style nor changes it."""
        from html import escape

        from grader.report import page

        text = escape(page.render(self.report, "student"))
        style = "width: 100%; height: 32rem; border: 1px solid #8884; resize: vertical"
        return f'<iframe title="report" sandbox="" style="{style}" srcdoc="{text}"></iframe>'

    def _wrong(self) -> Iterator[str]:
        from grader.report.absent import told
        from grader.report.findings import findings
        from grader.report.spelled import spelled
        from grader.report.view import as_seen

        seen = as_seen(self.report, "student")
        if seen.report.unreadable:
            yield seen.report.unreadable
        for finding in findings(seen):
            yield finding.heading
            if where := finding.about():
                yield where
            yield from spelled(finding)
        yield from (one.text for one in told(seen.report))
