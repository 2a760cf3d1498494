"""A component that is handed in as a function, and so is asked and judged call by call."""

from __future__ import annotations

from grader.component import Component
from grader.judging import judge
from grader.judging.judge import Context, Rounds
from grader.judging.questions import asked_of
from grader.model import Interface


class Function(Component):
    """The component as a :class:`~grader.judging.part.Part`: what it lists, and how a submission is judged by it."""

    def asked(self, interface: Interface) -> frozenset[str]:
        """The names of the checks for which the hand-out's domain holds a case."""
        return asked_of(self, interface.domain)

    def examine(self, context: Context) -> Rounds:
        """Judge every check of the component; see :func:`grader.judging.judge.examine`."""
        return judge.examine(self, context)
