"""A part of the paper that is handed in as a torch module."""

from dataclasses import dataclass

from grader.blocks.block import Declaration
from grader.component.context import Context
from grader.component.part import Asking


@dataclass(frozen=True, slots=True)
class Block(Declaration):
    """The declaration as a :class:`~grader.component.part.Part`: how a submission is read by it."""

    def read(self, context: Context) -> Asking:
        """Ask the module under what the assignment settles; see :func:`grader.blocks.weighed.read`."""
        from grader.blocks import weighed

        return weighed.read(self.under(context.interface), context)
