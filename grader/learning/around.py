"""What is known of the rest of a solution while one of its parts is learned."""

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.learning import ready
from grader.learning.definitions import Definition


@dataclass(frozen=True, slots=True)
class Around:
    """What is known of the rest of a solution.

    Its definitions, the conventions that its other parts keep, which are tried first, the lines that make them, the
    names of those that are the paper under no convention, and whether its files speak of torch.
    """

    known: Mapping[str, Definition]
    usual: Mapping[str, Any] = field(default_factory=dict)
    ready: Mapping[str, str] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()
    torch: bool = False

    def holds_unread(self, one: Definition, component: str) -> bool:
        """Whether a class is made of one, or given one, that is the paper under no convention."""
        lines = itertools.chain.from_iterable(ready.parts(one, component, self.ready).values())
        names = {inner.name for inner in inside(one, self.known)} | {*named_in(" ".join(lines))}
        return bool(names & self.unread)


def named_in(lines: str) -> list[str]:
    """What of the solution an adapter's lines name."""
    return re.findall(r"work\.(\w+)", lines)


def inside(one: Definition, known: Mapping[str, Definition]) -> list[Definition]:
    """A class and all that it is made of, wherever it leads."""
    found, waiting = [one], [one]
    while waiting:
        met = {other.name for other in found}
        inner = [known[name] for name in sorted(waiting.pop().holds & known.keys() - met)]
        waiting += inner
        found += inner
    return found
