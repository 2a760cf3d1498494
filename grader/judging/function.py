"""A component that is handed in as a function, and so is asked and judged call by call."""

from collections.abc import Iterator, Sequence
from typing import Self

from grader.component.component import Component
from grader.component.context import Context
from grader.component.convention import Settled
from grader.component.part import Asking, Complaint
from grader.judging.declared import of_function
from grader.judging.questions import asked_of
from grader.judging.settling import under
from grader.model.assignment import Interface


class Function(Component):
    """The component as an assignment sets and asks it, and how a submission is judged by it."""

    @property
    def called(self) -> Self:
        """Itself: its answers are compared call by call."""
        return self

    def takes(self, interface: Interface, name: str) -> bool:
        """Whether it is an argument of the call."""
        return name in interface.parameters

    def signature(self, interface: Interface, given: Sequence[str] = ()) -> str:
        """The call with what it returns, and the further functions that are asked for."""
        if not interface.parameters:
            return ""
        others = "".join(f", {name}" for name in interface.names.values())
        gives = f" -> {', '.join(interface.returns)}" if interface.returns else ""
        return f"{interface.callable}({given[0] if given else ', '.join(interface.parameters)}){gives}{others}"

    def asked(self, interface: Interface) -> frozenset[str]:
        """The names of the checks for which the hand-out's domain holds a case."""
        return asked_of(self, interface.domain)

    @property
    def conventions(self) -> tuple[Settled, ...]:
        """All conventions that an assignment can declare for it."""
        called = (Settled("backend"), Settled("gradient"), Settled("float64"))
        own = (one for one in self.settled if one.key != "returns")  # declared beside them
        return (Settled("form", {"function": {}}), *called, *own)

    def under(self, interface: Interface) -> Self:
        """The component as an assignment sets it."""
        return under(self, interface)

    def complaints(self, interface: Interface) -> Iterator[Complaint]:
        """What an assignment says of it and it does not know."""
        wrong = list(super().complaints(interface))
        yield from wrong
        if not wrong:
            yield from of_function(self, interface)

    def read(self, context: Context) -> Asking:
        """Ask every call that the checks make; see :func:`grader.judging.judge.read`."""
        from grader.judging import judge

        return judge.read(self, context)
