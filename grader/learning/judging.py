"""A solution judged as a student's work is, under what is learned of it or something else."""

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from grader.learning.trial import LIMITS
from grader.model.assignment import Assignment, Interface
from grader.model.outcome import Outcome, Verdict
from grader.model.submission import Submission
from grader.sandbox.parent import Sandbox

Lost = Mapping[str, tuple[Outcome, ...]]
"""The checks that are not passed, by component."""


@dataclass(frozen=True, slots=True)
class Judging:
    """One solution and what it has lost under the interfaces so far: nothing is judged twice.

    Where it is ``late`` nothing further is tried.
    """

    run: Submission
    sandbox: Sandbox
    torch: bool
    late: Callable[[], bool]
    known: dict[bytes, Lost] = field(default_factory=dict)

    def lost(self, interfaces: Sequence[Interface]) -> Lost:
        """The checks that are not passed."""
        key = pickle.dumps(tuple(interfaces))
        if key not in self.known:
            self.known[key] = self._lost(tuple(interfaces)) if interfaces else {}
        return self.known[key]

    def _lost(self, interfaces: tuple[Interface, ...]) -> Lost:
        from grader.assessing.assess import assess

        assignment = Assignment("learned", "1", "learned", interfaces, limits=LIMITS, needs_torch=self.torch)
        lost: dict[str, tuple[Outcome, ...]] = {}
        for outcome in assess(self.run, assignment, assignment.components, 0, self.sandbox).outcomes:
            if outcome.verdict is not Verdict.PASSED:
                lost[outcome.component] = (*lost.get(outcome.component, ()), outcome)
        return lost
